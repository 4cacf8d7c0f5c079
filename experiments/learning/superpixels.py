# SPDX-License-Identifier: BSD-3-Clause
"""VOC superpixels: weights of class scores and of contrast, learned on train, against hand-set ones on val.

Scores of a superpixel count by its area, so whatever is learned must, too. Weights are shared by all classes: train and
val hold other classes in other shares, and weights that know classes by name learn those shares.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

import hedgehop as hh
from hedgehop.learning import StructuredSVM

UNKNOWN, CLASSES = 255, 21
HAND_SET = 0.5  # smoothness of the study that chose it, on val itself
STRENGTHS = (0.0, 0.25, 0.5, 1.0, 2.0)
CS = (0.01, 0.1, 1.0)


@dataclass(frozen=True)
class Picture:
    """Class scores of superpixels, their edges with contrast, the pixels of each class they truly hold, their areas."""

    scores: np.ndarray
    edges: np.ndarray
    contrast: np.ndarray
    counts: np.ndarray
    sizes: np.ndarray

    @property
    def example(self) -> tuple[np.ndarray | None, ...]:
        """No features a class learns alone; contrast; and kinds of scores, each by area."""
        areas = (self.sizes / self.sizes.mean())[:, None]
        logits = self.scores / areas
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        here = odds / odds.sum(axis=1, keepdims=True)
        whole = np.broadcast_to((areas * here).mean(axis=0), here.shape)  # the class's share of the picture
        alike = np.ones(len(self.edges))
        kinds = np.stack([
            logits / 5.0, here,
            self._around(logits, alike) / 5.0, self._around(here, alike), self._around(here, self.contrast),
            np.sqrt(whole), np.log(whole + 1e-3) / 5.0,
        ], axis=2)  # fmt: skip
        return np.zeros((len(areas), 0)), self.edges, self.contrast[:, None], areas[:, :, None] * kinds

    def _around(self, values: np.ndarray, strengths: np.ndarray) -> np.ndarray:
        """Mean over the neighbours, by the strength of the edges."""
        total, count = np.zeros_like(values), np.full((len(values), 1), 1e-9)
        for one, other in (self.edges.T, self.edges.T[::-1]):
            np.add.at(total, one, strengths[:, None] * values[other])
            np.add.at(count, one, strengths[:, None])
        return total / count

    @property
    def known(self) -> np.ndarray:
        """Pixels whose truth is known, in units of the mean superpixel."""
        return self.counts.sum(axis=1) / self.sizes.mean()

    def share_right(self, labeling: np.ndarray) -> float:
        """Pixel accuracy."""
        return float(self.counts[np.arange(len(labeling)), labeling].sum() / max(1, self.counts.sum()))


def read(data: Path, part: str, limit: int | None) -> list[Picture]:
    """The pictures of train.txt or val.txt."""
    folder = data / "voc2012"
    return [_picture(folder, name) for name in (folder / f"{part}.txt").read_text().split()[:limit]]


def _picture(folder: Path, name: str) -> Picture:
    scores = np.load(next((folder / "deeplab_logits33").glob(f"{name}.*"))).astype(float)
    image = np.asarray(Image.open(folder / "JPEGImages" / f"{name}.jpg").convert("RGB"))
    made = hh.segmentation.from_scores(scores, image, smoothness=1.0)
    truth = np.asarray(Image.open(folder / "SegmentationClass" / f"{name}.png"))
    known = truth != UNKNOWN
    n = made.model.n_variables
    counts = np.bincount(CLASSES * made.segments[known] + truth[known], minlength=CLASSES * n).reshape(n, CLASSES)
    sizes = np.bincount(made.segments.ravel(), minlength=n)
    return Picture(made.model.unary, made.model.edges, made.model.pairwise.strengths, counts, sizes)


def accuracies(data: Path, limit: int | None) -> dict[str, float]:
    """Pixel accuracy on val after learning on train; then both sets alone, learning on one half for the other.

    C is chosen on what is learned from, by halves of it.
    """
    train, val = read(data, "train", limit), read(data, "val", limit)
    by_strength = {s: _mean(train, [_hand_set(p, s) for p in train]) for s in STRENGTHS}
    tuned = max(by_strength, key=by_strength.get)
    rows = {
        "val: scores alone": _mean(val, [p.scores.argmax(axis=1) for p in val]),
        f"val: hand-set, smoothness {HAND_SET:g}": _mean(val, [_hand_set(p, HAND_SET) for p in val]),
        f"val: smoothness tuned on train ({tuned:g})": _mean(val, [_hand_set(p, tuned) for p in val]),
        "val: learned on train": _transferred(train, val),
    }
    for name, part in (("train", train), ("val", val)):
        rows[f"{name}, by halves: hand-set"] = _mean(part, [_hand_set(p, HAND_SET) for p in part])
        rows[f"{name}, by halves: learned"] = 0.5 * (
            _transferred(part[::2], part[1::2]) + _transferred(part[1::2], part[::2])
        )
    return rows


def _transferred(known: list[Picture], new: list[Picture]) -> float:
    """Accuracy on new pictures after learning from known ones."""
    return _accuracy(learn(known), new)


def learn(pictures: list[Picture]) -> StructuredSVM:
    """Learn weights, with the C that serves best when learning on one half of the pictures for the other."""
    by_c = {c: _by_halves(pictures, c) for c in CS}
    return _learn(pictures, max(by_c, key=by_c.get))


def _by_halves(pictures: list[Picture], C: float) -> float:
    first, second = pictures[::2], pictures[1::2]
    return _accuracy(_learn(first, C), second) + _accuracy(_learn(second, C), first)


def _accuracy(machine: StructuredSVM, pictures: list[Picture]) -> float:
    return _mean(pictures, machine.predict([p.example for p in pictures]))


def _hand_set(picture: Picture, strength: float) -> np.ndarray:
    return hh.best(hh.FactorGraph(picture.scores, picture.edges, strength * picture.contrast)).labeling


def _learn(pictures: list[Picture], C: float) -> StructuredSVM:
    machine = StructuredSVM("graph", C=C, n_labels=CLASSES, tol=0.01)
    truths = [p.counts.argmax(axis=1) for p in pictures]
    return machine.fit([p.example for p in pictures], truths, weights=[p.known for p in pictures])


def _mean(pictures: list[Picture], found: list[np.ndarray]) -> float:
    return float(np.mean([p.share_right(y) for p, y in zip(pictures, found, strict=True)]))
