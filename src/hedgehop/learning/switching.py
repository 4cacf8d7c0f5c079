# SPDX-License-Identifier: BSD-3-Clause
"""Labels of unlabelled examples by switching pairs: Joachims' transductive support vector machine (1999).

Minimised over w, b and the labels of the unlabelled::

    1/2 |w|^2 + C sum_labelled loss(y f(x)) + C* sum_unlabelled loss(y* f(x)),   loss(t) = max(0, 1 - t)^2

with a fixed share of the unlabelled on the positive side. C* grows from nearly nothing to its value. A positive and a
negative example are switched whenever that lowers the loss, so every round ends.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles

Train = Callable[[Doubles, Doubles], Doubles]  # labels and weights of all examples -> values of f at all examples


def switch_labels(labels: Doubles, share: float, unlabelled_weight: float, train: Train, rounds: int) -> Doubles:
    """Return labels +1 and -1 of all examples.

    Parameters
    ----------
    labels : (n,) array
        +1, -1, and 0 for unlabelled.
    share : float
        Of the unlabelled on the positive side.
    unlabelled_weight : float
        C* / C, reached by doubling.
    train : function
        Fits a machine to labels and weights, (n,) each, and returns its values.
    rounds : int
        Most fits for each C*.
    """
    free = np.asarray(labels == 0)
    values = train(labels, (~free).astype(np.float64))
    guess: Doubles = labels.copy()
    guess[free] = _split(values[free], share)
    weight = min(unlabelled_weight, 1e-3)
    while True:
        for _ in range(rounds):
            values = train(guess, np.where(free, weight, 1.0))
            pairs = _worth_switching(guess[free], values[free])
            if not pairs.size:
                break
            where = np.flatnonzero(free)[pairs.ravel()]
            guess[where] = -guess[where]
        if weight >= unlabelled_weight:
            return guess
        weight = min(unlabelled_weight, 4.0 * weight)


def _split(values: Doubles, share: float) -> Doubles:
    """+1 for the given share with the largest values (at least one on each side, where there are two)."""
    count = round(share * values.size)
    count = min(max(count, 1), values.size - 1) if values.size > 1 else count
    signs = -np.ones(values.size)
    signs[np.argsort(-values, kind="stable")[:count]] = 1.0
    return signs


def _worth_switching(signs: Doubles, values: Doubles) -> NDArray[np.intp]:
    """Pairs (positive, negative) of examples whose loss falls when they exchange labels, worst first, (k, 2)."""
    regret = np.maximum(0.0, 1.0 - signs * values) ** 2 - np.maximum(0.0, 1.0 + signs * values) ** 2
    up = np.flatnonzero(signs > 0)
    down = np.flatnonzero(signs < 0)
    up = up[np.argsort(-regret[up], kind="stable")]
    down = down[np.argsort(-regret[down], kind="stable")]
    k = min(up.size, down.size)
    pairs = np.stack([up[:k], down[:k]], axis=1)
    return np.asarray(pairs[regret[pairs].sum(axis=1) > 1e-6])
