# SPDX-License-Identifier: BSD-3-Clause
"""Bounds of steps that reward labels or whole regions on Potts models: the partition dual (docs/theory.md 11).

A multiplier spreads a label's reward thinly over all variables, and every variable may earn its share; parts of labels
earn it once. So the bound of a reward is nearly tight, at the price of a minimum cut per label and evaluation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.pairwise.move_weights import MoveWeights
from hedgehop.oracles.relaxation.partition import Descent, PartitionDual, Prices, is_partition
from hedgehop.potentials.list_weights import ListWeights

_TIGHT_GAP = 1e-5  # gap, against what is at stake, from which the bound of a step is tight


@dataclass(frozen=True)
class _LastStep:
    """What the last step leaves to the next one."""

    parts: _core.flow.LabelParts | None
    wholes: Doubles  # what regions earn: part of the flows
    tops: Doubles  # the best score of each variable
    prices: Prices
    regions: list[tuple[bytes, int]]


class PartBounds:
    """The partition dual of the steps on one model; flows and prices are kept from step to step."""

    def __init__(self, model: PairwiseModel) -> None:
        self._model = model
        self._last: _LastStep | None = None

    def copy(self) -> PartBounds:
        """The same prices, with flows of its own."""
        other = PartBounds(self._model)
        other._last = None if self._last is None else replace(self._last, parts=None)
        return other

    @property
    def prices(self) -> Doubles | None:
        """Prices of the variables that proved most in the last step, for the model's own scores; None before one."""
        last = self._last
        return None if last is None else last.prices.variables + self._model.unary.max(axis=1) - last.tops

    def __call__(self, theta: Doubles | None, weights: MoveWeights, reached: float, calls: int) -> float:
        """Return a bound on ``max_y r(y) + theta(y) + what the weights add``; inf if parts are of no help."""
        if not is_partition(self._model) or not _is_rewarded(weights):
            return np.inf
        rewarded = [key for key, (_, mu) in weights.regions.items() if (mu > 0).any()]
        list_weights = _list_weights(self._model, weights, rewarded)
        dual = PartitionDual(self._model, list_weights, theta, self._parts(list_weights, rewarded))
        start = self._start(dual, rewarded)
        descent = Descent(dual, start, reached, enough=_TIGHT_GAP * self._model.spread)
        bound = descent.run(calls)
        tops = dual.unary.max(axis=1)
        self._last = _LastStep(dual.parts, list_weights.wholes, tops, descent.prices, rewarded)
        return bound

    def _parts(self, list_weights: ListWeights, rewarded: list[tuple[bytes, int]]) -> _core.flow.LabelParts | None:
        """The flows of the last step, if their graphs are the same."""
        last = self._last
        same = last is not None and last.regions == rewarded and np.array_equal(last.wholes, list_weights.wholes)
        return last.parts if last is not None and same else None

    def _start(self, dual: PartitionDual, rewarded: list[tuple[bytes, int]]) -> Prices:
        """Go on from the prices of the last step, changed as the best scores of variables have changed."""
        first, last = dual.start(), self._last
        if last is None:
            return first
        slopes = np.clip(last.prices.slopes, dual.low, dual.high) if last.regions == rewarded else first.slopes
        return Prices(last.prices.variables + first.variables - last.tops, slopes)


def _is_rewarded(weights: MoveWeights) -> bool:
    """Whether a label or a region is rewarded, and no pairs of labels have weights."""
    tables = (*weights.labels.values(), *(mu for _, mu in weights.regions.values()))
    return not weights.pairs and any((table > 0).any() for table in tables)


def _list_weights(model: PairwiseModel, weights: MoveWeights, rewarded: list[tuple[bytes, int]]) -> ListWeights:
    """What one labeling earns; costs of sizes and of regions, which no part of a label has to pay, count as nothing."""
    used = np.zeros((model.n_labels, 2))
    for least, w in weights.labels.items():
        used[:, 1] += w if least == 1 else np.maximum(0.0, w)
    wholes = np.zeros((len(rewarded), model.n_labels, 2))
    for c, key in enumerate(rewarded):
        wholes[c, :, 1] = np.maximum(0.0, weights.regions[key][1])
    slacks = np.array([slack for _, slack in rewarded], np.float64)
    return ListWeights(used, [weights.regions[key][0] for key in rewarded], wholes, slacks)
