# SPDX-License-Identifier: BSD-3-Clause
"""Which superpixels should agree: borders weighed by contrast; and paths and walks along them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop.segmentation.superpixels import Superpixels

_SHARPNESS = 0.5  # a border with this many times the mean contrast keeps 1/sqrt(e) of its strength
_WALK_SHARPNESS = 4.0
_LEAST_WALK = 1e-4


@dataclass(frozen=True, eq=False)
class Graph:
    """Neighbouring superpixels.

    Attributes
    ----------
    edges : (E, 2) array of ints
        Pairs that touch.
    strengths : (E,)
        Potts strengths: length of the border (mean 1), less where colours change.
    walks : (E,)
        Weights of a random walk.
    steps : (E,)
        How far the mean colours are apart, mean 1.
    """

    edges: Labels
    strengths: Doubles
    walks: Doubles
    steps: Doubles


def neighbours(lab: Doubles, parts: Superpixels) -> Graph:
    """Return the graph of the superpixels of an image."""
    edges, colors = parts.edges, parts.mean(lab)
    apart = ((colors[edges[:, 0]] - colors[edges[:, 1]]) ** 2).sum(axis=1)
    contrast = _by_mean(_by_mean(apart) + _by_mean(parts.across(lab)))
    strengths = _by_mean(parts.lengths) * np.exp(-contrast / (2.0 * _SHARPNESS))
    walks = parts.lengths * np.exp(-_WALK_SHARPNESS * _by_mean(apart) / 2.0) + _LEAST_WALK
    return Graph(edges, strengths, walks, _by_mean(np.sqrt(apart)))


def walk_probabilities(graph: Graph, seeds: NDArray[np.int64], n_labels: int) -> Doubles:
    """Probability that a random walk from each superpixel meets a seed of each label first, (n, L) (Grady 2006).

    Parameters
    ----------
    seeds : (n,) array
        Label of each seed, -1 elsewhere.
    """
    from scipy.sparse import coo_array, csr_array, diags_array
    from scipy.sparse.linalg import spsolve

    n = seeds.size
    i, j = graph.edges.T
    half = coo_array((graph.walks, (i, j)), shape=(n, n))
    weights = csr_array(half + half.T)
    laplacian = csr_array(diags_array(weights.sum(axis=1) + 1e-12) - weights)
    probability = np.eye(n_labels)[np.maximum(seeds, 0)]
    free, held = seeds < 0, seeds >= 0
    if free.any():
        towards = -laplacian[free][:, held] @ probability[held]
        reached = spsolve(laplacian[free][:, free].tocsc(), towards).reshape(-1, n_labels)
        total = reached.sum(axis=1, keepdims=True)
        probability[free] = np.where(total > 1e-9, reached / np.maximum(total, 1e-9), 1.0 / n_labels)
    return probability


def path_lengths(graph: Graph, lengths: Doubles, seeds: NDArray[np.int64], n_labels: int) -> Doubles:
    """Length of the shortest path to a seed of each label, (n, L)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    n = seeds.size
    i, j = graph.edges.T
    roads = csr_array((lengths + 1e-6, (i, j)), shape=(n, n))
    far = np.full((n, n_labels), np.inf)
    for label in range(n_labels):
        starts = np.flatnonzero(seeds == label)
        far[:, label] = dijkstra(roads, directed=False, indices=starts, min_only=True)
    finite = far[np.isfinite(far)]
    return np.asarray(np.minimum(far, 2.0 * finite.max(initial=1.0)))


def _by_mean(values: Doubles) -> Doubles:
    mean = float(values.mean()) if values.size else 0.0
    return np.asarray(values / mean) if mean > 0 else values
