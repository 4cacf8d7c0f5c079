# SPDX-License-Identifier: BSD-3-Clause
"""A robot that marks objects: strokes, clicks and boxes, at random or where an answer is most wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import ndimage
from skimage.morphology import skeletonize

from experiments.strokes.tasks import Task
from hedgehop.segmentation.scribbles import _walk, robot_scribbles
from hedgehop.segmentation.strokes.marks import disc, outside

Mark = Callable[[np.ndarray, np.random.Generator, bool], np.ndarray]


def stroke(region: np.ndarray, random: np.random.Generator, middle: bool) -> np.ndarray:
    """Pixels of a stroke along the middle of a region: of its largest part, or of one at random."""
    part, box = _part(region, random, middle)
    points = np.argwhere(skeletonize(part))
    points = points if len(points) else np.argwhere(part)[:1]
    start = int(((points - _deepest(part)) ** 2).sum(axis=1).argmin()) if middle else int(random.integers(len(points)))
    length = max(6, int(random.uniform(0.03, 0.35) * min(region.shape)))
    near = points[np.abs(points - points[start]).max(axis=1) <= length]
    first = int(np.flatnonzero((near == points[start]).all(axis=1))[0])
    line = np.zeros(part.shape, bool)
    line[tuple(near[_walk(near, first, length)].T)] = True
    brush = int(random.choice([1, 3, 3, 5, 9]))
    thick = ndimage.binary_dilation(line, np.ones((brush, brush))) & part
    found = np.zeros(region.shape, bool)
    found[box] = thick[1:-1, 1:-1]
    return found


def click(region: np.ndarray, random: np.random.Generator, middle: bool) -> np.ndarray:
    """Pixels of a click in the middle of a region, or somewhere inside."""
    part, box = _part(region, random, middle)
    inner = part if middle else ndimage.binary_erosion(part, iterations=3)
    points = np.argwhere(inner if inner.any() else part)
    place = _deepest(part) if middle else points[random.integers(len(points))]
    row, column = (int(p) - 1 + s.start for p, s in zip(place, box, strict=True))
    return disc(region.shape, row, column) & region


def paint(task: Task, marks: list[tuple[int, np.ndarray]]) -> np.ndarray:
    """Return marks (label, pixels) as scribbles."""
    drawn = np.zeros(task.truth.shape, int)
    for label, pixels in marks:
        drawn[pixels] = label + 1
    return drawn


def marks(task: Task, labels: str, mark: Mark, random: np.random.Generator) -> list[tuple[int, np.ndarray]]:
    """Random correct marks of the labels in ``labels``, "o" or "b" each; the first is in the middle of the object."""
    order = [int(letter == "o") for letter in labels]
    return [(label, mark(task.truth == label, random, k == 0)) for k, label in enumerate(order)]


def correction(
    task: Task, answer: np.ndarray, mark: Mark, random: np.random.Generator
) -> tuple[int, np.ndarray] | None:
    """Return a mark in the middle of the largest error of an answer, (H, W); None if it is right."""
    wrong = (answer != task.truth) & (task.truth <= 1)
    opened = ndimage.binary_opening(wrong)
    wrong = opened if opened.any() else wrong
    regions = [wrong & (task.truth == label) for label in (0, 1)]
    sizes = [_largest(region) for region in regions]
    label = int(np.argmax(sizes))
    return (label, mark(regions[label], random, True)) if max(sizes) else None


def boxed(task: Task, random: np.random.Generator) -> np.ndarray:
    """Scribbles of a box that is a little too large: everything outside is background."""
    rows, columns = (np.flatnonzero((task.truth == 1).any(axis=axis)) for axis in (1, 0))
    slack = (random.uniform(0.0, 0.06, 4) * min(task.truth.shape)).astype(int) + 2
    box = (rows[0] - slack[0], columns[0] - slack[1], rows[-1] + 1 + slack[2], columns[-1] + 1 + slack[3])
    return outside(task.truth.shape, box).astype(int)


def kinds(task: Task) -> dict[str, np.ndarray]:
    """Scribbles of many kinds that do not depend on answers."""
    random = task.random("kinds")
    found = {labels: paint(task, marks(task, labels, stroke, random)) for labels in ("o", "ob", "obob", "obobo")}
    found |= {f"{labels} clicks": paint(task, marks(task, labels, click, random)) for labels in ("o", "ob", "ooobb")}
    box, inside = boxed(task, random), marks(task, "o", click, random)
    found["box"] = np.where(inside[0][1], 2, box)
    found["few"] = robot_scribbles(task.truth, 2, 2, 4)
    found["rich"] = robot_scribbles(task.truth, 1, 3, 8)
    return found | task.people


def _part(region: np.ndarray, random: np.random.Generator, largest: bool) -> tuple[np.ndarray, tuple[slice, ...]]:
    """A connected part of a region, cut out with one pixel around it, and where it was."""
    parts, _ = ndimage.label(region)
    if largest:
        sizes = np.bincount(parts.ravel())
        sizes[0] = 0
        chosen = int(sizes.argmax())
    else:
        deep = ndimage.binary_erosion(region, iterations=3, border_value=1)
        chosen = int(random.choice(parts[deep if deep.any() else region]))
    box = ndimage.find_objects(parts)[chosen - 1]
    return np.pad(parts[box] == chosen, 1), box


def _deepest(part: np.ndarray) -> np.ndarray:
    depth = ndimage.distance_transform_edt(part)
    return np.array(np.unravel_index(depth.argmax(), depth.shape))


def _largest(region: np.ndarray) -> int:
    return int(np.bincount(ndimage.label(region)[0].ravel())[1:].max(initial=0))
