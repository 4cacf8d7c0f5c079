# SPDX-License-Identifier: BSD-3-Clause
"""What is solved: cut-outs from strokes, or segmentations into classes from scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from hedgehop import _core
from hedgehop._arrays import Doubles, Floats, Labels
from hedgehop.segmentation import Segmenter, Suggestions, from_scores
from hedgehop.segmentation.strokes.marks import scribbles_of
from hedgehop.segmentation.strokes.prior import PreviousRound
from hedgehop.segmentation.superpixels import Superpixels, slic
from hedgehop.studio.diversities import list_options
from hedgehop.studio.errors import refuse
from hedgehop.studio.pictures import Picture
from hedgehop.studio.requests import SolveRequest, Stroke

Show = Callable[[NDArray[np.uint8]], None]
Note = Callable[[str], None]
LabelMap = NDArray[np.uint8]
Memory = tuple[list[int], Doubles]  # labels in use, and the scores of a list

_REGIONS = 60
_PIECE = 32  # points that are painted between two looks at whether to stop


class CutOuts:
    """Objects cut out with strokes; label k-1 is what stroke k paints."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        self._segmenter = Segmenter(picture.small)

    def solve(
        self, request: SolveRequest, base: LabelMap | None, before: Memory | None, show: Show, note: Note
    ) -> tuple[Suggestions, Memory | None]:
        """Find a list, perhaps close to a label map, and what to remember of it for the next one.

        Each label map, (h, w), is shown as soon as it is there.
        """
        strokes = _with_box(rasterise(request.strokes, self._picture), request.box, self._picture)
        used = _labels_in_use(strokes)
        if not (strokes == 1).any():
            note("No background stroke yet: the edge of the image counts as background.")
        self._segmenter = self._segmenter.with_smoothness(request.smoothness)
        names, segments = np.array(used, np.uint8), self._segmenter.segments
        rounds = max(1, len(request.strokes) - 1)
        earlier = None if base is None else PreviousRound(
            _places(base.astype(np.int64), used),
            request.chosen,
            rounds,
            before[1] if before is not None and before[0] == used else None,
        )  # fmt: skip
        found, scores = self._segmenter.next_round(
            _places(strokes - 1, used) + 1,
            request.m,
            earlier,
            lambda labels: show(names[labels]),
            **list_options(request, len(used), lambda: _regions(self._picture, segments)),
        )
        return found, (used, scores)


class Classes:
    """Segmentations into the classes of a file of scores; label k is class k, and strokes hold it where it is known."""

    def __init__(self, picture: Picture, scores: Floats) -> None:
        self._picture = picture
        self._scored = from_scores(scores, picture.small)

    def solve(
        self, request: SolveRequest, base: LabelMap | None, before: Memory | None, show: Show, note: Note
    ) -> tuple[Suggestions, None]:
        """Find a list, perhaps close to a label map; scores are those of the file, so nothing is remembered."""
        n_labels, segments = self._scored.model.n_labels, self._scored.segments
        strokes = rasterise(request.strokes, self._picture) - 1
        around = None if base is None or not request.chosen else np.minimum(base, n_labels - 1).astype(np.int64)
        scored = self._scored.holding(np.where(strokes < n_labels, strokes, -1), around, request.smoothness)
        options = list_options(request, n_labels, lambda: _regions(self._picture, segments))
        return scored.candidates(request.m, show=lambda labels: show(labels.astype(np.uint8)), **options), None


SolveTask = CutOuts | Classes


def rasterise(strokes: Sequence[Stroke], picture: Picture) -> NDArray[np.int64]:
    """Return strokes on an image at the size that is solved, (h, w); later ones on top.

    A stroke is at least one pixel wide there, however thin it is on the image.
    """
    drawn = Image.new("L", picture.solved_size, 0)
    brush = ImageDraw.Draw(drawn)
    scale = np.array(picture.solved_size) / picture.size
    for stroke in strokes:
        radius = max(0.5, stroke.radius * float(scale.mean()))
        for piece in _pieces(np.asarray(stroke.points) * scale, radius):
            _core.check_stop()
            _draw(brush, piece, radius, stroke.label)
            if drawn.getextrema() == (stroke.label, stroke.label):  # a huge brush: nothing is left to paint
                break
    return np.asarray(drawn).astype(np.int64)


def _with_box(
    strokes: NDArray[np.int64], box: tuple[float, float, float, float] | None, picture: Picture
) -> NDArray[np.int64]:
    """Return strokes, and a box (left, top, right, bottom) in pixels of the image, as strokes (h, w)."""
    if box is None:
        return strokes
    across, down = np.array(picture.solved_size) / picture.size
    left, right = sorted((box[0] * across, box[2] * across))
    top, bottom = sorted((box[1] * down, box[3] * down))
    corners = [int(np.floor(top)), int(np.floor(left)), int(np.ceil(bottom)), int(np.ceil(right))]
    try:
        return scribbles_of(strokes.shape, strokes, box=corners)
    except ValueError:
        raise refuse(422, "The box must hold a part of the image. Draw it around the object.") from None


def _pieces(points: Floats, radius: float) -> Iterator[list[tuple[float, float]]]:
    """Cut a line into pieces that overlap in a point, so that painting can be stopped between them.

    Points that are closer to the last one than a tenth of a wide brush's radius are left out: nobody sees them.
    """
    kept = [points[0]]
    for point in points[1:-1]:
        if np.abs(point - kept[-1]).max() >= 0.1 * radius:
            kept.append(point)
    line = [(float(x), float(y)) for x, y in (*kept, *points[-1:])]
    for start in range(0, max(1, len(line) - 1), _PIECE):
        yield line[start : start + _PIECE + 1]


def _draw(brush: ImageDraw.ImageDraw, points: list[tuple[float, float]], radius: float, label: int) -> None:
    """Draw a line with round ends and corners."""
    if len(points) > 1:
        brush.line(points, fill=label, width=max(1, round(2 * radius)), joint="curve" if radius > 2 else None)
    for x, y in (points[0], points[-1]):
        brush.ellipse((x - radius, y - radius, x + radius - 1e-6, y + radius - 1e-6), fill=label)


def _labels_in_use(strokes: NDArray[np.int64]) -> list[int]:
    """Labels that are in use, the background always; at least one object is needed."""
    objects = set(np.unique(strokes).tolist()) - {0, 1}
    if not objects:
        raise refuse(422, "Draw over what you want to cut out first, with the brush of an object.")
    return sorted({0} | {k - 1 for k in objects})


def _places(labels: NDArray[np.int64], used: list[int]) -> Labels:
    """Return labels as places in the list of those in use; -1 for the others."""
    places = np.full(256, -1, np.int32)
    places[used] = np.arange(len(used))
    return np.where(labels < 0, np.int32(-1), places[np.maximum(labels, 0)])


def _regions(picture: Picture, segments: Labels) -> Labels:
    """Return the region of each superpixel, (n,): the large superpixel that most of it lies in."""
    large = slic(picture.small / 255.0, _REGIONS)
    return Superpixels(segments).majority(large.segments, large.count).astype(np.int32)
