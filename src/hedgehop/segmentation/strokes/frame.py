# SPDX-License-Identifier: BSD-3-Clause
"""How far superpixels are from the frame of the image, which is rarely part of what people mark."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgehop._arrays import Doubles
from hedgehop.segmentation.superpixels import Graph, Seeds, Superpixels, path_lengths

_LEAST_STEP = 0.2  # a plain wall has length, too
_BOTTLENECK_POWER = 4.0  # of the steps: the largest one decides, and a detour around it still costs something


@dataclass(frozen=True, eq=False)
class FrameDistances:
    """Distances of n superpixels from the frame.

    Attributes
    ----------
    path, bottleneck : (n,)
        Length of the shortest path of colours, and about the largest step on the path whose largest is smallest.
    color : (n,)
        Distance to the nearest colour at the frame, in Lab.
    place : (n,)
        Distance to the border of the image, in diagonals.
    """

    path: Doubles
    bottleneck: Doubles
    color: Doubles
    place: Doubles


def frame_distances(superpixels: Superpixels, graph: Graph, colors: Doubles) -> FrameDistances:
    """Return how far all superpixels are from the frame."""
    seeds = np.where(superpixels.frame, 0, -1)
    height, width = superpixels.segments.shape
    y, x = superpixels.centres.T
    nearest = np.minimum.reduce([y, height - 1 - y, x, width - 1 - x])
    return FrameDistances(
        path=color_paths(graph, seeds, 1)[:, 0],
        bottleneck=bottlenecks(graph, seeds, 1)[:, 0],
        color=nearest_of(colors, colors[superpixels.frame]),
        place=nearest / diagonal(superpixels),
    )


def color_paths(graph: Graph, seeds: Seeds, n_labels: int) -> Doubles:
    """Length of the shortest path of colours to a seed of each label, (n, L)."""
    return path_lengths(graph, graph.steps + _LEAST_STEP, seeds, n_labels)


def bottlenecks(graph: Graph, seeds: Seeds, n_labels: int) -> Doubles:
    """About the largest step of colours on the way to a seed of each label, (n, L)."""
    lengths = path_lengths(graph, graph.steps**_BOTTLENECK_POWER, seeds, n_labels)
    return np.asarray(lengths ** (1.0 / _BOTTLENECK_POWER))


def diagonal(superpixels: Superpixels) -> float:
    """Length of the diagonal of the image, in pixels."""
    return float(np.hypot(*superpixels.segments.shape))


def nearest_of(points: Doubles, others: Doubles) -> Doubles:
    """Distance of each point, (n, d), to the nearest of some others, (n,); not a number if there are none."""
    from scipy.spatial import cKDTree

    return np.asarray(cKDTree(others).query(points)[0]) if len(others) else np.full(len(points), np.nan)
