# SPDX-License-Identifier: BSD-3-Clause
"""Labelings as rows of cells, with a small table beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgehop._arrays import Doubles
from hedgehop.lists.result import DiverseList
from hedgehop.plotting.labeling_images import MOST_PIXELS
from hedgehop.plotting.style import FAINT_INK, INK, Style, difference, source, sure_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_DOTTED_VARIABLES = 100  # up to which changed cells of a row carry a dot


def rows_size(found: DiverseList, sure: bool) -> tuple[float, float]:
    """Width and height of a picture in inches."""
    n = found.labelings[0].size
    return min(max(4.0 + 0.16 * n, 6.5), 11.0), 0.8 + 0.34 * (len(found) + sure)


def draw_rows(figure: Figure, found: DiverseList, style: Style, sure: bool) -> None:
    """Draw labelings as rows of cells, perhaps how sure they are below, and a small table beside them."""
    axes = figure.add_subplot()
    flat = found.labelings.reshape(len(found), -1)
    changed = flat != flat[0]
    opacity = np.where(changed | (np.arange(len(flat)) == 0)[:, None], 0.9, 0.35)[..., None]
    cells, names = (
        opacity * style.colors[flat] + 1.0 - opacity,
        [f"{source(found, t)}  {t + 1}" for t in range(len(flat))],
    )
    if sure:
        cells, names = np.concatenate([cells, sure_colors(found.sure.reshape(1, -1))]), [*names, "sure"]
    sides = (-0.5, flat.shape[1] - 0.5, len(names) - 0.5, -0.5)
    axes.imshow(_pooled(cells), aspect="auto", interpolation="nearest", extent=sides)
    if flat.shape[1] <= _MOST_DOTTED_VARIABLES:
        t, i = np.nonzero(changed)
        axes.plot(i, t, "o", markersize=3.5, color=INK, markeredgecolor="white", markeredgewidth=0.6)
        axes.set_xticks(np.arange(flat.shape[1] + 1) - 0.5, minor=True)
    _dress_axes(axes, names)
    _describe_rows(axes, found)


def _pooled(cells: Doubles) -> Doubles:
    """Means of neighbouring columns if there are more than a picture can show."""
    step = -(-cells.shape[1] // MOST_PIXELS)
    starts = np.arange(0, cells.shape[1], step)
    sizes = np.diff([*starts, cells.shape[1]])
    return np.add.reduceat(cells, starts, axis=1) / sizes[:, None]


def _dress_axes(axes: Axes, rows: Sequence[str]) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_yticks(range(len(rows)), rows, fontweight="bold")
    axes.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.2)
    axes.tick_params(which="both", length=0, labelsize=9, labelcolor=INK)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("variable", fontsize=9, color=FAINT_INK)


def _describe_rows(axes: Axes, found: DiverseList) -> None:
    probable = {"likely": [f"{p:.0%}" for p in found.probabilities]} if found.is_weighed else {}
    columns = probable | {
        "relevance": [f"{r:.5g}" for r in found.relevance],
        "gain": [f"{g:.5g}" for g in found.gains],
        "differs": [difference(found, t).removesuffix(" differ") for t in range(len(found))],
    }
    place: dict[str, Any] = {"fontsize": 8.5, "ha": "right", "va": "center", "annotation_clip": False}
    for k, (heading, cells) in enumerate(columns.items()):
        for y, text in enumerate([heading, *cells], start=-1):
            where, shift = (1.0, max(y, -0.85)), (62 * (k + 1), 0)
            color = FAINT_INK if y < 0 else INK
            axes.annotate(text, where, shift, ("axes fraction", "data"), "offset points", color=color, **place)
