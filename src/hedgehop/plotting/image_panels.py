# SPDX-License-Identifier: BSD-3-Clause
"""Labelings as images side by side; what differs from the first is outlined and in full colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop.lists.result import DiverseList
from hedgehop.plotting.style import FAINT_INK, INK, Style, difference, likely, source, sure_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


def default_columns(count: int) -> int:
    """Panels side by side: one row up to 6, otherwise rows that are as equal as possible."""
    rows = -(-count // 6)
    return -(-count // rows)


def panel_size(images: Labels, rows: int, across: int, lines: int = 2) -> tuple[float, float]:
    """Size of all panels in inches: wide enough for their words, `lines` of them above each."""
    height, width = images.shape[1:]
    wide = max(2.5 / max(height / width, 1.0), 1.3)
    high = min(max(wide * height / width, 0.6), 5.0)
    return max(across * (max(wide, 2.0) + 0.12), 3.6), rows * (high + 0.22 + 0.19 * lines)


def draw_panels(
    figure: Figure | SubFigure,
    found: DiverseList,
    images: Labels,
    background: Doubles | None,
    style: Style,
    across: int,
    sure: Doubles | None = None,
) -> None:
    """One panel for the image, if any, one per labeling, and one for what is sure; places left over stay empty."""
    ahead = int(background is not None)
    rows = -(-(len(found) + ahead + (sure is not None)) // across)
    if background is not None:
        axes = _empty_axes(figure, rows, across, 1)
        axes.imshow(background)
        _head(axes, found, "image", "left")
    for t, image in enumerate(images):
        axes = _empty_axes(figure, rows, across, t + ahead + 1)
        _draw_labeling(axes, image, image != images[0], background, style, first=t == 0)
        _describe(axes, found, t)
    if sure is not None:
        axes = _empty_axes(figure, rows, across, len(found) + ahead + 1)
        axes.imshow(sure_colors(sure), interpolation="nearest")
        _head(axes, found, "sure", "left")
        _head(axes, found, f"none of these {found.none_of_these:.0%}", "right")


def _empty_axes(figure: Figure | SubFigure, rows: int, across: int, place: int) -> Axes:
    axes = figure.add_subplot(rows, across, place)
    axes.set(xticks=[], yticks=[], anchor="W")
    axes.spines[:].set(color=FAINT_INK, linewidth=0.6)
    return axes


def _draw_labeling(
    axes: Axes, image: Labels, changed: NDArray[np.bool_], background: Doubles | None, style: Style, first: bool
) -> None:
    opacity = np.where(changed | first, 0.78, 0.38)[..., None]
    axes.imshow(
        opacity * style.colors[image] + (1.0 - opacity) * _under(background, image.shape), interpolation="nearest"
    )
    if changed.any() and not changed.all():
        _outline(axes, changed)


def _under(background: Doubles | None, shape: tuple[int, ...]) -> Doubles:
    """What shines through the labels: the image, lighter and without its colours, or white."""
    if background is None:
        return np.ones((*shape, 3))
    grey = background @ np.array([0.299, 0.587, 0.114])
    return np.repeat(0.35 + 0.65 * grey[..., None], 3, axis=-1)


def _outline(axes: Axes, mask: NDArray[np.bool_]) -> None:
    """Draw the border of a mask along the edges of its pixels, dark on light so that it shows everywhere."""
    from matplotlib.collections import LineCollection

    lines = list(_borders(mask))
    for color, width in (("white", 1.8), (INK, 0.8)):
        axes.add_collection(LineCollection(lines, colors=color, linewidths=width, capstyle="round"), autolim=False)


def _borders(mask: NDArray[np.bool_]) -> Doubles:
    """Edges between pixels inside and outside of a mask, (K, 2 ends, 2 coordinates)."""
    rows, columns = np.nonzero(mask[:, 1:] != mask[:, :-1])
    upright = np.stack([columns + 0.5, rows - 0.5, columns + 0.5, rows + 0.5], axis=1)
    rows, columns = np.nonzero(mask[1:] != mask[:-1])
    level = np.stack([columns - 0.5, rows + 0.5, columns + 0.5, rows + 0.5], axis=1)
    return np.concatenate([upright, level]).reshape(-1, 2, 2)


def _describe(axes: Axes, found: DiverseList, t: int) -> None:
    """Write number and difference on the first line; below, where it comes from, and its relevance."""
    _head(axes, found, str(t + 1), "left", fontweight="bold")
    _head(axes, found, difference(found, t), "right")
    numbers = f"{likely(found, t)}relevance {found.relevance[t]:.5g}"
    text = f"{source(found, t)}\n{numbers}" if found.sources else numbers
    words = axes.annotate(text, (0, 1), (0, 5), "axes fraction", "offset points", fontsize=7.5, linespacing=1.35)
    words.set(color=FAINT_INK, annotation_clip=False)
    words.set_in_layout(False)  # the heading's empty lines keep its place


def _head(axes: Axes, found: DiverseList, text: str, side: Literal["left", "right"], **options: Any) -> None:
    room = "\n\n" if found.sources else "\n"  # for the words of `_describe`
    axes.set_title(text + room, loc=side, fontsize=9, color=INK, linespacing=1.35, **options)
