# SPDX-License-Identifier: BSD-3-Clause
"""Expansion and swap as oracles: never above the best, never wrong about it, exact where they say so."""

from __future__ import annotations

import numpy as np
import pytest
from tests.draws import random_model

import hedgehop as hh
from hedgehop.potentials import LabelWeights, Linear, RegionWeights, TransitionWeights

REGIONS = [[0, 1, 3], [2, 4, 5, 1], [3]]


def random_weights(random, labels, kind):
    pairs = 3 * random.normal(size=(labels, labels))
    return {
        "labels": [LabelWeights(3 * random.normal(size=labels))],
        "sizes": [LabelWeights(3 * random.normal(size=labels), 0.4), LabelWeights(random.normal(size=labels), 0.7)],
        "transitions": [TransitionWeights(pairs + pairs.T)],
        "ordered": [TransitionWeights(pairs, ordered=True)],
        "regions": [RegionWeights(REGIONS, 3 * random.normal(size=(3, labels)), robust=int(random.integers(1, 3)))],
    }[kind]


@pytest.mark.parametrize("kind", ["labels", "sizes", "transitions", "ordered", "regions"])
@pytest.mark.parametrize("name", ["expansion", "swap"])
def test_steps_with_weights_of_any_sign(name, kind):
    """Moves from several labelings nearly always find the optimum of such small models."""
    oracle, found = hh.oracles.get(name), []
    for seed in range(25):
        random = np.random.default_rng(seed)
        model, potentials = random_model(random, scale=3.0, forbid=False), random_weights(random, 3, kind)
        if oracle.refusal(model, potentials) is not None:
            pytest.skip("not this kind")
        theta = random.normal(size=(6, 3))
        theta[random.integers(6), random.integers(3)] = -np.inf
        potentials.append(Linear(theta))
        step, best = hh.best(model, potentials, name), hh.best(model, potentials, "exhaustive")
        assert step.value <= best.value + 1e-9 <= step.upper_bound + 1e-6
        found.append(step.value >= best.value - 1e-9)
    assert np.mean(found) >= 0.9


@pytest.mark.parametrize("seed", range(20))
def test_two_labels_are_one_exact_cut(seed):
    """Binary models with costs of labels and transitions and rewards of regions."""
    random = np.random.default_rng(seed)
    model = random_model(random, labels=2, scale=3.0, forbid=False)
    cost = -2 * random.random()
    potentials = [
        LabelWeights(-2 * random.random(2)),
        TransitionWeights([[0.0, cost], [cost, 0.0]]),
        RegionWeights(REGIONS, 3 * random.random((3, 2)), robust=1 + seed % 2),
    ]
    step, best = hh.best(model, potentials, "swap"), hh.best(model, potentials, "exhaustive")
    assert step.exact
    assert step.value == pytest.approx(best.value)
    assert step.upper_bound == pytest.approx(best.value)


def test_warm_states_serve_changing_weights():
    random = np.random.default_rng(0)
    model = random_model(random, scale=3.0, forbid=False)
    for name in ("expansion", "swap"):
        oracle = hh.oracles.get(name)
        solver = oracle.on(model)
        for kind in ("labels", "regions", "sizes", "labels"):
            potentials = random_weights(random, 3, kind)
            step = solver.maximize(potentials)
            best = hh.best(model, potentials, "exhaustive").value
            assert step.value <= best + 1e-9 <= step.upper_bound + 1e-6


@pytest.mark.parametrize("diversity", [
    hh.LabelCoverage(h="log", parsimony=0.0, ignore=()),
    hh.LabelCoverage(h="log", ignore=(), min_share=(0.05, 0.2)),
    hh.TransitionCoverage(h="sqrt", parsimony=0.0),
    hh.RegionCoverage(np.arange(24 * 24).reshape(24, 24) // 96, robust=8),
], ids=repr)  # fmt: skip
def test_lists_on_an_image(diversity):
    """What used to need an integer program: whole images, with a certificate."""
    random = np.random.default_rng(1)
    scores = random.normal(size=(24, 24, 4)) + 2 * np.eye(4)[(np.arange(24) // 6)][:, None]
    model = hh.Grid(scores, smoothness=1.0)
    found = hh.diverse(model, diversity, m=4, tradeoff=20.0, distinct=True)
    assert set(found.oracles) <= {"expansion", "swap", "trws", "lagrangian"}  # the last one keeps labelings apart
    assert found.distinct == 4
    assert found.objective <= found.upper_bound < np.inf
    assert 0.8 <= found.ratio <= 1.0


def test_refusals_name_the_reason():
    model = hh.FactorGraph([[0.0, 1.0, 2.0]] * 3, [[0, 1], [1, 2]], 1.0)
    pairs = np.ones((3, 3))
    with pytest.raises(hh.UnsupportedError, match="not TransitionWeights"):
        hh.best(model, [TransitionWeights(pairs)], "expansion")
    with pytest.raises(hh.UnsupportedError, match="ordered transitions or unordered ones, not both"):
        hh.best(model, [TransitionWeights(pairs), TransitionWeights(pairs, ordered=True)], "swap")
