# SPDX-License-Identifier: BSD-3-Clause
"""One greedy run in progress: what is chosen, what is proven, and the warm state of its oracle."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hedgehop._arrays import Labels, own
from hedgehop.diversity.base import Diversity
from hedgehop.models.base import Model
from hedgehop.oracles.base import Oracle, Solver, Step
from hedgehop.oracles.folding import reaches as reaches
from hedgehop.potentials import Constant, Potential


@dataclass
class Search:
    """Greedy selection, step by step. ``F(S) = sum r(y) + tradeoff * D(S)``.

    A step solves ``max_y r(y) + tradeoff * gain(y | S)`` without any constraint first: its upper bound U_t is
    what the certificate needs. Only if the answer is too close to an earlier one it solves again with
    constraints.
    """

    model: Model
    diversity: Diversity
    tradeoff: float
    oracle: Oracle
    min_distance: int = 0
    chosen: list[Labels] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    _next: Step | None = None
    _stacked: Labels | None = None  # what is chosen, as one array
    _single: Labels | None = None  # the single best labeling, once it is known
    given: Solver | None = None
    solver: Solver = field(init=False)

    def __post_init__(self) -> None:
        self.diversity.check(self.model)
        self.solver = self.given or self.oracle.on(self.model)

    def copy(self) -> Search:
        """Return a run that goes on from here and leaves this one as it is."""
        return replace(self, chosen=list(self.chosen), steps=list(self.steps), given=self.solver)

    def without(self, t: int) -> Search:
        """Return a run that has chosen all but one of the labelings."""
        others = self.copy()
        others.chosen.pop(t)
        others._next = others._stacked = None
        return others

    def restart(self) -> None:
        """Forget the list, not what the oracle has learned."""
        self.chosen, self.steps, self._next, self._stacked = [], [], None, None

    def peek(self) -> Step:
        """Return the best next step without constraints: its gain, and U_t in ``upper_bound``."""
        if self._next is None:
            steering = self._steering()
            step = self._solve(steering)
            if all(isinstance(p, Constant) for p in steering):
                self._single = step.labeling
            self._next = self._as_gain(step, *self._bound_of(step, steering))
        return self._next

    def advance(self) -> Step:
        """Choose the next labeling, far enough from the earlier ones."""
        step = self.peek()
        if self._too_close(step.labeling):
            start = time.perf_counter()
            apart = self._solve_apart(self._steering(), step)
            spent = step.seconds + time.perf_counter() - start
            step = replace(self._as_gain(apart, step.upper_bound), seconds=spent)
        return self.accept(step)

    def advance_distorted(self, weight: float) -> Step:
        """Choose the next labeling with the coverage weighted down (Harshaw et al. 2019), bounded undistorted.

        Parsimony belongs to each labeling alone and keeps its full weight:
        ``weight * (coverage + parsimony) + (1 - weight) * parsimony``.
        """
        bound = self.peek()
        parsimony = self._scaled(self.diversity.parsimony_potentials(self.model))
        potentials = [p.scaled(weight) for p in self._steering()] + [p.scaled(1.0 - weight) for p in parsimony]
        step = self._solve(potentials)
        if self._too_close(step.labeling):
            step = self._solve_apart(potentials, step)
        return self.accept(self._as_gain(step, bound.upper_bound, seconds=bound.seconds))

    def accept(self, step: Step) -> Step:
        """Append a step to the list."""
        self.chosen.append(step.labeling.reshape(-1))
        self.steps.append(step)
        self._next = self._stacked = None
        return step

    def replay(self, rows: Labels, oracles: Sequence[str]) -> None:
        """Choose the given labelings, whoever found them, with the gains and bounds they have in this order."""
        self.restart()
        for labeling, oracle in zip(rows, oracles, strict=True):
            bound = self.peek()
            if np.array_equal(labeling, bound.labeling.reshape(-1)):
                self.accept(replace(bound, oracle=oracle))
                continue
            shaped = own(labeling.reshape(self.model.shape).copy())
            relevance = float(np.asarray(self.model.score(shaped)))
            gain = relevance + self.tradeoff * float(self.diversity.gain(self.model, shaped, self.rows()))
            exact = reaches(self.model, gain, bound.upper_bound)
            self.accept(Step(shaped, gain, max(bound.upper_bound, gain), exact, oracle, bound.seconds, relevance))

    def rows(self) -> Labels:
        """Return the chosen labelings, (t, n)."""
        if self._stacked is None:
            self._stacked = own(np.array(self.chosen, np.int32).reshape(-1, self.model.n_variables))
        return self._stacked

    def objective(self, rows: Labels) -> float:
        """F of a list of labelings."""
        relevance = float(np.sum(self.model.score(rows))) if len(rows) else 0.0
        return relevance + self.tradeoff * self.diversity.value(self.model, rows)

    def objectives(self) -> list[float]:
        """F of the chosen list and of its beginnings, F(S^0) .. F(S^t)."""
        rows = self.rows()
        relevance = np.concatenate([[0.0], np.cumsum(self.model.score(rows) if len(rows) else [])])
        values: list[float] = (relevance + self.tradeoff * self.diversity.values(self.model, rows)).tolist()
        return values

    def best_apart(self) -> Step:
        """Return the best step given all chosen labelings, constraints included: what refinement asks for."""
        step = self.peek()
        return self._solve_apart(self._steering(), step) if self._too_close(step.labeling) else step

    def list_bound(self, m: int) -> float:
        """Return B1: no list of m labelings has a larger F (docs/theory.md 5)."""
        offset = self.diversity.offset(self.model, self.rows(), m) if self.tradeoff > 0 else 0.0
        return self.tradeoff * offset + m * self.peek().upper_bound

    def baseline(self, solve_if_unknown: bool = True) -> float:
        """F of the single best labeling repeated as often as the list is long; nan if that is not known."""
        if self._single is None:
            if not solve_if_unknown:
                return np.nan
            self._single = self._solve(()).labeling
        return self.objective(np.repeat(self._single.reshape(1, -1), len(self.chosen), axis=0))

    def _steering(self) -> list[Potential]:
        return self._scaled(self.diversity.potentials(self.model, self.rows()))

    def _scaled(self, potentials: Sequence[Potential]) -> list[Potential]:
        """Potentials times the tradeoff; nothing at all if the tradeoff is 0."""
        return [p.scaled(self.tradeoff) for p in potentials] if self.tradeoff > 0 else []

    def _solve(self, potentials: Sequence[Potential]) -> Step:
        return self.solver.step(potentials)

    def _bound_of(self, step: Step, steering: list[Potential]) -> tuple[float, float]:
        """Return U_t and the seconds it took: none, unless the step maximised something else than the gain."""
        if self.diversity.steers_exactly:
            return step.upper_bound, 0.0
        bounding = self._scaled(self.diversity.bounding(self.model, self.rows()))
        if bounding == steering:
            return step.upper_bound, 0.0
        other = self._solve(bounding)
        return other.upper_bound, other.seconds

    def _as_gain(self, step: Step, bound: float, seconds: float = 0.0) -> Step:
        """Return the step with what it adds to F as its value; exact if that is proven to be the most."""
        gain = float(self.diversity.gain(self.model, step.labeling, self.rows()))
        value = step.relevance + self.tradeoff * gain
        steered = abs(value - step.value) <= 1e-7 * max(1.0, abs(value))  # by the gain itself
        return replace(
            step,
            value=value,
            upper_bound=max(bound, value),
            exact=(step.exact and steered) or reaches(self.model, value, bound),
            seconds=step.seconds + seconds,
        )

    def _too_close(self, labeling: Labels) -> bool:
        if self.min_distance == 0 or not self.chosen:
            return False
        flat = labeling.reshape(-1)
        return min(int((flat != y).sum()) for y in self.chosen) < self.min_distance

    def _solve_apart(self, potentials: Sequence[Potential], too_close: Step) -> Step:
        nearest = too_close if self.diversity.steers_exactly else None
        return self.solver.step_apart(potentials, self.chosen, self.min_distance, nearest)


def check_arguments(model: Any, diversity: Any) -> None:
    """Refuse what is no model or no diversity."""
    if not isinstance(model, Model):
        raise TypeError(f"model must be a model such as hh.Grid(scores); got {type(model).__name__}.")
    if not isinstance(diversity, Diversity):
        raise TypeError(f"diversity must be a Diversity such as hh.HammingBall(gamma=0.01); got {diversity!r}.")
