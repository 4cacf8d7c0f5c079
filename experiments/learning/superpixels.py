"""VOC superpixels: weights of class scores and of contrast, learned on train, against hand-set ones on val."""

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
CS = (1e-6, 1e-5, 1e-4, 1e-3)


@dataclass(frozen=True)
class Picture:
    """Class scores of superpixels, their edges with contrast, and the pixels of each class they truly hold."""

    scores: np.ndarray
    edges: np.ndarray
    contrast: np.ndarray
    counts: np.ndarray

    @property
    def example(self) -> tuple[np.ndarray, ...]:
        """Scores and a constant; contrast and a constant; the scores once more, which are there before learning."""
        nodes = np.concatenate([self.scores, np.ones((len(self.scores), 1))], axis=1)
        return nodes, self.edges, np.stack([self.contrast, np.ones(len(self.edges))], axis=1), self.scores

    @property
    def areas(self) -> np.ndarray:
        """Known pixels, in units of the mean superpixel's."""
        known = self.counts.sum(axis=1)
        return known / max(1.0, known.mean())

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
    return Picture(made.model.unary, made.model.edges, made.model.pairwise.strengths, counts)


def accuracies(data: Path, limit: int | None) -> dict[str, float]:
    """Pixel accuracy on val. All is chosen on train; C on one half of it after learning on the other."""
    train, val = read(data, "train", limit), read(data, "val", limit)
    by_strength = {s: _mean(train, [_hand_set(p, s) for p in train]) for s in STRENGTHS}
    tuned = max(by_strength, key=by_strength.get)
    by_c = {c: _mean(train[1::2], _learn(train[::2], c).predict([p.example for p in train[1::2]])) for c in CS}
    machine = _learn(train, max(by_c, key=by_c.get))
    rows = {
        "scores alone": [p.scores.argmax(axis=1) for p in val],
        f"hand-set, smoothness {HAND_SET:g}": [_hand_set(p, HAND_SET) for p in val],
        f"smoothness tuned on train ({tuned:g})": [_hand_set(p, tuned) for p in val],
        f"learned (C = {machine.C:g})": machine.predict([p.example for p in val]),
    }
    return {name: _mean(val, found) for name, found in rows.items()}


def _hand_set(picture: Picture, strength: float) -> np.ndarray:
    return hh.best(hh.FactorGraph(picture.scores, picture.edges, strength * picture.contrast)).labeling


def _learn(pictures: list[Picture], C: float) -> StructuredSVM:
    machine = StructuredSVM("graph", C=C, n_labels=CLASSES, tol=0.02, max_iter=30)
    truths = [p.counts.argmax(axis=1) for p in pictures]
    return machine.fit([p.example for p in pictures], truths, weights=[p.areas for p in pictures])


def _mean(pictures: list[Picture], found: list[np.ndarray]) -> float:
    return float(np.mean([p.share_right(y) for p, y in zip(pictures, found, strict=True)]))
