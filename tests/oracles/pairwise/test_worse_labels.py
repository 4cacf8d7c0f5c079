# SPDX-License-Identifier: BSD-3-Clause
"""Labels that programs need not consider: never one of a better labeling, and many of them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.oracles import Kruskal
from hedgehop.oracles.pairwise.rest import without_worse_labels
from hedgehop.potentials import BallCoverage, Cardinality, Constant, LabelWeights, Linear, RegionWeights


@pytest.mark.parametrize("seed", range(12))
def test_no_label_of_a_better_labeling_is_left_out(seed):
    random = np.random.default_rng(seed)
    model = hh.Grid(3 * random.normal(size=(2, 3, 3)), smoothness=random.random())
    terms = [
        LabelWeights(random.normal(size=3)), RegionWeights([[0, 1, 3]], random.normal(size=(1, 3))), Constant(2.5),
        Linear(random.normal(size=(6, 3))),
    ]  # fmt: skip
    every = hh.testing.all_labelings(model)
    values = model.score(every.reshape(-1, 2, 3)) + hh.potentials.total_value(model, terms, every)
    for place in [*random.permutation(len(every))[:5].tolist(), int(values.argmax())]:
        known = hh.oracles.Step(every[place].reshape(2, 3), float(values[place]), np.inf, False, "")
        left = without_worse_labels(model, terms, known)
        assert left[: len(terms)] == terms
        allowed = np.isfinite(left[-1].theta[np.arange(6), every]).all(axis=1) if len(left) > 4 else values > -np.inf
        assert allowed[place]
        assert allowed[values > values[place] + 1e-9].all()


def test_most_labels_are_left_out_where_rewards_are_earned():
    random = np.random.default_rng(0)
    model = hh.Grid(random.normal(size=(12, 16, 5)), smoothness=1.0)
    reward = LabelWeights(5.0 * random.random(5))
    left = without_worse_labels(model, [reward], hh.best(model, reward, oracle="expansion"))
    assert np.isneginf(left[1].theta).mean() > 0.5
    assert hh.best(model, reward).exact


def test_tables_of_counts_bound_what_labels_may_earn_just_as_thresholds_do():
    model = hh.Grid(np.random.default_rng(1).normal(size=(8, 8, 3)), smoothness=0.2)
    flat = hh.best(model).labeling.reshape(-1)
    near = hh.potentials.Cardinality(flat, np.where(np.arange(65) < 3, 2.0, 0.0))
    left = without_worse_labels(model, [near], hh.best(model, near))
    assert 0.1 < np.isneginf(left[1].theta).mean() < 1.0
    assert np.isfinite(left[1].theta[np.arange(64), flat]).all()


@pytest.mark.parametrize("seed", range(6))
def test_no_edge_of_a_better_tree_is_left_out(seed):
    random = np.random.default_rng(seed)
    edges = [(a, b) for a in range(5) for b in range(a)]
    model = hh.SpanningTree(edges, random.normal(size=10))
    every = hh.testing.all_labelings(model)
    first, second = every[random.permutation(len(every))[:2]]
    limits = [Cardinality(y, np.where(np.arange(11) < 4, -np.inf, np.arange(11.0) / 10)) for y in (first, second)]
    terms = [*limits, BallCoverage([first, second], np.full(10, 0.5), 0.3), Linear(random.normal(size=(10, 2)))]
    values = model.score(every) + hh.potentials.total_value(model, terms, every)
    for place in [*random.permutation(np.flatnonzero(np.isfinite(values)))[:8].tolist(), int(values.argmax())]:
        known = hh.oracles.Step(every[place], float(values[place]), np.inf, False, "")
        left = without_worse_labels(model, terms, known, partial(Kruskal().max_marginals, model))
        allowed = np.isfinite(left[-1].theta[np.arange(10), every]).all(axis=1) if len(left) > 4 else values > -np.inf
        assert allowed[place]
        assert allowed[values > values[place] + 1e-9].all()


def test_few_edges_are_left_of_a_tree_that_keeps_its_distance():
    random = np.random.default_rng(0)
    edges = [(i, i + 1) for i in range(39)] + [(i, int(random.integers(i - 1))) for i in range(3, 40)] * 2
    model = hh.SpanningTree(edges, random.normal(size=len(edges)))
    limit = Cardinality(hh.best(model).labeling, np.where(np.arange(len(edges) + 1) < 4, -np.inf, 0.0))
    known = hh.best(model, limit)
    left = without_worse_labels(model, [limit], known, partial(Kruskal().max_marginals, model))
    assert np.isneginf(left[1].theta).any(axis=1).mean() > 0.8


def test_what_is_no_sum_of_functions_of_counts_is_left_alone():
    model = hh.FactorGraph(np.zeros((3, 2)), [[0, 1]], 1.0)
    own = hh.potentials.Function(lambda y: float(y.sum() == 2))
    known = hh.best(model)
    assert without_worse_labels(model, [own], known) == [own]
    assert without_worse_labels(model, [], known) == []
    tree = hh.SpanningTree([[0, 1], [1, 2], [0, 2]], [1.0, 2.0, 3.0])
    costs = LabelWeights([0.0, -1.0])
    assert without_worse_labels(tree, [costs], hh.best(tree, costs)) == [costs]
