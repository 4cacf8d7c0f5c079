# SPDX-License-Identifier: BSD-3-Clause
"""Annealing: better labelings if scores contradict each other, so that cuts and messages round badly."""

from __future__ import annotations

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.folding import changed_unary
from hedgehop.oracles.pairwise.kernels import pair_tables, table_pairs

_MOST_SWEEPS, _FEWEST_SWEEPS = 1000, 300  # of a run on all but small models; of one that is worth it on large ones
_VISITED_SCORES = 100_000_000  # scores visited in all: about a second
_MOST_TABLE_ENTRIES = 5_000_000  # of all tables


def annealed(model: PairwiseModel, theta: Doubles | None, labeling: Labels) -> Labels:
    """Return a labeling of unary + theta that is no worse, and deterministic; the given one of a large model."""
    flat = np.ascontiguousarray(labeling.reshape(-1), np.int32)
    members = [c.variables for c in model.cliques]
    starts = np.cumsum([0, *(v.size for v in members)]).astype(np.int64)
    cells = sum(c.table.size for c in model.cliques) + len(model.edges) * model.n_labels**2
    size = model.n_variables + len(model.edges) + int(starts[-1])
    sweeps = min(_MOST_SWEEPS, 20 * model.n_variables, _VISITED_SCORES // size)
    if _FEWEST_SWEEPS * size > _VISITED_SCORES or not 0 < cells <= _MOST_TABLE_ENTRIES:
        return flat
    tables = pair_tables(model)
    parts = [c.table.astype(np.float64).ravel() for c in model.cliques]
    unary, pairs, joint = _finite([changed_unary(model, theta), tables, np.concatenate([np.zeros(0), *parts])])
    return _core.local.anneal(
        unary, table_pairs(model, pairs), np.concatenate([np.zeros(0), *members]).astype(np.int32), starts, joint, flat,
        _VISITED_SCORES // (sweeps * size), sweeps, _temperature(tables, parts),
    )  # fmt: skip


def _finite(scores: list[Doubles]) -> list[Doubles]:
    """Return scores in which what is forbidden costs more than all that is allowed may bring."""
    allowed = [np.abs(s[np.isfinite(s)]).sum() for s in scores]
    least = -2.0 * float(sum(allowed)) - 1.0
    return [np.maximum(s, least) for s in scores]


def _temperature(tables: Doubles, parts: list[Doubles]) -> float:
    """Return most of a mean range of the joint scores, what is forbidden aside."""
    spans = [np.ptp(t[np.isfinite(t)]) for t in (*tables, *parts) if np.isfinite(t).any()]
    return max(0.8 * float(np.mean(spans)), 1e-30) if spans else 1.0
