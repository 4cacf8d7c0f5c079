# SPDX-License-Identifier: BSD-3-Clause
"""Measure guarantees, oracle calls and processor time of every diversity on every kind of model."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import hedgehop as hh
from experiments.certificates import language, problems
from experiments.progress import tell

M = 5
MODELS = {
    "superpixels": (problems.superpixels, 12),
    "pixels": (problems.pixels, 3),
    "cutouts": (problems.cutouts, 8),
    "chains": (language.chains, 40),
    "parses": (language.parses, 40),
}  # and how many
HEAD = (
    "models",
    "steps",
    "auto",
    "improve(10)",
    "improve(20)",
    "auto / list",
    "improve(10) / list",
    "improve(20) / list",
)
Limits = dict[str, bool | float]  # what else hh.diverse is given
Tradeoff = float | Callable[[hh.Model], float]
Setting = tuple[Callable[[hh.Model], hh.Diversity], Tradeoff, Limits]
ANY: Limits = {"distinct": False}
LIMITS: dict[str, Limits] = {"": ANY, ", different": {"distinct": True}, ", 5 % apart": {"min_distance": 0.05}}


def _regions(model: hh.Model) -> hh.Diversity:
    """Runs of neighbours in the order of the superpixels."""
    return hh.RegionCoverage([np.arange(k, min(k + 12, model.n_variables)) for k in range(0, model.n_variables, 12)])


def _expected(model: hh.Model) -> hh.Diversity:
    return hh.ExpectedBest(hh.samples(model, 16, seed=0))


def _balls(model: hh.Model) -> hh.Diversity:
    """Balls whose overlap is a half at a twentieth of the variables."""
    return hh.HammingBall(gamma=np.log(2.0) / (0.05 * model.n_variables))


def _tenth(model: hh.Model) -> float:
    """A tenth of the sum of the best unary scores."""
    return 0.1 * float(np.abs(model.unary.max(axis=-1)).sum())


def _with_limits(name: str, diversity: Callable[[hh.Model], hh.Diversity], tradeoff: float) -> dict[str, Setting]:
    return {f"{name}{words}": (diversity, tradeoff, limits) for words, limits in LIMITS.items()}


def _variables(*tradeoffs: float) -> dict[str, Setting]:
    return {f"variables, log, {t:g}": (lambda model: hh.VariableCoverage(), t, ANY) for t in tradeoffs}


def _both(covered: float, far: float) -> dict[str, Setting]:
    """Single variables by both measures, with limits and without."""
    return _with_limits(f"variables, log, {covered:g}", lambda model: hh.VariableCoverage(), covered) | _with_limits(
        f"linear Hamming, {far:g}", lambda model: hh.LinearHamming(), far
    )


SETTINGS: dict[str, dict[str, Setting]] = {
    "superpixels": {
        **_both(10.0, 3.0),
        **_variables(30.0),
        "variables, sqrt, 10": (lambda model: hh.VariableCoverage("sqrt"), 10.0, ANY),
        **_with_limits("labels, auto, 50", lambda model: hh.LabelCoverage(ignore=()), 50.0),
        **_with_limits("label rewards, 50", lambda model: hh.LabelCoverage(parsimony=0.0, ignore=()), 50.0),
        "transitions, auto, 50": (lambda model: hh.TransitionCoverage(), 50.0, ANY),
        "regions, 20": (_regions, 20.0, ANY),
        "expected best, 400": (_expected, 400.0, ANY),
        "expected best, 4000": (_expected, 4000.0, ANY),
        "balls, 2000": (lambda model: hh.HammingBall(gamma=0.01), 2000.0, ANY),
        "balls, a tenth, M = 8": (_balls, _tenth, {**ANY, "m": 8}),
    },
    "pixels": {**_variables(10.0, 30.0), "linear Hamming, 3": (lambda model: hh.LinearHamming(), 3.0, ANY)},
    "cutouts": {
        **_variables(3.0),
        **_with_limits("variables, log, 1", lambda model: hh.VariableCoverage(), 1.0),
        "linear Hamming, 0.3": (lambda model: hh.LinearHamming(), 0.3, ANY),
    },
    "chains": _both(1.0, 0.3) | _with_limits("labels, auto, 2", lambda model: hh.LabelCoverage(ignore=()), 2.0),
    "parses": _both(1.0, 0.3),
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
    models, count = MODELS[part]
    for k, model in enumerate(models(data, limit or count), start=1):
        for name, measured in rows.items():
            diversity, tradeoff, limits = SETTINGS[part][name]
            measured.append(_row(model, diversity(model), tradeoff, limits))
        tell(f"{part}: {k} models")
    return rows


def _row(model: hh.Model, diversity: hh.Diversity, tradeoff: Tradeoff, limits: Limits) -> list[float]:
    """Guarantees by steps, by the list dual and of improved lists; and processor time over that of the list."""

    factor = tradeoff(model) if callable(tradeoff) else tradeoff

    def made() -> hh.DiverseList:
        return hh.diverse(model, diversity, certify=False, **{"m": M, "tradeoff": factor, **limits})

    found, spent = _timed(made)
    steps = [lambda: found.certify(len(found)), lambda: made().improve(10), lambda: made().improve(20)]
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
