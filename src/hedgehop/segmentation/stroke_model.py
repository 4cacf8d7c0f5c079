# SPDX-License-Identifier: BSD-3-Clause
"""The model of a scene with strokes on it and, perhaps, a segmentation to stay close to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, Labels, integers
from hedgehop.lists.result import DiverseList
from hedgehop.lists.tradeoff import TradeoffLike
from hedgehop.models import FactorGraph, Grid
from hedgehop.segmentation.default_list import RandomModel, best_under, drop_components_without_stroke, stroke_list
from hedgehop.segmentation.scene import Variables
from hedgehop.segmentation.stroke_scores import StrokeScores
from hedgehop.segmentation.suggestions import SceneModel
from hedgehop.segmentation.superpixels import path_lengths

# What agreeing with a given segmentation gains, in units of the scores.
_STROKE_ANCHOR = 3.0  # changed only where the strokes contradict it
_LOOSE_ANCHOR = 1.0  # of random models, whose answers are to differ from it
_CONTRADICTION_REACH = 4.0  # of a contradicting stroke, in mean steps of colour between neighbours
_LEAST_STEP = 0.2  # so that a stroke does not reach through all of a plain wall


@dataclass(frozen=True)
class StrokeSettings:
    """How strokes become a model; see :class:`hedgehop.Segmenter`."""

    scores: Mapping[str, float]
    smoothness: float
    frame: float
    pixelwise: bool
    fine_borders: bool


class StrokeModel(SceneModel):
    """Scores learned from strokes, a bonus for background at the frame, smoothness; strokes are held.

    Parameters
    ----------
    anchor : (n, L) array, optional
        What each label of each superpixel gains for agreeing with a given segmentation, see :func:`anchoring`.
    """

    def __init__(self, strokes: StrokeScores, settings: StrokeSettings, anchor: Doubles | None) -> None:
        super().__init__(strokes.scene, Variables(strokes.scene, settings.pixelwise))
        self._strokes, self._settings, self._anchor = strokes, settings, anchor
        self._free_frame = self.scene.superpixels.frame & (strokes.seeds < 0)
        self._seeds = self.variables.seeds(strokes.solved, self.n_labels)
        self.model = self._model(self._unary(strokes.mix(settings.scores), settings.frame, _STROKE_ANCHOR))

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self._strokes.n_labels

    @property
    def oracle(self) -> str:
        """Which oracle solves candidates: exact for two labels; for more, quick beats exact, since there are many."""
        return "graphcut" if self.n_labels == 2 else "expansion"

    @property
    def coarse(self) -> StrokeModel:
        """The same on superpixels."""
        if not self.variables.pixelwise:
            return self
        return StrokeModel(self._strokes, replace(self._settings, pixelwise=False), self._anchor)

    def draw(self, rows: Labels) -> Labels:
        """Labelings of the model, (m, n), at the size of the image, with borders that follow the pixels if wanted."""
        if self._settings.pixelwise or not self._settings.fine_borders:
            return super().draw(rows)
        redrawn, strokes = self.scene.borders.redrawn, self._strokes
        maps = np.array([redrawn(row, strokes.solved, self.n_labels, self.oracle) for row in rows], np.int32)
        return np.where(strokes.drawn >= 0, strokes.drawn, self.scene.enlarge(maps)).astype(np.int32)

    def default_list(self, m: int, tradeoff: TradeoffLike | None) -> DiverseList:
        """Return the best labeling and answers of random models of which one is probably right."""
        return stroke_list(self, m, tradeoff)

    def answers(self, models: Sequence[RandomModel]) -> Labels:
        """Return the best labelings of random models, (k, n), without components that no stroke reaches."""
        blank = self._model(self.variables.unary(np.zeros((self.scene.superpixels.count, self.n_labels))))
        found = best_under(blank, (self._unary_of(other) for other in models), self.oracle)
        kept = [drop_components_without_stroke(row, blank.edges, self._seeds) for row in found]
        return np.array(kept, np.int32).reshape(found.shape)

    def _unary_of(self, other: RandomModel) -> Doubles:
        """Scores of a random model; divided by its smoothness, so that all share one graph."""
        scores = self._strokes.mix(other.weights) + other.bias
        return self._unary(scores, other.frame, _LOOSE_ANCHOR) / other.smoothness

    def _unary(self, scores: Doubles, frame: float, anchor: float) -> Doubles:
        total: Doubles = scores.copy()
        total[self._free_frame, 0] += frame
        return self.variables.unary(total if self._anchor is None else total + anchor * self._anchor)

    def _model(self, unary: Doubles) -> FactorGraph | Grid:
        return self.variables.model(unary, self._seeds, self.variables.strength(self._settings.smoothness))


def anchoring(strokes: StrokeScores, around: ArrayLike) -> Doubles:
    """Return what each label of each superpixel gains for agreeing with a segmentation, (n, L), 0..1.

    A stroke that contradicts the segmentation frees what is near and looks alike: there the gain is
    ``1 - exp(-d / reach)``, d the length of the shortest path of colours to such a stroke.
    """
    scene, n_labels, seeds = strokes.scene, strokes.n_labels, strokes.seeds
    chosen = scene.majority(np.maximum(_checked_around(around, scene.shape, n_labels), -1), n_labels)
    gain = np.where(chosen >= 0, 1.0, 0.0)
    contradicted = (seeds >= 0) & (chosen >= 0) & (seeds != chosen)
    if contradicted.any():
        starts = np.where(contradicted, 0, -1)
        far = path_lengths(scene.graph, scene.graph.steps + _LEAST_STEP, starts, 1)[:, 0]
        gain *= 1.0 - np.exp(-far / _CONTRADICTION_REACH)
    result = np.zeros((chosen.size, n_labels))
    result[np.arange(chosen.size), np.maximum(chosen, 0)] = gain
    return result


def _checked_around(around: ArrayLike, shape: tuple[int, int], n_labels: int) -> NDArray[np.int64]:
    labels = integers(around, "around")
    if labels.shape != shape:
        raise ValueError(f"around must have the image's shape {shape}; got {labels.shape}. Give one of the candidates.")
    if labels.size and labels.max() >= n_labels:
        raise ValueError(
            f"around must hold labels that have strokes, 0..{n_labels - 1}, or -1 for unknown; got {labels.max()}."
        )
    return labels
