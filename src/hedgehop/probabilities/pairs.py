# SPDX-License-Identifier: BSD-3-Clause
"""Pairwise scores of some edges, times factors: what temperatures and splittings need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles
from hedgehop.models import PairwiseModel
from hedgehop.models.pairwise import Potts, edge_tables
from hedgehop.oracles.pairwise.kernels import pair_tables


def scaled_pairs(model: PairwiseModel, scale: float, edges: NDArray[np.intp] | None = None) -> _core.Pairs:
    """Scores of all edges, or of some, times a scale."""
    if edges is None and scale == 1.0:
        return model.pairs
    some = slice(None) if edges is None else edges
    shape, counts, ends = model.unary.shape, model.label_counts, np.ascontiguousarray(model.edges[some])
    if isinstance(model.pairwise, Potts):
        strengths = np.asarray(model.pairwise.strengths[some] * scale, np.float64)
        return _core.Pairs.potts(shape, ends, np.ascontiguousarray(strengths), counts)
    flat, offsets, columns = edge_tables(model)
    begins, widths = np.ascontiguousarray(offsets[some]), np.ascontiguousarray(columns[some])
    return _core.Pairs.tables(shape, ends, flat * scale, begins, widths, counts)


def expected_pairs(model: PairwiseModel, chances: Doubles) -> tuple[Doubles, float]:
    """Under independent variables: what each label of each variable expects of its edges, (n, L), and of them all.

    The first is the gradient of the second: ``E[sum_e P_e(y_i, y_j)]`` of independent y with (n, L) chances.
    """
    field = np.zeros_like(chances)
    i, j = model.edges.T
    if isinstance(model.pairwise, Potts):
        strengths = np.asarray(model.pairwise.strengths, np.float64)[:, None]
        np.add.at(field, i, strengths * (chances[j] - 1.0))
        np.add.at(field, j, strengths * (chances[i] - 1.0))
    else:
        for block in np.array_split(np.arange(len(i)), 1 + len(i) * chances.shape[1] ** 2 // 2**22):
            tables = pair_tables(model, block)
            np.add.at(field, i[block], np.einsum("eab,eb->ea", tables, chances[j[block]]))
            np.add.at(field, j[block], np.einsum("eab,ea->eb", tables, chances[i[block]]))
    return field, 0.5 * float(np.sum(chances * field))
