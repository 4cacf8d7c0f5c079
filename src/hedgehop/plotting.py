# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of lists: all candidates side by side, and what changed (matplotlib, only here)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, Labels, positive_count
from hedgehop._errors import need
from hedgehop.canvas import MOST_PIXELS, check_lists, picture_of, refuse_image, views_of
from hedgehop.result import DiverseList

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# A grey for label 0, often the background; the colours of Okabe and Ito; four dark ones. The order keeps short
# beginnings far apart, for colour-blind readers too (tests/test_plotting.py measures it).
PALETTE = (
    *("#b8b8b8", "#0072b2", "#d55e00", "#f0e442", "#56b4e9", "#009e73"),
    *("#e69f00", "#cc79a7", "#33097d", "#920506", "#5c5c63", "#420b1a"),
)
_MOST_IN_LEGEND = 12
_MOST_DOTS = 100  # variables up to which changed cells of a strip carry a dot
_INK, _FAINT_INK = "#1c1c1c", "#5a5a5a"


def plot_list(
    found: DiverseList,
    image: ArrayLike | None = None,
    *,
    segments: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    colors: Sequence[Any] | None = None,
    columns: int | None = None,
    title: str | None = None,
) -> Figure:
    """Draw all labelings of a list side by side, with what changed against the first.

    Each panel tells the labeling's number, the share of variables that differ from the first labeling, its
    relevance and its gain. What differs is outlined and in full colour, the rest is paler. Labelings of a grid
    are drawn as images (of a volume, the middle slice), others as rows of cells.

    Parameters
    ----------
    found : DiverseList
        The list.
    image : (H, W), (H, W, 3) or (H, W, 4) array, optional
        The picture that was labelled (for a volume with a leading axis); drawn first, and faintly under the
        labels.
    segments : (H, W) array of ints, optional
        The variable of each pixel, from 0 on, where variables are superpixels.
    names : sequence of str, optional
        Names of the labels, for the legend. There is one for up to 12 labels in use.
    colors : sequence of matplotlib colours, optional
        Colours of the labels.
    columns : int, optional
        How many panels stand side by side.
    title : str, optional
        Line above all.

    Returns
    -------
    matplotlib.figure.Figure
        ``figure.savefig("list.png")`` writes it; in a notebook, run ``%matplotlib inline`` once to see it.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> found = hh.diverse(hh.Grid(np.zeros((3, 4, 2))), hh.VariableCoverage(), m=2)
    >>> len(found.plot(names=["sky", "sea"]).axes)
    2
    """
    need("matplotlib", "plot", "found.plot")
    views = views_of(found, segments)
    style = _style([found], names, colors)
    if views.ndim == 2:
        refuse_image(image, found)
        figure = _figure(_strip_size(found), style, title)
        _draw_strips(figure, found, style)
        return figure
    picture = picture_of(image, segments, found)
    count = len(found) + (picture is not None)
    across = _columns(count) if columns is None else min(positive_count(columns, "columns"), count)
    figure = _figure(_panel_size(views, -(-count // across), across, 3 if found.sources else 2), style, title)
    _draw_panels(figure, found, views, picture, style, across)
    return figure


def plot_lists(
    lists: Mapping[str, DiverseList],
    image: ArrayLike | None = None,
    *,
    segments: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    colors: Sequence[Any] | None = None,
    title: str | None = None,
) -> Figure:
    """Draw several lists of one model below each other, a row for each, to compare them.

    Parameters
    ----------
    lists : mapping of str to DiverseList
        The lists, by the heading of their row.
    image, segments, names, colors, title
        As in :func:`plot_list`; the labelings must be images or have `segments`.

    Returns
    -------
    matplotlib.figure.Figure
        One row of panels for each list.
    """
    need("matplotlib", "plot", "plot_lists")
    check_lists(lists, segments)
    views = {name: views_of(found, segments) for name, found in lists.items()}
    longest = max(lists.values(), key=len)
    picture = picture_of(image, segments, longest)
    style = _style(list(lists.values()), names, colors)
    across = len(longest) + (picture is not None)
    width, height = _panel_size(views[next(iter(views))], len(lists), across)
    figure = _figure((width, height + 0.3 * len(lists)), style, title)
    bands = np.atleast_1d(np.asarray(figure.subfigures(len(lists), 1, hspace=0.02), dtype=object))
    for band, (name, found) in zip(bands, lists.items(), strict=True):
        band.suptitle(name, x=0.004, ha="left", fontsize=11, fontweight="bold", color=_INK)
        _draw_panels(band, found, views[name], picture, style, across)
    return figure


@dataclass(frozen=True)
class _Style:
    """Colours (L, 3) and names of the labels, and which are in use."""

    colors: Doubles
    names: tuple[str, ...]
    used: tuple[int, ...]


def _style(lists: Sequence[DiverseList], names: Sequence[str] | None, colors: Sequence[Any] | None) -> _Style:
    from matplotlib.colors import to_rgb

    used = sorted({int(k) for found in lists for k in np.unique(found.labelings)})
    count = used[-1] + 1
    for given, what in ((names, "names"), (colors, "colors")):
        if given is not None and len(given) < count:
            raise ValueError(f"{what} must have one entry per label (0..{count - 1}); got {len(given)}.")
    texts = [f"label {k}" for k in range(count)] if names is None else [str(n) for n in names]
    shades = _many_colors(count) if colors is None else [to_rgb(c) for c in colors]
    return _Style(np.array(shades, float), tuple(texts), tuple(used))


def _many_colors(count: int) -> list[tuple[float, float, float]]:
    """The palette; beyond it, hues a golden angle apart in three shades."""
    from matplotlib.colors import hsv_to_rgb, to_rgb

    extra = range(max(0, count - len(PALETTE)))
    wheel = [hsv_to_rgb((k * 0.618 % 1.0, (0.45, 0.75, 0.6)[k % 3], (0.95, 0.75, 0.5)[k % 3])) for k in extra]
    return [to_rgb(c) for c in PALETTE[:count]] + [(float(r), float(g), float(b)) for r, g, b in wheel]


def _columns(count: int) -> int:
    """Panels side by side: one row up to 6, else rows as equal as can be."""
    rows = -(-count // 6)
    return -(-count // rows)


def _panel_size(views: Labels, rows: int, across: int, lines: int = 2) -> tuple[float, float]:
    """Size of all panels in inches: wide enough for their words, `lines` of them above each."""
    height, width = views.shape[1:]
    wide = max(2.5 / max(height / width, 1.0), 1.3)
    high = min(max(wide * height / width, 0.6), 5.0)
    return max(across * (max(wide, 2.0) + 0.12), 3.6), rows * (high + 0.22 + 0.19 * lines)


def _strip_size(found: DiverseList) -> tuple[float, float]:
    n = found.labelings[0].size
    return min(max(4.0 + 0.16 * n, 6.5), 11.0), 0.8 + 0.34 * len(found)


def _figure(size: tuple[float, float], style: _Style, title: str | None) -> Figure:
    """Return an empty figure with room for title and legend, both drawn."""
    from matplotlib.figure import Figure

    width, height = size
    legend = len(style.used) <= _MOST_IN_LEGEND
    lines = -(-len(style.used) // _legend_columns(style, width)) if legend else 0
    size = (width, height + 0.4 * (title is not None) + 0.26 * lines)
    figure = Figure(figsize=size, dpi=120, layout="constrained", facecolor="white")
    figure.get_layout_engine().set(w_pad=0.05, h_pad=0.06)  # type: ignore[union-attr, call-arg]
    if title is not None:
        figure.suptitle(title, fontsize=12, color=_INK)
    if legend:
        _draw_legend(figure, style, _legend_columns(style, width))
    return figure


def _legend_columns(style: _Style, width: float) -> int:
    longest = max(len(style.names[k]) for k in style.used)
    return max(1, min(len(style.used), int(width / (0.55 + 0.085 * longest))))


def _draw_legend(figure: Figure, style: _Style, columns: int) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(facecolor=style.colors[k], edgecolor=_FAINT_INK, linewidth=0.5) for k in style.used]
    figure.legend(
        handles,
        [style.names[k] for k in style.used],
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        fontsize=9,
        labelcolor=_INK,
        handlelength=1.2,
        columnspacing=1.4,
    )


def _draw_panels(
    figure: Figure | SubFigure,
    found: DiverseList,
    views: Labels,
    picture: Doubles | None,
    style: _Style,
    across: int,
) -> None:
    """One panel for the image, if any, and one a labeling; places left over stay empty."""
    ahead = int(picture is not None)
    rows = -(-(len(found) + ahead) // across)
    if picture is not None:
        axes = _empty_axes(figure, rows, across, 1)
        axes.imshow(picture)
        _head(axes, found, "image", "left")
    for t, view in enumerate(views):
        axes = _empty_axes(figure, rows, across, t + ahead + 1)
        _draw_labeling(axes, view, view != views[0], picture, style, first=t == 0)
        _describe(axes, found, t)


def _empty_axes(figure: Figure | SubFigure, rows: int, across: int, place: int) -> Axes:
    axes = figure.add_subplot(rows, across, place)
    axes.set(xticks=[], yticks=[], anchor="W")
    axes.spines[:].set(color=_FAINT_INK, linewidth=0.6)
    return axes


def _draw_labeling(
    axes: Axes, view: Labels, changed: NDArray[np.bool_], picture: Doubles | None, style: _Style, first: bool
) -> None:
    opacity = np.where(changed | first, 0.78, 0.38)[..., None]
    axes.imshow(opacity * style.colors[view] + (1.0 - opacity) * _under(picture, view.shape), interpolation="nearest")
    if changed.any() and not changed.all():
        _outline(axes, changed)


def _under(picture: Doubles | None, shape: tuple[int, ...]) -> Doubles:
    """What shines through the labels: the image, lighter and without its colours, or white."""
    if picture is None:
        return np.ones((*shape, 3))
    grey = picture @ np.array([0.299, 0.587, 0.114])
    return np.repeat(0.35 + 0.65 * grey[..., None], 3, axis=-1)


def _outline(axes: Axes, mask: NDArray[np.bool_]) -> None:
    """Draw the border of a mask along the edges of its pixels, dark on light so that it shows everywhere."""
    from matplotlib.collections import LineCollection

    lines = list(_borders(mask))
    for color, width in (("white", 1.8), (_INK, 0.8)):
        axes.add_collection(LineCollection(lines, colors=color, linewidths=width, capstyle="round"), autolim=False)


def _borders(mask: NDArray[np.bool_]) -> Doubles:
    """Edges between pixels inside and outside of a mask, (K, 2 ends, 2 coordinates)."""
    rows, columns = np.nonzero(mask[:, 1:] != mask[:, :-1])
    upright = np.stack([columns + 0.5, rows - 0.5, columns + 0.5, rows + 0.5], axis=1)
    rows, columns = np.nonzero(mask[1:] != mask[:-1])
    level = np.stack([columns - 0.5, rows + 0.5, columns + 0.5, rows + 0.5], axis=1)
    return np.concatenate([upright, level]).reshape(-1, 2, 2)


def _describe(axes: Axes, found: DiverseList, t: int) -> None:
    """Write number and difference on the first line; below, where it comes from, relevance and gain."""
    _head(axes, found, str(t + 1), "left", fontweight="bold")
    _head(axes, found, _difference(found, t), "right")
    numbers = f"relevance {found.relevance[t]:.5g}   gain {found.gains[t]:.5g}"
    text = f"{_source(found, t)}\n{numbers}" if found.sources else numbers
    words = axes.annotate(text, (0, 1), (0, 5), "axes fraction", "offset points", fontsize=7.5, linespacing=1.35)
    words.set(color=_FAINT_INK, annotation_clip=False)
    words.set_in_layout(False)  # the heading's empty lines keep its place


def _head(axes: Axes, found: DiverseList, text: str, side: Literal["left", "right"], **options: Any) -> None:
    room = "\n\n" if found.sources else "\n"  # for the words of `_describe`
    axes.set_title(text + room, loc=side, fontsize=9, color=_INK, linespacing=1.35, **options)


def _source(found: DiverseList, t: int) -> str:
    return found.sources[t].partition("(")[0] if found.sources else ""


def _difference(found: DiverseList, t: int) -> str:
    if t == 0:
        return ""
    share = float((found.labelings[t] != found.labelings[0]).mean())
    return f"{share:.1%} differ" if share else "the same"


def _draw_strips(figure: Figure, found: DiverseList, style: _Style) -> None:
    """Draw labelings as rows of cells, with a small table beside them."""
    axes = figure.add_subplot()
    flat = found.labelings.reshape(len(found), -1)
    changed = flat != flat[0]
    opacity = np.where(changed | (np.arange(len(flat)) == 0)[:, None], 0.9, 0.35)[..., None]
    cells = _pooled(opacity * style.colors[flat] + 1.0 - opacity)
    axes.imshow(
        cells, aspect="auto", interpolation="nearest", extent=(-0.5, flat.shape[1] - 0.5, len(flat) - 0.5, -0.5)
    )
    if flat.shape[1] <= _MOST_DOTS:
        t, i = np.nonzero(changed)
        axes.plot(i, t, "o", markersize=3.5, color=_INK, markeredgecolor="white", markeredgewidth=0.6)
        axes.set_xticks(np.arange(flat.shape[1] + 1) - 0.5, minor=True)
    _dress_strips(axes, [f"{_source(found, t)}  {t + 1}" for t in range(len(flat))])
    _describe_rows(axes, found)


def _pooled(cells: Doubles) -> Doubles:
    """Means of neighbouring columns where there are more than a picture can show."""
    step = -(-cells.shape[1] // MOST_PIXELS)
    starts = np.arange(0, cells.shape[1], step)
    sizes = np.diff([*starts, cells.shape[1]])
    return np.add.reduceat(cells, starts, axis=1) / sizes[:, None]


def _dress_strips(axes: Axes, rows: Sequence[str]) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_yticks(range(len(rows)), rows, fontweight="bold")
    axes.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.2)
    axes.tick_params(which="both", length=0, labelsize=9, labelcolor=_INK)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("variable", fontsize=9, color=_FAINT_INK)


def _describe_rows(axes: Axes, found: DiverseList) -> None:
    columns = {
        "relevance": [f"{r:.5g}" for r in found.relevance],
        "gain": [f"{g:.5g}" for g in found.gains],
        "differs": [_difference(found, t).removesuffix(" differ") for t in range(len(found))],
    }
    place: dict[str, Any] = {"fontsize": 8.5, "ha": "right", "va": "center", "annotation_clip": False}
    for k, (heading, cells) in enumerate(columns.items()):
        for y, text in enumerate([heading, *cells], start=-1):
            where, shift = (1.0, max(y, -0.85)), (62 * (k + 1), 0)
            color = _FAINT_INK if y < 0 else _INK
            axes.annotate(text, where, shift, ("axes fraction", "data"), "offset points", color=color, **place)
