# SPDX-License-Identifier: BSD-3-Clause
"""Models made from the images, kept in files, so that a second run needs no image work."""

from __future__ import annotations

import hashlib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import hedgehop as hh
from experiments.interactive.images import UNKNOWN, Example
from experiments.progress import count

LONGEST = 10  # M = 1..10 on the plot


@dataclass(frozen=True)
class Problem:
    """A model whose labelings are judged by pixels: counts[i, l] pixels of variable i are truly l."""

    name: str
    image: str
    model: hh.FactorGraph
    counts: np.ndarray
    suggested: np.ndarray | None = None  # accuracies of the Segmenter's own list, borders between superpixels
    redrawn: np.ndarray | None = None  # the same with borders redrawn at pixels

    @property
    def areas(self) -> np.ndarray:
        return self.counts.sum(axis=1)


def share_right(labelings: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Pixel accuracy of labelings of variables."""
    rows = np.asarray(labelings).reshape(len(labelings), -1)
    return counts[np.arange(len(counts)), rows].sum(axis=1) / counts.sum()


def count_pixels(segments: np.ndarray, truth: np.ndarray) -> np.ndarray:
    n = int(segments.max()) + 1
    known = truth != UNKNOWN
    return np.bincount(2 * segments[known] + truth[known], minlength=2 * n).reshape(n, 2)


def prepare(examples: list[Example], cache: Path, workers: int) -> list[Problem]:
    """Make the models of all examples, or read them."""
    cache.mkdir(parents=True, exist_ok=True)
    paths = [cache / f"{_key(e)}.npz" for e in examples]
    missing = [(e, p) for e, p in zip(examples, paths, strict=True) if not p.exists()]
    if missing:
        with ProcessPoolExecutor(workers) as processes:
            for done, _ in enumerate(processes.map(_make, *zip(*missing, strict=True)), start=1):
                count(done, len(missing), "models")
    return [_read(e, p) for e, p in zip(examples, paths, strict=True)]


def _key(example: Example) -> str:
    content = hashlib.sha256(example.name.encode() + example.strokes.tobytes() + hh.__version__.encode())
    return content.hexdigest()[:16]


def _make(example: Example, path: Path) -> None:
    segmenter = hh.Segmenter(example.path, fine_borders=False)
    model = segmenter.model(example.strokes)
    assert isinstance(model, hh.FactorGraph)
    suggested, redrawn = (
        s.suggest(example.strokes, m=LONGEST).pixel_accuracy(example.truth)
        for s in (segmenter, hh.Segmenter(example.path))
    )
    counts = count_pixels(segmenter.segments, example.truth)
    arrays = {"unary": model.unary, "edges": model.edges, "strengths": model.pairwise.strengths}
    np.savez_compressed(path.with_suffix(".part.npz"), **arrays, counts=counts, suggested=suggested, redrawn=redrawn)
    path.with_suffix(".part.npz").replace(path)


def _read(example: Example, path: Path) -> Problem:
    with np.load(path) as kept:
        model = hh.FactorGraph(kept["unary"], kept["edges"], kept["strengths"])
        return Problem(example.name, example.image, model, kept["counts"], kept["suggested"], kept["redrawn"])


def original_crf(data: Path) -> Problem:
    """The one published CRF: its scores in units of the median lead, as ours are; 1e4 marks a stroke."""
    from PIL import Image
    from scipy.io import loadmat

    folder = data / "divmbest_voctest50"
    path = next(folder.glob("*.mat"))
    kept = loadmat(path)
    unary = -kept["data_term"][::-1].T  # the rows are swapped in the file
    free = np.abs(unary).max(axis=1) < 1e4
    unit = float(np.median(np.abs(unary[free, 0] - unary[free, 1])))
    unary = np.where(unary <= -1e4, -np.inf, unary / unit)
    upper = kept["sparse_term"].tocoo()
    once = upper.row < upper.col
    edges = np.stack([upper.row[once], upper.col[once]], axis=1)
    truth = np.asarray(Image.open(folder / "gtdir" / f"{path.stem}.png")).astype(int)
    model = hh.FactorGraph(unary, edges, upper.data[once] / unit)
    return Problem(path.stem, path.stem, model, count_pixels(kept["labels"].astype(int), truth))
