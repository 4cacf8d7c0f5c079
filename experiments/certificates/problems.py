# SPDX-License-Identifier: BSD-3-Clause
"""Models of real images: superpixels and pixels with class scores of a network, pixels in two labels by colour."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

import hedgehop as hh

SMOOTHNESS = 2.0
SUPERPIXELS = 400
PIXELS = 256  # along each side
LEAST = -20.0  # what a pixel outside the lasso loses as an object


def superpixels(data: Path, limit: int) -> Iterator[hh.FactorGraph]:
    """One variable per superpixel, 21 labels."""
    from skimage.segmentation import slic

    for name in _names(data, limit):
        image = np.array(Image.open(data / f"voc2012/JPEGImages/{name}.jpg"))
        parts = slic(image, SUPERPIXELS, start_label=0)
        scores, (height, width) = _scores(data, name), parts.shape
        rows, columns = (np.linspace(0, 32, k).round().astype(int) for k in (height, width))
        flat, sizes = scores[rows][:, columns].reshape(-1, scores.shape[2]), np.bincount(parts.ravel())
        sums = [np.bincount(parts.ravel(), flat[:, k], sizes.size) for k in range(flat.shape[1])]
        sides = [(parts[:, :-1], parts[:, 1:]), (parts[:-1], parts[1:])]
        pairs = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in sides])
        edges = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
        yield hh.FactorGraph(np.stack(sums, axis=1) / sizes[:, None], edges, np.full(len(edges), SMOOTHNESS))


def pixels(data: Path, limit: int) -> Iterator[hh.Grid]:
    """One variable per pixel, 21 labels."""
    for name in _names(data, limit):
        maps = [Image.fromarray(k).resize((PIXELS, PIXELS), Image.Resampling.BILINEAR) for k in _maps(data, name)]
        yield hh.Grid(np.stack([np.asarray(k, np.float64) for k in maps], axis=-1), smoothness=SMOOTHNESS)


def cutouts(data: Path, limit: int) -> Iterator[hh.Grid]:
    """One variable per pixel, object or not, by histograms of colours inside and outside a lasso."""
    for path in sorted((data / "grabcut/images").iterdir())[:limit]:
        image = np.array(Image.open(path).convert("RGB")).astype(int)
        lasso = np.array(Image.open(next((data / "grabcut/lasso").glob(f"{path.stem}.*"))).convert("L"))
        colours, outside = (image // 32) @ np.array([64, 8, 1]), np.isin(lasso, (0, 64))
        counts = [np.bincount(colours[part], minlength=512) + 1.0 for part in (outside, lasso >= 128)]
        scores = np.stack([np.log(k / k.sum())[colours] for k in counts], axis=-1)
        scores[outside, 1] += LEAST
        yield hh.Grid(scores, smoothness=SMOOTHNESS)


def _names(data: Path, limit: int) -> list[str]:
    return (data / "voc2012/val.txt").read_text(encoding="utf-8").split()[:limit]


def _scores(data: Path, name: str) -> np.ndarray:
    return np.load(data / f"voc2012/deeplab_logits33/{name}.npy").astype(np.float64)


def _maps(data: Path, name: str) -> list[np.ndarray]:
    scores = _scores(data, name).astype(np.float32)
    return [np.ascontiguousarray(scores[..., k]) for k in range(scores.shape[2])]
