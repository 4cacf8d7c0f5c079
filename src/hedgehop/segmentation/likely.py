# SPDX-License-Identifier: BSD-3-Clause
"""The default list: answers of random models of which one is probably right."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop.diversity import ExpectedBest, VariableCoverage
from hedgehop.lists.pool import select
from hedgehop.lists.result import DiverseList
from hedgehop.lists.selection import best, stream
from hedgehop.lists.tradeoff import TradeoffLike, per_variable
from hedgehop.models import FactorGraph, Grid
from hedgehop.segmentation.sketch import Sketch

_EXPECTED = per_variable(100.0)  # relevance only decides between candidates that are as good
_VISIBLE = 0.005  # share of the area in which candidates differ at least, if enough do
_FILLING = 1.2  # tradeoff of those added where the models agree


def likely(
    sketch: Sketch, m: int, tradeoff: TradeoffLike | None, show: Callable[[Labels], Any] = lambda labeling: None
) -> DiverseList:
    """Return a list of m labelings that begins with the best one; show each as soon as it is there.

    Where pixels are the variables, candidates are chosen on superpixels and only those are solved again.
    """
    show(best(sketch.model).labeling)
    found = _chosen(sketch, m, _EXPECTED if tradeoff is None else tradeoff)
    for labeling in found.labelings[1:]:
        show(labeling)
    return found


def _chosen(sketch: Sketch, m: int, factor: TradeoffLike) -> DiverseList:
    canvas = sketch.canvas
    samples = sketch.answers(canvas.coarse, sketch.design)
    answers = _after_the_best(sketch.coarse, samples)
    answers = _with_others(answers, sketch.coarse, m, sketch.oracle, canvas.coarse.weights)
    pool = _filled(answers, sketch.coarse, m, sketch.oracle, canvas.coarse.weights)
    found = select(pool, sketch.coarse, ExpectedBest(samples, canvas.coarse.weights), _most(m, pool), factor, first=0)
    if canvas.nodes is canvas.coarse:
        return found
    chosen = {row.tobytes() for row in found.labelings}
    models = {row.tobytes(): drawn for row, drawn in zip(samples, sketch.design, strict=True)}
    fine = sketch.answers(canvas.nodes, [drawn for key, drawn in models.items() if key in chosen])
    answers = _after_the_best(sketch.model, fine)
    pool = _filled(answers, sketch.model, m, sketch.oracle, canvas.nodes.weights)
    images = pool.reshape(len(pool), *sketch.model.shape)
    return select(images, sketch.model, ExpectedBest(pool), _most(m, pool), factor, first=0)


def _after_the_best(model: FactorGraph | Grid, answers: Labels) -> list[Labels]:
    return [best(model).labeling.reshape(-1), *answers]


def _with_others(
    answers: list[Labels], model: FactorGraph | Grid, m: int, oracle: str, weights: Doubles
) -> list[Labels]:
    """The answers; where those that differ to the eye are few, also labelings that do where that costs least."""
    if len(_apart(answers, weights)) >= m:
        return answers
    return [*answers, *_cheapest(model, m, oracle, min_distance=2 * _VISIBLE)]


def _filled(answers: list[Labels], model: FactorGraph | Grid, m: int, oracle: str, weights: Doubles) -> Labels:
    """All answers that differ to the eye; where they are few, all that differ at all.

    Where these are few, too: others that differ where that costs least.
    """
    pool = _different(answers)
    apart = _apart(pool, weights)
    if len(apart) >= m:
        return apart
    return pool if len(pool) >= m else _different((*pool, *_cheapest(model, m, oracle, distinct=True)))


def _cheapest(model: FactorGraph | Grid, m: int, oracle: str, **limits: Any) -> list[Labels]:
    """Labelings that differ where that costs least."""
    steps = stream(model, VariableCoverage(), _FILLING, oracle, **limits)
    return [step.labeling.reshape(-1) for step in islice(steps, m)]


def _different(rows: Iterable[Labels]) -> Labels:
    return np.array(list({row.tobytes(): row for row in rows}.values()), np.int32)


def _apart(rows: Iterable[Labels], weights: Doubles) -> Labels:
    """Leave out near-copies of an earlier row."""
    kept: list[Labels] = []
    for row in rows:
        if all(weights[row != other].sum() >= _VISIBLE * weights.sum() for other in kept):
            kept.append(row)
    return np.array(kept, np.int32)


def _most(m: int, pool: Labels) -> int:
    if len(pool) < m:
        warnings.warn(f"only {len(pool)} of {m} labelings: no other one is allowed. Lower m.", stacklevel=5)
    return min(m, len(pool))
