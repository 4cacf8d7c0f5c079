# SPDX-License-Identifier: BSD-3-Clause
"""The search for better bounds and better lists: anytime, by oracle calls, from what was found before."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from threading import Lock
from time import perf_counter

import numpy as np

from hedgehop._arrays import Labels
from hedgehop._errors import InfeasibleError, UnsupportedError
from hedgehop.lists.certificate import step_bounds
from hedgehop.lists.methods.exchange import improved
from hedgehop.lists.methods.greedy import Greedy
from hedgehop.lists.methods.joint import JOINT
from hedgehop.lists.proofs.balls import BALLS
from hedgehop.lists.proofs.evidence import Bound, Evidence, Problem, Proof, Provider
from hedgehop.lists.proofs.gains import GAINS
from hedgehop.lists.proofs.list_dual import RELAXED, SLOPES
from hedgehop.lists.proofs.listing import LISTING
from hedgehop.lists.proofs.partition import PARTS
from hedgehop.lists.proofs.swaps import Swaps
from hedgehop.lists.state import ListState
from hedgehop.oracles.base import Step
from hedgehop.oracles.effort import effort
from hedgehop.oracles.exactness import meets

_KEPT_MIXTURES = 6  # of the last mixtures from which better lists are sought
_EXCHANGED = 5  # one of so many steps solves a labeling again, given all others
Tell = Callable[[str], None]
# They take turns, in this order; the last two of the second one know nothing of limits.
PROVIDERS: tuple[Provider, ...] = (LISTING, JOINT, PARTS, RELAXED, SLOPES, BALLS, GAINS)
_APART: tuple[Provider, ...] = (LISTING, RELAXED, SLOPES, BALLS, GAINS, JOINT, PARTS)


class Search:
    """Bounds on all lists of m labelings, and the labelings found; one search serves all lists of its problem.

    It has its own solver, so what it solves does not change the lists that are made elsewhere.
    """

    def __init__(self, greedy: Greedy, rows: Labels) -> None:
        self._given, self._rows = greedy, rows
        self._providers = _APART if greedy.separation.distance else PROVIDERS
        self._asked = deque((provider, self._found(provider)) for provider in self._providers)
        self._beginnings: deque[Labels] = deque([rows[:0]], maxlen=_KEPT_MIXTURES)
        self._best: Bound | None = None
        self._calls, self._seconds, self._lock = 0, 0.0, Lock()

    @cached_property
    def _greedy(self) -> Greedy:
        return replace(self._given, solver=self._given.solver.for_bounds())

    @cached_property
    def _labelings(self) -> dict[bytes, Labels]:
        """All labelings found, once each."""
        return {row.tobytes(): row for row in self._rows}

    @cached_property
    def _problem(self) -> Problem:
        greedy = self._greedy
        return Problem(greedy.objective, greedy.solver, self._rows, greedy.separation.distance)

    def certified(self, state: ListState) -> ListState:
        """Return a list with the best bound known."""
        return state if self._best is None else replace(state, bounds=(*state.bounds, self._best))

    @property
    def asked(self) -> bool:
        """Whether anybody wanted a better bound."""
        return self._calls > 0

    def certify(self, state: ListState, calls: int, tell: Tell | None = None) -> None:
        """Look for better bounds until a list is proven optimal, or `calls` more steps were solved."""
        with self._lock:
            self._certify(state, calls, tell)

    def improve(self, state: ListState, calls: int, tell: Tell | None = None) -> ListState:
        """Return a list whose F is at least the same, within `calls` steps, the last ones for exchanges."""
        with self._lock:
            exchanges = min(len(state), calls // _EXCHANGED)
            self._certify(state, calls - exchanges, tell)
            swapped = better = self._swapped(state)
            for t in range(exchanges):
                if self._reaches(self._greedy.objective.value(better.rows), np.inf):
                    break
                better = self._exchanged(better, t)
            better = better if better is swapped else self._swapped(better)
        return state if better is state else self._in_order(better, state)

    def _certify(self, state: ListState, calls: int, tell: Tell | None) -> None:
        until, value, known = self._calls + calls, self._greedy.objective.value(state.rows), self._least(state)
        while self._calls < until and effort().seconds > 0 and not self._reaches(value, known):
            start, found = perf_counter(), self._next()
            if found is None:
                return
            source, evidence = found
            self._calls, self._seconds = self._calls + evidence.calls, self._seconds + perf_counter() - start
            self._labelings.update((row.tobytes(), row) for row in np.ascontiguousarray(evidence.labelings, np.int32))
            self._take(Bound(evidence.bound, Proof(source, evidence.arrays, self._calls, self._seconds)))
            self._beginnings.append(evidence.beginning)
            if evidence.final:
                self._asked.clear()
            if tell is not None and self._best is not None:
                tell(f"bound after {self._calls} further steps: {self._best:.8g}")

    def _next(self) -> tuple[str, Evidence] | None:
        """Return what a provider finds next, and its name; those that apply take turns."""
        while self._asked:
            provider, evidence = self._asked.popleft()
            try:
                found = next(evidence)
            except (StopIteration, UnsupportedError, InfeasibleError):  # done, or no oracle takes its steps
                continue
            except KeyboardInterrupt:  # what was interrupted cannot go on: it begins again when asked again
                self._asked.appendleft((provider, self._found(provider)))
                raise
            self._asked.append((provider, evidence))
            return provider.source, found
        return None

    def _found(self, provider: Provider) -> Iterator[Evidence]:
        """Yield what a provider finds, nothing if it does not apply."""
        yield from provider.find(self._problem) or ()

    def _take(self, bound: Bound) -> None:
        if np.isfinite(bound) and (self._best is None or bound < self._best):
            self._best = bound

    def _least(self, state: ListState) -> float:
        """Return the smallest bound that a list brings itself."""
        return min((*state.bounds, *self._greedy.objective.list_bounds(state.rows, state.best_gains)), default=np.inf)

    def _reaches(self, value: float, known: float) -> bool:
        """Whether a list of this value is proven to be the best."""
        least = known if self._best is None else min(known, self._best)
        return meets(self._greedy.objective.model, value, least)

    def _swapped(self, state: ListState) -> ListState:
        """Return the best list that swaps among the labelings found lead to, from this one and from the mixture."""
        self._labelings.update((row.tobytes(), row) for row in state.rows)
        swaps = Swaps(self._greedy.objective, self._greedy.separation, np.array(list(self._labelings.values())))
        whole = [swaps.filled(swaps.places(rows), len(state)) for rows in self._beginnings]
        starts = {tuple(start) for start in [swaps.places(state.rows), *whole] if start is not None}
        lists = {tuple(sorted(swaps.settled(start))) for start in starts}
        best = max((swaps.pool[list(places)] for places in sorted(lists)), key=self._greedy.objective.value)
        before = self._greedy.objective.value(state.rows)
        grows = not meets(self._greedy.objective.model, before, self._greedy.objective.value(best))
        return ListState(best, plain=state.plain, bounds=state.bounds) if grows else state

    def _exchanged(self, state: ListState, t: int) -> ListState:
        """Solve one labeling again given all others."""
        start = perf_counter()
        better, bound = improved(self._greedy, state, t)
        self._calls, self._seconds = self._calls + 1, self._seconds + perf_counter() - start
        self._take(Bound(bound, replace(bound.proof, calls=self._calls, seconds=self._seconds)))
        return better

    def _in_order(self, better: ListState, before: ListState) -> ListState:
        """Put a list into greedy order; what a step could have added at most is known from the first step only."""
        swaps = Swaps(self._greedy.objective, self._greedy.separation, better.rows)
        order = swaps.filled([], len(better), once=True)
        objective, submodular = self._greedy.objective, self._greedy.objective.diversity.submodular
        state = replace(self._greedy.start, plain=before.plain)
        for k in better.rows if order is None else better.rows[order]:
            labeling, relevance = k.reshape(objective.model.shape), float(np.asarray(objective.model.score(k[None]))[0])
            most = before.steps[0].upper_bound if submodular or not len(state) else np.inf
            step = Step(labeling, 0.0, most, False, self._greedy.solver.oracle.name, 0.0, relevance)
            state = state.append(self._greedy.as_gain(step, state, most))
        known = step_bounds(objective, before)
        return replace(state, bounds=(*before.bounds, *([min(known)] if known else [])))
