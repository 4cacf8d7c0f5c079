# SPDX-License-Identifier: BSD-3-Clause
"""Bounds on lists of smooth balls: never below the best list of all, and better than those of steps."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.balls import BallSlopes, applies, ball_bound, evaluated, kept_variables


def random_objective(random):
    n, labels = int(random.integers(2, 5)), int(random.integers(2, 4))
    edges = [(i, j) for i in range(n) for j in range(i + 1, n) if random.random() < 0.5] or [(0, 1)]
    model = hh.FactorGraph(2 * random.normal(size=(n, labels)), edges, 2 * random.random(len(edges)))
    return Objective(model, hh.HammingBall(gamma=float(0.1 + 2 * random.random())), float(0.5 + 5 * random.random()))


def best_list(objective, m):
    rows = np.array(list(product(*map(range, objective.model.label_counts))), np.int32)
    if len(rows) > 16:
        rows = rows[np.argsort(-np.asarray(objective.model.score(rows)))[:16]]  # a part of all lists is enough
    lists = combinations_with_replacement(range(len(rows)), m)
    return max((rows[list(places)] for places in lists), key=objective.value)


@pytest.mark.parametrize("seed", range(12))
def test_no_slopes_prove_less_than_the_best_list(seed):
    random = np.random.default_rng(seed)
    objective, m = random_objective(random), 2
    best = best_list(objective, m)
    assert applies(objective)
    proven = ball_bound(objective, m, best, rounds=4)
    value, tolerance = objective.value(best), 1e-9 * max(1.0, abs(objective.value(best)))
    assert proven.bound >= value - tolerance
    assert evaluated(objective, m, proven.slopes) >= value - tolerance
    for _ in range(3):
        names = random.integers(0, objective.model.label_counts, (3, objective.model.n_variables))
        shares = random.dirichlet(np.ones(4), 6).T[:3]  # any that add up to at most 1
        assert evaluated(objective, m, BallSlopes(names.astype(np.int32), shares)) >= value - tolerance


def test_slopes_prove_more_than_steps():
    random = np.random.default_rng(2)
    model = hh.Grid(random.normal(size=(10, 10, 3)), smoothness=0.6)
    balls = hh.HammingBall(gamma=0.15)
    found = hh.diverse(model, balls, m=6, tradeoff=12.0, oracle=hh.oracles.Lagrangian(), certify=False)
    rows = found.labelings.reshape(6, -1)
    proven = ball_bound(Objective(model, balls, 12.0), 6, rows, rounds=6)
    assert found.objective <= proven.bound < found.upper_bound


def test_too_large_shares_are_refused():
    objective = random_objective(np.random.default_rng(0))
    name = np.zeros((1, objective.model.n_variables), np.int32)
    with pytest.raises(ValueError, match="at most 1"):
        evaluated(objective, 2, BallSlopes(name, np.full((1, 6), 1.1)))


@pytest.mark.parametrize("gamma", [0.01, 0.3, 3.0])
def test_agreement_over_all_ranges_is_the_overlap_of_two_balls(gamma):
    chances, agree = kept_variables(30, gamma, 5)
    assert chances.sum() == pytest.approx(1.0)
    assert agree.sum(axis=0) == pytest.approx(np.exp(-gamma * np.arange(31)), abs=1e-9)
    assert (np.diff(agree, 2, axis=1) > -1e-12).all()  # convex in the distance


def test_other_diversities_are_left_to_others():
    model = hh.FactorGraph(np.zeros((3, 2)))
    assert not applies(Objective(model, hh.VariableCoverage(), 1.0))
    assert not applies(Objective(model, hh.HammingBall(radius=1), 1.0))
    assert not applies(Objective(model, hh.HammingBall(gamma=1.0, weights=[1.0, 2.0, 0.5]), 1.0))


def test_lists_of_balls_are_certified_by_slopes_and_verified():
    model = hh.Grid(np.random.default_rng(2).normal(size=(10, 10, 3)), smoothness=0.6)
    balls = hh.HammingBall(gamma=0.15)
    found = hh.diverse(model, balls, m=6, tradeoff=12.0, oracle=hh.oracles.Lagrangian())
    assert found.certificate.proof.source == "balls"
    again = hh.verify(found, model, balls, oracle=hh.oracles.Lagrangian())
    assert again.upper_bound == pytest.approx(found.upper_bound, rel=1e-2)  # a solver that remembers less
