# SPDX-License-Identifier: BSD-3-Clause
"""What a worker does: solve items, write their lists, report the outcomes."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from hedgehop.batch.items import Item
from hedgehop.batch.outcomes import Outcome
from hedgehop.batch.recipe import METRICS, Recipe
from hedgehop.io.images import read_image, read_scores, read_strokes
from hedgehop.io.labels import read_labels
from hedgehop.io.lists import save
from hedgehop.io.models import read
from hedgehop.lists.result import DiverseList
from hedgehop.metrics import best_so_far, refuse_masks
from hedgehop.models import Grid, PairwiseModel, contrast


@dataclass(frozen=True)
class Task:
    """Solves items by a recipe into a folder; it is what is sent to workers."""

    recipe: Recipe
    folder: Path

    @property
    def scratch(self) -> Path:
        """Where files are until they are complete."""
        return self.folder / ".unfinished"

    def target(self, item: Item) -> Path:
        """Where an item's list goes."""
        return self.folder / "lists" / f"{item.name}.npz"

    def __call__(self, items: Sequence[Item]) -> tuple[list[Outcome], float]:
        """Solve items one after the other; return how each ended, and the seconds of all."""
        start = time.perf_counter()
        outcomes = [self.outcome(item) for item in items]
        return outcomes, time.perf_counter() - start

    def outcome(self, item: Item) -> Outcome:
        """Solve one item and write its list; what goes wrong becomes part of the outcome, unless it is the disk."""
        try:
            found = find(item, self.recipe)
            measured = measure(found, item, self.recipe)
        except Exception as error:
            return Outcome(item.name, item.source, error=str(error) or type(error).__name__)
        self._keep(found, item)
        numbers = {name: float(getattr(found, name)) for name in ("objective", "upper_bound", "guarantee")}
        known = {name: value for name, value in numbers.items() if isfinite(value)}
        seconds = float(found.seconds.sum())
        return Outcome(item.name, item.source, None, len(found), found.distinct, seconds, **known, metrics=measured)

    def _keep(self, found: DiverseList, item: Item) -> None:
        """Write a list under a name of its own and rename it: two writers of one item do not meet."""
        target, piece = self.target(item), self.scratch / f"{uuid4().hex}.npz"
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            save(found, piece)
            with piece.open("rb+") as file:
                os.fsync(file.fileno())
            piece.replace(target)
        finally:
            piece.unlink(missing_ok=True)


def find(item: Item, recipe: Recipe) -> DiverseList:
    """Make a list for an item: from strokes on its image, or from its model."""
    if not (item.image and item.scribbles):
        return recipe.solve(model_of(item, recipe))
    from hedgehop.segmentation.segmenter import Segmenter

    segmenter = Segmenter(read_image(item.image), recipe.segments or None, smoothness=recipe.smoothness)
    strokes = read_strokes(item.scribbles, recipe.swap)
    return segmenter.suggest(strokes, recipe.m, recipe.chosen_diversity, recipe.chosen_tradeoff, **recipe.options)


def model_of(item: Item, recipe: Recipe) -> PairwiseModel:
    """Read an item's model, or make a grid of its scores, with the contrast of its image if there is one."""
    if item.model:
        return read(item.model)
    if not item.scores:
        raise ValueError(f"{item.name} has strokes but no scores or model, which are needed here.")
    smoothness = contrast(read_image(item.image), recipe.smoothness) if item.image else recipe.smoothness
    return Grid(read_scores(item.scores), smoothness, recipe.connectivity)


def truth_of(item: Item, shape: tuple[int, ...]) -> Any:
    """Read an item's truth in the shape of its labelings."""
    truth = read_labels(item.truth or "")
    return truth.reshape(shape) if truth.ndim == 1 and truth.size == np.prod(shape) else truth


def measure(found: DiverseList, item: Item, recipe: Recipe) -> dict[str, float] | None:
    """Score of the first labeling and of the best one, by each metric; None without a truth."""
    if not item.truth:
        return None
    truth = truth_of(item, found.labelings.shape[1:])
    refuse_masks(truth, recipe.ignore)
    values: dict[str, float] = {}
    for name in recipe.metrics:
        each = best_so_far(METRICS[name](found.labelings, truth, ignore=recipe.ignore))
        values |= {name: float(each[0]), f"oracle_{name}": float(each[-1])}
    return {name: value for name, value in values.items() if isfinite(value)}
