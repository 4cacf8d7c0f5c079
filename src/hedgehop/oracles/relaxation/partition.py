# SPDX-License-Identifier: BSD-3-Clause
"""Potts models as partitions: bounds if labels or whole regions are weighed (docs/theory.md 11).

With ``X_l = {i: y_i = l}`` the Potts cost is half the sum of the cuts of all parts, so relevance falls apart by label
once "exactly one label each" is relaxed by prices nu. For every list of m labelings, any nu and any slopes s >= 0,

    F <= m sum_i nu_i + sum_l max_{0<=c<=m} [ worth_l(c) + c b_l ] + sum_{C,l} max_{0<=c<=m} [ worth_Cl(c) - c s_Cl ],
    b_l = max over X not empty of (U_l - nu)(X) - cut(X) / 2 + sum of s_Cl over the regions C within X.

Each b_l is a minimum cut. A step is the list of one labeling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles
from hedgehop.models.base import Model
from hedgehop.models.grid import Grid
from hedgehop.models.pairwise import PairwiseModel, Potts
from hedgehop.potentials.list_weights import ListWeights

_FLOW_BYTES = 1 << 29  # of the flows that are kept for the labels of a grid
_NUMPY_SUM_ERROR = 64 * float(np.finfo(np.float64).eps)  # of sums by numpy, against the sum of the sizes of their terms
_SUBGRADIENT_WEIGHT = 0.6  # weight of the last subgradient in the direction of a step
_FADED = 0.02  # of a direction, whose entries are whole numbers: what four turns leave of them
_STEPS_BEFORE_HALVING = 5  # steps without progress after which they are halved


@dataclass(frozen=True)
class Prices:
    """Multipliers of the bound: nu of variables, (n,), and slopes of regions and labels, (R, L)."""

    variables: Doubles
    slopes: Doubles


def is_partition(model: Model) -> bool:
    """Whether relevance is unary and Potts scores alone."""
    return isinstance(model, PairwiseModel) and model.is_potts and not model.cliques


class PartitionDual:
    """The bound as a function of prices; flows are kept from one question to the next.

    `parts`: those of another dual of the same model without regions.
    """

    def __init__(
        self,
        model: PairwiseModel,
        weights: ListWeights,
        theta: Doubles | None = None,
        parts: _core.flow.LabelParts | None = None,
    ) -> None:
        self.unary = np.asarray(model.unary if theta is None else model.unary + theta, np.float64)
        self.weights = weights
        steps = np.diff(weights.wholes, axis=2)
        self.low = np.maximum(0.0, steps.min(axis=2, initial=np.inf)) if steps.size else np.zeros(steps.shape[:2])
        self.high = np.maximum(0.0, steps.max(axis=2, initial=-np.inf)) if steps.size else np.zeros(steps.shape[:2])
        self.parts = parts or _parts(model, weights, self.high / weights.slacks[:, None])
        counts = np.arange(1, weights.m + 1)
        rewards = (weights.labels[:, 1:] - weights.labels[:, :1]) / counts
        self.stake = model.spread
        self._reach = np.maximum(0.0, rewards.max(axis=1)) + (model.spread / model.n_variables or 1.0)

    def start(self) -> Prices:
        """Return prices at which no variable asks for more than its best label gives."""
        return Prices(self.unary.max(axis=1), (self.low + self.high) / 2)

    def evaluate(self, prices: Prices) -> tuple[float, Prices]:
        """Return the bound at some prices, rounding included, and its subgradient."""
        weights, m = self.weights, self.weights.m
        scores = self.unary - prices.variables[:, None]
        slopes = np.clip(prices.slopes, self.low, self.high)
        values, members = self.parts.solve(scores, slopes if len(slopes) else None, self._reach)
        counts = np.arange(m + 1)
        usable = np.isfinite(values)
        ladder = weights.labels + np.where(usable, values, 0.0)[:, None] * counts
        ladder[~usable, 1:] = -np.inf
        used = ladder.argmax(axis=1)
        rest = weights.wholes - slopes[:, :, None] * counts
        total = m * float(prices.variables.sum()) + float(ladder.max(axis=1).sum()) + float(rest.max(axis=2).sum())
        held = whole_regions(members, weights.regions)
        rises = Prices(m - used @ members.astype(np.float64), held * used - rest.argmax(axis=2))
        sizes = m * float(np.abs(prices.variables).sum()) + float(np.abs(weights.labels).sum() + np.abs(rest).sum())
        shown = np.abs(scores, where=scores > -np.inf, out=np.zeros(scores.shape)).sum(axis=0)
        return total + _NUMPY_SUM_ERROR * (sizes + float(used @ shown)), rises

    def moved(self, prices: Prices, rises: Prices, length: float) -> Prices:
        """Return prices a step against a direction, slopes kept if they are of use."""
        slopes = np.clip(prices.slopes - length * rises.slopes, self.low, self.high)
        return Prices(prices.variables - length * rises.variables, slopes)


class Descent:
    """Polyak's steps towards a value that no bound can be below, from some prices; it may be run on at any time.

    They end where the bound is `enough` above it.

    Attributes
    ----------
    bound, prices
        The best bound found, and where.
    """

    def __init__(self, dual: PartitionDual, start: Prices, target: float, enough: float = 0.0) -> None:
        self._dual, self._target, self._enough = dual, target, enough
        self.bound, self.prices, self.done = float(np.inf), start, False
        self._now, self._length, self._failed = start, 1.0, 0
        self._turn: Prices | None = None

    def run(self, calls: int) -> float:
        """Return the best bound after so many further evaluations, fewer if nothing is left to gain."""
        for _ in range(calls):
            if self.done:
                break
            self._step(*self._dual.evaluate(self._now))
        return self.bound

    def _step(self, bound: float, rises: Prices) -> None:
        gained = self.bound - bound > 1e-4 * abs(self.bound - self._target) or self.bound == np.inf
        self._failed = 0 if gained else self._failed + 1
        if bound < self.bound:
            self.bound, self.prices = bound, self._now
        if self._failed >= _STEPS_BEFORE_HALVING:  # from the best prices, half as far
            self._length, self._failed, self._turn, self._now = self._length / 2, 0, None, self.prices
            return
        self._turn = rises if self._turn is None else _mixed(rises, self._turn)
        norm = float((self._turn.variables**2).sum() + (self._turn.slopes**2).sum())
        gap = self.bound - self._target
        self.done = norm == 0 or gap <= max(self._enough, 1e-12 * self._dual.stake) or self._length < 1e-6
        if not self.done:
            self._now = self._dual.moved(self._now, self._turn, self._length * (bound - self._target) / norm)


def _mixed(new: Prices, old: Prices) -> Prices:
    """Turn from an old direction towards a new one; what is left of long ago stops, so that few prices change."""
    variables = _SUBGRADIENT_WEIGHT * new.variables + (1 - _SUBGRADIENT_WEIGHT) * old.variables
    variables[np.abs(variables) < _FADED] = 0.0
    return Prices(variables, _SUBGRADIENT_WEIGHT * new.slopes + (1 - _SUBGRADIENT_WEIGHT) * old.slopes)


def whole_regions(members: NDArray[np.uint8], regions: Sequence[NDArray[np.integer]]) -> Doubles:
    """Whether each region lies within the part of each label, (R, L)."""
    if not len(regions):
        return np.zeros((0, len(members)))
    first = np.cumsum([0, *(r.size for r in regions[:-1])])
    return np.asarray(np.minimum.reduceat(members[:, np.concatenate(regions)], first, axis=1).T, np.float64)


def _parts(model: PairwiseModel, weights: ListWeights, limits: Doubles) -> _core.flow.LabelParts:
    if isinstance(model, Grid) and not weights.regions:
        along = [np.ascontiguousarray(s, np.float64) / 2 for s in model.strengths]
        return _core.flow.LabelParts.grid(list(model.shape), model.connectivity, model.n_labels, along, _FLOW_BYTES)
    assert isinstance(model.pairwise, Potts)
    halves = np.asarray(model.pairwise.strengths, np.float64) / 2
    if not weights.regions:
        return _core.flow.LabelParts.general(model.unary.shape, model.edges, halves)
    members = np.concatenate(weights.regions).astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum([r.size for r in weights.regions])]).astype(np.int64)
    limits = np.ascontiguousarray(limits)
    return _core.flow.LabelParts.general(model.unary.shape, model.edges, halves, members, offsets, limits)
