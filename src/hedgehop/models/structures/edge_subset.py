# SPDX-License-Identifier: BSD-3-Clause
"""Subsets of the edges of a graph: what trees and matchings share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Floats, Labels, own
from hedgehop.models.edges import check_edges
from hedgehop.models.linear import LinearModel
from hedgehop.models.pairwise import Edges

_INT32_NODES = 2**31 - 1


class EdgeSubset(LinearModel):
    """A model with one variable per edge of a graph: 1 for the chosen ones, which add their weights.

    Attributes
    ----------
    edges : (E, 2) array of ints
        Pairs of nodes, parallel ones allowed.
    n_nodes : int
        Number of nodes.
    """

    edges: Edges
    n_nodes: int

    def _set_edges(
        self, edges: ArrayLike, weights: ArrayLike, n_nodes: int | None, what: str, name: str = "weights"
    ) -> None:
        """Check and keep the graph; `what` is chosen and `name` is the argument with the weights, for messages."""
        largest = int(_arrays.integers(edges, "edges").max(initial=-1))
        asked = 0 if n_nodes is None else _arrays.positive_count(n_nodes, "n_nodes")
        if max(largest, asked) > _INT32_NODES:
            raise ValueError(f"nodes must be below 2^31; got {max(largest, asked)}. Number them 0, 1, 2, ...")
        nodes = asked or largest + 1
        pairs = check_edges(edges, nodes, "node", f"It is in no {what}: leave it out.")
        if len(pairs) == 0:
            raise ValueError("edges must hold at least one edge; got none.")
        gains = _arrays.scores(weights, name, ndim=1)
        if gains.size != len(pairs):
            raise ValueError(f"{name} must have one entry per edge ({len(pairs)}); got {gains.size}.")
        counts: Labels = own(np.full(len(pairs), 2, np.int32))
        unary = own(np.stack([np.zeros_like(gains), gains], axis=1))
        self._set(edges=pairs, n_nodes=nodes, unary=unary, label_counts=counts, shape=(len(pairs),))

    @property
    def n_differing(self) -> int:
        """In how many variables two labelings can differ at most: few of the edges of a dense graph."""
        return min(self.n_variables, 2 * self._most_chosen)

    @property
    def _most_chosen(self) -> int:
        """How many edges a labeling chooses at most."""
        return self.n_nodes - 1

    @property
    def _same_size(self) -> bool:
        """Whether all labelings choose the same number of edges, so that a constant in all weights decides nothing."""
        return False

    def _undecided(self, ranges: Doubles) -> Doubles:
        """Ranges of the weights; from their median if labelings differ by exchanging edges."""
        allowed = self.weights[~np.isneginf(self.weights)].astype(np.float64)
        return np.abs(allowed - np.median(allowed)) if self._same_size and allowed.size else ranges

    def _without_constant(self, unary: Doubles) -> Doubles:
        """Take the median of the weights from all of them if labelings differ by exchanging edges."""
        allowed = unary[~np.isneginf(unary[:, 1]), 1]
        return unary - [0.0, np.median(allowed)] if self._same_size and allowed.size else unary

    @property
    def weights(self) -> Floats:
        """What each edge adds, (E,)."""
        return self.unary[:, 1]
