# SPDX-License-Identifier: BSD-3-Clause
"""Finding a tradeoff by what it does: how far the second labeling of a list is from the first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hedgehop._errors import InfeasibleError
from hedgehop.diversity.base import Diversity
from hedgehop.lists.greedy import Greedy
from hedgehop.lists.objective import Objective
from hedgehop.lists.separation import Separation
from hedgehop.lists.tradeoff import Target, TradeoffLike, resolve
from hedgehop.models.base import Model
from hedgehop.oracles.base import Oracle
from hedgehop.oracles.conditioning import unit_of

_FACTOR = 4.0  # between tries while a bracket is sought
_TRIES = 40
_CLOSE = 1.04  # of two tradeoffs around the target that need no halving


def calibrated(
    tradeoff: TradeoffLike, model: Model, diversity: Diversity, oracle: Oracle, separation: Separation
) -> float:
    """Return the tradeoff as a number, for ``hh.target`` the smallest at which the second labeling is that far."""
    if not isinstance(tradeoff, Target):
        return resolve(tradeoff, model)
    greedy = Greedy(Objective(model, diversity, 0.0), separation, oracle.on(model))
    wanted = max(1, int(np.ceil(tradeoff.distance * model.n_variables - 1e-9)))
    near, far = _bracket(greedy, wanted)
    while far > _CLOSE * near:
        middle = float(np.sqrt(near) * np.sqrt(far))  # the product may be beyond all numbers
        near, far = (near, middle) if _second_distance(greedy, middle) >= wanted else (middle, far)
    return _confirmed(greedy, far, wanted)


def _confirmed(greedy: Greedy, tradeoff: float, wanted: int) -> float:
    """Raise a tradeoff until a new solver, as the list's will be, gets that far: inexact steps depend on the past."""
    solver = greedy.solver
    for _ in range(_TRIES):
        if _second_distance(replace(greedy, solver=solver.oracle.on(solver.model)), tradeoff) >= wanted:
            break
        tradeoff *= _CLOSE
    return tradeoff


def _bracket(greedy: Greedy, wanted: int) -> tuple[float, float]:
    """Return a tradeoff that is too small and a larger one that is not."""
    tried = unit_of(greedy.objective.model)
    reached = [_second_distance(greedy, tried)]
    factor = 1.0 / _FACTOR if reached[0] >= wanted else _FACTOR
    for _ in range(_TRIES):
        last, tried = tried, tried * factor
        reached.append(_second_distance(greedy, tried))
        if (reached[-1] >= wanted) != (reached[0] >= wanted):
            return min(last, tried), max(last, tried)
    if reached[0] >= wanted:
        least = 0.0 if _second_distance(greedy, 0.0) >= wanted else tried  # however small, it is far enough
        return least, least
    text = f"no tradeoff up to {tried:.3g} makes the second labeling differ in {wanted} variables"
    text = f"{text}; the most was {max(reached)}."
    raise InfeasibleError(f"{text} Ask for a smaller distance, or use another diversity.")


def _second_distance(greedy: Greedy, tradeoff: float) -> int:
    """How many variables differ between the first two labelings."""
    trial = replace(greedy, objective=replace(greedy.objective, tradeoff=tradeoff))
    state = trial.start
    for _ in range(2):
        state, best = trial.foreseen(state)
        state = state.append(trial.allowed(state, best))
    return int((state.rows[0] != state.rows[1]).sum())
