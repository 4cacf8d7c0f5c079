# SPDX-License-Identifier: BSD-3-Clause
"""Segmentations into the classes of a file of scores; strokes hold a class where it is known."""

from __future__ import annotations

import colorsys
import tempfile
from copy import copy
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hedgehop import io
from hedgehop._arrays import Floats
from hedgehop.lists.result import DiverseList
from hedgehop.lists.selection import best
from hedgehop.models import FactorGraph, Potts
from hedgehop.segmentation import from_scores
from hedgehop.segmentation.model import held
from hedgehop.segmentation.scored import ScoredImage
from hedgehop.segmentation.scribbles import lay_on
from hedgehop.segmentation.superpixels import Superpixels
from hedgehop.studio.cutting import Note, Show
from hedgehop.studio.kinds import Difference, coarse_regions
from hedgehop.studio.painting import painted
from hedgehop.studio.pictures import Picture
from hedgehop.studio.problems import refuse
from hedgehop.studio.wishes import MOST_LABELS, Label, Wish

_LOYALTY = 2.0  # to a chosen candidate, in units of the scores of a superpixel of mean area


class Classes:
    """An image with scores; label k is class k."""

    def __init__(self, picture: Picture, scores: Floats) -> None:
        self._picture = picture
        self._scene = from_scores(scores, picture.small)
        self._parts = Superpixels(self._scene.segments)

    def solve(self, wish: Wish, base: NDArray[np.uint8] | None, show: Show, note: Note) -> DiverseList:
        """Find the list a person wishes, showing each label map, (h, w), as soon as it is there."""
        scene = self._asked(wish, base)
        options = self._difference(scene).options(wish.kind, wish.distance)

        def show_labeling(labeling: NDArray[np.int32]) -> None:
            show(scene.to_pixels(labeling[None])[0].astype(np.uint8))

        if options:
            return scene.suggest(wish.m, callback=lambda step: show_labeling(step.labeling), **options)
        show_labeling(best(scene.model).labeling)
        found = scene.suggest(wish.m)
        for labels in found.labelings[1:]:
            show(labels.astype(np.uint8))
        return found

    def _asked(self, wish: Wish, base: NDArray[np.uint8] | None) -> ScoredImage:
        """Return the model with the strokes held, close to a chosen candidate, as smooth as wished."""
        model = self._scene.model
        n_labels = int(model.label_counts.max())
        strokes = painted(wish.strokes, self._picture.size, self._picture.solved_size) - 1
        seeds = lay_on(self._parts, np.where(strokes < n_labels, strokes, -1), n_labels)
        unary = model.unary.copy()
        if base is not None:
            chosen = lay_on(self._parts, np.minimum(base, n_labels - 1).astype(np.int64), n_labels)
            places = np.flatnonzero(seeds < 0)
            unary[places, chosen[places]] += _LOYALTY * self._scene.weights[places]
        asked, pairwise = copy(self._scene), model.pairwise
        assert isinstance(pairwise, Potts)
        asked.model = FactorGraph(held(unary, seeds), model.edges, wish.smoothness * pairwise.strengths)
        return asked

    def _difference(self, scene: ScoredImage) -> Difference:
        regions = lambda: coarse_regions(self._picture.small, scene.segments)  # noqa: E731
        return Difference(int(scene.model.label_counts.max()), regions)


def read_scores(data: bytes, picture: Picture, most_bytes: int) -> Floats:
    """Read an .npy or .npz file of scores (H, W, L), or say why not."""
    suffix = ".npz" if data.startswith(b"PK") else ".npy"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"scores{suffix}"
        path.write_bytes(data)
        try:
            scores = io.read_scores(path, most_bytes)
        except (ValueError, TypeError) as error:
            raise refuse(422, str(error).replace(str(path), "the file")) from None
    return _checked(scores, picture)


def _checked(scores: Floats, picture: Picture) -> Floats:
    if scores.ndim != 3 or 0 in scores.shape:
        raise refuse(422, f"scores must have shape (H, W, classes); these have {scores.shape}.")
    if not 2 <= scores.shape[2] <= MOST_LABELS:
        raise refuse(422, f"scores must have 2 to {MOST_LABELS} classes, last; these have shape {scores.shape}.")
    (width, height), (rows, columns) = picture.size, scores.shape[:2]
    if abs(np.log((columns / rows) / (width / height))) > 0.1:
        raise refuse(422, f"scores of {columns} x {rows} do not fit an image of {width} x {height}.")
    return scores


def class_labels(count: int) -> list[Label]:
    """Return names and colours of classes: hues far from each other, the first class grey."""
    colors = ["#8a8f98"] + [_hue(k) for k in range(1, count)]
    return [Label(name=f"class {k}", color=color) for k, color in enumerate(colors)]


def _hue(k: int) -> str:
    """Steps of the golden ratio never come close to an earlier hue."""
    rgb = colorsys.hls_to_rgb((0.07 + 0.618034 * k) % 1.0, (0.5, 0.62, 0.4)[k % 3], 0.72)
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb)
