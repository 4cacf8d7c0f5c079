# SPDX-License-Identifier: BSD-3-Clause
"""Lagrangian relaxation: lines above functions of counts make a step linear, on any structure (docs/theory.md 6)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from hedgehop import _arrays, _core
from hedgehop._arrays import Labels
from hedgehop.models.base import Model
from hedgehop.oracles.base import Oracle, Step
from hedgehop.oracles.pool import Kept, Pool
from hedgehop.oracles.relaxation import counts, distance_terms, lines
from hedgehop.oracles.relaxation.bundle import Bundle
from hedgehop.oracles.relaxation.counts import CountSearch
from hedgehop.oracles.relaxation.distance_terms import DistanceTerms
from hedgehop.oracles.relaxation.distances import DistanceSearch, steepness
from hedgehop.oracles.relaxation.linear_steps import LinearStepsOracle, LinearStepsSolver
from hedgehop.oracles.relaxation.lines import LineSearch
from hedgehop.oracles.relaxation.local_search import LocalSearch, expander_of, moves_of
from hedgehop.potentials import Potential

_KEPT_FOR_NEXT = 40  # labelings carried to the next step
# The first family present is relaxed, if no potential is unfit for it; the inner oracle sees the others.
_FAMILIES = {"distances": distance_terms.unfit, "lines": lines.unfit, "counts": counts.unfit}


class Lagrangian(LinearStepsOracle):
    """Bounds by lines above what is not linear, one linear step each; then ascent from the labelings found so far.

    Distances have slopes, chosen by a bundle of the labelings found so far. Used labels, kinds and regions have
    multipliers, improved by subgradient steps. Agreements with samples have chords.

    Parameters
    ----------
    calls : int, optional
        How many linear steps to spend on the bound at most: 10 for distances and 20 for counts unless given.
    tolerance : float
        For distances: gap, as a share of what the potentials can add, at which to stop.
    starts : int, optional
        From how many labelings to climb, or how many counts to push beyond the size at which their weight applies: 8
        for samples and 6 for counts unless given.
    inner : Oracle, optional
        Which oracle solves the linear steps, and those with further potentials; by default the choice of "auto".

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> image = hh.Grid(np.random.default_rng(0).normal(size=(8, 8, 2)), smoothness=0.3)
    >>> found = hh.diverse(image, hh.HammingBall(gamma=0.1), m=3, tradeoff=9.0, oracle=hh.oracles.Lagrangian(calls=20))
    >>> found.objective <= found.upper_bound
    True
    """

    name = "lagrangian"
    summary = "functions of distances, of counts and of agreements on any model that has a linear oracle; with a bound"

    def __init__(
        self, calls: int | None = None, tolerance: float = 5e-4, starts: int | None = None, inner: Oracle | None = None
    ) -> None:
        super().__init__(inner)
        self.calls = None if calls is None else _arrays.positive_count(calls, "calls")
        self.tolerance = _arrays.number(tolerance, "tolerance", low=0.0)
        self.starts = None if starts is None else _arrays.positive_count(starts, "starts")

    def split(self, potentials: Sequence[Potential]) -> tuple[list[Potential], list[Potential]]:
        """Potentials of the first family present, and the others."""
        family = self.family(potentials)
        relaxed = [p for p in potentials if family and p.relaxed_as == family]
        return relaxed, [p for p in potentials if not family or p.relaxed_as != family]

    def family(self, potentials: Sequence[Potential]) -> str | None:
        """What is relaxed."""
        present = {p.relaxed_as for p in potentials}
        return next((family for family in _FAMILIES if family in present), None)

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse if there is nothing to relax, and what the linear oracle refuses."""
        relaxed, others = self.split(potentials)
        family = self.family(potentials)
        if family is None:
            return "no potential is a function of distances, counts or samples; a linear oracle does better"
        reason = next((r for p in relaxed if (r := _FAMILIES[family](model, p)) is not None), None)
        return reason or self.inner_refusal(model, others) or self._better_whole(model, others, family)

    def _better_whole(self, model: Model, others: Sequence[Potential], family: str) -> str | None:
        if family == "counts" and self.inner is None and self.linear_oracle(model, others).name == "ilp":
            return "its linear steps need integer programs: one for the whole step does better"
        return None

    def on(self, model: Model) -> LagrangianSolver:
        """Return a solver that keeps the labelings found so far."""
        return LagrangianSolver(self, model)


class LagrangianSolver(LinearStepsSolver):
    """Keeps the labelings found so far, and the kernels of local searches."""

    oracle: Lagrangian

    def __init__(self, oracle: Lagrangian, model: Model) -> None:
        super().__init__(oracle, model)
        self._kept: Kept | None = None

    @property
    def labelings(self) -> Labels:
        """The best labelings found so far, (k, n)."""
        return np.zeros((0, self.model.n_variables), np.int32) if self._kept is None else self._kept[0]

    @cached_property
    def _moves(self) -> _core.local.DistanceMoves | None:
        return moves_of(self.model)

    @cached_property
    def _expander(self) -> _core.moves.Moves | None:
        return expander_of(self.model)

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Bound, then climb, in the way of the family that is relaxed."""
        relaxed, others = self.oracle.split(potentials)
        family = self.oracle.family(potentials)
        run = {"distances": self._distances, "lines": self._lines, "counts": self._counts}[family or "counts"]
        pool, bound = run(relaxed, others)
        pool.refuse_empty()
        self._kept = pool.kept(_KEPT_FOR_NEXT)
        return self.oracle.step(self.model, pool.labelings[pool.best], potentials, bound)

    def _distances(self, relaxed: list[Potential], others: list[Potential]) -> tuple[Pool, float]:
        terms = DistanceTerms(relaxed, steepness(self.model, [*others, *relaxed]))
        solve = self.linear_steps(others, quick=terms.only_limits > 0)
        bundle = Bundle(self.model, others, relaxed, terms, solve)
        self._recall(bundle)
        search = DistanceSearch(bundle, LocalSearch(bundle, self._moves, self._expander))
        return bundle, search.run(self.oracle.calls or 10, self.oracle.tolerance)

    def _lines(self, relaxed: list[Potential], others: list[Potential]) -> tuple[Pool, float]:
        pool = self._recall(Pool(self.model, others, relaxed))
        above = [found for p in relaxed if (found := p.lines(self.model)) is not None]
        return pool, LineSearch(pool, above, self.linear_steps(others)).run(self.oracle.starts or 8)

    def _counts(self, relaxed: list[Potential], others: list[Potential]) -> tuple[Pool, float]:
        pool = self._recall(Pool(self.model, others, relaxed))
        every = [count for p in relaxed for count in p.counts(self.model) or ()]
        search = CountSearch(pool, every, self.linear_steps(others))
        return pool, search.run(self.oracle.calls or 20, self.oracle.starts or 6)

    def _recall(self, pool: Pool) -> Pool:
        """Take in what earlier steps found."""
        if self._kept is not None:
            pool.add(*self._kept)
        return pool
