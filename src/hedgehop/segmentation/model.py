# SPDX-License-Identifier: BSD-3-Clause
"""The model of an image with strokes, in units where one tradeoff and one smoothness serve all images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop.models import FactorGraph, Grid, contrast
from hedgehop.segmentation.graph import Graph
from hedgehop.segmentation.superpixels import Superpixels

Seeds = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SuperpixelNodes:
    """One variable a superpixel: scores count by area, Potts strengths by border and contrast."""

    parts: Superpixels
    graph: Graph
    smoothness: float

    @property
    def weights(self) -> Doubles:
        """Area of each variable, mean 1."""
        return np.asarray(self.parts.area / self.parts.area.mean())

    def unary(self, scores: Doubles) -> Doubles:
        """Scores of the variables from those of the superpixels."""
        return scores * self.weights[:, None]

    def seeds(self, seeds: Seeds, strokes: Seeds) -> Seeds:
        """Labels of the scribbled variables."""
        return seeds

    def model(self, unary: Doubles, seeds: Seeds) -> FactorGraph:
        """Return the model, strokes held."""
        return FactorGraph(held(unary, seeds), self.graph.edges, self.smoothness * self.graph.strengths)

    def to_pixels(self, rows: Labels) -> Labels:
        """Labelings (m, n) as images (m, H, W)."""
        return rows[:, self.parts.segments]


@dataclass(frozen=True, eq=False)
class PixelNodes:
    """One variable a pixel: the scores of its superpixel, Potts strengths by contrast.

    A border between superpixels has strength 1 for about ``sqrt(area)`` steps where a score counts 1 for ``area``
    pixels; so each pixel gets ``1 / area`` of the score, and each step ``1 / sqrt(area)`` of the strength.
    """

    parts: Superpixels
    lab: Doubles
    smoothness: float

    @property
    def weights(self) -> Doubles:
        """One a pixel."""
        return np.ones(self.parts.segments.size)

    def unary(self, scores: Doubles) -> Doubles:
        """Scores of the variables from those of the superpixels."""
        return np.asarray((scores / self.parts.area.mean())[self.parts.segments.ravel()])

    def seeds(self, seeds: Seeds, strokes: Seeds) -> Seeds:
        """Labels of the scribbled variables."""
        return strokes.ravel()

    def model(self, unary: Doubles, seeds: Seeds) -> Grid:
        """Return the model, strokes held."""
        scores = held(unary, seeds).reshape(*self.parts.segments.shape, -1)
        return Grid(scores, contrast(self.lab, self.smoothness / float(np.sqrt(self.parts.area.mean()))))

    def to_pixels(self, rows: Labels) -> Labels:
        """Labelings (m, n) as images (m, H, W)."""
        return rows.reshape(len(rows), *self.parts.segments.shape)


Nodes = SuperpixelNodes | PixelNodes


def with_frame(scores: Doubles, frame: NDArray[np.bool_], bonus: float) -> Doubles:
    """Scores with a bonus for the background at the border of the image."""
    better: Doubles = scores.copy()
    better[frame, 0] += bonus
    return better


def held(unary: Doubles, seeds: Seeds) -> Doubles:
    """Forbid all other labels where there is a stroke."""
    rows = np.flatnonzero(seeds >= 0)
    fixed: Doubles = unary.copy()
    fixed[rows] = -np.inf
    fixed[rows, seeds[rows]] = unary[rows, seeds[rows]]
    fixed.flags.writeable = False
    return fixed
