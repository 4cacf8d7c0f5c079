# SPDX-License-Identifier: BSD-3-Clause
"""Where the candidates of default lists come from: the best labelings of models nearby.

Class scores: a class grows, shrinks, vanishes, or takes the place of another. An exact step that rewards "class l
covers at least this share" is met by specks: a few superpixels here and there. The Lagrangian relaxation of that reward
is a bias of the class everywhere, whose best labelings are whole objects.

Strokes: random models, with other mixtures of scores, biases, smoothness. The design fills the space of models evenly
and is always the same, so no randomness is hidden here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models import FactorGraph, Grid
from hedgehop.oracles.registry import get
from hedgehop.potentials import Linear
from hedgehop.segmentation.superpixels import Seeds

_CLASS_UP = tuple(0.5 * k for k in range(1, 18))  # biases, in logits
_CLASS_DOWN = (1.0, 2.0, 4.0)
_CLASS_INSTEAD = (1.0, 2.0, 3.0, 4.0, 6.0)
_CLASS_GONE = 1000.0  # removes a class
_LEAST_SHARE = 0.01  # from which a class is there at all

POOL_SCORES = ("trees", "svm", "walker", "trees+place", "trees+texture", "words", "mixture", "geodesic")
_BIAS_SPREAD = 0.35
_LOG_SMOOTHNESS_SPREAD = 0.8
_MOST_FRAME = 1.2


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
    """Weights of the scores, a bonus of each label, a factor of the smoothness, a bonus of the frame."""

    weights: dict[str, float]
    bias: Doubles
    smoothness: float
    frame: float


def random_models(count: int, n_labels: int) -> list[RandomModel]:
    """Return the design: Dirichlet weights, normal biases, log-normal smoothness, uniform frame."""
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
    return [
        RandomModel(dict(zip(POOL_SCORES, s.tolist(), strict=True)), b, float(x), float(_MOST_FRAME * f))
        for s, b, x, f in zip(shares, bias, stretch, points[:, -1], strict=True)
    ]


def drop_components_without_stroke(labeling: Labels, edges: Labels, seeds: Seeds) -> Labels:
    """Give connected components of an object that hold none of its strokes to the background."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    i, j = edges[labeling[edges[:, 0]] == labeling[edges[:, 1]]].T
    graph = coo_array((np.ones(i.size), (i, j)), shape=(labeling.size, labeling.size))
    count, component = connected_components(graph, directed=False)
    reached = np.zeros(count, bool)
    reached[component[seeds == labeling]] = True
    return np.where(reached[component], labeling, 0).astype(np.int32)
