# SPDX-License-Identifier: BSD-3-Clause
"""The table beside the paper's; Markdown, CSV, the oracle against M."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.category.images import Part
from experiments.category.methods import LONGEST, RECIPES
from experiments.category.scoring import Judged, mistakes, paired

PAPER = {  # Table 1: corpus IoU of the MAP, M = 5, M = 15 (16 for four lists)
    "LC count": (42.35, 45.43, 45.58),
    "LC sqrt": (42.35, 45.72, 50.01),
    "LC log": (42.35, 46.28, 50.39),
    "DivMBest": (43.43, 51.21, 52.90),
    "HB": (43.43, 51.71, 55.32),
    "LT count": (42.35, 44.26, 44.78),
    "LT sqrt": (42.35, 45.43, 46.21),
    "LT log": (42.35, 45.92, 46.89),
    "HB ⊗ LC ⊗ LT": (None, None, 56.97),
    "DivMBest ⊗ HB ⊗ LC ⊗ LT": (None, None, 57.39),
    "DivMBest ⊕ HB": (None, None, 55.89),
    "DivMBest ⊕ LC ⊕ LT": (None, None, 53.47),
}
AT = (1, 5, 15)
BASE = "DivMBest"
CLAIMS = (("HB", BASE), (BASE, "LC log"), ("LC log", "LT log"), ("HB ⊗ LC ⊗ LT", "HB"), ("DivMBest ⊕ HB", "HB"))


@dataclass(frozen=True)
class Section:
    """A part with its judged rows and the settings that were chosen."""

    part: Part
    rows: dict[str, Judged]
    settings: dict[str, str]


_HEAD = """# Category segmentation (the paper's Table 1)

The best labeling among the first M of a list, chosen for each image by its image IoU (mean over the classes in the
truth or in the labeling). IoU: over the corpus, mean over the classes present, ± bootstrap over images. img: mean image
IoU; its difference to DivMBest is paired by image, ± one standard error: compare rows by this. Settings are chosen by
img at M = 15 on one half of the images and reported on the other, and the other way round. The paper's figures (IoU)
are on other images and scores: compare the order of rows. "Wrong class" and "missed": objects the MAP has with
IoU < .3, and how many of them some labeling among the first 5 / 15 has with IoU >= .5. Seconds: processor time for 20
labelings, with the candidates or samples they are chosen from. Guarantee: proven share of the best improvement that 20
labelings (of candidates: 20 of these) can make over repeating the MAP; of balls, five.
"""


def write(sections: list[Section], matched: str, output: Path) -> str:
    text = "\n".join([_HEAD, *(_table(s) for s in sections), matched])
    (output / "results.md").write_text(text, encoding="utf-8")
    _write_csv(sections, output / "results.csv")
    for section in sections:
        _plot(section, output / f"oracle-{section.part.key}.png")
    return text


def _table(section: Section) -> str:
    rows, part = section.rows, section.part
    base = rows[BASE]  # there whatever rows are wanted; it begins with the MAP, as lists with costs do not
    wrong, missed = mistakes(base.tables[:, 0], part.background)
    lines = [f"## {part.title}", "", f"{len(part.examples)} images, {int(base.present.sum())} classes.", ""]
    lines += [
        "| list | IoU at 1, 5, 15 | paper | img at 1, 5, 15 | img minus DivMBest at 5 | at 15 | pixels at 15 "
        f"| wrong class ({wrong.sum()}) | missed ({missed.sum()}) | s an image | guarantee |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    block = None
    for name, row in rows.items():
        if _block(name) != block:
            block = _block(name)
            lines.append(f"| *{block}* |" + " |" * 10)
        lines.append(_line(name, row, base, wrong, missed))
    lines += ["", "Settings, chosen on the odd / even images:", ""]
    lines += [f"- {name}: {text}" for name, text in section.settings.items() if text]
    return "\n".join([*lines, "", *_verdicts(rows), ""])


def _line(name: str, row: Judged, base: Judged, wrong: np.ndarray, missed: np.ndarray) -> str:
    corpus = ", ".join(f"{row.corpus(m):.1f}" for m in AT)
    img = ", ".join(f"{row.img(m).mean():.1f}" for m in AT)
    cells = [name, f"{corpus} ± {row.corpus_error(15):.1f}", _paper(name), img]
    cells += [_difference(row, base, m) if name != BASE else "" for m in (5, 15)]
    cells += [f"{row.accuracy(15):.1f}"]
    cells += [f"{row.recovered(5, objects)} / {row.recovered(15, objects)}" for objects in (wrong, missed)]
    cells += [f"{row.seconds:.2f}", "" if np.isnan(row.guarantee) else f"{row.guarantee:.2f}"]
    return f"| {' | '.join(cells)} |"


def _block(name: str) -> str:
    blocks = {r.name: r.block for r in RECIPES}
    return blocks.get(name, "side by side (⊗)")


def _paper(name: str) -> str:
    return ", ".join("–" if v is None else f"{v:.1f}" for v in PAPER[name]) if name in PAPER else ""


def _difference(row: Judged, base: Judged, m: int) -> str:
    change, error = paired(row.img(m), base.img(m))
    return f"{change:+.1f} ± {error:.1f}"


def _verdicts(rows: dict[str, Judged]) -> list[str]:
    """The paper's order of rows at M = 15, and whether it holds here (img, paired)."""
    lines = []
    for better, worse in CLAIMS:
        if better in rows and worse in rows:
            change, error = paired(rows[better].img(15), rows[worse].img(15))
            says = "holds" if change > 2 * error else "is the other way round" if change < -2 * error else "not settled"
            lines.append(f"- The paper has {better} above {worse}: {says} ({change:+.1f} ± {error:.1f}).")
    return lines


def _write_csv(sections: list[Section], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["part", "list", "image", *(f"M={m}" for m in range(1, LONGEST + 1))])
        for section in sections:
            for name, row in section.rows.items():
                reached = np.maximum.accumulate(row.iou, axis=1)
                for example, values in zip(section.part.examples, reached, strict=True):
                    table.writerow([section.part.key, name, example.name, *(f"{v:.4f}" for v in values)])


_SHOWN = {
    "single flips": "#b8b8b8",
    "perturb-and-MAP": "#5c5c63",
    "LC log": "#f0e442",
    "LT log": "#e69f00",
    BASE: "#0072b2",
    "HB": "#d55e00",
    "HB, distinct": "#cc79a7",
    "regions": "#56b4e9",
    "expected best": "#33097d",
    "levels ⊕ linear": "#009e73",
    "expected overlap": "#920506",
}


def _plot(section: Section, path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 5), dpi=110, layout="constrained")
    panels = figure.subplots(1, 2)
    m = np.arange(1, LONGEST + 1)
    for name, color in _SHOWN.items():
        if name in section.rows:
            row = section.rows[name]
            style = {"color": color, "label": name, "markersize": 3.5, "linewidth": 1.4}
            panels[0].plot(m, [row.img(k).mean() for k in m], "o-", **style)
            panels[1].plot(m, [row.corpus(k) for k in m], "o-", **style)
    for axes, what in zip(panels, ("mean image IoU", "IoU over the corpus"), strict=True):
        axes.set(xlabel="M", ylabel=f"{what} of the oracle, %", xticks=m[::2])
        axes.grid(color="#e6e6e6")
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(f"{section.part.title}, {len(section.part.examples)} images", fontsize=11, x=0.01, ha="left")
    lines, names = panels[0].get_legend_handles_labels()
    figure.legend(lines, names, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    figure.savefig(path)
