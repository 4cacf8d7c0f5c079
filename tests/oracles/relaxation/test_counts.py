# SPDX-License-Identifier: BSD-3-Clause
"""Functions of one count on forests, exactly; loopy messages for distances, with a bound."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from tests.draws import draws, random_model
from tests.oracles.relaxation.test_distance_bounds import random_potentials

import hedgehop as hh
from hedgehop import _core
from hedgehop.oracles import Messages, Tree
from hedgehop.potentials import BallCoverage, Cardinality, LabelWeights, Linear

few = settings(max_examples=60, deadline=None, derandomize=True)


def random_count(random, n, labels):
    reference = random.integers(0, labels, n)
    whole = random.integers(0, 3, n)
    weights = None if random.random() < 0.5 else whole
    table = random.normal(size=int(n if weights is None else whole.sum()) + 1) * 3
    if random.random() < 0.3:
        table[random.random(table.size) < 0.3] = -np.inf
        table[random.integers(table.size)] = 0.0
    return Cardinality(reference, table, weights)


@few
@given(random=draws())
def test_forests_are_exact_for_any_function_of_one_count(random):
    n, labels = int(random.integers(1, 7)), int(random.integers(1, 4))
    model = random_model(random, n, labels, tree=random.integers(2) == 0)
    if Tree().refusal(model, ()) is not None:
        model = hh.Chain(random.normal(size=(n, labels)), random.integers(-2, 3, (labels, labels)))
    count = random_count(random, n, labels)
    potentials = [count, count.scaled(0.5), Linear(random.normal(size=(n, labels)))]
    assert Tree().refusal(model, potentials) is None
    every = hh.testing.all_labelings(model)
    values = model.score(every) + sum(p.value(model, every) for p in potentials)
    if np.isneginf(values).all():
        with pytest.raises(hh.InfeasibleError):
            hh.best(model, potentials, "tree")
        return
    step = hh.best(model, potentials, "tree")
    assert step.exact
    assert step.value == pytest.approx(values.max())


def test_second_ball_on_a_chain_is_exact():
    random = np.random.default_rng(0)
    chain = hh.Chain(random.normal(size=(300, 4)), random.normal(size=(4, 4)))
    found = hh.diverse(chain, hh.HammingBall(gamma=0.05), m=2, tradeoff=30.0)
    assert found.oracles == ("tree", "tree")
    assert found.exact.all()
    slopes = hh.best(chain, hh.HammingBall(gamma=0.05).potentials(chain, found.labelings[:1])[0].scaled(30.0), "slopes")
    assert slopes.value <= found.gains[1] + 1e-9 <= slopes.upper_bound + 2e-9


def test_tree_refuses_two_counts_and_tables_that_do_not_fit():
    model = hh.Chain(np.zeros((4, 2)), np.zeros((2, 2)))
    first, other = Cardinality([0] * 4, np.arange(5.0)), Cardinality([1] * 4, np.arange(5.0))
    ball = BallCoverage([[0] * 4], [0.1, 0.2, 0.3, 0.4]).pair(np.zeros(4, np.int32))
    for potentials in ([first, other], [ball], [first, LabelWeights([1.0, 2.0])]):
        with pytest.raises(hh.UnsupportedError, match="linear potentials only"):
            hh.best(model, potentials, "tree")
    long = hh.Chain(np.zeros((9000, 2)), np.zeros((2, 2)))
    with pytest.raises(hh.UnsupportedError, match="9001 counts of 9000 variables are too many"):
        hh.best(long, Cardinality(np.zeros(9000, int), np.zeros(9001)), "tree")
    assert Tree().max_marginals(model, [first]) is None


@few
@given(random=draws())
def test_messages_step_is_bounded_and_says_what_it_is(random):
    n, labels = int(random.integers(1, 6)), int(random.integers(1, 4))
    model = random_model(random, n, labels)
    potentials = random_potentials(random, n, labels)
    oracle = Messages(iterations=int(random.integers(1, 20)), damping=float(random.choice([0.0, 0.5, 0.9])))
    if oracle.refusal(model, potentials) is None:
        hh.testing.check_oracle(oracle, model, potentials)


def test_messages_on_chains_of_tables_with_one_count_are_often_optimal():
    """A cardinality factor closes cycles, so that there is no guarantee; but it must do well."""
    random = np.random.default_rng(3)
    hits = 0
    for _ in range(50):
        chain = hh.Chain(random.normal(size=(7, 3)), random.normal(size=(3, 3)) * 0.5)
        count = Cardinality(random.integers(0, 3, 7), -4.0 * np.exp(-0.5 * np.arange(8)))
        hits += hh.best(chain, count, "messages").value >= hh.best(chain, count, "tree").value - 1e-9
    assert hits >= 40


def test_whole_lists_by_messages():
    random = np.random.default_rng(4)
    model = hh.Grid(random.normal(size=(8, 9, 3)), smoothness=0.5)
    found = hh.diverse(model, hh.HammingBall(gamma=0.1, steer="sum"), m=4, tradeoff=10.0, oracle="messages")
    assert set(found.oracles) == {"messages"}
    assert found.distinct == 4
    assert found.objective <= found.upper_bound
    assert hh.diverse(model, hh.HammingBall(gamma=0.1), m=2, tradeoff=10.0).oracles[1] != "messages"


def test_messages_refuse_what_they_cannot_do():
    model = hh.FactorGraph(np.zeros((3, 2)), [[0, 1]], 1.0)
    count = Cardinality([0, 0, 0], np.arange(4.0))
    refused = SimpleNamespace(
        labels=([count, LabelWeights([1.0, 0.0])], "linear potentials only"),
        limits=([Cardinality([0, 0, 0], [-np.inf, 0.0, 0.0, 0.0])], "cannot forbid counts"),
        weights=([Cardinality([0, 0, 0], np.arange(5.0), [1, 1, 2])], "count alike"),
    )
    for potentials, reason in vars(refused).values():
        with pytest.raises(hh.UnsupportedError, match=reason):
            hh.best(model, potentials, "messages")
    forbidding = hh.Chain(np.zeros((3, 2)), [[0.0, -np.inf], [0.0, 0.0]])
    with pytest.raises(hh.UnsupportedError, match="some pair of labels is forbidden"):
        hh.best(forbidding, count, "messages")
    with pytest.raises(ValueError, match="damping must be below 1"):
        Messages(damping=1.0)
    with pytest.raises(hh.InfeasibleError):
        hh.best(model, [count, Linear([[-np.inf, -np.inf], [0, 0], [0, 0]])], "messages")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"references": np.zeros((1, 2), np.int32)}, "references must have 3 columns"),
        ({"tables": np.zeros((1, 3))}, "tables must have 4 columns"),
        ({"tables": np.zeros((2, 4))}, "one row per reference"),
        ({"tables": np.full((1, 4), -np.inf)}, "tables must be finite"),
        ({"damping": 1.0}, "damping must be"),
        ({"edges": np.array([[0, 0]], np.int32)}, "self-loop"),
        ({"strengths": np.array([-1.0])}, "strengths must be"),
        ({"unary": np.full((3, 2), -np.inf)}, "variable 0 has no allowed label"),
    ],
)
def test_kernel_of_messages_checks_its_input(change, reason):
    pairs = {"edges": np.array([[0, 1]], np.int32), "strengths": np.ones(1)}
    given = {
        "unary": np.zeros((3, 2)), "references": np.zeros((1, 3), np.int32), "tables": np.zeros((1, 4)), "sweeps": 2,
        "damping": 0.5,
    }  # fmt: skip

    def run(**at):
        taken = {name: at.pop(name, value) for name, value in pairs.items()}
        return _core.local.max_product(pairs=_core.Pairs.potts((3, 2), **taken), **{**given, **at})

    assert run().shape == (3, 3)
    with pytest.raises(ValueError, match=reason):
        run(**change)


def test_kernel_of_counts_checks_its_input():
    model = (np.zeros((3, 2)), _core.Pairs.potts((3, 2), np.array([[0, 1]], np.int32), np.ones(1)))
    reference, weights = np.zeros(3, np.int32), np.ones(3, np.int32)
    assert _core.graphs.forest_counted_argmax(*model, reference, weights, np.arange(4.0))[1] == 3.0
    with pytest.raises(ValueError, match="table must have 4 entries"):
        _core.graphs.forest_counted_argmax(*model, reference, weights, np.zeros(3))
    with pytest.raises(ValueError, match="weights must be nonnegative"):
        _core.graphs.forest_counted_argmax(*model, reference, -weights, np.zeros(4))
    with pytest.raises(ValueError, match="reference must have 3 entries"):
        _core.graphs.forest_counted_argmax(*model, reference[:2], weights, np.zeros(4))


@pytest.mark.parametrize("seed", [4, 6, 31, 45])
def test_biased_labels_find_what_multipliers_and_ascent_miss(seed):
    random = np.random.default_rng(seed)
    chain = hh.Chain(random.normal(size=(7, 3)), 0.5 * np.eye(3))
    weights = LabelWeights(random.normal(size=3) * 3)
    step = hh.best(chain, weights, "lagrangian")
    assert step.value == pytest.approx(hh.best(chain, weights, "exhaustive").value, abs=1e-9)
