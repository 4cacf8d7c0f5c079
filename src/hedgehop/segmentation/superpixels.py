# SPDX-License-Identifier: BSD-3-Clause
"""Superpixels: the map from pixels to variables, and which of them touch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop._errors import need

_COMPACTNESS = 10.0  # of SLIC, against RGB


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
        """Pixels of each, (n,)."""
        return np.bincount(self.segments.ravel()).astype(np.float64)

    @property
    def count(self) -> int:
        """How many there are."""
        return self.area.size

    def mean(self, values: Doubles) -> Doubles:
        """Means of an (H, W, C) image over each superpixel, (n, C)."""
        flat = self.segments.ravel()
        sums = [np.bincount(flat, values[..., c].ravel(), self.count) for c in range(values.shape[-1])]
        return np.stack(sums, axis=1) / self.area[:, None]

    def histogram(self, bins: NDArray[np.integer], n_bins: int) -> Doubles:
        """Shares of the values 0..n_bins-1 of an (H, W) image in each superpixel, (n, n_bins)."""
        cells = self.segments.ravel().astype(np.int64) * n_bins + bins.ravel()
        counts = np.bincount(cells, minlength=self.count * n_bins).reshape(self.count, n_bins)
        return counts / self.area[:, None]

    @cached_property
    def centres(self) -> Doubles:
        """Mean row and column of each, (n, 2)."""
        rows, columns = np.indices(self.segments.shape, np.float64)
        return self.mean(np.stack([rows, columns], axis=-1))

    @cached_property
    def frame(self) -> NDArray[np.bool_]:
        """Which touch the border of the image, (n,)."""
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


def superpixels(rgb: Doubles, n_segments: int) -> Superpixels:
    """Cut an image into about n_segments superpixels (SLIC of scikit-image)."""
    slic = need("skimage.segmentation", "segmentation", "hh.Segmenter").slic
    found = slic(rgb, n_segments=n_segments, compactness=_COMPACTNESS, start_label=0)
    _, dense = np.unique(found, return_inverse=True)
    return Superpixels(dense.reshape(found.shape).astype(np.int32))
