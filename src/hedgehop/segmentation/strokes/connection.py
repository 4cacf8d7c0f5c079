# SPDX-License-Identifier: BSD-3-Clause
"""Objects that hang together with their strokes, and objects without holes, as forbidden pairs.

*Geodesic star convexity* (Gulshan et al., CVPR 2010): the shortest path from each pixel of the object to a stroke lies
in the object. Each variable has a parent, its next one on that path; no labeling gives it the label of the object and
its parent another one. Without holes, the background is a star from the frame and its strokes in the same way. Both
demands can always be met: by the label whose strokes are nearer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop.segmentation.superpixels import Seeds

_STEP_WITHIN_COLOR = 0.1  # of paths within one colour, in mean steps
_SCORE_STEPS = 2.0  # mean steps of colour that a mean step between scores is worth

Parents = NDArray[np.int64]  # the next variable on the way, itself at the end, -1 if there is no way


def step_lengths(edges: Labels, colors: Doubles, scores: Doubles) -> Doubles:
    """Lengths of steps between variables, (E,): long where colours, (n, C), or scores, (n, L), change."""
    i, j = edges.T
    odds = scores - scores.mean(axis=1, keepdims=True)
    changes = [np.linalg.norm(values[i] - values[j], axis=1) for values in (colors, odds)]
    by_color, by_score = (change / (change.mean() or 1.0) if change.size else change for change in changes)
    return np.asarray(_STEP_WITHIN_COLOR + by_color + _SCORE_STEPS * by_score)


@dataclass(frozen=True, eq=False)
class Stars:
    """Demands on the labels of n variables.

    Attributes
    ----------
    pairs : (K, 4) array
        Rows (i, a, j, b): variable i must not have label a if its parent j has label b.
    never : (n, L) array of bools
        Labels that a variable cannot have, because no way leads to their strokes.
    """

    pairs: NDArray[np.int64]
    never: NDArray[np.bool_]

    def demanded(self, unary: Doubles) -> Doubles:
        """Scores of labels, (n, L), without those that are impossible."""
        return np.where(self.never, -np.inf, unary)


def stars(edges: Labels, lengths: Doubles, seeds: Seeds, roots: Sequence[NDArray[np.bool_] | None]) -> Stars:
    """Return what makes labels hang together with their roots.

    Parameters
    ----------
    edges, lengths : (E, 2) and (E,) arrays
        Variables that touch, and how far apart they are.
    seeds : (n,) array
        Labels of the variables with a stroke, -1 elsewhere.
    roots : L masks of variables or None
        Where the paths of each label end; None for labels that need not hang together.
    """
    rows, never = [np.zeros((0, 4), np.int64)], np.zeros((seeds.size, len(roots)), bool)
    for label, ends in enumerate(roots):
        if ends is None:
            continue
        parents = towards(edges, lengths, ends, (seeds >= 0) & (seeds != label))
        never[:, label] = (parents < 0) & (seeds != label)
        inner = np.flatnonzero((parents >= 0) & ~ends)
        others = np.delete(np.arange(len(roots)), label)
        pairs = np.broadcast_arrays(inner[:, None], label, parents[inner, None], others)
        rows.append(np.stack(pairs, axis=-1).reshape(-1, 4))
    return Stars(np.concatenate(rows), never)


def roots_of(
    seeds: Seeds, frame: NDArray[np.bool_], n_labels: int, connected: bool, holes: bool
) -> list[NDArray[np.bool_] | None]:
    """Return where paths end: at strokes for objects; for the background at its strokes and the frame of the image."""
    objects = [seeds == label if connected else None for label in range(1, n_labels)]
    return [None if holes else (seeds == 0) | (frame & (seeds < 0)), *objects]


def towards(edges: Labels, lengths: Doubles, roots: NDArray[np.bool_], closed: NDArray[np.bool_]) -> Parents:
    """Return the next variable on the shortest way to a root, (n,), around `closed` variables."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    n, open_edges = roots.size, ~closed[edges].any(axis=1)
    if not roots.any():
        return np.full(n, -1)
    i, j = edges[open_edges].T
    roads = csr_array((lengths[open_edges], (i, j)), shape=(n, n))
    far, before, _ = dijkstra(
        roads, directed=False, indices=np.flatnonzero(roots), min_only=True, return_predecessors=True
    )
    return np.where(np.isinf(far), -1, np.where(before < 0, np.arange(n), before)).astype(np.int64)


def kept_whole(labels: Labels, drawn: Seeds, connected: bool, holes: bool) -> Labels:
    """Return a label map, (h, w), without the specks and pinholes that redrawn borders leave.

    Parts of objects without a stroke become background; parts of the background without one that do not touch the
    frame of the image become the first object.
    """
    result: Labels = labels.copy()
    for label in np.unique(labels[labels > 0]) if connected else ():
        result[_parts_without(result == label, drawn == label)] = 0
    if not holes:
        frame = np.ones(labels.shape, bool)
        frame[1:-1, 1:-1] = False
        result[_parts_without(result == 0, (drawn == 0) | frame)] = 1
    return result


def _parts_without(region: NDArray[np.bool_], marks: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Pixels of the connected parts of a region that hold no mark."""
    from scipy.ndimage import label

    parts, count = label(region)
    marked = np.zeros(count + 1, bool)
    marked[parts[marks]] = True
    return np.asarray(region & ~marked[parts])
