# SPDX-License-Identifier: BSD-3-Clause
"""Spanning trees of a graph."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _core
from hedgehop._arrays import Labels
from hedgehop._errors import InfeasibleError
from hedgehop.models.edges import components
from hedgehop.models.structures.edge_subset import EdgeSubset


class SpanningTree(EdgeSubset):
    """``r(y) = sum of the weights of the edges in the tree``, to be maximised over the spanning trees of a graph.

    A labeling has one variable per edge: 1 for the edges of the tree, 0 for the others. Two trees differ in two
    variables for every edge that is in one and not in the other.

    Parameters
    ----------
    edges : (E, 2) array of ints
        Pairs of nodes. Parallel edges are allowed, each with its own variable; self-loops are refused.
    weights : (E,) array
        What each edge adds to a tree, of any sign; ``-inf`` forbids it. The others must connect all nodes.
    n_nodes : int, optional
        Number of nodes; by default one more than the largest in `edges`.

    Examples
    --------
    >>> import hedgehop as hh
    >>> roads = hh.SpanningTree(edges=[[0, 1], [1, 2], [0, 2], [2, 3]], weights=[3, 2, 1, 5])
    >>> roads
    SpanningTree(4 nodes, 4 edges)
    >>> hh.best(roads).labeling.tolist()
    [1, 1, 0, 1]
    >>> hh.diverse(roads, hh.LinearHamming(), m=2, tradeoff=1.0).labelings.tolist()
    [[1, 1, 0, 1], [1, 0, 1, 1]]
    """

    _only_scores = True

    def __init__(self, edges: ArrayLike, weights: ArrayLike, n_nodes: int | None = None) -> None:
        self._set_edges(edges, weights, n_nodes, "tree")
        self._refuse_parts()

    @property
    def _same_size(self) -> bool:
        return True

    def _allows(self, flat: Labels) -> NDArray[np.bool_]:
        return _core.graphs.are_spanning_trees(self.n_nodes, self.edges, flat).astype(bool)

    def _refuse_parts(self) -> None:
        """Refuse a graph whose allowed edges leave a node apart."""
        if self.n_nodes > len(self.edges) + 1:  # some node has no edge: no need for a place for each
            named = np.unique(self.edges)
            gaps = np.flatnonzero(named != np.arange(named.size))
            self._refuse_part(int(gaps[0]) if gaps.size else int(named.size))
        part = components(self.edges[~np.isneginf(self.weights)], self.n_nodes)
        apart = np.flatnonzero(part != part[0])
        if apart.size:
            self._refuse_part(int(apart[0]))

    def _refuse_part(self, node: int) -> NoReturn:
        what = "joined to any other" if node == 0 else "reached from node 0"
        raise InfeasibleError(
            f"edges must connect all {self.n_nodes} nodes; without forbidden ones, node {node} cannot be {what}. Add "
            "edges, number the nodes 0, 1, 2, ..., or make a model of each part."
        )

    def __repr__(self) -> str:
        return f"SpanningTree({self.n_nodes} nodes, {self.n_variables} edges)"
