# SPDX-License-Identifier: BSD-3-Clause
"""Measure guarantees, oracle calls and processor time of every diversity on every kind of model."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import hedgehop as hh
from experiments.certificates import problems
from experiments.progress import tell

M = 5
IMAGES = {"superpixels": 12, "pixels": 3, "cutouts": 6}
MODELS = {"superpixels": problems.superpixels, "pixels": problems.pixels, "cutouts": problems.cutouts}
HEAD = (
    "images",
    "steps",
    "auto",
    "improve(10)",
    "improve(20)",
    "auto / list",
    "improve(10) / list",
    "improve(20) / list",
)
Setting = tuple[Callable[[hh.Model], hh.Diversity], float]


def _regions(model: hh.Model) -> hh.Diversity:
    """Runs of neighbours in the order of the superpixels."""
    return hh.RegionCoverage([np.arange(k, min(k + 12, model.n_variables)) for k in range(0, model.n_variables, 12)])


def _variables(*tradeoffs: float) -> dict[str, Setting]:
    return {f"variables, log, {t:g}": (lambda model: hh.VariableCoverage(), t) for t in tradeoffs}


SETTINGS: dict[str, dict[str, Setting]] = {
    "superpixels": {
        **_variables(10.0, 30.0),
        "variables, sqrt, 10": (lambda model: hh.VariableCoverage("sqrt"), 10.0),
        "linear Hamming, 3": (lambda model: hh.LinearHamming(), 3.0),
        "labels, auto, 50": (lambda model: hh.LabelCoverage(ignore=()), 50.0),
        "label rewards, 50": (lambda model: hh.LabelCoverage(parsimony=0.0, ignore=()), 50.0),
        "transitions, auto, 50": (lambda model: hh.TransitionCoverage(), 50.0),
        "regions, 20": (_regions, 20.0),
        "expected best, 400": (lambda model: hh.ExpectedBest(hh.samples(model, 16, seed=0)), 400.0),
    },
    "pixels": {**_variables(10.0, 30.0), "linear Hamming, 3": (lambda model: hh.LinearHamming(), 3.0)},
    "cutouts": {**_variables(1.0, 3.0), "linear Hamming, 0.3": (lambda model: hh.LinearHamming(), 0.3)},
}


def reproduce(
    data: str | Path,
    output: str | Path = "results/certificates",
    limit: int | None = None,
    parts: Sequence[str] | None = None,
    only: Sequence[str] | None = None,
) -> str:
    """Measure all parts, write results.md and results.json into `output`, and return the text.

    `only` names rows of the tables, by their beginnings.
    """
    data, output = Path(data), Path(output)
    output.mkdir(parents=True, exist_ok=True)
    found = {part: _measured(data, part, limit, tuple(only or [""])) for part in parts or SETTINGS}
    (output / "results.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    text = "\n\n".join(_table(part, rows) for part, rows in found.items()) + "\n"
    (output / "results.md").write_text(text, encoding="utf-8")
    return text


def _measured(data: Path, part: str, limit: int | None, only: tuple[str, ...]) -> dict[str, list[list[float]]]:
    rows: dict[str, list[list[float]]] = {name: [] for name in SETTINGS[part] if name.startswith(only)}
    for k, model in enumerate(MODELS[part](data, limit or IMAGES[part]), start=1):
        for name, measured in rows.items():
            diversity, tradeoff = SETTINGS[part][name]
            measured.append(_row(model, diversity(model), tradeoff))
        tell(f"{part}: {k} images")
    return rows


def _row(model: hh.Model, diversity: hh.Diversity, tradeoff: float) -> list[float]:
    """Guarantees by steps, by the list dual and of improved lists; and processor time over that of the list."""

    def made() -> hh.DiverseList:
        return hh.diverse(model, diversity, M, tradeoff, distinct=False, certify=False)

    found, spent = _timed(made)
    steps = [lambda: found.certify(M), lambda: made().improve(10), lambda: made().improve(20)]
    (auto, first), (ten, second), (twenty, third) = (_timed(step) for step in steps)
    guarantees = [one.guarantee for one in (found, auto, ten, twenty)]
    return [*guarantees, first / spent, (second - spent) / spent, (third - spent) / spent]


def _timed(run: Callable[[], hh.DiverseList]) -> tuple[hh.DiverseList, float]:
    start = time.process_time()
    found = run()
    return found, time.process_time() - start


def _table(part: str, rows: dict[str, list[list[float]]]) -> str:
    lines = [f"## {part}", "", f"| diversity, tradeoff | {' | '.join(HEAD)} |", "|" + "---|" * (len(HEAD) + 1)]
    for name, values in rows.items():
        middle = np.median(np.array(values), axis=0)
        shown = [f"{v:.3f}" for v in middle[:4]] + [f"{v:.1f}" for v in middle[4:]]
        lines.append(f"| {name} | {len(values)} | {' | '.join(shown)} |")
    return "\n".join(lines)
