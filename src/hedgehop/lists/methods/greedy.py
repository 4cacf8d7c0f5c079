# SPDX-License-Identifier: BSD-3-Clause
"""Greedy selection: from a list to the next one, by one MAP inference (docs/theory.md 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np

from hedgehop._arrays import Labels, own
from hedgehop._errors import InfeasibleError, UnsupportedError
from hedgehop.lists.objective import Objective
from hedgehop.lists.separation import Separation
from hedgehop.lists.state import Baseline, ListState
from hedgehop.oracles.base import Solver, Step, changed
from hedgehop.oracles.effort import limited
from hedgehop.oracles.exactness import falls_short
from hedgehop.potentials import Constant, Potential

Choose = Callable[[ListState, Step], Step]


@dataclass(frozen=True)
class Greedy:
    """Solves the steps of lists. What is learned about a list is in the states, never here.

    A step solves ``max_y r(y) + tradeoff * gain(y | S)`` without any limit first: its upper bound U_t is what the
    certificate needs. Only if the answer is too close to an earlier one it solves again, with limits.
    """

    objective: Objective
    separation: Separation
    solver: Solver

    @property
    def start(self) -> ListState:
        """The list without labelings."""
        return ListState(own(np.zeros((0, self.objective.model.n_variables), np.int32)))

    def grow(self, state: ListState, m: int, choose: Choose | None = None) -> Iterator[ListState]:
        """Add labelings one by one until there are m, or no further one is allowed (then the last state says so)."""
        while len(state) < m and not state.ended:
            state = self._extended(state, choose or self.allowed)
            yield state

    def foreseen(self, state: ListState) -> tuple[ListState, Step]:
        """Find the best next step, with its gain as value and U_t as bound, if it is not known yet."""
        if state.next is not None:
            return state, state.next
        steering = self.objective.potentials(state.rows)
        step = self.solver.step(steering)
        by_relevance = state.baseline is None and all(isinstance(p, Constant) for p in steering)
        baseline = _relevance_baseline(step) if by_relevance else state.baseline
        proof = self._proof(step, steering, state)
        seconds = 0.0 if proof is step else proof.seconds
        best = self.as_gain(step, state, proof.upper_bound, seconds, self.objective.diversity.steers_exactly)
        if proof.exact and not falls_short(self.objective.model, best.value, proof.value):
            best = changed(best, exact=True)  # no gain is above what is bounded, and that is reached
        return replace(state, next=best, baseline=baseline), best

    def measured(self, state: ListState, allowed: bool = False) -> ListState:
        """Find what a list is compared with, if it is not known yet: the most relevant labeling found, repeated.

        A list with limits that is no better than that is compared with what is `allowed`; any one, if asked for.
        """
        baseline = self._most_relevant(state.baseline or _relevance_baseline(self.solver.step(())), state)
        rows = baseline.rows
        if self.separation.distance and len(rows) < len(state) and (allowed or not self._ahead(state, rows)):
            rows = state.rows if self.objective.tradeoff == 0 else self._by_relevance(rows[:1], state)
        return replace(state, baseline=replace(baseline, rows=own(np.ascontiguousarray(rows, np.int32))))

    def _most_relevant(self, baseline: Baseline, state: ListState) -> Baseline:
        """Return the most relevant labeling of a list instead, if the first one is not proven to be the best."""
        if baseline.gap <= 0.0 or not len(state):
            return baseline
        scores = np.asarray(self.objective.model.score(np.concatenate([baseline.rows[:1], state.rows]))).reshape(-1)
        best = int(np.argmax(scores))
        if not falls_short(self.objective.model, float(scores[0]), float(scores[best])):
            return baseline
        return Baseline(state.rows[best - 1 : best], max(0.0, baseline.gap - float(scores[best] - scores[0])))

    def _ahead(self, state: ListState, baseline: Labels) -> bool:
        return self.objective.value(state.rows) > self.objective.repeated(baseline[0], len(state))

    def allowed(self, state: ListState, nearest: Step) -> Step:
        """Return the best step that keeps its distance, given the best one of all."""
        if not self.separation.too_close(nearest.labeling, state.rows):
            return nearest
        apart = self.apart(self.objective.potentials(state.rows), state, nearest)
        steered = self.objective.diversity.steers_exactly
        step = self.as_gain(apart, state, nearest.upper_bound, nearest.seconds, steered)
        bound = apart.upper_bound if steered else nearest.upper_bound
        return changed(step, upper_bound=max(bound, step.value), unlimited_bound=step.upper_bound)

    def apart(self, potentials: Sequence[Potential], state: ListState, nearest: Step) -> Step:
        """Solve a step again at a distance from the list."""
        known = nearest if self.objective.diversity.steers_exactly else None
        return self.solver.step_apart(potentials, list(state.rows), self.separation.distance, known)

    def as_gain(self, step: Step, state: ListState, bound: float, seconds: float = 0.0, steered: bool = False) -> Step:
        """Return the step with what it adds to F as its value; exact if that is proven to be the most.

        `steered`: whether the step maximised the gain itself, over all labelings that are allowed. That another
        function was maximised proves nothing, even if both have the same value: then value and bound must meet,
        up to what sums in another order differ by.
        """
        value = float(self.objective.gain(step.labeling, step.relevance, state.rows))
        proven = (step.exact and steered) or not falls_short(self.objective.model, value, bound)
        seconds += step.seconds
        bound = max(bound, value)
        return changed(step, value=value, upper_bound=bound, exact=proven, seconds=seconds, unlimited_bound=None)

    def beside(self, step: Step, state: ListState, best: Step) -> Step:
        """Return a step that was chosen by something else than its gain, as one beside the best step known."""
        other = self.as_gain(step, state, best.upper_bound)
        return replace(other, exact=other.exact and not falls_short(self.objective.model, other.value, best.value))

    def retraced(self, state: ListState) -> ListState:
        """Find what each labeling adds, and what the best one would have added, from where that is not known."""
        done = state.first(len(state.steps))
        for row in state.rows[len(done) :]:
            done, best = self.foreseen(done)
            done = done.append(self._taken(row, done, best))
        return replace(done, bounds=state.bounds)

    def _by_relevance(self, baseline: Labels, state: ListState) -> Labels:
        """Return as many labelings as a list has, which keep their distance, each the best one given those before.

        Where an oracle misses that there are further ones, those of the list serve. A new solver finds them: what an
        inexact one answers depends on what it was asked before, and so would the guarantee.
        """
        solver = self.solver.oracle.on(self.solver.model)
        best = solver.step(())
        for _ in range(len(state) - len(baseline)):
            try:
                step = solver.step_apart((), list(baseline), self.separation.distance, best)
            except (InfeasibleError, UnsupportedError, TimeoutError):
                break
            baseline = np.concatenate([baseline, step.labeling.reshape(1, -1)])
        scores = np.asarray(self.objective.model.score(state.rows)).reshape(-1)
        for row in state.rows[np.argsort(-scores, kind="stable")]:
            if len(baseline) < len(state) and not self.separation.too_close(row, baseline):
                baseline = np.concatenate([baseline, row[None]])
        return baseline

    def _extended(self, state: ListState, choose: Choose) -> ListState:
        try:
            state, best = self.foreseen(state)
            return state.append(choose(state, best))
        except InfeasibleError:
            if not len(state):
                raise
            return replace(state, ended=True)

    def _proof(self, step: Step, steering: list[Potential], state: ListState) -> Step:
        """Return the step whose bound is U_t: the same, unless that maximised something else than the gain."""
        same = self.objective.diversity.steers_exactly
        bounding = steering if same else self.objective.bounding(state.rows)
        return step if bounding == steering else self.solver.step(bounding)

    def _taken(self, row: Labels, state: ListState, best: Step) -> Step:
        """Return the step that adds a given labeling if another one may be best."""
        if np.array_equal(row, best.labeling.reshape(-1)):
            return best
        labeling = own(row.reshape(self.objective.model.shape))
        relevance = float(np.asarray(self.objective.model.score(labeling)))
        return self.beside(replace(best, labeling=labeling, relevance=relevance, exact=False), state, best)


def _relevance_baseline(step: Step) -> Baseline:
    """Return the labeling of a step by relevance alone."""
    return Baseline(step.labeling.reshape(1, -1), 0.0 if step.exact else step.upper_bound - step.value)


def distorted(greedy: Greedy, m: int) -> Choose:
    """Return how distorted greedy chooses: coverage counts less in early steps (Harshaw et al. 2019; docs/theory.md 5).

    Its weight is ``(1 - 1/m)^(m - t - 1)`` in step t = 0..m-1.
    Parsimony belongs to each labeling alone and keeps its full weight:
    ``weight * (coverage + parsimony) + (1 - weight) * parsimony``. The bound stays that of the undistorted gain.
    """

    def choose(state: ListState, best: Step) -> Step:
        weight = (1.0 - 1.0 / m) ** (m - len(state) - 1)
        potentials = [p.scaled(weight) for p in greedy.objective.potentials(state.rows)]
        potentials += [p.scaled(1.0 - weight) for p in greedy.objective.parsimony()]
        step = greedy.solver.step(potentials)
        if greedy.separation.too_close(step.labeling, state.rows):
            step = greedy.apart(potentials, state, step)
        return replace(greedy.beside(step, state, best), seconds=step.seconds + best.seconds)

    return choose


class GreedyRun(Iterator[Step]):
    """One sequence of greedy steps: lists are its beginnings, in whichever order they are asked for.

    Iterating over it gives each step once. A solver serves one thread at a time, so steps are solved under a lock, and
    none twice. An interrupted step leaves the run as it was.
    """

    def __init__(
        self, greedy: Greedy, state: ListState, tolerance: float | None = None, seconds: float | None = None
    ) -> None:
        self.objective, self.separation = greedy.objective, greedy.separation
        self._tolerance, self._seconds = tolerance, seconds  # of each step
        self._greedy, self._state, self._given, self._lock = greedy, state, 0, Lock()

    def beginning(self, m: int, ahead: bool = True) -> ListState:
        """Return the first m labelings, or all that are allowed, with what a certificate needs to know.

        `ahead`: whether that includes the best gain after the last one.
        """
        with self._lock:
            self._grow(m)
            with limited(self._tolerance, self._seconds):
                if len(self._state) <= m and ahead:
                    self._state, _ = self._greedy.foreseen(self._state)
                self._state = self._greedy.measured(self._state)
            self._greedy.solver.pause()
            return self._state.first(m)

    def so_far(self, m: int) -> ListState:
        """Return the first m labelings, or those found until now; nothing is solved."""
        return self._state.first(m)

    def __next__(self) -> Step:
        with self._lock:
            self._grow(self._given + 1)
            if self._given == len(self._state):
                raise StopIteration
            self._given += 1
            return self._state.steps[self._given - 1]

    def _grow(self, m: int) -> None:
        states = self._greedy.grow(self._state, m)
        while True:
            with limited(self._tolerance, self._seconds):
                state = next(states, None)
            if state is None:
                return
            self._state = state
