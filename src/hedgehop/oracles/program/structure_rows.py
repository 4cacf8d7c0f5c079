# SPDX-License-Identifier: BSD-3-Clause
"""Trees, parses and matchings as rows of a linear program (docs/theory.md 10)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hedgehop._arrays import Ints
from hedgehop.models import Arborescence, GraphMatching, LinearModel, Matching, SpanningTree, UnaryModel
from hedgehop.oracles.program.program import Columns, Program


def encode_matching(program: Program, x: Columns, model: Matching) -> None:
    """Each column serves one row at most."""
    program.rows(x[:, : model.n_columns].T, 1.0, high=1.0)


def encode_graph_matching(program: Program, x: Columns, model: GraphMatching) -> None:
    """Each node has one chosen edge at most, or exactly one."""
    for node in np.unique(model.edges):
        chosen = x[(model.edges == node).any(axis=1), 1]
        program.rows(chosen[None], 1.0, low=float(model.perfect), high=1.0)


def encode_arborescence(program: Program, x: Columns, model: Arborescence) -> None:
    """The root reaches all words along the arcs of their heads."""
    n = model.n_variables
    arcs = x.reshape(n, n + 1, model.n_relations)
    word, head = np.nonzero(~np.eye(n, n + 1, k=1, dtype=bool))  # all but a word's own
    _reach_all(program, n + 1, head, word + 1, arcs[word, head])
    if model.single_root:
        program.rows(arcs[:, 0].reshape(1, -1), 1.0, low=1.0, high=1.0)


def encode_spanning_tree(program: Program, x: Columns, model: SpanningTree) -> None:
    """The edges of the tree, directed away from node 0: one arc into every other node."""
    n_edges = len(model.edges)
    arcs = program.columns(2 * n_edges).reshape(2, n_edges)
    program.rows(np.stack([*arcs, x[:, 1]], axis=1), [1.0, 1.0, -1.0], low=0.0, high=0.0)
    tails, heads = np.concatenate([model.edges, model.edges[:, ::-1]]).T
    for node in range(model.n_nodes):
        program.rows(arcs.ravel()[heads == node][None], 1.0, low=float(node > 0), high=float(node > 0))
    _reach_all(program, model.n_nodes, tails, heads, arcs.reshape(-1, 1))


def _reach_all(program: Program, n_nodes: int, tails: Ints, heads: Ints, arcs: Columns) -> None:
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
    return model.n_variables**3 if isinstance(model, Arborescence) else 0


ENCODED: dict[type[UnaryModel], Callable[[Program, Columns, Any], None]] = {
    Arborescence: encode_arborescence,
    GraphMatching: encode_graph_matching,
    Matching: encode_matching,
    SpanningTree: encode_spanning_tree,
}
