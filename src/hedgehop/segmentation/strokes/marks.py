# SPDX-License-Identifier: BSD-3-Clause
"""Clicks and boxes as strokes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import integers

Box = Sequence[int]

_BACKGROUND, _OBJECT = 1, 2  # numbers of strokes
_CLICK = 0.01  # radius, of the shorter side of the image
_SMALLEST_CLICK = 2.0  # pixels


def scribbles_of(
    shape: tuple[int, int], scribbles: ArrayLike | None, points: ArrayLike | None = None, box: Box | None = None
) -> NDArray[np.int64]:
    """Return strokes, clicks and a box as strokes, (H, W): clicks win over strokes, strokes over the box.

    Parameters
    ----------
    shape : (int, int)
        Height and width of the image.
    scribbles : (H, W) array of ints, optional
        0 unknown, 1 background, 2 the object, and so on.
    points : (k, 2) or (k, 3) array of ints, optional
        Row and column of each click; the third number is that of the stroke, 2 (the object) if it is missing. A list
        may mix clicks of two and of three numbers.
    box : (top, left, bottom, right), optional
        Everything outside is background. If nothing else marks an object, the middle of the box does.

    Examples
    --------
    >>> scribbles_of((3, 8), None, [(1, 1)], (0, 0, 3, 4))[1].tolist()
    [2, 2, 2, 2, 1, 1, 1, 1]
    """
    if scribbles is None and points is None and box is None:
        raise TypeError("scribbles, points or box must be given; got none of them.")
    drawn = np.zeros(shape, np.int64)
    strokes = None if scribbles is None else integers(scribbles, "scribbles")
    if strokes is not None and strokes.shape != shape:
        return strokes  # whose error says more
    if box is not None:
        drawn[outside(shape, checked_box(box, shape))] = _BACKGROUND
    if strokes is not None:
        drawn = np.where(strokes != 0, strokes, drawn)
    for row, column, number in checked_points(points, shape):
        drawn[disc(shape, row, column)] = number
    if box is not None and drawn.max() <= _BACKGROUND:
        top, left, bottom, right = checked_box(box, shape)
        middle = disc(shape, (top + bottom - 1) / 2, (left + right - 1) / 2)
        drawn[middle & (drawn == 0)] = _OBJECT
    return drawn


def disc(shape: tuple[int, int], row: float, column: float) -> NDArray[np.bool_]:
    """Return the pixels that a click marks, (H, W)."""
    radius = max(_SMALLEST_CLICK, _CLICK * min(shape))
    rows, columns = np.ogrid[: shape[0], : shape[1]]
    return np.asarray((rows - row) ** 2 + (columns - column) ** 2 <= radius**2)


def outside(shape: tuple[int, int], box: Box) -> NDArray[np.bool_]:
    """Return the pixels outside of a box (top, left, bottom, right), (H, W); bottom and right are not inside."""
    top, left, bottom, right = box
    pixels = np.ones(shape, bool)
    pixels[max(0, top) : max(0, bottom), max(0, left) : max(0, right)] = False
    return pixels


def checked_points(points: ArrayLike | None, shape: tuple[int, int]) -> list[list[int]]:
    """Return clicks as (row, column, number of the stroke)."""
    if points is None:
        return []
    given = integers(_completed(points), "points")
    if given.size == 0:
        return []
    given = np.atleast_2d(given)
    if given.ndim != 2 or given.shape[1] not in (2, 3):
        raise ValueError(f"points must be rows (row, column) or (row, column, number); got shape {given.shape}.")
    inside = (given[:, :2] >= 0).all(axis=1) & (given[:, :2] < shape).all(axis=1)
    if not inside.all():
        wrong = tuple(given[~inside][0, :2].tolist())
        raise ValueError(f"points must lie in the image, {shape[0]} x {shape[1]} (row, column); got {wrong}.")
    if given.shape[1] == 3 and given[:, 2].min() < 1:
        raise ValueError(f"points must have numbers 1 (background), 2 (object) or more; got {given[:, 2].min()}.")
    objects = np.full((len(given), 1), _OBJECT)
    rows: list[list[int]] = (given if given.shape[1] == 3 else np.hstack([given, objects])).tolist()
    return rows


def _completed(points: ArrayLike) -> ArrayLike:
    """Return clicks all of three numbers if some have three and others two."""
    if not isinstance(points, (list, tuple)) or not all(isinstance(point, (list, tuple)) for point in points):
        return points
    rows: list[Sequence[int]] = [*points]
    return [(*row, _OBJECT) if len(row) == 2 else row for row in rows] if {2, 3} == set(map(len, rows)) else points


def checked_box(box: Box, shape: tuple[int, int]) -> list[int]:
    """Return a box (top, left, bottom, right), cut to the image."""
    given = integers(box, "box")
    if given.shape != (4,):
        raise ValueError(f"box must be (top, left, bottom, right); got shape {given.shape}.")
    low, high = np.maximum(given[:2], 0), np.minimum(given[2:], shape)
    if (low >= high).any():
        raise ValueError(f"box must hold pixels of the image, top < bottom and left < right; got {given.tolist()}.")
    return [*low.tolist(), *high.tolist()]
