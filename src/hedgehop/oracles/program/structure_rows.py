# SPDX-License-Identifier: BSD-3-Clause
"""Trees, parses, matchings and routes as rows of a linear program (docs/theory.md 10)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hedgehop._arrays import Ints
from hedgehop.models import (
    Arborescence,
    GraphMatching,
    LinearModel,
    Matching,
    Model,
    Path,
    Program,
    SpanningTree,
    UnaryModel,
)
from hedgehop.oracles.program.program import ColumnIndices, LinearProgram


def encode_matching(program: LinearProgram, x: ColumnIndices, model: Matching) -> None:
    """Each column serves one row at most."""
    program.rows(x[:, : model.n_columns].T, 1.0, high=1.0)


def encode_graph_matching(program: LinearProgram, x: ColumnIndices, model: GraphMatching) -> None:
    """Each node has one chosen edge at most, or exactly one."""
    for node in np.unique(model.edges):
        chosen = x[(model.edges == node).any(axis=1), 1]
        program.rows(chosen[None], 1.0, low=float(model.perfect), high=1.0)


def encode_arborescence(program: LinearProgram, x: ColumnIndices, model: Arborescence) -> None:
    """The root reaches all words along the arcs of their heads."""
    n = model.n_variables
    arcs = x.reshape(n, n + 1, model.n_relations)
    own = np.eye(n, n + 1, k=1, dtype=bool)
    word, head = np.nonzero(~own & program.may_be_used(arcs).any(axis=2))
    _reach_all(program, n + 1, head, word + 1, arcs[word, head])
    if model.single_root:
        program.rows(arcs[:, 0].reshape(1, -1), 1.0, low=1.0, high=1.0)


def encode_spanning_tree(program: LinearProgram, x: ColumnIndices, model: SpanningTree) -> None:
    """The edges of the tree, directed away from node 0: one arc into every other node."""
    usable = program.may_be_used(x[:, 1])
    edges, n_edges = model.edges[usable], int(usable.sum())
    arcs = program.columns(2 * n_edges).reshape(2, n_edges)
    program.rows(np.stack([*arcs, x[usable, 1]], axis=1), [1.0, 1.0, -1.0], low=0.0, high=0.0)
    tails, heads = np.concatenate([edges, edges[:, ::-1]]).T
    for node in range(model.n_nodes):
        program.rows(arcs.ravel()[heads == node][None], 1.0, low=float(node > 0), high=float(node > 0))
    _reach_all(program, model.n_nodes, tails, heads, arcs.reshape(-1, 1))


def encode_path(program: LinearProgram, x: ColumnIndices, model: Path) -> None:
    """One unit flows from source to target; on graphs with cycles, nodes are numbered in order of travel."""
    tails, heads = model.edges.T
    arcs = x[:, 1]
    if not model.directed:
        both = program.columns(2 * arcs.size, integer=True).reshape(2, -1)
        program.rows(np.stack([*both, arcs], axis=1), [1.0, 1.0, -1.0], low=0.0, high=0.0)
        arcs, (tails, heads) = both.ravel(), np.concatenate([model.edges, model.edges[:, ::-1]]).T
    for node in np.unique(model.edges):
        come, go = arcs[heads == node], arcs[tails == node]
        kept = float(node == model.target) - float(node == model.source)
        factors = [1.0] * come.size + [-1.0] * go.size
        program.rows(np.concatenate([come, go])[None], [factors], low=kept, high=kept)
        if go.size:
            program.rows(go[None], 1.0, high=float(node != model.target))
    if not model.graph.is_acyclic:
        _number_nodes(program, arcs, tails, heads)


def encode_program(program: LinearProgram, x: ColumnIndices, model: Program) -> None:
    """The columns that are not labelled, and all rows, in which labels stand for the values they mean."""
    rest = model.completed
    places = np.full(model.gains.size, -1, np.int64)
    for integral in (True, False):  # columns of one kind at a time
        for column in rest[model.integral[rest] == integral].tolist():
            limits = {"low": float(model.low[column]), "high": float(model.high[column])}
            [places[column]] = program.columns(1, model.gains[column], integer=integral, **limits)
    labels = np.arange(x.shape[1], dtype=float)
    position = {int(column): i for i, column in enumerate(model.columns)}
    for k in range(model.row_low.size):
        row = model.matrix[[k]].tocoo()
        where, factors, known = [], [], 0.0
        for column, factor in zip(row.coords[1].tolist(), row.data.tolist(), strict=True):
            if column in position:
                i = position[column]
                known += factor * float(model.first_values[i])
                where.append(x[i, 1:])
                factors.append(factor * labels[1:])
            else:
                where.append(places[[column]])
                factors.append(np.array([factor]))
        if where:
            low, high = model.row_low[k] - known, model.row_high[k] - known
            program.rows(np.concatenate(where)[None], np.concatenate(factors)[None], low=low, high=high)


def _number_nodes(program: LinearProgram, arcs: ColumnIndices, tails: Ints, heads: Ints) -> None:
    """Along every chosen arc the number grows by 1 at least, so that none closes a cycle (Miller et al. 1960)."""
    nodes, places = np.unique(np.stack([tails, heads]), return_inverse=True)
    first, second = places.reshape(2, -1)
    most = float(nodes.size)
    numbers = program.columns(nodes.size, high=most)
    program.rows(np.stack([numbers[first], numbers[second], arcs], axis=1), [1.0, -1.0, most], high=most - 1.0)


def _reach_all(program: LinearProgram, n_nodes: int, tails: Ints, heads: Ints, arcs: ColumnIndices) -> None:
    """Send one unit from node 0 to every other node along chosen arcs: as tight as all cuts (Wong 1984).

    Row a of `arcs` holds the columns of which one must be chosen for arc a to carry anything.
    """
    flows = program.columns((n_nodes - 1) * len(arcs)).reshape(n_nodes - 1, len(arcs))
    open_arcs = np.tile(arcs, (n_nodes - 1, 1))
    factors = [1.0] + [-1.0] * arcs.shape[1]
    program.rows(np.concatenate([flows.reshape(-1, 1), open_arcs], axis=1), factors, high=0.0)
    for node in range(1, n_nodes):
        come, go = flows[:, heads == node], flows[:, tails == node]
        factors = [1.0] * come.shape[1] + [-1.0] * go.shape[1]
        stay = np.arange(1, n_nodes) == node
        program.rows(np.concatenate([come, go], axis=1), factors, low=stay, high=stay)


def structure_columns(model: LinearModel) -> int:
    """How many columns a structure needs beside one per label."""
    if isinstance(model, SpanningTree):
        return 2 * len(model.edges) * model.n_nodes
    if isinstance(model, Path) and not model.graph.is_acyclic:
        return 2 * len(model.edges) + model.n_nodes
    return model.n_variables**3 if isinstance(model, Arborescence) else 0


_Encoder = Callable[[LinearProgram, ColumnIndices, Any], None]
_ENCODERS: dict[type[UnaryModel], _Encoder] = {
    Arborescence: encode_arborescence,
    GraphMatching: encode_graph_matching,
    Matching: encode_matching,
    Path: encode_path,
    Program: encode_program,
    SpanningTree: encode_spanning_tree,
}


def encoder(model: Model) -> _Encoder | None:
    """Return what writes the rows of a structure; None for unknown ones, and for subclasses with rules of their own."""
    kind = next((kind for kind in type(model).__mro__ if kind in _ENCODERS), None)
    rules = ("score", "_joint_score", "_allows")
    same = kind is not None and all(getattr(type(model), r, None) is getattr(kind, r, None) for r in rules)
    return _ENCODERS[kind] if kind is not None and same else None
