# SPDX-License-Identifier: BSD-3-Clause
"""Joint features of each structure: sequences, graphs, images and volumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hedgehop._arrays import Doubles, finite
from hedgehop.learning.examples import Example, edge_features, node_features, parts_of, with_scores
from hedgehop.learning.joint_features import JointFeatures
from hedgehop.models import Chain, FactorGraph, Grid, directions
from hedgehop.models.edges import check_edges


class ChainFeatures(JointFeatures):
    """Inputs are features (T, d), perhaps in a tuple with features of the steps (T-1, k) and scores (T, L[, k])."""

    oracle = "tree"

    @staticmethod
    def read(x: Any, connectivity: int) -> Example:
        names = ("features (T, d)", "features of the steps (T-1, k)", "scores (T, L) or (T, L, k)")
        nodes, steps, scores = parts_of(x, names)
        rows = node_features(nodes, (2,), "(T, d)")
        first = np.arange(rows.shape[0] - 1, dtype=np.int32)
        pairs = np.stack([first, first + 1], axis=1)
        return with_scores(Example(rows, pairs, edge_features(steps, len(pairs)), rows.shape[:1]), scores)

    def model(self, example: Example, weights: Doubles, shift: float = 0.0) -> Chain:
        """Return the chain; one table serves all steps if they have no features of their own."""
        emissions = self.node_scores(example, weights, shift)
        if self.pairwise == "potts":
            strengths = self.edge_scores(example, weights)
            return Chain(emissions, strengths[:, None, None] * (np.eye(self.n_labels) - 1.0))
        if self.n_edge_features == 1 and (example.edge_features == 1.0).all():
            return Chain(emissions, self.split(weights)[2].reshape(self.n_labels, -1))
        return Chain(emissions, self.edge_scores(example, weights))


class GraphFeatures(JointFeatures):
    """Inputs are node features (n, d), or tuples of them, edges (E, 2), edge features (E, k), scores (n, L[, k])."""

    @staticmethod
    def read(x: Any, connectivity: int) -> Example:
        names = ("node features (n, d)", "edges (E, 2)", "edge features (E, k)", "scores (n, L) or (n, L, k)")
        nodes, edges, features, scores = parts_of(x, names)
        rows = node_features(nodes, (2,), "(n, d)")
        pairs = check_edges(np.zeros((0, 2), np.int32) if edges is None else edges, rows.shape[0])
        return with_scores(Example(rows, pairs, edge_features(features, len(pairs)), rows.shape[:1]), scores)

    def model(self, example: Example, weights: Doubles, shift: float = 0.0) -> FactorGraph:
        """Return the factor graph; parallel edges are merged there."""
        return FactorGraph(self.node_scores(example, weights, shift), example.edges, self.edge_scores(example, weights))


class GridFeatures(JointFeatures):
    """Inputs are features (H, W, d) or (D, H, W, d), or tuples of them with edge features and scores (H, W, L[, k]).

    Edge features are one array per direction, as ``hh.Grid``'s strengths with one more axis: for connectivity 4 right
    (H, W-1, k), then down (H-1, W, k).
    """

    @staticmethod
    def read(x: Any, connectivity: int) -> Example:
        names = ("features (H, W, d)", "edge features, one array per direction", "scores (H, W, L) or (H, W, L, k)")
        nodes, edges, scores = parts_of(x, names)
        pixels = node_features(nodes, (3, 4), "(H, W, d) or (D, H, W, d)")
        shape = pixels.shape[:-1]
        pairs = Grid(np.zeros((*shape, 1)), connectivity=connectivity).edges
        rows = edge_features(None, len(pairs)) if edges is None else _in_order(edges, _edge_shapes(shape, connectivity))
        return with_scores(Example(pixels.reshape(int(np.prod(shape)), -1), pairs, rows, shape), scores)

    def model(self, example: Example, weights: Doubles, shift: float = 0.0) -> Grid:
        """Return the grid, with one array of strengths per direction."""
        shapes = _edge_shapes(example.shape, self.connectivity)
        ends = np.cumsum([np.prod(s, dtype=int) for s in shapes])
        parts = np.split(self.edge_scores(example, weights), ends[:-1])
        strengths = [part.reshape(s) for part, s in zip(parts, shapes, strict=True)]
        scores = self.node_scores(example, weights, shift).reshape(*example.shape, -1)
        return Grid(scores, strengths, self.connectivity)


def _edge_shapes(shape: tuple[int, ...], connectivity: int) -> list[tuple[int, ...]]:
    reach = 6 if len(shape) == 3 and connectivity == 4 else connectivity
    return [tuple(n - abs(k) for n, k in zip(shape, o, strict=True)) for o in directions(len(shape), reach)]


def _in_order(features: Sequence[ArrayLike], shapes: list[tuple[int, ...]]) -> Doubles:
    """Edge features in the order of the grid's edges, (E, k)."""
    if len(features) != len(shapes):
        raise ValueError(f"edge features must be {len(shapes)} arrays, one per direction; got {len(features)}.")
    arrays = [finite(a, f"edge features[{k}]") for k, a in enumerate(features)]
    for k, (array, wanted) in enumerate(zip(arrays, shapes, strict=True)):
        if array.shape[:-1] != wanted or array.shape[-1] != arrays[0].shape[-1] or array.shape[-1] == 0:
            raise ValueError(f"edge features[{k}] must have shape {(*wanted, 'k')}; got {array.shape}.")
    return np.concatenate([a.reshape(-1, a.shape[-1]) for a in arrays])
