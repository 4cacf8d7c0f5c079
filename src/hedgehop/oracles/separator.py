# SPDX-License-Identifier: BSD-3-Clause
"""The best labeling that keeps its distance from earlier ones (docs/theory.md 4).

Limits on counts of differing variables are potentials like others. Some solvers keep them by themselves; for the
others a relaxation does; if labelings only have to be different, Lawler's partition proves the best other one.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

import numpy as np

from hedgehop._arrays import Doubles, Labels, key_of, own
from hedgehop._errors import InfeasibleError, UnsupportedError
from hedgehop.models.unary import UnaryModel
from hedgehop.oracles.base import Solver, Step, better
from hedgehop.oracles.branching import CostBranches, can_branch, without_labels
from hedgehop.oracles.exact.exhaustive import allowed_labels, bits, labelings_of
from hedgehop.oracles.exactness import stake
from hedgehop.oracles.folding import nonlinear
from hedgehop.oracles.lawler import best_excluding, branching_order
from hedgehop.oracles.pairwise.kernels import CLOSE_GAP
from hedgehop.oracles.pairwise.label_bounds import LabelBounds
from hedgehop.oracles.pool import Pool
from hedgehop.oracles.relaxation.lagrangian import Lagrangian
from hedgehop.oracles.routing import last_resort
from hedgehop.potentials import Cardinality, Linear, Potential
from hedgehop.potentials.counts import CountFunction, LabelClasses

_MOST_SOLVED = 500  # variables up to which all cells of Lawler's partition may be solved
_MOST_BOUNDED = 4000  # variables beyond which messages take longer than the cells they spare
_MOST_UNBOUNDED = 40  # variables up to which all cells are solved if messages bound none: not linear potentials
_KEEP_LIMITS = ("exhaustive", "ilp", "milp")  # exact, whatever the limits
_LEFT_BITS = 8  # of the number of labelings that are listed if none is found
_BRANCHES_AT_A_DISTANCE = 40  # linear steps at a distance, if labels cost; fewer if not all cells may be solved
_MOST_SOLVED_CELLS = 24  # solved between the two


class Separator:
    """Keeps distances for a solver."""

    def __init__(self, solver: Solver) -> None:
        self._solver, self._model, self._oracle = solver, solver.model, solver.oracle
        self._label_bounds = LabelBounds(solver.model, solver.oracle)

    def step(self, potentials: Sequence[Potential], earlier: Sequence[Labels], distance: int, nearest: Step) -> Step:
        """Return the best step at a distance; `nearest` is the best one without it."""
        rows = list({key_of(y): np.asarray(y.reshape(-1), np.int32) for y in earlier}.values())
        if all((nearest.labeling.reshape(-1) != y).sum() >= distance for y in rows):
            return nearest
        if nearest.oracle not in _KEEP_LIMITS and (costs := self._label_costs(potentials)):
            decided = self._by_branches(potentials, costs, rows, distance, nearest)
            if decided is not None:
                return decided
        limits = [*potentials, *(_at_least(distance, y) for y in rows)]
        other = None
        if distance == 1 and not self._keeps(limits, nearest) and self._partitions(potentials, nearest):
            other = self._best_other(potentials, rows, nearest)
            if other.exact:
                return other
        try:
            found = self._limited(limits)
            return found if other is None else better(self._model, found, other)
        except (InfeasibleError, UnsupportedError) as error:  # which of multipliers proves nothing
            if distance == 1:
                return other or self._best_other(potentials, rows)
            if isinstance(error, UnsupportedError):
                raise
            return self._by_program(limits, distance)

    def _label_costs(self, potentials: Sequence[Potential]) -> list[CountFunction]:
        """Costs of labels, or kinds of them, if all potentials that are not linear are such costs; else none."""
        counts = [p.counts(self._model) for p in nonlinear(potentials)] if isinstance(self._model, UnaryModel) else []
        every = [c for known in counts for c in known or ()]
        countable = all(known is not None for known in counts) and all(isinstance(c.codes, LabelClasses) for c in every)
        return every if countable and can_branch(every) else []

    def _by_branches(
        self, potentials: Sequence[Potential], costs: Sequence[CountFunction], rows: list[Labels], distance: int,
        nearest: Step,
    ) -> Step | None:  # fmt: skip
        """Branch on the labels that are paid for: linear steps at a distance are left; None if none is found."""
        rest = nonlinear(potentials)
        linear = [p for p in potentials if p not in rest]
        pool = Pool(self._model, potentials, ())

        def relaxed(avoided: Sequence[CountFunction]) -> tuple[Labels, float]:
            assert isinstance(self._model, UnaryModel)  # see `_label_costs`
            mask = Linear(own(without_labels(self._model, avoided)))
            try:
                step = self._solver.step_apart([*linear, mask] if avoided else linear, rows, distance)
            except InfeasibleError:
                if _is_used_up(self._model, mask, rows, distance):
                    raise
                return nearest.labeling.reshape(-1), np.inf  # multipliers found nothing, which proves nothing
            return pool.take(step), step.upper_bound

        branches = CostBranches(costs, relaxed)
        most = _BRANCHES_AT_A_DISTANCE if self._model.n_variables <= _MOST_SOLVED else _BRANCHES_AT_A_DISTANCE // 4
        bound = branches.run(lambda: pool.value, CLOSE_GAP * (stake(self._model) or 0.0), most)
        if not pool.labelings:
            return None
        step = self._oracle.step(self._model, pool.top(1)[0], potentials, min(bound, nearest.upper_bound))
        return replace(step, oracle=nearest.oracle)

    def _keeps(self, limits: Sequence[Potential], nearest: Step) -> bool:
        """Whether the oracle that solved the step without limits can also keep them."""
        return self._oracle.delegate(nearest.oracle).refusal(self._model, limits) is None

    def _partitions(self, potentials: Sequence[Potential], nearest: Step) -> bool:
        """Whether Lawler's partition proves the best other labeling without much work."""
        branches = branching_order(self._model, nearest.labeling.reshape(-1)).size
        several = branches <= (_MOST_UNBOUNDED if nonlinear(potentials) else _MOST_BOUNDED)
        return nearest.exact and (several or self._oracle.max_marginals(self._model, potentials) is not None)

    def _limited(self, limits: Sequence[Potential]) -> Step:
        """Solve with limits; by a relaxation around an oracle that cannot keep them itself, or not in time."""
        if self._oracle.refusal(self._model, limits) is None:
            with suppress(TimeoutError):
                return self._solver.step(limits)
        return self._relaxation.step(limits)

    @cached_property
    def _relaxation(self) -> Solver:
        return Lagrangian(inner=self._oracle).on(self._model)

    def _by_program(self, limits: Sequence[Potential], distance: int) -> Step:
        program = last_resort(self._model, limits)
        if program is None:
            raise InfeasibleError(f"found no labeling that differs from all others in {distance} variables.")
        return program.on(self._model).step(limits)

    def _best_other(self, potentials: Sequence[Potential], rows: list[Labels], nearest: Step | None = None) -> Step:
        def inside(mask: Linear | None) -> Step:
            return self._solver.step([*potentials, mask] if mask is not None else potentials)

        def marginals(mask: Linear | None, best: Labels) -> Doubles | None:
            return self._label_bounds([*potentials, mask] if mask is not None else potentials, best)

        branches = branching_order(self._model, rows[0]).size
        budget = _MOST_SOLVED_CELLS if branches > _MOST_SOLVED else None  # a cell per variable: too many
        return best_excluding(self._model, {y.tobytes() for y in rows}, inside, marginals, budget, nearest)


def _is_used_up(model: UnaryModel, mask: Linear, rows: list[Labels], distance: int) -> bool:
    """Whether all labelings that are left are forbidden or too close to earlier ones, as far as listing a few tells."""
    if bits(model, [mask]) > _LEFT_BITS:
        return False
    for chunk in labelings_of(allowed_labels(model, [mask])):
        close = ((chunk[:, None] != np.array(rows)).sum(axis=2) < distance).any(axis=1)
        if (np.atleast_1d(model.score(chunk.reshape(-1, *model.shape)))[~close] > -np.inf).any():
            return False
    return True


def _at_least(distance: int, reference: Labels) -> Cardinality:
    if distance > reference.size:
        raise InfeasibleError(f"min_distance {distance} is more than the {reference.size} variables.")
    table = np.zeros(reference.size + 1)
    table[:distance] = -np.inf
    return Cardinality(reference, table)
