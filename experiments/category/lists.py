# SPDX-License-Identifier: BSD-3-Clause
"""All lists of all problems: made side by side, kept in files, never made twice."""

from __future__ import annotations

import base64
import os
import time
import zlib
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.category.methods import LONGEST, Recipe, Setting
from experiments.category.problems import Problem, read
from experiments.category.scoring import image_iou
from experiments.progress import count
from hedgehop._frozen import digest
from hedgehop.tuning.cache import ScoreCache


@dataclass(frozen=True)
class Kept:
    """A list as it is kept: image IoUs of 20 labelings, the labelings, seconds, guarantee."""

    iou: np.ndarray
    labelings: np.ndarray
    seconds: float
    guarantee: float


Jobs = list[tuple[Recipe, Setting]]


def make_all(paths: list[Path], recipes: list[Recipe], cache: Path) -> list[dict[tuple[str, Setting], Kept]]:
    """Make the missing lists of all problems in parallel, and read all."""
    cache.mkdir(parents=True, exist_ok=True)
    names = [r.name for r in recipes]
    with ProcessPoolExecutor(os.cpu_count() or 1) as processes:
        jobs = {processes.submit(_make_missing, path, names, cache): k for k, path in enumerate(paths)}
        made = 0
        for done, job in enumerate(as_completed(jobs), start=1):
            made += job.result()
            count(done, len(jobs), f"images, {made} lists made")
    return [_read_all(path, recipes, cache) for path in paths]


def _file(problem: Problem, cache: Path) -> Path:
    """One file a model: another model, other lists."""
    return cache / f"{problem.name}-{digest(problem.model, problem.counts)}.jsonl"


def _key(problem: Problem, recipe: Recipe, setting: Setting) -> str:
    weights = f" {digest(problem.learned, problem.counts)}" if recipe.learned else ""
    return f"{recipe.name} {setting}{weights}"


def _make_missing(path: Path, names: list[str], cache: Path) -> int:
    from experiments.category.methods import RECIPES  # by name: functions do not travel between processes

    problem, made = read(path), 0
    kept = ScoreCache(_file(problem, cache))
    for recipe in RECIPES:
        for setting in recipe.grid if recipe.name in names else ():
            if kept.get(_key(problem, recipe, setting)) is not None:
                continue
            problem.shared.begin()
            start = time.process_time()
            found = recipe.make(problem, *setting)
            spent = time.process_time() - start + problem.shared.owed
            iou = image_iou(found.labelings, problem.counts).tolist()
            kept.put(_key(problem, recipe, setting), [spent, found.guarantee, iou, _packed(found.labelings)])
            made += 1
    return made


def _read_all(path: Path, recipes: list[Recipe], cache: Path) -> dict[tuple[str, Setting], Kept]:
    problem = read(path)
    kept = ScoreCache(_file(problem, cache))
    return {(r.name, s): _unpacked(kept.get(_key(problem, r, s))) for r in recipes for s in r.grid}


def _packed(labelings: np.ndarray) -> str:
    rows = labelings.astype(np.uint8).reshape(len(labelings), -1)
    return f"{len(rows)} {base64.b85encode(zlib.compress(rows.tobytes())).decode()}"


def _unpacked(values: list) -> Kept:
    spent, guarantee, iou, packed = values
    count, text = packed.split(" ", 1)
    rows = np.frombuffer(zlib.decompress(base64.b85decode(text)), np.uint8).reshape(int(count), -1)
    return Kept(full(np.array(iou)), rows.astype(np.int32), spent, guarantee)


def full(values: np.ndarray) -> np.ndarray:
    """A list that ends early stays as it is: (20, ...)."""
    return values[np.minimum(np.arange(LONGEST), len(values) - 1)]
