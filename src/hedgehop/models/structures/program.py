# SPDX-License-Identifier: BSD-3-Clause
"""Mixed-integer linear programs: a labeling is the vector of the binary and small integer variables."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Ints, Labels, key_of, own
from hedgehop._errors import InfeasibleError
from hedgehop._interrupt import interruptible
from hedgehop.models.unary import UnaryModel

_MOST_VALUES = 16  # values of an integer variable that is a label; others are completed, as real ones are
_ROW_TOLERANCE = 1e-6  # by which HiGHS may miss a limit
_WHOLE_TOLERANCE = 1e-9
_CERTAIN = (0, 2, 3)  # ends of scipy's linprog: solved, nothing keeps the limits, unbounded
_SIMPLEX_TOLERANCE = 1e-10  # the smallest that HiGHS takes


class Program(UnaryModel):
    """``r(y) = -min c @ x``, over the x that agree with y and keep all limits; -inf if there is none.

    The arguments are those of ``scipy.optimize.milp``. A labeling has one variable per binary or small integer column,
    in the order of the columns; label k means the value ``lower bound + k``. All other columns are completed: they
    take the best values that the labels allow. Steps are solved by HiGHS, with diversity as part of the program.

    Parameters
    ----------
    c : (columns,) array
        Costs, to be minimised.
    integrality : (columns,) array, optional
        1 for integer columns, 0 for real ones; all are integer by default.
    bounds : scipy.optimize.Bounds, (low, high) or array of pairs, optional
        Of each column; 0 and 1 by default.
    constraints : scipy.optimize.LinearConstraint, (A, low, high), or several of them
        Limits ``low <= A x <= high``.
    maximize : bool
        Whether c is to be maximised instead; then ``r(y) = max c . x``.
    names : sequence of str, optional
        Names of the columns.

    Examples
    --------
    >>> import hedgehop as hh
    >>> knapsack = hh.Program([5, 4, 3, 3], constraints=([[3, 3, 2, 2]], 0, 5), maximize=True)
    >>> knapsack
    Program(4 labelled columns, 0 others, 1 rows)
    >>> found = hh.diverse(knapsack, hh.UseCoverage(), m=2, tradeoff=4.0)
    >>> found.labelings[:, 0].tolist(), found.relevance.tolist(), bool(found.exact.all())
    ([1, 0], [8.0, 7.0], True)
    """

    gains: Doubles
    low: Doubles
    high: Doubles
    integral: NDArray[np.bool_]
    row_low: Doubles
    row_high: Doubles
    columns: Ints
    names: tuple[str, ...]

    def __init__(
        self,
        c: ArrayLike,
        integrality: ArrayLike | None = None,
        bounds: Any = None,
        constraints: Any = (),
        maximize: bool = False,
        names: Any = None,
    ) -> None:
        costs = _arrays.vector(c, "c")
        if costs.size == 0:
            raise ValueError("c must have at least one entry; got none.")
        low, high = _checked_bounds(bounds, costs.size)
        whole = _checked_integrality(integrality, costs.size)
        self._set(
            gains=own(costs if _arrays.flag(maximize, "maximize") else -costs), low=low, high=high, integral=whole
        )
        self._set(names=_checked_names(names, costs.size), **_checked_rows(constraints, costs.size))
        values = np.floor(high + _WHOLE_TOLERANCE) - np.ceil(low - _WHOLE_TOLERANCE) + 1
        labelled = np.flatnonzero(whole & (values <= _MOST_VALUES))
        if labelled.size == 0:
            wanted = f"at least one column must be an integer one with at most {_MOST_VALUES} values"
            raise ValueError(f"{wanted}; got none. Give integrality and finite bounds.")
        counts: Labels = own(values[labelled].astype(np.int32))
        first = np.ceil(low[labelled] - _WHOLE_TOLERANCE)
        steps = np.arange(int(counts.max()))
        unary = self.gains[labelled, None] * (first[:, None] + steps)
        unary[steps >= counts[:, None]] = -np.inf
        self._set(columns=own(labelled), unary=own(unary), label_counts=counts, shape=(labelled.size,))
        self._set(_reached=self._reached_by_rest())

    @cached_property
    def completed(self) -> Ints:
        """Columns that are not labelled."""
        return own(np.setdiff1d(np.arange(self.gains.size), self.columns))

    @property
    def first_values(self) -> Doubles:
        """The value that label 0 of each variable means."""
        return np.asarray(np.ceil(self.low[self.columns] - _WHOLE_TOLERANCE))

    @cached_property
    def matrix(self) -> Any:
        """Rows of the program, a sparse array."""
        from scipy.sparse import csr_array

        state = self.__dict__
        return csr_array(
            (state["_data"], state["_indices"], state["_starts"]), shape=(self.row_low.size, self.gains.size)
        )

    def in_units(self, exponent: int) -> Program:
        """Return the program with all scores multiplied by ``2^exponent``; the same columns complete a labeling."""
        other = object.__new__(Program)
        other._set(**self.__getstate__())
        other._set(**{name: own(np.ldexp(self.__dict__[name], exponent)) for name in ("gains", "unary", "_reached")})
        other.__dict__["_completions"] = self._completions
        return other

    def solution(self, labeling: ArrayLike) -> Doubles:
        """Values of all columns, those that are not labelled as good as the labels allow, (columns,)."""
        [flat], _ = _arrays.as_labelings(labeling, self.shape, self.label_counts)
        x = self._completion(flat)
        if x is None:
            raise ValueError("labeling must keep all limits; this one breaks one of them.")
        return x

    def _joint_score(self, flat: Labels) -> Doubles:
        rest = self.completed
        if not rest.size:
            return np.where(self._keeps(self.first_values + flat), 0.0, -np.inf)
        found = [self._completion(y) for y in flat]
        return np.array([-np.inf if x is None else float(self.gains[rest] @ x[rest]) for x in found], np.float64)

    def _keeps(self, values: Doubles) -> NDArray[np.bool_]:
        """Whether (m, columns) values keep the limits of all rows."""
        sums = (self.matrix @ values.T).T
        size = _ROW_TOLERANCE * np.maximum(1.0, abs(self.matrix).max(axis=1).toarray().ravel())
        return np.asarray(((sums >= self.row_low - size) & (sums <= self.row_high + size)).all(axis=1))

    def _completion(self, flat: Labels) -> Doubles | None:
        key = key_of(flat)
        if key not in self._completions:
            low, high = np.array(self.low), np.array(self.high)
            low[self.columns] = high[self.columns] = self.first_values + flat
            costs = np.zeros(self.gains.size)
            costs[self.completed] = -self.gains[self.completed]
            self._completions[key] = self._solved(costs, low, high, bool(self.integral[self.completed].any()))
        return self._completions[key]

    @cached_property
    def _completions(self) -> dict[bytes, Doubles | None]:
        """What is known of labelings: each is scored several times."""
        return {}

    def _solved(self, costs: Doubles, low: Doubles, high: Doubles, whole: bool) -> Doubles | None:
        """Minimise costs within bounds, with whole numbers where they are asked for; None if no x keeps the limits."""
        scale = np.frexp(np.abs(costs).max())[1]
        costs = np.ldexp(costs, 10 - scale)
        found = None if whole else self._by_simplex(costs, low, high)
        if found is None or found.status not in _CERTAIN:
            found = self._by_search(costs, low, high, self.integral & whole)
        if found.status == 3:
            raise ValueError("c . x is unbounded. Give finite bounds to the columns that are not labelled.")
        return None if found.x is None else np.asarray(found.x, np.float64)

    def _by_search(self, costs: Doubles, low: Doubles, high: Doubles, integral: NDArray[np.bool_]) -> Any:
        from scipy.optimize import Bounds, LinearConstraint, milp

        rows = LinearConstraint(self.matrix, self.row_low, self.row_high) if self.row_low.size else ()
        kinds, options = integral.astype(int), {"mip_rel_gap": 0.0}
        return interruptible(
            milp, costs, constraints=rows, bounds=Bounds(low, high), integrality=kinds, options=options
        )

    def _by_simplex(self, costs: Doubles, low: Doubles, high: Doubles) -> Any:
        """Real numbers can be had with tolerances a thousandth of the usual ones."""
        from scipy.optimize import linprog
        from scipy.sparse import vstack

        sides = [(np.isfinite(self.row_high), self.row_high, 1.0), (np.isfinite(self.row_low), -self.row_low, -1.0)]
        matrix = vstack([sign * self.matrix[kept] for kept, _, sign in sides])
        limits = np.concatenate([limit[kept] for kept, limit, _ in sides])
        options = {"primal_feasibility_tolerance": _SIMPLEX_TOLERANCE, "dual_feasibility_tolerance": _SIMPLEX_TOLERANCE}
        columns = np.stack([low, high], axis=1)
        return interruptible(linprog, costs, matrix, limits, bounds=columns, method="highs-ds", options=options)

    def _reached_by_rest(self) -> Doubles:
        """What completed columns are worth without integrality, (completed,); refuses limits that nothing satisfies."""
        x = self._solved(-self.gains, self.low, self.high, whole=False)
        if x is None:
            raise InfeasibleError("no labeling is allowed: the limits contradict each other, even for real numbers.")
        return own(self.gains[self.completed] * x[self.completed])

    def _joint_spans(self) -> list[Doubles]:
        rest = self.completed
        width = self.high[rest] - self.low[rest]
        reached: Doubles = self.__dict__["_reached"]
        ranges = np.abs(self.gains[rest]) * np.where(np.isfinite(width), width, 0.0)
        return [np.where(np.isfinite(width), ranges, np.abs(reached))]

    def _known_loss(self) -> float:
        """Nothing is known: a range far above the others is never what gaps are measured against."""
        return 0.0

    def _joint_floor(self) -> float:
        return -np.inf if self.completed.size else 0.0

    def __repr__(self) -> str:
        return f"Program({self.n_variables} labelled columns, {self.completed.size} others, {self.row_low.size} rows)"


def _checked_bounds(bounds: Any, n: int) -> tuple[Doubles, Doubles]:
    if bounds is None:
        return own(np.zeros(n)), own(np.ones(n))
    pair = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds
    if not (isinstance(pair, tuple) and len(pair) == 2):
        pair = _as_sides(pair, n)
    try:
        low, high = (np.broadcast_to(np.asarray(side, np.float64), n) for side in pair)
    except ValueError:
        raise ValueError(f"bounds must be two numbers, or two per column ({n}); got {bounds!r}.") from None
    if np.isnan(low).any() or np.isnan(high).any() or (low > high).any():
        raise ValueError("bounds must be numbers with low <= high for every column.")
    return own(np.array(low)), own(np.array(high))


def _as_sides(pairs: Any, n: int) -> tuple[Doubles, Doubles]:
    """The lower and the upper bounds of one pair, or of one pair per column."""
    given = np.asarray(_arrays.rectangular(pairs, "bounds"), np.float64)
    if given.shape not in ((2,), (n, 2)):
        wanted = f"bounds must be a tuple (low, high), or an array of pairs with shape ({n}, 2)"
        raise ValueError(f"{wanted}; got shape {given.shape}. Pass two arrays as a tuple.")
    return given[..., 0], given[..., 1]


def _checked_integrality(integrality: ArrayLike | None, n: int) -> NDArray[np.bool_]:
    kinds = (
        np.ones(n, np.int64)
        if integrality is None
        else np.broadcast_to(_arrays.integers(integrality, "integrality"), n)
    )
    if not np.isin(kinds, (0, 1)).all():
        raise ValueError("integrality must be 0 (real) or 1 (integer) for every column; others are not supported.")
    return own(np.asarray(kinds == 1))


def _checked_names(names: Any, n: int) -> tuple[str, ...]:
    if names is None:
        return ()
    given = tuple(str(name) for name in names)
    if len(given) != n:
        raise ValueError(f"names must have one entry per column ({n}); got {len(given)}.")
    return given


def _checked_rows(constraints: Any, n: int) -> dict[str, Any]:
    """The rows of all constraints together, as arrays of one sparse matrix."""
    from scipy.sparse import csr_array, vstack

    single = hasattr(constraints, "A") or (
        isinstance(constraints, tuple) and len(constraints) == 3 and not hasattr(constraints[0], "A")
    )
    parts = [constraints] if single else list(constraints)
    rows, low, high = [csr_array((0, n))], [np.zeros(0)], [np.zeros(0)]
    for matrix, below, above in map(_triple, parts):
        block = csr_array(matrix if hasattr(matrix, "tocsr") else np.atleast_2d(np.asarray(matrix, np.float64)))
        if block.shape[1] != n:
            raise ValueError(f"A must have one column per entry of c ({n}); got shape {block.shape}.")
        rows.append(block)
        low.append(np.broadcast_to(np.asarray(below, np.float64), block.shape[0]))
        high.append(np.broadcast_to(np.asarray(above, np.float64), block.shape[0]))
    whole, lowest, highest = csr_array(vstack(rows)), np.concatenate(low), np.concatenate(high)
    if not np.isfinite(whole.data).all() or np.isnan(lowest).any() or np.isnan(highest).any():
        raise ValueError("constraints must hold finite numbers, and limits that are numbers or infinite.")
    arrays = {"_data": whole.data.astype(np.float64), "_indices": whole.indices, "_starts": whole.indptr}
    return {name: own(np.array(a)) for name, a in (arrays | {"row_low": lowest, "row_high": highest}).items()}


def _triple(constraint: Any) -> tuple[Any, Any, Any]:
    if hasattr(constraint, "A"):
        return constraint.A, constraint.lb, constraint.ub
    if not (isinstance(constraint, (tuple, list)) and len(constraint) == 3):
        raise ValueError("constraints must be scipy's LinearConstraint, (A, low, high), or a list of them.")
    return constraint[0], constraint[1], constraint[2]
