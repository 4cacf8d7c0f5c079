# SPDX-License-Identifier: BSD-3-Clause
"""A list that was found, and how it goes on: to better bounds, better lists and longer ones."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hedgehop._errors import Interrupted
from hedgehop._progress import tell
from hedgehop.diversity import Diversity
from hedgehop.lists.certificate import certified
from hedgehop.lists.methods.greedy import Greedy, GreedyRun
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.bounds import Bound
from hedgehop.lists.proofs.claims import Claims
from hedgehop.lists.proofs.search import Search
from hedgehop.lists.proofs.verification import objective_of
from hedgehop.lists.result import DiverseList, as_list
from hedgehop.lists.separation import Separation
from hedgehop.lists.state import ListState
from hedgehop.lists.uncertainty import ListOnModel
from hedgehop.models.base import Model
from hedgehop.oracles.base import Solver, Step
from hedgehop.oracles.registry import OracleLike, get


def continuation_of(greedy: Greedy, state: ListState, method: str, run: GreedyRun | None = None) -> Continuation:
    """Return a list and how it goes on; with a run, to longer ones."""
    return Continuation(greedy, Search(greedy, state.rows), state, method, run)


@dataclass(frozen=True)
class Continuation:
    """A list, and how it goes on."""

    greedy: Greedy
    search: Search
    state: ListState
    method: str
    run: GreedyRun | None

    @property
    def found(self) -> DiverseList:
        """The list with all that is known now."""
        state, objective = self.search.certified(self.state), self.greedy.objective
        more = self.more if self.run is not None else None
        proven = certified(objective, state, self.greedy.separation.distance)
        return as_list(objective, state, proven, self.method, _more=more, _improver=self)

    def certify(self, calls: int, progress: bool) -> DiverseList:
        """Return the same list with a better bound."""
        try:
            self.search.certify(self.state, calls, tell if progress else None)
        except KeyboardInterrupt:
            raise Interrupted(self.found) from None
        return self.found

    def improve(self, calls: int, progress: bool) -> DiverseList:
        """Return a list with a larger F, or the same one."""
        try:
            better = self.search.improve(self.state, calls, tell if progress else None)
        except KeyboardInterrupt:
            raise Interrupted(self._improved(self.search.best_so_far(self.state))) from None
        return self._improved(better)

    def _improved(self, better: ListState) -> DiverseList:
        """Return a better list, which cannot become longer, or this one."""
        if better is self.state:
            return self.found
        method = self.method if self.method.endswith("improved") else f"{self.method}, improved"
        return replace(self, state=better, method=method, run=None).found

    def more(self, k: int) -> DiverseList:
        """Go on from the labelings of a run."""
        assert self.run is not None
        m = len(self.state)
        was_asked = any(bound.proof.calls for bound in self.state.bounds)  # before it was saved
        asked = self.search.asked or was_asked
        try:
            state = self.run.beginning(m + k, ahead=asked or self.state.next is not None)
        except KeyboardInterrupt:
            raise Interrupted(self._so_far(m + k)) from None
        if len(state) < m + k:
            warnings.warn(fewer(len(state) - m, k), stacklevel=3)
        method = "greedy" if self.method == "interrupted" else self.method
        longer = continuation_of(self.greedy, state, method, self.run)
        return longer.certify(len(state), False) if asked else longer.found

    def _so_far(self, m: int) -> DiverseList:
        """Return the first m labelings of the run, or those found until now; nothing is solved."""
        assert self.run is not None
        state = self.run.so_far(m)
        return continuation_of(self.greedy, state, "interrupted", self.run).found


def resumed(found: DiverseList, model: Model, diversity: Diversity | None, oracle: OracleLike) -> DiverseList:
    """Return a list from a file that goes on as one that was just found; refuse another model or diversity.

    Scores, gains and F are compared at once; bounds are believed, as they are without a model.
    """
    if found.sources or found.indices is not None:
        raise ValueError(f"model cannot be given for this list ({found.method}): only lists of hh.diverse go on.")
    objective, solver = objective_of(found, model, diversity), get(oracle).on(model)
    rows = np.ascontiguousarray(found.labelings.reshape(len(found), -1), np.int32)
    Claims(found, objective, solver, rows).check_values()
    rest = ResumedContinuation(found, objective, solver)
    return replace(
        found,
        _improver=rest,
        _more=rest.more if rest.is_greedy else None,
        _view=ListOnModel.plain(found.labelings, model),
    )


@dataclass(frozen=True)
class ResumedContinuation:
    """How a list from a file goes on; nothing is solved before that is asked for."""

    found: DiverseList
    objective: Objective
    solver: Solver

    def certify(self, calls: int, progress: bool) -> DiverseList:
        """Return the same list with a better bound."""
        return self._continuation.certify(calls, progress)

    def improve(self, calls: int, progress: bool) -> DiverseList:
        """Return a list with a larger F, or the same one."""
        return self._continuation.improve(calls, progress)

    def more(self, k: int) -> DiverseList:
        """Return a longer list."""
        return self._continuation.more(k)

    @cached_property
    def _continuation(self) -> Continuation:
        found, proven = self.found, self.found.certificate
        greedy = Greedy(self.objective, Separation(proven.apart), self.solver)
        bounds = () if proven.proof is None else (Bound(proven.upper_bound, proven.proof),)
        rows = np.ascontiguousarray(found.labelings.reshape(len(found), -1), np.int32)
        state = greedy.measured(ListState(rows, self._steps, bounds=bounds), proven.allowed)
        return continuation_of(greedy, state, found.method, GreedyRun(greedy, state) if self.is_greedy else None)

    @property
    def is_greedy(self) -> bool:
        """Whether its labelings were chosen one after another, so that it can become longer."""
        return self.found.method in ("greedy", "interrupted")

    @property
    def _steps(self) -> tuple[Step, ...]:
        found, every = self.found, self.found.unlimited_bounds
        return tuple(
            Step(
                labeling=labeling,
                value=float(found.gains[t]),
                upper_bound=float(found.bounds[t]),
                exact=bool(found.exact[t]),
                oracle=found.oracles[t],
                seconds=float(found.seconds[t]),
                relevance=float(found.relevance[t]),
                unlimited_bound=None if every is None else float(every[t]),
            )
            for t, labeling in enumerate(found.labelings)
        )


def fewer(taken: int, m: int, late: bool = False) -> str:
    """Say why there are fewer labelings than asked for."""
    if late:
        return f"only {taken} of {m} labelings were found: the time limit is over. Raise it, or set a tolerance."
    advice = "Ask for fewer or a smaller minimum distance, or allow repetitions (distinct=False, or --repeat)."
    return f"only {taken} of {m} labelings were found: no other allowed one was found. {advice}"
