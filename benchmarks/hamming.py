"""Hamming-ball lists on superpixels of VOC 2012 images: ``python benchmarks/hamming.py [--data FOLDER] [--images 15]``.

Needs ``voc2012`` in the data folder: JPEGImages, val.txt and deeplab_logits33 (33 x 33 x 21 class scores an image).
For each half-width f: gamma = ln 2 / (f n), and the tradeoff is 8 times the one at which one ball just reaches its
half-width, found with DivMBest's slope. All figures are in units of the tradeoff: F of the list above that of the
single best labeling without diversity, and the certified gap of each step.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import hedgehop as hh

M = 10
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


def critical_slope(model: hh.FactorGraph, first: np.ndarray, wanted: float) -> float:
    """Slope at which DivMBest's second labeling differs from the first in the wanted number of variables."""
    oracle = hh.oracles.Trws(iterations=20)
    state = oracle.start(model)
    low, high = 0.0, 20.0
    for _ in range(25):
        slope = (low + high) / 2
        theta = slope * (np.arange(model.n_labels) != first[:, None])
        second = oracle.maximize(model, [hh.potentials.Linear(theta)], state).labeling
        low, high = (slope, high) if (second != first).sum() < wanted else (low, slope)
    return (low + high) / 2


def linear_list(model: hh.FactorGraph, ball: hh.HammingBall, tradeoff: float, slope: float, single: float) -> float:
    """F of DivMBest's list at its best of several slopes."""
    lists = [hh.diverse(model, hh.LinearHamming(), M, s) for s in np.geomspace(slope / 16, 2 * slope, 8)]
    return max(list_value(model, ball, tradeoff, found.labelings, single) for found in lists)


def list_value(model: hh.FactorGraph, ball: hh.HammingBall, tradeoff: float, rows: np.ndarray, single: float) -> float:
    """F above that of the single best labeling without diversity, in units of the tradeoff."""
    return (float(model.score(rows).sum()) - M * single) / tradeoff + ball.value(model, rows)


def one(model: hh.FactorGraph, share: float, peer: bool) -> tuple[list[float], np.ndarray, np.ndarray]:
    """F by the exact gain, by the sum of overlaps and by DivMBest; gaps; milliseconds a step."""
    first = hh.best(model)
    gamma = np.log(2.0) / (share * model.n_variables)
    slope = critical_slope(model, first.labeling, share * model.n_variables)
    tradeoff = 8 * 2 * slope / gamma
    ball = hh.HammingBall(gamma=gamma)
    steps: list[hh.Step] = []
    start = time.perf_counter()
    found = hh.diverse(model, ball, M, tradeoff, callback=steps.append)
    spent = time.perf_counter() - start
    values = [list_value(model, ball, tradeoff, found.labelings, first.value)]
    if peer:
        by_sum = hh.diverse(model, hh.HammingBall(gamma=gamma, steer="sum"), M, tradeoff)
        values.append(list_value(model, ball, tradeoff, by_sum.labelings, first.value))
        values.append(linear_list(model, ball, tradeoff, slope, first.value))
    gaps = (found.bounds - found.gains)[[t - 1 for t in SHOWN]] / tradeoff
    return values, gaps, np.array([1e3 * s.seconds for s in steps[1:]] + [spent, found.guarantee])


def main() -> None:
    """Print one line an image and the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--images", type=int, default=15)
    parser.add_argument("--peers", action="store_true", help="also lists steered by the sum, and DivMBest's")
    options = parser.parse_args()
    data = options.data / "voc2012"
    if not (data / "deeplab_logits33").is_dir():
        print(f"no class scores in {data / 'deeplab_logits33'}: nothing to measure (see --data)")
        return
    names = [v for v in (data / "val.txt").read_text().split() if (data / "deeplab_logits33" / f"{v}.npy").exists()]
    names = names[:: len(names) // 16][: options.images]
    models = [superpixel_model(data, v, (800, 1200, 2000)[k % 3]) for k, v in enumerate(names)]
    for share, goal in GOALS.items():
        print(f"f = {share}; goals: F {goal[0]}, gaps at 2, 4, 10: {goal[1:]}")
        results = []
        for name, model in zip(names, models, strict=True):
            values, gaps, rest = one(model, share, options.peers)
            results.append((values, gaps, rest))
            figures = " ".join(f"{v:6.3f}" for v in values) + "  gaps " + " ".join(f"{g:.4f}" for g in gaps)
            speed = f"{np.median(rest[:-2]):6.1f} ms a step, guarantee {rest[-1]:.2f}"
            print(f"{name} n {model.n_variables:5} F {figures} {speed}", flush=True)
        print(f"mean F {np.mean([r[0] for r in results], axis=0).round(3)},",
              f"median gaps at {SHOWN}: {np.median([r[1] for r in results], axis=0).round(4)},",
              f"{np.median([r[2][:-2] for r in results]):.1f} ms a step\n")  # fmt: skip


if __name__ == "__main__":
    main()
