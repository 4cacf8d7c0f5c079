# SPDX-License-Identifier: BSD-3-Clause
"""Rows to learn from: cues of superpixels under many kinds of strokes, and whether each is object; kept in files."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image

import hedgehop as hh
from experiments.progress import count
from experiments.strokes.drawing import Mark, click, correction, kinds, stroke
from experiments.strokes.tasks import UNKNOWN, Task
from hedgehop.segmentation.strokes.cues import NAMES, PLAIN_MEAN
from hedgehop.segmentation.strokes.learned import cues_of
from hedgehop.segmentation.strokes.scores import StrokeScores

_PER_SET = 160  # superpixels kept of each set of strokes
_CORRECTIONS = 2


@dataclass(frozen=True, eq=False)
class Rows:
    """Superpixels of all sets of strokes on an image: cues, whether they are object, area, which set."""

    name: str
    cues: np.ndarray
    object: np.ndarray
    area: np.ndarray
    kind: np.ndarray


def prepare(tasks: Iterator[Task], cache: Path, workers: int) -> list[Rows]:
    """Make the rows of all tasks, or read them."""
    cache.mkdir(parents=True, exist_ok=True)
    known = list(tasks)
    paths = [cache / f"{task.name.replace(' ', '-')}.npz" for task in known]
    missing = [(task, path) for task, path in zip(known, paths, strict=True) if not path.exists()]
    if missing:
        with ProcessPoolExecutor(workers) as processes:
            for done, _ in enumerate(processes.map(_make, *zip(*missing, strict=True)), start=1):
                count(done, len(missing), "images")
    return [rows for path in paths for rows in _read(path)]


def jittered(task: Task) -> Task:
    """Return the image at another size and in other colours, so that nets do not learn cameras."""
    random = task.random("jitter")
    scale = float(np.exp(random.uniform(np.log(0.6), np.log(1.2))))
    size = (max(80, round(task.truth.shape[1] * scale)), max(80, round(task.truth.shape[0] * scale)))
    image = np.asarray(Image.fromarray(task.image).resize(size, Image.Resampling.BICUBIC)) / 255.0
    grey = image.mean(axis=2, keepdims=True)
    image = grey + (image - grey) * random.uniform(0.3, 1.4)
    image = np.clip(image * random.uniform(0.8, 1.2, 3), 0.0, 1.0) ** random.uniform(0.6, 1.6)
    truth = np.asarray(Image.fromarray(task.truth.astype(np.uint8)).resize(size, Image.Resampling.NEAREST))
    return replace(task, image=(255 * image).astype(np.uint8), truth=truth.astype(int), people={})


def _make(task: Task, path: Path) -> None:
    changed = task.name.startswith(("voc", "bsds")) and task.random("view").uniform() < 0.5
    view = jittered(task) if changed else task
    parts = list(_of_view(view))
    arrays = {f"{name}{k}": part[name] for k, part in enumerate(parts) for name in part}
    np.savez_compressed(path.with_suffix(".part.npz"), **arrays)
    path.with_suffix(".part.npz").replace(path)


def _of_view(task: Task) -> Iterator[dict[str, np.ndarray]]:
    segmenter = hh.Segmenter(task.image, fine_borders=False, scores=PLAIN_MEAN)
    pixels = _counts(segmenter.segments, task.truth)
    random = task.random("rows")
    for kind, drawn in [*kinds(task).items(), *_corrected(task, segmenter)]:
        try:
            given = StrokeScores(segmenter._scene, drawn)
        except ValueError:  # two strokes in one superpixel
            continue
        free = np.flatnonzero((given.seeds < 0) & (pixels.sum(axis=1) > 0))
        some = random.permutation(free)[:_PER_SET]
        cues = cues_of(given, 1)[some].astype(np.float32)
        share = pixels[some, 1] / pixels[some].sum(axis=1)
        area = pixels[some].sum(axis=1)
        yield {"cues": cues, "object": share.astype(np.float32), "area": area, "kind": np.array(kind)}


def _corrected(task: Task, segmenter: hh.Segmenter) -> Iterator[tuple[str, np.ndarray]]:
    """Strokes or clicks at the largest errors of the plain mean of the opinions."""
    random = task.random("corrections")
    mark: Mark = stroke if random.uniform() < 0.5 else click
    drawn = np.where(mark(task.truth == 1, random, True), 2, 0)
    for k in range(_CORRECTIONS):
        try:
            model = segmenter.model(drawn)
        except ValueError:
            return
        new = correction(task, segmenter.to_pixels(hh.best(model).labeling[None])[0], mark, random)
        if new is None:
            return
        drawn = np.where(new[1], new[0] + 1, drawn)
        yield f"corrected {k + 1}", drawn


def _counts(segments: np.ndarray, truth: np.ndarray) -> np.ndarray:
    known = truth != UNKNOWN
    n = int(segments.max()) + 1
    return np.bincount(2 * segments[known] + truth[known], minlength=2 * n).reshape(n, 2)


def _read(path: Path) -> Iterator[Rows]:
    name = path.stem.replace("-", " ")
    with np.load(path) as kept:
        sets = sorted({int(key[4:]) for key in kept.files if key.startswith("kind")})
        for k in sets:
            cues = kept[f"cues{k}"]
            assert cues.shape[1] == len(NAMES), f"{path} is of other cues; remove it"
            yield Rows(name, cues, kept[f"object{k}"], kept[f"area{k}"].astype(np.float32), kept[f"kind{k}"])
