# SPDX-License-Identifier: BSD-3-Clause
"""Hamming diversities: balls around each labeling (the paper's best), and DivMBest's plain distances."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Labels, own
from hedgehop._frozen import Frozen
from hedgehop.diversity.base import Diversity
from hedgehop.diversity.coverage import check_weights, variable_counts
from hedgehop.diversity.lines import GroupLines, VariableLines
from hedgehop.models.base import Model
from hedgehop.models.unary import most_labels
from hedgehop.potentials import BallCoverage, BallUnion, Clamped, Constant, Linear, Potential
from hedgehop.potentials.cells import Cells, in_cells

Steer = Literal["exact", "sum", "clamped"]


class HammingBall(Frozen, Diversity):
    """``D(S)`` = size of the union of the balls around the labelings of S, in units of one ball.

    Smooth balls (``gamma``) keep each variable with probability ``1 - exp(-gamma a_i)``; D is the expected
    number of labelings that still differ. Two balls overlap by ``exp(-gamma * distance)``, as in the paper,
    and unlike the paper's sum of overlaps D is a true coverage: monotone, submodular, and exact here up to 20
    distinct labelings (docs/theory.md 6; a lower bound beyond). Exact balls (``radius``) count the labelings within
    ``radius``; exact for two distinct labelings and on models of up to 2^20 labelings, otherwise a lower bound.

    Parameters
    ----------
    gamma : float
        Smooth balls: how fast the overlap falls with the distance.
    radius : int
        Exact balls: how many variables may differ. Give gamma or radius, not both.
    weights : (n,) array, optional
        a_i >= 0 for smooth balls: the weight of each variable in the distance, e.g. areas of superpixels.
    steer : "exact", "sum" or "clamped"
        What a step maximises in addition to the relevance: the exact gain; the paper's ``1 - sum of overlaps``, which
        counts common parts twice; or ``max(0, 1 - sum of overlaps)``, a tighter lower bound on the gain, with which a
        labeling is never worth less than its relevance. The list is always valued by D.

    Examples
    --------
    >>> import hedgehop as hh
    >>> model = hh.FactorGraph([[1.0, 0.0]] * 4)
    >>> found = hh.diverse(model, hh.HammingBall(gamma=0.5), m=3, tradeoff=8.0)
    >>> found.distances[0].tolist()
    [0, 3, 2]
    """

    gamma: float | None
    radius: int | None
    weights: Doubles | None
    steer: Steer

    def __init__(
        self,
        gamma: float | None = None,
        radius: int | None = None,
        weights: ArrayLike | None = None,
        steer: Steer = "exact",
    ) -> None:
        if (gamma is None) == (radius is None):
            raise ValueError("HammingBall needs gamma (smooth balls) or radius (exact balls), and not both.")
        if not _arrays.is_one_of(steer, ("exact", "sum", "clamped")):
            raise ValueError(f'steer must be "exact", "sum" or "clamped"; got {steer!r}.')
        if radius is not None and weights is not None:
            raise ValueError("weights need smooth balls. Use gamma instead of radius.")
        self._set(
            gamma=None if gamma is None else _arrays.number(gamma, "gamma", low=0.0, strict=True),
            radius=None if radius is None else _arrays.positive_count(radius, "radius"),
            weights=None if weights is None else _arrays.weights(weights, "weights"),
            steer=steer,
        )

    def check(self, model: Model) -> None:
        """Refuse weights that do not fit, and exact balls if label counts differ."""
        check_weights(self.weights, model)
        counts = model.label_counts
        if self.radius is not None and counts.min() < counts.max():
            raise ValueError("exact balls need the same number of labels everywhere. Use gamma instead of radius.")

    def coverage(self, model: Model, labelings: ArrayLike) -> float:
        """D of a list, or a lower bound if it cannot be computed."""
        self.check(model)
        rows = distinct_rows(self._rows(model, labelings))
        return float(sum(self._gains(model, y[None], rows[:t])[0] for t, y in enumerate(rows)))

    def lines(self, model: Model, m: int) -> list[tuple[float, GroupLines]] | None:
        """None: the groups of balls cannot be listed."""
        return None

    @property
    def smooth_balls(self) -> float | None:
        return self.gamma if type(self) is HammingBall and self.weights is None else None  # others may value otherwise

    def coverage_bound(self, model: Model, labelings: ArrayLike) -> float:
        """Upper bound on D of a list: D itself if it can be computed."""
        rows = distinct_rows(self._rows(model, labelings))
        return float(sum(self._gain_potential(model, rows[:t]).upper(model, y[None])[0] for t, y in enumerate(rows)))

    def potentials(self, model: Model, chosen: ArrayLike = ()) -> list[Potential]:
        """The gain of every labeling or, steered by the sum, the paper's lower bound on it, clamped or not."""
        rows = distinct_rows(self._rows(model, chosen))
        if self.steer == "exact" or len(rows) < 2:
            return [self._gain_potential(model, rows)]
        parts = [Constant(1.0 - len(rows)), *(self._gain_potential(model, y[None]) for y in rows)]
        return [Clamped(parts)] if self.steer == "clamped" else parts

    @property
    def steers_exactly(self) -> bool:
        """Whether steps maximise the exact gain."""
        return self.steer == "exact"

    def bounding(self, model: Model, chosen: ArrayLike = ()) -> list[Potential]:
        """The exact gain, however the steps are steered."""
        return [self._gain_potential(model, distinct_rows(self._rows(model, chosen)))]

    def offset(self, model: Model, chosen: ArrayLike, m: int) -> float:
        """Upper bound on D(chosen)."""
        return self.coverage_bound(model, chosen)

    def _gains(self, model: Model, flat: Labels, chosen: Labels) -> Doubles:
        return self._gain_potential(model, distinct_rows(chosen)).values(model, flat)

    def _gain_potential(self, model: Model, rows: Labels) -> Potential:
        self.check(model)
        if len(rows) == 0:
            return Constant(1.0)
        union: BallUnion | BallCoverage
        if self.radius is not None:
            union = BallUnion(rows, self.radius, int(model.label_counts.max()))
        else:
            union = BallCoverage(rows, self._decay(model))
        return union.pair(rows[0]) if len(rows) == 1 else union

    def _decay(self, model: Model) -> Doubles:
        assert self.gamma is not None
        ones = np.ones(model.n_variables) if self.weights is None else self.weights
        return own(self.gamma * ones)

    def __repr__(self) -> str:
        size = f"radius={self.radius}" if self.gamma is None else f"gamma={self.gamma:g}"
        more = ", weights=..." if self.weights is not None else ""
        return f'HammingBall({size}{more}, steer="{self.steer}")'


class LinearHamming(Frozen, Diversity):
    """``D(S)`` = sum over pairs of labelings of their Hamming distance: DivMBest (Batra et al. 2012).

    A baseline, not a coverage: further labelings add more, not less, so the (1 - 1/e) guarantee does not apply.
    The gain only changes the unary scores, and there is a bound on the whole list (see ``offset``).

    Parameters
    ----------
    weights : (n,) array, optional
        The weight of each variable in the distance.
    steer : "exact" or "half"
        What a step maximises: relevance plus the exact gain, or half of the relevance plus the gain. With exact
        steps, "half" reaches at least half of the largest F of all lists if no relevance is negative (Borodin et
        al. 2012, docs/theory.md 8). The list is always valued by D.

    Examples
    --------
    >>> import hedgehop as hh
    >>> hh.LinearHamming().value(hh.FactorGraph([[0.0, 0.0]] * 3), [[0, 0, 0], [1, 1, 0], [1, 1, 1]])
    6.0
    """

    submodular = False
    sums_variables = True
    weights: Doubles | None
    steer: Literal["exact", "half"]

    def __init__(self, weights: ArrayLike | None = None, steer: Literal["exact", "half"] = "exact") -> None:
        if not _arrays.is_one_of(steer, ("exact", "half")):
            raise ValueError(f'steer must be "exact" or "half"; got {steer!r}.')
        self._set(weights=None if weights is None else _arrays.weights(weights, "weights"), steer=steer)

    def check(self, model: Model) -> None:
        check_weights(self.weights, model)

    def coverage(self, model: Model, labelings: ArrayLike) -> float:
        """Sum of the distances of all pairs."""
        self.check(model)
        rows = self._rows(model, labelings)
        if len(rows) <= 16:
            return float(_core.counts.distances_to_earlier(rows, self.weights).sum())
        counts = variable_counts(model, rows)  # n^2 - sum_l c_l^2 ordered pairs differ at a variable
        if self.weights is None:
            return float(len(rows) ** 2 * model.n_variables - np.vdot(counts, counts)) / 2.0
        return float((len(rows) ** 2 - (counts * counts).sum(axis=1)) @ self.weights) / 2.0

    def coverages(self, model: Model, labelings: ArrayLike) -> Doubles:
        """Sums of the distances to earlier labelings."""
        self.check(model)
        rows = self._rows(model, labelings)
        added = _core.counts.distances_to_earlier(rows, self.weights)
        return np.concatenate([[0.0], np.cumsum(added)])

    def potentials(self, model: Model, chosen: ArrayLike = ()) -> list[Potential]:
        """The gain or, steered by half of the relevance, twice the gain: the same labelings are best."""
        gain = self.bounding(model, chosen)
        return [p.scaled(2.0) for p in gain] if self.steer == "half" else gain

    def scaled_potentials(self, model: Model, chosen: ArrayLike, factor: float) -> list[Potential]:
        """Return ``potentials`` times a factor, in one pass unless a subclass has its own."""
        if any(getattr(type(self), name) is not getattr(LinearHamming, name) for name in ("potentials", "bounding")):
            return super().scaled_potentials(model, chosen, factor)
        return self._differing(model, chosen, 2.0 * factor if self.steer == "half" else factor)

    @property
    def steers_exactly(self) -> bool:
        """Whether steps maximise the whole relevance plus the gain."""
        return self.steer == "exact"

    def bounding(self, model: Model, chosen: ArrayLike = ()) -> list[Potential]:
        """One linear potential: ``a_i`` for every chosen labeling that y differs from at i."""
        return self._differing(model, chosen, 1.0)

    def _differing(self, model: Model, chosen: ArrayLike, factor: float) -> list[Potential]:
        self.check(model)
        rows = self._rows(model, chosen)
        if len(rows) == 0:
            return []
        n_labels, largest = most_labels(model), 1.0 if self.weights is None else float(self.weights.max())
        if not np.isfinite(factor * (len(rows) * largest)):
            raise ValueError(f"a potential times {factor:g} overflows. Use a smaller tradeoff or factor.")
        if in_cells(model):
            cells = Cells.of(rows, n_labels)
            differing = factor * (len(rows) - cells.counts.astype(np.float64))
            return [cells.linear(n_labels, differing, factor * len(rows), self.weights)]
        theta = _core.counts.differing_counts(rows, n_labels, self.weights, factor)
        return [Linear.of_finite(own(theta).reshape(-1, n_labels))]

    def repeated(self, model: Model, labeling: Labels, m: int) -> float:
        """0: a labeling does not differ from itself."""
        return 0.0 if self._valued_as(LinearHamming) else super().repeated(model, labeling, m)

    def offset(self, model: Model, chosen: ArrayLike, m: int) -> float:
        """``A (m - t)^2 / 2 - D(chosen)``, A = total weight, t = len(chosen).

        With c_il = labelings of T that give i the label l and k_il the same of `chosen`,
        ``D(T) = sum_i a_i (m^2 - sum_l c_il^2) / 2`` and ``-c^2 / 2 <= k^2 / 2 - k c``; the terms ``k c`` add up
        to the gains of T's labelings.
        """
        return float(self.offsets(model, chosen, m)[-1])

    def offsets(self, model: Model, labelings: ArrayLike, m: int) -> Doubles:
        reached = self.coverages(model, labelings)
        total = model.n_variables if self.weights is None else float(self.weights.sum())
        return np.asarray(total * (m - np.arange(reached.size)) ** 2 / 2.0 - reached)

    def lines(self, model: Model, m: int) -> list[tuple[float, GroupLines]] | None:
        """``D = sum_i a_i (m^2 - sum_l c_il^2) / 2``: h(c) = -c^2 / 2 for each variable and label, and a constant."""
        if not self._valued_as(LinearHamming):
            return None
        total = float(model.n_variables if self.weights is None else self.weights.sum())
        return [(1.0, VariableLines(model, -(np.arange(m + 1.0) ** 2) / 2.0, self.weights, total * m * m / 2.0))]

    def joint_slopes(self, model: Model, m: int) -> Doubles | None:
        """Differences of ``a (m - a)``."""
        each = (m + 1.0 - 2.0 * np.arange(1, m + 1))[:, None]
        return np.broadcast_to(each, (m, model.n_variables)) if self.weights is None else each * self.weights

    def _gains(self, model: Model, flat: Labels, chosen: Labels) -> Doubles:
        self.check(model)
        return np.asarray(_core.counts.hamming(flat, chosen, self.weights).sum(axis=1))

    def __repr__(self) -> str:
        shown = ["weights=..."] if self.weights is not None else []
        shown += ['steer="half"'] if self.steer == "half" else []
        return f"LinearHamming({', '.join(shown)})"


def distinct_rows(rows: Labels) -> Labels:
    """Different labelings of a list, in order of appearance: repetitions cover nothing new."""
    first = {y.tobytes(): k for k, y in reversed(list(enumerate(rows)))}
    return np.ascontiguousarray(rows[sorted(first.values())])
