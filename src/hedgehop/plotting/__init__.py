# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of lists: all candidates side by side, and what changed (matplotlib, only here)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from hedgehop._arrays import flag, positive_count
from hedgehop._errors import need
from hedgehop.lists.result import DiverseList
from hedgehop.plotting.image_panels import default_columns, draw_panels, panel_size
from hedgehop.plotting.labeling_images import background_image, check_lists, labeling_images, refuse_image, sure_image
from hedgehop.plotting.labeling_rows import draw_rows, rows_size
from hedgehop.plotting.reliability_diagram import plot_reliability
from hedgehop.plotting.style import INK, PALETTE, empty_figure, style_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PALETTE", "plot_list", "plot_lists", "plot_reliability"]


def plot_list(
    found: DiverseList,
    image: ArrayLike | None = None,
    *,
    segments: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    colors: Sequence[Any] | None = None,
    columns: int | None = None,
    title: str | None = None,
    sure: bool = False,
) -> Figure:
    """Draw all labelings of a list side by side, with what differs from the first.

    Each panel shows the labeling's number, the share of variables that differ from the first labeling, and its
    relevance. Differences are outlined and in full colour, the rest is paler. Labelings of a grid
    are drawn as images (of a volume, the middle slice), others as rows of cells.

    Parameters
    ----------
    found : DiverseList
        The list.
    image : (H, W), (H, W, 3) or (H, W, 4) array, optional
        The image that was labelled (with a leading axis for a volume); drawn first, and faintly under the
        labels.
    segments : (H, W) array of ints, optional
        The variable of each pixel, starting at 0, if variables are superpixels.
    names : sequence of str, optional
        Names of the labels, for the legend, which is drawn for up to 12 labels in use.
    colors : sequence of matplotlib colours, optional
        Colours of the labels.
    columns : int, optional
        Number of panels per row.
    title : str, optional
        Title of the figure.
    sure : bool
        Whether to draw ``found.sure`` after the labelings: bright where a label is sure, dark where plausible answers
        disagree.

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
    images, sure = labeling_images(found, segments), flag(sure, "sure")
    style = style_of([found], names, colors)
    if images.ndim == 2:
        refuse_image(image, found)
        figure = empty_figure(rows_size(found, sure), style, title)
        draw_rows(figure, found, style, sure)
        return figure
    background = background_image(image, segments, found)
    certain = sure_image(found, segments) if sure else None
    count = len(found) + (background is not None) + (certain is not None)
    across = default_columns(count) if columns is None else min(positive_count(columns, "columns"), count)
    figure = empty_figure(panel_size(images, -(-count // across), across, 3 if found.sources else 2), style, title)
    draw_panels(figure, found, images, background, style, across, certain)
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

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> model = hh.Grid(np.zeros((3, 4, 2)))
    >>> kinds = {"pixels": hh.VariableCoverage(), "distances": hh.LinearHamming()}
    >>> lists = {name: hh.diverse(model, diversity, m=2) for name, diversity in kinds.items()}
    >>> len(plot_lists(lists).axes)
    4
    """
    need("matplotlib", "plot", "plot_lists")
    check_lists(lists, segments)
    images = {name: labeling_images(found, segments) for name, found in lists.items()}
    longest = max(lists.values(), key=len)
    background = background_image(image, segments, longest)
    style = style_of(list(lists.values()), names, colors)
    across = len(longest) + (background is not None)
    width, height = panel_size(images[next(iter(images))], len(lists), across)
    figure = empty_figure((width, height + 0.3 * len(lists)), style, title)
    bands = np.atleast_1d(np.asarray(figure.subfigures(len(lists), 1, hspace=0.02), dtype=object))
    for band, (name, found) in zip(bands, lists.items(), strict=True):
        band.suptitle(name, x=0.004, ha="left", fontsize=11, fontweight="bold", color=INK)
        draw_panels(band, found, images[name], background, style, across)
    return figure
