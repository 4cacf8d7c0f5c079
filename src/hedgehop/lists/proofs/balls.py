# SPDX-License-Identifier: BSD-3-Clause
"""Bounds on lists that cover smooth balls: slopes named by labelings and by the number of kept variables.

A smooth ball keeps each variable with the same probability; let R be the kept ones. D(T) is the expected number of
different patterns of T on R, a coverage of groups (R, pattern) with h = min(1, c), so that for any slopes 1 - t_g
with 0 <= t_g <= 1

    D(T) <= sum_g P(g) t_g + sum over y in T of [ 1 - sum of P(g) t_g over the groups g of y ].

The groups cannot be listed, but t can be named: labelings y_j give
``t_g = sum_j beta_j(|R|) [y_j has pattern g on R]``, at most 1 if ``sum_j beta_j(k) <= 1`` for every k. Then, with d_j
the distance of y from y_j,

    F(T) <= tradeoff * sum_k P(k) sum_j beta_j(k) + m * max_y [ r(y) + tradeoff * (1 - sum_j Psi_j(d_j)) ],
    Psi_j(d) = sum_k P(k) beta_j(k) C(n - d, k) / C(n, k),

and the maximum is a step with functions of distances. beta is constant on a few ranges of k; a linear program over
the labelings met chooses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.diversity.hamming import HammingBall, distinct_rows
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.apart import Apart
from hedgehop.lists.proofs.evidence import Arrays, Evidence, Problem, Provider
from hedgehop.oracles.relaxation.lagrangian import Lagrangian
from hedgehop.potentials import Cardinality, Potential

_RANGES = 6  # of the number of kept variables, about equally likely each
_NAMES = 40  # labelings that may name slopes
_STUCK = 3  # rounds in a row without a new labeling or a better bound
_LEAST = 1e-4  # share below which a labeling names none
_UNLIKELY = 1e-12  # numbers of kept variables that are left out: their slopes are 1
_ROUNDING = 1e-12  # of binomials, against what they weigh


@dataclass(frozen=True, eq=False)
class BallSlopes:
    """Labelings that name slopes, (J, n), and their shares in each range of kept variables, (J, ranges)."""

    labelings: Labels
    shares: Doubles


@dataclass(frozen=True, eq=False)
class BallBound:
    """No list has a larger F than `bound`: one step at the slopes, which found `labeling`, shows it.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> from hedgehop.lists.objective import Objective
    >>> from hedgehop.lists.proofs.balls import ball_bound
    >>> model = hh.Grid(np.random.default_rng(0).normal(size=(6, 6, 3)), smoothness=0.3)
    >>> found = hh.diverse(model, hh.HammingBall(gamma=0.3), m=3, tradeoff=5.0)
    >>> proven = ball_bound(Objective(model, hh.HammingBall(gamma=0.3), 5.0), 3, found.labelings, rounds=3)
    >>> found.objective <= proven.bound
    True
    """

    bound: float
    slopes: BallSlopes
    labeling: Labels
    apart: Arrays = field(default_factory=dict)
    calls: int = 1


def applies(objective: Objective) -> bool:
    """Whether this is about smooth balls that keep every variable alike, on a model with linear steps."""
    balls = objective.diversity
    if not isinstance(balls, HammingBall) or balls.gamma is None or balls.weights is not None:
        return False
    far = Cardinality(np.zeros(objective.model.n_variables, np.int32), np.zeros(objective.model.n_variables + 1))
    return objective.tradeoff > 0 and Lagrangian().refusal(objective.model, [far]) is None


def ball_bound(objective: Objective, m: int, rows: Labels, rounds: int = 10) -> BallBound:
    """Return the best bound of so many rounds, one step each, begun at a list."""
    best: BallBound | None = None
    for proven, _ in zip(bounds(objective, m, rows), range(max(1, rounds)), strict=False):
        best = proven if best is None or proven.bound < best.bound else best
    assert best is not None
    return best


def evaluated(
    objective: Objective, m: int, slopes: BallSlopes, distance: int = 0, apart: Arrays | None = None
) -> float:
    """Return the bound that some slopes prove: one step, a few where labelings must differ."""
    together = Apart(Lagrangian().on(objective.model), m, distance)
    names = _Names(objective, m)
    return names.bound(slopes, together.proven(names.potentials(slopes), apart or {}))


def find(problem: Problem) -> Iterator[Evidence] | None:
    """Yield a bound per step; None where balls are not smooth, or keep some variables rather than others."""
    return _evidence(problem) if applies(problem.objective) else None


def check(problem: Problem, arrays: Arrays) -> float:
    """Return the bound that slopes prove."""
    slopes = BallSlopes(arrays["labelings"], arrays["shares"])
    return evaluated(problem.objective, problem.m, slopes, problem.distance, arrays)


BALLS = Provider("balls", find, check)


def _evidence(problem: Problem) -> Iterator[Evidence]:
    for proven in bounds(problem.objective, problem.m, problem.rows, problem.distance):
        arrays: Arrays = {"labelings": proven.slopes.labelings, "shares": proven.slopes.shares, **proven.apart}
        yield Evidence(proven.bound, arrays, proven.labeling[None], problem.rows[:0], proven.calls)


def bounds(objective: Objective, m: int, rows: Labels, distance: int = 0) -> Iterator[BallBound]:
    """Yield a bound per step, by slopes that the labelings met so far make the best ones."""
    names, solver = _Names(objective, m), Lagrangian().on(objective.model)
    apart = Apart(solver, m, distance)
    names.add(distinct_rows(rows.reshape(-1, objective.model.n_variables)))
    best, centre, turn, stuck = np.inf, np.zeros((0, names.ranges)), 0, 0
    while stuck < _STUCK:
        shares = names.best_shares()
        if turn % 3:  # two of three questions are asked halfway from the best ones
            shares[: len(centre)] += centre
            shares /= 2
        slopes = names.named(shares)
        found = apart.most(names.potentials(slopes), names.rows, enough=0.0)
        bound = names.bound(slopes, found.most)
        new = names.add(np.concatenate([found.labelings, solver.labelings]))
        stuck = 0 if new or bound < best else stuck + 1
        if bound < best:
            best, centre = bound, shares
        yield BallBound(bound, slopes, found.labelings[0], found.arrays, found.calls)
        turn += 1


class _Names:
    """Labelings met, and what shares of slopes they have a right to."""

    def __init__(self, objective: Objective, m: int) -> None:
        assert isinstance(objective.diversity, HammingBall)
        assert objective.diversity.gamma is not None
        self._objective, self._m = objective, m
        self.chances, self._agree = kept_variables(objective.model.n_variables, objective.diversity.gamma, _RANGES)
        self.ranges = self.chances.size
        self._rows = np.zeros((0, objective.model.n_variables), np.int32)
        self._scores = np.zeros(0)
        self._seen: set[bytes] = set()
        self._used = np.zeros(0)
        self._first = 0

    def add(self, rows: Labels) -> bool:
        """Take in labelings that are new; return whether there were any."""
        new = [row for row in np.ascontiguousarray(rows, np.int32) if row.tobytes() not in self._seen]
        new = list({row.tobytes(): row for row in new}.values())
        if not new:
            return False
        self._first = self._first or len(new)  # the list itself may always name slopes
        self._seen |= {row.tobytes() for row in new}
        self._rows = np.concatenate([self._rows, np.array(new)])
        self._scores = np.append(self._scores, np.asarray(self._objective.model.score(np.array(new))).reshape(-1))
        self._used = np.append(self._used, np.zeros(len(new)))
        return True

    def best_shares(self) -> Doubles:
        """Return the shares that prove most if no labeling but those met were better, (labelings, ranges)."""
        from scipy.optimize import linprog

        names = self._candidates()
        apart = (self._rows[:, None] != self._rows[None, names]).sum(axis=2)
        taken = self._agree[:, apart].transpose(1, 2, 0).reshape(len(self._rows), -1)
        lost = (self._scores - self._scores.max()) / self._objective.tradeoff
        one_each = np.tile(np.eye(self.ranges), names.size)
        rows = np.block([[-taken, -np.ones((len(taken), 1))], [one_each, np.zeros((self.ranges, 1))]])
        limits = [(0.0, 1.0)] * taken.shape[1] + [(None, None)]
        costs = np.append(np.tile(self.chances, names.size), self._m)
        found = linprog(costs, A_ub=rows, b_ub=np.append(-lost, np.ones(self.ranges)), bounds=limits)
        shares = np.zeros((len(self._rows), self.ranges))
        if found.x is not None:
            shares[names] = np.maximum(0.0, found.x[:-1]).reshape(names.size, -1)
        self._used = shares.sum(axis=1)
        return shares

    def _candidates(self) -> Labels:
        """Those that may name slopes: the list, the last names, and the best labelings."""
        if len(self._rows) <= _NAMES:
            return np.arange(len(self._rows), dtype=np.int32)
        chosen = [
            np.arange(self._first),
            np.argsort(-self._used)[: _NAMES // 2],
            np.argsort(-self._scores)[: _NAMES // 4],
        ]
        return np.unique(np.concatenate(chosen)).astype(np.int32)

    def named(self, shares: Doubles) -> BallSlopes:
        """Return the slopes of those labelings that have a share worth naming."""
        names = np.flatnonzero(shares.sum(axis=1) > _LEAST)
        kept = shares[names] / np.maximum(1.0, shares[names].sum(axis=0))  # at most 1 in each range
        return BallSlopes(own(self._rows[names].copy()), own(kept))

    @property
    def rows(self) -> Labels:
        """The labelings met."""
        return self._rows

    def potentials(self, slopes: BallSlopes) -> list[Potential]:
        """Return what slopes add to the relevance of a labeling, but for a constant."""
        lam, shares = self._objective.tradeoff, np.asarray(slopes.shares)
        if shares.shape != (len(slopes.labelings), self.ranges):
            raise ValueError(f"shares must have {self.ranges} columns, a row per labeling; got shape {shares.shape}.")
        if not ((shares >= 0).all() and (shares.sum(axis=0) <= 1 + 1e-12).all()):
            raise ValueError("shares of slopes must be at least 0 and add up to at most 1 in each range.")
        tables = -lam * shares @ self._agree
        return [Cardinality(y, t) for y, t in zip(slopes.labelings, tables, strict=True)]

    def bound(self, slopes: BallSlopes, most: float) -> float:
        """Return the bound that slopes prove, if m labelings are worth `most` at most with their potentials."""
        lam, named = self._objective.tradeoff, float(slopes.shares.sum(axis=0) @ self.chances)
        return lam * named + self._m * lam + most + _ROUNDING * lam * (1 + self._m)


def kept_variables(n: int, gamma: float, ranges: int) -> tuple[Doubles, Doubles]:
    """Return the chance of each range of |R|, and of agreement on R as well, by range and distance, (ranges, n + 1)."""
    from scipy.special import gammaln

    k, d = np.arange(n + 1), np.arange(n + 1)[:, None]
    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    chances = np.exp(ways + k * np.log(-np.expm1(-gamma)) - gamma * (n - k))
    likely = np.flatnonzero(chances > _UNLIKELY)
    which = np.minimum((np.cumsum(chances) - chances / 2) * ranges, ranges - 1).astype(int)[likely]
    k, chances = k[likely], chances[likely]
    with np.errstate(invalid="ignore"):
        fewer = gammaln(n - d + 1) - gammaln(np.maximum(n - d - k, 0) + 1) - gammaln(n + 1) + gammaln(n - k + 1)
    agree = np.where(d + k <= n, np.exp(fewer), 0.0) * chances
    within = (which == np.arange(ranges)[:, None]).astype(np.float64)
    return np.asarray(within @ chances), np.asarray(within @ agree.T)
