# SPDX-License-Identifier: BSD-3-Clause
"""Bounds on lists that must differ, from what labelings would add to a list (B1, docs/theory.md 5).

``F(T) <= tradeoff * offset(S) + sum over y in T of [ r(y) + tradeoff * gain(y | S) ]`` for any list S: if labelings
must differ, the sum is less than m times the best gain. For diversities of which no lines are known.
"""

from __future__ import annotations

from collections.abc import Iterator

from hedgehop._arrays import own
from hedgehop.lists.proofs.apart import ListsApart
from hedgehop.lists.proofs.bounds import Arrays, BoundMethod, FoundBound, Problem


def find(problem: Problem) -> Iterator[FoundBound] | None:
    """Yield a bound for each beginning of the list, the list itself first; None if labelings may be repeated."""
    objective = problem.objective
    if not problem.distance or problem.m < 2:
        return None
    known = objective.tradeoff > 0 and objective.diversity.lines(objective.model, problem.m) is not None
    return None if known else _found_bounds(problem)


def check(problem: Problem, arrays: Arrays) -> float:
    """Return the bound that a list proves: a few steps."""
    rows, apart = arrays["rows"], ListsApart(problem.solver, problem.m, problem.distance)
    most = apart.proven(problem.objective.bounding(rows), arrays)
    return problem.objective.list_bound(rows, most / problem.m, problem.m)


GAINS = BoundMethod("gains", find, check)


def _found_bounds(problem: Problem) -> Iterator[FoundBound]:
    objective, apart = problem.objective, ListsApart(problem.solver, problem.m, problem.distance)
    for t in range(problem.m, -1, -1) if objective.tradeoff > 0 else [0]:
        rows = own(problem.rows[:t])
        found = apart.bound_on_sum(objective.bounding(rows), problem.rows)
        bound = objective.list_bound(rows, found.bound / problem.m, problem.m)
        yield FoundBound(bound, {"rows": rows, **found.arrays}, found.labelings, problem.rows[:0], found.calls)
