# SPDX-License-Identifier: BSD-3-Clause
"""Lists of label maps with what the truth may be, made once and kept in files; judged by the pixels of the truth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import hedgehop as hh
from experiments.category import images
from experiments.category.problems import prepare, read
from experiments.category.scoring import image_iou
from experiments.progress import count
from experiments.which.cases import Case, rebuilt
from hedgehop.segmentation.default_list import candidates_as_truths, class_list

LONGEST = 15
PARTS = {
    "network": images.voc_network,
    "blurred": images.voc_blurred,
    "regressors": images.voc_regressors,
    "camvid": images.camvid,
    "network, train": partial(images.voc_network, split="train"),
    "blurred, train": partial(images.voc_blurred, split="train"),
}


@dataclass(frozen=True)
class Superpixels:
    """What the default list of an image asks for."""

    model: hh.FactorGraph
    weights: np.ndarray

    @property
    def coarse(self) -> Superpixels:
        return self

    def draw(self, rows: np.ndarray) -> np.ndarray:
        return rows

    def spread(self, values: np.ndarray) -> np.ndarray:
        return values


def cases(data: Path, output: Path, key: str, limit: int | None) -> list[Case]:
    """One case per image of a part: its list, and the image IoU of each labeling of the list, in per cent."""
    part = PARTS[key](data, output / "learned", limit)
    paths = prepare(part, output / "models")
    folder = output / "lists" / part.key
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for done, path in enumerate(paths, start=1):
        kept = folder / path.name
        if not kept.exists():
            _keep(path, kept)
        count(done, len(paths), "lists")
        found.append(_case(path, kept))
    return found


def _keep(path: Path, kept: Path) -> None:
    problem = read(path)
    found = class_list(Superpixels(problem.model, problem.weights), LONGEST)
    possible = found._uncertainty.possible
    made = kept.with_suffix(".part.npz")
    np.savez_compressed(made, pool=possible.rows.astype(np.uint8), chances=possible.chances, chosen=found.indices)
    made.replace(kept)


def _case(path: Path, kept: Path) -> Case:
    problem = read(path)
    with np.load(kept) as held:
        pool, chances, chosen = held["pool"].astype(np.int32), held["chances"], held["chosen"]
    possible = candidates_as_truths(problem.model, problem.weights, pool, chances)
    found = rebuilt(problem.model, pool[chosen], possible)
    quality = 100.0 * image_iou(pool[chosen], problem.counts)
    consensus = 100.0 * float(image_iou(hh.consensus(found)[None], problem.counts)[0])
    truth = np.where(problem.counts.sum(axis=1) > 0, problem.counts.argmax(axis=1), -1)
    return Case(path.stem, found, quality, consensus, truth)
