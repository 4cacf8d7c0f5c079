# SPDX-License-Identifier: BSD-3-Clause
"""What oracles share that turn some potentials into linear ones, and let another oracle solve the rest."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from hedgehop._arrays import Doubles, own
from hedgehop.models.base import Model
from hedgehop.oracles.base import Oracle, Solver, Step
from hedgehop.oracles.pairwise.expansion import Expansion
from hedgehop.oracles.pairwise.swap import Swap
from hedgehop.oracles.pairwise.trws import Trws
from hedgehop.potentials import Linear, Potential

if TYPE_CHECKING:
    from hedgehop.oracles.routing import Auto

SolveLinear = Callable[[Doubles], Step]  # from scores of each variable's labels to the best labeling with them
_BOUND_ROUNDS = 2  # of the multipliers of a bound that has to be quick
_ITERATIONS = 10  # of message passing in a linear step; messages are kept from one to the next


class LinearStepsOracle(Oracle):
    """An oracle around another one, which sees linear potentials in place of those that are relaxed.

    Parameters
    ----------
    inner : Oracle or None
        Which oracle solves the linear steps, and those with further potentials; by default the one "auto" would choose.
    """

    def __init__(self, inner: Oracle | None) -> None:
        if inner is not None and not isinstance(inner, Oracle):
            raise TypeError(f"inner must be an oracle, such as hh.oracles.Trws(); got {inner!r}.")
        self.inner = inner

    @abstractmethod
    def split(self, potentials: Sequence[Potential]) -> tuple[list[Potential], list[Potential]]:
        """Potentials that are relaxed here, and the others."""

    def linear_oracle(self, model: Model, others: Sequence[Potential], quick: bool = False) -> Oracle:
        """What solves the linear steps: no integer program if there is anything else, because many steps follow.

        `quick`: moves are to spend little on their bounds.
        """
        return self.inner or self._auto(quick).choice(model, others, avoid=("ilp",))

    def inner_refusal(self, model: Model, others: Sequence[Potential]) -> str | None:
        """Return why the linear steps cannot be solved; None if they can."""
        return (self.inner or self._auto()).refusal(model, others)

    def _auto(self, quick: bool = False) -> Auto:
        from hedgehop.oracles.routing import Auto  # which lists this oracle among the others

        moves = (Expansion(bound_rounds=_BOUND_ROUNDS), Swap(bound_rounds=_BOUND_ROUNDS)) if quick else ()
        return Auto(Trws(iterations=_ITERATIONS, warm=_ITERATIONS), *moves)


class LinearStepsSolver(Solver):
    """Keeps the solvers of the linear steps."""

    oracle: LinearStepsOracle

    def __init__(self, oracle: LinearStepsOracle, model: Model) -> None:
        super().__init__(oracle, model)
        self._inner: dict[tuple[str, bool], Solver] = {}

    def step(self, potentials: Sequence[Potential]) -> Step:
        """Solve one step; if nothing is to be relaxed, the inner oracle alone does."""
        if not self.oracle.split(potentials)[0] and self.oracle.refusal(self.model, potentials) is not None:
            return self._alone.step(potentials)
        return super().step(potentials)

    @cached_property
    def _alone(self) -> Solver:
        """The inner oracle alone, with all its own steps, for steps in which nothing is relaxed."""
        from hedgehop.oracles.routing import Auto

        return (self.oracle.inner or Auto()).on(self.model)

    def pause(self) -> None:
        """Let the solvers of linear steps let go of what is large."""
        for solver in (*self._inner.values(), *([self._alone] if "_alone" in self.__dict__ else [])):
            solver.pause()

    def linear_steps(self, others: Sequence[Potential], quick: bool = False) -> SolveLinear:
        """How to ask for linear steps; the oracle is chosen once."""
        oracle = self.oracle.linear_oracle(self.model, others, quick)
        if (oracle.name, quick) not in self._inner:
            self._inner[oracle.name, quick] = oracle.on(self.model)
        solver = self._inner[oracle.name, quick]

        def solve(theta: Doubles) -> Step:
            return solver.maximize([*others, Linear(own(theta))])

        return solve
