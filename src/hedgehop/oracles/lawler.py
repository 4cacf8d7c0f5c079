# SPDX-License-Identifier: BSD-3-Clause
"""Labelings in order, and the best one that is none of given ones: Lawler's partition (docs/theory.md 4).

If the best labeling y of a cell is taken, the rest of the cell is split into one cell per free variable k:
"the free variables before k as in y, variable k different", in the order that the structure gives (on routes, that of
travel: Yen's partition). Cells are solved best-bound first and only when
their bound says they might matter, so that ties end the search early. Most branches never are, so each is made when
the one before it, of the same cell, is taken.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from itertools import count, islice

import numpy as np

from hedgehop._arrays import Doubles, Ints, Labels, key_of, own
from hedgehop._errors import InfeasibleError
from hedgehop.models.base import Model
from hedgehop.models.unary import UnaryModel
from hedgehop.oracles.base import Step
from hedgehop.oracles.exactness import meets, ties
from hedgehop.potentials import Linear

SolveWithin = Callable[[Linear | None], Step]
MarginalsWithin = Callable[[Linear | None, Labels], Doubles | None]  # given the best labeling within


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


Turn = tuple[int, int]  # which of equally good branches is solved first
Branches = Iterator[tuple[float, Turn, Branch]]  # of one cell, with their bounds, the largest first


def best_excluding(
    model: Model,
    excluded: Collection[bytes],
    solve: SolveWithin,
    marginals: MarginalsWithin = lambda _, best: None,
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
    heap: list[tuple[float, Turn, Cell | Branch, Step | None, Branches]] = []
    everything = Cell(np.full(model.n_variables, -1, np.int32), ())
    heapq.heappush(heap, (-np.inf, (next(order), 0), everything, whole, iter(())))
    best: Step | None = None
    bound, solved = np.inf, 0
    while heap:
        negative, _, branch, step, rest = heapq.heappop(heap)
        bound = -negative
        for ceiling, turn, sibling in islice(rest, 1):
            heapq.heappush(heap, (-ceiling, turn, sibling, None, rest))
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
            heapq.heappush(heap, (-step.upper_bound, (next(order), 0), cell, step, iter(())))
        elif key_of(step.labeling) not in excluded:
            break  # no cell holds more than this one's bound, and splitting it would not help
        else:
            children = _children(model, cell, step, marginals(cell.mask(model), step.labeling), next(order))
            for ceiling, turn, child in islice(children, 1):
                heapq.heappush(heap, (-ceiling, turn, child, None, children))
    if best is None:
        raise InfeasibleError("no other labeling is left.")
    closed = meets(model, best.value, bound)
    return replace(best, upper_bound=max(bound, best.value), exact=closed or (best.exact and bound <= best.upper_bound))


def in_order(
    model: Model, solve: SolveWithin, marginals: MarginalsWithin = lambda _, best: None, budget: float = np.inf
) -> Iterator[Step]:
    """Yield all labelings, the best first (Lawler 1972); their order is that of the solver's answers.

    `budget`: after how many cells to solve no more than are needed once a step was not exact: no order is proven then.
    """
    order = count()
    everything = Cell(np.full(model.n_variables, -1, np.int32), ())
    cells: list[tuple[float, Turn, Cell | Branch, Branches]] = [(-np.inf, (0, 0), everything, iter(()))]
    ready: list[tuple[float, int, Cell, Step]] = []
    proven, solved = True, 0
    while cells or ready:
        while cells and (not ready or (cells[0][0] < ready[0][0] and (proven or solved < budget))):
            _, _, branch, rest = heapq.heappop(cells)
            for ceiling, turn, sibling in islice(rest, 1):
                heapq.heappush(cells, (-ceiling, turn, sibling, rest))
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
        children = _children(model, cell, step, marginals(cell.mask(model), step.labeling), next(order))
        for ceiling, turn, child in islice(children, 1):
            heapq.heappush(cells, (-ceiling, turn, child, children))


def _children(model: Model, cell: Cell, step: Step, marginals: Doubles | None, turn: int) -> Branches:
    """Split the rest of a cell: one branch per free variable, with an upper bound each, the largest bound first.

    Of equal bounds, that of the variable that loses least by another label comes first.
    """
    labeling = step.labeling.reshape(-1)
    bounds = _bounds(model, step, marginals)
    order = branching_order(model, labeling)
    free = np.flatnonzero((cell.fixed[order] < 0) & (bounds[order] > -np.inf))
    places = free[np.argsort(-_ease(model, labeling)[order[free]], kind="stable")]
    ceilings = bounds[order[places]]
    for rank in np.argsort(-ceilings, kind="stable").tolist():
        yield float(ceilings[rank]), (turn, rank), Branch(cell, labeling, order, int(places[rank]))


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
