# SPDX-License-Identifier: BSD-3-Clause
"""Joint features of graphs: superpixels, molecules, any edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgehop._arrays import Doubles
from hedgehop.learning.examples import Example, link_features, node_features, parts_of, with_scores
from hedgehop.learning.joint import JointMap
from hedgehop.models import FactorGraph
from hedgehop.models.edges import check_edges


class GraphMap(JointMap):
    """Inputs are node features (n, d), or tuples of them, edges (E, 2), edge features (E, k), scores (n, L[, k])."""

    @staticmethod
    def read(x: Any, connectivity: int) -> Example:
        """Check one graph."""
        names = ("node features (n, d)", "edges (E, 2)", "edge features (E, k)", "scores (n, L) or (n, L, k)")
        nodes, edges, links, scores = parts_of(x, names)
        rows = node_features(nodes, (2,), "(n, d)")
        pairs = check_edges(np.zeros((0, 2), np.int32) if edges is None else edges, len(rows))
        return with_scores(Example(rows, pairs, link_features(links, len(pairs)), (len(rows),)), scores)

    def model(self, example: Example, weights: Doubles, shift: float = 0.0) -> FactorGraph:
        """Return the factor graph; parallel edges are merged there."""
        return FactorGraph(self.node_scores(example, weights, shift), example.edges, self.edge_scores(example, weights))
