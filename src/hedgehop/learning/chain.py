# SPDX-License-Identifier: BSD-3-Clause
"""Joint features of sequences: words, sentences, tracks."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgehop._arrays import Doubles
from hedgehop.learning.examples import Example, link_features, node_features, parts_of, with_scores
from hedgehop.learning.joint import JointMap
from hedgehop.models import Chain


class ChainMap(JointMap):
    """Inputs are features (T, d), perhaps in a tuple with features of the steps (T-1, k) and scores (T, L[, k])."""

    oracle = "tree"

    @staticmethod
    def read(x: Any, connectivity: int) -> Example:
        """Check one sequence."""
        nodes, links, scores = parts_of(
            x, ("features (T, d)", "features of the steps (T-1, k)", "scores (T, L) or (T, L, k)")
        )
        rows = node_features(nodes, (2,), "(T, d)")
        first = np.arange(len(rows) - 1, dtype=np.int32)
        edges, shape = np.stack([first, first + 1], axis=1), (len(rows),)
        return with_scores(Example(rows, edges, link_features(links, len(first)), shape), scores)

    def model(self, example: Example, weights: Doubles, shift: float = 0.0) -> Chain:
        """Return the chain; one table serves all steps where they have no features of their own."""
        emissions = self.node_scores(example, weights, shift)
        if self.pairwise == "potts":
            strengths = self.edge_scores(example, weights)
            return Chain(emissions, strengths[:, None, None] * (np.eye(self.n_labels) - 1.0))
        if self.n_links == 1 and (example.links == 1.0).all():
            return Chain(emissions, self.split(weights)[2].reshape(self.n_labels, -1))
        return Chain(emissions, self.edge_scores(example, weights))
