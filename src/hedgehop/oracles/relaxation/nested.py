# SPDX-License-Identifier: BSD-3-Clause
"""What oracles share that turn some potentials into linear ones, and let another oracle solve the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models.base import Model
from hedgehop.oracles.base import Oracle, Solver, Step
from hedgehop.oracles.pairwise.expansion import Expansion
from hedgehop.oracles.pairwise.swap import Swap
from hedgehop.oracles.pairwise.trws import Trws
from hedgehop.potentials import Linear, Potential, total_value

if TYPE_CHECKING:
    from hedgehop.oracles.routing import Auto

Solve = Callable[[Doubles], Step]  # from scores of each variable's labels to the best labeling with them
_ROUNDS = 2  # of the multipliers of a bound that has to be quick
_ITERATIONS = 10  # of message passing in a linear step; messages are kept from one to the next


class Nested(Oracle):
    """An oracle around another one, which sees linear potentials in place of the kinds named in ``outer``.

    Parameters
    ----------
    inner : Oracle or None
        Who solves the linear steps, and those with further potentials; if none is given, the one that "auto" would
        choose.
    """

    outer: ClassVar[tuple[type[Potential], ...]]

    def __init__(self, inner: Oracle | None) -> None:
        self.inner = inner

    def split(self, potentials: Sequence[Potential]) -> tuple[list[Any], list[Potential]]:
        """Potentials handled here, and the others."""
        here = [isinstance(p, self.outer) for p in potentials]
        pairs = list(zip(potentials, here, strict=True))
        return [p for p, mine in pairs if mine], [p for p, mine in pairs if not mine]

    def inner_refusal(self, model: Model, others: Sequence[Potential]) -> str | None:
        """Return why the linear steps cannot be solved; None if they can."""
        return (self.inner or self._auto()).refusal(model, others)

    def linear_oracle(self, model: Model, others: Sequence[Potential], quick: bool = False) -> Oracle:
        """Return whom "auto" would choose, but no integer program where there is anything else: many steps follow.

        `quick`: moves are to spend little on their bounds.
        """
        return self.inner or self._auto(quick).choice(model, others, avoid=("ilp",))

    def _auto(self, quick: bool = False) -> Auto:
        from hedgehop.oracles.routing import Auto  # which lists this oracle among the others

        moves = (Expansion(bound_rounds=_ROUNDS), Swap(bound_rounds=_ROUNDS)) if quick else ()
        return Auto(Trws(iterations=_ITERATIONS, warm=_ITERATIONS), *moves)


class NestedSolver(Solver):
    """Keeps the solvers of the linear steps, and labelings met."""

    oracle: Nested

    def __init__(self, oracle: Nested, model: Model) -> None:
        super().__init__(oracle, model)
        self._inner: dict[str, Solver] = {}
        self._kept: Labels | None = None

    def step(self, potentials: Sequence[Potential]) -> Step:
        """Solve one step; let the linear oracle alone do where nothing is left to do here."""
        if not self.oracle.split(potentials)[0] and self.oracle.refusal(self.model, potentials) is not None:
            return self._alone.step(potentials)
        return super().step(potentials)

    @cached_property
    def _alone(self) -> Solver:
        """The linear oracle by itself, with all its patience."""
        from hedgehop.oracles.routing import Auto

        return (self.oracle.inner or Auto()).on(self.model)

    def linear_steps(self, others: Sequence[Potential], quick: bool = False) -> tuple[str, Solve]:
        """Name of the linear oracle, chosen once a step, and how to ask it."""
        solver = self._linear_solver(others, quick)

        def solve(theta: Doubles) -> Step:
            return solver.maximize([*others, Linear(own(theta))])

        return solver.oracle.name, solve

    def _linear_solver(self, others: Sequence[Potential], quick: bool = False) -> Solver:
        oracle = self.oracle.linear_oracle(self.model, others, quick)
        if oracle.name not in self._inner:
            self._inner[oracle.name] = oracle.on(self.model)
        return self._inner[oracle.name]


class Met:
    """Labelings met in one step, with their values."""

    def __init__(self, model: Model, potentials: Sequence[Potential], solve: Solve) -> None:
        self.model, self.potentials, self.solve = model, potentials, solve
        self.labelings: list[Labels] = []
        self.values: list[float] = []

    def add(self, rows: Labels | Sequence[Labels]) -> None:
        """Take in labelings."""
        if len(rows):
            flat = np.ascontiguousarray(rows, np.int32)
            values = np.asarray(self.model.score(flat)) + total_value(self.model, self.potentials, flat)
            self.labelings.extend(flat)
            self.values.extend(values.tolist())

    def best(self, count: int) -> list[Labels]:
        """Return the labelings of the highest values, those met first before equal ones."""
        return [self.labelings[k] for k in np.argsort(-np.array(self.values), kind="stable")[:count]]

    def solved(self, theta: Doubles) -> Step:
        """Return the best labeling of a linear step, and keep it."""
        step = self.solve(theta)
        self.add(step.labeling.reshape(1, -1))
        return step

    def none(self) -> Doubles:
        """No change of the scores."""
        return np.zeros((self.model.n_variables, int(self.model.label_counts.max())))
