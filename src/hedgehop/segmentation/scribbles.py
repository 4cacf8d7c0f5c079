# SPDX-License-Identifier: BSD-3-Clause
"""Strokes on an image: checked, laid on superpixels, held, drawn by a robot."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, integers, positive_count
from hedgehop._errors import need
from hedgehop.segmentation.superpixels import Seeds, Superpixels

_LONGEST_ROBOT_STROKE = 0.35  # of the shorter side of the image
_ROBOT_BRUSH = 3  # pixels wide


def check_scribbles(scribbles: ArrayLike, shape: tuple[int, int]) -> Seeds:
    """Return strokes as labels, (H, W): label k-1 where k was painted, -1 elsewhere."""
    strokes = integers(scribbles, "scribbles")
    if strokes.shape != shape:
        raise ValueError(
            f"scribbles must have the image's shape {shape}; got {strokes.shape}. Paint on the image itself, or turn "
            "a coloured picture into labels with hh.segmentation.from_colors."
        )
    if not (strokes > 0).any():
        raise ValueError(
            "scribbles must mark something: 0 is unknown, 1 background, 2 the object, k label k-1; got no stroke."
        )
    if strokes.max() > 255 or strokes.min() < 0:
        wrong = strokes.max() if strokes.max() > 255 else strokes.min()
        raise ValueError(f"scribbles must be 0, unknown, or name labels 1..255; got {wrong}.")
    if (strokes > 0).all():
        raise ValueError("scribbles must leave pixels to label; got a stroke on every pixel. Use 0 for unknown pixels.")
    if strokes.max() == 1:
        raise ValueError("scribbles must mark an object (2, 3, ...); got strokes of the background (1) only.")
    return np.where(strokes > 0, strokes - 1, -1)


def lay_on(superpixels: Superpixels, strokes: Seeds, n_labels: int) -> Seeds:
    """Return the label of each superpixel with a stroke, (n,), -1 for the others.

    Where strokes disagree the majority wins; a label that loses everywhere gets the superpixel where it is strongest.
    """
    votes = superpixels.counts(strokes, n_labels)
    seeds = np.where(votes.any(axis=1), votes.argmax(axis=1), -1)
    for label in np.flatnonzero(votes.any(axis=0)):
        if not (seeds == label).any():
            _give_a_place(seeds, votes, int(label))
    return seeds


def _give_a_place(seeds: Seeds, votes: NDArray[np.int64], label: int) -> None:
    own = int(votes[:, label].argmax())
    rival = int(seeds[own])
    if (seeds == rival).sum() == 1:
        raise ValueError(
            f"scribbles {rival + 1} and {label + 1} must not share a superpixel; they do. Draw longer strokes, or "
            "use more segments."
        )
    seeds[own] = label


def held(unary: Doubles, seeds: Seeds) -> Doubles:
    """Forbid all other labels where there is a stroke."""
    rows = np.flatnonzero(seeds >= 0)
    fixed: Doubles = unary.copy()
    fixed[rows] = -np.inf
    fixed[rows, seeds[rows]] = unary[rows, seeds[rows]]
    fixed.flags.writeable = False
    return fixed


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
        Maximum number of strokes for each object, and for label 0.
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
    longest = int(_LONGEST_ROBOT_STROKE * min(region.shape))
    lines = np.zeros(region.shape, bool)
    for _ in range(count):
        line = _walk(points, int(random.integers(len(points))), longest)
        lines[tuple(points[line].T)] = True
    thick = binary_dilation(lines, np.ones((_ROBOT_BRUSH, _ROBOT_BRUSH), bool))
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
