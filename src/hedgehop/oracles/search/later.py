# SPDX-License-Identifier: BSD-3-Clause
"""Steps after the first one, of oracles that search: they begin with its labeling, and take a fraction of its time.

A list takes dozens of steps on nearly the same scores. What annealing finds near the first labeling is as good.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from hedgehop._arrays import Labels
from hedgehop.models import PairwiseModel
from hedgehop.oracles.base import Solver, Step, better
from hedgehop.oracles.effort import effort
from hedgehop.oracles.exact.elimination import loosest_bound
from hedgehop.oracles.folding import fold, nonlinear
from hedgehop.oracles.program.size import is_small
from hedgehop.oracles.search.annealing import VISITED_SCORES, annealed
from hedgehop.potentials import Potential

_NEAR_VISITS, _NEAR_ROUNDS = VISITED_SCORES // 20, 2  # of annealing


class SearchingSolver(Solver):
    """Keeps the labeling of the first step: later ones search without annealing, then anneal from the best known."""

    anneals = True
    _first: Labels | None = None

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Solve the first step with care; search less in later ones."""
        model = self.model
        if not isinstance(model, PairwiseModel) or nonlinear(potentials) or self._is_small:
            return self.oracle.maximize(model, potentials)
        if self._first is None:
            step = self.oracle.maximize(model, potentials)
            self._first = np.ascontiguousarray(step.labeling.reshape(-1), np.int32)
            return step
        bound = loosest_bound(model, potentials)
        step = self.oracle.step(model, self._first, potentials, bound)
        try:
            step = better(model, self.later(potentials), step)
        except TimeoutError:
            if step.value == -np.inf:
                raise
        if step.exact or not self.anneals or effort().seconds == 0.0:
            return step
        flat, (theta, _, _) = np.ascontiguousarray(step.labeling.reshape(-1), np.int32), fold(model, potentials)
        found = annealed(model, theta, flat, _NEAR_ROUNDS, _NEAR_VISITS if effort().needs_bounds else _NEAR_VISITS // 4)
        return better(model, step, self.oracle.step(model, found, potentials, bound))

    def later(self, potentials: Sequence[Potential]) -> Step:
        """Solve a step after the first one, without annealing."""
        raise NotImplementedError

    def for_bounds(self) -> SearchingSolver:
        """Return one that does not anneal: that finds labelings, and no bound."""
        other = type(self)(self.oracle, self.model)
        other.anneals, other._first = False, self._first
        return other

    @cached_property
    def _is_small(self) -> bool:
        """Whether searches are so short that nothing is saved."""
        return is_small(self.model)
