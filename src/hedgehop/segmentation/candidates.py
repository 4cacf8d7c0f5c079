# SPDX-License-Identifier: BSD-3-Clause
"""Candidates in which a class grows, shrinks, vanishes, or takes the place of another.

An exact step that rewards "class l covers at least this share" is met by specks: a few superpixels here and there. The
slope relaxation of that reward is a bias of the class everywhere, whose best labelings are whole objects.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models import FactorGraph, Grid
from hedgehop.oracles.registry import get, solve
from hedgehop.potentials import Linear

_UP = tuple(0.5 * k for k in range(1, 18))  # logits
_DOWN = (1.0, 2.0, 4.0)
_INSTEAD = (1.0, 2.0, 3.0, 4.0, 6.0)
_GONE = 1000.0  # removes a class
_LEAST = 0.01  # share from which a class is there at all


def class_candidates(model: FactorGraph | Grid, weights: Doubles) -> Labels:
    """Return different labelings (K, n), the best one first: each is best under a bias of one class or two.

    Parameters
    ----------
    model : FactorGraph or Grid
        What to label; scores are logits.
    weights : (n,) array
        What a variable counts, as in its scores: its area.
    """
    solver = get("trws")
    state = solver.start(model)
    found: dict[bytes, Labels] = {}

    def take(bias: Doubles) -> Labels:
        step = solve(solver, model, (Linear(own(np.outer(weights, bias))),), state)
        flat = step.labeling.reshape(-1)
        found.setdefault(flat.tobytes(), flat)
        return flat

    first = take(np.zeros(model.n_labels))
    shares = np.bincount(first, weights, model.n_labels) / weights.sum()
    for bias in _biases(model.n_labels, np.flatnonzero(shares >= _LEAST).tolist()):
        take(bias)
    return own(np.array(list(found.values()), np.int32))


def _biases(n_labels: int, used: list[int]) -> Iterator[Doubles]:
    unit = np.eye(n_labels)
    for label in range(n_labels):
        yield from (up * unit[label] for up in _UP)
    for label in used:
        yield from (-down * unit[label] for down in (*_DOWN, _GONE))
        for other in range(n_labels):
            if other != label:
                yield from (size * (unit[other] - unit[label]) for size in _INSTEAD)
                yield _INSTEAD[1] * unit[other] - _GONE * unit[label]
