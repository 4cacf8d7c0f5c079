# SPDX-License-Identifier: BSD-3-Clause
"""Strokes drawn by a robot along the middle of the regions of a ground truth: for data without human ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import integers, positive_count
from hedgehop._errors import need

_LONGEST = 0.35  # of the shorter side of the image
_THICK = 3


def robot_scribbles(
    truth: ArrayLike, seed: int = 0, strokes: int = 2, background_strokes: int = 4, ignore: int = 255
) -> NDArray[np.int64]:
    """Return strokes along the middle of the regions of a ground truth, (H, W): k for label k-1, 0 elsewhere.

    Parameters
    ----------
    truth : (H, W) array of ints
        The label of each pixel.
    seed : int
        The same number gives the same strokes.
    strokes, background_strokes : int
        How many strokes each object, and label 0, gets at most.
    ignore : int
        Pixels of this label get no stroke.

    Examples
    --------
    >>> import numpy as np
    >>> truth = np.zeros((60, 80), int)
    >>> truth[20:40, 20:60] = 1
    >>> drawn = robot_scribbles(truth)
    >>> bool((drawn[drawn > 0] == truth[drawn > 0] + 1).all()), np.unique(drawn).tolist()
    (True, [0, 1, 2])
    """
    labels = integers(truth, "truth")
    if labels.ndim != 2:
        raise ValueError(f"truth must have shape (H, W); got {labels.shape}.")
    if not (labels != ignore).any():
        raise ValueError(f"truth must have a label somewhere; got {ignore} (ignored) everywhere, or no pixel.")
    random = np.random.default_rng(seed)
    drawn = np.zeros(labels.shape, np.int64)
    for label in np.unique(labels[labels != ignore]).tolist():
        count = positive_count(background_strokes if label == 0 else strokes, "strokes")
        drawn[_strokes_in(labels == label, count, random)] = label + 1
    return drawn


def _strokes_in(region: NDArray[np.bool_], count: int, random: np.random.Generator) -> NDArray[np.bool_]:
    """Pixels of strokes inside a region; at least one pixel of it."""
    from scipy.ndimage import binary_dilation

    middle = need("skimage.morphology", "segmentation", "robot_scribbles").skeletonize(region)
    points = np.argwhere(middle if middle.any() else region)
    longest = int(_LONGEST * min(region.shape))
    lines = np.zeros(region.shape, bool)
    for _ in range(count):
        line = _walk(points, int(random.integers(len(points))), longest)
        lines[tuple(points[line].T)] = True
    thick = binary_dilation(lines, np.ones((_THICK, _THICK), bool))
    return np.asarray(thick & region)


def _walk(points: NDArray[np.intp], start: int, longest: int) -> list[int]:
    """A path along touching points from `start` towards the farthest one, at most so long."""
    from scipy.sparse.csgraph import dijkstra
    from scipy.spatial import cKDTree

    near = cKDTree(points).sparse_distance_matrix(cKDTree(points), 1.5, output_type="coo_matrix").tocsr()
    far, before = dijkstra(near, directed=False, indices=start, return_predecessors=True)
    end = int(np.where(far <= longest, far, -1.0).argmax())
    path = [end]
    while path[-1] != start:
        path.append(int(before[path[-1]]))
    return path
