"""What depends on the strokes: scores, the model, its best labeling, candidates."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models import FactorGraph, Grid
from hedgehop.oracles.registry import get, solve
from hedgehop.potentials import Linear
from hedgehop.segmentation.canvas import Canvas
from hedgehop.segmentation.model import with_frame
from hedgehop.segmentation.pool import RandomModel, random_models, without_strangers
from hedgehop.segmentation.scores import Evidence
from hedgehop.segmentation.scribbles import check_scribbles, lay_on

_MODELS = 60


class Sketch:
    """An image with strokes on it."""

    def __init__(self, canvas: Canvas, scribbles: ArrayLike, weights: Mapping[str, float], frame: float) -> None:
        strokes = check_scribbles(scribbles, canvas.shape)
        self.canvas = canvas
        self._weights = weights
        self._frame = frame
        n_labels = int(strokes.max()) + 1
        small = canvas.reduce(strokes)
        seeds = lay_on(canvas.parts, small, n_labels)
        self._evidence = Evidence(canvas.features, canvas.graph, _taught(seeds, canvas.parts.frame, n_labels), n_labels)
        self._free_frame = canvas.parts.frame & (seeds < 0)
        self._held = canvas.nodes.seeds(seeds, small)

    @cached_property
    def model(self) -> FactorGraph | Grid:
        """The averaged scores, with smoothness and strokes."""
        return self.canvas.nodes.model(self._unary(self._evidence.mix(self._weights), self._frame), self._held)

    @cached_property
    def best(self) -> Labels:
        """The labeling the model likes best, (n,)."""
        return solve(get("auto"), self.model, (), None).labeling.reshape(-1)

    def candidates(self) -> tuple[Labels, Labels]:
        """Return different labelings, the best one first, and all answers of random models."""
        blank = self.canvas.nodes.model(np.zeros_like(self.model.unary, dtype=np.float64), self._held)
        solver = get("auto")
        state = solver.start(blank)
        answers = []
        for drawn in random_models(_MODELS, self._evidence.n_labels):
            step = solve(solver, blank, (Linear(own(self._drawn_unary(drawn))),), state)
            answers.append(without_strangers(step.labeling.reshape(-1), blank.edges, self._held))
        samples = np.array(answers, np.int32)
        different = {row.tobytes(): row for row in (self.best, *samples)}
        return np.array(list(different.values()), np.int32), samples

    def _drawn_unary(self, drawn: RandomModel) -> Doubles:
        """Scores of a random model; divided by its smoothness, so that all share one graph."""
        scores = self._evidence.mix(drawn.weights) + drawn.bias
        return self._unary(scores, drawn.frame) / drawn.smoothness

    def _unary(self, scores: Doubles, frame: float) -> Doubles:
        return self.canvas.nodes.unary(with_frame(scores, self._free_frame, frame))


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
