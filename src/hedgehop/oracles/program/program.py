# SPDX-License-Identifier: BSD-3-Clause
"""A mixed-integer linear program, collected in batches of numpy arrays and solved by HiGHS."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles
from hedgehop._interrupt import interruptible
from hedgehop.oracles.program.quiet import quiet

ColumnIndices = NDArray[np.int64]
_TOLERANCE = 2e-6  # of HiGHS: absolute gaps and infeasibilities of 1e-6
_SEARCH_WORK = 2_000_000  # nodes times columns that a search may take: about a minute
_FEWEST_NODES = 20
_GAIN_BITS = 10  # of the largest gain, so that this is a billionth of it


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

        The number of nodes depends on the program alone, so that the same program has the same answer.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        gain = np.concatenate(self._gain)
        scale = 2.0 ** (np.frexp(np.abs(gain).max())[1] - _GAIN_BITS)  # HiGHS works with absolute tolerances
        number, column, value = (np.concatenate(part) for part in zip(*self._rows, strict=True))
        matrix = csr_array((value, (number, column)), shape=(self.n_rows, self.n_columns))
        limits = LinearConstraint(matrix, np.concatenate(self._row_low), np.concatenate(self._row_high))
        limit = {"time_limit": max(time_limit, 1e-3)} if np.isfinite(time_limit) else {}
        result = interruptible(
            quiet()(milp),
            -gain / scale,
            constraints=limits,
            bounds=Bounds(np.concatenate(self._low), np.concatenate(self._high)),
            integrality=np.concatenate(self._integer).astype(int),
            options={"node_limit": max(_FEWEST_NODES, _SEARCH_WORK // self.n_columns), "mip_rel_gap": 0.0} | limit,
        )
        bound = result.mip_dual_bound if result.mip_dual_bound is not None else result.fun
        upper = np.inf if bound is None or not np.isfinite(bound) else float(scale * (_TOLERANCE - bound))
        return Solution(result.x, upper, infeasible=result.status == 2)
