"""Upper bounds for steps with label weights: multipliers that turn them into unary scores (ALGORITHMS 2, 6).

A cost H of using label l is at least ``sum_i rho_i [y_i = l]`` for any ``rho >= 0`` with sum at most H; a reward w is
at most ``(w - s) + s * (number of variables with label l)`` for any ``0 <= s <= w``. So the bound of TRW-S on
changed unaries, plus constants, holds for every choice of multipliers; they are improved by Polyak's steps.
"""

from __future__ import annotations

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.kernels import pass_messages

_ITERATIONS = 8  # of TRW-S for each choice of multipliers, warm


def label_bound(
    solver: _core.Trws,
    model: PairwiseModel,
    theta: Doubles | None,
    weights: Doubles | None,
    labeling: Labels,
    reached: float,
    rounds: int,
) -> float:
    """Return a bound on ``max_y r(y) + theta(y) + sum of weights of the labels used``.

    `reached` is a value that is known to be possible, and `labeling` reaches it.
    """
    if weights is None or not weights.any():
        return pass_messages(solver, theta, 50)[2]
    shares = _first_shares(model, theta, weights, labeling)
    step, best = 1.0, np.inf
    for _ in range(rounds):
        other, _, bound = pass_messages(solver, shares if theta is None else theta + shares, _ITERATIONS)
        bound += _rest(weights, shares)
        step = step if bound < best else step / 2
        best = min(best, bound)
        if best - reached <= 1e-7 * max(1.0, abs(reached)):
            break
        shares = _improved(shares, weights, other, step * (bound - reached))
    return best


def _first_shares(model: PairwiseModel, theta: Doubles | None, weights: Doubles, labeling: Labels) -> Doubles:
    """Spread costs over the variables that pay them now; let rewards start at what the cheapest variable asks for."""
    unary = model.unary if theta is None else model.unary + theta
    shares = np.zeros(unary.shape)
    for label in np.flatnonzero(weights):
        users = labeling == label
        if weights[label] < 0 and users.any():
            shares[users, label] = weights[label] / users.sum()
        elif weights[label] > 0 and not users.any():
            asked = float((unary[np.arange(len(unary)), labeling] - unary[:, label]).min())
            shares[:, label] = np.clip(asked, 0.0, weights[label])
    return shares


def _rest(weights: Doubles, shares: Doubles) -> float:
    """What rewards may add beside their shares."""
    rewarded = weights > 0
    return float((weights[rewarded] - shares[0, rewarded]).sum())


def _improved(shares: Doubles, weights: Doubles, labeling: Labels, length: float) -> Doubles:
    """Take one step against the subgradient at a maximiser, and return to the allowed multipliers."""
    counts = np.bincount(labeling.reshape(-1), minlength=weights.size)
    rewarded, costly = weights > 0, weights < 0
    slope = np.where(rewarded, counts - 1.0, 0.0)
    norm = float((slope**2).sum() + counts[costly].sum())
    if norm == 0:
        return shares
    moved = shares - (length / norm) * slope
    users = labeling.reshape(-1)[:, None] == np.arange(weights.size)
    moved -= (length / norm) * (users & costly)
    moved[:, rewarded] = np.clip(moved[:, rewarded], 0.0, weights[rewarded])
    for label in np.flatnonzero(costly):
        moved[:, label] = -_capped_simplex(-moved[:, label], -float(weights[label]))
    return moved


def _capped_simplex(point: Doubles, total: float) -> Doubles:
    """Nearest point with entries >= 0 that add up to at most `total`."""
    positive = np.maximum(point, 0.0)
    if positive.sum() <= total:
        return positive
    order = np.sort(point)[::-1]
    excess = np.cumsum(order) - total
    count = int(np.flatnonzero(order - excess / np.arange(1, order.size + 1) > 0)[-1])
    return np.asarray(np.maximum(point - excess[count] / (count + 1), 0.0))
