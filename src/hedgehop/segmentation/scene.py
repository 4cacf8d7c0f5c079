# SPDX-License-Identifier: BSD-3-Clause
"""A scene: an image prepared once for any number of models, and what can be the variables of these models."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop.models import FactorGraph, Grid, contrast
from hedgehop.segmentation.borders import Borders
from hedgehop.segmentation.features import Features, describe
from hedgehop.segmentation.images import ImageLike, as_rgb, nearest, shrink, shrunk_shape, to_lab
from hedgehop.segmentation.scribbles import held, lay_on
from hedgehop.segmentation.strokes.frame import FrameDistances, frame_distances
from hedgehop.segmentation.superpixels import Graph, Seeds, Superpixels, contrast_graph, slic


class Scene:
    """An image prepared once; superpixels, features, graph and borders follow when they are first asked for.

    Parameters
    ----------
    image : array or path
    n_segments : int
        About how many superpixels.
    most_pixels : int, optional
        Larger images are solved at a smaller size.

    Attributes
    ----------
    shape, solved_shape : (int, int)
        Height and width of the image, and of what is solved.
    lab : (h, w, 3) array
        Colours in Lab, at the size that is solved.
    """

    def __init__(self, image: ImageLike, n_segments: int, most_pixels: int | None = None) -> None:
        rgb = as_rgb(image)
        self.shape: tuple[int, int] = (rgb.shape[0], rgb.shape[1])
        self.solved_shape = shrunk_shape(self.shape, most_pixels or rgb.size)
        self._rgb: Doubles | None = shrink(rgb, self.solved_shape)
        self._n_segments = n_segments
        self.lab = to_lab(self._rgb)

    @property
    def superpixels(self) -> Superpixels:
        """The superpixels of the image; its RGB is released afterwards. Two threads may both compute them, equally."""
        rgb = self._rgb
        if rgb is not None:
            self._superpixels = slic(rgb, self._n_segments)
            self._rgb = None
        return self._superpixels

    @cached_property
    def features(self) -> Features:
        """What the superpixels look like."""
        return describe(self.lab, self.superpixels)

    @cached_property
    def graph(self) -> Graph:
        """Which superpixels touch, and how strongly they should agree."""
        return contrast_graph(self.lab, self.superpixels)

    @cached_property
    def from_frame(self) -> FrameDistances:
        """How far the superpixels are from the frame of the image."""
        return frame_distances(self.superpixels, self.graph, self.features.lab)

    @cached_property
    def borders(self) -> Borders:
        """What redraws borders between superpixels at pixels."""
        return Borders(self.lab, self.superpixels)

    def shrink_strokes(self, strokes: Seeds) -> Seeds:
        """Strokes on the image, (H, W), as strokes at the size that is solved; thin ones are not lost."""
        small = np.full(self.solved_shape, -1, np.int64)
        (height, width), (rows, columns) = self.shape, np.nonzero(strokes >= 0)
        small[rows * self.solved_shape[0] // height, columns * self.solved_shape[1] // width] = strokes[rows, columns]
        return small

    def majority(self, labels: Seeds, n_labels: int) -> Seeds:
        """Return the commonest label of each superpixel, (n,), in a label map of the image, (H, W); -1 is unknown."""
        return self.superpixels.majority(nearest(labels, self.solved_shape), n_labels)

    def enlarge(self, labels: NDArray[Any]) -> NDArray[Any]:
        """Label maps at the size that is solved, (..., h, w), at the size of the image."""
        return nearest(labels, self.shape)


class Variables:
    """The variables of a model: the superpixels of a scene or, with finer borders, its pixels.

    A superpixel's scores count by area, its Potts strengths by border and contrast. A pixel gets the scores of its
    superpixel, and Potts strengths by contrast. A border between superpixels has strength 1 for about ``sqrt(area)``
    steps where a score counts 1 for ``area`` pixels; so each pixel gets ``1 / area`` of the score, and each step
    between pixels ``1 / sqrt(area)`` of the strength.

    Attributes
    ----------
    weights : (n,) array
        Area of each variable, mean 1.
    """

    def __init__(self, scene: Scene, pixelwise: bool) -> None:
        self._scene, self.pixelwise = scene, pixelwise
        if pixelwise:
            self.weights: Doubles = np.ones(scene.solved_shape[0] * scene.solved_shape[1])
        else:
            self.weights = scene.superpixels.area / scene.superpixels.area.mean()

    @property
    def _mean_area(self) -> float:
        return float(self._scene.superpixels.area.mean())

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of superpixels as values of the variables, (n, ...)."""
        return values[self._scene.superpixels.segments.ravel()] if self.pixelwise else values

    def unary(self, scores: Doubles) -> Doubles:
        """Scores of the variables from those of superpixels."""
        return self.spread(scores / self._mean_area) if self.pixelwise else scores * self.weights[:, None]

    @property
    def edges(self) -> Labels:
        """Variables that touch, (E, 2), in the order of the model's."""
        if not self.pixelwise:
            return self._scene.graph.edges
        index = np.arange(self.weights.size, dtype=np.int32).reshape(self._scene.solved_shape)
        across, down = (index[:, :-1], index[:, 1:]), (index[:-1], index[1:])
        return np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in (across, down)])

    @property
    def frame(self) -> NDArray[np.bool_]:
        """Whether each variable touches the border of the image, (n,)."""
        if not self.pixelwise:
            return self._scene.superpixels.frame
        frame = np.ones(self._scene.solved_shape, bool)
        frame[1:-1, 1:-1] = False
        return frame.ravel()

    @property
    def colors(self) -> Doubles:
        """Mean colour of each variable, (n, 3), in Lab."""
        return self._scene.lab.reshape(-1, 3) if self.pixelwise else self._scene.features.lab

    def strength(self, smoothness: float) -> float:
        """Strength of a border of mean length between superpixels of one colour, or of a step between such pixels."""
        return smoothness / float(np.sqrt(self._mean_area)) if self.pixelwise else smoothness

    def seeds(self, strokes: Seeds, n_labels: int) -> Seeds:
        """Labels of the variables with a stroke, (n,), from strokes (h, w)."""
        return strokes.ravel() if self.pixelwise else lay_on(self._scene.superpixels, strokes, n_labels)

    def model(self, unary: Doubles, seeds: Seeds, strength: float) -> FactorGraph | Grid:
        """Return the model with strokes held."""
        fixed = held(unary, seeds)
        if self.pixelwise:
            return Grid(fixed.reshape(*self._scene.solved_shape, -1), contrast(self._scene.lab, strength))
        graph = self._scene.graph
        return FactorGraph(fixed, graph.edges, strength * graph.strengths)

    def to_pixels(self, rows: Labels) -> Labels:
        """Labelings (m, n) at the size of the image, (m, H, W)."""
        shape = (len(rows), *self._scene.solved_shape)
        small = rows.reshape(shape) if self.pixelwise else rows[:, self._scene.superpixels.segments]
        return self._scene.enlarge(small)
