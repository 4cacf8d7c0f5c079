# SPDX-License-Identifier: BSD-3-Clause
"""Steps solved again on narrower scores: what a good labeling rules out need not be distinguished (docs/theory.md 12).

With the best score of every variable, pair and clique at 0, a labeling is worth no more than its lowest score. So if
one is known that loses `loss` in all, and potentials differ by `reach` at most, no best labeling has a score below
``-(loss + reach)``, and all scores below may be raised to that. Huge strengths, unaries and penalties shrink to what
they can decide, and solvers keep their digits for what they cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, ldexp

import numpy as np

from hedgehop._arrays import Labels
from hedgehop.models.unary import UnaryModel
from hedgehop.oracles.base import Oracle, Step
from hedgehop.oracles.conditioning import conditioned, largest_score, rescaled, typical_exponent
from hedgehop.oracles.exactness import meets
from hedgehop.oracles.folding import fold
from hedgehop.potentials.base import Potential, worth

_NARROWINGS = 4
_LEAST_NARROWING = 4.0  # how much lower the largest score must become for another round
_DOUBTFUL_NARROWING = 2.0**20  # the same of a step that is called exact: against such scores, anything is


@dataclass(frozen=True)
class ScaledStep:
    """A step in other units: scores of at most 0, ``2^exponent`` times differences of the original ones."""

    model: UnaryModel
    potentials: Sequence[Potential]
    exponent: int

    def scores(self, labeling: Labels) -> tuple[float, float]:
        """Score of a labeling without the potentials and with them, in the original's units but for a constant."""
        alone, total = worth(self.model, self.potentials, labeling)
        return ldexp(alone, -self.exponent), ldexp(total, -self.exponent)

    def met(self, value: float, bound: float) -> bool:
        """Whether a value and a bound in the original's units meet."""
        return meets(self.model, ldexp(value, self.exponent), ldexp(bound, self.exponent), self.potentials)


@dataclass(frozen=True)
class Incumbent:
    """What is known of a step: the best labeling, its score and a bound, in the original's units but for a constant."""

    labeling: Labels
    value: float
    bound: float
    exact: bool
    oracle: str


class Narrowing:
    """Solves one step of a model on narrower and narrower scores.

    Parameters
    ----------
    exponent
        Of the factor of all scores, given the largest of them.
    """

    def __init__(self, model: UnaryModel, potentials: Sequence[Potential], exponent: Callable[[float], int]) -> None:
        self._model, self._exponent = model, exponent
        self._theta, _, self._rest = fold(model, potentials)
        self._reach = float(sum(p.reach() for p in self._rest))
        plain = conditioned(model, self._theta, -inf, 0)
        self.largest = largest_score(plain)
        self.plain = self._problem(-inf, self.largest)

    def solved(self, solve: Callable[[ScaledStep], Step | None], found: Incumbent | None = None) -> Incumbent | None:
        """Solve, beginning with what is found already, until value and bound meet or nothing narrows."""
        largest = self.largest
        for _ in range(_NARROWINGS):
            least = -inf
            if found is not None:
                lowest = 1.001 * (self._reach - self.plain.scores(found.labeling)[0])
                if not 0.0 < (_DOUBTFUL_NARROWING if found.exact else _LEAST_NARROWING) * lowest < largest:
                    break
                least, largest = -lowest, lowest
            problem = self._problem(least, largest)
            step = solve(problem)
            if step is None:
                break
            found = self._better(found, step, problem)
        return found

    def _incumbent(self, step: Step, problem: ScaledStep) -> Incumbent:
        """Say what a step on a problem means for the original."""
        value, bound = self.plain.scores(step.labeling)[1], ldexp(step.upper_bound, -problem.exponent)
        bound = bound if self._rest else min(bound, 0.0)  # no score is above 0
        untouched = value == problem.scores(step.labeling)[1]  # else what was raised is in it
        exact = (step.exact and untouched) or self.plain.met(value, bound)
        return Incumbent(step.labeling, value, max(value, bound), exact, step.oracle)

    def _better(self, before: Incumbent | None, step: Step, problem: ScaledStep) -> Incumbent:
        after = self._incumbent(step, problem)
        if before is None:
            return after
        best, bound = max(after, before, key=lambda f: f.value), min(after.bound, before.bound)
        bound = max(bound, best.value)
        return Incumbent(best.labeling, best.value, bound, best.exact or self.plain.met(best.value, bound), best.oracle)

    def _problem(self, least: float, largest: float) -> ScaledStep:
        exponent = self._exponent(largest)
        factor = ldexp(1.0, exponent)
        scores = conditioned(self._model, self._theta, least, exponent)
        return ScaledStep(scores, [p.scaled(factor) for p in self._rest], exponent)


class RescaledSteps:
    """Solves the steps of a model in which only the unit of all scores is unusual."""

    def __init__(self, oracle: Oracle, model: UnaryModel) -> None:
        self._oracle, self._model, self._exponent = oracle, model, typical_exponent(model)
        self.solver = oracle.on(rescaled(model, self._exponent))

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Solve in ordinary units: powers of two cost no digits."""
        factor = ldexp(1.0, self._exponent)
        step = self.solver.maximize([p.scaled(factor) for p in potentials])
        bound = float(np.ldexp(step.upper_bound, -self._exponent))
        again = self._oracle.step(self._model, step.labeling, potentials, bound)
        return replace(again, exact=step.exact, oracle=step.oracle)


class ConditionedSteps:
    """Solves the steps of a model whose scores are not of ordinary size on one whose scores are."""

    def __init__(self, oracle: Oracle, model: UnaryModel) -> None:
        self._oracle, self._model = oracle, model
        self._exponent = typical_exponent(conditioned(model, None, -inf, 0))
        self.solver = oracle.on(conditioned(model, None, -inf, self._exponent))

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Solve with the solver that is kept from step to step; where a gap is left, on narrower scores."""
        factor = ldexp(1.0, self._exponent)
        step = self.solver.maximize([p.scaled(factor) for p in potentials])
        if step.value == -inf:
            return step
        gap = ldexp(step.upper_bound - step.value, -self._exponent)
        if step.exact or not all(isfinite(p.span()) for p in fold(self._model, potentials)[2]):
            return restated(self._oracle, self._model, potentials, step.labeling, gap, step.exact, step.oracle)
        narrowing = Narrowing(self._model, potentials, lambda _: self._exponent)
        value = narrowing.plain.scores(step.labeling)[1]
        first = Incumbent(step.labeling, value, value + gap, False, step.oracle)
        found = narrowing.solved(self._again, first) or first
        gap = found.bound - found.value
        return restated(self._oracle, self._model, potentials, found.labeling, gap, found.exact, found.oracle)

    def _again(self, problem: ScaledStep) -> Step | None:
        if self._oracle.refusal(problem.model, problem.potentials) is not None:
            return None
        return self._oracle.on(problem.model).maximize(problem.potentials)


def restated(
    oracle: Oracle, model: UnaryModel, potentials: Sequence[Potential], labeling: Labels, gap: float, exact: bool,
    name: str,
) -> Step:  # fmt: skip
    """Return a step of the original model, given the gap that is left on another one."""
    step = oracle.step(model, labeling, potentials, inf)
    return replace(step, upper_bound=step.value + gap, exact=exact, oracle=name)
