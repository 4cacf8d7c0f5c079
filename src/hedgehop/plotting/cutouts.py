# SPDX-License-Identifier: BSD-3-Clause
"""Objects cut out of a photograph in several ways, each with what it adds to the first or leaves out, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, levels_of
from hedgehop._errors import need
from hedgehop.plotting.style import FAINT_INK, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

Mask = NDArray[np.bool_]
_SMALLEST_PART = 0.002  # of the image that a caption names
_MOST_PARTS = 2
_VERTICAL, _HORIZONTAL = ("upper", "", "lower"), ("left", "middle", "right")
_BOARD = (0.93, 0.98)  # greys of the squares behind a cut-out
_SQUARE = 1 / 32  # of the image's longer side
_PANEL = 2.3  # inches
_BORDERS = {"+": "#2ca02c", "-": "#d62728"}


def difference_in_words(first: ArrayLike, other: ArrayLike) -> str:
    """Where the larger parts are that one mask adds to another (+), and that it leaves out (-).

    Parameters
    ----------
    first, other : (H, W) arrays of bools
        The masks.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgehop.plotting.cutouts import difference_in_words
    >>> first = np.zeros((30, 30), bool)
    >>> first[:20, :20] = True
    >>> other = first.copy()
    >>> other[22:, 22:], other[:9, :9] = True, False
    >>> difference_in_words(first, other)
    '- upper left, + lower right'
    """
    before, after = np.asarray(first, bool), np.asarray(other, bool)
    parts = [("+", part) for part in _parts(after & ~before)] + [("-", part) for part in _parts(before & ~after)]
    parts.sort(key=lambda signed: -int(signed[1].sum()))
    named = dict.fromkeys(f"{sign} {_place(part)}" for sign, part in parts)
    if not named:
        return "other borders" if (before != after).any() else "the same"
    return ", ".join(list(named)[:_MOST_PARTS])


def _parts(region: Mask) -> list[Mask]:
    """The connected parts of a region that are large enough to be named."""
    from scipy.ndimage import label

    numbered, count = label(region)
    sizes = np.bincount(numbered.ravel(), minlength=count + 1)
    return [numbered == k for k in range(1, count + 1) if sizes[k] >= _SMALLEST_PART * region.size]


def _place(part: Mask) -> str:
    """In which ninth of the image a part is."""
    height, width = part.shape
    row, column = np.argwhere(part).mean(axis=0)
    names = _VERTICAL[int(3 * row / height)], _HORIZONTAL[int(3 * column / width)]
    return " ".join(name for name in names if name)


def cut_out(image: ArrayLike, mask: ArrayLike) -> NDArray[np.uint8]:
    """Return the image as RGBA, transparent where the mask is not.

    Parameters
    ----------
    image : (H, W), (H, W, 3) or (H, W, 4) array
        8 bit, or floats from 0 to 1.
    mask : (H, W) array of bools
        What stays.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgehop.plotting.cutouts import cut_out
    >>> cut_out(np.full((1, 2, 3), 200, np.uint8), [[True, False]]).tolist()
    [[[200, 200, 200, 255], [200, 200, 200, 0]]]
    """
    kept = np.where(np.asarray(mask, bool), 255, 0)
    return np.dstack([_colors(image), kept]).astype(np.uint8)


def _colors(image: ArrayLike) -> NDArray[np.uint8]:
    """An image as 8-bit RGB."""
    levels = levels_of(np.asarray(image))
    plain = levels if levels.ndim == 3 else np.repeat(levels[..., None], 3, axis=2)
    return np.round(255.0 * plain[..., :3]).astype(np.uint8)


def plot_cutouts(image: ArrayLike, rows: dict[str, ArrayLike], drawn: ArrayLike | None = None) -> Figure:
    """Draw rows of objects cut out of one image; what differs from the first of each row is outlined and said.

    Parameters
    ----------
    image : (H, W) or (H, W, 3) array
        The photograph.
    rows : mapping of str to (m, H, W) arrays of bools
        Masks, by the heading of their row.
    drawn : array, optional
        The photograph with strokes, shown first.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgehop.plotting.cutouts import plot_cutouts
    >>> len(plot_cutouts(np.zeros((8, 8, 3)), {"both": np.ones((2, 8, 8), bool)}).axes)
    2
    """
    figure_module = need("matplotlib.figure", "plot", "plot_cutouts")
    lists = {name: np.asarray(masks, bool) for name, masks in rows.items()}
    across = max(map(len, lists.values())) + (drawn is not None)
    height, width = np.shape(image)[:2]
    tall = _PANEL * height / width + 0.75
    figure: Figure = figure_module.Figure(figsize=(_PANEL * across, tall * len(lists)), facecolor="white")
    bands = np.atleast_1d(np.asarray(figure.subfigures(len(lists), 1), dtype=object))
    for number, (band, (name, masks)) in enumerate(zip(bands, lists.items(), strict=True)):
        band.suptitle(name, x=0.006, ha="left", fontsize=13, fontweight="bold", color=INK)
        _draw_row(band, image, masks, drawn if number == 0 else None, across)
    return figure


def _draw_row(band: SubFigure, image: ArrayLike, masks: Mask, drawn: ArrayLike | None, across: int) -> None:
    panels = np.atleast_1d(np.asarray(band.subplots(1, across), dtype=object))
    band.subplots_adjust(left=0.004, right=0.996, top=0.86, bottom=0.1, wspace=0.03)
    for panel in panels:
        panel.set_axis_off()
    if drawn is not None:
        panels[0].imshow(_colors(drawn), interpolation="antialiased")
        _caption(panels[0], "the strokes")
    free = panels[across - len(masks) :] if drawn is None else panels[1:]
    for t, (panel, mask) in enumerate(zip(free, masks, strict=False)):
        panel.imshow(_on_board(cut_out(image, mask)), interpolation="antialiased")
        _outline(panel, masks[0], mask)
        _caption(panel, _told(masks[0], mask, t))


def _told(first: Mask, mask: Mask, t: int) -> str:
    if t == 0:
        return "1  the best one"
    share = (first != mask).mean()
    return f"{t + 1}  {difference_in_words(first, mask)} ({share:{'.1%' if share >= 0.01 else '.2%'}})"


def _caption(panel: Axes, text: str) -> None:
    panel.set_title(text, y=-0.12, fontsize=8, color=FAINT_INK)


def _on_board(pixels: NDArray[np.uint8]) -> Doubles:
    """Lay a cut-out on a light chequered board."""
    height, width = pixels.shape[:2]
    side = max(1, round(_SQUARE * max(height, width)))
    row, column = np.ogrid[:height, :width]
    board = np.where((row // side + column // side) % 2, *_BOARD)[..., None]
    alpha = pixels[..., 3:] / 255.0
    return np.asarray(alpha * pixels[..., :3] / 255.0 + (1.0 - alpha) * board)


def _outline(panel: Any, first: Mask, mask: Mask) -> None:
    """Draw the borders of what a mask adds, green, and of what it leaves out, red."""
    for sign, region in (("+", mask & ~first), ("-", first & ~mask)):
        if region.any():
            panel.contour(region, [0.5], colors=_BORDERS[sign], linewidths=1.2)
