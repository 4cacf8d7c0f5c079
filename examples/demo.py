"""Several ways to understand a cup of coffee: diverse segmentations of one photograph, with certificates.

Run it with ``make demo``, or ``python examples/demo.py --help``.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from skimage import color, data, segmentation

import hedgehop as hh
from hedgehop.plotting import plot_lists

# A class is the colour around one pixel (row, column) of the photograph, and how it is drawn.
CLASSES = {
    "wood": ((150, 560), "#b8b8b8"),
    "red glaze": ((250, 430), "#d55e00"),
    "china": ((40, 290), "#56b4e9"),
    "coffee": ((185, 300), "#f0e442"),
    "shadow": ((30, 30), "#33097d"),
}
SPREAD = 14.0  # how far, in Lab units, colours of one class lie from its centre
SECONDS = 2.0  # what an integer program may take; when time is over it tells the bound it has reached


def superpixels(image, count):
    """Return the (H, W) map of superpixels, numbered 0, 1, ... without gaps."""
    found = segmentation.slic(image, n_segments=count, compactness=15, start_label=0)
    return np.unique(found, return_inverse=True)[1].reshape(found.shape)


def mean_colors(lab, segments):
    """Return the mean colour, (n, 3), and the area, (n,), of each superpixel."""
    area = np.bincount(segments.ravel())
    sums = [np.bincount(segments.ravel(), lab[..., c].ravel()) for c in range(3)]
    return np.stack(sums, axis=1) / area[:, None], area


def class_colors(lab):
    """Return the mean colour around the pixel of each class, (L, 3)."""
    return np.stack([lab[r - 6 : r + 7, c - 6 : c + 7].mean(axis=(0, 1)) for (r, c), _ in CLASSES.values()])


def neighbours(segments):
    """Return the pairs of superpixels that touch, (E, 2), and the lengths of their borders."""
    right = np.stack([segments[:, :-1], segments[:, 1:]], axis=-1).reshape(-1, 2)
    below = np.stack([segments[:-1], segments[1:]], axis=-1).reshape(-1, 2)
    pairs = np.sort(np.concatenate([right, below]), axis=1)
    return np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0, return_counts=True)


def build_model(image, segments):
    """Return the model: a score per class and superpixel, and neighbours of similar colour like to agree."""
    lab = color.rgb2lab(image)
    means, area = mean_colors(lab, segments)
    off = ((means[:, None] - class_colors(lab)) ** 2).sum(axis=-1) / (2 * SPREAD**2)
    scores = -np.minimum(off, 8.0) * (area / area.mean())[:, None]
    edges, length = neighbours(segments)
    step = ((means[edges[:, 0]] - means[edges[:, 1]]) ** 2).sum(axis=1)
    strength = length / length.mean() * np.exp(-step / step.mean())
    return hh.FactorGraph(scores, edges, strength)


def requests():
    """Return what to ask for: a diversity, its tradeoff, and how far apart the labelings must be."""
    return {
        "balls around each labeling": (hh.HammingBall(gamma=0.2, steer="sum"), 20.0, None),
        "labels seen at each superpixel": (hh.VariableCoverage(h="log"), 2.0, 0.05),
        "labels used anywhere": (hh.LabelCoverage(ignore=()), 30.0, 0.05),
    }


def say(text):
    print(f"demo: {text}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", default="demo.png", help="picture to write (default: demo.png)")
    parser.add_argument("--segments", type=int, default=120, help="about how many superpixels (default: 120)")
    parser.add_argument("--m", type=int, default=5, help="labelings in each list (default: 5)")
    options = parser.parse_args()
    start = time.perf_counter()

    image = data.coffee()
    segments = superpixels(image, options.segments)
    model = build_model(image, segments)
    say(f"a photograph of {image.shape[1]} x {image.shape[0]} pixels, {len(CLASSES)} colour classes: {model}")

    lists = {}
    for name, (diversity, tradeoff, apart) in requests().items():
        say(f"looking for {options.m} labelings by {diversity} ...")
        oracle = hh.oracles.Ilp(time_limit=SECONDS)
        found = hh.diverse(model, diversity, options.m, tradeoff, oracle=oracle, min_distance=apart)
        print(f"\n{found.report()}\n", flush=True)
        lists[f"{type(diversity).__name__}: {name}"] = found

    names, colors = list(CLASSES), [shade for _, shade in CLASSES.values()]
    figure = plot_lists(lists, image, segments=segments, names=names, colors=colors)
    figure.savefig(options.output)
    say(f"wrote {options.output}, {len(lists)} lists side by side, {time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    main()
