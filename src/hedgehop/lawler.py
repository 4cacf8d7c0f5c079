"""The best labeling that is none of given ones, by Lawler's partition (ALGORITHMS 0, set semantics).

If the best labeling y of a cell is excluded, the rest of the cell is split into one cell per free variable k:
"the free variables before k as in y, variable k different". Cells are solved best-bound first and only when
their bound says they might matter, so that ties end the search early.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels, own
from hedgehop._errors import InfeasibleError
from hedgehop.models.base import Model
from hedgehop.oracles.base import Step
from hedgehop.potentials import Linear

Solve = Callable[[Linear | None], Step]
Marginals = Callable[[Linear | None], Doubles | None]


@dataclass(frozen=True)
class Cell:
    """Labelings that agree with `fixed` where it is >= 0 and avoid the `forbidden` (variable, label) pairs."""

    fixed: Labels
    forbidden: tuple[tuple[int, int], ...]

    def mask(self, model: Model) -> Linear | None:
        """Return the cell as a potential that forbids all else."""
        if not self.forbidden:
            return None
        theta = np.zeros((self.fixed.size, int(model.label_counts.max())))
        held = np.flatnonzero(self.fixed >= 0)
        theta[held] = -np.inf
        theta[held, self.fixed[held]] = 0.0
        for variable, label in self.forbidden:
            theta[variable, label] = -np.inf
        return Linear(own(theta))

    def child(self, labeling: Labels, k: int) -> Cell:
        """Return the part of this cell that agrees with a labeling before k and differs at k."""
        fixed = self.fixed.copy()
        fixed[:k] = labeling[:k]
        return Cell(fixed, (*self.forbidden, (k, int(labeling[k]))))


def best_excluding(
    model: Model,
    excluded: Collection[bytes],
    solve: Solve,
    marginals: Marginals = lambda _: None,
    first: Step | None = None,
) -> Step:
    """Return the best labeling not among `excluded` (labelings as int32 bytes).

    Parameters
    ----------
    solve
        Solves the step inside a cell, given as a linear potential (None: everywhere).
    marginals
        Max-marginals inside a cell, where an oracle has them: bounds that spare most cells.
    first
        The solution of the whole problem, if it is known already.
    """
    order = count()
    heap: list[tuple[float, int, Cell, Step | None]] = []
    whole = Cell(np.full(model.n_variables, -1, np.int32), ())
    heapq.heappush(heap, (-np.inf, next(order), whole, first))
    while heap:
        bound, _, cell, step = heapq.heappop(heap)
        if step is None:
            step = _solved(solve, cell.mask(model))
            if step is not None:
                heapq.heappush(heap, (-step.upper_bound, next(order), cell, step))
        elif _key(step.labeling) not in excluded:
            return replace(step, upper_bound=max(step.upper_bound, -bound) if np.isfinite(bound) else step.upper_bound)
        else:
            limits = _limits(step, marginals(cell.mask(model)))
            labeling = step.labeling.reshape(-1)
            for k in np.flatnonzero(cell.fixed < 0):
                if limits[k] > -np.inf:
                    heapq.heappush(heap, (-limits[k], next(order), cell.child(labeling, int(k)), None))
    raise InfeasibleError("no other labeling is left.")


def _limits(step: Step, marginals: Doubles | None) -> Doubles:
    """Upper bounds on what each variable's cell can hold."""
    labeling = step.labeling.reshape(-1)
    if marginals is None:
        return np.full(labeling.size, step.upper_bound)
    others = marginals.copy()
    others[np.arange(labeling.size), labeling] = -np.inf
    slack = 1e-9 * max(1.0, abs(step.upper_bound))  # marginals are sums in another order
    return np.asarray(np.minimum(others.max(axis=1) + slack, step.upper_bound))


def _solved(solve: Solve, mask: Linear | None) -> Step | None:
    try:
        return solve(mask)
    except InfeasibleError:
        return None


def _key(labeling: NDArray[np.int32]) -> bytes:
    return np.ascontiguousarray(labeling, np.int32).tobytes()
