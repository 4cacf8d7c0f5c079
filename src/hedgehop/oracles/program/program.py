# SPDX-License-Identifier: BSD-3-Clause
"""A mixed-integer linear program, collected in batches of numpy arrays and solved by HiGHS."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles
from hedgehop._interrupt import interruptible
from hedgehop.oracles.program.fixing import WORTH_FIXING, ColumnPrices, RowLimits, prices_of
from hedgehop.oracles.program.quiet import quiet

ColumnIndices = NDArray[np.int64]
_TOLERANCE = 2e-6  # of HiGHS: absolute gaps and infeasibilities of 1e-6
_SEARCH_WORK = 2_000_000  # nodes times columns that a search may take: about a minute
_FEWEST_NODES = 20
_MOST_GAPS = 3  # that are tried before all columns are open
_MOST_OPEN = 0.9  # of the columns: beyond, a search among some of them takes as long as one among all
_FEASIBILITY = 1e-6  # of HiGHS: by which columns may be off
_HUGE_GAIN = 1e3  # times the median: what that moves may decide between solutions that differ in other gains
_LARGEST_GAIN = 1024.0  # in its units, so that this is two billionths of it


@dataclass(frozen=True)
class Solution:
    """What the solver found.

    Attributes
    ----------
    x : array or None
        Values of all columns; None if nothing was found in time.
    upper_bound : float
        No solution is worth more, the solver's tolerances included.
    infeasible : bool
        Whether it says that there is no x.
    """

    x: Doubles | None
    upper_bound: float
    infeasible: bool


class LinearProgram:
    """``max objective . x`` subject to rows ``low <= a . x <= high`` and bounds on the columns."""

    def __init__(self) -> None:
        self._low: list[Doubles] = []
        self._high: list[Doubles] = []
        self._integer: list[NDArray[np.bool_]] = []
        self._gain: list[Doubles] = []
        self._rows: list[tuple[ColumnIndices, ColumnIndices, Doubles]] = []
        self._row_low: list[Doubles] = []
        self._row_high: list[Doubles] = []
        self.n_columns = 0
        self.n_rows = 0
        self.zero_one = 0  # how many of the first columns are zero or one in some best solution

    def columns(
        self,
        count: int,
        gain: ArrayLike = 0.0,
        low: float = 0.0,
        high: ArrayLike = 1.0,
        integer: bool = False,
    ) -> ColumnIndices:
        """Add columns; return their numbers."""
        first = self.n_columns
        self.n_columns += count
        self._gain.append(np.broadcast_to(np.asarray(gain, float), count))
        self._low.append(np.full(count, low))
        self._high.append(np.broadcast_to(np.asarray(high, float), count))
        self._integer.append(np.full(count, integer))
        return np.arange(first, self.n_columns)

    def may_be_used(self, columns: ColumnIndices) -> NDArray[np.bool_]:
        """Whether columns may be anything but 0."""
        low, high = np.concatenate(self._low), np.concatenate(self._high)
        return np.asarray((low[columns] != 0.0) | (high[columns] != 0.0))

    def rows(self, columns: ArrayLike, factors: ArrayLike, low: ArrayLike = -np.inf, high: ArrayLike = np.inf) -> None:
        """Add rows: (R, k) columns with (R, k) factors (broadcast), limits (R,) or numbers."""
        where = np.atleast_2d(np.asarray(columns, np.int64))
        count = len(where)
        values = np.broadcast_to(np.asarray(factors, float), where.shape)
        number = np.repeat(np.arange(self.n_rows, self.n_rows + count), where.shape[1])
        self._rows.append((number, where.ravel(), values.ravel()))
        self._row_low.append(np.broadcast_to(np.asarray(low, float), count))
        self._row_high.append(np.broadcast_to(np.asarray(high, float), count))
        self.n_rows += count

    def solve(self, time_limit: float) -> Solution:
        """Maximise with HiGHS, to optimality or until the nodes of its search, or the time, are used up.

        The number of nodes depends on the program alone, so that the same program has the same answer. Of large
        programs, columns that no better solution uses are fixed first.
        """
        deadline = time.monotonic() + time_limit
        gain = np.concatenate(self._gain)
        # HiGHS works with absolute tolerances; a power of two would make them another share in other units.
        scale = float(np.abs(gain).max()) / _LARGEST_GAIN or 1.0
        search = _BranchAndBound(gain / scale, self._all_rows(), np.concatenate(self._integer), deadline)
        low, high = np.concatenate(self._low), np.concatenate(self._high)
        large = self.n_columns >= WORTH_FIXING and self.zero_one > 0
        prices = prices_of(search.gain, search.rows, low, high, self.zero_one, time_limit) if large else None
        solution = search.solved(low, high) if prices is None else _narrowed(search, prices, low, high)
        return replace(solution, upper_bound=scale * solution.upper_bound)

    def _all_rows(self) -> RowLimits:
        from scipy.sparse import csr_array

        number, column, value = (np.concatenate(part) for part in zip(*self._rows, strict=True))
        matrix = csr_array((value, (number, column)), shape=(self.n_rows, self.n_columns))
        return RowLimits(matrix, np.concatenate(self._row_low), np.concatenate(self._row_high))


@dataclass(frozen=True)
class _BranchAndBound:
    """Branch and bound over one program, with different limits of its columns."""

    gain: Doubles
    rows: RowLimits
    integer: NDArray[np.bool_]
    deadline: float

    def worth(self, solution: Solution) -> float:
        """What the objective is worth at a solution; -inf where there is none."""
        return -np.inf if solution.x is None else float(self.gain @ solution.x)

    @cached_property
    def doubt(self) -> float:
        """What huge gains of columns that are slightly off may have added to what others were compared with."""
        sizes = np.abs(self.gain[self.gain != 0.0])
        return _FEASIBILITY * float(sizes[sizes > _HUGE_GAIN * np.median(sizes)].sum()) if sizes.size else 0.0

    def solved(self, low: Doubles, high: Doubles) -> Solution:
        """Search between limits of the columns."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        seconds = self.deadline - time.monotonic()
        limit = {"time_limit": max(seconds, 1e-3)} if np.isfinite(seconds) else {}
        result = interruptible(
            quiet()(milp),
            -self.gain,
            constraints=LinearConstraint(self.rows.matrix, self.rows.low, self.rows.high),
            bounds=Bounds(low, high),
            integrality=self.integer.astype(int),
            options={"node_limit": max(_FEWEST_NODES, _SEARCH_WORK // low.size), "mip_rel_gap": 0.0} | limit,
        )
        bound = result.mip_dual_bound if result.mip_dual_bound is not None else result.fun
        upper = np.inf if bound is None or not np.isfinite(bound) else float(_TOLERANCE + self.doubt - bound)
        return Solution(result.x, upper, infeasible=result.status == 2)


def _narrowed(search: _BranchAndBound, prices: ColumnPrices, low: Doubles, high: Doubles) -> Solution:
    """Search among the columns that better solutions may use; among all, where these are most or nothing is proven."""
    most = _MOST_OPEN * np.count_nonzero(low < high)
    gap, known = prices.guessed_gap, Solution(None, np.inf, infeasible=False)
    for _ in range(_MOST_GAPS):
        limits = prices.fixed(gap, low, high)
        if np.count_nonzero(limits[0] < limits[1]) > most:
            break
        found = search.solved(*limits)
        known = _merged(search, replace(found, upper_bound=max(found.upper_bound, prices.bound - gap)), known)
        if search.worth(known) >= prices.bound - gap:
            return known
        gap = 4.0 * gap if known.x is None else prices.gap(search.worth(known))
    return _merged(search, search.solved(low, high), known)


def _merged(search: _BranchAndBound, first: Solution, second: Solution) -> Solution:
    """The better one of two solutions, with the lower bound of both."""
    if second.x is None and not np.isfinite(second.upper_bound):
        return first
    best = first if search.worth(first) >= search.worth(second) else second
    return Solution(best.x, min(first.upper_bound, second.upper_bound), infeasible=False)
