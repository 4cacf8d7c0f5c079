# SPDX-License-Identifier: BSD-3-Clause
"""How far a labeling is from given ones: counts of differing variables, balls around them, best agreement."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Labels, as_labelings, own
from hedgehop.models.base import Model
from hedgehop.potentials.balls import MOST_LISTED, overlap_shares, place_values, uncovered_shares
from hedgehop.potentials.base import Potential

MOST_EXACT = 20  # distinct labelings up to which inclusion-exclusion is affordable


class Cardinality(Potential):
    """``table[k]``, k = number of variables that differ from a reference labeling.

    Parameters
    ----------
    reference : (n,) labels (or of the model's shape)
        The labeling to compare with.
    table : (n + 1,) array, or callable
        Value at each count; ``-inf`` forbids a count. With fractional weights, a function of the weighted
        count (concave, with a method ``slope`` for its derivative, if the ILP oracle is to use it).
    weights : (n,) array, optional
        What each differing variable counts; whole numbers when table is an array (of length sum + 1).

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> apart = hh.potentials.Cardinality(reference=[0, 0, 0], table=[-np.inf, 0.0, 1.0, 1.5])
    >>> apart.value(hh.FactorGraph(np.zeros((3, 2))), [[0, 0, 0], [0, 1, 1]])
    array([-inf,   1.])
    """

    reference: Labels
    table: Doubles | Callable[[Doubles], Doubles]
    weights: Doubles | None
    factor: float

    def __init__(
        self,
        reference: ArrayLike,
        table: ArrayLike | Callable[[Doubles], Doubles],
        weights: ArrayLike | None = None,
        factor: float = 1.0,
    ) -> None:
        labels = own(_arrays.integers(reference, "reference").reshape(-1).astype(np.int32))
        self._set(reference=labels, factor=float(factor))
        self._set(weights=None if weights is None else _arrays.weights(weights, "weights", labels.size))
        self._set(table=table if callable(table) else self._checked_table(table))

    def _checked_table(self, table: ArrayLike) -> Doubles:
        values = _arrays.scores(table, "table", ndim=1).astype(np.float64)
        if self.weights is not None and (self.weights != np.floor(self.weights)).any():
            raise ValueError(
                "a table needs whole-number weights; got fractions. Give a function of the weighted count."
            )
        wanted = self.total + 1
        if values.size != wanted:
            raise ValueError(f"table must have {wanted:g} entries, one per count 0..{self.total:g}; got {values.size}.")
        return values

    @property
    def total(self) -> float:
        """The largest count that can occur."""
        return float(self.reference.size if self.weights is None else self.weights.sum())

    def at(self, counts: ArrayLike) -> Doubles:
        """Values at given (weighted) counts."""
        d = np.asarray(counts, np.float64)
        raw = np.asarray(self.table(d), np.float64) if callable(self.table) else self.table[d.astype(np.int64)]
        return np.where(np.isneginf(raw), -np.inf, self.factor * raw)

    def check(self, model: Model) -> None:
        """Refuse a reference that does not fit the model."""
        if self.reference.size != model.n_variables:
            raise ValueError(f"reference must have {model.n_variables} labels; got {self.reference.size}.")

    def _values(self, model: Model, flat: Labels) -> Doubles:
        return self.at(_core.hamming(flat, self.reference[None], self.weights)[:, 0])

    def span(self) -> float:
        """Return the span of the table; a function's is not known."""
        if callable(self.table):
            return np.inf
        return float(abs(self.factor) * (self.table.max() - self.table.min()))

    def scaled(self, factor: float) -> Cardinality:
        """Return this potential times a factor."""
        return Cardinality(self.reference, self.table, self.weights, factor * self.factor)


class BallCoverage(Potential):
    """Exact marginal gain of the smooth Hamming-ball coverage (docs/theory.md 6).

    Keep each variable i with probability ``1 - exp(-decay[i])``; the value is ``scale`` times the probability
    that the kept part of y differs from the kept part of every chosen labeling.

    Parameters
    ----------
    chosen : (k, n) labels
        The earlier labelings, distinct. The value is exact for up to 20; beyond, it is the lower bound
        ``prod_j (1 - exp(-distance_j))``.
    decay : (n,) array
        gamma times the weight of each variable.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> gain = hh.potentials.BallCoverage(chosen=[[0, 0, 0]], decay=[0.5, 0.5, 0.5])
    >>> gain.value(hh.FactorGraph(np.zeros((3, 2))), [[0, 0, 0], [0, 1, 1]]).round(3)
    array([0.   , 0.632])
    """

    chosen: Labels
    decay: Doubles
    scale: float

    def __init__(self, chosen: ArrayLike, decay: ArrayLike, scale: float = 1.0) -> None:
        labelings = np.atleast_2d(_arrays.integers(chosen, "chosen")).astype(np.int32)
        self._set(chosen=own(labelings), decay=_arrays.weights(decay, "decay"), scale=float(scale))

    def check(self, model: Model) -> None:
        """Refuse labelings that do not fit the model."""
        _check_width(self.chosen, model)

    def _values(self, model: Model, flat: Labels) -> Doubles:
        if len(self.chosen) <= MOST_EXACT:
            return self.scale * _core.ball_gain(flat, self.chosen, self.decay)
        missed = -np.expm1(-_core.hamming(flat, self.chosen, self.decay))
        return np.asarray(self.scale * missed.prod(axis=1))  # Harris: a lower bound

    def _upper(self, model: Model, flat: Labels) -> Doubles:
        if len(self.chosen) <= MOST_EXACT:
            return self._values(model, flat)
        return np.asarray(np.min([p._values(model, flat) for p in self.pairs()], axis=0))

    def pair(self, centre: Labels) -> Cardinality:
        """What the ball around y has outside the ball around one labeling: ``1 - exp(-distance)``."""
        return Cardinality(centre, _NotInBall(), self.decay, self.scale)

    def pairs(self) -> list[Cardinality]:
        """Functions of one distance each, all of them upper bounds."""
        return [self.pair(y) for y in self.chosen]

    def span(self) -> float:
        """Return the scale: values lie between 0 and it."""
        return abs(self.scale)

    def scaled(self, factor: float) -> BallCoverage:
        """Return this potential times a factor."""
        return BallCoverage(self.chosen, self.decay, factor * self.scale)


class _NotInBall:
    """``1 - exp(-d)``: concave and increasing in the (decay-weighted) distance d. A class, to be picklable."""

    def __call__(self, distances: Doubles) -> Doubles:
        return -np.expm1(-distances)

    def slope(self, distances: Doubles) -> Doubles:
        """Derivative: lets solvers lay tangents."""
        return np.exp(-distances)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _NotInBall)

    __hash__ = None  # type: ignore[assignment]


class BallUnion(Potential):
    """Share of the exact Hamming ball around y that no ball around a chosen labeling covers (docs/theory.md 6).

    Exact where all labelings can be listed (up to 2^20), else the lower bound ``max(0, 1 - sum of overlaps)``.

    Parameters
    ----------
    chosen : (k, n) labels
        Centres of the earlier balls, distinct.
    radius : int
        How many variables may differ within a ball.
    n_labels : int
        Number of labels of every variable.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> gain = hh.potentials.BallUnion(chosen=[[0, 0, 0]], radius=1, n_labels=2)
    >>> gain.value(hh.FactorGraph(np.zeros((3, 2))), [[0, 0, 0], [0, 0, 1], [1, 1, 1]])
    array([0. , 0.5, 1. ])
    """

    chosen: Labels
    radius: int
    n_labels: int
    scale: float

    def __init__(self, chosen: ArrayLike, radius: int, n_labels: int, scale: float = 1.0) -> None:
        labelings = np.atleast_2d(_arrays.integers(chosen, "chosen")).astype(np.int32)
        self._set(chosen=own(labelings), radius=int(radius), n_labels=int(n_labels), scale=float(scale))

    def check(self, model: Model) -> None:
        """Refuse labelings that do not fit the model."""
        _check_width(self.chosen, model)

    @property
    def listable(self) -> bool:
        """Whether all labelings can be listed, so that the value is exact."""
        return bool(self.n_labels ** self.chosen.shape[1] <= MOST_LISTED)

    def _values(self, model: Model, flat: Labels) -> Doubles:
        if self.listable:
            table = uncovered_shares(self.chosen, self.radius, self.n_labels)
            return np.asarray(self.scale * table[flat @ place_values(flat.shape[1], self.n_labels)])
        overlaps = 1.0 - self._shares(model, flat)
        return np.asarray(self.scale * np.maximum(0.0, 1.0 - overlaps.sum(axis=0)))

    def _upper(self, model: Model, flat: Labels) -> Doubles:
        if self.listable:
            return self._values(model, flat)
        return np.asarray(self.scale * self._shares(model, flat).min(axis=0))

    def _shares(self, model: Model, flat: Labels) -> Doubles:
        return np.array([p._values(model, flat) / p.factor for p in self.pairs()])

    def pair(self, centre: Labels) -> Cardinality:
        """What the ball around y has outside the ball around one labeling: ``1 - overlap``."""
        table = own(1.0 - overlap_shares(centre.size, self.n_labels, self.radius))
        return Cardinality(centre, table, factor=self.scale)

    def pairs(self) -> list[Cardinality]:
        """Functions of one distance each, all of them upper bounds."""
        return [self.pair(y) for y in self.chosen]

    def span(self) -> float:
        """Return the scale: values lie between 0 and it."""
        return abs(self.scale)

    def scaled(self, factor: float) -> BallUnion:
        """Return this potential times a factor."""
        return BallUnion(self.chosen, self.radius, self.n_labels, factor * self.scale)


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

    samples: Labels
    best: Doubles
    weights: Doubles
    scale: float

    def __init__(self, samples: Labels, best: Doubles, weights: Doubles, scale: float = 1.0) -> None:
        self._set(samples=samples, best=best, weights=weights, scale=float(scale))

    def check(self, model: Model) -> None:
        """Refuse samples that are not labelings of the model."""
        as_labelings(self.samples, model.shape, model.label_counts)

    def _values(self, model: Model, flat: Labels) -> Doubles:
        return np.asarray(self.scale * np.maximum(0.0, self.excess(flat)).mean(axis=1))

    def excess(self, flat: Labels) -> Doubles:
        """By how much (m, n) labelings agree more with each sample than the best so far, (m, K)."""
        return agreement(flat, self.samples, self.weights) - self.best

    def linear(self, model: Model, slopes: Doubles) -> Doubles:
        """Scores of single labels that add up to ``scale * mean_z slopes[z] * a(y, z)``, (n, L)."""
        shares = self.scale / len(self.samples) * (self.weights / self.weights.sum())
        theta = np.zeros((model.n_variables, int(model.label_counts.max())))
        variables = np.arange(model.n_variables)
        for z, slope in zip(self.samples, slopes.tolist(), strict=True):
            if slope != 0.0:
                theta[variables, z] += slope * shares
        return theta

    def span(self) -> float:
        """Return the scale: values lie between 0 and it."""
        return abs(self.scale)

    def scaled(self, factor: float) -> AgreementGains:
        """Return this potential times a factor."""
        return AgreementGains(self.samples, self.best, self.weights, factor * self.scale)


def agreement(flat: Labels, samples: Labels, weights: Doubles) -> Doubles:
    """Weighted share of variables on which labelings and samples agree, (m, K)."""
    return np.asarray(1.0 - _core.hamming(flat, samples, weights) / weights.sum())


def _check_width(labelings: Labels, model: Model) -> None:
    if labelings.shape[1] != model.n_variables:
        raise ValueError(f"chosen labelings must have {model.n_variables} labels; got {labelings.shape[1]}.")
