# SPDX-License-Identifier: BSD-3-Clause
"""Diversity against people: how well lists match what several people drew on the same image (BSDS500).

No classes here: labels are eight clusters of colours and textures of the image itself, and a segmentation is the
connected parts of a labeling. Settings are fixed, nothing is tuned on these images.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

import hedgehop as hh
from experiments.category.images import pictures
from experiments.category.methods import LONGEST, RECIPES, Setting
from experiments.category.problems import COARSE, SEGMENTS, Problem, merged
from experiments.category.scoring import paired
from experiments.progress import count, tell
from hedgehop.tuning.cache import ScoreCache

CLUSTERS = 8
LEAD = 3.0  # of the better label, median, in logits: about that of networks
SMOOTHNESS = 2.0  # people draw large regions
MATCHED = 0.6
AT = (1, 5, 15)
BASE = "DivMBest"
ROWS: dict[str, Setting] = {
    "single flips": (),
    "perturb-and-MAP": (1.0,),
    "DivMBest": (0.3,),
    "HB": (0.3, 0.6),
    "VariableCoverage": (4.0,),
    "regions": (0.3,),
    "levels ⊕ linear": (0.3, 0.3),
    "expected overlap": (0.5, 100.0),
    "expected best": (1.0, 100.0),
}


def compare(data: Path, output: Path, limit: int | None) -> str:
    """Return the section of the report."""
    images = pictures(data / "bsds500_val", "*.jpg", limit)
    tell("BSDS500, several people")
    (output / "lists").mkdir(parents=True, exist_ok=True)
    cache = ScoreCache(output / "lists" / "humans.jsonl")
    missing = [path for path in images if cache.get(path.stem) is None]
    with ProcessPoolExecutor(os.cpu_count() or 1) as processes:
        for done, (path, values) in enumerate(zip(missing, processes.map(_covered, missing), strict=True), start=1):
            cache.put(path.stem, values)
            count(done, len(missing), "images")
    return _table([cache.get(path.stem) for path in images])


def _covered(path: Path) -> list[list[list[float]]]:
    """For each row and person, how well the best of the first 1..20 segmentations covers what the person drew."""
    segments, problem = _problem(path)
    people = [_overlaps(segments, drawn) for drawn in _drawn(path)]
    values = []
    for name, setting in ROWS.items():
        (make,) = [r.make for r in RECIPES if r.name == name]
        rows = make(problem, *setting).labelings
        each = np.array([[_covering(_parts(problem.model, y), person) for y in rows] for person in people])
        reached = np.maximum.accumulate(each, axis=1)[:, np.minimum(np.arange(LONGEST), len(rows) - 1)]
        values.append(reached.round(4).tolist())
    return values


def _drawn(path: Path) -> list[np.ndarray]:
    from scipy.io import loadmat

    kept = loadmat(path.parents[1] / "groundTruth" / f"{path.stem}.mat")["groundTruth"][0]
    return [person["Segmentation"][0, 0].astype(np.int64) - 1 for person in kept]


def _problem(path: Path) -> tuple[np.ndarray, Problem]:
    """The model of an image: how near each superpixel is to each of eight clusters of colours and textures."""
    from sklearn.cluster import KMeans

    from hedgehop.segmentation.scene import Scene
    from hedgehop.segmentation.strokes.scores import in_units

    prepared = Scene(path, SEGMENTS)
    features = prepared.features
    looks = np.hstack([features.color, features.texture])
    clusters = KMeans(CLUSTERS, n_init=4, random_state=0).fit(looks)
    scores = LEAD * in_units(-(clusters.transform(looks) ** 2))
    scene = hh.segmentation.from_scores(scores[prepared.superpixels.segments], path, SEGMENTS, smoothness=SMOOTHNESS)
    regions = merged(looks, scene.model.edges, COARSE)
    counts = np.zeros((scene.model.n_variables, CLUSTERS))
    return scene.segments, Problem(path.stem, scene.model, scene.weights, counts, regions, background=False)


def _overlaps(segments: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Pixels of each superpixel in each region a person drew, (n, R)."""
    n, width = int(segments.max()) + 1, int(drawn.max()) + 1
    return np.bincount((segments * width + drawn).ravel(), minlength=n * width).reshape(n, width)


def _parts(model: hh.FactorGraph, labeling: np.ndarray) -> np.ndarray:
    """The connected part of each variable."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    i, j = model.edges[labeling[model.edges[:, 0]] == labeling[model.edges[:, 1]]].T
    graph = csr_array((np.ones(i.size), (i, j)), shape=(labeling.size, labeling.size))
    return connected_components(graph, directed=False)[1]


def _covering(parts: np.ndarray, person: np.ndarray) -> float:
    """Mean over the pixels of the IoU of the region a person drew there with its best part (Arbelaez et al. 2011)."""
    both = np.zeros((int(parts.max()) + 1, person.shape[1]))
    np.add.at(both, parts, person)
    sizes = both.sum(axis=0)
    union = both.sum(axis=1)[:, None] + sizes - both
    return float((both / union).max(axis=0) @ sizes / sizes.sum())


def _table(values: list) -> str:
    people = sum(len(image[0]) for image in values)
    lines = ["## BSDS500 val: several people, one image", ""]
    lines.append(f"{len(values)} images, {people} human segmentations. Covering: mean over the pixels of the IoU of")
    lines.append("the human region with the best part of the best labeling among the first M; matched: from")
    lines.append(f"{MATCHED:g} on.")
    lines += ["", "| list | covering at 1, 5, 15 | matched, % | covering minus DivMBest at 15 |", "|---|---|---|---|"]
    by_row = {name: [np.array(image[k]) for image in values] for k, name in enumerate(ROWS)}
    for name, images in by_row.items():
        covering = [np.mean([image[:, m - 1].mean() for image in images]) for m in AT]
        matched = [np.concatenate([image[:, m - 1] for image in images]) >= MATCHED for m in AT]
        change, error = paired(*(_by_image(by_row[row]) for row in (name, BASE)))
        cells = [name, ", ".join(f"{100 * c:.1f}" for c in covering)]
        cells.append(", ".join(f"{100 * m.mean():.0f}" for m in matched))
        lines.append(f"| {' | '.join(cells)} | {'' if name == BASE else f'{change:+.1f} ± {error:.1f}'} |")
    return "\n".join([*lines, ""])


def _by_image(images: list[np.ndarray]) -> np.ndarray:
    """Mean over people of the covering at M = 15, in per cent."""
    return np.array([100 * image[:, 14].mean() for image in images])
