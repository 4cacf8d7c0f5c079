# SPDX-License-Identifier: BSD-3-Clause
"""What depends on the image alone: superpixels, features, graph."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Labels
from hedgehop.segmentation.borders import Borders
from hedgehop.segmentation.features import describe, to_lab
from hedgehop.segmentation.graph import neighbours
from hedgehop.segmentation.images import ImageLike, as_rgb, nearest, shrink, shrunk_rows
from hedgehop.segmentation.model import Nodes, PixelNodes, SuperpixelNodes
from hedgehop.segmentation.superpixels import superpixels
from hedgehop.segmentation.timing import Clock

_SEGMENTS = 2000  # whose scores the pixels get, where each pixel is a variable


class Canvas:
    """An image ready to be drawn on."""

    def __init__(self, image: ImageLike, n_segments: int | None, smoothness: float, most_pixels: int) -> None:
        clock = Clock()
        rgb = as_rgb(image)
        self.shape: tuple[int, int] = (rgb.shape[0], rgb.shape[1])
        self.small = shrunk_rows(self.shape, most_pixels)
        rgb = shrink(rgb, self.small)
        clock.stop("reading")
        self.parts = superpixels(rgb, n_segments or _SEGMENTS)
        clock.stop("superpixels")
        self._lab = lab = to_lab(rgb)
        self.features = describe(lab, self.parts)
        self.graph = neighbours(lab, self.parts)
        self.coarse = SuperpixelNodes(self.parts, self.graph, smoothness)
        self.nodes: Nodes = PixelNodes(self.parts, lab, smoothness) if n_segments is None else self.coarse
        clock.stop("features")
        self.seconds = tuple(clock.parts)

    @cached_property
    def borders(self) -> Borders:
        """What redraws borders between superpixels at pixels."""
        return Borders(self._lab, self.parts)

    def smoothed(self, smoothness: float) -> Canvas:
        """Return the same image with borders of another strength; nothing is computed again."""
        other = copy(self)
        other.coarse = replace(self.coarse, smoothness=smoothness)
        pixels = isinstance(self.nodes, PixelNodes)
        other.nodes = replace(self.nodes, smoothness=smoothness) if pixels else other.coarse
        return other

    def reduce(self, strokes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Strokes on the image as strokes on the smaller one; thin ones are not lost."""
        small = np.full(self.small, -1, np.int64)
        rows, columns = np.nonzero(strokes >= 0)
        small[rows * self.small[0] // self.shape[0], columns * self.small[1] // self.shape[1]] = strokes[rows, columns]
        return small

    def enlarge(self, labels: NDArray[Any]) -> NDArray[Any]:
        """Images (..., h, w) of the smaller size at the size of the image."""
        return nearest(labels, self.shape)

    def to_pixels(self, rows: Labels) -> Labels:
        """Labelings of the model, (m, n), at the size of the image, (m, H, W)."""
        if rows.shape[1:] != (self.nodes.weights.size,):
            raise ValueError(
                f"labelings must have one entry per variable of the model ({self.nodes.weights.size}); "
                f"got shape {rows.shape}."
            )
        return self.enlarge(self.nodes.to_pixels(rows))
