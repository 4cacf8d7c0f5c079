# SPDX-License-Identifier: BSD-3-Clause
"""From models to kernels: the arrays each solver takes, made in one place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop._errors import InfeasibleError
from hedgehop.models.grid import Grid
from hedgehop.models.pairwise import EdgeTables, PairwiseModel, Potts, SharedTable


def pair_tables(model: PairwiseModel) -> Doubles:
    """Scores of all edges as (E, L, L) tables, 0 where a variable has fewer labels."""
    labels = np.arange(model.n_labels)
    if (model.label_counts == labels.size).all():  # no loop over edges
        if isinstance(model.pairwise, Potts):
            return np.asarray(model.pairwise.strengths.astype(np.float64)[:, None, None] * (np.eye(labels.size) - 1.0))
        flat, offsets, columns = edge_tables(model)
        return np.asarray(flat[offsets[:, None, None] + labels[:, None] * columns[:, None, None] + labels])
    tables = np.zeros((len(model.edges), model.n_labels, model.n_labels))
    counts = model.label_counts[model.edges]
    for e, (rows, columns) in enumerate(counts.tolist()):
        tables[e, :rows, :columns] = model.pairwise.table(e, rows, columns)
    return tables


def edge_tables(model: PairwiseModel) -> tuple[Doubles, NDArray[np.int64], NDArray[np.int32]]:
    """Score tables end to end, where each edge's begins, and its number of columns; a shared table once."""
    pairwise, n_edges = model.pairwise, len(model.edges)
    if isinstance(pairwise, SharedTable):
        flat = np.ascontiguousarray(pairwise.values, np.float64).ravel()
        return flat, np.zeros(n_edges, np.int64), np.full(n_edges, model.n_labels, np.int32)
    assert isinstance(pairwise, EdgeTables)
    return np.ascontiguousarray(pairwise.flat, np.float64), pairwise.offsets, pairwise.columns


def message_solver(model: PairwiseModel) -> _core.Trws:
    """Build the solver of a model; it keeps references to the model's arrays."""
    if isinstance(model, Grid):  # no list of edges
        scores = model.unary.reshape(*model.shape, -1)
        return _core.Trws.grid(scores, model.connectivity, [s.astype(np.float64) for s in model.strengths])
    unary, edges, pairwise = model.unary, model.edges, model.pairwise
    if isinstance(pairwise, Potts):
        strengths = np.ascontiguousarray(pairwise.strengths, np.float64)
        return _core.Trws.potts(unary, model.label_counts, edges, strengths)
    return _core.Trws.tables(unary, model.label_counts, edges, *edge_tables(model))


def pass_messages(solver: _core.Trws, theta: Doubles | None, iterations: int) -> tuple[Labels, float, float]:
    """Return labeling, value and bound of unary + theta."""
    try:
        solver.add_linear(None if theta is None else np.ascontiguousarray(theta, np.float64))
    except ValueError as error:  # sizes are checked before: a variable has no label left
        raise InfeasibleError(f"{error}.") from None
    labeling, value, bound, _ = solver.run(iterations)
    return labeling, value, bound


def move_solver(model: PairwiseModel) -> _core.Moves:
    """Build the solver of a model's moves; it keeps references to the model's arrays."""
    if isinstance(model.pairwise, Potts):
        strengths = np.ascontiguousarray(model.pairwise.strengths, np.float64)
        return _core.Moves.potts(model.unary, model.edges, strengths)
    return _core.Moves.tables(model.unary, model.label_counts, model.edges, *edge_tables(model))


def expanded(
    solver: _core.Moves, theta: Doubles | None, labeling: Labels, candidates: NDArray[np.uint8] | None, rounds: int
) -> Labels:
    """Improve a labeling of unary + theta by expansion moves; its score never falls."""
    solver.set_linear(None if theta is None else np.ascontiguousarray(theta, np.float64))
    return solver.expand(np.ascontiguousarray(labeling.reshape(-1), np.int32), candidates, rounds)[0]
