# SPDX-License-Identifier: BSD-3-Clause
"""The joint method: the best list of all, proven, for two labels that prefer to agree."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest

import hedgehop as hh


def agreeing(random, n=5):
    edges = [(i, j) for i in range(n) for j in range(i + 1, n) if random.random() < 0.5] or [(0, 1)]
    unary = np.round(2 * random.normal(size=(n, 2)), random.integers(0, 3))
    if random.random() < 0.3:
        unary[random.integers(n), random.integers(2)] = -np.inf
    return hh.FactorGraph(unary, edges, random.random(len(edges)))


def best_objective(model, diversity, m, tradeoff):
    labelings = np.stack(np.meshgrid(*[[0, 1]] * model.n_variables, indexing="ij"), -1).reshape(-1, model.n_variables)
    relevance = np.asarray(model.score(labelings))
    allowed = np.flatnonzero(np.isfinite(relevance))
    lists = combinations_with_replacement(allowed.tolist(), m)
    return max(relevance[list(k)].sum() + tradeoff * diversity.value(model, labelings[list(k)]) for k in lists)


DIVERSITIES = [
    lambda w: hh.VariableCoverage(h="log"),
    lambda w: hh.VariableCoverage(h="count", weights=w),
    lambda w: hh.LinearHamming(),
    lambda w: hh.LinearHamming(weights=w) + 2 * hh.VariableCoverage(h="sqrt"),
]


@pytest.mark.parametrize("diversity", DIVERSITIES)
@pytest.mark.parametrize("seed", range(6))
def test_joint_lists_are_the_best_of_all(seed, diversity):
    """Parametric cuts: m of them give the joint optimum, and the bound proves it."""
    random = np.random.default_rng(seed)
    model, tradeoff = agreeing(random), float(random.choice([0.5, 1.0, 3.0]))
    measure = diversity(random.random(5))
    found = hh.diverse(model, measure, m=3, tradeoff=tradeoff, method="joint")
    best = best_objective(model, measure, 3, tradeoff)
    assert found.objective == pytest.approx(best, abs=1e-6)
    assert found.upper_bound == pytest.approx(best, abs=1e-5)
    assert found.gains.sum() == pytest.approx(found.objective)


def test_joint_beats_greedy_on_an_image():
    random = np.random.default_rng(0)
    model = hh.Grid(np.stack([np.zeros((24, 24)), random.normal(size=(24, 24)).cumsum(0)], -1), smoothness=1.0)
    for diversity, tradeoff in ((hh.LinearHamming(), 1.0), (hh.VariableCoverage(), 4.0)):
        joint = hh.diverse(model, diversity, m=4, tradeoff=tradeoff, method="joint")
        greedy = hh.diverse(model, diversity, m=4, tradeoff=tradeoff)
        assert greedy.objective <= joint.objective <= joint.upper_bound <= greedy.upper_bound + 1e-6
        assert joint.upper_bound - joint.objective <= 1e-6 * joint.objective
        nested = joint.labelings[np.argsort(joint.labelings.sum(axis=(1, 2)))]
        assert (np.diff(nested, axis=0) >= 0).all()


def test_joint_says_what_it_cannot_do():
    model = hh.FactorGraph([[0.0, 1.0]] * 3)
    with pytest.raises(hh.UnsupportedError, match="needs a diversity of single variables"):
        hh.diverse(model, hh.HammingBall(gamma=1.0), m=2, method="joint")
    with pytest.raises(hh.UnsupportedError, match="two labels"):
        hh.diverse(hh.FactorGraph([[0.0, 1.0, 2.0]] * 3), hh.LinearHamming(), m=2, method="joint")
    with pytest.raises(ValueError, match="cannot keep labelings apart"):
        hh.diverse(model, hh.LinearHamming(), m=2, method="joint", distinct=True)


def test_names_who_found_the_list():
    model = hh.FactorGraph([[0.0, 1.0], [0.5, 0.0], [0.0, 0.2]], [[0, 1], [1, 2]], 0.3)
    found = hh.diverse(model, hh.VariableCoverage(), m=3, method="joint", oracle="tree")
    assert found.oracles == ("graphcut",) * 3


def test_auto_is_joint_where_that_is_possible():
    random = np.random.default_rng(3)
    model = agreeing(random)
    found = hh.diverse(model, hh.VariableCoverage(), m=3, tradeoff=1.0, method="auto")
    assert found.method == "joint"
    assert found.objective == pytest.approx(best_objective(model, hh.VariableCoverage(), 3, 1.0), abs=1e-6)
    apart = hh.diverse(model, hh.VariableCoverage(), m=3, tradeoff=1.0, method="auto", distinct=True)
    balls = hh.diverse(model, hh.HammingBall(radius=1), m=3, tradeoff=1.0, method="auto")
    three = hh.diverse(
        hh.FactorGraph(random.normal(size=(3, 3))), hh.VariableCoverage(), m=3, tradeoff=1.0, method="auto"
    )
    assert [apart.method, balls.method, three.method] == ["greedy"] * 3
