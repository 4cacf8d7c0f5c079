# SPDX-License-Identifier: BSD-3-Clause
"""Functions of one distance as tables: their concave envelopes, supporting lines and minorants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.potentials import Cardinality, Potential

_CELLS = 4096  # of the table that stands in for a function of fractional distances
_ROUNDING = 4e-15  # of a second difference, against the largest value


@dataclass(frozen=True, eq=False)
class Curve:
    """``values[k]`` at distance ``k * unit``.

    Attributes
    ----------
    function : Cardinality or None
        Where distances lie between the table's points: the concave function itself.
    """

    unit: float
    values: Doubles
    function: Cardinality | None = None

    @cached_property
    def envelope(self) -> Doubles:
        """Least concave table above the values."""
        return self.values if is_concave(self.values, _ROUNDING) else concave_envelope(self.values)

    @cached_property
    def secants(self) -> Doubles:
        """Slopes of the envelope between neighbouring points."""
        return np.ascontiguousarray(np.diff(self.envelope) / self.unit)

    @cached_property
    def parts(self) -> tuple[Doubles, Doubles]:
        """A concave and a convex table that add up to the values (docs/theory.md 6)."""
        if self.envelope is self.values:
            return self.values, np.zeros_like(self.values)
        steps = np.diff(self.values)
        rises = np.concatenate([[0.0], np.cumsum(np.maximum(np.diff(steps), 0.0))])
        convex = np.concatenate([[0.0], np.cumsum(rises)])
        return self.values - convex, convex

    def above(self, distances: Doubles) -> Doubles:
        """Envelope at given distances."""
        if self.function is not None:
            return self.function.at(distances)
        return np.interp(distances, self.unit * np.arange(self.values.size), self.envelope)

    def lines(self, distances: Doubles) -> tuple[Doubles, Doubles]:
        """Slopes and offsets of lines that are nowhere below the function and support its envelope near distances."""
        if self.function is not None:
            slopes = self.function.factor * self.function.table.slope(distances)  # type: ignore[union-attr]
            return slopes, self.function.at(distances) - slopes * distances
        if self.secants.size == 0:
            return np.zeros(distances.size), np.full(distances.size, self.envelope[0])
        places = distances / self.unit
        nearest = np.clip(np.rint(places), 0, self.secants.size).astype(np.int64)
        # Between the secants left and right of the nearest point, as in the master problem (cpp/mixture.hpp).
        slopes = np.interp(places - 0.5, np.arange(self.secants.size), self.secants)
        return slopes, self.envelope[nearest] - slopes * nearest * self.unit

    def minorant(self, order: Doubles, distance: float) -> Doubles:
        """What each variable adds when it differs, so that the sum is nowhere above the function.

        `order` are the variables' weights, those that differ now first; the sum is tight there. The concave part
        takes its differences along the order, the convex part its tangent (docs/theory.md 6).
        """
        reached = np.concatenate([[0.0], np.cumsum(order)])
        if self.function is not None:
            return np.diff(self.function.at(reached))
        concave, convex = self.parts
        points = self.unit * np.arange(self.values.size)
        slopes = np.append(np.diff(convex), 0.0) / self.unit
        tangent = slopes[min(int(distance / self.unit), max(slopes.size - 2, 0))]
        return np.asarray(np.diff(np.interp(reached, points, concave)) + tangent * order)


def curve_of(potential: Cardinality) -> tuple[Doubles | None, Curve] | None:
    """Weights of the distance (None: 1 each) and the function of it; None if it is not known to be concave."""
    weights, table = counted(potential)
    if table is not None:
        return (None if (weights == 1.0).all() else weights), Curve(1.0, np.ascontiguousarray(table))
    if potential.factor < 0 or not hasattr(potential.table, "slope"):
        return None
    unit = max(potential.total, 1e-300) / _CELLS
    return weights, Curve(unit, np.ascontiguousarray(potential.at(unit * np.arange(_CELLS + 1))), potential)


def counted(potential: Cardinality) -> tuple[Doubles, Doubles | None]:
    """Weights and the table over whole counts; no table where weights are not all multiples of one."""
    n = potential.reference.size
    weights = np.ones(n) if potential.weights is None else potential.weights
    unit = float(weights.max(initial=0.0))
    if callable(potential.table) and unit > 0 and (weights == unit).all():
        return np.ones(n), potential.at(unit * np.arange(n + 1))
    if callable(potential.table):
        return weights, None
    return weights, potential.at(np.arange(len(potential.table)))


def one_count(potentials: Sequence[Potential]) -> tuple[Labels, Doubles, Doubles] | None:
    """Reference, weights and summed table, if all are functions of the same whole count; else None."""
    counts = [p for p in potentials if isinstance(p, Cardinality)]
    if not counts or len(counts) < len(potentials):
        return None
    reference, (weights, _) = counts[0].reference, counted(counts[0])
    total = np.zeros(1)
    for potential in counts:
        own, table = counted(potential)
        if table is None or not (np.array_equal(potential.reference, reference) and np.array_equal(own, weights)):
            return None
        total = total + table
    return reference, weights, total


def is_concave(table: Doubles, tolerance: float = 1e-12) -> bool:
    """Whether no difference exceeds the one before, to rounding."""
    return bool((np.diff(table, n=2) <= tolerance * max(1.0, float(np.abs(table).max(initial=0.0)))).all())


def concave_envelope(table: Doubles) -> Doubles:
    """Smallest concave function above a table (upper hull of its points)."""
    return _core.concave_envelope(np.ascontiguousarray(table, np.float64))
