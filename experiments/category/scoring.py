# SPDX-License-Identifier: BSD-3-Clause
"""Judging labelings of superpixels by pixels: image IoU, what the oracle chooses, the IoU of the corpus, its error."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgehop.metrics import iou_of

BOOTSTRAPS = 400


def confusions(labelings: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Pixels by truth and label, (m, L, L)."""
    n_labels = counts.shape[1]
    tables = np.zeros((len(labelings), n_labels, n_labels))
    for table, row in zip(tables, labelings, strict=True):
        np.add.at(table.T, row, counts)
    return tables


def image_iou(labelings: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Mean IoU over the classes in the truth or in the labeling, of each labeling."""
    return np.nanmean(iou_of(confusions(labelings, counts)), axis=1)


@dataclass(frozen=True)
class Judged:
    """One row of the table: confusions of the labelings of each image's list, (images, 20, L, L), and their IoUs."""

    tables: np.ndarray
    iou: np.ndarray
    seconds: float
    guarantee: float

    def chosen(self, m: int) -> np.ndarray:
        """Confusions of what the oracle takes: the labeling of the best image IoU among the first m."""
        return self.tables[np.arange(len(self.iou)), self.iou[:, :m].argmax(axis=1)]

    def img(self, m: int) -> np.ndarray:
        """Image IoU of what the oracle takes, in per cent."""
        return 100 * self.iou[:, :m].max(axis=1)

    def corpus(self, m: int) -> float:
        """IoU over all images, mean over the classes present in the truth, in per cent."""
        return float(_corpus(self.chosen(m).sum(axis=0), self.present))

    def corpus_error(self, m: int) -> float:
        """Standard error of the corpus IoU by the bootstrap over images."""
        n = len(self.iou)
        draws = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), BOOTSTRAPS)
        tables = np.tensordot(draws, self.chosen(m), axes=1)
        return float(np.std([_corpus(t, self.present) for t in tables], ddof=1))

    def accuracy(self, m: int) -> float:
        """Share of right pixels of what the oracle takes, in per cent."""
        total = self.chosen(m).sum(axis=0)
        return float(100 * np.trace(total) / total.sum())

    @cached_property
    def present(self) -> np.ndarray:
        """Classes that occur in the truth of some image."""
        return self.tables[:, 0].sum(axis=(0, 2)) > 0

    def recovered(self, m: int, wrong: np.ndarray) -> int:
        """How many of the (image, class) objects in `wrong` some labeling among the first m has with IoU >= 1/2."""
        each = np.nan_to_num(iou_of(self.tables[:, :m])).max(axis=1)
        return int((each[wrong] >= 0.5).sum())


def mistakes(first: np.ndarray, background: bool) -> tuple[np.ndarray, np.ndarray]:
    """Objects, (images, L) each, that the first labeling gets wrong (IoU < .3): of another class, and missed.

    Parameters
    ----------
    first : (images, L, L)
        Confusions of the first labelings.
    """
    each = iou_of(first)
    there = first.sum(axis=2) > 0
    if background:
        there[:, 0] = False
    bad = there & (np.nan_to_num(each) < 0.3)
    right = np.diagonal(first, axis1=1, axis2=2)
    as_background = first[:, :, 0] if background else np.zeros_like(right)
    as_other = first.sum(axis=2) - right - as_background
    wrong_class = bad & (as_other > as_background)
    return wrong_class, bad & ~wrong_class


def _corpus(total: np.ndarray, present: np.ndarray) -> float:
    return float(100 * np.nanmean(np.where(present, iou_of(total), np.nan)))


def paired(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Mean and standard error of a difference over images."""
    change = a - b
    error = change.std(ddof=1) / np.sqrt(len(change)) if len(change) > 1 else np.inf
    return float(change.mean()), float(error)
