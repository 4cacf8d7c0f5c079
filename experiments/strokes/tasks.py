# SPDX-License-Identifier: BSD-3-Clause
"""Images with one object each: to learn from, to cross-validate on, and to test on; read, never copied."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw
from scipy import ndimage

UNKNOWN = 255
FOLDS = 3


@dataclass(frozen=True, eq=False)
class Task:
    """An image and what its object is (0 background, 1 object, 255 unknown); strokes of people by name."""

    name: str
    image: np.ndarray
    truth: np.ndarray
    people: dict[str, np.ndarray] = field(default_factory=dict)

    def random(self, what: str) -> np.random.Generator:
        """Return random numbers that depend on the image and the purpose only."""
        return np.random.default_rng(zlib.crc32(f"{what} {self.name}".encode()))


def fold_of(name: str, names: list[str]) -> int:
    """Return the fold in which an image is left out of training."""
    return sorted(names).index(name) % FOLDS


def learning_tasks(data: Path) -> Iterator[Task]:
    """Everything the nets learn from. Nothing of VOC val is among it."""
    yield from grabcut(data)
    yield from voc(data, "train.txt")
    yield from people_on_voc(data)
    yield from regions(data)


def grabcut(data: Path) -> Iterator[Task]:
    """Two sets of strokes by people; in the files 1 is the object and 2 background."""
    folder = data / "grabcut"
    for name in (folder / "list.txt").read_text().split():
        image = _rgb(next((folder / "images").glob(f"{name}.*")))
        levels = np.asarray(Image.open(folder / "segmentation" / f"{name}.png").convert("L"))
        truth = np.where(levels == 255, 1, np.where(levels == 128, UNKNOWN, 0))
        people = {}
        for k in (1, 2):
            drawn = np.asarray(Image.open(folder / f"scribbles{k}" / f"{name}.png"))
            if drawn.shape == truth.shape:
                people[f"people {k}"] = np.array([0, 2, 1])[drawn]
        yield Task(f"grabcut {name}", image, truth, people)


def voc(data: Path, listed: str) -> Iterator[Task]:
    """The class with one large part; several objects of a class that touch are one."""
    folder = data / "voc2012"
    for name in (folder / listed).read_text().split():
        labels = np.asarray(Image.open(folder / "SegmentationClass" / f"{name}.png"))
        classes = [c for c in np.unique(labels).tolist() if c not in (0, UNKNOWN) and _mostly_one_part(labels == c)]
        if classes:
            chosen = classes[zlib.crc32(name.encode()) % len(classes)]
            truth = np.where(labels == UNKNOWN, UNKNOWN, (labels == chosen).astype(int))
            yield Task(f"voc {name}", _rgb(folder / "JPEGImages" / f"{name}.jpg"), truth)


def people_on_voc(data: Path) -> Iterator[Task]:
    """Strokes of people on images of VOC, one task per class; those of val are left out."""
    folder, reserved = data / "voc2012_scribbles", set((data / "voc2012" / "val.txt").read_text().split())
    for path in sorted((folder / "xml").glob("*.xml")):
        if path.stem in reserved:
            continue
        labels = np.asarray(Image.open(folder / "SegmentationClass" / f"{path.stem}.png"))
        lines = _lines(path)
        for c in np.unique(labels[(labels > 0) & (labels != UNKNOWN)]).tolist():
            truth = np.where(labels == UNKNOWN, UNKNOWN, (labels == c).astype(int))
            drawn = _painted(lines, labels == c, truth)
            if (drawn == 2).any() and (drawn == 1).any():
                image = _rgb(folder / "images" / f"{path.stem}.jpg")
                yield Task(f"people {path.stem} {c}", image, truth, {"people": drawn})


def regions(data: Path) -> Iterator[Task]:
    """Regions that a person of BSDS outlined, not too small and not along the frame; no image of GrabCut."""
    from scipy.io import loadmat

    folder, reserved = data / "bsds500_val", set((data / "grabcut" / "list.txt").read_text().split())
    for path in sorted(folder.rglob("*.mat")):
        found = next(iter(folder.rglob(f"{path.stem}.jpg")), None)
        segments = loadmat(path)["groundTruth"][0, 0]["Segmentation"][0, 0].astype(int)
        fit = [k for k in np.unique(segments).tolist() if _object_like(segments == k)]
        if found is not None and fit and path.stem not in reserved:
            chosen = fit[zlib.crc32(path.stem.encode()) % len(fit)]
            yield Task(f"bsds {path.stem}", _rgb(found), (segments == chosen).astype(int))


def _rgb(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path).convert("RGB"))


def _mostly_one_part(mask: np.ndarray) -> bool:
    sizes = np.bincount(ndimage.label(mask)[0].ravel())[1:]
    return 0.02 < sizes.sum() / mask.size < 0.6 and sizes.max() > 0.8 * sizes.sum()


def _object_like(mask: np.ndarray) -> bool:
    frame = np.concatenate([mask[0], mask[-1], mask[:, 0], mask[:, -1]])
    return bool(0.03 < mask.mean() < 0.4 and frame.mean() < 0.15) and _mostly_one_part(mask)


def _lines(path: Path) -> list[list[tuple[int, int]]]:
    polygons = ElementTree.parse(path).getroot().iter("polygon")
    return [
        [(int(p.findtext("X", "0")), int(p.findtext("Y", "0"))) for p in polygon.iter("point")] for polygon in polygons
    ]


def _painted(lines: list[list[tuple[int, int]]], mask: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Strokes mostly inside the object are of the object, the others of the background; wrong pixels are left out."""
    drawn = np.zeros(mask.shape, int)
    for line in lines:
        picture = Image.new("L", mask.shape[::-1], 0)
        ImageDraw.Draw(picture).line(line, fill=1, width=3)
        on = np.asarray(picture) > 0
        if on.any():
            label = int(mask[on].mean() > 0.5)
            drawn[on & (truth == label)] = label + 1
    return drawn
