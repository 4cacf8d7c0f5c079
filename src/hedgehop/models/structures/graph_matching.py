# SPDX-License-Identifier: BSD-3-Clause
"""Matchings of the nodes of any graph."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays
from hedgehop._arrays import Labels
from hedgehop._errors import InfeasibleError
from hedgehop.models.structures.edge_subset import EdgeSubset


class GraphMatching(EdgeSubset):
    """``r(y) = sum of the weights of the chosen edges``, to be maximised over the matchings of a graph.

    No two chosen edges share a node. A labeling has one variable per edge: 1 for the chosen edges, 0 for the others.
    For bipartite graphs, rows and columns, :class:`Matching` is much faster and has one variable per row.

    Parameters
    ----------
    edges : (E, 2) array of ints
        Pairs of nodes. Parallel edges are allowed, each with its own variable; self-loops are refused.
    weights : (E,) array
        What each edge adds, of any sign; ``-inf`` forbids it.
    perfect : bool
        Whether every node must be matched. The first step fails if there is no such matching.
    n_nodes : int, optional
        Number of nodes; by default one more than the largest in `edges`.

    Examples
    --------
    >>> import hedgehop as hh
    >>> rooms = hh.GraphMatching(edges=[[0, 1], [1, 2], [0, 2], [2, 3]], weights=[3, 4, 1, 2])  # four people
    >>> rooms
    GraphMatching(4 nodes, 4 edges)
    >>> hh.best(rooms).labeling.tolist()
    [1, 0, 0, 1]
    """

    perfect: bool

    _only_scores = True

    def __init__(self, edges: ArrayLike, weights: ArrayLike, perfect: bool = False, n_nodes: int | None = None) -> None:
        self._set_edges(edges, weights, n_nodes, "matching")
        self._set(perfect=_arrays.flag(perfect, "perfect"))
        if self.perfect:
            self._refuse_left_over()

    def pairs(self, labeling: ArrayLike) -> NDArray[np.int32]:
        """Pairs of nodes that one labeling matches, (k, 2)."""
        flat, _ = _arrays.as_labelings(labeling, self.shape, self.label_counts)
        return np.asarray(self.edges[flat[0] == 1])

    @property
    def _most_chosen(self) -> int:
        return self.n_nodes // 2

    @property
    def _same_size(self) -> bool:
        return self.perfect

    def _allows(self, flat: Labels) -> NDArray[np.bool_]:
        degrees = [self._degrees(row == 1) for row in flat]
        return np.array([(d == 1 if self.perfect else d <= 1).all() for d in degrees], bool)

    def _degrees(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """How many of the chosen edges each node has that has any edge at all."""
        nodes, places = self.named
        return np.bincount(places[chosen].ravel(), minlength=nodes.size)

    @cached_property
    def named(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Nodes that have edges, and the ends of all edges as places among them, (E, 2)."""
        nodes, places = np.unique(self.edges, return_inverse=True)
        return nodes, places.reshape(-1, 2)

    def _refuse_left_over(self) -> None:
        """Refuse what can be seen at once: an odd number of nodes, a node without an edge."""
        nodes, _ = self.named
        alone = nodes[self._degrees(~np.isneginf(self.weights)) == 0].tolist()
        gaps = np.flatnonzero(nodes != np.arange(nodes.size)).tolist()
        alone += gaps[:1] if gaps or nodes.size == self.n_nodes else [nodes.size]
        if self.n_nodes % 2 == 0 and not alone:
            return
        reason = f"node {min(alone)} has no allowed edge" if alone else f"the number of nodes is {self.n_nodes}, odd"
        raise InfeasibleError(f"no perfect matching is allowed: {reason}. Use perfect=False, or allow more edges.")

    def __repr__(self) -> str:
        return f"GraphMatching({self.n_nodes} nodes, {self.n_variables} edges{', perfect' if self.perfect else ''})"
