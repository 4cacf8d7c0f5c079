# SPDX-License-Identifier: BSD-3-Clause
"""Columns that no better solution uses: what multipliers of the rows prove of a program.

For any multipliers y, a solution x is worth at most ``U(y) - sum_j |d_j| * (how far x_j is from its better end)`` with
``d = gain - A' y``. A column of zeros and ones with ``|d_j| > gap`` is at its better end in every solution that is
worth more than ``U - gap``. The gap is a guess first; what the program finds with so many columns fixed tells it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles
from hedgehop._interrupt import interruptible
from hedgehop.oracles.program.quiet import quiet

WORTH_FIXING = 2000  # columns from which a linear program first takes less time than it saves
_GUESSED_SHARE = 0.25  # of the columns with a price: those of the lowest prices stay open at first
_MARGIN = 1e-5  # of a gap: ten times what HiGHS tolerates
_PRICED = 1e-6


@dataclass(frozen=True)
class RowLimits:
    """``low <= matrix x <= high``."""

    matrix: Any
    low: Doubles
    high: Doubles


@dataclass(frozen=True)
class ColumnPrices:
    """What multipliers prove: the bound U, the prices d, and which columns they may fix."""

    bound: float
    prices: Doubles
    whole: NDArray[np.bool_]

    @property
    def guessed_gap(self) -> float:
        """A gap at which most columns that have a price are fixed."""
        known = np.abs(self.prices[self.whole])
        known = known[known > _PRICED]
        return float(np.quantile(known, _GUESSED_SHARE)) if known.size else _MARGIN

    def gap(self, value: float) -> float:
        """The gap that a solution of some value leaves."""
        return self.bound - value + _MARGIN

    def fixed(self, gap: float, low: Doubles, high: Doubles) -> tuple[Doubles, Doubles]:
        """Limits of the columns for solutions worth more than ``bound - gap``."""
        dear = self.whole & (np.abs(self.prices) > gap)
        return np.where(dear & (self.prices > 0), high, low), np.where(dear & (self.prices < 0), low, high)


def prices_of(
    gain: Doubles, rows: RowLimits, low: Doubles, high: Doubles, whole: int, seconds: float
) -> ColumnPrices | None:
    """Return prices by the linear program; None if it has none, or not in time.

    `whole`: how many of the first columns are zero or one in some best solution.
    """
    multipliers = _multipliers(gain, rows, low, high, seconds)
    if multipliers is None:
        return None
    prices = gain - rows.matrix.T @ multipliers
    bound = _most(multipliers, rows.low, rows.high) + _most(prices, low, high)
    between = (low == 0.0) & (high == 1.0) & (np.arange(gain.size) < whole)
    return ColumnPrices(bound, prices, between) if np.isfinite(bound) else None


def _multipliers(gain: Doubles, rows: RowLimits, low: Doubles, high: Doubles, seconds: float) -> Doubles | None:
    """Multipliers of the rows where the linear program is solved, by their signs valid ones; None if it is not."""
    from scipy.optimize import linprog
    from scipy.sparse import vstack

    same = rows.low == rows.high
    below, above = np.flatnonzero(~same & np.isfinite(rows.high)), np.flatnonzero(~same & np.isfinite(rows.low))
    result = interruptible(
        quiet()(linprog), -gain, vstack([rows.matrix[below], -rows.matrix[above]]),
        np.concatenate([rows.high[below], -rows.low[above]]), rows.matrix[np.flatnonzero(same)], rows.low[same],
        bounds=np.stack([low, high], axis=1), method="highs",
        options={"time_limit": max(seconds, 1e-3)} if np.isfinite(seconds) else {},
    )  # fmt: skip
    if result.status != 0:
        return None
    multipliers = np.zeros(len(rows.low))
    multipliers[same] = -result.eqlin.marginals
    signed = np.maximum(0.0, -result.ineqlin.marginals)
    np.add.at(multipliers, below, signed[: below.size])
    np.add.at(multipliers, above, -signed[below.size :])
    return multipliers


def _most(factors: Doubles, low: Doubles, high: Doubles) -> float:
    """The largest sum of factors times numbers between limits."""
    used = factors != 0
    return float(np.maximum(factors[used] * low[used], factors[used] * high[used]).sum())
