# SPDX-License-Identifier: BSD-3-Clause
"""The images, strokes and truths of each part; read, never copied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from hedgehop.segmentation import from_colors, robot_scribbles

UNKNOWN = 255


@dataclass(frozen=True)
class Example:
    """An image with strokes and a truth (0 background, 1 object, 255 unknown)."""

    name: str  # of the task
    image: str  # which image it is on: several tasks may share one
    path: Path
    strokes: np.ndarray
    truth: np.ndarray


def _pixels(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path))


def _three_levels(path: Path) -> np.ndarray:
    """0 background, 128 unknown, 255 object."""
    levels = _pixels(path)
    levels = levels if levels.ndim == 2 else levels[..., 0]
    return np.where(levels == 255, 1, np.where(levels == 0, 0, UNKNOWN))


def _file(folder: Path, name: str) -> Path:
    return next(folder.glob(f"{name}.*"))


def grabcut(data: Path) -> Iterator[Example]:
    """Human strokes, two sets: in the files 1 is the object and 2 background."""
    folder = data / "grabcut"
    for name in (folder / "list.txt").read_text().split():
        truth = _three_levels(folder / "segmentation" / f"{name}.png")
        for k in (1, 2):
            strokes = np.array([0, 2, 1])[_pixels(folder / f"scribbles{k}" / f"{name}.png")]
            yield Example(f"{name}, strokes {k}", name, _file(folder / "images", name), strokes, truth)


def voc(data: Path, most: int = 100) -> Iterator[Example]:
    """Strokes of a robot; the largest class is the object."""
    folder = data / "voc2012"
    for name in (folder / "val.txt").read_text().split()[:most]:
        labels = _pixels(folder / "SegmentationClass" / f"{name}.png")
        counts = np.bincount(labels[(labels > 0) & (labels != UNKNOWN)], minlength=21)
        truth = np.where(labels == UNKNOWN, UNKNOWN, (labels == counts.argmax()).astype(int))
        strokes = robot_scribbles(truth, seed=0)
        yield Example(name, name, folder / "JPEGImages" / f"{name}.jpg", strokes, truth)


def coopcuts(data: Path) -> Iterator[Example]:
    """Thin objects; strokes painted red and blue."""
    folder = data / "coopcuts16"
    for path in sorted((folder / "images").glob("*.jpg")):
        truth = _three_levels(folder / "groundtruth" / f"{path.stem}.png")
        strokes = from_colors(_pixels(folder / "seeds" / f"{path.stem}.png"))
        yield Example(path.stem, path.stem, path, strokes, truth)
