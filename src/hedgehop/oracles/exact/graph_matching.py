# SPDX-License-Identifier: BSD-3-Clause
"""Best matchings of any graph: Edmonds' blossoms with duals in whole numbers (C++)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.structures.graph_matching import GraphMatching
from hedgehop.oracles.exact.linear import LinearOracle
from hedgehop.potentials import Potential


class Blossoms(LinearOracle[GraphMatching]):
    """Matchings of largest weight by alternating trees, one per node that is left (Edmonds 1965, Galil 1986).

    Weights become whole numbers of 100 bits, so that small ones count beside huge ones.

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

    def _argmax(self, model: GraphMatching, scores: Doubles, rest: Sequence[Potential]) -> tuple[Labels, float]:
        forced, allowed = np.isneginf(scores[:, 0]), ~np.isneginf(scores[:, 1])
        chosen, found = _beside(model, scores, forced, allowed)
        labels = (chosen | forced).astype(np.int32)
        if not found or (forced & ~allowed).any() or not model._allows(labels[None])[0]:
            return labels, -np.inf
        return labels, float(scores[np.arange(labels.size), labels].sum())


def _beside(
    model: GraphMatching, scores: Doubles, forced: NDArray[np.bool_], allowed: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], bool]:
    """Edges of a best matching beside the forced ones, whose nodes are taken, and whether there is one."""
    nodes, places = model.named
    taken = np.zeros(nodes.size, bool)
    taken[places[forced].ravel()] = True
    left = np.cumsum(~taken) - 1  # the others, numbered again
    free = np.flatnonzero(allowed & ~forced & ~taken[places].any(axis=1))
    gains = np.ascontiguousarray(scores[free, 1] - scores[free, 0])
    ends = np.ascontiguousarray(left[places[free]], np.int32)
    kept, found = _core.graphs.best_matching(int((~taken).sum()), ends, gains, model.perfect)
    chosen = np.zeros(len(scores), bool)
    chosen[free[kept.astype(bool)]] = True
    return chosen, found
