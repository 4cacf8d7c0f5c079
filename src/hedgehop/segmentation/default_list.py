# SPDX-License-Identifier: BSD-3-Clause
"""The default lists: of many candidates, the best labeling and those one of which is probably right.

Where pixels are the variables, candidates are chosen on superpixels and only those are solved again.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop.diversity import Diversity, ExpectedBest, VariableCoverage
from hedgehop.diversity.hamming import distinct_rows
from hedgehop.lists.pool import select
from hedgehop.lists.result import DiverseList
from hedgehop.lists.selection import stream
from hedgehop.lists.tradeoff import TradeoffLike, per_variable
from hedgehop.segmentation.candidates import best_under_biases, class_candidates, random_models
from hedgehop.segmentation.overlap import ExpectedOverlap

if TYPE_CHECKING:
    from hedgehop.segmentation.scored import ScoredImage
    from hedgehop.segmentation.stroke_model import StrokeModel
    from hedgehop.segmentation.suggestions import SceneModel

_RANDOM_MODELS = 60
_DECISIVE_DIVERSITY = per_variable(100.0)  # relevance only decides between candidates that are as good
_VISIBLE_SHARE = 0.005  # of the area in which candidates differ at least, if enough do
_FILLING_TRADEOFF = 1.2  # of labelings added where the models agree
_DOUBT = 0.5  # logits per variable by which a candidate must be worse to be less likely by 1/e


def stroke_list(problem: StrokeModel, m: int, tradeoff: TradeoffLike | None) -> DiverseList:
    """Return the best labeling and answers of random models, chosen so that one is probably right."""
    factor = _DECISIVE_DIVERSITY if tradeoff is None else tradeoff
    coarse, design = problem.coarse, random_models(_RANDOM_MODELS, problem.n_labels)
    samples = coarse.answers(design)
    answers = [coarse.best, *samples]
    if len(_visibly_different(answers, coarse.weights)) < m:
        answers += _cheapest(coarse, m, min_distance=2 * _VISIBLE_SHARE)
    found = _select(coarse, _pool(coarse, answers, m), ExpectedBest(samples, coarse.weights), m, factor)
    if coarse is problem:
        return found
    chosen = {row.tobytes() for row in found.labelings}
    models = {row.tobytes(): model for row, model in zip(samples, design, strict=True)}
    fine = problem.answers([model for row, model in models.items() if row in chosen])
    pool = _pool(problem, [problem.best, *fine], m)
    return _select(problem, pool, ExpectedBest(pool), m, factor)


def _pool(problem: StrokeModel, answers: list[Labels], m: int) -> Labels:
    """All answers that visibly differ; where they are few, all that differ at all.

    Where these are few, too: also labelings that differ where that costs least.
    """
    pool = distinct_rows(np.array(answers, np.int32))
    visible = _visibly_different(pool, problem.weights)
    if len(visible) >= m or len(pool) >= m:
        return visible if len(visible) >= m else pool
    return distinct_rows(np.array([*pool, *_cheapest(problem, m, distinct=True)], np.int32))


def _cheapest(problem: StrokeModel, m: int, **separation: Any) -> list[Labels]:
    """Labelings that differ where that costs least."""
    steps = stream(problem.model, VariableCoverage(), _FILLING_TRADEOFF, problem.oracle, **separation)
    return [step.labeling.reshape(-1) for step in islice(steps, m)]


def _visibly_different(rows: Iterable[Labels], weights: Doubles) -> Labels:
    """Leave out near-copies of an earlier row."""
    kept: list[Labels] = []
    for row in rows:
        if all(weights[row != other].sum() >= _VISIBLE_SHARE * weights.sum() for other in kept):
            kept.append(row)
    return np.array(kept, np.int32)


def _select(problem: SceneModel, pool: Labels, diversity: Diversity, m: int, factor: TradeoffLike) -> DiverseList:
    if len(pool) < m:
        warnings.warn(f"only {len(pool)} of {m} labelings: no other one is allowed. Lower m.", stacklevel=6)
    shaped = pool.reshape(len(pool), *problem.model.shape)
    return select(shaped, problem.model, diversity, min(m, len(pool)), factor, first=0)


def class_list(problem: ScoredImage, m: int) -> DiverseList:
    """Return the best labeling and others with other classes, one of which probably overlaps well with the truth."""
    coarse = problem.coarse
    pool, biases = class_candidates(coarse.model, coarse.weights)
    found = _probably_overlapping(coarse, pool, m)
    if coarse is problem:
        return found
    assert found.indices is not None
    fine = best_under_biases(problem.model, problem.weights, biases[found.indices])
    return _probably_overlapping(problem, distinct_rows(fine), m)


def _probably_overlapping(problem: SceneModel, pool: Labels, m: int) -> DiverseList:
    """Likelier candidates count more as samples of the truth."""
    relevance = np.atleast_1d(problem.model.score(pool.reshape(len(pool), *problem.model.shape)))
    chances = np.exp((relevance - relevance.max()) / (_DOUBT * problem.model.n_variables))
    overlap = ExpectedOverlap(pool, problem.weights, chances)
    return _select(problem, pool, overlap, min(m, len(pool)), _DECISIVE_DIVERSITY)
