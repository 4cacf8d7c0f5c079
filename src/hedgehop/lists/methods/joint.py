# SPDX-License-Identifier: BSD-3-Clause
"""All labelings of a list at once: exact for two labels that prefer to agree (Kirillov et al. 2015).

If D(S) is a sum over variables i of a concave function of ``a_i = number of labelings with y_i = 1``, the best list
can be sorted: ``y^1 >= y^2 >= ... >= y^m`` at every variable, because sorting two labelings that prefer to agree never
lowers their relevance. The k-th labeling then gets the k-th slope of that function, and each is one minimum cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hedgehop._arrays import Doubles, Labels, own
from hedgehop._errors import UnsupportedError
from hedgehop.lists.methods.greedy import Greedy
from hedgehop.lists.methods.pool import ScoredPool
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.bounds import Arrays, Bound, BoundMethod, FoundBound, Problem, Proof
from hedgehop.lists.separation import Separation
from hedgehop.lists.state import ListState
from hedgehop.models.unary import most_labels
from hedgehop.oracles.base import Solver
from hedgehop.oracles.pairwise.graphcut import CutSolver
from hedgehop.oracles.registry import get


def chosen_jointly(greedy: Greedy, m: int) -> ListState:
    """Return the best list of m labelings, in greedy order, with the bound that proves it."""
    if greedy.separation.distance > 0:
        raise ValueError('method="joint" cannot keep labelings apart. Use method="greedy", or distinct=False.')
    objective, cut = greedy.objective, get("graphcut")
    reason = cut.refusal(objective.model, ())
    if reason is not None:
        raise UnsupportedError(f'method="joint" solves minimum cuts, and {reason}. Use method="greedy".')
    rows, bound = _solved(objective, cut.on(objective.model), _slopes(objective, m))
    order, _, _ = ScoredPool.of(objective, rows).pick(m)
    state = greedy.retraced(ListState(own(rows[order])))
    steps = tuple(replace(step, oracle=cut.name) for step in state.steps)
    return replace(state, steps=steps, bounds=(Bound(bound, Proof("joint")),))


def _slopes(objective: Objective, m: int) -> Doubles:
    slopes = objective.diversity.joint_slopes(objective.model, m)
    if slopes is None:
        raise UnsupportedError(
            f'method="joint" needs a diversity of single variables, VariableCoverage or LinearHamming; '
            f'got {objective.diversity!r}. Use method="greedy".'
        )
    return slopes


def _solved(objective: Objective, solver: Solver, slopes: Doubles) -> tuple[Labels, float]:
    """Return a labeling for each row of slopes, and the bound that their cuts prove together."""
    assert isinstance(solver, CutSolver)
    zeros = np.zeros(slopes.shape[1], np.int32)
    bound = objective.tradeoff * objective.diversity.repeated(objective.model, zeros, len(slopes))
    labelings = np.empty(slopes.shape, np.int32)
    theta = np.zeros((slopes.shape[1], 2))
    for labeling, slope in zip(labelings, slopes, strict=True):
        np.multiply(slope, objective.tradeoff, out=theta[:, 1])
        labeling[:], most = solver.best_and_bound(theta)
        bound += most
    return labelings, bound


def _find(problem: Problem) -> Iterator[FoundBound] | None:
    """Yield the best list of all and its F, once, where the cuts apply; it may not keep its distance."""
    return iter([_found_bound(problem)]) if _applies(problem) else None


def _check(problem: Problem, arrays: Arrays) -> float:
    if not _fits(problem.objective):
        raise ValueError("cuts prove nothing for this model: they need two labels that prefer to agree.")
    return _found_bound(problem).bound


def proves_lists(greedy: Greedy, m: int) -> bool:
    """Whether cuts find the largest F of all lists, so that no bound of a step can be lower."""
    return greedy.separation.distance == 0 and _is_gain(greedy.objective, m)


def _applies(problem: Problem) -> bool:
    return _is_gain(problem.objective, problem.m)


def _is_gain(objective: Objective, m: int) -> bool:
    """Whether cuts may prove more than steps do: of one labeling, or without diversity, steps prove all."""
    return m > 1 and objective.tradeoff > 0 and _fits(objective)


def _fits(objective: Objective) -> bool:
    if most_labels(objective.model) != 2:
        return False
    cuts = get("graphcut").refusal(objective.model, ()) is None
    return cuts and objective.diversity.joint_slopes(objective.model, 2) is not None


def _found_bound(problem: Problem) -> FoundBound:
    objective = problem.objective
    slopes = _slopes(objective, problem.m)
    rows, bound = _solved(objective, problem.solver.by(get("graphcut")), slopes)
    separation = Separation(problem.distance)
    final = not any(separation.too_close(row, rows[:k]) for k, row in enumerate(rows))
    return FoundBound(bound, {}, rows, rows, calls=problem.m, final=final)


JOINT = BoundMethod("joint", _find, _check)
