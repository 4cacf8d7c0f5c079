# SPDX-License-Identifier: BSD-3-Clause
"""Functions of counts of labels and kinds, on every structure (docs/theory.md 10).

The bound comes from multipliers. Labelings come from these, from biases on one code at a time, up until it is large
enough for its reward or down until it is too small for its cost, and from ascent: minorants are linear, so that
maximising them never loses.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop.models.base import Model
from hedgehop.models.unary import UnaryModel
from hedgehop.oracles.effort import effort
from hedgehop.oracles.folding import changed_unary, fold
from hedgehop.oracles.pool import Pool
from hedgehop.oracles.relaxation.ascent import CLIMB_ROUNDS, Ascent
from hedgehop.oracles.relaxation.linear_steps import SolveLinear
from hedgehop.oracles.relaxation.multipliers import break_even_losses, target_count
from hedgehop.oracles.relaxation.subgradient import CountMultipliers
from hedgehop.potentials import Potential
from hedgehop.potentials.count_functions import Threshold
from hedgehop.potentials.counts import CountFunction, LabelClasses, threshold

_CLIMBS_PER_ROUND = 4  # labelings to climb from in a round
_BIASES_PER_CODE = 6  # tried on one code
_STEPS_PER_ROUND = 3  # linear steps, against the rounds of multipliers, from which no new search begins


def unfit(model: Model, potential: Potential) -> str | None:
    """Return why the counts of a potential have no multipliers; None if they have."""
    if not isinstance(model, UnaryModel):
        return f"{type(model).__name__} has no scores of labels"
    counts = potential.counts(model)
    if counts is None or not all(isinstance(c.codes, LabelClasses) for c in counts):
        return "a potential is no sum of functions of counts of labels"
    forbids = [c for c in counts if not np.isfinite(c.function.at(c.function.bends(c.total))).all()]
    return "multipliers cannot forbid counts" if forbids else None


class CountSearch:
    """One step: a bound by multipliers, then biases and ascent; all by linear steps."""

    def __init__(self, pool: Pool, counts: Sequence[CountFunction], solve: SolveLinear) -> None:
        assert isinstance(pool.model, UnaryModel)
        self.pool, self.counts, self.solve = pool, counts, solve
        self.unary = changed_unary(pool.model, fold(pool.model, pool.others)[0])
        self.steps, self._stake = 0, pool.model.spread

    def run(self, rounds: int, changes: int) -> float:
        """Fill the pool, and return a bound."""
        self.solved(np.zeros(self.unary.shape))
        self.pool.refuse_empty()
        multipliers = CountMultipliers(self.counts, self.pool.top(1)[0], self.unary)
        bound, _ = multipliers.descend(
            lambda theta, _: self.solved(theta), lambda: self.pool.value, rounds, self._stake
        )
        ascent = Ascent(self.minorant, lambda theta, _: self.solved(theta)[0])
        before = -np.inf
        most = _STEPS_PER_ROUND * rounds
        while before < self.pool.value < bound and self.steps < most:  # the best labeling is new: push and climb
            if effort().suffices(self.pool.model, self.pool.relaxed, self.pool.value, bound):
                break
            before = self.pool.value
            self._push(changes, bound)
            for labeling in self.pool.top(_CLIMBS_PER_ROUND):
                ascent.climb(labeling, CLIMB_ROUNDS, lambda: self.pool.value >= bound)
        return bound

    def solved(self, theta: Doubles) -> tuple[Labels, float]:
        """Return the best labeling of a linear step, which the pool keeps, and its bound."""
        self.steps += 1
        step = self.solve(theta)
        return self.pool.take(step), step.upper_bound

    def _push(self, changes: int, bound: float) -> None:
        """Bias the codes, the most promising first, whose worth another number of carriers would change for good."""
        start = self.pool.top(1)[0]
        base = self.minorant(start)
        for _, count, first in self._changes(start)[:changes]:
            if self.pool.value >= bound:
                return
            self._bias(count, base, first)

    def _changes(self, labeling: Labels) -> list[tuple[float, CountFunction, float]]:
        """What each change of one count could bring at first sight, and with which bias; the most promising first."""
        found = []
        for count in self.counts:
            if isinstance(count.function, Threshold) and isinstance(count.codes, LabelClasses):
                needs = break_even_losses(count, labeling, count.codes.losses(self.unary, labeling))
                if needs.size and np.isfinite(needs[-1]):
                    found.append((abs(count.function.weight) - float(needs.sum()), count, float(needs[-1])))
        return sorted(found, key=lambda change: -change[0])

    def _bias(self, count: CountFunction, base: Doubles, first: float) -> None:
        """Try growing biases until the weight is earned, or no longer paid."""
        rises = threshold(count)
        reward, enough = rises.weight > 0, target_count(rises)
        bias = max(first, abs(rises.weight) / enough)
        carriers = count.counted(base.shape)
        for _ in range(_BIASES_PER_CODE):
            theta = base + np.where(carriers, bias if reward else -bias, 0.0)
            reached = count.count(count.codes.of(self.solved(theta)[0]))
            if (reached >= enough) == reward:
                return
            bias *= 2.0

    def minorant(self, labeling: Labels) -> Doubles:
        """Scores of labels that are, but for a constant, nowhere above the functions and equal to them at a labeling.

        Variables whose label is much better than their best other one vouch for a reward.
        """
        rows = np.arange(labeling.size)
        others = self.unary.copy()
        others[rows, labeling] = -np.inf
        return below(self.counts, labeling, self.unary[rows, labeling] - others.max(axis=1), self.unary.shape)


def below(counts: Sequence[CountFunction], labeling: Labels, margins: Doubles, shape: tuple[int, ...]) -> Doubles:
    """Scores of labels, (n, L), nowhere above the functions but for a constant, and equal to them at a labeling."""
    theta = np.zeros(shape)
    for count in counts:
        assert isinstance(count.codes, LabelClasses)
        carry = count.carries(count.codes.of(labeling))
        order = np.argsort(np.where(carry, -margins[count.members], np.inf), kind="stable")
        weights = np.ones(order.size) if count.weights is None else count.weights[order]
        bonus = count.function.minorant(weights, float(weights @ carry[order]))
        if bonus.any():
            codes = np.zeros((labeling.size, count.codes.width))
            codes[count.members[order], count.code] = bonus
            theta += count.codes.spread(codes)
    return theta
