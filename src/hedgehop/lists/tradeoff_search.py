# SPDX-License-Identifier: BSD-3-Clause
"""Finding a tradeoff by what it does: how far the second labeling of a list is from the first."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace

import numpy as np

from hedgehop._errors import InfeasibleError
from hedgehop.diversity.base import Diversity
from hedgehop.lists.methods.greedy import Greedy
from hedgehop.lists.objective import Objective
from hedgehop.lists.separation import Separation, n_differing
from hedgehop.lists.state import ListState
from hedgehop.lists.tradeoff import SECOND, Target, TradeoffLike, is_auto, resolve
from hedgehop.models.base import Model
from hedgehop.oracles.base import Oracle
from hedgehop.oracles.conditioning import unit_of
from hedgehop.oracles.effort import effort, without_bounds

_BRACKET_FACTOR = 4.0  # between tries while a bracket is sought
_BRACKET_TRIES, _ROUGH_BRACKET_TRIES = 40, 12
_CLOSE_RATIO = 1.04  # ratio of two tradeoffs around a target that need no halving
_NEAR_RATIO = 1.5  # the same if no target was given
_TOO_FAR = 3  # times the wanted distance: beyond it, most of a labeling has changed at once
_CALMER = 2.0  # by which the tradeoff is then divided
_BEYOND = 2.5  # times the wanted distance: beyond it, users are told
_TO_CALLERS = 5  # frames between the search and who calls hh.diverse


def tradeoff_found(
    tradeoff: TradeoffLike, model: Model, diversity: Diversity, oracle: Oracle, separation: Separation
) -> float:
    """Return the tradeoff as a number, for ``hh.target`` the smallest at which the second labeling is that far."""
    if not isinstance(tradeoff, Target) and not is_auto(tradeoff):
        return resolve(tradeoff, model, diversity)
    share = tradeoff.distance if isinstance(tradeoff, Target) else SECOND
    wanted = max(1, int(np.ceil(share * n_differing(model) - 1e-9)))
    kept_apart = separation.distance > 0
    if is_auto(tradeoff):
        separation = Separation()  # or any tradeoff would do
    trials = _Trials(Greedy(Objective(model, diversity, 0.0), separation, oracle.on(model)), wanted)
    if isinstance(tradeoff, Target):
        return trials.to_the_point(tradeoff.quiet)
    try:
        with without_bounds():
            return trials.roughly(kept_apart)
    except TimeoutError:  # not even a first labeling was found in the time of this search
        return unit_of(model)


@dataclass
class _Trials:
    """Second labelings at different tradeoffs."""

    greedy: Greedy
    wanted: int
    reached: dict[float, int] = field(default_factory=dict)
    first: ListState | None = None  # the list of the first labeling, if no tradeoff changes it
    afresh: bool = False  # whether every trial has its own solver

    def to_the_point(self, quiet: bool) -> float:
        """Return the smallest tradeoff that reaches the distance, to a few per cent; refuse distances out of reach.

        Unless `quiet`, a warning says so where that goes much farther.
        """
        near, far = self._bracket(_BRACKET_TRIES)
        if self.distance(far) < self.wanted and not _is_late():
            raise self._out_of_reach()
        found = self._confirmed(self._halved(near, far, _CLOSE_RATIO))
        beyond = self.distance(found)
        if not quiet and beyond > max(_BEYOND * self.wanted, self.wanted + 1) and not _is_late():
            warnings.warn(self._jump(found, beyond), stacklevel=_TO_CALLERS)
        return found

    def roughly(self, kept_apart: bool) -> float:
        """Return a tradeoff that reaches the distance, or comes as near to it as any does.

        In some models, most variables change together. A smaller tradeoff is better there if labelings are
        `kept_apart` anyway: the minimum distance then asks for the difference, and the labelings stay plausible.
        """
        near, far = self._bracket(_ROUGH_BRACKET_TRIES)
        if self.distance(far) < self.wanted:
            return max(self.reached, key=lambda tried: (self.reached[tried], -tried))
        far = self._halved(near, far, _NEAR_RATIO)
        if kept_apart and self.distance(far) > _TOO_FAR * self.wanted:
            return far / _CALMER
        return far

    def distance(self, tradeoff: float) -> int:
        """In how many variables the second labeling differs from the first."""
        if tradeoff not in self.reached:
            self.reached[tradeoff] = self._solved(tradeoff)
        return self.reached[tradeoff]

    def _bracket(self, tries: int) -> tuple[float, float]:
        """Return a tradeoff that is too small and a larger one that is not, or the largest tried twice."""
        tried = unit_of(self.greedy.objective.model)
        enough = self.distance(tried) >= self.wanted
        for _ in range(tries):
            if _is_late():
                break
            last, tried = tried, tried / _BRACKET_FACTOR if enough else tried * _BRACKET_FACTOR
            if (self.distance(tried) >= self.wanted) != enough:
                return min(last, tried), max(last, tried)
        if enough and not _is_late() and self.distance(0.0) >= self.wanted:  # however small, it is far enough
            tried = 0.0
        return tried, tried

    def _halved(self, near: float, far: float, close: float) -> float:
        """Return the end of a bracket that reaches the distance, once both ends are close."""
        while far > close * near and not _is_late():
            middle = float(np.sqrt(near) * np.sqrt(far))  # the product may be beyond all numbers
            near, far = (near, middle) if self.distance(middle) >= self.wanted else (middle, far)
        return far

    def _confirmed(self, tradeoff: float) -> float:
        """Raise a tradeoff until a new solver, as the list's will be, gets that far: inexact steps remember."""
        fresh = replace(self, afresh=True, reached={}, first=None)
        near = far = tradeoff
        for k in range(1, _BRACKET_TRIES + 1):
            if _is_late() or fresh.distance(far) >= self.wanted:
                found = fresh._halved(near, far, _CLOSE_RATIO)
                self.reached |= {found: fresh.reached[found]} if found in fresh.reached else {}
                return found
            near, far = far, far * _CLOSE_RATIO**k
        raise fresh._out_of_reach()

    def _jump(self, found: float, beyond: int) -> str:
        """Say what is reachable where distances jump: several variables may change together, or a whole label."""
        n = self.greedy.objective.model.n_variables
        text = f"the second labeling differs in {beyond} of {n} variables, not in {self.wanted}"
        below = max((tried for tried, d in self.reached.items() if d < self.wanted), default=None)
        if below is None:
            return f"{text}: no tradeoff brings it closer, as all others differ in at least as many."
        text = f"{text}: variables change together. Just below this tradeoff ({found:.4g}) it differs"
        return f"{text} in {self.distance(below)} (tradeoff={below:.4g})."

    def _out_of_reach(self) -> InfeasibleError:
        text = f"no tradeoff up to {max(self.reached):.3g} makes the second labeling differ in {self.wanted} variables"
        text = f"{text}; the largest difference was {max(self.reached.values())}."
        return InfeasibleError(f"{text} Ask for a smaller distance, or use another diversity.")

    def _solved(self, tradeoff: float) -> int:
        trial = replace(self.greedy, objective=replace(self.greedy.objective, tradeoff=tradeoff))
        if self.afresh:
            trial = replace(trial, solver=trial.solver.oracle.on(trial.solver.model))
        state = self.first or _extended(trial, trial.start)
        if state.baseline is not None and tradeoff > 0 and not self.afresh:
            self.first = state
        try:
            rows = _extended(trial, state).rows
        except (InfeasibleError, TimeoutError):  # there is no second labeling, or none was found in time
            return 0
        return int((rows[0] != rows[1]).sum())


def _extended(greedy: Greedy, state: ListState) -> ListState:
    state, best = greedy.foreseen(state)
    return state.append(greedy.allowed(state, best))


def _is_late() -> bool:
    """Whether the time that was given for the search is over."""
    return effort().seconds == 0.0
