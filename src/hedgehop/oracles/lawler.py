# SPDX-License-Identifier: BSD-3-Clause
"""Labelings in order, and the best one that is none of given ones: Lawler's partition (docs/theory.md 4).

If the best labeling y of a cell is taken, the rest of the cell is split into one cell per free variable k:
"the free variables before k as in y, variable k different", in the order that the structure gives (on routes, that of
travel: Yen's partition). Cells are solved best-bound first and only when
their bound says they might matter, so that ties end the search early.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from hedgehop._arrays import Doubles, Ints, Labels, key_of, own
from hedgehop._errors import InfeasibleError
from hedgehop.models.base import Model
from hedgehop.models.unary import UnaryModel
from hedgehop.oracles.base import Step
from hedgehop.oracles.exactness import meets, ties
from hedgehop.potentials import Linear

SolveWithin = Callable[[Linear | None], Step]
MarginalsWithin = Callable[[Linear | None], Doubles | None]


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


@dataclass(frozen=True)
class Branch:
    """The part of a cell that agrees with a labeling at the first variables of an order and differs at the next one.

    It becomes a cell once it is needed.
    """

    parent: Cell
    labeling: Labels
    order: Ints
    place: int

    def cell(self) -> Cell:
        """Return the branch as a cell of its own."""
        fixed, before, k = self.parent.fixed.copy(), self.order[: self.place], int(self.order[self.place])
        fixed[before] = self.labeling[before]
        return Cell(fixed, (*self.parent.forbidden, (k, int(self.labeling[k]))))


def best_excluding(
    model: Model,
    excluded: Collection[bytes],
    solve: SolveWithin,
    marginals: MarginalsWithin = lambda _: None,
    budget: int | None = None,
    whole: Step | None = None,
) -> Step:
    """Return the best labeling not among `excluded` (labelings as int32 bytes).

    Parameters
    ----------
    solve
        Solves the step inside a cell, given as a linear potential (None: everywhere).
    marginals
        Max-marginals inside a cell, where an oracle has them: bounds that spare most cells.
    budget
        How many cells to solve at most, once a labeling is found; the bound stays valid, the step is then
        exact only if nothing better can be left.
    whole
        What `solve` says of all labelings together, if that is known: an excluded one.
    """
    order = count()
    heap: list[tuple[float, int, Cell | Branch, Step | None]] = []
    heapq.heappush(heap, (-np.inf, next(order), Cell(np.full(model.n_variables, -1, np.int32), ()), whole))
    best: Step | None = None
    bound, solved = np.inf, 0
    while heap:
        negative, _, branch, step = heapq.heappop(heap)
        bound = -negative
        if best is not None and (best.value >= bound or solved == budget):
            break
        cell = branch.cell() if isinstance(branch, Branch) else branch
        if step is None:
            solved += 1
            step = _solved(solve, cell.mask(model))
            if step is None:
                continue
            if key_of(step.labeling) not in excluded and (best is None or step.value > best.value):
                best = step
            heapq.heappush(heap, (-step.upper_bound, next(order), cell, step))
        elif key_of(step.labeling) not in excluded:
            break  # no cell holds more than this one's bound, and splitting it would not help
        else:
            for ceiling, child in _children(model, cell, step, marginals(cell.mask(model))):
                heapq.heappush(heap, (-ceiling, next(order), child, None))
    if best is None:
        raise InfeasibleError("no other labeling is left.")
    closed = meets(model, best.value, bound)
    return replace(best, upper_bound=max(bound, best.value), exact=closed or (best.exact and bound <= best.upper_bound))


def in_order(
    model: Model, solve: SolveWithin, marginals: MarginalsWithin = lambda _: None, budget: float = np.inf
) -> Iterator[Step]:
    """Yield all labelings, the best first (Lawler 1972); their order is that of the solver's answers.

    `budget`: after how many cells to solve no more than are needed once a step was not exact: no order is proven then.
    """
    order = count()
    cells: list[tuple[float, int, Cell | Branch]] = [(-np.inf, 0, Cell(np.full(model.n_variables, -1, np.int32), ()))]
    ready: list[tuple[float, int, Cell, Step]] = []
    proven, solved = True, 0
    while cells or ready:
        while cells and (not ready or (cells[0][0] < ready[0][0] and (proven or solved < budget))):
            branch = heapq.heappop(cells)[2]
            cell = branch.cell() if isinstance(branch, Branch) else branch
            step = _solved(solve, cell.mask(model))
            solved += 1
            if step is not None:
                proven = proven and step.exact
                heapq.heappush(ready, (-step.value, next(order), cell, step))
        if not ready:
            return
        _, _, cell, step = heapq.heappop(ready)
        yield step
        for ceiling, child in _children(model, cell, step, marginals(cell.mask(model))):
            heapq.heappush(cells, (-ceiling, next(order), child))


def _children(model: Model, cell: Cell, step: Step, marginals: Doubles | None) -> Iterator[tuple[float, Branch]]:
    """Split the rest of a cell: one branch per free variable, with an upper bound each, the most promising first."""
    labeling = step.labeling.reshape(-1)
    bounds = _bounds(model, step, marginals)
    order = branching_order(model, labeling)
    free = np.flatnonzero((cell.fixed[order] < 0) & (bounds[order] > -np.inf))
    for place in free[np.argsort(-_ease(model, labeling)[order[free]], kind="stable")]:
        yield float(bounds[order[place]]), Branch(cell, labeling, order, int(place))


def branching_order(model: Model, labeling: Labels) -> Ints:
    """Variables of which every other labeling changes one, in the order in which they are held."""
    return model._branching_order(labeling) if isinstance(model, UnaryModel) else np.arange(labeling.size)


def _ease(model: Model, labeling: Labels) -> Doubles:
    """How little each variable's own score loses by another label."""
    if not isinstance(model, UnaryModel):
        return np.zeros(labeling.size)
    variables = np.arange(labeling.size)
    others = np.array(model.unary, np.float64)
    others[variables, labeling] = -np.inf
    return np.asarray(others.max(axis=1) - model.unary[variables, labeling])


def _bounds(model: Model, step: Step, marginals: Doubles | None) -> Doubles:
    """Upper bounds on what each variable's cell can hold."""
    labeling = step.labeling.reshape(-1)
    if marginals is None:
        return np.full(labeling.size, step.upper_bound)
    others = marginals.copy()
    others[np.arange(labeling.size), labeling] = -np.inf
    slack = 100.0 * ties(model, step.upper_bound)  # marginals are sums in another order
    return np.asarray(np.minimum(others.max(axis=1) + slack, step.upper_bound))


def _solved(solve: SolveWithin, mask: Linear | None) -> Step | None:
    try:
        return solve(mask)
    except InfeasibleError:
        return None
