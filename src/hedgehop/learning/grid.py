# SPDX-License-Identifier: BSD-3-Clause
"""Joint features of images and volumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hedgehop._arrays import Doubles, finite
from hedgehop.learning.examples import Example, node_features, parts_of, with_scores
from hedgehop.learning.joint import JointMap
from hedgehop.models import Grid, directions


class GridMap(JointMap):
    """Inputs are features (H, W, d) or (D, H, W, d), or tuples of them with edge features and scores (H, W, L[, k]).

    Edge features are one array a direction, as ``hh.Grid``'s strengths with one more axis: for connectivity 4 right
    (H, W-1, k), then down (H-1, W, k).
    """

    @staticmethod
    def read(x: Any, connectivity: int) -> Example:
        """Check one image or volume."""
        names = ("features (H, W, d)", "edge features, one array a direction", "scores (H, W, L) or (H, W, L, k)")
        nodes, links, scores = parts_of(x, names)
        pixels = node_features(nodes, (3, 4), "(H, W, d) or (D, H, W, d)")
        shape = pixels.shape[:-1]
        edges = Grid(np.zeros((*shape, 1)), connectivity=connectivity).edges
        rows = _link_rows(links, _edge_shapes(shape, connectivity))
        flat = pixels.reshape(int(np.prod(shape)), -1)
        return with_scores(Example(flat, edges, rows, shape), scores)

    def model(self, example: Example, weights: Doubles, shift: float = 0.0) -> Grid:
        """Return the grid, with one array of strengths a direction."""
        shapes = _edge_shapes(example.shape, self.connectivity)
        ends = np.cumsum([np.prod(s, dtype=int) for s in shapes])
        parts = np.split(self.edge_scores(example, weights), ends[:-1])
        strengths = [part.reshape(s) for part, s in zip(parts, shapes, strict=True)]
        scores = self.node_scores(example, weights, shift).reshape(*example.shape, -1)
        return Grid(scores, strengths, self.connectivity)


def _edge_shapes(shape: tuple[int, ...], connectivity: int) -> list[tuple[int, ...]]:
    reach = 6 if len(shape) == 3 and connectivity == 4 else connectivity
    return [tuple(n - abs(k) for n, k in zip(shape, o, strict=True)) for o in directions(len(shape), reach)]


def _link_rows(links: Sequence[ArrayLike] | None, shapes: list[tuple[int, ...]]) -> Doubles:
    """Edge features in the order of the grid's edges, (E, k)."""
    if links is None:
        return np.ones((sum(int(np.prod(s)) for s in shapes), 1))
    if len(links) != len(shapes):
        raise ValueError(f"edge features must be {len(shapes)} arrays, one a direction; got {len(links)}.")
    arrays = [finite(a, f"edge features[{k}]") for k, a in enumerate(links)]
    for k, (array, wanted) in enumerate(zip(arrays, shapes, strict=True)):
        if array.shape[:-1] != wanted or array.shape[-1] != arrays[0].shape[-1] or array.shape[-1] == 0:
            raise ValueError(f"edge features[{k}] must have shape {(*wanted, 'k')}; got {array.shape}.")
    return np.concatenate([a.reshape(-1, a.shape[-1]) for a in arrays])
