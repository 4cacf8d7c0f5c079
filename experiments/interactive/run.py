# SPDX-License-Identifier: BSD-3-Clause
"""Tune on one half of the images, report on the other."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import hedgehop as hh
from experiments.interactive import images, methods
from experiments.interactive.problems import LONGEST, Problem, original_crf, prepare, share_right
from experiments.interactive.report import Part, write
from experiments.progress import tell
from experiments.strokes.run import robot
from hedgehop._frozen import digest
from hedgehop.tuning.cache import ScoreCache
from hedgehop.tuning.search import Tuned

M = 6  # tuned for
PARTS = ("table", "robot")


def reproduce(
    data: str | Path,
    output: str | Path = "results/interactive",
    limit: int | None = None,
    parts: Sequence[str] = (),
    only: list[str] | None = None,
) -> str:
    """Run all parts, write results.md, results.csv and oracle.png into `output`, and return the text.

    Parameters
    ----------
    data : path
        The folder with grabcut, voc2012, coopcuts16 and divmbest_voctest50.
    output : path
        Also keeps the caches: a second run is there at once.
    limit : int, optional
        Use this many images of each part only.
    parts : names of parts
        "table" (the paper's Table 2), "robot" (marks that a robot needs, into the folder `robot`); by default both.
    only : list of str, optional
        Which players the robot judges, such as "dialogue"; by default all.
    """
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        raise ValueError(f"parts must be among {', '.join(PARTS)}; got {unknown[0]!r}.")
    wanted, texts = parts or PARTS, []
    if only and "robot" not in wanted:
        raise ValueError("only must come with the part robot: the table is made as a whole. Leave it out.")
    if "table" in wanted:
        texts.append(_table(Path(data), Path(output), limit))
    if "robot" in wanted:
        texts.append(robot(data, Path(output) / "robot", limit, only))
    return "\n".join(texts)


def _table(data: Path, output: Path, limit: int | None) -> str:
    output.mkdir(parents=True, exist_ok=True)
    parts, settings = [], None
    for title, read, halves in (
        ("(a) GrabCut, two sets of human strokes", images.grabcut, True),
        ("(b) VOC 2012 val, strokes of a robot", images.voc, True),
        ("(c) thin objects (coopcuts), settings of (a)", images.coopcuts, False),
    ):
        tell(title)
        problems = prepare(list(_some(read(data), limit)), output / "models", os.cpu_count() or 1)
        tuning, reporting = _halves(problems) if halves else ([], problems)
        tuned = _tune(tuning, output) if halves else settings
        settings = settings or tuned
        parts.append(_evaluate(title, reporting, tuned, output, len(tuning)))
    title = "(d) one CRF published with DivMBest, settings of (a)"
    parts.append(_evaluate(title, [original_crf(data)], settings, output, 0))
    return write(parts, output)


def _some(examples: Iterator[images.Example], limit: int | None) -> Iterator[images.Example]:
    seen: set[str] = set()
    for example in examples:
        seen.add(example.image)
        if limit is not None and len(seen) > limit:
            return
        yield example


def _halves(problems: list[Problem]) -> tuple[list[Problem], list[Problem]]:
    """Every second image; all strokes on an image stay together."""
    names = list(dict.fromkeys(p.image for p in problems))
    first = set(names[::2])
    return [p for p in problems if p.image in first], [p for p in problems if p.image not in first]


def _tune(problems: list[Problem], output: Path) -> dict[str, Tuned]:
    chosen = {}
    for name, grid in methods.grids().items():
        if not all(methods.solvable(problems[0], d) for d in grid.diversities.values()):
            tell(f"  {name}: no oracle for models of this size, left out")
            continue
        models, truths = [p.model for p in problems], [p.counts for p in problems]
        chosen[name] = hh.tune(
            models, truths, grid.diversities, grid.tradeoffs, M, score=share_right, cache=output / "tuned.jsonl"
        )
        tell(f"  {name}: {chosen[name]}")
    return chosen


def _evaluate(title: str, problems: list[Problem], tuned: dict[str, Tuned], output: Path, n_tuned: int) -> Part:
    cache = ScoreCache(output / "reported.jsonl")
    rows = {"M-best (single flips)": _all(problems, methods.single_flips, "flips", cache)}
    rows["perturb-and-MAP"] = _all(problems, methods.perturbed(0.5), "perturbed 0.5", cache)
    for name, found in tuned.items():
        rows[name] = _all(problems, _greedy(found), f"{found.name} {found.tradeoff!r}", cache)
    if methods.BALL in rows:
        rows["DivMBest ⊗ ball"] = methods.side_by_side(rows[methods.DIVMBEST], rows[methods.BALL])
    rows["VariableCoverage, MAP + joint"] = _all(problems, methods.map_and_joint(1.0), "joint 1.0", cache)
    if all(p.suggested is not None for p in problems):
        rows[methods.SUGGEST] = np.array([methods.listed(p.suggested) for p in problems])
        rows[methods.REDRAWN] = np.array([methods.listed(p.redrawn) for p in problems])
    return Part(title, [p.image for p in problems], rows, n_tuned, {k: repr(v) for k, v in tuned.items()})


def _greedy(found: Tuned) -> methods.Row:
    def row(problem: Problem) -> np.ndarray:
        listed = hh.diverse(problem.model, found.diversity, LONGEST, found.tradeoff)
        return hh.metrics.best_so_far(share_right(listed.labelings, problem.counts))

    return row


def _all(problems: list[Problem], row: Callable[[Problem], np.ndarray], name: str, cache: ScoreCache) -> np.ndarray:
    """Oracle accuracies (problems, 10), side by side and kept."""

    def run(problem: Problem) -> list[float]:
        key = f"{digest(problem.model, problem.counts)} {name}"
        known = cache.get(key)
        if known is None:
            known = row(problem).tolist()
            cache.put(key, known)
        return known

    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        return np.array(list(threads.map(run, problems)))
