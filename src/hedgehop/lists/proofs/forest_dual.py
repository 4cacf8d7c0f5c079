# SPDX-License-Identifier: BSD-3-Clause
"""The list dual where steps are max-sum on a forest: the same search, of which a kernel does whole rounds."""

from __future__ import annotations

import numpy as np

from hedgehop import _core
from hedgehop._arrays import own
from hedgehop.diversity.lines import MESSAGE_ITERATIONS, VariableLines
from hedgehop.lists.proofs.bounds import FoundBound, Problem
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.exact.tree import Tree
from hedgehop.oracles.exactness import stake


def forest_dual(problem: Problem, factor: float, lines: VariableLines, unit: float) -> _core.counts.ForestDual | None:
    """Return the kernel's search for slopes of ``factor * D``; None if it does not apply to a problem."""
    model, weights = problem.objective.model, lines.variable_weights
    at_stake = stake(model) or 0.0
    if not isinstance(model, PairwiseModel) or model.cliques or weights is None or not 0.0 < at_stake < np.inf:
        return None
    if not isinstance(problem.solver.linear_oracle, Tree) or problem.distance > 2:
        return None
    weights, scores = factor * weights, problem.objective.modular(problem.rows)
    if not 0.0 < weights.max() < np.inf or not np.isfinite(scores).all():
        return None
    unary = np.ascontiguousarray(model.unary, np.float64)
    constant = factor * lines.constant
    return _core.counts.ForestDual(
        unary, model.pairs, weights, lines.h, problem.rows, scores, at_stake, unit, constant, MESSAGE_ITERATIONS
    )


def forest_round(dual: _core.counts.ForestDual) -> FoundBound:
    """Return what one more round proves."""
    value, (cells, slopes), labeling, beginning = dual.round()
    return FoundBound(value, {"cells_0": own(cells), "slopes_0": own(slopes)}, own(labeling), own(beginning))
