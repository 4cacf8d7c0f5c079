# SPDX-License-Identifier: BSD-3-Clause
"""Strokes as pixels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from hedgehop.studio.wishes import Stroke


def painted(strokes: Sequence[Stroke], size: tuple[int, int], solved: tuple[int, int]) -> NDArray[np.int64]:
    """Return strokes on an image of that width and height at the size that is solved, (h, w); later ones on top.

    A stroke is at least one pixel wide there, however thin it is on the image.
    """
    picture = Image.new("L", solved, 0)
    brush = ImageDraw.Draw(picture)
    scale = np.array([solved[0] / size[0], solved[1] / size[1]])
    for stroke in strokes:
        points = [(x, y) for x, y in (np.asarray(stroke.points) * scale).tolist()]
        _draw(brush, points, max(0.5, stroke.radius * float(scale.mean())), stroke.label)
    return np.asarray(picture).astype(np.int64)


def _draw(brush: ImageDraw.ImageDraw, points: list[tuple[float, float]], radius: float, label: int) -> None:
    """Draw a line with round ends and corners."""
    if len(points) > 1:
        brush.line(points, fill=label, width=max(1, round(2 * radius)), joint="curve" if radius > 2 else None)
    for x, y in (points[0], points[-1]):
        brush.ellipse((x - radius, y - radius, x + radius - 1e-6, y + radius - 1e-6), fill=label)
