# SPDX-License-Identifier: BSD-3-Clause
"""Candidates in which a class grows, shrinks, vanishes, or takes the place of another.

An exact step that rewards "class l covers at least this share" is met by specks: a few superpixels here and there. The
slope relaxation of that reward is a bias of the class everywhere, whose best labelings are whole objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models import FactorGraph, Grid
from hedgehop.oracles.registry import get
from hedgehop.potentials import Linear

_UP = tuple(0.5 * k for k in range(1, 18))  # logits
_DOWN = (1.0, 2.0, 4.0)
_INSTEAD = (1.0, 2.0, 3.0, 4.0, 6.0)
_GONE = 1000.0  # removes a class
_LEAST = 0.01  # share from which a class is there at all


def class_candidates(model: FactorGraph | Grid, weights: Doubles) -> tuple[Labels, Doubles]:
    """Return different labelings (K, n), the best one first, and the biases (K, L) under which each is the best.

    Parameters
    ----------
    model : FactorGraph or Grid
        What to label; scores are logits.
    weights : (n,) array
        What a variable counts, as in its scores: its area.
    """
    first = best_under(model, weights, [np.zeros(model.n_labels)])[0]
    shares = np.bincount(first, weights, model.n_labels) / weights.sum()
    biases = np.array(list(_biases(model.n_labels, np.flatnonzero(shares >= _LEAST).tolist())))
    labelings = best_under(model, weights, biases)
    kept = np.sort(np.unique(labelings, axis=0, return_index=True)[1])
    return own(labelings[kept]), biases[kept]


def best_under(model: FactorGraph | Grid, weights: Doubles, biases: Iterable[Doubles]) -> Labels:
    """Return the best labeling (n,) under each bias of classes (L,): (K, n)."""
    solver = get("trws").on(model)
    steps = (solver.step((Linear(own(np.outer(weights, bias))),)) for bias in biases)
    return np.array([step.labeling.reshape(-1) for step in steps], np.int32)


def _biases(n_labels: int, used: list[int]) -> Iterator[Doubles]:
    unit = np.eye(n_labels)
    yield np.zeros(n_labels)
    for label in range(n_labels):
        yield from (up * unit[label] for up in _UP)
    for label in used:
        yield from (-down * unit[label] for down in (*_DOWN, _GONE))
        for other in range(n_labels):
            if other != label:
                yield from (size * (unit[other] - unit[label]) for size in _INSTEAD)
                yield _INSTEAD[1] * unit[other] - _GONE * unit[label]
