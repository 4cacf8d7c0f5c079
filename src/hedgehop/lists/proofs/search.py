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
from hedgehop.lists.proofs.bounds import Bound, BoundMethod, FoundBound, Problem, Proof
from hedgehop.lists.proofs.gains import GAINS
from hedgehop.lists.proofs.list_dual import RELAXED, SLOPES
from hedgehop.lists.proofs.listing import LISTING
from hedgehop.lists.proofs.partition import PARTS
from hedgehop.lists.proofs.swaps import Swaps, greedy_order
from hedgehop.lists.state import ListState
from hedgehop.oracles.base import Step
from hedgehop.oracles.effort import effort
from hedgehop.oracles.exactness import falls_short, meets

_ROUND = 10  # steps, of which the last ones solve a labeling again, given all others
_EXCHANGES = 2  # of a round
_BALL_EXCHANGES = 5  # the labelings found for bounds on balls make poor lists
Tell = Callable[[str], None]
# They take turns, in this order; the last two of the second one know nothing of limits.
BOUND_METHODS: tuple[BoundMethod, ...] = (LISTING, JOINT, PARTS, RELAXED, SLOPES, BALLS, GAINS)
_APART: tuple[BoundMethod, ...] = (LISTING, RELAXED, SLOPES, BALLS, GAINS, JOINT, PARTS)


class Search:
    """Bounds on all lists of m labelings, and the labelings found; one search serves all lists of its problem.

    It has its own solver, so what it solves does not change the lists that are made elsewhere.
    """

    def __init__(self, greedy: Greedy, rows: Labels) -> None:
        self._given, self._rows = greedy, rows
        self._methods = _APART if greedy.separation.distance else BOUND_METHODS
        self._asked = deque((method, self._found(method)) for method in self._methods)
        self._new, self._beginnings = [rows], [rows[:0]]  # labelings and mixtures that swaps have not seen yet
        self._values: dict[tuple[int, ...], float] = {}
        self._better: Labels | None = None
        self._turn, self._idle = 0, 0  # which labeling is solved again next; how many were, since the list changed
        self._valued: tuple[Labels, float] | None = None
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
            self._greedy.solver.pause()

    def improve(self, state: ListState, calls: int, tell: Tell | None = None) -> ListState:
        """Return a list whose F is at least the same, within `calls` steps for bounds and exchanges in turn.

        More steps go on from where fewer ended, so they never find less.
        """
        with self._lock:
            until, known, better = self._calls + calls, self._least(state), self._swapped(state)
            while self._calls < until and effort().seconds > 0 and not self._reaches(self._value(better), known):
                exchanges = self._calls % _ROUND >= _ROUND - self._exchanges and self._idle < len(state)
                if exchanges or not self._looked(tell):
                    if self._idle >= len(state):
                        break
                    better = self._exchanged(better)
                better = self._swapped(better)
            self._greedy.solver.pause()
        return state if better is state else self._in_order(better, state)

    def best_so_far(self, state: ListState) -> ListState:
        """Return the best list that an interrupted search has found; nothing is solved."""
        if self._better is None:
            return state
        better = ListState(self._better, baseline=state.baseline, bounds=state.bounds)
        ahead = falls_short(self._greedy.objective.model, self._value(state), self._greedy.objective.value(better.rows))
        return self._in_order(better, state) if ahead else state

    @property
    def _exchanges(self) -> int:
        """How many steps of a round solve a labeling again."""
        return _EXCHANGES if self._given.objective.diversity.smooth_balls is None else _BALL_EXCHANGES

    def _certify(self, state: ListState, calls: int, tell: Tell | None) -> None:
        until, value, known = self._calls + calls, self._value(state), self._least(state)
        while self._calls < until and effort().seconds > 0 and not self._reaches(value, known):
            if not self._looked(tell):
                return

    def _looked(self, tell: Tell | None) -> bool:
        """Ask for one more bound; False if nobody has any."""
        start, answer = perf_counter(), self._next()
        if answer is None:
            return False
        source, found = answer
        self._calls, self._seconds = self._calls + found.calls, self._seconds + perf_counter() - start
        self._new.append(found.labelings)
        self._take(Bound(found.bound, Proof(source, found.arrays, self._calls, self._seconds)))
        self._beginnings.append(found.beginning)
        if found.final:
            self._asked.clear()
        if tell is not None and self._best is not None:
            tell(f"bound after {self._calls} further steps: {self._best:.8g}")
        return True

    def _next(self) -> tuple[str, FoundBound] | None:
        """Return what a method finds next, and its name; those that apply take turns."""
        while self._asked:
            method, bounds = self._asked.popleft()
            try:
                found = next(bounds)
            except (StopIteration, UnsupportedError, InfeasibleError):  # done, or no oracle takes its steps
                continue
            except KeyboardInterrupt:  # what was interrupted cannot go on: it begins again when asked again
                self._asked.appendleft((method, self._found(method)))
                raise
            self._asked.append((method, bounds))
            return method.source, found
        return None

    def _found(self, method: BoundMethod) -> Iterator[FoundBound]:
        """Yield what a method finds, nothing if it does not apply."""
        yield from method.find(self._problem) or ()

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

    @cached_property
    def _swaps(self) -> Swaps:
        return Swaps(self._greedy.objective, self._greedy.separation, len(self._rows), self._rows)

    def _swapped(self, state: ListState) -> ListState:
        """Return the best list that swaps among the labelings found lead to, from the best known and new mixtures."""
        try:
            return self._swapped_at_once(state)
        except KeyboardInterrupt:  # half of what is known of a labeling is no use: all are taken in again
            swaps: Swaps | None = self.__dict__.pop("_swaps", None)
            self._new += [] if swaps is None else [swaps.pool]
            self._values.clear()
            raise

    def _swapped_at_once(self, state: ListState) -> ListState:
        swaps, known = self._swaps, [state.rows] if self._better is None else [state.rows, self._better]
        for rows in (*known, *self._new):
            swaps.add(rows)
        whole = [swaps.filled(swaps.places(rows)) for rows in self._beginnings]
        self._new.clear()
        self._beginnings.clear()
        starts = {tuple(sorted(start)) for start in [*map(swaps.places, known), *whole] if start is not None}
        lists = {tuple(sorted(swaps.settled(start))) for start in sorted(starts)}
        best = max(sorted(lists), key=self._value_of_places)
        if meets(self._greedy.objective.model, self._value(state), self._value_of_places(best)):
            return state
        self._better, self._idle = swaps.pool[list(best)], 0
        return ListState(self._better, baseline=state.baseline, bounds=state.bounds)

    def _value_of_places(self, places: tuple[int, ...]) -> float:
        """F of a list of labelings found; most lists come up again and again."""
        if places not in self._values:
            self._values[places] = self._greedy.objective.value(self._swaps.pool[list(places)])
        return self._values[places]

    def _exchanged(self, state: ListState) -> ListState:
        """Solve the next labeling again given all others."""
        start, self._turn = perf_counter(), (self._turn + 1) % len(state)
        better, bound = improved(self._greedy, state, self._turn)
        self._calls, self._seconds = self._calls + 1, self._seconds + perf_counter() - start
        self._take(Bound(bound, replace(bound.proof, calls=self._calls, seconds=self._seconds)))
        self._better, self._idle = better.rows, self._idle + 1 if better is state else 0
        return better

    def _value(self, state: ListState) -> float:
        """F of a list; of the one asked about last it is known."""
        if self._valued is None or self._valued[0] is not state.rows:
            self._valued = state.rows, self._greedy.objective.value(state.rows)
        return self._valued[1]

    def _in_order(self, better: ListState, before: ListState) -> ListState:
        """Put a list into greedy order; what a step could have added at most is known from the first step only."""
        objective, submodular = self._greedy.objective, self._greedy.objective.diversity.submodular
        state = replace(self._greedy.start, baseline=before.baseline)
        for k in better.rows[greedy_order(objective, better.rows)]:
            labeling = k.reshape(objective.model.shape)
            relevance = float(np.asarray(objective.model.score(k[None])).item())
            most = before.steps[0].upper_bound if submodular or not len(state) else np.inf
            step = Step(labeling, 0.0, most, False, self._greedy.solver.oracle.name, 0.0, relevance)
            state = state.append(self._greedy.as_gain(step, state, most))
        known = step_bounds(objective, before)
        return replace(state, bounds=(*before.bounds, *([min(known)] if known else [])))
