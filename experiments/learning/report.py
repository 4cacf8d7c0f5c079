# SPDX-License-Identifier: BSD-3-Clause
"""Tables in Markdown, and the plot of the lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

AT = (1, 2, 3, 5, 10)


def write(found: dict[str, dict[str, Any]], output: Path) -> str:
    sections = [
        "# Learned relevance",
        _solvers(found["solvers"]),
        _shares("Letters: share of right letters on nine folds", "machine", found["letters"]),
        _shares("Snakes: share of right pixels", "edge features", found["snakes"]),
        _shares("VOC val: pixel accuracy, mean over images", "weights", found["superpixels"]),
        _lists("Letters: share of words among the first M", found["lists"]["words"]),
        _lists("Letters: share of letters right in the best of the first M", found["lists"]["letters"]),
    ]
    text = "\n\n".join(sections) + "\n"
    (output / "results.md").write_text(text, encoding="utf-8")
    _plot(found["lists"]["words"], output / "oracle.png")
    return text


def _table(title: str, head: list[str], rows: list[list[str]]) -> str:
    lines = [f"## {title}", "", f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _solvers(found: dict[str, dict[str, float]]) -> str:
    head = ["problem: solver", "primal value", "gap", "inferences", "processor seconds"]
    rows = [
        [name, f"{r['primal']:.4f}", f"{r['gap']:.2%}", f"{r['calls']}", f"{r['seconds']:.1f}"]
        for name, r in found.items()
    ]
    return _table("Three solvers, one optimum", head, rows)


def _shares(title: str, what: str, found: dict[str, float]) -> str:
    return _table(title, [what, "share"], [[name, f"{value:.4f}"] for name, value in found.items()])


def _lists(title: str, found: dict[str, list[float]]) -> str:
    rows = [[name, *(f"{values[m - 1]:.3f}" for m in AT)] for name, values in found.items()]
    return _table(title, ["list", *(f"M = {m}" for m in AT)], rows)


def _plot(found: dict[str, list[float]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), dpi=110, layout="constrained")
    axes = figure.subplots()
    for (name, values), color in zip(found.items(), ("#5c5c63", "#0072b2", "#d55e00"), strict=False):
        axes.plot(range(1, len(values) + 1), values, "o-", color=color, markersize=3.5, linewidth=1.4, label=name)
    axes.set(xlabel="M", ylabel="share of words in the list")
    axes.grid(color="#e6e6e6")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(path)
