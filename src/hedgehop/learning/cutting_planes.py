# SPDX-License-Identifier: BSD-3-Clause
"""Cutting planes: planes collected round by round, and the weights that are best for all of them so far.

One-slack (Joachims, Finley, Yu 2009) adds one plane per round, the sum of all examples' planes: the quadratic program
stays small whatever the number of examples. n-slack (Tsochantaridis et al. 2005) gives every example planes and a slack
of its own: fewer rounds, but the program grows with the examples; for small sets, and for comparison.

The dual over the planes found so far is a quadratic program::

    max_a sum_p a_p loss_p - 1/2 |w|^2,   w = [sum_p a_p change_p]_+,   a >= 0,   sum_{p of block b} a_p <= C

[.]_+ clips attractive weights at zero. It is written with multipliers m >= 0 of the box:
``1/2 |[v]_+|^2 = min_m 1/2 |v + m|^2``. Any allowed a bounds the optimum from below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from hedgehop._arrays import Doubles
from hedgehop._errors import need
from hedgehop.learning.training import Plane, Training
from hedgehop.learning.training_state import Report, TrainingState

_STEP_LENGTH = 0.3  # the oracle is asked between the best weights and those of the planes: whole steps overshoot


def one_slack(training: Training, C: float, tol: float, max_iter: int, report: Report) -> TrainingState:
    """Minimise ``1/2 |w|^2 + C xi`` with xi above the sum of planes, one for every choice of labelings."""
    return _cut(PlaneSet(training, C, patience=20), _collect_sum, tol, max_iter, report)


def n_slack(training: Training, C: float, tol: float, max_iter: int, report: Report) -> TrainingState:
    """Minimise ``1/2 |w|^2 + C sum_n xi_n`` with xi_n above the planes of example n."""
    share = 0.1 * tol  # violations below this share of the primal value cannot be what keeps the gap open
    return _cut(PlaneSet(training, C, patience=3), partial(_collect_each, share), tol, max_iter, report)


@dataclass
class PlaneSet:
    """Planes in blocks, each block with a budget C, and the solution of the problem restricted to them."""

    training: Training
    C: float
    patience: int  # rounds a plane is kept without being used
    rows: list[scipy.sparse.csr_matrix] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)
    idle: list[int] = field(default_factory=list)

    def add(self, block: int, change: Doubles, loss: float) -> None:
        """Collect a plane."""
        self.rows.append(scipy.sparse.csr_matrix(change[None]))
        self.losses.append(loss)
        self.blocks.append(block)
        self.idle.append(0)

    def heights(self, weights: Doubles, n_blocks: int) -> Doubles:
        """Return the highest plane of each block, at least 0, the plane of the right labeling."""
        highest = np.zeros(n_blocks)
        if self.rows:
            values = np.array(self.losses) - scipy.sparse.vstack(self.rows, format="csr") @ weights
            np.maximum.at(highest, np.array(self.blocks), values)
        return highest

    def solve(self) -> tuple[Doubles, float]:
        """Return the best weights for these planes and the value of the dual; forget planes long unused."""
        changes = scipy.sparse.vstack(self.rows, format="csr")
        losses = np.array(self.losses)
        _, compact = np.unique(self.blocks, return_inverse=True)
        share = best_mixture(changes, losses, compact, self.C, self.training.joint.attractive)
        weights = self.training.project(np.asarray(changes.T @ share))
        self._forget(share)
        return weights, float(losses @ share) - 0.5 * float(weights @ weights)

    def _forget(self, share: Doubles) -> None:
        self.idle = [0 if a > 1e-6 * self.C else k + 1 for a, k in zip(share, self.idle, strict=True)]
        used = [k for k, idle in enumerate(self.idle) if idle < self.patience]
        for name in ("rows", "losses", "blocks", "idle"):
            values = getattr(self, name)
            setattr(self, name, [values[k] for k in used])


def _collect_sum(planes: PlaneSet, found: list[Plane], weights: Doubles) -> bool:
    change = np.sum([plane.change for plane in found], axis=0)
    loss = sum(plane.loss for plane in found)
    height = float(planes.heights(weights, 1)[0])
    planes.add(0, change, loss)
    return loss - float(change @ weights) > height * (1.0 + 1e-12)


def _collect_each(share: float, planes: PlaneSet, found: list[Plane], weights: Doubles) -> bool:
    heights = planes.heights(weights, len(found))
    values = [plane.value(weights) for plane in found]
    margin = share * sum(values) / len(values)
    new = [n for n, value in enumerate(values) if value > heights[n] + margin]
    for n in new:
        planes.add(n, found[n].change, found[n].loss)
    return bool(new)


def _cut(
    planes: PlaneSet,
    collect: Callable[[PlaneSet, list[Plane], Doubles], bool],
    tol: float,
    max_iter: int,
    report: Report,
) -> TrainingState:
    """Alternate between the oracle, which gives planes at the weights, and the best weights for all planes so far.

    `collect` puts the planes of one round into the set and says whether any was new.
    """
    goal = weights = np.zeros(planes.training.joint.size)  # the best weights for the planes, and those asked about
    state = TrainingState(weights)
    for state.iterations in range(1, max_iter + 1):
        found = state.judge(planes.training, weights, planes.C)
        if state.gap > tol and collect(planes, found, weights):
            goal, dual = planes.solve()
            state.improve(dual)
            asked, weights = weights, state.weights + _STEP_LENGTH * (goal - state.weights)
        else:  # the planes are right here: only at their own optimum does that mean the end
            asked, weights = weights, goal
        report(state)
        if state.gap <= tol or np.array_equal(asked, weights):
            break
    return state


def best_mixture(
    changes: scipy.sparse.csr_matrix, losses: Doubles, blocks: NDArray[np.intp], C: float, attractive: NDArray[np.intp]
) -> Doubles:
    """Return how much of each plane, (m,), for changes (m, size), losses (m,), and blocks (m,) that share budgets C.

    The columns `attractive` have the box.
    """
    clarabel = need("clarabel", "learning", "this solver of StructuredSVM")
    m, k = len(losses), attractive.size
    box = scipy.sparse.identity(changes.shape[1], format="csr")[attractive]
    rows = scipy.sparse.vstack([changes, box], format="csr")
    steepest = float(np.abs(changes.data).max(initial=0.0)) ** 2 * C
    unit = max(steepest, float(losses.max()), 1e-300)  # keeps the numbers near one, also if no plane is steep
    products = scipy.sparse.triu(rows @ rows.T * (C / unit), format="csc")
    budget = scipy.sparse.csr_matrix((np.ones(m), (blocks, np.arange(m))), shape=(int(blocks.max()) + 1, m + k))
    limits = scipy.sparse.vstack([budget, -scipy.sparse.identity(m + k)], format="csc")
    sides = np.concatenate([np.ones(budget.shape[0]), np.zeros(m + k)])
    goal = np.concatenate([-losses / unit, np.zeros(k)])
    solver = clarabel.DefaultSolver(
        products, goal, limits, sides, [clarabel.NonnegativeConeT(len(sides))], _settings(clarabel)
    )
    share = np.maximum(0.0, np.array(solver.solve().x[:m]))
    spent = np.bincount(blocks, share)
    return np.asarray(C * share / np.maximum(1.0, spent)[blocks])


def _settings(clarabel: Any) -> Any:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-9
    return settings
