# SPDX-License-Identifier: BSD-3-Clause
"""Functions of one count: their values, the lines above them, and what lies below them (docs/theory.md 6 and 11)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _core
from hedgehop._arrays import Doubles

_DIFFERENCE_ERROR = 4e-15  # of a second difference, against the largest value
_STIFF = 8.0  # pull of a penalty, against what makes the expected slope one limit away


@dataclass(frozen=True, eq=False)
class Threshold:
    """``weight * clip((k - start) / width, 0, 1)``: nothing up to `start`, all of the weight `width` later.

    Examples
    --------
    >>> import hedgehop as hh
    >>> hh.potentials.Threshold(weight=4.0, start=1, width=2).at([0, 1, 2, 3, 4])
    array([0., 0., 2., 4., 4.])
    """

    weight: float
    start: float
    width: float

    def __post_init__(self) -> None:
        if not (isfinite(self.weight) and self.start >= 0 and self.width > 0):
            raise ValueError(f"a threshold needs a finite weight, start >= 0 and width > 0; got {self}.")

    @property
    def most(self) -> float:
        """The largest value at any count."""
        return max(0.0, self.weight)

    @property
    def steepest(self) -> tuple[float, float]:
        """The least and the largest slope of a line above it that is worth trying."""
        slope = self.weight / (self.start + self.width if self.weight > 0 else self.width)
        return min(slope, 0.0), max(slope, 0.0)

    def at(self, counts: ArrayLike) -> Doubles:
        """Values at given counts."""
        reached = (np.asarray(counts, np.float64) - self.start) / self.width
        return np.asarray(self.weight * np.clip(reached, 0.0, 1.0))

    def bends(self, total: float) -> Doubles:
        """Counts at which the slope changes: the ends among them."""
        return np.array([0.0, self.start, self.start + self.width, total])

    def minorant(self, order: Doubles, count: float) -> Doubles:
        """What each member adds when it carries the code, so that the sum is nowhere above the function.

        `order` are the weights of the members, those that carry it now first; the sum is tight there. A reward is
        convex before its end and concave after it: the concave part takes its differences along the order, the convex
        part its tangent (docs/theory.md 6). A cost is charged to the members that carry the code, or to those that
        do not carry it yet.
        """
        reached = np.concatenate([[0.0], np.cumsum(order)])
        rate, end = self.weight / self.width, self.start + self.width
        if rate > 0:
            after = np.maximum(0.0, reached - end)
            return np.asarray(np.diff(-rate * after) + (rate if count > self.start else 0.0) * order)
        if self.start < count < end:
            return np.asarray(np.diff(rate * np.maximum(0.0, reached - self.start)))
        waits = (reached[1:] > count) & (count <= self.start)
        return np.where(waits, self.weight / max(end - count, self.width) * order, 0.0)


@dataclass(frozen=True, eq=False)
class Table:
    """``values[k]`` at count ``k * unit``.

    Attributes
    ----------
    smooth : function with a method ``slope``, or None
        Where counts lie between the table's points: the concave function itself, and its derivative.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> hh.potentials.Table(1.0, np.array([0.0, 3.0, 1.0])).at([2, 1])
    array([1., 3.])
    """

    unit: float
    values: Doubles
    smooth: SmoothFunction | None = None

    def has_all(self, weights: Doubles | None) -> bool:
        """Whether all counts of members of such weights (None: 1 each) are points of the table."""
        whole = weights is None or bool((weights == np.floor(weights)).all())
        return self.unit == 1.0 and self.smooth is None and whole

    @property
    def most(self) -> float:
        """The largest value at any count; inf if there are counts between the points."""
        return float(self.values.max()) if self.smooth is None else np.inf

    @property
    def steepest(self) -> tuple[float, float]:
        """The least and the largest slope of a line above it that is worth trying."""
        slopes = np.diff(self.values) / self.unit
        return float(slopes.min(initial=0.0)), float(slopes.max(initial=0.0))

    @cached_property
    def envelope(self) -> Doubles:
        """Least concave table above the values."""
        return self.values if is_concave(self.values, _DIFFERENCE_ERROR) else concave_envelope(self.values)

    @cached_property
    def secants(self) -> Doubles:
        """Slopes of the envelope between neighbouring points."""
        return np.ascontiguousarray(np.diff(self.envelope) / self.unit)

    @cached_property
    def convex_split(self) -> tuple[Doubles, Doubles]:
        """A concave and a convex table that add up to the values (docs/theory.md 6)."""
        if self.envelope is self.values:
            return self.values, np.zeros_like(self.values)
        steps = np.diff(self.values)
        rises = np.concatenate([[0.0], np.cumsum(np.maximum(np.diff(steps), 0.0))])
        convex = np.concatenate([[0.0], np.cumsum(rises)])
        return self.values - convex, convex

    def at(self, counts: ArrayLike) -> Doubles:
        """Values at given counts, which are points of the table unless the function is smooth."""
        places = np.asarray(counts, np.float64)
        return self.smooth.at(places) if self.smooth else self.values[np.rint(places / self.unit).astype(np.int64)]

    def bends(self, total: float) -> Doubles:
        """Counts at which the slope may change: all points."""
        return np.asarray(self.unit * np.arange(self.values.size))

    def above(self, counts: Doubles) -> Doubles:
        """Envelope at given counts."""
        if self.smooth is not None:
            return self.smooth.at(counts)
        return np.interp(counts, self.unit * np.arange(self.values.size), self.envelope)

    def lines(self, counts: Doubles) -> tuple[Doubles, Doubles]:
        """Slopes and offsets of lines that are nowhere below the function and support its envelope near counts."""
        if self.smooth is not None:
            slopes = self.smooth.slope(counts)
            return slopes, self.smooth.at(counts) - slopes * counts
        if self.secants.size == 0:
            return np.zeros(counts.size), np.full(counts.size, self.envelope[0])
        places = counts / self.unit
        nearest = np.clip(np.rint(places), 0, self.secants.size).astype(np.int64)
        # Between the secants left and right of the nearest point, as in the master problem (the mixture kernel).
        slopes = np.interp(places - 0.5, np.arange(self.secants.size), self.secants)
        return slopes, self.envelope[nearest] - slopes * nearest * self.unit

    def minorant(self, order: Doubles, count: float) -> Doubles:
        """What each member adds when it counts, so that the sum is nowhere above the function; see `Threshold`."""
        reached = np.concatenate([[0.0], np.cumsum(order)])
        if self.smooth is not None:
            return np.diff(self.smooth.at(reached))
        concave, convex = self.convex_split
        points = self.unit * np.arange(self.values.size)
        slopes = np.append(np.diff(convex), 0.0) / self.unit
        tangent = slopes[min(int(count / self.unit), max(slopes.size - 2, 0))]
        return np.asarray(np.diff(np.interp(reached, points, concave)) + tangent * order)


@dataclass(frozen=True, eq=False)
class SmoothFunction:
    """``factor * function(d)``, concave, with a derivative."""

    function: Callable[[Doubles], Doubles]
    factor: float

    def at(self, counts: Doubles) -> Doubles:
        """Values at given counts."""
        return np.asarray(self.factor * np.asarray(self.function(counts), np.float64))

    def slope(self, counts: Doubles) -> Doubles:
        """Derivative at given counts."""
        derivative: Callable[[Doubles], Doubles] = getattr(self.function, "slope")  # noqa: B009  (made only if there is one)
        return np.asarray(self.factor * np.asarray(derivative(counts)))


@dataclass(frozen=True, eq=False)
class Limit(Table):
    """A table with counts that are forbidden, ``-inf`` in `table`; in `values` they are steeply penalised.

    If only counts of at least k are allowed, every slope ``s >= 0`` gives a bound, ``max_y r(y) + s (d(y) - k)``. The
    best slope is that of the lowest bound (docs/theory.md 4). It is searched as other slopes are, with a round penalty
    in place of the limit: ``-pull / 2 * (k + centre / pull - d)^2`` if that is shorter. Its slope at k is `centre`,
    so that moving `centre` to the slope of the best bound is a proximal step, and the search ends at the limit itself.
    """

    table: Doubles = None  # type: ignore[assignment]
    pull: float = 1.0
    centre: float = 0.0

    @property
    def first(self) -> int:
        """The smallest count that is allowed; at least 1."""
        return max(1, int(np.flatnonzero(np.isfinite(self.table))[0]))

    @cached_property
    def envelope(self) -> Doubles:
        """The table with a round penalty in place of the limits."""
        allowed, counts = np.flatnonzero(np.isfinite(self.table)), np.arange(self.table.size)
        inside = np.interp(counts, allowed, self.table[allowed])
        inside = inside if is_concave(inside) else concave_envelope(inside)
        short = np.maximum(0.0, allowed[0] + max(self.centre, 0.0) / self.pull - counts) * (allowed[0] > 0)
        long = np.maximum(0.0, counts - allowed[-1] - min(self.centre, 0.0) / self.pull)
        return np.asarray(inside - 0.5 * self.pull * (short**2 + long**2 * (allowed[-1] < counts[-1])))

    def lines(self, counts: Doubles) -> tuple[Doubles, Doubles]:
        """Slopes of the penalty, and the least offsets above all that is allowed."""
        slopes, _ = super().lines(counts)
        return slopes, (self.table - slopes[:, None] * np.arange(self.table.size)).max(axis=1)

    def around(self, centre: float, slope: float) -> Limit:
        """Return the same limit with its penalty around a slope, stiff against the expected one."""
        return replace(self, centre=centre, pull=_STIFF * slope / self.first)


def with_limit(function: Table, steep: float) -> Table:
    """Return the function, or its limit if it forbids counts; moves lose `steep` for each count beyond it."""
    table = function.values
    allowed, counts = np.flatnonzero(np.isfinite(table)), np.arange(table.size)
    if allowed.size == table.size:
        return function
    beyond = np.maximum(np.maximum(allowed[0] - counts, counts - allowed[-1]), 0)
    values = np.interp(counts, allowed, table[allowed]) - steep * beyond
    return Limit(function.unit, np.ascontiguousarray(values), None, table)


def is_concave(table: Doubles, tolerance: float = 1e-12) -> bool:
    """Whether no difference exceeds the one before, to rounding."""
    return bool((np.diff(table, n=2) <= tolerance * float(np.abs(table).max(initial=0.0))).all())


def concave_envelope(table: Doubles) -> Doubles:
    """Smallest concave function above a table (upper hull of its points)."""
    return _core.counts.concave_envelope(np.ascontiguousarray(table, np.float64))
