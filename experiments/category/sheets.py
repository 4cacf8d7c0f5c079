# SPDX-License-Identifier: BSD-3-Clause
"""Pictures like the paper's: image, truth, MAP, what each diversity's oracle takes, and whole lists."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from experiments.category.images import UNKNOWN, Part
from experiments.category.problems import segments_of
from experiments.category.scoring import Judged
from hedgehop.segmentation import voc_palette

ROWS = (  # those there are of these; whole lists
    *("DivMBest", "HB, distinct", "LC log, distinct", "LT log, distinct", "VariableCoverage", "regions"),
    *("expected best", "expected overlap", "levels ⊕ linear"),
)
ACROSS = 10  # labelings of a list that are shown
SHEETS = 6
_VOID = (224, 224, 192)


def draw_sheets(part: Part, paths: list[Path], lists: dict[str, list[np.ndarray]], judged: dict, folder: Path) -> None:
    """Draw where lists help most, and where transitions help most: whole lists of all rows, an image a sheet."""
    names = [name for name in ROWS if name in lists]
    if not names:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for k in _telling(judged, names):
        rows = {name: lists[name][k][:ACROSS] for name in names}
        scores = {name: judged[name].iou[k] for name in names}
        figure = _sheet(part, k, segments_of(paths[k]), rows, scores)
        figure.savefig(folder / f"{part.examples[k].name}.png")


def _telling(judged: dict[str, Judged], names: list[str]) -> list[int]:
    """Images with the largest gains of any list, and of transitions, over the MAP."""
    gains = [np.max([judged[n].img(ACROSS) - judged[n].img(1) for n in names], axis=0)]
    if "LT log, distinct" in names and "DivMBest" in names:
        gains.append(judged["LT log, distinct"].img(ACROSS) - judged["DivMBest"].img(ACROSS))
    each = SHEETS // len(gains)
    return sorted({int(k) for g in gains for k in np.argsort(-g, kind="stable")[:each]})


def _sheet(part: Part, k: int, segments: np.ndarray, rows: dict[str, np.ndarray], scores: dict[str, np.ndarray]):
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    example, palette = part.examples[k], np.array(voc_palette())
    photo = np.asarray(Image.open(example.path).convert("RGB"))
    height = 1.35 * photo.shape[0] / photo.shape[1] + 0.32
    figure = Figure(figsize=(1.35 * (ACROSS + 1), height * (len(rows) + 1) + 0.6), dpi=100, layout="constrained")
    grid = figure.subplots(len(rows) + 1, ACROSS + 1)
    for axes in grid.ravel():
        axes.set_axis_off()
    _show(grid[0, 0], photo, "image")
    truth = palette[example.truth]
    truth[example.truth == UNKNOWN] = _VOID
    _show(grid[0, 1], truth, "truth")
    first = next(iter(rows))
    _show(grid[0, 2], palette[rows[first][0][segments]], f"MAP {_percent(scores[first][0])}")
    for line, (name, labelings) in zip(grid[1:], rows.items(), strict=True):
        values = scores[name][: len(labelings)]
        line[0].text(1.0, 0.5, name.replace(" ⊕ ", "\n⊕ ").replace(", ", "\n"), ha="right", va="center", fontsize=8)
        for m, (axes, labeling) in enumerate(zip(line[1:], labelings, strict=False)):
            best = m == int(values.argmax())
            _show(axes, palette[labeling[segments]], _percent(values[m]), best)
    used = sorted({int(v) for y in rows.values() for v in np.unique(y)} | set(np.unique(example.truth)) - {UNKNOWN})
    patches = [Patch(facecolor=palette[v] / 255, edgecolor="#888888", label=part.classes[v]) for v in used]
    figure.legend(handles=patches, loc="outside lower center", ncols=11, frameon=False, fontsize=8)
    figure.suptitle(f"{part.title}: {example.name} (image IoU, %; framed: what the oracle takes)", fontsize=9)
    return figure


def _percent(value: float) -> str:
    return f"{100 * value:.0f}"


def _show(axes, pixels: np.ndarray, title: str, framed: bool = False) -> None:
    axes.set_axis_on()
    axes.imshow(pixels[::2, ::2], interpolation="nearest")
    axes.set(xticks=[], yticks=[])
    axes.set_title(title, fontsize=7, pad=2, fontweight="bold" if framed else "normal")
    for spine in axes.spines.values():
        spine.set(color="#d55e00" if framed else "#cccccc", linewidth=2.5 if framed else 0.5)
