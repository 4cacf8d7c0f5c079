# SPDX-License-Identifier: BSD-3-Clause
"""Edge lists: checked, and parallel edges merged into one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _core
from hedgehop._arrays import Labels, integers, own
from hedgehop.models.pairwise import Edges, EdgeTables, PairwiseScores, Potts


def check_edges(edges: ArrayLike, n_ends: int, end: str = "variable", instead_of_loop: str | None = None) -> Edges:
    """Check an (E, 2) list of pairs of different variables, or of whatever the `end` of an edge is."""
    given = np.asarray(edges)
    pairs = given if given.dtype in (np.int32, np.int64) else integers(edges, "edges")
    if pairs.size == 0:
        return own(np.zeros((0, 2), np.int32))
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"edges must have shape (E, 2); got {pairs.shape}.")
    if pairs.min() < 0 or pairs.max() >= n_ends:
        i, j = pairs[((pairs < 0) | (pairs >= n_ends)).any(axis=1)][0]
        raise ValueError(f"edge ({i}, {j}) names a {end} outside 0..{n_ends - 1}.")
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if loops.size:
        i = int(pairs[loops[0], 0])
        instead = instead_of_loop or f"Add its scores to the unary of variable {i} instead."
        raise ValueError(f"edge ({i}, {i}) is a self-loop. {instead}")
    return own(np.array(pairs, np.int32, order="C"))


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
