# SPDX-License-Identifier: BSD-3-Clause
"""The scene of the demo: a photograph of a cup of coffee, its superpixels, and a model of their classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles
from hedgehop._errors import need
from hedgehop.models import FactorGraph

# A class is the colour around one pixel (row, column) of the photograph, and how it is drawn.
CLASSES = {
    "wood": ((150, 560), "#b8b8b8"),
    "red glaze": ((250, 430), "#d55e00"),
    "china": ((40, 290), "#56b4e9"),
    "coffee": ((185, 300), "#f0e442"),
    "shadow": ((30, 30), "#33097d"),
}
_SPREAD = 14.0  # how far, in Lab units, colours of one class lie from its centre


@dataclass(frozen=True)
class Scene:
    """A photograph (H, W, 3), the superpixel of each of its pixels (H, W), and the model of their classes."""

    image: NDArray[Any]
    segments: NDArray[Any]
    model: FactorGraph


def coffee_scene(n_segments: int) -> Scene:
    """Cut the photograph into about so many superpixels and score the classes of each."""
    image = need("skimage.data", "segmentation", "the demo").coffee()
    segments = _superpixels(image, n_segments)
    return Scene(image, segments, _model(need("skimage.color", "segmentation", "the demo").rgb2lab(image), segments))


def _superpixels(image: NDArray[Any], count: int) -> NDArray[Any]:
    """Return the (H, W) map of superpixels, numbered 0, 1, ... without gaps."""
    slic = need("skimage.segmentation", "segmentation", "the demo").slic
    found = slic(image, n_segments=count, compactness=15, start_label=0)
    return np.asarray(np.unique(found, return_inverse=True)[1].reshape(found.shape))


def _model(lab: Doubles, segments: NDArray[Any]) -> FactorGraph:
    """Return the model: a score per class and superpixel, and neighbours of similar colour like to agree."""
    means, area = _mean_colors(lab, segments)
    off = ((means[:, None] - _class_colors(lab)) ** 2).sum(axis=-1) / (2 * _SPREAD**2)
    scores = -np.minimum(off, 8.0) * (area / area.mean())[:, None]
    edges, length = _neighbours(segments)
    step = ((means[edges[:, 0]] - means[edges[:, 1]]) ** 2).sum(axis=1)
    strength = length / length.mean() * np.exp(-step / step.mean())
    return FactorGraph(scores, edges, strength)


def _mean_colors(lab: Doubles, segments: NDArray[Any]) -> tuple[Doubles, NDArray[Any]]:
    """Return the mean colour, (n, 3), and the area, (n,), of each superpixel."""
    area = np.bincount(segments.ravel())
    sums = [np.bincount(segments.ravel(), lab[..., c].ravel()) for c in range(3)]
    return np.stack(sums, axis=1) / area[:, None], area


def _class_colors(lab: Doubles) -> Doubles:
    """Return the mean colour around the pixel of each class, (L, 3)."""
    return np.stack([lab[r - 6 : r + 7, c - 6 : c + 7].mean(axis=(0, 1)) for (r, c), _ in CLASSES.values()])


def _neighbours(segments: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the pairs of superpixels that touch, (E, 2), and the lengths of their borders."""
    right = np.stack([segments[:, :-1], segments[:, 1:]], axis=-1).reshape(-1, 2)
    below = np.stack([segments[:-1], segments[1:]], axis=-1).reshape(-1, 2)
    pairs = np.sort(np.concatenate([right, below]), axis=1)
    return np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0, return_counts=True)
