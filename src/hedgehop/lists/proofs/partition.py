# SPDX-License-Identifier: BSD-3-Clause
"""The partition dual of lists: labels and regions covered by Potts models (docs/theory.md 11).

A labeling that uses label l has a part X_l that is not empty, so c labelings that do earn ``worth(c)`` and at most
c times the best part. No oracle is asked: one evaluation is a minimum cut per label.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop.diversity.base import Diversity, parsimony_rate
from hedgehop.diversity.combine import WeightedSum
from hedgehop.diversity.coverage import Coverage
from hedgehop.diversity.labels import LabelCoverage
from hedgehop.diversity.regions import RegionCoverage
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.evidence import Arrays, Evidence, Problem, Provider
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.pairwise.moves import MoveSolver
from hedgehop.oracles.registry import get
from hedgehop.oracles.relaxation.partition import Descent, PartitionDual, Prices, Worths, is_partition
from hedgehop.potentials.labels import least_count

_EVALUATIONS_AT_ONCE = 20  # evaluations, about as long as a step
_EVALUATION_ROUNDS = 5  # of so many evaluations: later ones hardly gain
_FEWER_EVALUATIONS_FROM = 100_000  # variables from which a step takes half as many


def applies(objective: Objective) -> bool:
    """Whether the partition dual bounds this objective: labels or regions, on Potts scores alone."""
    return is_partition(objective.model) and all(_is_known(term) for _, term in _terms(objective.diversity))


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
        first = Prices(first.variables, _slopes_at(objective, dual, rows))
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


def find(problem: Problem) -> Iterator[Evidence] | None:
    """Yield a bound per so many evaluations as take about as long as a step; None if labels have no parts."""
    known = applies(problem.objective) and not _has_sizes(problem.objective)
    return _evidence(problem) if known else None


def check(problem: Problem, arrays: Arrays) -> float:
    """Return the bound that prices and slopes prove: one evaluation, and no step."""
    return evaluated(problem.objective, problem.m, Prices(arrays["prices"], arrays["slopes"]))


PARTS = Provider("parts", find, check)


def _evidence(problem: Problem) -> Iterator[Evidence]:
    steps = problem.solver.by(get("expansion"))
    known = steps.parts.prices if isinstance(steps, MoveSolver) else None
    descent, none = descended(problem.objective, problem.m, None, problem.rows, known), problem.rows[:0]
    for _ in range(_EVALUATION_ROUNDS):
        large = problem.objective.model.n_variables > _FEWER_EVALUATIONS_FROM
        descent.run(_EVALUATIONS_AT_ONCE // 2 if large else _EVALUATIONS_AT_ONCE)
        arrays = {"prices": descent.prices.variables, "slopes": descent.prices.slopes}
        yield Evidence(descent.bound, arrays, none, none)
        if descent.done:
            return


def _has_sizes(objective: Objective) -> bool:
    """Whether labels have to reach a size, of which parts know little."""
    covers = [term for _, term in _terms(objective.diversity) if isinstance(term, LabelCoverage)]
    return any(least_count(share, objective.model.n_variables) > 1 for term in covers for share in term.min_share)


def _dual(objective: Objective, m: int) -> PartitionDual:
    assert isinstance(objective.model, PairwiseModel)
    return PartitionDual(objective.model, _worths(objective, m))


def _terms(diversity: Diversity) -> tuple[tuple[float, Diversity], ...]:
    return diversity.terms if isinstance(diversity, WeightedSum) else ((1.0, diversity),)


def _is_known(term: Diversity) -> bool:
    if type(term) is RegionCoverage:
        return max(term.slacks) == 1  # slopes of nested groups would change capacities, not terminals alone
    return type(term) is LabelCoverage


def _worths(objective: Objective, m: int) -> Worths:
    model, labels = objective.model, int(objective.model.label_counts.max())
    used, regions, wholes = np.zeros((labels, m + 1)), [], [np.zeros((0, labels, m + 1))]
    for factor, term in _terms(objective.diversity):
        assert isinstance(term, Coverage)
        table = objective.tradeoff * factor * _group_worths(term, objective, m)
        if isinstance(term, LabelCoverage):
            for share, rows in zip(term.min_share, table.reshape(-1, labels, m + 1), strict=True):
                # A label that reaches a size is used, so no more labelings do: the best worth up to their number.
                large = least_count(share, model.n_variables) > 1
                used += np.maximum.accumulate(rows, axis=1) if large else rows
        elif isinstance(term, RegionCoverage):
            regions += list(term.regions)
            wholes.append(table.reshape(-1, labels, m + 1))
    return Worths(used, regions, np.concatenate(wholes), np.ones(len(regions)))


def _group_worths(term: Coverage, objective: Objective, m: int) -> Doubles:
    """What each group adds by the number of labelings in it, (G, m + 1)."""
    counts = np.arange(m + 1)
    worth = term.h.upto(m) + parsimony_rate(term.parsimony, term.h) * counts
    return np.outer(term.group_weights(objective.model), worth)


def _slopes_at(objective: Objective, dual: PartitionDual, rows: Labels) -> Doubles:
    """Return slopes midway between what the last and what a further labeling of each group adds, (R, L)."""
    covers = [term for _, term in _terms(objective.diversity) if isinstance(term, RegionCoverage)]
    counts = np.concatenate([term.counts(objective.model, rows) for term in covers]).reshape(dual.low.shape)
    rises = np.diff(dual.worths.wholes, axis=2)
    last = np.take_along_axis(rises, np.maximum(counts - 1, 0)[:, :, None], axis=2)[:, :, 0]
    further = np.take_along_axis(rises, np.minimum(counts, len(rows) - 1)[:, :, None], axis=2)[:, :, 0]
    return np.clip((last + further) / 2, dual.low, dual.high)
