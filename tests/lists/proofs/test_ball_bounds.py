# SPDX-License-Identifier: BSD-3-Clause
"""Bounds on lists of smooth balls: never below the best list of all, and better than those of steps."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement, islice, product

import numpy as np
import pytest
from scipy.optimize import linprog

import hedgehop as hh
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.ball_master import BallMaster
from hedgehop.lists.proofs.ball_slopes import RANGES, BallSlopes, SubsetProbabilities, outside, packed
from hedgehop.lists.proofs.balls import applies, bounds, evaluated
from hedgehop.lists.proofs.bounds import Problem


def ball_bound(problem, rounds):
    """The best bound of so many linear steps."""
    return min(islice(bounds(problem), rounds), key=lambda proven: proven.bound)


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


def problem_of(objective, rows, distance=0, oracle="exhaustive"):
    return Problem(
        objective,
        hh.oracles.get(oracle).for_bounds().on(objective.model),
        np.ascontiguousarray(rows, np.int32),
        distance,
    )


def random_slopes(random, objective):
    """Any sets, any shares that add up to at most 1, any lines."""
    n, labels = objective.model.n_variables, int(objective.model.label_counts.max())
    return BallSlopes(
        packed(random.random((3, n, labels)) < 0.6), random.dirichlet(np.ones(4), RANGES).T[:3],
        random.normal(size=(3, 2)), random.random(n) < random.choice([0.0, 0.5, 1.0]),
        random.integers(0, 2, n).astype(np.int32), random.random((2, labels)),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_no_slopes_prove_less_than_the_best_list(seed):
    random = np.random.default_rng(seed)
    objective = random_objective(random)
    best = best_list(objective, 2)
    assert applies(objective)
    problem = problem_of(objective, best)
    value, tolerance = objective.value(best), 1e-9 * max(1.0, abs(objective.value(best)))
    proven = ball_bound(problem, rounds=8)
    assert proven.bound >= value - tolerance
    assert evaluated(problem, proven.slopes) == pytest.approx(proven.bound, rel=1e-12)
    for _ in range(10):
        assert evaluated(problem, random_slopes(random, objective)) >= value - tolerance


@pytest.mark.parametrize("seed", range(8))
def test_random_slopes_bound_the_coverage_of_single_lists(seed):
    """At any list of two, not only at the best one: what the groups say, one by one, is what the formula says."""
    random = np.random.default_rng(seed)
    objective = random_objective(random)
    slopes, labels = random_slopes(random, objective), int(objective.model.label_counts.max())
    kept = SubsetProbabilities.of(objective.diversity.gamma, slopes.counted)
    y = random.integers(0, objective.model.label_counts)
    inside, chance = slopes.inside(labels), -np.expm1(-objective.diversity.gamma)
    named, taken = 0.0, 0.0
    for kept_ones in product([False, True], repeat=kept.n):
        some, size = np.array(kept_ones), sum(kept_ones)
        weight = chance**size * (1 - chance) ** (kept.n - size)
        share = slopes.shares @ kept.within[:, some[kept.counted].sum()] * (size != 1)
        named += weight * float(share @ inside[:, some].sum(axis=2).prod(axis=1))
        taken += weight * float(share @ inside[:, np.arange(kept.n), y][:, some].all(axis=1))
    assert named == pytest.approx(float((slopes.shares * kept.costs(inside)).sum()))
    apart = np.array([outside(sets, y[None].astype(np.int32), kept.counted)[0] for sets in slopes.sets])
    assert taken == pytest.approx(float((slopes.shares * kept.taken(apart)).sum()))


@pytest.mark.parametrize("seed", range(8))
def test_planes_lie_above_what_is_taken_and_touch_it(seed):
    random = np.random.default_rng(seed)
    counted = random.random(12) < random.choice([0.0, 0.4, 1.0])
    kept = SubsetProbabilities.of(float(random.choice([0.05, 0.5, 2.0])), counted, 4)
    shares, steepness = random.dirichlet(np.ones(6), 4).T[:5], 0.2 * random.normal(size=(5, 2))
    steepness[0], shares[1] = 0.0, 0.0
    far = np.stack(np.meshgrid(*(np.arange(k + 1) for k in kept.most), indexing="ij"), axis=-1).reshape(-1, 2)
    assert kept.constants(shares[:0], steepness[:0]).shape == (0,)  # without names
    above = -kept.taken(far) @ shares.T - far @ steepness.T
    assert kept.constants(shares, steepness) == pytest.approx(above.max(axis=0), abs=1e-12)
    at = kept.touching(shares, steepness)
    reached = -(kept.taken(at) * shares).sum(axis=1) - (at * steepness).sum(axis=1)
    assert reached == pytest.approx(above.max(axis=0), abs=1e-12)


def best_of_all_slopes(objective, m):
    """The bound with a slope for every pattern of every set of kept variables: a program over mixtures of labelings."""
    rows = np.array(list(product(*map(range, objective.model.label_counts))), np.int32)
    score, chance = np.asarray(objective.model.score(rows)), -np.expm1(-objective.diversity.gamma)
    inside, weights = [], []
    for some in product([False, True], repeat=rows.shape[1]):
        patterns, which = np.unique(rows[:, list(some)], axis=0, return_inverse=True)
        inside.append(which.reshape(-1)[:, None] == np.arange(len(patterns)))
        weights += [chance ** sum(some) * (1 - chance) ** (len(some) - sum(some))] * len(patterns)
    groups = np.concatenate(inside, axis=1).astype(float)
    costs = -np.r_[m * score, objective.tradeoff * np.array(weights)]
    covered = np.hstack([-m * groups.T, np.eye(len(weights))])
    one = np.r_[np.ones(len(rows)), np.zeros(len(weights))][None]
    limits = [(0, 1)] * len(rows) + [(None, 1)] * len(weights)
    return -linprog(costs, covered, np.zeros(len(weights)), one, [1.0], limits).fun


def test_named_slopes_are_between_all_slopes_and_one():
    """No bound is below that of all slopes, which is not below the best list; named ones close a part of B1's gap."""
    closed = []
    for seed in range(6):
        objective, m = random_objective(np.random.default_rng(seed)), 3
        best, least = best_list(objective, m), best_of_all_slopes(objective, m)
        found = hh.diverse(objective.model, objective.diversity, m, objective.tradeoff, oracle="exhaustive",
                           distinct=False, certify=False)  # fmt: skip
        proven = ball_bound(problem_of(objective, best), rounds=15).bound
        tolerance = 1e-7 * max(1.0, abs(least))
        assert objective.value(best) <= least + tolerance
        assert least <= proven + tolerance
        closed.append((found.upper_bound - min(proven, found.upper_bound)) / (found.upper_bound - least + tolerance))
    assert np.median(closed) > 0.3


def test_slopes_prove_more_than_steps():
    random = np.random.default_rng(2)
    model = hh.Grid(random.normal(size=(10, 10, 3)), smoothness=0.6)
    balls = hh.HammingBall(gamma=0.15)
    found = hh.diverse(model, balls, m=6, tradeoff=12.0, oracle=hh.oracles.Lagrangian(), certify=False)
    problem = problem_of(Objective(model, balls, 12.0), found.labelings.reshape(6, -1), oracle="auto")
    proven = ball_bound(problem, rounds=12)
    room = found.upper_bound - found.certificate.baseline
    assert found.objective <= proven.bound < found.upper_bound - 0.1 * room


def test_sets_of_labels_prove_more_than_labelings(monkeypatch):
    model = hh.Grid(np.random.default_rng(2).normal(size=(10, 10, 3)), smoothness=0.6)
    balls = hh.HammingBall(gamma=0.03)
    found = hh.diverse(model, balls, m=4, tradeoff=40.0, oracle=hh.oracles.Lagrangian(), certify=False)
    problem = problem_of(Objective(model, balls, 40.0), found.labelings.reshape(4, -1), oracle="auto")
    proven = ball_bound(problem, rounds=25)
    assert (proven.slopes.inside(3).sum(axis=2) > 1).any()
    monkeypatch.setattr(BallMaster, "_name_mixture", lambda self, mixture: None)
    alone = ball_bound(problem, rounds=25)
    assert (alone.slopes.inside(3).sum(axis=2) == 1).all()
    assert proven.bound < alone.bound


def test_slopes_that_prove_nothing_are_refused():
    objective = random_objective(np.random.default_rng(0))
    problem = problem_of(objective, best_list(objective, 2))
    slopes = random_slopes(np.random.default_rng(0), objective)
    with pytest.raises(ValueError, match="at most 1"):
        evaluated(problem, replace(slopes, shares=slopes.shares + 0.5))
    with pytest.raises(ValueError, match="between 0 and 1"):
        evaluated(problem, replace(slopes, singles=3 + slopes.singles))
    with pytest.raises(ValueError, match="must have the shapes"):
        evaluated(problem, replace(slopes, steepness=slopes.steepness[1:]))
    with pytest.raises(ValueError, match="must have the shapes"):
        evaluated(problem, replace(slopes, counted=slopes.counted[1:]))


def test_single_variables_alone_are_the_coverage_of_variables():
    """Hardly more than one variable is ever kept: free slopes of single variables close the gap."""
    objective = Objective(hh.FactorGraph([[1.0, 0.8]] * 4), hh.HammingBall(gamma=0.02), 40.0)
    rows = np.array([[0, 0, 0, 0], [1, 1, 1, 1]], np.int32)
    room = objective.value(rows) - objective.repeated(rows[0], 2)
    assert room > 0.5
    assert ball_bound(problem_of(objective, rows), rounds=12).bound - objective.value(rows) <= 0.1 * room


@pytest.mark.parametrize("counted", [0, 9, 30])
@pytest.mark.parametrize("gamma", [0.01, 0.3, 3.0])
def test_agreement_over_all_ranges_is_the_overlap_of_two_balls(gamma, counted):
    kept = SubsetProbabilities.of(gamma, np.arange(30) < counted, 5)
    whole = np.zeros((30, 1)) == 0
    assert kept.costs([whole]).sum() + kept.single == pytest.approx(1.0)
    far = np.stack([np.minimum(np.arange(31), counted), np.maximum(0, np.arange(31) - counted)], axis=1)
    alone = kept.single * (1 - np.arange(31) / 30)
    assert kept.taken(far).sum(axis=1) + alone == pytest.approx(np.exp(-gamma * np.arange(31)), abs=1e-9)
    assert (np.diff(kept.agree, 2, axis=1) > -1e-12).all()  # convex in the distance


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


class TwiceTheUnion(hh.HammingBall):
    """Balls that count twice: what bounds their union does not bound it."""

    def _gain_potential(self, model, rows):
        return 2.0 * super()._gain_potential(model, rows)


def test_unions_that_count_otherwise_are_not_bounded_by_the_union():
    model, balls = hh.Grid(np.random.default_rng(0).normal(size=(2, 2, 3)), smoothness=0.3), TwiceTheUnion(gamma=0.3)
    assert not applies(Objective(model, balls, 5.0))
    assert not applies(Objective(model, hh.UniqueItems(balls), 5.0))
    found = hh.diverse(model, balls, m=3, tradeoff=5.0, certify=20)
    assert found.objective == pytest.approx(hh.diverse(model, hh.HammingBall(gamma=0.3), m=3, tradeoff=10.0).objective)
    assert found.objective <= found.upper_bound
