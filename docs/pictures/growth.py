# SPDX-License-Identifier: BSD-3-Clause
"""How the time of a list grows with variables, labels and labelings, for every diversity: ``growth.svg``.

``python docs/pictures/growth.py n L m`` measures these panels on the present machine, adds the figures to growth.json,
and draws all of them; ``--only TransitionCoverage`` measures this curve alone. A curve ends where the next list would
take more than ``--limit`` seconds of the processor, if times go on to grow as they did last.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import hedgehop as hh

HERE = Path(__file__).parent
FIGURES, PICTURE = HERE / "growth.json", HERE / "growth.svg"
PANELS = {
    "n": ("pixels (5 labels, M = 5)", [16, 32, 64, 128, 256, 512, 1024, 2048]),
    "L": ("labels (64 x 64 pixels, M = 5)", [2, 5, 10, 20, 40, 80, 160, 320]),
    "m": ("labelings (64 x 64 pixels, 5 labels)", [2, 5, 10, 20, 40, 80, 160]),
}


def model(side: int, labels: int) -> hh.Grid:
    """Noisy regions, as of an image."""
    random = np.random.default_rng(0)
    centres = random.random((3 * labels, 2)) * side
    places = np.stack(np.mgrid[:side, :side], axis=-1).reshape(-1, 1, 2)
    nearest = np.concatenate([((p - centres) ** 2).sum(-1).argmin(-1) for p in np.array_split(places, side)])
    scores = random.normal(size=(side * side, labels))
    scores[np.arange(side * side), nearest % labels] += 1.5
    return hh.Grid(scores.reshape(side, side, labels), smoothness=0.8)


def squares(side: int) -> list[Any]:
    """Members of eight by eight regions."""
    rows = np.array_split(np.arange(side * side).reshape(side, side), 8)
    return [block.ravel() for row in rows for block in np.array_split(row, 8, axis=1)]


def diversities(grid: hh.Grid) -> dict[str, tuple[hh.Diversity, float]]:
    """Every kind, with a tradeoff at which labelings differ; some of those of regions and samples do not."""
    n, side = grid.n_variables, grid.shape[0]
    samples = np.random.default_rng(1).integers(0, grid.n_labels, (8, 8, 8))
    blown = np.stack([np.kron(s, np.ones((-(-side // 8), -(-side // 8)), int))[:side, :side] for s in samples])
    return {
        "VariableCoverage": (hh.VariableCoverage(), 1.0),
        "LinearHamming": (hh.LinearHamming(), 0.2),
        "HammingBall": (hh.HammingBall(gamma=float(np.log(2)) / (0.1 * n)), 0.5 * n),
        "LabelCoverage": (hh.LabelCoverage(ignore=()), 0.02 * n),
        "TransitionCoverage": (hh.TransitionCoverage(), 0.02 * n),
        "RegionCoverage": (hh.RegionCoverage(squares(side)), 0.01 * n),
        "ExpectedBest": (hh.ExpectedBest(blown.reshape(8, -1)), 0.5 * n),
    }


def settings(panel: str, value: int) -> tuple[int, int, int]:
    """Side, labels and labelings of a point."""
    return {"n": (value, 5, 5), "L": (64, value, 5), "m": (64, 5, value)}[panel]


def seconds(name: str, side: int, labels: int, m: int) -> float:
    """Time of the processor of one list, its default certificate included."""
    grid = model(side, labels)
    diversity, tradeoff = diversities(grid)[name]
    start = time.process_time()
    hh.diverse(grid, diversity, m, tradeoff)
    return time.process_time() - start


def measure(panel: str, name: str, limit: float) -> list[tuple[int, float]]:
    """Points of a curve, until the next one would take too long."""
    seconds(name, 16, 3, 2)  # loads what it needs
    curve: list[tuple[int, float]] = []
    for value in PANELS[panel][1]:
        size = value**2 if panel == "n" else value
        if curve and predicted(curve, size) > limit:
            break
        curve.append((size, seconds(name, *settings(panel, value))))
        print(panel, name, *curve[-1], flush=True)
    return curve


def predicted(curve: list[tuple[int, float]], size: int) -> float:
    """Time of the next point, by the power of the last two, which is at least 1."""
    (n, time_before), (last, spent) = curve[-2:] if len(curve) > 1 else [(1, 0.0), curve[-1]]
    power = float(np.log(spent / time_before) / np.log(last / n)) if time_before else 1.0
    return float(spent * (size / last) ** max(1.0, power))


def draw(figures: dict[str, Any]) -> None:
    """Write all panels that were measured."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    plt.rcParams.update(
        {"svg.hashsalt": "growth", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
    )
    shown = [panel for panel in PANELS if panel in figures]
    figure, axes = plt.subplots(1, len(shown), figsize=(4.2 * len(shown), 3.8), sharey=True, squeeze=False)
    for axis, panel in zip(axes[0], shown, strict=True):
        for k, (name, curve) in enumerate(figures[panel].items()):
            axis.loglog(*np.transpose(curve), marker="os^vDPX"[k], markersize=4, linewidth=1.2, label=name)
        axis.set_xlabel(PANELS[panel][0])
        if panel != "n":  # few values, each named
            axis.set_xticks(PANELS[panel][1], map(str, PANELS[panel][1]))
            axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("CPU seconds per list")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="upper center", ncols=4, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 0.87))
    figure.savefig(PICTURE, metadata={"Date": None})


def main() -> None:
    """Measure the panels that are named, and draw all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("panels", nargs="*", metavar="n, L, m")
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--only", nargs="*", metavar="DIVERSITY", default=list(diversities(model(16, 2))))
    options = parser.parse_args()
    if not set(options.panels) <= set(PANELS):
        parser.error(f"panels must be some of {', '.join(PANELS)}; got {' '.join(options.panels)}.")
    figures = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    for panel in options.panels:
        for name in options.only:
            curve = measure(panel, name, options.limit)
            figures = {**figures, "limit": options.limit, panel: {**figures.get(panel, {}), name: curve}}
            FIGURES.write_text(json.dumps(figures) + "\n")
    draw(figures)


if __name__ == "__main__":
    main()
