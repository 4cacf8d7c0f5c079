# SPDX-License-Identifier: BSD-3-Clause
"""Weights of labels and kinds, with sizes, by linear steps: bounds, minorants and lists against enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conformance.structures import STRUCTURES, WITHOUT_EDGES, Dice, dice

import hedgehop as hh
from hedgehop.oracles import Exhaustive, Lagrangian, Trws
from hedgehop.oracles.folding import changed_unary
from hedgehop.oracles.relaxation.counts import below
from hedgehop.potentials import Cardinality, KindWeights, LabelWeights, Linear, total_value

few = settings(max_examples=25, deadline=None, derandomize=True)
SHARES = (0.0, 0.3, 0.5, 0.9)
OWN_ORACLES = {"own_solver", "program", "mixed_program"}  # whose steps only their own oracles can write
SEVERAL = sorted(
    {*WITHOUT_EDGES, "chain", "potts", "ragged", "grid4", "one_label", "one_variable", "edge_tables"} - OWN_ORACLES
)


def some_weights(d: Dice, model: hh.Model) -> list:
    n, labels = model.n_variables, int(model.label_counts.max())
    kinds = KindWeights(d.random.integers(-1, 2, (n, labels)), d.scores(2), float(d.random.choice(SHARES)))
    return [kinds, LabelWeights(d.scores(labels), float(d.random.choice(SHARES))), kinds.scaled(-0.5)]


def allowed(model):
    every = hh.testing.all_labelings(model)
    return every[np.isfinite(model.score(every))]


@pytest.mark.parametrize("structure", SEVERAL)
@few
@given(d=dice(), count=st.integers(1, 3))
def test_steps_are_bounded_and_say_what_they_are(structure, d, count):
    model = STRUCTURES[structure](d)
    potentials = [*some_weights(d, model)[:count], Linear(d.scores(model.n_variables, int(model.label_counts.max())))]
    oracle = Lagrangian(calls=int(d.random.integers(1, 20)), starts=int(d.random.integers(1, 5)))
    hh.testing.check_oracle(oracle, model, potentials)
    if structure not in {"automaton", "grammar"}:  # programs cannot write these
        hh.testing.check_oracle(hh.oracles.get("ilp"), model, potentials)


@few
@given(d=dice(), inner=st.sampled_from([Exhaustive(), Trws()]))
def test_inner_oracles_and_other_potentials(d, inner):
    model = STRUCTURES["potts"](d)
    hh.testing.check_oracle(Lagrangian(inner=inner), model, some_weights(d, model))
    ball = Cardinality([0, 1, 2, 0], -4.0 * np.exp(-0.5 * np.arange(5)))
    hh.testing.check_oracle(Lagrangian(), model, [*some_weights(d, model), ball])


@pytest.mark.parametrize("structure", ["chain", "spanning_tree", "relations", "one_variable"])
@few
@given(d=dice())
def test_minorants_are_below_and_tight(structure, d):
    model = STRUCTURES[structure](d)
    weights, rows = some_weights(d, model), allowed(model)
    values = total_value(model, weights, rows)
    k = int(d.random.integers(len(rows)))
    counts = [count for p in weights for count in p.counts(model)]
    scores = below(counts, rows[k], d.random.normal(size=model.n_variables), model.unary.shape)
    minorant = Linear(scores).value(model, rows)
    minorant += values[k] - minorant[k]
    assert (minorant <= values + 1e-9).all()


def test_gaps_are_what_the_cheapest_label_of_a_kind_loses():
    model = hh.FactorGraph([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]])
    codes = KindWeights([0, 1, 1], [1.0, 1.0]).counts(model)[0].codes
    losses = codes.losses(changed_unary(model, None), np.array([0, 1], np.int32))
    assert losses.tolist() == [[0.0, 1.0], [5.0, 0.0]]
    some = KindWeights([0, 1, -1], [1.0, 1.0]).counts(model)[0].codes
    losses = some.losses(changed_unary(model, None), np.array([0, 1], np.int32))
    assert losses.tolist() == [[0.0, 2.0, 1.0], [5.0, 0.0, 1.0]]


@pytest.mark.parametrize("oracle", ["biases", "expansion", "swap"])
@pytest.mark.parametrize("weight", [6.0, -6.0])
def test_labels_grow_to_a_level_or_shrink_below_it(oracle, weight):
    """No single variable earns the reward or saves the cost, and all of them together overshoot."""
    scores = np.zeros((10, 2))
    scores[:, 1] = np.linspace(-0.5, -2.0, 10) if weight > 0 else np.linspace(0.5, 2.0, 10)
    chain = hh.Chain(scores, [[0.0, -0.1], [-0.1, 0.0]])
    level = LabelWeights([0.0, weight], min_share=0.5)
    step = hh.best(chain, level, oracle)
    best = hh.best(chain, level, "exhaustive")
    assert step.value == pytest.approx(best.value)
    assert (step.labeling == 1).sum() == (5 if weight > 0 else 4)


@pytest.mark.parametrize("structure", ["chain", "spanning_tree", "matching", "relations", "grid4"])
def test_most_steps_are_optimal(structure):
    hits = 0
    for seed in range(30):
        d = Dice(np.random.default_rng(seed), False, False, 0.0)
        model = STRUCTURES[structure](d)
        weights = some_weights(d, model)[: 1 + seed % 2]
        hits += hh.best(model, weights, "biases").value >= hh.best(model, weights, "exhaustive").value - 1e-9
    assert hits >= 24


def test_lists_of_large_parses_and_trees():
    random = np.random.default_rng(0)
    parse = hh.Arborescence(random.normal(size=(12, 13, 30)), single_root=True)
    relations = np.arange(parse.n_labels) % parse.n_relations
    found = hh.diverse(parse, hh.KindCoverage(relations, parsimony=0.0), m=4, tradeoff=2.0)
    assert set(found.oracles) == {"lagrangian"}
    shown = np.unique(parse.split(found.labelings)[1]).size
    assert shown > np.unique(parse.split(hh.best(parse).labeling)[1]).size
    assert found.objective <= found.upper_bound
    edges = list(itertools.combinations(range(25), 2))
    tree = hh.SpanningTree(edges, random.random(len(edges)))
    colours = np.stack([np.full(len(edges), -1), random.integers(0, 8, len(edges))], axis=1)
    found = hh.diverse(tree, hh.KindCoverage(colours), m=3, tradeoff=2.0)
    assert found.distinct == 3
    assert found.guarantee > 0.3


def test_tags_of_a_chain_by_families():
    """B-NP and I-NP are one family: a list covers families, not the letters before them."""
    chain = hh.Chain([[3.0, 2.9, 0.0, 0.0, 1.0]] * 3, np.zeros((5, 5)))
    families = hh.KindCoverage([0, 0, 1, 1, -1], h="count", parsimony=0.0)
    found = hh.diverse(chain, families, m=2, tradeoff=4.0)
    assert families.value(chain, found.labelings) == 2.0
    assert families.value(chain, [[0, 1, 4], [1, 1, 4]]) == 1.0


def test_refusals():
    model = hh.FactorGraph(np.zeros((3, 2)), [[0, 1]], 1.0)
    with pytest.raises(hh.UnsupportedError, match="no potential is a function of distances, counts or samples"):
        hh.best(model, oracle="biases")
    with pytest.raises(ValueError, match="starts must be"):
        Lagrangian(starts=0)


@pytest.mark.parametrize(("make", "message"), [
    (lambda m: KindWeights([0, 2], [1.0]), r"kinds must be -1..0, one weight each; got 2."),
    (lambda m: KindWeights([0, -2], [1.0]), "kinds must be at least 0, or -1 for none; got -2."),
    (lambda m: KindWeights([[[0]]], [1.0]), r"kinds must have shape \(L,\) or \(n, L\); got \(1, 1, 1\)."),
    (lambda m: hh.KindCoverage([-1, -1]), "kinds are all -1, so nothing counts."),
    (lambda m: hh.KindCoverage([0, 1, 2]).value(m, []), r"kinds must have shape \(2,\) or \(3, 2\); got \(3,\)."),
    (lambda m: hh.best(m, KindWeights(np.zeros((2, 2), int), [1.0])), r"shape \(2,\) or \(3, 2\); got \(2, 2\)."),
])  # fmt: skip
def test_kinds_that_do_not_fit(make, message):
    with pytest.raises(ValueError, match=message):
        make(hh.FactorGraph(np.zeros((3, 2))))
