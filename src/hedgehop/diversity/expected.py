# SPDX-License-Identifier: BSD-3-Clause
"""Expected best: how well the best labeling of the list would do if the truth were one of the samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels, as_labelings, own
from hedgehop._frozen import Frozen
from hedgehop.diversity.base import Diversity
from hedgehop.diversity.lines import Lines
from hedgehop.diversity.listed_lines import SampleLines
from hedgehop.models.base import Model
from hedgehop.potentials import AgreementGains, Linear, Potential
from hedgehop.potentials.samples import agreement


class ExpectedBest(Frozen, Diversity):
    """``D(S) = mean over samples z of max over y in S of agreement(y, z)`` (facility location, docs/theory.md 9).

    Agreement is the weighted share of variables with the same label; D of the empty list is 0.

    Parameters
    ----------
    samples : (K, *shape) labels
        What the truth might be: draws from the model, the answers of several models, ...
    weights : (n,) array, optional
        Weights of the variables, e.g. areas of superpixels.

    Examples
    --------
    >>> import hedgehop as hh
    >>> d = hh.ExpectedBest([[0, 0], [1, 1]])
    >>> d.value(hh.FactorGraph([[0.0, 0.0]] * 2), [[0, 0], [0, 1]])  # 1 for the first sample, 1/2 for the other
    0.75
    """

    samples: Labels
    weights: Doubles

    def __init__(self, samples: ArrayLike, weights: ArrayLike | None = None) -> None:
        stack = _arrays.integers(samples, "samples")
        if stack.ndim < 2 or len(stack) == 0:
            raise ValueError(f"samples must hold at least one labeling, stacked along a first axis; got {stack.shape}.")
        flat = stack.reshape(len(stack), -1)
        per_variable = np.ones(flat.shape[1]) if weights is None else _arrays.weights(weights, "weights", flat.shape[1])
        if per_variable.sum() <= 0:
            raise ValueError("weights must not all be zero.")
        self._set(samples=own(np.ascontiguousarray(flat, np.int32)), weights=per_variable)

    def check(self, model: Model) -> None:
        as_labelings(self.samples, model.shape, model.label_counts)

    def coverage(self, model: Model, labelings: ArrayLike) -> float:
        return float(self._best(model, self._rows(model, labelings)).mean())

    def potentials(self, model: Model, chosen: ArrayLike = ()) -> list[Potential]:
        """``mean_z max(0, agreement(y, z) - best so far)``; linear while nothing is chosen."""
        gain = self._gain_potential(model, self._rows(model, chosen))
        return [gain] if gain.best.any() else [Linear(own(gain.linear(model, np.ones(len(self.samples)))))]

    def lines(self, model: Model, m: int) -> list[tuple[float, Lines]] | None:
        """One threshold per sample."""
        known = self._valued_as(ExpectedBest)
        return [(1.0, SampleLines(model, self.samples, self.weights, m))] if known else None

    def _gains(self, model: Model, flat: Labels, chosen: Labels) -> Doubles:
        return self._gain_potential(model, chosen).values(model, flat)

    def _gain_potential(self, model: Model, chosen: Labels) -> AgreementGains:
        return AgreementGains(self.samples, self._best(model, chosen), self.weights)

    def _best(self, model: Model, rows: Labels) -> Doubles:
        self.check(model)
        return own(agreement(rows, self.samples, self.weights).max(axis=0, initial=0.0))

    def __repr__(self) -> str:
        return f"ExpectedBest({len(self.samples)} samples)"
