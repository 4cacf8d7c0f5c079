# SPDX-License-Identifier: BSD-3-Clause
"""Functions of several distances on chains, exactly, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.draws import draws

import hedgehop as hh
from hedgehop.oracles import ChainCounts
from hedgehop.potentials import Cardinality, LabelWeights, Linear

few = settings(max_examples=80, deadline=None, derandomize=True)


def random_count(random, n, labels):
    weights = None if random.random() < 0.5 else random.integers(0, 3, n)
    table = random.integers(-3, 4, 1 + (n if weights is None else int(weights.sum()))).astype(float)
    table[random.random(table.size) < 0.2] = -np.inf
    return Cardinality(random.integers(0, labels, n), table, weights)


@few
@given(random=draws(), several=st.integers(0, 3))
def test_chains_are_exact_for_any_functions_of_distances(random, several):
    n, labels = int(random.integers(1, 6)), int(random.integers(1, 4))
    steps = random.integers(-2, 3, (labels, labels) if random.integers(2) else (n - 1, labels, labels)).astype(float)
    steps[random.random(steps.shape) < 0.1] = -np.inf
    chain = hh.Chain(random.normal(size=(n, labels)) - 4.0 * random.integers(3), steps)
    potentials = [random_count(random, n, labels) for _ in range(several)]
    potentials += [p.scaled(0.5) for p in potentials[:1]] + [Linear(random.normal(size=(n, labels)))]
    every = hh.testing.all_labelings(chain)
    values = chain.score(every) + sum(p.value(chain, every) for p in potentials)
    if np.isneginf(values).all():
        with pytest.raises(hh.InfeasibleError):
            hh.best(chain, potentials, "chain")
        return
    step = hh.best(chain, potentials, "chain")
    assert step.exact
    assert step.value == pytest.approx(values.max())


def test_lists_of_balls_steered_by_the_sum_are_exact_on_a_short_chain():
    random = np.random.default_rng(0)
    chain = hh.Chain(random.normal(size=(16, 5)), random.normal(size=(5, 5)))
    found = hh.diverse(chain, hh.HammingBall(gamma=0.2, steer="sum"), m=4, tradeoff=6.0, distinct=False)
    assert found.oracles == ("tree", "tree", "chain", "chain")
    steering = [p.scaled(6.0) for p in hh.HammingBall(gamma=0.2, steer="sum").potentials(chain, found.labelings[:3])]
    program = hh.best(chain, steering, "ilp")
    assert hh.best(chain, steering).value == pytest.approx(program.value, abs=1e-5)


def test_several_distances_are_kept_exactly():
    random = np.random.default_rng(1)
    chain = hh.Chain(random.normal(size=(7, 3)), random.normal(size=(3, 3)))
    found = hh.diverse(chain, hh.LinearHamming(), m=3, tradeoff=0.0, min_distance=4, oracle="chain")
    every = hh.testing.all_labelings(chain)
    far = every[(every[:, None] != found.labelings[None, :2]).sum(axis=2).min(axis=1) >= 4]
    assert found.relevance[2] == pytest.approx(chain.score(far).max())


def test_refusals():
    chain = hh.Chain(np.zeros((40, 2)), np.zeros((2, 2)))
    several = [Cardinality(np.full(40, k), np.zeros(41)) for k in range(2)]
    oracle = ChainCounts()
    assert oracle.refusal(chain, several) is None
    third = Cardinality(np.arange(40) % 2, np.zeros(41))
    assert oracle.refusal(chain, [*several, third]) == "5513680 cells of counts are more than 4194304"
    assert "not LabelWeights" in oracle.refusal(chain, [LabelWeights([1.0, 2.0])])
    assert oracle.refusal(hh.Matching([[0.0]]), []) == "it solves Chain models, not Matching"


@pytest.mark.parametrize(("oracle", "many"), [("chain", 2), ("tree", 1), ("tree", 0)])
def test_chains_with_distances_say_when_nothing_is_allowed(oracle, many):
    model, ball = hh.Chain(np.zeros((2, 2)), np.zeros((2, 2))), [0.0, 1.0, 3.0]
    forbidden = hh.potentials.Linear([[-np.inf, -np.inf], [0.0, 0.0]])
    distances = [hh.potentials.Cardinality(y, ball) for y in ([0, 0], [0, 1])]
    with pytest.raises(hh.InfeasibleError, match="no labeling is allowed"):
        hh.oracles.get(oracle).maximize(model, [forbidden, *distances[:many]])
