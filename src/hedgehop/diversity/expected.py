# SPDX-License-Identifier: BSD-3-Clause
"""Expected best: how well the best labeling of the list would do if the truth were one of the samples."""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels, as_labelings, own
from hedgehop._frozen import Frozen
from hedgehop.diversity.base import Diversity
from hedgehop.diversity.lines import GroupLines, VariableLines
from hedgehop.diversity.listed_lines import SampleLines
from hedgehop.models.base import Model
from hedgehop.potentials import AgreementGains, Linear, Potential
from hedgehop.potentials.samples import agreement

_MOST_REMEMBERED = 2000  # labelings whose agreements are remembered


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
        rows, per_variable = weighted_samples(samples, weights)
        if per_variable.sum() <= 0:
            raise ValueError("weights must not all be zero.")
        self._set(samples=rows, weights=per_variable)

    def check(self, model: Model) -> None:
        as_labelings(self.samples, model.shape, model.label_counts)

    def coverage(self, model: Model, labelings: ArrayLike) -> float:
        return float(self._best(model, self._rows(model, labelings)).mean())

    def potentials(self, model: Model, chosen: ArrayLike = ()) -> list[Potential]:
        """``mean_z max(0, agreement(y, z) - best so far)``; linear while nothing is chosen."""
        gain = self._gain_potential(model, self._rows(model, chosen))
        return [gain] if gain.best.any() else [Linear(own(gain.linear(model, np.ones(len(self.samples)))))]

    def lines(self, model: Model, m: int) -> list[tuple[float, GroupLines]] | None:
        """One threshold per sample."""
        known = self._valued_as(ExpectedBest)
        return [(1.0, SampleLines(model, self.samples, self.weights, m))] if known else None

    def relaxed_lines(self, model: Model, m: int) -> list[tuple[float, GroupLines]] | None:
        """One slope per variable and label: a sample may agree with another labeling at each variable."""
        if not self._valued_as(ExpectedBest):
            return None
        every = AgreementGains(self.samples, np.zeros(len(self.samples)), self.weights)
        shares = every.linear(model, np.ones(len(self.samples)))
        return [(1.0, VariableLines(model, np.minimum(np.arange(m + 1.0), 1.0), shares))]

    def _gains(self, model: Model, flat: Labels, chosen: Labels) -> Doubles:
        return np.asarray(np.maximum(0.0, self._agreements(flat) - self._best(model, chosen)).mean(axis=1))

    def _gain_potential(self, model: Model, chosen: Labels) -> AgreementGains:
        return AgreementGains(self.samples, self._best(model, chosen), self.weights)

    def _best(self, model: Model, rows: Labels) -> Doubles:
        self.check(model)
        return own(self._agreements(rows).max(axis=0, initial=0.0))

    @cached_property
    def _known(self) -> dict[bytes, Doubles]:
        """Agreements of known labelings with the samples."""
        return {}

    def _agreements(self, rows: Labels) -> Doubles:
        """Agreements of rows and samples, (m, K). Remembers the rows of a pool, which are asked for again and again."""
        keys = [blake2b(row.tobytes(), digest_size=16).digest() for row in rows]
        fresh = [k for k, key in enumerate(keys) if key not in self._known]
        if len(self._known) + len(fresh) > _MOST_REMEMBERED:
            return agreement(rows, self.samples, self.weights)
        if fresh:
            found = agreement(np.ascontiguousarray(rows[fresh]), self.samples, self.weights)
            self._known.update(zip([keys[k] for k in fresh], found, strict=True))
        return np.array([self._known[key] for key in keys]).reshape(len(keys), len(self.samples))

    def __repr__(self) -> str:
        return f"ExpectedBest({len(self.samples)} samples)"


def weighted_samples(samples: ArrayLike, weights: ArrayLike | None) -> tuple[Labels, Doubles]:
    """Return checked samples as (k, n) labels, and a weight for each variable, 1 if there are none."""
    stack = _arrays.integers(samples, "samples")
    if stack.ndim < 2 or len(stack) == 0:
        raise ValueError(f"samples must hold at least one labeling, stacked along a first axis; got {stack.shape}.")
    flat = own(np.ascontiguousarray(stack.reshape(len(stack), -1), np.int32))
    return flat, np.ones(flat.shape[1]) if weights is None else _arrays.weights(weights, "weights", flat.shape[1])
