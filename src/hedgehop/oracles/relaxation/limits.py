# SPDX-License-Identifier: BSD-3-Clause
"""Counts that are forbidden, such as distances that are too short: slopes are their multipliers (docs/theory.md 4).

If only counts of at least k are allowed, every slope ``s >= 0`` gives a bound, ``max_y r(y) + s (d(y) - k)``. The best
slope is that of the lowest bound. It is searched as the slopes of other curves are, with a round penalty
in place of the limit: ``-pull / 2 * (k + centre / pull - d)^2`` where that is shorter. Its slope at k is `centre`, so
that moving `centre` to the slope of the best bound is a proximal step, and the search ends at the limit itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hedgehop._arrays import Doubles
from hedgehop.oracles.relaxation.curves import Curve, concave_envelope, is_concave

_STIFF = 8.0  # pull, against what makes the expected slope one limit away


@dataclass(frozen=True, eq=False)
class Limit(Curve):
    """A table with counts that are forbidden, ``-inf`` in `table`; in `values` they are steeply penalised."""

    table: Doubles = None  # type: ignore[assignment]
    pull: float = 1.0
    centre: float = 0.0

    @property
    def first(self) -> int:
        """The least count that is allowed; 1 at least."""
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

    def lines(self, distances: Doubles) -> tuple[Doubles, Doubles]:
        """Slopes of the penalty, and the least offsets above all that is allowed."""
        slopes, _ = super().lines(distances)
        return slopes, (self.table - slopes[:, None] * np.arange(self.table.size)).max(axis=1)

    def around(self, centre: float, slope: float) -> Limit:
        """Return the same limit with its penalty around a slope, stiff against the expected one."""
        return replace(self, centre=centre, pull=_STIFF * max(slope, 1e-12) / self.first)

    def per_count(self, loss: float) -> float:
        """Return the mean slope at which so much is lost on the way to the first allowed count."""
        return loss / self.first


def limited(curve: Curve, steep: float) -> Curve:
    """Return the curve, or its limit if it forbids counts; moves lose `steep` for each count beyond it."""
    table = curve.values
    allowed, counts = np.flatnonzero(np.isfinite(table)), np.arange(table.size)
    if allowed.size == table.size:
        return curve
    beyond = np.maximum(np.maximum(allowed[0] - counts, counts - allowed[-1]), 0)
    values = np.interp(counts, allowed, table[allowed]) - steep * beyond
    return Limit(curve.unit, np.ascontiguousarray(values), None, table)
