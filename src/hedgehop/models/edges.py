# SPDX-License-Identifier: BSD-3-Clause
"""Edge lists: checked, parallel edges merged into one, pairs of labels forbidden on them; what they connect."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _core
from hedgehop._arrays import Floats, Labels, integers, own, rectangular
from hedgehop.models.pairwise import Edges, EdgeTables, PairwiseModel, PairwiseScores, Potts, SharedTable

Rows = NDArray[np.int64]


def check_edges(edges: ArrayLike, n_ends: int, end: str = "variable", instead_of_loop: str | None = None) -> Edges:
    """Check an (E, 2) list of pairs of different variables, or of whatever the `end` of an edge is."""
    given = rectangular(edges, "edges")
    pairs = given if given.dtype in (np.int32, np.int64) else integers(edges, "edges")
    if pairs.size == 0:
        return own(np.zeros((0, 2), np.int32))
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"edges must have shape (E, 2); got {pairs.shape}.")
    flat, good = _core.graphs.copied_edges(n_ends, np.ascontiguousarray(pairs))
    if not good:
        _refuse_edges(pairs, n_ends, end, instead_of_loop)
    return own(own(flat).reshape(-1, 2))


def _refuse_edges(pairs: NDArray[Any], n_ends: int, end: str, instead_of_loop: str | None) -> NoReturn:
    """Say which end does not exist, or which edge is a loop."""
    if pairs.min() < 0 or pairs.max() >= n_ends:
        i, j = pairs[((pairs < 0) | (pairs >= n_ends)).any(axis=1)][0]
        raise ValueError(f"edge ({i}, {j}) names a {end} outside 0..{n_ends - 1}.")
    i = int(pairs[pairs[:, 0] == pairs[:, 1]][0, 0])
    instead = instead_of_loop or f"Add its scores to the unary of variable {i} instead."
    raise ValueError(f"edge ({i}, {i}) is a self-loop. {instead}")


def merge_parallel(edges: Edges, scores: PairwiseScores, counts: Labels) -> tuple[Edges, PairwiseScores]:
    """Merge edges between the same two variables; the first one gives place and direction."""
    if not _core.graphs.has_parallel(counts.size, edges):
        return edges, scores
    low, high = edges.min(axis=1), edges.max(axis=1)
    keys = low.astype(np.int64) * counts.size + high
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))[group.reshape(-1)]  # the merged edge of each edge, in order of appearance
    kept = np.sort(first)
    merged = own(np.ascontiguousarray(edges[kept]))
    if isinstance(scores, Potts):
        return merged, Potts(own(np.bincount(place, weights=scores.strengths, minlength=kept.size)))
    return merged, _sum_tables(edges, scores, counts, place, merged)


def _sum_tables(
    edges: Edges, scores: PairwiseScores, counts: Labels, place: NDArray[np.int64], merged: Edges
) -> EdgeTables:
    tables = [np.zeros((counts[i], counts[j])) for i, j in merged]
    for e, (i, j) in enumerate(edges):
        table = scores.table(e, int(counts[i]), int(counts[j]))
        tables[place[e]] += table if merged[place[e], 0] == i else table.T
    return EdgeTables(tables)


def with_forbidden(model: PairwiseModel, pairs: ArrayLike) -> tuple[Edges, EdgeTables]:
    """Return the edges and tables of a model with forbidden pairs, rows (i, a, j, b), on its edges or on new ones."""
    rows = _checked_pairs(pairs, model)
    edges, place, turned = _edges_for(model, rows)
    counts = model.label_counts[edges].astype(np.int64)
    sizes = counts.prod(axis=1)
    flat = np.concatenate([_tables(model), np.zeros(int(sizes[len(model.edges) :].sum()))])
    first, second = np.where(turned, rows[:, 3], rows[:, 1]), np.where(turned, rows[:, 1], rows[:, 3])
    flat[(np.cumsum(sizes) - sizes)[place] + first * counts[place, 1] + second] = -np.inf
    return own(edges.astype(np.int32)), EdgeTables.packed(own(flat), *counts.T)


def _checked_pairs(pairs: ArrayLike, model: PairwiseModel) -> Rows:
    rows = integers(pairs, "pairs")
    if rows.size == 0:
        return np.zeros((0, 4), np.int64)
    if rows.ndim != 2 or rows.shape[1] != 4:
        raise ValueError(f"pairs must have rows (variable, label, variable, label); got shape {rows.shape}.")
    variables, labels = rows[:, ::2], rows[:, 1::2]
    outside = (variables < 0) | (variables >= model.n_variables)
    if outside.any():
        raise ValueError(f"pairs must name variables 0..{model.n_variables - 1}; got {variables[outside][0]}.")
    same = np.flatnonzero(variables[:, 0] == variables[:, 1])
    if same.size:
        raise ValueError(
            f"pairs must name two different variables; got variable {variables[same[0], 0]} twice. To forbid one "
            "label, give it the unary score -inf."
        )
    missing = (labels < 0) | (labels >= model.label_counts[variables])
    if missing.any():
        i = int(variables[missing][0])
        raise ValueError(
            f"pairs must name labels of their variables; variable {i} has labels 0..{model.label_counts[i] - 1}; "
            f"got {labels[missing][0]}."
        )
    return rows


def _edges_for(model: PairwiseModel, rows: Rows) -> tuple[Rows, Rows, NDArray[np.bool_]]:
    """Edges of the model and new ones, the edge of each row, and whether the row names its ends the other way."""
    known, asked = model.edges.astype(np.int64), rows[:, ::2]
    both = np.concatenate([known, asked])
    keys = both.min(axis=1) * model.n_variables + both.max(axis=1)
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)  # the first of equals is the model's
    kept = np.sort(first)
    place = np.searchsorted(kept, first[group.reshape(-1)])[len(known) :]
    edges = both[kept]
    return edges, place, edges[place, 0] != asked[:, 0]


def _tables(model: PairwiseModel) -> Floats:
    """Scores of all edges, end to end."""
    pairs, labels = model.pairwise, model.n_labels
    if isinstance(pairs, EdgeTables):
        return pairs.end_to_end()
    counts = model.label_counts[model.edges]
    if isinstance(pairs, Potts):
        tables = pairs.strengths.astype(np.float64)[:, None, None] * (np.eye(labels) - 1.0)
    else:
        assert isinstance(pairs, SharedTable)
        tables = np.broadcast_to(pairs.values, (len(counts), labels, labels))
    return tables[(np.arange(labels) < counts[:, :1])[:, :, None] & (np.arange(labels) < counts[:, 1:])[:, None, :]]


def components(edges: NDArray[np.integer], n: int) -> NDArray[np.int32]:
    """Return the connected component of each of n nodes, (n,)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    i, j = edges.T
    graph = coo_array((np.ones(i.size), (i, j)), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1])
