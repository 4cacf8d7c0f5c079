# SPDX-License-Identifier: BSD-3-Clause
"""Colours and names of the labels, an empty figure with them as a legend, and what stands beside a labeling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgehop._arrays import Doubles
from hedgehop.lists.result import DiverseList
from hedgehop.palette import PALETTE as PALETTE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, FAINT_INK = "#1c1c1c", "#5a5a5a"
_MOST_IN_LEGEND = 12


@dataclass(frozen=True)
class Style:
    """Colours (L, 3) and names of the labels, and which are in use."""

    colors: Doubles
    names: tuple[str, ...]
    used: tuple[int, ...]


def style_of(lists: Sequence[DiverseList], names: Sequence[str] | None, colors: Sequence[Any] | None) -> Style:
    """Colours and names for the labels that lists use, the given ones or our own."""
    from matplotlib.colors import to_rgb

    used = sorted({int(k) for found in lists for k in np.unique(found.labelings)})
    count = used[-1] + 1
    for given, what in ((names, "names"), (colors, "colors")):
        if given is not None and len(given) < count:
            raise ValueError(f"{what} must have one entry per label (0..{count - 1}); got {len(given)}.")
    texts = (f"label {k}" for k in range(count)) if names is None else map(str, names)
    shades = _many_colors(count) if colors is None else [to_rgb(c) for c in colors]
    return Style(np.array(shades, float), tuple(texts), tuple(used))


def _many_colors(count: int) -> list[tuple[float, float, float]]:
    """The palette; beyond it, hues a golden angle apart in three shades."""
    from matplotlib.colors import hsv_to_rgb, to_rgb

    extra = range(max(0, count - len(PALETTE)))
    wheel = [hsv_to_rgb((k * 0.618 % 1.0, (0.45, 0.75, 0.6)[k % 3], (0.95, 0.75, 0.5)[k % 3])) for k in extra]
    return [to_rgb(c) for c in PALETTE[:count]] + [(float(r), float(g), float(b)) for r, g, b in wheel]


def empty_figure(size: tuple[float, float], style: Style, title: str | None) -> Figure:
    """Return an empty figure with room for title and legend, both drawn."""
    from matplotlib.figure import Figure

    width, height = size
    legend = len(style.used) <= _MOST_IN_LEGEND
    lines = -(-len(style.used) // _legend_columns(style, width)) if legend else 0
    size = (width, height + 0.4 * (title is not None) + 0.26 * lines)
    figure = Figure(figsize=size, dpi=120, layout="constrained", facecolor="white")
    figure.get_layout_engine().set(w_pad=0.05, h_pad=0.06)  # type: ignore[union-attr, call-arg]
    if title is not None:
        figure.suptitle(title, fontsize=12, color=INK)
    if legend:
        _draw_legend(figure, style, _legend_columns(style, width))
    return figure


def _legend_columns(style: Style, width: float) -> int:
    longest = max(len(style.names[k]) for k in style.used)
    return max(1, min(len(style.used), int(width / (0.55 + 0.085 * longest))))


def _draw_legend(figure: Figure, style: Style, columns: int) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(facecolor=style.colors[k], edgecolor=FAINT_INK, linewidth=0.5) for k in style.used]
    names = [style.names[k] for k in style.used]
    look: dict[str, Any] = {"frameon": False, "fontsize": 9, "labelcolor": INK, "handlelength": 1.2}
    figure.legend(handles, names, loc="outside lower center", ncols=columns, columnspacing=1.4, **look)


def source(found: DiverseList, t: int) -> str:
    """Which diversity a labeling of a portfolio comes from."""
    return found.sources[t].partition("(")[0] if found.sources else ""


def difference(found: DiverseList, t: int) -> str:
    """How much of a labeling differs from the first."""
    share = float((found.labelings[t] != found.labelings[0]).mean())
    return "" if t == 0 else f"{share:.1%} differ" if share else "the same"


def likely(found: DiverseList, t: int) -> str:
    """How likely a labeling is the nearest one to the truth, if that is known."""
    return f"likely {found.probabilities[t]:.0%}, " if found.is_weighed else ""


def sure_colors(sure: Doubles) -> Doubles:
    """Colours of probabilities, (..., 3): bright where a label is sure, dark where nothing is known."""
    from matplotlib import colormaps

    return np.asarray(colormaps["magma"](sure)[..., :3])
