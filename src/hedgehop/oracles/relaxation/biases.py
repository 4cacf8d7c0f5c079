# SPDX-License-Identifier: BSD-3-Clause
"""Weights of used labels and kinds, with sizes, on every structure: biases make each step a linear one.

The bound comes from multipliers (docs/theory.md 10), solved by the structure's own oracle. Labelings come from these,
from biases on one code at a time, up until it is large enough for its reward or down until it is too small for its
cost, and from ascent: minorants are linear, so maximising them never loses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels
from hedgehop._errors import InfeasibleError
from hedgehop.models.base import Model
from hedgehop.models.unary import UnaryModel
from hedgehop.oracles.base import Oracle, Step
from hedgehop.oracles.folding import changed_unary, fold
from hedgehop.oracles.relaxation.coding import Coding, codings
from hedgehop.oracles.relaxation.dual import descend
from hedgehop.oracles.relaxation.multipliers import Multipliers
from hedgehop.oracles.relaxation.nested import Met, Nested, NestedSolver, Solve
from hedgehop.oracles.relaxation.ramps import Ramp
from hedgehop.potentials import KindWeights, LabelWeights, Potential

_KEPT = 20  # labelings carried to the next step
_CLIMBS = 4
_ROUNDS = 10  # of one climb
_TRIES = 6  # of one bias


class Biases(Nested):
    """Multipliers for a bound, biases on single labels, then ascent; all by linear steps.

    Parameters
    ----------
    rounds : int
        How often the multipliers of the bound are improved, a linear step each.
    changes : int
        How many labels or kinds to push over the size at which their weight sets in, or below it.
    inner : Oracle, optional
        Who solves the linear steps, and those with further potentials; if none is given, the one that "auto" would
        choose.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> pairs = hh.Matching(np.random.default_rng(0).normal(size=(5, 5)))
    >>> reward = hh.potentials.KindWeights(np.eye(5, dtype=int), [0.0, 3.0])
    >>> step = hh.best(pairs, reward, oracle=hh.oracles.Biases())
    >>> step.value <= step.upper_bound
    True
    """

    name = "biases"
    summary = (
        "weights of used labels and kinds, of any sign and size, on any model that has a linear oracle; with a bound"
    )
    outer = (LabelWeights, KindWeights)

    def __init__(self, rounds: int = 20, changes: int = 6, inner: Oracle | None = None) -> None:
        super().__init__(inner)
        self.rounds = _arrays.positive_count(rounds, "rounds")
        self.changes = _arrays.positive_count(changes, "changes")

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse where no label has a weight, and what the linear oracle refuses."""
        weights, others = self.split(potentials)
        if not weights:
            return "no potential depends on which labels are used; a linear oracle does better"
        if not isinstance(model, UnaryModel):
            return f"{type(model).__name__} has no scores of labels"
        reason = self.inner_refusal(model, others)
        if reason is None and self.inner is None and self.linear_oracle(model, others).name == "ilp":
            return "its linear steps need integer programs: one for the whole step does better"
        return reason

    def on(self, model: Model) -> BiasesSolver:
        """Return a solver that keeps labelings met."""
        return BiasesSolver(self, model)


class BiasesSolver(NestedSolver):
    """Keeps labelings met."""

    oracle: Biases

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Bound by multipliers, push single labels over their sizes, climb."""
        model = self.model
        assert isinstance(model, UnaryModel)
        weights, others = self.oracle.split(potentials)
        name, solve = self.linear_steps(others)
        search = _Search(model, potentials, others, codings(model, weights), solve)
        search.add(() if self._kept is None else self._kept)
        search.solved(search.none())
        if max(search.values) == -np.inf:
            raise InfeasibleError(f'oracle "{name}" found no allowed labeling; if there is one, "ilp" finds it.')
        bound, _ = descend(search, lambda: max(search.values), self.oracle.rounds)
        before = -np.inf
        while before < max(search.values) < bound:  # the best labeling is new: push and climb from there
            before = max(search.values)
            search.push(self.oracle.changes, bound)
            for y in search.best(_CLIMBS):
                search.climb(y, bound)
        self._kept = np.array(search.best(_KEPT))
        return self.oracle.step(model, search.best(1)[0], potentials, bound)


class _Search(Met):
    """Labelings met in one step, and the multipliers of all weights."""

    def __init__(
        self,
        model: UnaryModel,
        potentials: Sequence[Potential],
        others: Sequence[Potential],
        coded: Sequence[Coding],
        solve: Solve,
    ) -> None:
        super().__init__(model, potentials, solve)
        self.unary, self.coded = changed_unary(model, fold(model, others)[0]), coded
        self._multipliers: list[Multipliers] | None = None

    @property
    def multipliers(self) -> list[Multipliers]:
        """Multipliers of each coding, begun at the best labeling known."""
        if self._multipliers is None:
            y = self.best(1)[0]
            self._multipliers = [Multipliers(c.ramps, c.codes(y), c.gaps(self.unary, y)) for c in self.coded]
        return self._multipliers

    def evaluate(self) -> tuple[Labels, float]:
        """Return the best labeling of the present multipliers, and the bound they give."""
        scores = [c.spread(m.scores()) for c, m in zip(self.coded, self.multipliers, strict=True)]
        step = self.solved(np.asarray(sum(scores, self.none())))
        rest = sum(m.rest() for m in self.multipliers)
        return np.ascontiguousarray(step.labeling.reshape(-1)), step.upper_bound + rest

    def improve(self, labeling: Labels, length: float) -> bool:
        """Step against the subgradient; False where it vanishes."""
        parts = list(zip(self.coded, self.multipliers, strict=True))
        norm = sum(m.slope(c.codes(labeling)) for c, m in parts)
        for _, m in parts if norm else ():
            m.step(length / norm)
        return norm > 0

    def climb(self, labeling: Labels, bound: float) -> None:
        """Maximise the minorant at a labeling, then at the one found, while that helps."""
        value = -np.inf
        for _ in range(_ROUNDS):
            step = self.solved(self._minorant(labeling))
            if self.values[-1] <= value or max(self.values) >= bound:
                return
            labeling, value = np.ascontiguousarray(step.labeling.reshape(-1)), self.values[-1]

    def push(self, count: int, bound: float) -> None:
        """Bias the codes, the most promising first, whose weight another number of carriers would change for good."""
        start = self.best(1)[0]
        base = self._minorant(start)
        for _, coding, ramp, first in self._changes(start)[:count]:
            if max(self.values) >= bound:
                return
            self._bias(coding, ramp, base, first)

    def _changes(self, labeling: Labels) -> list[tuple[float, Coding, Ramp, float]]:
        """What each change of one ramp could bring at first sight, and with which bias; the most promising first."""
        found = []
        for coding in self.coded:
            codes, gaps = coding.codes(labeling), coding.gaps(self.unary, labeling)
            for ramp in coding.ramps:
                asked = _asked(ramp, codes == ramp.code, gaps)
                if asked.size and np.isfinite(asked[-1]):
                    found.append((abs(ramp.weight) - float(asked.sum()), coding, ramp, float(asked[-1])))
        return sorted(found, key=lambda change: -change[0])

    def _bias(self, coding: Coding, ramp: Ramp, base: Doubles, first: float) -> None:
        """Try growing biases until the weight is earned, or no longer paid."""
        up = ramp.weight > 0
        bias = max(first, abs(ramp.weight) / (ramp.start + 1), 1e-3)
        for _ in range(_TRIES):
            theta = base + np.where(coding.carriers[ramp.code], bias if up else -bias, 0.0)
            codes = coding.codes(self.solved(theta).labeling.reshape(-1))
            if ((codes == ramp.code).sum() > ramp.start) == up:
                return
            bias *= 2.0

    def _minorant(self, labeling: Labels) -> Doubles:
        margins = self._margins(labeling)
        below = [c.spread(c.minorant(c.codes(labeling), margins)) for c in self.coded]
        return np.asarray(sum(below, self.none()))

    def _margins(self, labeling: Labels) -> Doubles:
        """How much better each variable's label is than its best other one; infinite without another."""
        rows = np.arange(labeling.size)
        others = self.unary.copy()
        others[rows, labeling] = -np.inf
        return np.asarray(self.unary[rows, labeling] - others.max(axis=1))


def _asked(ramp: Ramp, carry: Any, gaps: Doubles) -> Doubles:
    """What the cheapest variables ask for, in rising order, to earn a reward or to be rid of a cost; none if so."""
    missing = ramp.start + 1 - int(carry.sum())
    if ramp.weight > 0:
        return np.sort(gaps[~carry, ramp.code])[: max(0, missing)]
    other = np.delete(gaps[carry], ramp.code, axis=1).min(axis=1, initial=np.inf)
    return np.sort(other)[: max(0, 1 - missing)]
