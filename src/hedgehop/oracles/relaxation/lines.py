# SPDX-License-Identifier: BSD-3-Clause
"""Potentials with linear functions above and below them, such as agreements with samples (docs/theory.md 9).

One linear step with the functions above gives a bound. Those below are tight at a labeling, so that maximising them is
ascent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop.models import Model, UnaryModel
from hedgehop.oracles.folding import changed_unary, fold
from hedgehop.oracles.pool import Pool
from hedgehop.oracles.relaxation.ascent import CLIMB_ROUNDS, Ascent
from hedgehop.oracles.relaxation.linear_steps import SolveLinear
from hedgehop.potentials import Lines, Potential


def unfit(model: Model, potential: Potential) -> str | None:
    """Return why a potential has no such functions; None if it has."""
    if potential.lines(model) is not None:
        return None
    kind = type(potential).__name__
    return f"{kind} does not say what lies above and below it; agreement must be rewarded, not punished"


class LineSearch:
    """One step: a bound by functions above, then climbs from the best labelings known."""

    def __init__(self, pool: Pool, lines: Sequence[Lines], solve: SolveLinear) -> None:
        self.pool, self.lines, self.solve = pool, lines, solve

    def run(self, starts: int) -> float:
        """Fill the pool, and return a bound."""
        bound = self._bound()
        for lines in self.lines:
            self.pool.add(lines.candidates)
        ascent, climbs = Ascent(self._below, lambda theta, _: self.pool.take(self.solve(theta))), 0
        for labeling in self.pool.top(2 * starts):
            if climbs == starts:
                break
            climbs += ascent.climb(labeling, CLIMB_ROUNDS, lambda: self.pool.value >= bound) > 0
        return bound

    def _bound(self) -> float:
        """Maximise the functions above; keep the labeling."""
        allowed = _allowed(self.pool.model, self.pool.others)
        above = [lines.above(allowed) for lines in self.lines]
        step = self.solve(np.sum([theta for theta, _ in above], axis=0))
        self.pool.take(step)
        return step.upper_bound + sum(constant for _, constant in above)

    def _below(self, labeling: Labels) -> Doubles:
        return np.asarray(np.sum([lines.below(labeling) for lines in self.lines], axis=0))


def _allowed(model: Model, others: Sequence[Potential]) -> NDArray[np.bool_]:
    """Which labels are not forbidden, (n, L)."""
    if isinstance(model, UnaryModel):
        return np.isfinite(changed_unary(model, fold(model, others)[0]))
    return np.arange(int(model.label_counts.max())) < model.label_counts[:, None]
