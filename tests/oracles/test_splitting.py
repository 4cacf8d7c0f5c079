# SPDX-License-Identifier: BSD-3-Clause
"""Steps that are made of others: weights of single labelings and clamped terms, with every oracle."""

from __future__ import annotations

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.potentials import Cardinality, Clamped, Constant, LabelWeights, Linear, MemberWeights, total_value

ORACLES = ["auto", "exhaustive", "trws", "expansion", "swap", "ilp", "lagrangian"]


def small_model(random):
    return hh.FactorGraph(random.normal(size=(4, 3)), [[0, 1], [1, 2], [2, 3], [3, 0]], random.random(4))


def best_rows(model, potentials, count):
    every = hh.testing.all_labelings(model)
    values = np.asarray(model.score(every)) + total_value(model, potentials, every)
    return every[np.argsort(-values)[:count]]


@pytest.mark.parametrize("oracle", ORACLES[:-1])
def test_weights_of_single_labelings(oracle):
    """The best labelings cost something: the answer is one of the others, or the one that costs least."""
    random = np.random.default_rng(1)
    inside = 0
    for trial in range(6):
        model = small_model(random)
        linear = Linear(random.normal(size=(4, 3)))
        rows = best_rows(model, [linear], 4)
        taken = MemberWeights(rows, -random.random(4) * 0.2 - (0.0 if trial % 2 else 20.0))
        hh.testing.check_oracle(hh.oracles.get(oracle), model, [linear, taken, Constant(0.5)])
        step = hh.best(model, [linear, taken], oracle=oracle)
        inside += (step.labeling == rows).all(axis=1).any()
        other = hh.oracles.get(oracle).on(model).step_apart([linear, taken], rows[:2], 1)
        assert not (other.labeling == rows[:2]).all(axis=1).any()
        every = hh.testing.all_labelings(model)
        fresh = np.array([not (y == rows[:2]).all(axis=1).any() for y in every])
        top = (np.asarray(model.score(every)) + total_value(model, [linear, taken], every))[fresh].max()
        assert other.value <= top + 1e-9 <= other.upper_bound + 2e-6
        if other.exact:
            assert other.value >= top - 1e-6
    assert 0 < inside < 6


@pytest.mark.parametrize("oracle", ORACLES)
def test_clamped_terms(oracle):
    random = np.random.default_rng(2)
    clamped = 0
    for _ in range(6):
        model = small_model(random)
        term = Clamped([Constant(-1.0), LabelWeights(random.normal(size=3))])
        both = [term, Clamped([Linear(random.normal(size=(4, 3))), Constant(-2.0)])]
        if hh.oracles.get(oracle).refusal(model, term.parts) is not None:
            continue
        hh.testing.check_oracle(hh.oracles.get(oracle), model, both)
        assert hh.best(model, [2.0 * term], oracle).value == pytest.approx(
            hh.best(model, [2.0 * term], "exhaustive").value
        )
        clamped += float(term.value(model, hh.best(model, [term], oracle).labeling)) == 0.0
    if oracle != "trws":
        assert clamped > 0


def test_members_are_all_there_is():
    model = hh.FactorGraph([[1.0, 0.0]])
    step = hh.best(model, MemberWeights([[0], [1]], [-5.0, -1.0]))
    assert step.labeling.tolist() == [1]
    assert step.exact
    assert step.value == step.upper_bound == -1.0


def test_step_apart_returns_the_nearest_where_it_is_far_enough():
    model = hh.FactorGraph([[1.0, 0.0]] * 3)
    assert hh.oracles.get("auto").on(model).step_apart([], [np.array([1, 1, 1])], 1).labeling.tolist() == [0, 0, 0]


def test_wrong_arguments():
    model = hh.FactorGraph([[1.0, 0.0]] * 3)
    with pytest.raises(ValueError, match="w must be at most 0"):
        MemberWeights([[0, 0, 0]], [1.0])
    with pytest.raises(ValueError, match="one weight per labeling"):
        MemberWeights([[0, 0, 0]], [-1.0, -2.0])
    with pytest.raises(ValueError, match="labelings must have 3 labels"):
        hh.best(model, MemberWeights([[0, 0]], [-1.0]))
    with pytest.raises(ValueError, match="reference must have 3 labels"):
        hh.best(model, Clamped([Cardinality([0, 0], [0.0, 1.0, 2.0])]))
