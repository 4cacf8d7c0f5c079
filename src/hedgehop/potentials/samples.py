# SPDX-License-Identifier: BSD-3-Clause
"""How much better a labeling agrees with samples than the best so far (docs/theory.md 9).

``max(0, a - b)`` is convex in the agreement a, so that counting only the samples with a > b, but these without the
maximum, is nowhere above the gain and equal to it at the labeling at hand. The chord of each sample's gain over the
agreements that can occur is nowhere below it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels, as_labelings
from hedgehop.models.base import Model
from hedgehop.potentials.base import Potential
from hedgehop.potentials.count_functions import Threshold
from hedgehop.potentials.counts import CountFunction, LabelClasses
from hedgehop.potentials.lines import Lines


class AgreementGains(Potential):
    """``scale * mean_z max(0, a(y, z) - best[z])``, a = weighted share of variables on which y agrees with z.

    The marginal gain of facility location over samples (docs/theory.md 9): convex in the agreements.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> samples = np.array([[0, 0], [1, 1]], np.int32)
    >>> gain = hh.potentials.AgreementGains(samples, best=np.array([1.0, 0.0]), weights=np.ones(2))
    >>> gain.value(hh.FactorGraph(np.zeros((2, 2))), [[0, 0], [1, 1]])
    array([0. , 0.5])
    """

    scaled_fields = ("scale",)
    samples: Labels
    best: Doubles
    weights: Doubles
    scale: float
    relaxed_as = "lines"

    def __init__(self, samples: Labels, best: Doubles, weights: Doubles, scale: float = 1.0) -> None:
        self._set(samples=samples, best=best, weights=weights, scale=float(scale))

    def check(self, model: Model) -> None:
        as_labelings(self.samples, model.shape, model.label_counts)

    def values(self, model: Model, flat: Labels) -> Doubles:
        return np.asarray(self.scale * np.maximum(0.0, self.excess(flat)).mean(axis=1))

    def excess(self, flat: Labels) -> Doubles:
        """By how much (m, n) labelings agree more with each sample than the best so far, (m, K)."""
        return agreement(flat, self.samples, self.weights) - self.best

    def lines(self, model: Model) -> Lines | None:
        """Chords above and, at a labeling, the samples it agrees with better than the best so far; none for costs."""
        if self.scale < 0:
            return None

        def above(allowed: NDArray[np.bool_]) -> tuple[Doubles, float]:
            slopes, constant = self.chords(*self.reachable(allowed))
            return self.linear(model, slopes), constant

        def below(labeling: Labels) -> Doubles:
            return self.linear(model, np.where(self.excess(labeling[None])[0] > 0, 1.0, 0.0))

        return Lines(above, below, self.samples)

    def reachable(self, allowed: NDArray[np.bool_]) -> tuple[Doubles, Doubles]:
        """Smallest and largest agreement with each sample that allowed labels, (n, L), leave possible."""
        if allowed.all() and allowed.shape[1] > 1:
            return np.zeros(len(self.samples)), np.ones(len(self.samples))
        matching = np.take_along_axis(allowed, self.samples.T, axis=1)  # (n, K): the sample's label is allowed
        forced = matching & (allowed.sum(axis=1) == 1)[:, None]
        shares = self.weights / self.weights.sum()
        return shares @ forced, shares @ matching

    def chords(self, low: Doubles, high: Doubles) -> tuple[Doubles, float]:
        """Slopes and total offset of the lines through the ends of ``max(0, a - best)`` on [low, high]."""
        start, end = np.maximum(0.0, low - self.best), np.maximum(0.0, high - self.best)
        width = high - low
        slopes = np.where(width > 1e-12, (end - start) / np.where(width > 1e-12, width, 1.0), 0.0)
        return slopes, self.scale * float((end - slopes * high).mean())

    def linear(self, model: Model, slopes: Doubles) -> Doubles:
        """Scores of single labels that add up to ``scale * mean_z slopes[z] * a(y, z)``, (n, L)."""
        shares = self.scale / len(self.samples) * (self.weights / self.weights.sum())
        theta = np.zeros((model.n_variables, int(model.label_counts.max())))
        variables = np.arange(model.n_variables)
        for z, slope in zip(self.samples, slopes.tolist(), strict=True):
            if slope != 0.0:
                theta[variables, z] += slope * shares
        return theta

    def counts(self, model: Model) -> list[CountFunction]:
        """One function of the agreement with each sample that can be agreed with better."""
        labels, members = np.arange(int(model.label_counts.max())), np.arange(model.n_variables)
        shares, each = self.weights / self.weights.sum(), self.scale / len(self.samples)
        return [
            CountFunction(
                LabelClasses((labels == z[:, None]).astype(np.int32), 2), 1, members,
                Threshold(each * (1.0 - best), best, 1.0 - best), shares,
            )
            for z, best in zip(self.samples, self.best.tolist(), strict=True)
            if best < 1.0
        ]  # fmt: skip

    def span(self) -> float:
        """Return the scale: values lie between 0 and it."""
        return abs(self.scale)


def agreement(flat: Labels, samples: Labels, weights: Doubles) -> Doubles:
    """Weighted share of variables on which labelings and samples agree, (m, K)."""
    return np.asarray(1.0 - _core.counts.hamming(flat, samples, weights) / weights.sum())
