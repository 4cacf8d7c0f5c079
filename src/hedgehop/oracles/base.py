# SPDX-License-Identifier: BSD-3-Clause
"""What an oracle is: it maximises relevance plus potentials, and bounds the maximum."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgehop._arrays import Doubles, Labels, own
from hedgehop._errors import InfeasibleError, UnsupportedError
from hedgehop.models.base import Model
from hedgehop.models.unary import UnaryModel
from hedgehop.oracles.effort import Stopped, effort
from hedgehop.oracles.exactness import meets
from hedgehop.potentials.base import Potential, worth

if TYPE_CHECKING:
    from hedgehop.oracles.narrowing import ConditionedSteps, RescaledSteps
    from hedgehop.oracles.separator import Separator


@dataclass(frozen=True, eq=False)
class Step:
    """One labeling and what is known about it.

    Attributes
    ----------
    labeling : array of ints of the model's shape
        The best labeling found.
    value : float
        What it reaches: relevance plus potentials, re-evaluated in double precision; in a list, its gain.
    upper_bound : float
        No labeling reaches more; in a list whose labelings must differ, none that was allowed in the step.
    exact : bool
        Whether value and bound agree (up to rounding): the labeling is proven optimal.
    oracle : str
        Name of the oracle that solved it.
    seconds : float
        Time it took.
    relevance : float
        r(y) alone.
    stopped : "tolerance", "time" or ""
        Which limit ended a step that is not proven to be exact; "" if none did.
    unlimited_bound : float or None
        If the labeling had to differ from others: no labeling reaches more, allowed or not. None otherwise.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> step = hh.best(hh.Chain(emissions=[[0.0, 1.0], [2.0, 0.0]], transitions=np.zeros((2, 2))))
    >>> step.labeling, step.value, step.exact
    (array([1, 0], dtype=int32), 3.0, True)
    """

    labeling: Labels
    value: float
    upper_bound: float
    exact: bool
    oracle: str
    seconds: float = 0.0
    relevance: float = float("nan")
    stopped: Stopped = ""
    unlimited_bound: float | None = None

    @property
    def bound_on_all(self) -> float:
        """What no labeling reaches, whether or not it was allowed: the certificate of a list needs it."""
        return self.upper_bound if self.unlimited_bound is None else self.unlimited_bound


def changed(step: Step, **values: Any) -> Step:
    """Return a step with other attributes, as ``dataclasses.replace`` does, in a third of the time."""
    other = object.__new__(type(step))
    other.__dict__.update(step.__dict__ | values)
    return other


def better(model: Model, first: Step, second: Step) -> Step:
    """The better one of two answers to the same step, the first of equals, with the lower bound of both."""
    best = max(first, second, key=lambda step: step.value)
    bound = max(best.value, min(first.upper_bound, second.upper_bound))
    return replace(best, upper_bound=bound, exact=best.exact or meets(model, best.value, bound))


class Oracle(ABC):
    """Maximises ``r(y) + sum of potentials`` over the labelings of a model: settings, and what it can do.

    Subclass it, give it a ``name`` and a ``summary``, and register it under the entry-point group
    ``hedgehop.oracles`` (or pass an instance as ``oracle=``). Override ``maximize`` if steps are independent, or ``on``
    to keep state from step to step.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> oracle = hh.oracles.GraphCut()
    >>> oracle.refusal(hh.Grid(np.zeros((2, 2, 3))), [])
    'it needs two labels and no cliques; the model has 3 labels'
    """

    name: str
    summary: str

    @abstractmethod
    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Return why this oracle cannot solve a step; None if it can."""

    def delegate(self, name: str) -> Oracle:
        """Return the oracle that answered under a name, which is another one if this oracle only chooses."""
        return self

    def on(self, model: Model) -> Solver:
        """Return a solver of steps on one model, which keeps what helps later steps."""
        return Solver(self, model)

    def maximize(self, model: Model, potentials: Sequence[Potential]) -> Step:
        """Solve one step on its own. Called only if ``refusal`` returns None."""
        return self.on(model).maximize(potentials)

    def preference(self, model: Model, potentials: Sequence[Potential]) -> float:
        """When ``auto`` tries a plug-in: above 0 before the built-in ones, the highest first; otherwise after them."""
        return 0.0

    def for_bounds(self) -> Oracle:
        """Return the oracle for steps that only bound others: this one, or one that takes less time."""
        return self

    def max_marginals(self, model: Model, potentials: Sequence[Potential]) -> Doubles | None:
        """Return, for each variable and label, the best value with that label, (n, L); None if not available."""
        return None

    def __repr__(self) -> str:
        """The class and its settings, as they would be given."""
        named = [k for k in signature(type(self)).parameters if hasattr(self, k)]
        return f"{type(self).__name__}({', '.join(f'{k}={getattr(self, k)!r}' for k in named)})"

    def step(
        self, model: Model, labeling: Labels, potentials: Sequence[Potential], upper_bound: float, error: float = 0.0
    ) -> Step:
        """Return a Step for a labeling found, its value re-evaluated from scratch.

        The step counts as exact when bound and value meet (``hedgehop.oracles.exactness``), and never for any other
        reason; the bound is never below the value. `error`: what a kernel's integers may have changed at most.
        """
        relevance, value = worth(model, potentials, labeling)
        return Step(
            labeling=own(np.ascontiguousarray(labeling, np.int32).reshape(model.shape)),
            value=value,
            upper_bound=max(upper_bound, value),
            exact=meets(model, value, upper_bound, potentials, error),
            oracle=self.name,
            relevance=relevance,
        )


class Solver:
    """An oracle at work on one model; subclasses keep flows, messages and labelings. One thread at a time.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> chain = hh.Chain(emissions=[[2.0, 0.0], [0.0, 1.0], [3.0, 0.0]], transitions=np.zeros((2, 2)))
    >>> solver = hh.oracles.get("auto").on(chain)
    >>> first = solver.step([])
    >>> solver.step_apart([], earlier=[first.labeling], distance=2).labeling
    array([1, 0, 0], dtype=int32)
    """

    def __init__(self, oracle: Oracle, model: Model) -> None:
        self.oracle, self.model = oracle, model

    def step(self, potentials: Sequence[Potential]) -> Step:
        """Solve one step, timed; raise an error that says why if the oracle cannot."""
        for potential in potentials:
            potential.check(self.model)
        start = time.perf_counter()
        try:
            step = self._split(potentials) or self._unsplit(potentials)
        except OverflowError as error:
            raise ValueError(f"{error}. Use smaller scores, weights or a smaller tradeoff.") from error
        if step.value == -np.inf:
            raise InfeasibleError(f'oracle "{step.oracle}" found no allowed labeling; if there is one, "ilp" finds it.')
        limit = "" if step.exact else effort().stopped(self.model, potentials, step.value, step.upper_bound)
        return changed(step, seconds=time.perf_counter() - start, stopped=limit)

    def step_apart(
        self, potentials: Sequence[Potential], earlier: Sequence[Labels], distance: int, nearest: Step | None = None
    ) -> Step:
        """Solve a step among the labelings that differ from all earlier ones in at least `distance` variables.

        `nearest`: what ``step`` says of the same potentials, if that is known. Its bound holds here, too: limits only
        lower what is possible.
        """
        start = time.perf_counter()
        step = self._split(potentials, (earlier, distance))
        if step is None:
            nearest = nearest or self.step(potentials)
            step = self._apart.step(potentials, earlier, distance, nearest)
        bound = step.upper_bound if nearest is None else min(step.upper_bound, nearest.upper_bound)
        return changed(step, upper_bound=max(bound, step.value), seconds=time.perf_counter() - start)

    def for_bounds(self) -> Solver:
        """Return a solver of steps that only bound others; it may begin with a copy of what this one has learned."""
        return self.oracle.for_bounds().on(self.model)

    def pause(self) -> None:
        """Let go of what takes much memory until the next step, which may then take longer: after a list is found."""

    def by(self, oracle: Oracle) -> Solver:
        """Return a solver of a given oracle on the same model: one that is at work here, if there is one."""
        return self if oracle.name == self.oracle.name else oracle.on(self.model)

    @property
    def linear_oracle(self) -> Oracle | None:
        """Which oracle solves steps that change the unary scores; None if the scores are rescaled before."""
        return self.oracle if self._ordinary is None else None

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Solve a step that the oracle does not refuse."""
        return self.oracle.maximize(self.model, potentials)

    def refusal(self, potentials: Sequence[Potential]) -> str | None:
        """Return why a step cannot be solved, and which oracles can solve it; None if it can."""
        from hedgehop.oracles.registry import explained_refusal
        from hedgehop.oracles.splitting import without_splits

        terms = without_splits(potentials)
        reason = self.oracle.refusal(self.model, terms)
        return None if reason is None else explained_refusal(self.oracle, reason, self.model, terms)

    def _unsplit(self, potentials: Sequence[Potential]) -> Step:
        reason = self.refusal(potentials)
        if reason is not None:
            raise UnsupportedError(reason)
        return self.maximize(potentials) if self._ordinary is None else self._ordinary.maximize(potentials)

    def _split(self, potentials: Sequence[Potential], apart: tuple[Sequence[Labels], int] | None = None) -> Step | None:
        """Solve by steps of fewer potentials if these say so; None if nothing is to be split."""
        from hedgehop.oracles.splitting import split_step, split_step_apart, splits

        if not splits(potentials):
            return None
        return split_step(self, potentials) if apart is None else split_step_apart(self, potentials, *apart)

    @cached_property
    def _ordinary(self) -> ConditionedSteps | RescaledSteps | None:
        """What solves the steps if scores are not of ordinary size; None if they are."""
        from hedgehop.oracles.conditioning import is_even, is_ordinary
        from hedgehop.oracles.narrowing import ConditionedSteps, RescaledSteps

        if is_ordinary(self.model):
            return None
        assert isinstance(self.model, UnaryModel)
        return (
            RescaledSteps(self.oracle, self.model) if is_even(self.model) else ConditionedSteps(self.oracle, self.model)
        )

    @cached_property
    def _apart(self) -> Separator:
        from hedgehop.oracles.separator import Separator

        return Separator(self)
