# SPDX-License-Identifier: BSD-3-Clause
"""Superpixels, the graph of those that touch, and walks and paths along it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop._errors import need

Seeds = NDArray[np.int64]  # the label of each seed, -1 elsewhere

_COMPACTNESS = 10.0  # of SLIC, against RGB
_SHARPNESS = 0.5  # a border with this many times the mean contrast keeps 1/sqrt(e) of its strength
_WALK_SHARPNESS = 4.0
_LEAST_WALK_WEIGHT = 1e-4


@dataclass(frozen=True, eq=False)
class Superpixels:
    """A partition of an image into n small regions.

    Attributes
    ----------
    segments : (H, W) array of ints
        The superpixel of each pixel, 0..n-1, all in use.
    """

    segments: NDArray[np.int32]

    @cached_property
    def area(self) -> Doubles:
        """Number of pixels of each superpixel, (n,)."""
        return np.bincount(self.segments.ravel()).astype(np.float64)

    @property
    def count(self) -> int:
        """Number of superpixels."""
        return self.area.size

    def mean(self, values: NDArray[np.floating]) -> Doubles:
        """Mean of an (H, W, C) image over each superpixel, (n, C)."""
        flat = self.segments.ravel()
        sums = [np.bincount(flat, values[..., c].ravel(), self.count) for c in range(values.shape[-1])]
        return np.stack(sums, axis=1) / self.area[:, None]

    def counts(self, values: NDArray[np.integer], n_values: int) -> NDArray[np.int64]:
        """Count the values 0, 1, ... of an (H, W) image in each superpixel, (n, n_values), negative ones left out."""
        cells = self.segments.astype(np.int64) * n_values + values
        found = np.bincount(cells[values >= 0], minlength=self.count * n_values)
        return found.reshape(self.count, n_values)

    def majority(self, labels: NDArray[np.integer], n_labels: int) -> Seeds:
        """Return the commonest label of an (H, W) image in each superpixel, (n,); -1 is a label like the others."""
        return np.asarray(self.counts(labels + 1, n_labels + 1).argmax(axis=1) - 1)

    @cached_property
    def centres(self) -> Doubles:
        """Mean row and column of each superpixel, (n, 2)."""
        rows, columns = np.indices(self.segments.shape, np.float64)
        return self.mean(np.stack([rows, columns], axis=-1))

    @cached_property
    def frame(self) -> NDArray[np.bool_]:
        """Whether each superpixel touches the border of the image, (n,)."""
        touches = np.zeros(self.count, bool)
        for side in (self.segments[0], self.segments[-1], self.segments[:, 0], self.segments[:, -1]):
            touches[side] = True
        return touches

    @cached_property
    def _crossings(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Pixels on the two sides of each border between neighbouring superpixels, and the pair they belong to."""
        flat, index = self.segments.ravel(), np.arange(self.segments.size).reshape(self.segments.shape)
        a = np.concatenate([index[:, :-1].ravel(), index[:-1].ravel()])
        b = np.concatenate([index[:, 1:].ravel(), index[1:].ravel()])
        crossing = flat[a] != flat[b]
        a, b = a[crossing], b[crossing]
        low, high = np.minimum(flat[a], flat[b]), np.maximum(flat[a], flat[b])
        return a, b, low.astype(np.int64) * self.count + high

    @cached_property
    def _pairs(self) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.intp]]:
        pairs, inverse, lengths = np.unique(self._crossings[2], return_inverse=True, return_counts=True)
        return pairs, inverse, lengths

    @property
    def edges(self) -> Labels:
        """Pairs of superpixels that touch, (E, 2)."""
        pairs = self._pairs[0]
        return np.stack([pairs // self.count, pairs % self.count], axis=1).astype(np.int32)

    @property
    def lengths(self) -> Doubles:
        """Length of the border of each pair, in pixels, (E,)."""
        return self._pairs[2].astype(np.float64)

    def across(self, values: Doubles) -> Doubles:
        """Mean squared difference of an (H, W, C) image across the border of each pair, (E,)."""
        a, b, _ = self._crossings
        pixels = values.reshape(-1, values.shape[-1])
        change = ((pixels[a] - pixels[b]) ** 2).sum(axis=1)
        return np.bincount(self._pairs[1], change, self._pairs[0].size) / self.lengths


def slic(rgb: Doubles, n_segments: int) -> Superpixels:
    """Cut an image into about n_segments superpixels (SLIC of scikit-image)."""
    cut = need("skimage.segmentation", "segmentation", "hh.Segmenter").slic
    found = cut(rgb, n_segments=n_segments, compactness=_COMPACTNESS, start_label=0)
    _, dense = np.unique(found, return_inverse=True)
    return Superpixels(dense.reshape(found.shape).astype(np.int32))


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
        Distance of the mean colours, mean 1.
    """

    edges: Labels
    strengths: Doubles
    walks: Doubles
    steps: Doubles


def contrast_graph(lab: Doubles, superpixels: Superpixels) -> Graph:
    """Return the graph of the superpixels of an image, its borders weighed by contrast."""
    edges, colors = superpixels.edges, superpixels.mean(lab)
    apart = ((colors[edges[:, 0]] - colors[edges[:, 1]]) ** 2).sum(axis=1)
    contrast = _by_mean(_by_mean(apart) + _by_mean(superpixels.across(lab)))
    strengths = _by_mean(superpixels.lengths) * np.exp(-contrast / (2.0 * _SHARPNESS))
    walks = superpixels.lengths * np.exp(-_WALK_SHARPNESS * _by_mean(apart) / 2.0) + _LEAST_WALK_WEIGHT
    return Graph(edges, strengths, walks, _by_mean(np.sqrt(apart)))


def _by_mean(values: Doubles) -> Doubles:
    mean = float(values.mean()) if values.size else 0.0
    return np.asarray(values / mean) if mean > 0 else values


def walk_probabilities(graph: Graph, seeds: Seeds, n_labels: int) -> Doubles:
    """Probability that a random walk from each superpixel meets a seed of each label first, (n, L) (Grady 2006)."""
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


def path_lengths(graph: Graph, lengths: Doubles, seeds: Seeds, n_labels: int) -> Doubles:
    """Length of the shortest path from each superpixel to a seed of each label, (n, L)."""
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
