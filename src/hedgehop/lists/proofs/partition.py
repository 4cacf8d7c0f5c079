# SPDX-License-Identifier: BSD-3-Clause
"""The partition dual of lists: labels and regions covered by Potts models (docs/theory.md 11).

A labeling that uses label l has a part X_l that is not empty, so c labelings that do earn ``worth(c)`` and at most
c times the best part. No oracle is asked: one evaluation is a minimum cut per label.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.bounds import Arrays, BoundMethod, FoundBound, Problem
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.pairwise.moves import MoveSolver
from hedgehop.oracles.registry import get
from hedgehop.oracles.relaxation.partition import Descent, PartitionDual, Prices, is_partition, whole_regions
from hedgehop.potentials.list_weights import ListWeights

_EVALUATIONS_AT_ONCE = 20  # evaluations, about as long as a step
_EVALUATION_ROUNDS = 5  # of so many evaluations: later ones hardly gain
_FEWER_EVALUATIONS_FROM = 100_000  # variables from which a step takes half as many


def applies(objective: Objective) -> bool:
    """Whether the partition dual bounds this objective: labels or regions, on Potts scores alone."""
    return _list_weights(objective, 1) is not None


def descended(
    objective: Objective,
    m: int,
    start: Prices | None = None,
    rows: Labels | None = None,
    variables: Doubles | None = None,
) -> Descent:
    """Return a descent that has not begun: to get the bound a few evaluations at a time.

    `rows`: the best list known; steps are as long as the distance to its F allows. `variables`: prices of variables
    that are known to be good, unless all multipliers are given.
    """
    dual = _dual(objective, m)
    first = dual.start() if start is None else start
    if start is None and variables is not None:
        first = Prices(variables, first.slopes)
    if rows is None:
        rows = np.repeat(dual.unary.argmax(axis=1)[None].astype(np.int32), m, axis=0)
    elif start is None and len(first.slopes):
        first = Prices(first.variables, _slopes_at(dual, rows))
    return Descent(dual, first, objective.value(rows))


def evaluated(objective: Objective, m: int, multipliers: Prices) -> float:
    """Return the bound that some multipliers prove: flows are built from scratch, without what found them."""
    dual = _dual(objective, m)
    shapes, wanted = (multipliers.variables.shape, multipliers.slopes.shape), (dual.unary.shape[:1], dual.low.shape)
    if shapes != wanted:
        raise ValueError(
            f"prices and slopes must have shapes {wanted[0]} and {wanted[1]}; got {shapes[0]}, {shapes[1]}."
        )
    return dual.evaluate(multipliers)[0]


def find(problem: Problem) -> Iterator[FoundBound] | None:
    """Yield a bound per so many evaluations as take about as long as a step; None if labels have no parts.

    None also if labels have to reach a size, of which parts know little.
    """
    weights = _list_weights(problem.objective, 1)
    return None if weights is None or not weights.exact else _found_bounds(problem)


def check(problem: Problem, arrays: Arrays) -> float:
    """Return the bound that prices and slopes prove: one evaluation, and no step."""
    return evaluated(problem.objective, problem.m, Prices(arrays["prices"], arrays["slopes"]))


PARTS = BoundMethod("parts", find, check)


def _found_bounds(problem: Problem) -> Iterator[FoundBound]:
    steps = problem.solver.by(get("expansion"))
    known = steps.parts.prices if isinstance(steps, MoveSolver) else None
    descent, none = descended(problem.objective, problem.m, None, problem.rows, known), problem.rows[:0]
    for _ in range(_EVALUATION_ROUNDS):
        large = problem.objective.model.n_variables > _FEWER_EVALUATIONS_FROM
        descent.run(_EVALUATIONS_AT_ONCE // 2 if large else _EVALUATIONS_AT_ONCE)
        arrays = {"prices": descent.prices.variables, "slopes": descent.prices.slopes}
        yield FoundBound(descent.bound, arrays, none, none)
        if descent.done:
            return


def _dual(objective: Objective, m: int) -> PartitionDual:
    weights = _list_weights(objective, m)
    assert weights is not None  # see `applies`
    assert isinstance(objective.model, PairwiseModel)
    return PartitionDual(objective.model, weights)


def _list_weights(objective: Objective, m: int) -> ListWeights | None:
    found = objective.diversity.list_weights(objective.model, m) if is_partition(objective.model) else None
    return None if found is None else objective.tradeoff * found


def _slopes_at(dual: PartitionDual, rows: Labels) -> Doubles:
    """Return slopes midway between what the last and what a further labeling of each group adds, (R, L)."""
    labels = np.arange(len(dual.weights.labels)).reshape(-1, 1)
    whole = [whole_regions((row == labels).view(np.uint8), dual.weights.regions) for row in rows]
    counts = np.sum(whole, axis=0).astype(np.int64)
    rises = np.diff(dual.weights.wholes, axis=2)
    last = np.take_along_axis(rises, np.maximum(counts - 1, 0)[:, :, None], axis=2)[:, :, 0]
    further = np.take_along_axis(rises, np.minimum(counts, len(rows) - 1)[:, :, None], axis=2)[:, :, 0]
    return np.clip((last + further) / 2, dual.low, dual.high)
