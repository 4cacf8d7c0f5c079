# SPDX-License-Identifier: BSD-3-Clause
"""Borders redrawn at pixels: superpixels decide which parts belong together, local colours where the border runs.

Within a third of a superpixel's side of a border, each pixel is labelled again by one cut: local colours of the two
sides, contrast between neighbours, reluctance to move far. Gains 0.1 points of accuracy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop.lists.selection import best
from hedgehop.models import FactorGraph
from hedgehop.segmentation.scribbles import held
from hedgehop.segmentation.superpixels import Seeds, Superpixels

_COLOR_REACH = 2.5  # superpixels whose colours count, in sides of a superpixel
_BAND_WIDTH = 1 / 3  # of the band on each side of a border, in sides
_LEAST_SPREAD = 4.0  # least spread of a colour, in Lab
_MOST_AGAINST = 3.0  # by which colours can speak against a label
_OLD_LABEL_BONUS = 1.5  # for the old label at the rim of the band, less near the border
_BORDER_SMOOTHNESS = 4.0

Pixels = NDArray[np.intp]


class Borders:
    """What borders of labelings of one image are redrawn with."""

    def __init__(self, lab: Doubles, superpixels: Superpixels) -> None:
        self._superpixels = superpixels
        self._colors = lab.reshape(-1, lab.shape[-1])
        changes = [((lab[:, 1:] - lab[:, :-1]) ** 2).sum(-1), ((lab[1:] - lab[:-1]) ** 2).sum(-1)]
        count = sum(c.size for c in changes)
        self._change = max(sum(float(c.sum()) for c in changes) / max(count, 1), 1e-12)
        area = superpixels.area[:, None]
        self._sums = np.hstack([area, area * superpixels.mean(lab), area * superpixels.mean(lab**2)])
        side = float(np.sqrt(superpixels.area.mean()))
        self._near = _within(superpixels, _COLOR_REACH * side)
        self._width = max(1, round(_BAND_WIDTH * side))

    def redrawn(self, row: Labels, strokes: Seeds, n_labels: int, oracle: str) -> Labels:
        """Return a labeling of superpixels, (n,), as an image, (h, w), with borders that follow the pixels.

        Parameters
        ----------
        strokes : (h, w)
            Labels of the pixels with a stroke, which are held; -1 elsewhere.
        """
        rough = row[self._superpixels.segments].astype(np.int32)
        rings = _rings(rough, self._width).ravel()
        band = np.flatnonzero(rings)
        if band.size == 0:
            return rough
        scores = self._color_scores(row, band, n_labels)
        scores[np.arange(band.size), rough.ravel()[band]] += _OLD_LABEL_BONUS * rings[band] / self._width
        edges, strengths = self._smoothness(scores, band, rough)
        model = FactorGraph(held(scores, strokes.ravel()[band]), edges, strengths)
        fine: Labels = rough.copy()
        fine.ravel()[band] = best(model, oracle=oracle).labeling
        return fine

    def _color_scores(self, row: Labels, band: Pixels, n_labels: int) -> Doubles:
        """Log-likelihood of each pixel's colour among the superpixels around it that have each label, (k, L)."""
        place, colors = self._superpixels.segments.ravel()[band], self._colors[band]
        channels = colors.shape[1]
        scores = np.full((band.size, n_labels), -np.inf)
        for label in range(n_labels):
            sums = self._near @ (self._sums * (row == label)[:, None])
            means = sums[:, 1:] / np.maximum(sums[:, :1], 1.0)
            spread = np.maximum(means[:, channels:] - means[:, :channels] ** 2, 0.0) + _LEAST_SPREAD**2
            near = -0.5 * ((colors - means[place, :channels]) ** 2 / spread[place] + np.log(spread[place])).sum(axis=1)
            scores[:, label] = np.where(sums[place, 0] > 0, near, -np.inf)
        return np.asarray(np.maximum(scores - scores.max(axis=1, keepdims=True), -_MOST_AGAINST))

    def _smoothness(self, scores: Doubles, band: Pixels, rough: Labels) -> tuple[Labels, Doubles]:
        """Potts strengths between neighbours in the band; neighbours outside of it are fixed and go into the scores."""
        height, width = rough.shape
        index = np.full(rough.size, -1, np.int64)
        index[band] = np.arange(band.size)
        rows, columns = band // width, band % width
        inside = ((columns < width - 1, 1), (rows < height - 1, width), (columns > 0, -1), (rows > 0, -width))
        edges, strengths = [], []
        for there, step in inside:
            here = np.flatnonzero(there)
            other = band[here] + step
            change = ((self._colors[band[here]] - self._colors[other]) ** 2).sum(axis=1)
            strength = _BORDER_SMOOTHNESS * np.exp(-change / (2.0 * self._change))
            free = index[other] >= 0
            fixed = ~free
            scores[here[fixed], rough.ravel()[other[fixed]]] += strength[fixed]
            if step > 0:
                edges.append(np.stack([here[free], index[other[free]]], axis=1))
                strengths.append(strength[free])
        return np.concatenate(edges).astype(np.int32), np.concatenate(strengths)


def _within(superpixels: Superpixels, radius: float) -> Any:
    """Which superpixels have their centres close together, as a sparse (n, n) matrix."""
    from scipy.sparse import coo_array, csr_array
    from scipy.spatial import cKDTree

    pairs = cKDTree(superpixels.centres).query_pairs(radius, output_type="ndarray")
    own = np.arange(superpixels.count)
    i, j = np.concatenate([pairs[:, 0], pairs[:, 1], own]), np.concatenate([pairs[:, 1], pairs[:, 0], own])
    return csr_array(coo_array((np.ones(i.size), (i, j)), shape=(superpixels.count, superpixels.count)))


def _rings(labels: Labels, width: int) -> NDArray[np.int64]:
    """Steps from each pixel to the nearest border, 1 beside it; 0 beyond `width`."""
    reached = _spread(labels[:, 1:] != labels[:, :-1], labels[1:] != labels[:-1], labels.shape)
    rings = reached.astype(np.int64)
    for step in range(2, width + 1):
        grown = reached | _spread(reached[:, 1:] | reached[:, :-1], reached[1:] | reached[:-1], labels.shape)
        rings[grown & ~reached] = step
        reached = grown
    return rings


def _spread(across: NDArray[np.bool_], down: NDArray[np.bool_], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Pixels at either end of a marked step."""
    marked = np.zeros(shape, bool)
    marked[:, 1:] |= across
    marked[:, :-1] |= across
    marked[1:] |= down
    marked[:-1] |= down
    return marked
