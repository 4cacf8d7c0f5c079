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

_VISITS, _ROUNDS = VISITED_SCORES // 20, 2  # of annealing


class SearchingSolver(Solver):
    """Keeps the labeling of the first step: later ones search without annealing, then anneal from the best known."""

    anneals = True
    _first: Labels | None = None

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Solve the first step with care; search less in later ones, and not at all if no bound is asked for."""
        model, first = self.model, self._first
        if not isinstance(model, PairwiseModel) or nonlinear(potentials) or self._is_small:
            return self.oracle.maximize(model, potentials)
        if first is None:
            step = self.oracle.maximize(model, potentials)
            self._first = np.ascontiguousarray(step.labeling.reshape(-1), np.int32)
            return step
        bound = loosest_bound(model, potentials)
        near = self.oracle.step(model, self._near(potentials, first), potentials, bound)
        if near.value > -np.inf and not effort().needs_bounds:
            return near
        try:
            step = better(model, self.later(potentials), near)
        except TimeoutError:
            if near.value == -np.inf:
                raise
            step = near
        if step.exact or effort().seconds == 0.0:
            return step
        return better(model, step, self.oracle.step(model, self._near(potentials, step.labeling), potentials, bound))

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

    def _near(self, potentials: Sequence[Potential], labeling: Labels) -> Labels:
        """Anneal from a labeling."""
        assert isinstance(self.model, PairwiseModel)
        theta, _, _ = fold(self.model, potentials)
        flat = np.ascontiguousarray(labeling.reshape(-1), np.int32)
        return annealed(self.model, theta, flat, _ROUNDS, _VISITS) if self.anneals else flat
