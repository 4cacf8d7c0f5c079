# SPDX-License-Identifier: BSD-3-Clause
"""Detours: no route that leaves another one at a given edge is better than its bound, and few are searched."""

import itertools

import networkx as nx
import numpy as np
import pytest

import hedgehop as hh
from hedgehop.oracles.exact.path import ShortestPath, detours


def routes_of(model: hh.Path) -> np.ndarray:
    """All routes, by networkx."""
    graph = nx.MultiDiGraph() if model.directed else nx.MultiGraph()
    graph.add_edges_from((u, v, e) for e, (u, v) in enumerate(model.edges.tolist()))
    found = nx.all_simple_edge_paths(graph, model.source, model.target)
    rows = [np.isin(np.arange(model.n_variables), [e for _, _, e in route]) for route in found]
    return np.array(rows, np.int32)


def random_path(seed: int, directed: bool) -> hh.Path:
    random = np.random.default_rng(seed)
    edges = [(u, v) for u, v in itertools.permutations(range(6), 2) if directed or u < v]
    kept = [edges[k] for k in random.choice(len(edges), 9, replace=False)] + [(0, 3), (3, 5), (0, 3)]
    lengths = random.uniform(0.0, 2.0, len(kept)) * (random.random(len(kept)) < 0.8)
    return hh.Path(kept, lengths, 0, 5, directed)


def changes(model: hh.Path, seed: int) -> hh.potentials.Linear:
    """Make using edges cost more, and not using them worth something."""
    more = np.random.default_rng(seed).uniform(0.0, 1.0, model.n_variables)
    return hh.potentials.Linear(np.stack([np.full_like(more, 0.25), -more], axis=1))


@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_no_detour_is_better_than_its_bound(seed, directed, changed):
    model = random_path(seed, directed)
    potentials = [changes(model, seed)] if changed else []
    rows = routes_of(model)
    values = model.score(rows) + sum(p.value(model, rows) for p in potentials)
    best = rows[np.argmax(values)]
    bounds = detours(model, potentials, best)
    order, tight = model.route(best), 0
    for k, e in enumerate(order):
        leaving = (rows[:, order[:k]] == 1).all(axis=1) & (rows[:, e] == 0)
        most = values[leaving].max(initial=-np.inf)
        assert bounds[e, 0] >= most - 1e-12
        tight += bool(bounds[e, 0] <= most + 1e-12)
    if directed and not changed:  # distances of the model itself, without a way back, are tight somewhere
        assert tight


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_the_best_routes_are_those_of_an_enumeration(seed, directed):
    model = random_path(seed, directed)
    values = np.sort(model.score(routes_of(model)))[::-1][:6]
    found = hh.baselines.m_best(model, m=6)
    assert len(np.unique(found, axis=0)) == len(found) == len(values)
    np.testing.assert_allclose(model.score(found), values, atol=1e-12)


def test_steps_that_reward_edges_have_no_such_bounds():
    model = hh.Path([[0, 1], [1, 2], [0, 2]], [1.0, 1.0, 3.0], 0, 2)
    rewarded = hh.potentials.Linear(np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 4.0]]))
    assert detours(model, [rewarded], np.array([1, 1, 0], np.int32)) is None


def test_few_searches_find_the_shortest_routes_of_a_town():
    searches = 0

    class Counting(ShortestPath):
        def maximize(self, model, potentials):
            nonlocal searches
            searches += 1
            return super().maximize(model, potentials)

    side, random = 40, np.random.default_rng(0)
    nodes = np.arange(side * side).reshape(side, side)
    pairs = ((nodes[:, :-1], nodes[:, 1:]), (nodes[:-1], nodes[1:]))
    edges = np.concatenate([np.c_[a.ravel(), b.ravel()] for a, b in pairs])
    town = hh.Path(edges, random.uniform(1.0, 3.0, len(edges)), 0, side * side - 1, directed=False)
    found = hh.baselines.m_best(town, m=5, oracle=Counting())
    assert len(np.unique(found, axis=0)) == 5
    assert searches < 20  # without bounds one for each of some 400 edges
