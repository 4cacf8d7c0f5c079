# SPDX-License-Identifier: BSD-3-Clause
"""Hamming-ball lists on real models: ``python benchmarks/hamming.py [--kind voc] [--data FOLDER] [--images 15]``.

``--kind voc`` needs ``voc2012`` in the data folder: JPEGImages, val.txt and deeplab_logits33 (33 x 33 x 21 class scores
per image), and makes superpixels; ``pixels`` labels every pixel of the same images; ``grabcut`` needs its images and
lassos, and makes binary grids of colour histograms; ``uai`` needs the Segmentation networks of ``uai2014_map``.
For each half-width f: gamma = ln 2 / (f n), and the tradeoff is 8 times the one at which one ball just reaches its
half-width, found with DivMBest's slope. All figures are in units of the tradeoff: F of the list above that of the
single best labeling without diversity, and the certified gap of each step.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import hedgehop as hh
from hedgehop.models import PairwiseModel
from hedgehop.oracles.routing import AutoSolver

Models = list[tuple[str, PairwiseModel]]

M = 10
WAYS = ("exact", "messages", "sum", "DivMBest", "VariableCoverage")  # of making a list, in the order of the printed F
SHOWN = (2, 3, 4, 6, 10)  # steps whose gaps are printed
GOALS = {0.02: (5.44, 0.001, 0.13, 0.34), 0.1: (5.79, 0.001, 0.08, 0.22)}  # F; gaps of steps 2, 4 and 10


def class_scores(data: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """An image, and the logarithms of its class probabilities at every pixel."""
    from imageio.v3 import imread
    from scipy.ndimage import map_coordinates

    image = np.asarray(imread(data / "JPEGImages" / f"{name}.jpg"), float) / 255.0
    logits = np.load(data / "deeplab_logits33" / f"{name}.npy").astype(float)
    axes = [np.linspace(0, 32, size) for size in image.shape[:2]]
    where = np.meshgrid(*axes, indexing="ij")
    up = np.stack([map_coordinates(logits[..., c], where, order=1) for c in range(logits.shape[2])], axis=-1)
    up -= up.max(axis=-1, keepdims=True)
    return image, up - np.log(np.exp(up).sum(axis=-1, keepdims=True))


def superpixel_model(data: Path, name: str, segments: int) -> hh.FactorGraph:
    """Mean class scores of SLIC superpixels, contrast-sensitive Potts between neighbours."""
    from skimage.segmentation import slic

    image, scores = class_scores(data, name)
    found = slic(image, segments, compactness=10, start_label=0)
    parts = np.unique(found, return_inverse=True)[1].reshape(found.shape)
    sizes = np.bincount(parts.ravel())

    def mean(values: np.ndarray) -> np.ndarray:
        return np.stack([np.bincount(parts.ravel(), v.ravel()) / sizes for v in np.moveaxis(values, -1, 0)], axis=1)

    sides = [np.c_[parts[:, :-1].ravel(), parts[:, 1:].ravel()], np.c_[parts[:-1].ravel(), parts[1:].ravel()]]
    pairs = np.sort(np.concatenate(sides), axis=1)
    edges = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    colours = mean(image)
    apart = ((colours[edges[:, 0]] - colours[edges[:, 1]]) ** 2).sum(axis=1)
    return hh.FactorGraph(mean(scores), edges, 2.0 * np.exp(-apart / (2 * apart.mean())))


def voc_names(data: Path, count: int) -> list[str]:
    """Images spread over the list."""
    names = [v for v in (data / "val.txt").read_text().split() if (data / "deeplab_logits33" / f"{v}.npy").exists()]
    return names[:: max(1, len(names) // 16)][:count]


def voc_models(data: Path, count: int) -> Models:
    """Superpixel models."""
    return [(v, superpixel_model(data, v, (800, 1200, 2000)[k % 3])) for k, v in enumerate(voc_names(data, count))]


def pixel_models(data: Path, count: int) -> Models:
    """Grids of all pixels."""
    models: Models = []
    for name in voc_names(data, count):
        image, scores = class_scores(data, name)
        models.append((name, hh.Grid(scores.astype(np.float32), hh.contrast(image, strength=2.0))))
    return models


def colour_grid(image: np.ndarray, lasso: np.ndarray) -> hh.Grid:
    """Background and foreground by histograms of 512 colours, learned from the lasso; contrast-sensitive Potts."""
    colours = (image.astype(int) // 32) @ [64, 8, 1]
    sides = [np.bincount(colours[lasso == value], minlength=512) + 0.5 for value in (64, 255)]
    if not (lasso == 255).any():  # most lassos hold no foreground: take what may be
        sides[1] = np.bincount(colours[lasso == 128], minlength=512) + 0.5
    scores = np.log(np.stack([side / side.sum() for side in sides], axis=1))[colours]
    scores[lasso == 64] += [0.0, -20.0]
    return hh.Grid(scores, hh.contrast(image / 255.0, strength=4.0))


def grabcut_models(data: Path, count: int) -> Models:
    """Binary grids of every second pixel of the first images."""
    from imageio.v3 import imread

    models: Models = []
    for path in sorted((data / "images").iterdir())[:count]:
        image, lasso = np.asarray(imread(path))[::2, ::2, :3], imread(next((data / "lasso").glob(f"{path.stem}.*")))
        lasso = lasso[..., 0] if lasso.ndim == 3 else lasso
        models.append((path.stem, colour_grid(image, lasso[::2, ::2])))
    return models


def uai_models(data: Path, count: int) -> Models:
    """Segmentation networks."""
    paths = sorted(data.rglob("Segmentation*.uai"))[:count]
    return [(path.stem, hh.read(path)) for path in paths]


KINDS = {
    "voc": ("voc2012", voc_models),
    "pixels": ("voc2012", pixel_models),
    "grabcut": ("grabcut", grabcut_models),
    "uai": ("uai2014_map", uai_models),
}


class Counting(hh.oracles.Auto):
    """The choice of a linear oracle, counting how often it is asked."""

    calls = 0

    def on(self, model: PairwiseModel) -> AutoSolver:
        """Return a solver that counts."""
        return CountingSolver(self, model)


class CountingSolver(AutoSolver):
    """Counts the steps of its oracle."""

    def maximize(self, potentials: Any) -> hh.Step:
        """Count, and let the chosen oracle solve it."""
        self.oracle.calls += 1
        return super().maximize(potentials)


def critical_slope(model: PairwiseModel, first: np.ndarray, wanted: float) -> float:
    """Slope at which DivMBest's second labeling differs from the first in the wanted number of variables."""
    oracle = hh.oracles.Auto(hh.oracles.Trws(iterations=20))
    solver = oracle.on(model)
    low, high = 0.0, 20.0
    for _ in range(25):
        slope = (low + high) / 2
        theta = slope * (np.arange(model.n_labels) != first.reshape(-1, 1))
        second = solver.maximize([hh.potentials.Linear(theta)]).labeling
        low, high = (slope, high) if (second != first).sum() < wanted else (low, slope)
    return (low + high) / 2


def list_value(model: PairwiseModel, ball: hh.HammingBall, tradeoff: float, rows: np.ndarray, single: float) -> float:
    """F above that of the single best labeling without diversity, in units of the tradeoff."""
    return (float(model.score(rows).sum()) - M * single) / tradeoff + ball.value(model, rows)


def one(model: PairwiseModel, share: float, peers: bool) -> tuple[list[float], np.ndarray, np.ndarray]:
    """F by each way; gaps; milliseconds per step, then linear calls per step and the guarantee."""
    first = hh.best(model)
    gamma = np.log(2.0) / (share * model.n_variables)
    slope = critical_slope(model, first.labeling, share * model.n_variables)
    tradeoff = 8 * 2 * slope / gamma
    ball, by_sum = hh.HammingBall(gamma=gamma), hh.HammingBall(gamma=gamma, steer="sum")
    steps: list[hh.Step] = []
    linear = Counting(hh.oracles.Trws(iterations=10))
    slopes = hh.oracles.Auto(hh.oracles.Lagrangian(inner=linear))
    found = hh.diverse(model, ball, M, tradeoff, oracle=slopes, callback=steps.append)
    calls = linear.calls / M  # all steps but the first, and the bound after the last one
    lists = [found]
    if peers:
        lists.append(hh.diverse(model, by_sum, M, tradeoff, oracle="messages"))
        lists.append(hh.diverse(model, by_sum, M, tradeoff))
    values = [list_value(model, ball, tradeoff, other.labelings, first.value) for other in lists]
    tried = ((hh.LinearHamming(), (slope / 16, 2 * slope)), (hh.VariableCoverage(), (slope / 8, 8 * slope)))
    for diversity, around in tried if peers else ():  # each at its best of eight tradeoffs
        others = [hh.diverse(model, diversity, M, t).labelings for t in np.geomspace(*around, 8)]
        values.append(max(list_value(model, ball, tradeoff, rows, first.value) for rows in others))
    gaps = (found.bounds - found.gains)[[t - 1 for t in SHOWN]] / tradeoff
    return values, gaps, np.array([1e3 * s.seconds for s in steps[1:]] + [calls, found.guarantee])


def main() -> None:
    """Print one line per image and the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=KINDS, default="voc")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--images", type=int, default=15)
    parser.add_argument(
        "--peers",
        action="store_true",
        help="also lists by messages, by the sum, and the best of DivMBest and VariableCoverage",
    )
    options = parser.parse_args()
    folder, load = KINDS[options.kind]
    if not (options.data / folder).is_dir():
        print(f"no folder {options.data / folder}: nothing to measure (see --data)")
        return
    models = load(options.data / folder, options.images)
    for share, goal in GOALS.items():
        print(f"f = {share}; goals on voc: F {goal[0]}, gaps at 2, 4, 10: {goal[1:]}; F by {', '.join(WAYS)}")
        results = []
        for name, model in models:
            values, gaps, rest = one(model, share, options.peers)
            results.append((values, gaps, rest))
            figures = " ".join(f"{v:6.3f}" for v in values) + "  gaps " + " ".join(f"{g:.4f}" for g in gaps)
            speed = f"{np.median(rest[:-2]):6.1f} ms, {rest[-2]:.1f} calls per step, guarantee {rest[-1]:.2f}"
            print(f"{name} n {model.n_variables:5} F {figures} {speed}", flush=True)
        print(f"mean F {np.mean([r[0] for r in results], axis=0).round(3)},",
              f"median gaps at {SHOWN}: {np.median([r[1] for r in results], axis=0).round(4)},",
              f"{np.median([r[2][:-2] for r in results]):.1f} ms,",
              f"{np.mean([r[2][-2] for r in results]):.1f} calls per step\n")  # fmt: skip


if __name__ == "__main__":
    main()
