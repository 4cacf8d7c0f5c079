# SPDX-License-Identifier: BSD-3-Clause
"""Lists of ten on VOC validation images with DeepLab's scores, as pixels and as superpixels: the gap of each step.

``python benchmarks/lists.py [--images 3] [--side 257] [--quick]``; the data folder is ../shared/data beside the
repository, or HEDGEHOP_DATA. A gap is (bound - gain) / max(1, |gain|): how much the best possible labeling could have
added beyond the one chosen, certified.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
from scipy import ndimage

import hedgehop as hh

DATA = Path(os.environ.get("HEDGEHOP_DATA", Path(__file__).parent.parent.parent / "shared" / "data")) / "voc2012"
DIVERSITIES = {"LabelCoverage": hh.LabelCoverage(), "TransitionCoverage": hh.TransitionCoverage()}


def scores_of(name, side):
    """Scores of the 21 classes, (side, side, 21), from 33 x 33 samples (corners aligned)."""
    logits = np.load(DATA / "deeplab_logits33" / f"{name}.npy").astype(np.float32)
    places = np.linspace(0, 32, side)
    rows, columns = np.meshgrid(places, places, indexing="ij")
    channels = [ndimage.map_coordinates(logits[..., k], [rows, columns], order=1) for k in range(logits.shape[-1])]
    return np.stack(channels, axis=-1)


def image_of(name, side):
    from skimage import io, transform

    return transform.resize(io.imread(DATA / "JPEGImages" / f"{name}.jpg"), (side, side), anti_aliasing=True)


def pixels(scores, image):
    return hh.Grid(scores, hh.contrast(image, 8.0))


def superpixels(scores, image, count=2000):
    """Mean scores of superpixels times a typical area; neighbours pay by the length of their border and contrast."""
    from skimage import segmentation

    segments = segmentation.slic(image, n_segments=count, start_label=0)
    segments = np.unique(segments, return_inverse=True)[1].reshape(segments.shape)
    n = int(segments.max()) + 1
    areas = np.bincount(segments.ravel())
    sums = [np.bincount(segments.ravel(), scores[..., k].ravel(), n) for k in range(scores.shape[-1])]
    grid = hh.Grid(np.zeros((*segments.shape, 1), np.float32), hh.contrast(image, 8.0))
    pairs = np.sort(segments.ravel()[grid.edges], axis=1)
    across = pairs[:, 0] != pairs[:, 1]
    edges, which = np.unique(pairs[across], axis=0, return_inverse=True)
    strengths = np.bincount(which.ravel(), grid.pairwise.strengths[across], len(edges))
    return hh.FactorGraph(np.stack(sums, axis=1) / areas.mean(), edges, strengths / np.sqrt(areas.mean()))


def report(name, kind, model, m, share):
    """One line for each diversity: seconds, distinct labelings, the gap of every step."""
    for title, diversity in DIVERSITIES.items():
        start = time.perf_counter()
        try:
            found = hh.diverse(model, diversity, m, tradeoff=hh.per_variable(share))
        except hh.UnsupportedError as error:
            print(f"{name:12} {kind:12} {title:18} no oracle: {str(error)[:90]}", flush=True)
            continue
        spent = time.perf_counter() - start
        gaps = (found.bounds - found.gains) / np.maximum(1.0, np.abs(found.gains))
        shown = " ".join(f"{100 * gap:.3f}" for gap in gaps)
        facts = f"{spent:8.1f} s {found.distinct:3} distinct  gaps, %: {shown}"
        print(f"{name:12} {kind:12} {title:18} {facts}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=3, help="how many, from the start of val.txt")
    parser.add_argument("--side", type=int, default=257, help="pixels of a side")
    parser.add_argument("--share", type=float, default=0.02, help="the tradeoff, for each variable")
    parser.add_argument("--quick", action="store_true", help="one tiny image, lists of 2")
    options = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit("no VOC data: set HEDGEHOP_DATA to the folder that holds voc2012")
    count, side, m = (1, 33, 2) if options.quick else (options.images, options.side, 10)
    scored = {path.stem for path in (DATA / "deeplab_logits33").glob("*.npy")}
    for name in [name for name in (DATA / "val.txt").read_text().split() if name in scored][:count]:
        scores, image = scores_of(name, side), image_of(name, side)
        report(name, "pixels", pixels(scores, image), m, options.share)
        report(name, "superpixels", superpixels(scores, image, 100 if options.quick else 2000), m, options.share)


if __name__ == "__main__":
    main()
