# SPDX-License-Identifier: BSD-3-Clause
"""Bounds on lists that cover smooth balls: slopes named by sets of labels and by the number of kept variables.

A smooth ball keeps each variable with the same probability; let R be the kept ones. D(T) is the expected number of
different patterns of T on R, a coverage of groups (R, pattern) with h = min(1, c), so that for any slopes 1 - t_g
with 0 <= t_g <= 1

    D(T) <= sum_g P(g) t_g + sum over y in T of [ 1 - sum of P(g) t_g over the groups g of y ].

The groups cannot be listed, but t can be named. A name gives each variable i a set Z_i of labels; a group belongs to it
if its pattern keeps to the sets. Names Z_j with shares beta_j(|R|) >= 0 that add up to at most 1 for every |R| give
``t_g = sum_j beta_j(|R|) [g belongs to Z_j]``. With d_j the number of variables whose label is outside Z_j,

    F(T) <= tradeoff * sum_k sum_j beta_j(k) P_j(k) + m * max_y [ r(y) + tradeoff * (1 - sum_j Psi_j(d_j)) ],
    P_j(k) = sum over |R| = k of P(R) * product of |Z_i| over i in R,
    Psi_j(d) = sum_k P(k) beta_j(k) C(n - d, k) / C(n, k).

``-Psi_j(d) <= c_j + s_j d`` for any s_j, with c_j the largest difference, so the maximum is at most
``tradeoff * sum_j c_j`` and that of a linear step. A linear program chooses beta and s together (``ball_master.py``).
Where one variable is kept (k = 1) the groups are those of variables and labels, which can be listed: there t is free,
the same for variables that the list does not tell apart, and linear in the step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Labels, own
from hedgehop.diversity.hamming import distinct_rows
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.apart import ListsApart
from hedgehop.lists.proofs.ball_master import BallMaster
from hedgehop.lists.proofs.ball_slopes import BallSlopes, SubsetProbabilities
from hedgehop.lists.proofs.bounds import Arrays, BoundMethod, FoundBound, Problem
from hedgehop.potentials import Linear

_LINEAR_STEPS = 2  # about as long as a step of balls, programs included
_IDLE_ROUNDS = 6  # linear steps in a row without a new labeling or a better bound
_SLOPE_ARRAYS = ("sets", "shares", "steepness", "counted", "cells", "singles")


@dataclass(frozen=True, eq=False)
class BallBound:
    """No list has a larger F than `bound`: one linear step at the slopes shows it, which found `labelings` on the way.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> from hedgehop.lists.objective import Objective
    >>> from hedgehop.lists.proofs.balls import bounds
    >>> from hedgehop.lists.proofs.bounds import Problem
    >>> model = hh.Grid(np.random.default_rng(0).normal(size=(6, 6, 3)), smoothness=0.3)
    >>> found = hh.diverse(model, hh.HammingBall(gamma=0.3), m=3, tradeoff=5.0)
    >>> objective = Objective(model, hh.HammingBall(gamma=0.3), 5.0)
    >>> rows = found.labelings.reshape(3, -1)
    >>> proven = next(bounds(Problem(objective, hh.oracles.get("auto").on(model), rows)))
    >>> found.objective <= proven.bound
    True
    """

    bound: float
    slopes: BallSlopes
    labelings: Labels
    apart: Arrays = field(default_factory=dict)
    calls: int = 1


def applies(objective: Objective) -> bool:
    """Whether this is about smooth balls that keep every variable alike."""
    return objective.diversity.smooth_balls is not None and objective.tradeoff > 0


def evaluated(problem: Problem, slopes: BallSlopes, apart: Arrays | None = None) -> float:
    """Return the bound that some slopes prove: one linear step, a few if labelings must differ."""
    slopes.check(problem.objective.model)
    proof = _SlopeProof(problem, slopes.counted)
    together = ListsApart(problem.solver, problem.m, problem.distance)
    return proof.bound(slopes, together.proven([proof.potential(slopes)], apart or {}))


def find(problem: Problem) -> Iterator[FoundBound] | None:
    """Yield a bound per few linear steps; None if balls are not smooth, or keep some variables more often."""
    return _found_bounds(problem) if applies(problem.objective) else None


def check(problem: Problem, arrays: Arrays) -> float:
    """Return the bound that slopes prove."""
    if "counted" not in arrays:
        raise ValueError("this proof was made by an earlier version of hedgehop. Certify the list again.")
    return evaluated(problem, BallSlopes(*(arrays[name] for name in _SLOPE_ARRAYS)), arrays)


BALLS = BoundMethod("balls", find, check)


def _found_bounds(problem: Problem) -> Iterator[FoundBound]:
    found: list[BallBound] = []
    for proven in bounds(problem):
        found.append(proven)
        if len(found) == _LINEAR_STEPS or proven.calls > 1:
            yield _as_found_bound(found, problem.rows[:0])
            found = []
    if found:
        yield _as_found_bound(found, problem.rows[:0])


def _as_found_bound(found: list[BallBound], none: Labels) -> FoundBound:
    best = min(found, key=lambda proven: proven.bound)
    arrays: Arrays = {name: getattr(best.slopes, name) for name in _SLOPE_ARRAYS} | dict(best.apart)
    labelings = np.concatenate([proven.labelings for proven in found])
    return FoundBound(best.bound, arrays, labelings, none, max(proven.calls for proven in found))


def bounds(problem: Problem) -> Iterator[BallBound]:
    """Yield a bound per linear step, by slopes that the labelings found so far make the best ones."""
    rows = distinct_rows(problem.rows.reshape(problem.m, -1))
    proof = _SlopeProof(problem, (rows != rows[0]).any(axis=0))
    master = BallMaster(problem.objective, problem.m, proof.kept)
    master.add(rows)
    apart, best, stuck = ListsApart(problem.solver, problem.m, problem.distance), np.inf, 0
    while stuck < _IDLE_ROUNDS:
        slopes = master.slopes()
        found = apart.bound_on_sum([proof.potential(slopes)], master.rows, enough=0.0)
        bound = proof.bound(slopes, found.bound)
        new = master.add(distinct_rows(found.labelings))
        stuck = 0 if new or bound < best else stuck + 1
        if bound < best:
            best = bound
            master.hold()
        yield BallBound(bound, slopes, found.labelings, found.arrays, found.calls)


class _SlopeProof:
    """What slopes prove about a problem, and by which step."""

    def __init__(self, problem: Problem, counted: NDArray[np.bool_]) -> None:
        gamma = problem.objective.diversity.smooth_balls
        assert gamma is not None  # see `applies`
        self.kept = SubsetProbabilities.of(gamma, counted)
        self._m, self._tradeoff = problem.m, problem.objective.tradeoff
        self._labels = int(problem.objective.model.label_counts.max())

    def potential(self, slopes: BallSlopes) -> Linear:
        """Return what slopes add to the relevance of a labeling, but for a constant."""
        theta = slopes.singles[slopes.cells] * (-self.kept.single / self.kept.n)
        for inside, steep in zip(slopes.inside(self._labels), slopes.steepness, strict=True):
            theta += np.where(slopes.counted, steep[0], steep[1])[:, None] * ~inside
        return Linear(own(self._tradeoff * theta))

    def bound(self, slopes: BallSlopes, most: float) -> float:
        """Return the bound that slopes prove, if m labelings are worth `most` at most with their potential."""
        kept, sizes = self.kept, np.bincount(slopes.cells, minlength=len(slopes.singles))
        named = float((slopes.shares * kept.costs(slopes.inside(self._labels))).sum())
        named += kept.single / kept.n * float(sizes @ slopes.singles.sum(axis=1))
        planes = float(kept.constants(slopes.shares, slopes.steepness).sum())
        error = kept.error * (named + self._m * (1.0 + float(slopes.shares.sum()) + abs(planes)))
        return self._tradeoff * (named + self._m * (1.0 + planes) + error) + most
