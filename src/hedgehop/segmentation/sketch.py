# SPDX-License-Identifier: BSD-3-Clause
"""What depends on the strokes: scores, the model, answers of other models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models import FactorGraph, Grid
from hedgehop.oracles.registry import get
from hedgehop.potentials import Linear
from hedgehop.segmentation.canvas import Canvas
from hedgehop.segmentation.loyalty import loyalty
from hedgehop.segmentation.model import Nodes, with_frame
from hedgehop.segmentation.random_models import RandomModel, random_models, without_strangers
from hedgehop.segmentation.scores import Evidence
from hedgehop.segmentation.scribbles import check_scribbles, lay_on

_MODELS = 60
_LOYALTY = 3.0  # to a given segmentation, in units of the scores: changed only where the strokes contradict it
_LOOSE_LOYALTY = 1.0  # of the other models, whose answers are to differ from it


@dataclass(frozen=True, eq=False)
class Strokes:
    """Strokes at the size of the image, at the size that is solved, on superpixels, and what is learned from them."""

    drawn: NDArray[np.int64]
    pixels: NDArray[np.int64]
    seeds: NDArray[np.int64]
    evidence: Evidence


def learn(canvas: Canvas, scribbles: ArrayLike) -> Strokes:
    """Check strokes, lay them on the superpixels and get ready to learn from them."""
    checked = check_scribbles(scribbles, canvas.shape)
    n_labels = int(checked.max()) + 1
    small = canvas.reduce(checked)
    seeds = lay_on(canvas.parts, small, n_labels)
    taught = _taught(seeds, canvas.parts.frame, n_labels)
    return Strokes(checked, small, seeds, Evidence(canvas.features, canvas.graph, taught, n_labels))


class Sketch:
    """An image with strokes on it and, perhaps, a segmentation to stay close to."""

    def __init__(
        self, canvas: Canvas, strokes: Strokes, weights: Mapping[str, float], frame: float, around: ArrayLike | None
    ) -> None:
        self.canvas = canvas
        self._weights = weights
        self._frame = frame
        self._evidence, self._seeds, self._strokes = strokes.evidence, strokes.seeds, strokes.pixels
        self._drawn = strokes.drawn
        self._free_frame = canvas.parts.frame & (strokes.seeds < 0)
        self._loyalty = None if around is None else loyalty(canvas, around, strokes.seeds, strokes.evidence.n_labels)

    @cached_property
    def model(self) -> FactorGraph | Grid:
        """The averaged scores, with smoothness and strokes."""
        return self._model_on(self.canvas.nodes)

    @cached_property
    def coarse(self) -> FactorGraph | Grid:
        """The same on superpixels, also where the variables are pixels."""
        return self.model if self.canvas.nodes is self.canvas.coarse else self._model_on(self.canvas.coarse)

    @cached_property
    def design(self) -> list[RandomModel]:
        """Models that weigh the scores otherwise."""
        return random_models(_MODELS, self._evidence.n_labels)

    @property
    def oracle(self) -> str:
        """Who solves candidates: exact for two labels; for more, quick beats exact, since there are many."""
        return "graphcut" if self._evidence.n_labels == 2 else "expansion"

    def redrawn(self, rows: Labels) -> Labels:
        """Labelings of superpixels, (m, n), at the size of the image, with borders that follow the pixels."""
        borders, oracle, n_labels = self.canvas.borders, self.oracle, self._evidence.n_labels
        images = [borders.redrawn(row, self._strokes, n_labels, oracle) for row in rows]
        pixels = self.canvas.enlarge(np.array(images, np.int32))
        return np.where(self._drawn >= 0, self._drawn, pixels).astype(np.int32)

    def answers(self, nodes: Nodes, models: Sequence[RandomModel]) -> Labels:
        """Return the best labelings of random models, (k, n), without parts that no stroke reaches."""
        held = nodes.seeds(self._seeds, self._strokes)
        blank = nodes.model(nodes.unary(np.zeros((self._seeds.size, self._evidence.n_labels))), held)
        solver = get(self.oracle).on(blank)
        found = []
        for drawn in models:
            step = solver.step((Linear(own(self._drawn_unary(nodes, drawn))),))
            found.append(without_strangers(step.labeling.reshape(-1), blank.edges, held))
        return np.array(found, np.int32).reshape(len(found), blank.n_variables)

    def _model_on(self, nodes: Nodes) -> FactorGraph | Grid:
        unary = self._unary(nodes, self._evidence.mix(self._weights), self._frame, _LOYALTY)
        return nodes.model(unary, nodes.seeds(self._seeds, self._strokes))

    def _drawn_unary(self, nodes: Nodes, drawn: RandomModel) -> Doubles:
        """Scores of a random model; divided by its smoothness, so that all share one graph."""
        scores = self._evidence.mix(drawn.weights) + drawn.bias
        return self._unary(nodes, scores, drawn.frame, _LOOSE_LOYALTY) / drawn.smoothness

    def _unary(self, nodes: Nodes, scores: Doubles, frame: float, loyal: float) -> Doubles:
        framed = with_frame(scores, self._free_frame, frame)
        return nodes.unary(framed if self._loyalty is None else framed + loyal * self._loyalty)


def _taught(seeds: NDArray[np.int64], frame: NDArray[np.bool_], n_labels: int) -> NDArray[np.int64]:
    """Superpixels to learn from: strokes and, if none is background, the frame of the image for that."""
    missing = sorted(set(range(1, n_labels)) - set(seeds.tolist()))
    if missing:
        raise ValueError(
            f"scribbles must use every number from 2 to {n_labels}; got no stroke of {missing[0] + 1}. Renumber them."
        )
    if (seeds == 0).any():
        return seeds
    taught = np.where(frame & (seeds < 0), 0, seeds)
    if not (taught == 0).any():
        raise ValueError("scribbles must mark some background (1): the strokes of objects cover the whole frame.")
    return taught
