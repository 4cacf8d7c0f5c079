# SPDX-License-Identifier: BSD-3-Clause
"""What a worker does: solve items, write their lists, report the outcomes."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from hedgehop.batch.fingerprints import digest, files_read, stamps
from hedgehop.batch.items import Item
from hedgehop.batch.outcomes import Outcome, Resource
from hedgehop.batch.recipe import METRICS, Recipe
from hedgehop.batch.results import ResultKind, Results, results_of
from hedgehop.batch.stores import Store, local_copy
from hedgehop.io.images import read_image, read_scores, read_strokes
from hedgehop.io.labels import read_labels
from hedgehop.io.models import read
from hedgehop.lists.result import DiverseList
from hedgehop.metrics import best_so_far, refuse_masks
from hedgehop.models import Grid, contrast

_DISK_TROUBLE = {
    getattr(errno, name, -1) for name in ("ENOSPC", "EDQUOT", "EIO", "EROFS", "ESTALE", "EMFILE", "ENFILE", "ENODEV")
}


@dataclass(frozen=True)
class Task:
    """Solves items by a recipe into a store; it is what is sent to workers."""

    recipe: Recipe
    store: Store
    kind: ResultKind = "npz"
    prefix: str = "run"

    def __call__(self, items: Sequence[Item]) -> tuple[list[Outcome], float]:
        """Solve items one after the other; return how each ended, and the seconds of all."""
        start = time.perf_counter()
        outcomes = [outcome for step in self.steps(items) for outcome in step]
        return outcomes, time.perf_counter() - start

    def steps(self, items: Sequence[Item]) -> Iterator[list[Outcome]]:
        """Solve items one after the other; after each, and at the end, yield the outcomes that are safe."""
        results = results_of(self.kind, self.store, self.prefix)
        waiting: list[Outcome] = []
        for item in items:
            waiting.append(self.outcome(item, results))
            yield [] if results.waits else waiting
            waiting = waiting if results.waits else []
        results.finish()
        yield waiting

    def outcome(self, item: Item, results: Results) -> Outcome:
        """Solve one item and hand on its list; what goes wrong becomes part of the outcome, unless it is the disk."""
        found: DiverseList | None = None
        inputs = stamps(item)
        try:
            with ExitStack() as copies:
                files = {part: copies.enter_context(local_copy(path)) for part, path in item.files.items()}
                here = replace(item, **files)
                _refuse_special(item, files)
                local = files_read(here)
                inputs = {part: [known[0], digest(local[part])] for part, known in inputs.items() if part in local}
                found = find(here, self.recipe)
                measured = measure(found, here, self.recipe)
            file = results.add(item, found)
        except Exception as error:
            if found is not None and getattr(error, "errno", None) in _DISK_TROUBLE:
                raise
            self.store.remove(f"lists/{item.file_name}.{self.kind}")  # what an earlier run made of other files
            lacking: Resource | None = "memory" if isinstance(error, MemoryError) else None
            return Outcome(item.name, item.source, _told(error), fault="item", lacking=lacking, inputs=inputs)
        numbers = {name: float(getattr(found, name)) for name in ("objective", "upper_bound", "guarantee")}
        known: dict[str, Any] = {name: value for name, value in numbers.items() if isfinite(value)}
        return Outcome(
            item.name, item.source, m=len(found), distinct=found.distinct, seconds=float(found.seconds.sum()),
            metrics=measured, file=file, inputs=inputs, **known,
        )  # fmt: skip


def _told(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return f"there is not enough memory for it. {error}".strip()
    return str(error) or type(error).__name__


def _refuse_special(item: Item, files: dict[str, str]) -> None:
    """Refuse pipes and devices, whose reading may never end."""
    for part, path in files.items():
        if os.path.exists(path) and not os.path.isfile(path):
            raise ValueError(f"{getattr(item, part)} must be an ordinary file; it is a folder, a pipe or a device.")


def find(item: Item, recipe: Recipe) -> DiverseList:
    """Make a list for an item: from strokes on its image, or from its model."""
    if not (item.image and item.scribbles):
        return recipe.solve(model_of(item, recipe))
    from hedgehop.segmentation.segmenter import Segmenter

    segmenter = Segmenter(read_image(item.image), recipe.segments or None, smoothness=recipe.smoothness)
    strokes = read_strokes(item.scribbles, recipe.swap)
    found = segmenter.suggest(strokes, recipe.m, recipe.chosen_diversity, recipe.chosen_tradeoff, **recipe.options)
    return recipe.weighed(found)


def model_of(item: Item, recipe: Recipe) -> Any:
    """Read an item's model, or make a grid of its scores, with the contrast of its image if there is one."""
    if item.model:
        return read(item.model)
    if not item.scores:
        raise ValueError(f"{item.name} has strokes but no scores or model, which are needed here.")
    smoothness = contrast(read_image(item.image), recipe.smoothness) if item.image else recipe.smoothness
    return Grid(read_scores(item.scores), smoothness, recipe.connectivity)


def item_truth(item: Item, shape: tuple[int, ...]) -> Any:
    """Read an item's truth in the shape of its labelings."""
    truth = read_labels(item.truth or "")
    return truth.reshape(shape) if truth.ndim == 1 and truth.size == np.prod(shape) else truth


def measure(found: DiverseList, item: Item, recipe: Recipe) -> dict[str, float] | None:
    """Score of the first labeling and of the best one, by each metric; None without a truth."""
    if not item.truth:
        return None
    truth = item_truth(item, found.labelings.shape[1:])
    refuse_masks(truth, recipe.ignore)
    values: dict[str, float] = {}
    for name in recipe.metrics:
        each = best_so_far(METRICS[name](found.labelings, truth, ignore=recipe.ignore))
        values |= {name: float(each[0]), f"oracle_{name}": float(each[-1])}
    return {name: value for name, value in values.items() if isfinite(value)}
