# SPDX-License-Identifier: BSD-3-Clause
"""The best labeling that keeps its distance from earlier ones (docs/theory.md 4).

Limits on counts of differing variables are potentials like others. Some solvers keep them by themselves; for the
others a relaxation does; where labelings only have to be different, Lawler's partition proves the best other one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop._errors import InfeasibleError, UnsupportedError
from hedgehop.oracles.base import Solver, Step, better
from hedgehop.oracles.folding import nonlinear
from hedgehop.oracles.lawler import best_excluding
from hedgehop.oracles.pairwise.label_bounds import LabelBounds
from hedgehop.oracles.registry import get
from hedgehop.oracles.relaxation.lagrangian import Lagrangian
from hedgehop.oracles.routing import Auto, is_small
from hedgehop.potentials import Cardinality, Linear, Potential

_MOST_SOLVED = 500  # variables up to which all cells of Lawler's partition may be solved
_MOST_BOUNDED = 4000  # variables beyond which messages take longer than the cells they spare
_MOST_UNBOUNDED = 40  # variables up to which all cells are solved where messages bound none: not linear potentials
_MOST_SOLVED_CELLS = 24  # solved between the two


class Separator:
    """Keeps distances for a solver."""

    def __init__(self, solver: Solver) -> None:
        self._solver, self._model, self._oracle = solver, solver.model, solver.oracle
        self._label_bounds = LabelBounds(solver.model, solver.oracle)

    def step(self, potentials: Sequence[Potential], earlier: Sequence[Labels], distance: int, nearest: Step) -> Step:
        """Return the best step at a distance; `nearest` is the best one without it."""
        rows = list({y.tobytes(): y.reshape(-1) for y in map(_flat, earlier)}.values())
        if all((nearest.labeling.reshape(-1) != y).sum() >= distance for y in rows):
            return nearest
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

    def _keeps(self, limits: Sequence[Potential], nearest: Step) -> bool:
        """Whether the oracle that solved the step without limits can keep them, too."""
        oracle = get(nearest.oracle) if isinstance(self._oracle, Auto) else self._oracle
        return oracle.refusal(self._model, limits) is None

    def _partitions(self, potentials: Sequence[Potential], nearest: Step) -> bool:
        """Whether Lawler's partition proves the best other labeling without much work."""
        several = self._model.n_variables <= (_MOST_UNBOUNDED if nonlinear(potentials) else _MOST_BOUNDED)
        return nearest.exact and (several or self._oracle.max_marginals(self._model, potentials) is not None)

    def _limited(self, limits: Sequence[Potential]) -> Step:
        """Solve with limits; by a relaxation around an oracle that cannot keep them itself."""
        able = isinstance(self._oracle, Auto) or self._oracle.refusal(self._model, limits) is None
        return (self._solver if able else self._relaxation).step(limits)

    @cached_property
    def _relaxation(self) -> Solver:
        return Lagrangian(inner=self._oracle).on(self._model)

    def _by_program(self, limits: Sequence[Potential], distance: int) -> Step:
        program = get("ilp")
        if not is_small(self._model) or program.refusal(self._model, limits) is not None:
            raise InfeasibleError(f"found no labeling that differs from all others in {distance} variables.")
        return program.on(self._model).step(limits)

    def _best_other(self, potentials: Sequence[Potential], rows: list[Labels], nearest: Step | None = None) -> Step:
        def inside(mask: Linear | None) -> Step:
            return self._solver.step([*potentials, mask] if mask is not None else potentials)

        def marginals(mask: Linear | None) -> Doubles | None:
            return self._label_bounds([*potentials, mask] if mask is not None else potentials)

        budget = _MOST_SOLVED_CELLS if self._model.n_variables > _MOST_SOLVED else None  # a cell per variable: too many
        return best_excluding(self._model, {y.tobytes() for y in rows}, inside, marginals, budget, nearest)


def _flat(labeling: Labels) -> Labels:
    return np.ascontiguousarray(labeling.reshape(-1), np.int32)


def _at_least(distance: int, reference: Labels) -> Cardinality:
    if distance > reference.size:
        raise InfeasibleError(f"min_distance {distance} is more than the {reference.size} variables.")
    table = np.zeros(reference.size + 1)
    table[:distance] = -np.inf
    return Cardinality(reference, table)
