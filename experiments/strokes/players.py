# SPDX-License-Identifier: BSD-3-Clause
"""Who answers the robot: dialogues of this library, and peers that see all marks at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

import hedgehop as hh
from experiments.strokes.tasks import Task
from hedgehop.segmentation.strokes.combiner import Combiner
from hedgehop.segmentation.strokes.cues import PLAIN_MEAN

PLAIN: Mapping[str, float] = PLAIN_MEAN


class _Marked:
    """Keeps all marks."""

    def __init__(self, task: Task) -> None:
        self.task, self.drawn = task, np.zeros(task.truth.shape, int)

    def add(self, label: int, pixels: np.ndarray) -> np.ndarray:
        new = self.drawn.copy()
        new[pixels] = label + 1
        self.drawn = new
        return new

    def choose(self, k: int) -> None:
        """Peers do not listen."""


class Once(_Marked):
    """A segmenter that sees all marks at once and knows of no earlier answer."""

    def __init__(self, task: Task, segmenter: hh.Segmenter, m: int) -> None:
        super().__init__(task)
        self._segmenter, self._m = segmenter, m

    def mark(self, label: int, pixels: np.ndarray) -> np.ndarray:
        return self._segmenter.suggest(self.add(label, pixels), self._m).labelings


class Talk:
    """A dialogue."""

    def __init__(self, segmenter: hh.Segmenter, m: int, connected: bool = False) -> None:
        self._session = segmenter.dialogue(m, connected=connected)
        self._shape = segmenter.shape

    def mark(self, label: int, pixels: np.ndarray) -> np.ndarray:
        return self._session.stroke(np.where(pixels, label + 1, 0)).labelings

    def choose(self, k: int) -> None:
        self._session.choose(k)


class GrabCut(_Marked):
    """OpenCV's GrabCut: unknown pixels are probably background, marks are certain."""

    def mark(self, label: int, pixels: np.ndarray) -> np.ndarray:
        import cv2

        drawn = with_frame(self.add(label, pixels))
        mask = np.select([drawn == 1, drawn == 2], [cv2.GC_BGD, cv2.GC_FGD], cv2.GC_PR_BGD).astype(np.uint8)
        models = np.zeros((1, 65)), np.zeros((1, 65))
        cv2.setRNGSeed(0)
        cv2.grabCut(self.task.image[..., ::-1].copy(), mask, None, *models, 5, cv2.GC_INIT_WITH_MASK)
        return np.isin(mask, (cv2.GC_FGD, cv2.GC_PR_FGD)).astype(int)[None]


class Walker(_Marked):
    """scikit-image's random walker."""

    def mark(self, label: int, pixels: np.ndarray) -> np.ndarray:
        from skimage.segmentation import random_walker

        drawn = with_frame(self.add(label, pixels))
        found = random_walker(self.task.image / 255.0, drawn, beta=300, mode="cg_j", channel_axis=-1, tol=1e-2)
        return (np.asarray(found) == 2).astype(int)[None]


def with_frame(drawn: np.ndarray) -> np.ndarray:
    """Marks and, if none is background, the frame of the image for that: peers need some."""
    if (drawn == 1).any():
        return drawn
    framed = drawn.copy()
    for side in (framed[0], framed[-1], framed[:, 0], framed[:, -1]):
        side[side == 0] = 1
    return framed


def with_nets(segmenter: hh.Segmenter, nets: Combiner | Mapping[str, float]) -> hh.Segmenter:
    """Return the segmenter with other nets, or with a fixed mean of the opinions, as it was before there were nets."""
    other = segmenter.with_smoothness(1.0)
    other._settings = replace(other._settings, scores=nets)
    return other


Start = Callable[[Task], "Once | Talk | GrabCut | Walker"]
