# SPDX-License-Identifier: BSD-3-Clause
"""Cutting objects out with strokes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Labels
from hedgehop.lists.result import DiverseList
from hedgehop.segmentation import Segmenter
from hedgehop.studio.kinds import Difference, coarse_regions
from hedgehop.studio.painting import painted
from hedgehop.studio.pictures import Picture
from hedgehop.studio.problems import refuse
from hedgehop.studio.wishes import Wish

Show = Callable[[NDArray[np.uint8]], None]
Note = Callable[[str], None]


class Cutting:
    """An image ready for strokes; label k-1 is what stroke k paints."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        self._segmenter = Segmenter(picture.small)

    def solve(self, wish: Wish, base: NDArray[np.uint8] | None, show: Show, note: Note) -> DiverseList:
        """Find the list a person wishes, showing each label map, (h, w), as soon as it is there."""
        strokes = painted(wish.strokes, self._picture.size, self._picture.solved_size)
        used = _labels_of(strokes)
        if not (strokes == 1).any():
            note("No background stroke yet: the edge of the image is taken for background.")
        self._segmenter = self._segmenter.with_smoothness(wish.smoothness)
        names = np.array(used, np.uint8)
        return self._segmenter.suggest(
            _numbered(strokes - 1, used) + 1,
            wish.m,
            around=None if base is None else _numbered(base.astype(np.int64), used),
            callback=lambda labels: show(names[labels]),
            **self._difference(wish, len(used)).options(wish.kind, wish.distance),
        )

    def _difference(self, wish: Wish, n_labels: int) -> Difference:
        segments = self._segmenter.segments
        return Difference(n_labels, lambda: coarse_regions(self._picture.small, segments))


def _labels_of(strokes: NDArray[np.int64]) -> list[int]:
    """Labels that are in use, the background always; at least one object is needed."""
    painted_labels = set(np.unique(strokes).tolist()) - {0, 1}
    if not painted_labels:
        raise refuse(422, "Draw over what you want to cut out first, with the brush of an object.")
    return sorted({0} | {k - 1 for k in painted_labels})


def _numbered(labels: NDArray[np.int64], used: list[int]) -> Labels:
    """Return labels as places in the list of those in use; -1 for the others."""
    places = np.full(256, -1, np.int32)
    places[used] = np.arange(len(used))
    return np.where(labels < 0, np.int32(-1), places[np.maximum(labels, 0)])
