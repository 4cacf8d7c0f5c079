# SPDX-License-Identifier: BSD-3-Clause
"""A list that was found, and how it goes on: to better bounds, better lists and longer ones."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

from hedgehop._errors import Interrupted
from hedgehop._progress import tell
from hedgehop.lists.certificate import certified
from hedgehop.lists.methods.greedy import Greedy, GreedyRun
from hedgehop.lists.proofs.search import Search
from hedgehop.lists.result import DiverseList, as_list
from hedgehop.lists.state import ListState


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
            raise Interrupted(self.found) from None
        if better is self.state:
            return self.found
        method = self.method if self.method.endswith("improved") else f"{self.method}, improved"
        return replace(self, state=better, method=method, run=None).found

    def more(self, k: int) -> DiverseList:
        """Go on from the labelings of a run."""
        assert self.run is not None
        m = len(self.state)
        state = self.run.beginning(m + k)
        if len(state) < m + k:
            warnings.warn(fewer(len(state) - m, k), stacklevel=3)
        method = "greedy" if self.method == "interrupted" else self.method
        longer = continuation_of(self.greedy, state, method, self.run)
        return longer.certify(len(state), False) if self.search.asked else longer.found


def fewer(taken: int, m: int, late: bool = False) -> str:
    """Say why there are fewer labelings than asked for."""
    if late:
        return f"only {taken} of {m} labelings were found: the time limit is over. Raise it, or set a tolerance."
    advice = "Ask for fewer or a smaller minimum distance, or allow repetitions (distinct=False, or --repeat)."
    return f"only {taken} of {m} labelings were found: no other one is allowed. {advice}"
