# SPDX-License-Identifier: BSD-3-Clause
"""Models made from images and scores, kept in files; what several methods share of one model."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

import hedgehop as hh
from experiments.category.images import Part
from experiments.category.shared import Shared
from experiments.learning.superpixels import Picture
from experiments.progress import count, tell
from hedgehop.learning import StructuredSVM
from hedgehop.segmentation.default_list import class_candidates
from hedgehop.segmentation.regressor import count_labels

SMOOTHNESS = 0.5
SEGMENTS = 500
COARSE = 25  # regions
SAMPLES = 60


@dataclass(frozen=True, eq=False)
class Problem:
    """A model whose labelings are judged by pixels: counts[i, l] pixels of variable i are truly l."""

    name: str
    model: hh.FactorGraph
    weights: np.ndarray
    counts: np.ndarray
    regions: np.ndarray  # the coarse region of each variable
    background: bool
    learned: hh.FactorGraph | None = None  # the same with learned weights, in units of its scores
    shared: Shared = field(default_factory=Shared)

    @cached_property
    def reweighed(self) -> Problem:
        """The problem with the learned model."""
        return replace(self, model=self.learned, learned=None)

    @property
    def ignored(self) -> tuple[int, ...]:
        return (0,) if self.background else ()

    @cached_property
    def best(self) -> np.ndarray:
        return hh.best(self.model).labeling

    @property
    def candidates(self) -> np.ndarray:
        """Labelings that are best under a bias of one class or two."""
        return self.shared.get((id(self.model), "candidates"), lambda: class_candidates(self.model, self.weights)[0])

    def samples(self, scale: float) -> np.ndarray:
        """What the truth might be, by noise on classes and on parts of the best labeling, in logits."""

        def draw() -> np.ndarray:
            return hh.samples(self.model, SAMPLES, label=scale, region=scale, oracle="trws")

        return self.shared.get((id(self.model), "samples", scale), draw)

    @cached_property
    def coarse(self) -> hh.FactorGraph:
        """The same model with one variable a region."""
        n = int(self.regions.max()) + 1
        unary = np.zeros((n, self.model.n_labels))
        np.add.at(unary, self.regions, self.model.unary)
        pairs = self.regions[self.model.edges]
        crossing = pairs[:, 0] != pairs[:, 1]
        return hh.FactorGraph(unary, pairs[crossing], self.model.pairwise.strengths[crossing])


def prepare(part: Part, cache: Path, reweighed: bool = False) -> list[Path]:
    """Make the models of all examples, or find them; beside them those with learned weights, if they are wanted."""
    folder = cache / (f"{part.key}-{part.taught}" if part.taught else part.key)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{e.name}.npz" for e in part.examples]
    missing = [k for k, path in enumerate(paths) if not path.exists()]
    with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        for done, _ in enumerate(threads.map(lambda k: _make(part, k, paths[k]), missing), start=1):
            count(done, len(missing), "models")
    if reweighed and part.learn and not all(_learned_file(path).exists() for path in paths):
        tell("  learning weights")
        _reweigh(paths, part.learn())
    return paths


def _make(part: Part, k: int, path: Path) -> None:
    example = part.examples[k]
    scores = example.scores(example.path)  # (h, w, L): square maps of 33 x 33 can look like 33 labels
    scene = hh.segmentation.from_scores(scores, example.path, SEGMENTS, labels_first=False, smoothness=SMOOTHNESS)
    model = scene.model
    arrays = {
        "unary": model.unary,
        "edges": model.edges,
        "strengths": model.pairwise.strengths,
        "weights": scene.weights,
        "counts": count_labels(scene.segments, example.truth, len(part.classes)),
        "segments": scene.segments,
        "regions": _regions(model.unary / scene.weights[:, None], scene, example.path),
        "background": part.background,
    }
    _save(path, arrays)


def _save(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """All or nothing: a run that is killed leaves no half a file."""
    np.savez_compressed(path.with_suffix(".part.npz"), **arrays)
    path.with_suffix(".part.npz").replace(path)


def _learned_file(path: Path) -> Path:
    return path.parent / "learned" / path.name


def _reweigh(paths: list[Path], machine: StructuredSVM) -> None:
    _learned_file(paths[0]).parent.mkdir(exist_ok=True)
    for path in paths:
        learned = _learned(machine, read(path), segments_of(path))
        _save(_learned_file(path), {"unary": learned.unary, "strengths": learned.pairwise.strengths})


def _learned(machine: StructuredSVM, problem: Problem, segments: np.ndarray) -> hh.FactorGraph:
    """The model with learned weights; its scores have no unit, so they are scaled to be nearest to the logits."""
    model = problem.model
    sizes = np.bincount(segments.ravel(), minlength=model.n_variables)
    picture = Picture(model.unary, model.edges, model.pairwise.strengths / SMOOTHNESS, problem.counts, sizes)
    (learned,) = machine.models([picture.example])
    given, found = (u - u.mean(axis=1, keepdims=True) for u in (model.unary, learned.unary))
    scale = (given * found).sum() / (found**2).sum()
    return hh.FactorGraph(scale * learned.unary, learned.edges, scale * learned.pairwise.strengths)


def _regions(scores: np.ndarray, scene: hh.segmentation.ScoredImage, image: Path) -> np.ndarray:
    """Regions of like scores and colours."""
    from hedgehop.segmentation.images import as_rgb, to_lab
    from hedgehop.segmentation.superpixels import Superpixels

    colors = Superpixels(scene.segments).mean(to_lab(as_rgb(image)))
    return merged(np.hstack([scores / scores.std(), colors / colors.std()]), scene.model.edges, COARSE)


def merged(features: np.ndarray, edges: np.ndarray, count: int) -> np.ndarray:
    """Merge neighbours of like features until few regions are left (Ward): the region of each, (n,)."""
    from scipy.sparse import csr_array
    from sklearn.cluster import AgglomerativeClustering

    n, (i, j) = len(features), edges.T
    touching = csr_array((np.ones(2 * i.size), (np.r_[i, j], np.r_[j, i])), shape=(n, n))
    found = AgglomerativeClustering(min(count, n), connectivity=touching).fit(features)
    return np.asarray(found.labels_, np.int64)


def read(path: Path) -> Problem:
    with np.load(path) as kept:
        model = hh.FactorGraph(kept["unary"], kept["edges"], kept["strengths"])
        rest = (kept[name] for name in ("weights", "counts", "regions"))
        return Problem(path.stem, model, *rest, bool(kept["background"]), _read_learned(path, model))


def _read_learned(path: Path, model: hh.FactorGraph) -> hh.FactorGraph | None:
    if not _learned_file(path).exists():
        return None
    with np.load(_learned_file(path)) as kept:
        return hh.FactorGraph(kept["unary"], model.edges, kept["strengths"])


def segments_of(path: Path) -> np.ndarray:
    with np.load(path) as kept:
        return kept["segments"]
