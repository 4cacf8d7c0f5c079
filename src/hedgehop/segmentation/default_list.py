# SPDX-License-Identifier: BSD-3-Clause
"""The default lists: of many candidates, the best labeling and those one of which is probably right.

Candidates are the best labelings of models nearby. Where pixels are the variables, candidates are chosen on superpixels
and only those are solved again.

Class scores: a class grows, shrinks, vanishes, or takes the place of another. An exact step that rewards "class l
covers at least this share" is met by specks: a few superpixels here and there. The Lagrangian relaxation of that reward
is a bias of the class everywhere, whose best labelings are whole objects.

Strokes: random models, with other mixtures of scores, biases, smoothness. The design fills the space of models evenly
and is always the same, so no randomness is hidden here.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.diversity import Diversity, ExpectedBest, VariableCoverage
from hedgehop.diversity.hamming import distinct_rows
from hedgehop.lists.methods.pool import select
from hedgehop.lists.possibilities import Possibilities
from hedgehop.lists.result import DiverseList
from hedgehop.lists.selection import stream
from hedgehop.lists.tradeoff import TradeoffLike, per_variable
from hedgehop.lists.uncertainty import ListOnModel, ListUncertainty
from hedgehop.models import FactorGraph, Grid
from hedgehop.models.edges import components
from hedgehop.oracles.registry import get
from hedgehop.potentials import Linear
from hedgehop.segmentation.overlap import ExpectedOverlap
from hedgehop.segmentation.superpixels import Seeds

if TYPE_CHECKING:
    from hedgehop.segmentation.scored import ScoredImage
    from hedgehop.segmentation.strokes.model import StrokeModel
    from hedgehop.segmentation.suggestions import SceneModel

_RANDOM_MODELS = 60
_DECISIVE_DIVERSITY = per_variable(100.0)  # relevance only decides between candidates that are as good
_VISIBLE_SHARE = 0.005  # of the area in which candidates differ at least, if enough do
_FILLING_TRADEOFF = 1.2  # of labelings added where the models agree
_DOUBT = 0.5  # logits per variable by which a candidate must be worse to be less likely by 1/e

_CLASS_UP = tuple(0.5 * k for k in range(1, 18))  # biases, in logits
_CLASS_DOWN = (1.0, 2.0, 4.0)
_CLASS_INSTEAD = (1.0, 2.0, 3.0, 4.0, 6.0)
_CLASS_GONE = 1000.0  # removes a class
_LEAST_SHARE = 0.01  # from which a class is there at all

POOL_SCORES = ("trees", "svm", "walker", "trees+place", "trees+texture", "words", "mixture", "geodesic")
_BIAS_SPREAD = 0.35
_LOG_SMOOTHNESS_SPREAD = 0.8
_MOST_FRAME = 1.2


def stroke_list(problem: StrokeModel, m: int, tradeoff: TradeoffLike | None) -> DiverseList:
    """Return the best labeling and answers of random models, chosen so that one is probably right."""
    factor = _DECISIVE_DIVERSITY if tradeoff is None else tradeoff
    if m == 1:  # nobody chooses
        return _select(problem, problem.best[None], ExpectedBest(problem.best[None]), m, factor)
    coarse, design = problem.coarse, random_models(_RANDOM_MODELS, problem.n_labels)
    samples = coarse.answers(design)
    answers = [coarse.best, *coarse.tidied, *samples]
    if len(_visibly_different(answers, coarse.weights)) < m:
        answers += _cheapest(coarse, m, min_distance=2 * _VISIBLE_SHARE)
    found = _select(coarse, _pool(coarse, answers, m), ExpectedBest(samples, coarse.weights), m, factor)
    equal, origin = own(np.full(len(samples), 1.0 / len(samples))), f"answers of {len(samples)} random models"
    possible = Possibilities(own(samples), equal, coarse.weights, coarse.model.n_labels, True, origin)
    if coarse is problem:
        return _weighed(found, coarse, possible)
    chosen = {row.tobytes() for row in found.labelings}
    models = {row.tobytes(): model for row, model in zip(samples, design, strict=True)}
    fine = problem.answers([model for row, model in models.items() if row in chosen])
    pool = _pool(problem, [problem.best, *fine], m)
    found = _select(problem, pool, ExpectedBest(pool), m, factor)
    return _weighed(found, coarse, possible)


def _pool(problem: StrokeModel, answers: list[Labels], m: int) -> Labels:
    """All answers that visibly differ; if they are few, all that differ at all.

    If these are also few: labelings that differ where that costs least.
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
        text = f"only {len(pool)} of {m} labelings were found: no other allowed one was found. Lower m."
        warnings.warn(text, stacklevel=6)
    shaped = pool.reshape(len(pool), *problem.model.shape)
    return select(shaped, problem.model, diversity, min(m, len(pool)), factor, first=0)


def class_list(problem: ScoredImage, m: int) -> DiverseList:
    """Return the best labeling and others with other classes, one of which probably overlaps well with the truth."""
    coarse = problem.coarse
    pool, biases = class_candidates(coarse.model, coarse.weights)
    found, chances = _probably_overlapping(coarse, pool, m)
    possible = candidates_as_truths(coarse.model, coarse.weights, pool, chances)
    if coarse is problem:
        return _weighed(found, coarse, possible)
    assert found.indices is not None
    fine = best_under_biases(problem.model, problem.weights, biases[found.indices])
    drawn, _ = _probably_overlapping(problem, distinct_rows(fine), m)
    return _weighed(drawn, coarse, possible)


def candidates_as_truths(model: FactorGraph | Grid, weights: Doubles, pool: Labels, chances: Doubles) -> Possibilities:
    """Return candidates (K, n), the best one first, as what the truth may be.

    Candidates hold to the scores, and differ less from each other than from the truth if the scores are weak. How far
    it is from them is the share of wrong labels to expect in the best one by the scores alone, read as logits.
    """
    logits = model.unary.reshape(-1, model.n_labels) / weights[:, None]
    alone = np.exp(logits - logits.max(axis=1, keepdims=True))
    alone /= alone.sum(axis=1, keepdims=True)
    wrong = 1.0 - np.average(alone[np.arange(len(alone)), pool[0]], weights=weights)
    origin, reach = f"{len(pool)} candidates, weighted by their scores", float(np.clip(wrong, 0.0, 1.0))
    return Possibilities(own(pool), chances, weights, model.n_labels, True, origin, reach=reach, alone=own(alone))


def _probably_overlapping(problem: SceneModel, pool: Labels, m: int) -> tuple[DiverseList, Doubles]:
    """Return the list, and the chances of the pool: likelier candidates count more as samples of the truth."""
    relevance = np.atleast_1d(problem.model.score(pool.reshape(len(pool), *problem.model.shape)))
    chances = np.exp((relevance - relevance.max()) / (_DOUBT * problem.model.n_variables))
    overlap = ExpectedOverlap(pool, problem.weights, chances)
    return _select(problem, pool, overlap, min(m, len(pool)), _DECISIVE_DIVERSITY), overlap.chances


def _weighed(found: DiverseList, coarse: SceneModel, possible: Possibilities) -> DiverseList:
    """Return a list that knows what the truth may be: labelings of the superpixels, and their chances."""
    members, n_labels = found.labelings.reshape(len(found), -1), coarse.model.n_labels
    if members.shape[1] != coarse.model.n_variables:
        maps = members.reshape(len(found), *coarse.scene.solved_shape)
        members = np.array([coarse.scene.superpixels.majority(row, n_labels) for row in maps])
    view = ListOnModel(coarse.model, np.ascontiguousarray(members, np.int32), coarse.draw, coarse.spread)
    return replace(found, _view=view, _uncertainty=ListUncertainty(view, possible))


def best_under(model: FactorGraph | Grid, changes: Iterable[Doubles], oracle: str) -> Labels:
    """Return the best labeling (n,) under each change of the scores, (n, L): (K, n)."""
    solver = get(oracle).on(model)
    steps = (solver.step((Linear(own(change)),)) for change in changes)
    return np.array([step.labeling.reshape(-1) for step in steps], np.int32).reshape(-1, model.n_variables)


def class_candidates(model: FactorGraph | Grid, weights: Doubles) -> tuple[Labels, Doubles]:
    """Return different labelings (K, n), the best one first, and the biases (K, L) under which each is the best.

    Parameters
    ----------
    model : FactorGraph or Grid
        What to label; scores are logits.
    weights : (n,) array
        What a variable counts, as in its scores: its area.
    """
    first = best_under_biases(model, weights, np.zeros((1, model.n_labels)))[0]
    shares = np.bincount(first, weights, model.n_labels) / weights.sum()
    biases = np.array(list(_class_biases(model.n_labels, np.flatnonzero(shares >= _LEAST_SHARE).tolist())))
    labelings = best_under_biases(model, weights, biases)
    kept = np.sort(np.unique(labelings, axis=0, return_index=True)[1])
    return own(labelings[kept]), biases[kept]


def best_under_biases(model: FactorGraph | Grid, weights: Doubles, biases: Doubles) -> Labels:
    """Return the best labeling (n,) under each bias of the classes, (K, L): (K, n)."""
    return best_under(model, (np.outer(weights, bias) for bias in biases), "trws")


def _class_biases(n_labels: int, used: list[int]) -> Iterator[Doubles]:
    unit = np.eye(n_labels)
    yield np.zeros(n_labels)
    for label in range(n_labels):
        yield from (up * unit[label] for up in _CLASS_UP)
    for label in used:
        yield from (-down * unit[label] for down in (*_CLASS_DOWN, _CLASS_GONE))
        for other in range(n_labels):
            if other != label:
                yield from (size * (unit[other] - unit[label]) for size in _CLASS_INSTEAD)
                yield _CLASS_INSTEAD[1] * unit[other] - _CLASS_GONE * unit[label]


@dataclass(frozen=True, eq=False)
class RandomModel:
    """Weights of the scores, a bonus of each label, a factor of the smoothness, a bonus of the frame.

    ``learned`` is the share of the nets' score, if they are used: diversity comes from opinions, not from nets.
    """

    weights: dict[str, float]
    bias: Doubles
    smoothness: float
    frame: float
    learned: float


def random_models(count: int, n_labels: int) -> list[RandomModel]:
    """Return the design: Dirichlet weights, normal biases, log-normal smoothness, uniform frame and learned share."""
    from scipy.special import ndtri
    from scipy.stats import qmc

    width = len(POOL_SCORES)
    bits = int(np.ceil(np.log2(max(2, count))))
    points = qmc.Sobol(width + n_labels + 1, seed=0).random_base2(bits)[:count]
    points = np.clip(points, 1e-9, 1.0 - 1e-9)
    shares = -np.log(points[:, :width])
    shares /= shares.sum(axis=1, keepdims=True)
    bias = np.zeros((count, n_labels))
    bias[:, 1:] = _BIAS_SPREAD * ndtri(points[:, width : width + n_labels - 1])
    stretch = np.exp(_LOG_SMOOTHNESS_SPREAD * ndtri(points[:, -2]))
    learned = np.random.default_rng(5).permutation((np.arange(count) + 0.5) / count)
    return [
        RandomModel(dict(zip(POOL_SCORES, s.tolist(), strict=True)), b, float(x), float(_MOST_FRAME * f), float(k))
        for s, b, x, f, k in zip(shares, bias, stretch, points[:, -1], learned, strict=True)
    ]


def drop_components_without_stroke(rows: Labels, edges: Labels, seeds: Seeds) -> Labels:
    """Give connected components of an object that hold none of its strokes to the background, in labelings (k, n)."""
    count, n = rows.shape
    if count == 0:
        return rows
    i, j = edges.T
    row, edge = np.nonzero(rows[:, i] == rows[:, j])
    component = components(edges[edge] + n * row[:, None], count * n).reshape(count, n)  # of all rows at once
    reached = np.zeros(int(component.max()) + 1, bool)
    reached[component[rows == seeds]] = True
    return np.where(reached[component], rows, 0).astype(np.int32)
