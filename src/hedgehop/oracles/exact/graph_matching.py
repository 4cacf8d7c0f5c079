# SPDX-License-Identifier: BSD-3-Clause
"""Best matchings of any graph: Edmonds' blossoms (Galil 1986), through networkx."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop._errors import need
from hedgehop.models import GraphMatching, Model
from hedgehop.oracles.exact.linear import LinearOracle
from hedgehop.potentials import Potential

_MATCHING_BITS = 100  # of the largest gain: blossoms are exact for whole numbers only


class Blossoms(LinearOracle[GraphMatching]):
    """``networkx.max_weight_matching``: O(n^3), in Python; ties are decided by networkx, always the same way.

    Examples
    --------
    >>> import hedgehop as hh
    >>> path = hh.GraphMatching(edges=[[0, 1], [1, 2], [2, 3]], weights=[2.0, 3.0, 2.0])
    >>> hh.best(path, oracle=hh.oracles.Blossoms()).labeling
    array([1, 0, 1], dtype=int32)
    """

    name = "graph_matching"
    summary = "Edmonds' blossoms on matchings of any graph; exact, with linear potentials"
    structure = GraphMatching

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse other structures, potentials that are not linear, and every step if networkx is missing."""
        reason = super().refusal(model, potentials)
        return reason or (None if find_spec("networkx") else "it needs networkx: pip install 'hedgehop[matching]'")

    def _argmax(self, model: GraphMatching, scores: Doubles) -> tuple[Labels, float]:
        forced, allowed = np.isneginf(scores[:, 0]), ~np.isneginf(scores[:, 1])
        chosen = forced.copy()
        for e in _blossoms(model, scores, forced, allowed):
            chosen[e] = True
        labels = chosen.astype(np.int32)
        if (forced & ~allowed).any() or not model._allows(labels[None])[0]:
            return labels, -np.inf
        return labels, float(scores[np.arange(labels.size), labels].sum())


def _blossoms(
    model: GraphMatching, scores: Doubles, forced: NDArray[np.bool_], allowed: NDArray[np.bool_]
) -> list[int]:
    """Edges of a best matching beside the forced ones, whose nodes are taken."""
    networkx: Any = need("networkx", "matching", "matchings of graphs")
    nodes, places = model.named
    taken = np.zeros(nodes.size, bool)
    taken[places[forced].ravel()] = True
    open_edges = np.flatnonzero(allowed & ~forced & ~taken[places].any(axis=1))
    gains, graph = _whole_gains(scores, open_edges), networkx.Graph()
    for e, gain in zip(open_edges.tolist(), gains, strict=True):
        i, j = model.edges[e].tolist()
        if not graph.has_edge(i, j) or graph[i][j]["weight"] < gain:  # of parallel edges the best
            graph.add_edge(i, j, weight=gain, edge=e)
    matched = networkx.max_weight_matching(graph, maxcardinality=model.perfect)
    return [graph[i][j]["edge"] for i, j in matched]


def _whole_gains(scores: Doubles, edges: NDArray[np.int64]) -> list[int]:
    """What choosing each edge adds, in whole numbers of a unit that is far below the last digit of the largest."""
    gains = scores[edges, 1] - scores[edges, 0]
    _, exponent = np.frexp(np.abs(gains).max(initial=0.0))
    return [int(gain) for gain in np.rint(np.ldexp(gains, _MATCHING_BITS - exponent))]
