# SPDX-License-Identifier: BSD-3-Clause
"""Bounds of steps that reward labels or whole regions on Potts models: the partition dual (docs/theory.md 11).

A multiplier spreads a label's reward thinly over all variables, and every variable may earn its share; parts of labels
earn it once. So the bound of a reward is nearly tight, at the price of a minimum cut per label and evaluation.
"""

from __future__ import annotations

import numpy as np

from hedgehop._arrays import Doubles
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.pairwise.move_weights import MoveWeights
from hedgehop.oracles.relaxation.partition import Descent, PartitionDual, Prices, Worths, is_partition


class PartBounds:
    """The partition dual of the steps on one model; flows and prices are kept from step to step."""

    def __init__(self, model: PairwiseModel) -> None:
        self._model = model
        self._last: tuple[PartitionDual, Prices] | None = None

    def __call__(self, theta: Doubles | None, weights: MoveWeights, reached: float, calls: int) -> float:
        """Return a bound on ``max_y r(y) + theta(y) + what the weights add``; inf where parts are of no help."""
        if not is_partition(self._model) or not _is_rewarded(weights):
            return np.inf
        worths = _worths(self._model, weights)
        parts = None if self._last is None or worths.regions else self._last[0].parts
        dual = PartitionDual(self._model, worths, theta, parts)
        descent = Descent(dual, self._start(dual), reached)
        bound = descent.run(calls)
        self._last = None if worths.regions else (dual, descent.prices)
        return bound

    def _start(self, dual: PartitionDual) -> Prices:
        """Go on from the prices of the last step, changed as the best scores of variables have changed."""
        first = dual.start()
        if self._last is None:
            return first
        last, prices = self._last
        changed = first.variables - last.unary.max(axis=1)
        return Prices(prices.variables + changed, first.slopes)


def _is_rewarded(weights: MoveWeights) -> bool:
    """Whether a label or a region is rewarded, and no pairs of labels have weights."""
    tables = (*weights.labels.values(), *(mu for _, mu in weights.regions.values()))
    return not weights.pairs and any((table > 0).any() for table in tables)


def _worths(model: PairwiseModel, weights: MoveWeights) -> Worths:
    """What one labeling earns; costs of sizes and of regions, which no part of a label has to pay, count as nothing."""
    used = np.zeros((model.n_labels, 2))
    for least, w in weights.labels.items():
        used[:, 1] += w if least == 1 else np.maximum(0.0, w)
    rewarded = {key: region for key, region in weights.regions.items() if (region[1] > 0).any()}
    wholes = np.zeros((len(rewarded), model.n_labels, 2))
    for c, (_, mu) in enumerate(rewarded.values()):
        wholes[c, :, 1] = np.maximum(0.0, mu)
    slacks = np.array([slack for _, slack in rewarded], np.float64)
    return Worths(used, [members for members, _ in rewarded.values()], wholes, slacks)
