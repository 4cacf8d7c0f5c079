# SPDX-License-Identifier: BSD-3-Clause
"""Routes: which labelings are one, shortest ones against Floyd's and Yen's definitions, coverage of nodes, measures."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

import hedgehop as hh


def town(seed: int, side: int = 6, directed: bool = True) -> hh.Path:
    """Streets in squares, both ways, with random lengths."""
    random = np.random.default_rng(seed)
    ids = np.arange(side * side).reshape(side, side)
    pairs = np.concatenate(
        [np.stack([ids[:, :-1].ravel(), ids[:, 1:].ravel()], 1), np.stack([ids[:-1].ravel(), ids[1:].ravel()], 1)]
    )
    edges = np.concatenate([pairs, pairs[:, ::-1]]) if directed else pairs
    return hh.Path(edges, random.uniform(1.0, 3.0, len(edges)), 0, side * side - 1, directed)


def as_networkx(model: hh.Path) -> nx.Graph:
    graph = nx.DiGraph() if model.directed else nx.Graph()
    graph.add_weighted_edges_from(
        [(int(a), int(b), float(w)) for (a, b), w in zip(model.edges, model.lengths, strict=True)]
    )
    return graph


@pytest.mark.parametrize("directed", [True, False])
def test_the_m_best_routes_are_those_of_networkx(directed):
    model = town(1, 4, directed)
    yen = nx.shortest_simple_paths(as_networkx(model), model.source, model.target, weight="weight")
    wanted = [nx.path_weight(as_networkx(model), p, "weight") for p in itertools.islice(yen, 6)]
    assert -model.score(hh.baselines.m_best(model, m=6)) == pytest.approx(wanted)


@pytest.mark.parametrize("tradeoff", [0.2, 1.0, 20.0])
def test_shared_lengths_keep_every_step_exact(tradeoff):
    model = town(2)
    found = hh.diverse(model, hh.UseCoverage(model.lengths), m=5, tradeoff=tradeoff, distinct=False)
    assert found.exact.all()
    assert set(found.oracles) == {"path"}
    for t in range(1, 5):  # by an independent search, with the lengths the definition gives
        uses = found.labelings[:t].sum(axis=0)
        penalty = np.log(2.0) - np.log1p(uses + 1) + np.log1p(uses)
        again = as_networkx(hh.Path(model.edges, model.lengths * (1 + tradeoff * penalty), model.source, model.target))
        best = nx.shortest_path_length(again, model.source, model.target, "weight")
        assert found.gains[t] == pytest.approx(-best)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_no_route_is_listed_twice_by_default(seed):
    hops = [(i, i + 1) for i in range(10)] + [(i, i + 2) for i in range(9)]  # one far better route than others
    model = hh.Path(hops, np.random.default_rng(seed).random(len(hops)), 0, 10)
    assert hh.diverse(model, distinct=False).distinct < 5
    assert hh.diverse(model).distinct == 5


def test_what_is_longer_is_the_last_resort():
    model = town(3)
    near, far = (hh.diverse(model, m=3, tradeoff=t, distinct=False) for t in (0.01, 30.0))
    shared = [hh.metrics.shared_length(model, f.labelings)[np.triu_indices(3, 1)].mean() for f in (near, far)]
    assert shared[0] > 0.5 > shared[1]
    assert hh.metrics.stretch(model, near.labelings).mean() < hh.metrics.stretch(model, far.labelings).mean()


@pytest.mark.parametrize("seed", [4, 5, 6, 7])
def test_rewards_that_make_circles_pay_are_bounded_not_believed(seed):
    model = town(seed, 3)
    theta = np.zeros((model.n_variables, 2))
    theta[:, 1] = 2.5  # most edges are worth more than they cost
    step = hh.oracles.get("path").on(model).step([hh.potentials.Linear(theta)])
    graph = as_networkx(model)
    routes = nx.all_simple_paths(graph, model.source, model.target)
    best = max(sum(2.5 - graph[a][b]["weight"] for a, b in itertools.pairwise(p)) for p in routes)
    assert step.value <= best + 1e-9 <= step.upper_bound + 1e-8
    closed = hh.best(model, [hh.potentials.Linear(theta)])
    assert closed.exact
    assert closed.value == pytest.approx(best)


def test_bounds_of_circles_that_pay_are_not_below_the_best_route():
    missed = 0
    for seed in range(12):
        model = town(seed, 3)
        theta = np.full((model.n_variables, 2), [0.5, 3.0])
        step = hh.oracles.get("path").on(model).step([hh.potentials.Linear(theta)])
        graph = as_networkx(model)
        worths = [
            sum(2.5 - graph[a][b]["weight"] for a, b in itertools.pairwise(p)) for p in nx.all_simple_paths(graph, 0, 8)
        ]
        best = max(worths) + 0.5 * model.n_variables
        assert step.value <= best + 1e-9
        assert best <= step.upper_bound + 1e-9
        missed += step.value < best - 1e-9
    assert missed > 0


def test_acyclic_graphs_take_lengths_of_any_sign():
    model = hh.Path([[0, 1], [1, 3], [0, 2], [2, 3], [1, 2]], [1.0, 1.0, -2.0, 5.0, -4.0], 0, 3)
    assert hh.best(model).value == pytest.approx(-2.0)  # two routes of length 2
    needed = np.zeros((5, 2))
    needed[4, 0] = -np.inf
    step = hh.best(model, [hh.potentials.Linear(needed)])
    assert step.exact
    assert step.labeling.tolist() == [1, 0, 0, 1, 1]
    with pytest.raises(ValueError, match="has no cycle"):
        hh.Path([[0, 1], [1, 0], [1, 2]], [1.0, -0.5, 1.0], 0, 2)


def test_programs_use_required_edges_of_acyclic_graphs_beside_huge_lengths():
    model = hh.Path([[0, 1], [1, 3], [0, 2], [2, 3], [1, 2]], [1.0, 3e9, -2.0, 5.0, -4.0], 0, 3)
    needed = np.zeros((5, 2))
    needed[2, 0] = -np.inf
    step = hh.oracles.get("ilp").on(model).step([hh.potentials.Linear(needed)])
    assert step.exact
    assert step.labeling.tolist() == [0, 0, 1, 1, 0]
    assert step.value == -3.0
    assert step.upper_bound == pytest.approx(-3.0, abs=1e-6)


@pytest.mark.parametrize("directed", [True, False])
def test_a_street_on_the_way_is_used_by_a_program_and_the_first_one_by_the_search(directed):
    model = town(4, 4, directed)
    graph, (a, b) = as_networkx(model), (5, 6)
    for ends, oracle in (((a, b), "ilp"), ((0, 1), "path")):
        needed = np.zeros((model.n_variables, 2))
        needed[model.edges.tolist().index(list(ends)), 0] = -np.inf
        refusal = hh.oracles.get("path").refusal(model, [hh.potentials.Linear(needed)])
        assert refusal is None if oracle == "path" else "have to be the first ones of the route" in refusal
        step = hh.best(model, [hh.potentials.Linear(needed)])
        routes = [p for p in nx.all_simple_paths(graph, 0, 15) if {ends, ends[::-1]} & set(itertools.pairwise(p))]
        routes = [p for p in routes if not directed or ends in set(itertools.pairwise(p))]
        assert step.value == pytest.approx(-min(nx.path_weight(graph, p, "weight") for p in routes))
        assert step.exact
        assert step.oracle == oracle


@pytest.mark.parametrize("directed", [True, False])
def test_nodes_are_covered_by_linear_steps(directed):
    model = town(5, 3, directed)
    diversity = hh.NodeCoverage(weights=np.linspace(0.5, 1.5, model.n_nodes), h="sqrt")
    every = list(hh.baselines.m_best(model, m=12))
    for chosen in ([], every[:1], every[3:6]):
        [potential] = diversity.potentials(model, np.array(chosen, np.int32).reshape(-1, model.n_variables))
        gains = [diversity.gain(model, y, np.array(chosen, np.int32).reshape(-1, model.n_variables)) for y in every]
        assert potential.values(model, np.array(every)) == pytest.approx(gains)
    visited = [set(model.nodes(y).tolist()) - {model.source, model.target} for y in every[:3]]
    counts = [sum(v in nodes for nodes in visited) for v in range(model.n_nodes)]
    value = sum(w * (np.sqrt(c) - c) for w, c in zip(diversity.weights, counts, strict=True))
    assert diversity.value(model, every[:3]) == pytest.approx(value)
    assert hh.diverse(model, diversity, m=3, tradeoff=5.0).exact.all()


def test_nodes_of_other_models_are_refused():
    with pytest.raises(TypeError, match=r"hh\.Path"):
        hh.diverse(hh.SpanningTree([[0, 1], [1, 2]], [1.0, 1.0]), hh.NodeCoverage(), m=1, tradeoff=1.0)


def test_networks_of_streets_keep_their_parallel_streets():
    streets = nx.MultiDiGraph()
    for u, v, length in [("a", "b", 2.0), ("a", "b", 1.0), ("b", "b", 9.0), ("b", "c", 1.0), ("a", "c", 5.0)]:
        streets.add_edge(u, v, length=length, name="street")
    model = hh.Path.from_networkx(streets, "a", "c")
    assert model.directed
    assert model.n_variables == 4
    assert hh.best(model).value == pytest.approx(-nx.shortest_path_length(streets, "a", "c", "length"))
    with pytest.raises(ValueError, match="has none"):
        hh.Path.from_networkx(streets, "a", "c", length="seconds")
    with pytest.raises(ValueError, match="node of the graph"):
        hh.Path.from_networkx(streets, "a", "z")
    with pytest.raises(TypeError, match=r"the 'name' of edge \('a', 'b'\) must be a number; got 'street'"):
        hh.Path.from_networkx(streets, "a", "c", length="name")
    with pytest.raises(TypeError, match="graph of networkx; got dict"):
        hh.Path.from_networkx({"a": {"b": 1.0}}, "a", "b")


def test_infinite_lengths_close_streets_of_a_network():
    streets = nx.Graph()
    streets.add_weighted_edges_from([("a", "b", np.inf), ("b", "c", 1.0), ("a", "c", 5.0)], weight="length")
    model = hh.Path.from_networkx(streets, "a", "c")
    assert [model.nodes(y).tolist() for y in hh.baselines.m_best(model, m=3)] == [[0, 2]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([[0, 1]], [1.0], 0, 0), "two different nodes"),
        (([[0, 1]], [1.0], 0, 7), "two different nodes"),
        (([[0, 1]], [np.nan], 0, 1), "NaN"),
        (([[0, 1]], [-np.inf], 0, 1), "-inf"),
        (([[0, 1]], [1.0, 2.0], 0, 1), "lengths must have one entry per edge"),
        (([[1, 0]], [1.0], 0, 1), "no route"),
        (([[0, 10**9]], [1.0], 0, 10**9), "numbered 0, 1, 2"),
        (([[0, 1]], [1.0], 0, 1, True, 10**9), "numbered 0, 1, 2"),
        (([[0, 1]], [np.inf], 0, 1), "no route"),
        (([[0, 0], [0, 1]], [1.0, 1.0], 0, 1), "self-loop"),
    ],
)
def test_invalid_arguments_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        hh.Path(*arguments)


def test_measures_of_routes():
    model = town(6, 5)
    routes = hh.baselines.m_best(model, m=8)
    detours = hh.metrics.local_optimality(model, routes)
    assert np.isinf(detours[0])
    assert np.isfinite(detours[1:]).all()
    graph = as_networkx(model)
    for y, detour in zip(routes[1:4], detours[1:4], strict=True):  # by the definition: all parts of the route
        nodes = model.nodes(y).tolist()
        parts = [nodes[i : j + 1] for i in range(len(nodes)) for j in range(i + 1, len(nodes))]
        lengths = [
            (nx.path_weight(graph, p, "weight"), nx.shortest_path_length(graph, p[0], p[-1], "weight")) for p in parts
        ]
        wanted = min(own for own, best in lengths if best < own - 1e-9)
        assert detour * -model.score(routes[0]) == pytest.approx(wanted)


@pytest.mark.parametrize("measure", ["shared_length", "stretch", "local_optimality"])
def test_measures_of_routes_refuse_other_models(measure):
    with pytest.raises(TypeError, match=r"model must be an hh\.Path; got SpanningTree"):
        getattr(hh.metrics, measure)(hh.SpanningTree([[0, 1]], [1.0]), [[1]])


def test_a_single_street_can_be_a_detour():
    model = hh.Path([[0, 1], [0, 1], [1, 2]], [3.0, 1.0, 3.0], source=0, target=2)
    assert hh.metrics.local_optimality(model, [[1, 0, 1], [0, 1, 1]]).tolist() == [0.75, np.inf]


def test_other_methods_return_routes():
    model = town(7)
    penalised, plateaus = hh.baselines.penalised_routes(model, m=4), hh.baselines.plateau_routes(model, m=4)
    for routes in (penalised, plateaus):
        assert np.isfinite(model.score(routes)).all()
        assert model.score(routes[0]) == pytest.approx(hh.best(model).value)
    longer = model.lengths * np.where(penalised[0] == 1, 1.4, 1.0)
    second = hh.Path(model.edges, longer, model.source, model.target)
    assert second.score(penalised[1]) == pytest.approx(hh.best(second).value)
    there, _ = model.graph.tree(model.source, True, model.lengths)
    for route in plateaus:  # two shortest routes, one after the other
        nodes = model.nodes(route)
        turns = [there[v] + model.ahead[v] for v in nodes]
        assert min(abs(-model.score(route) - t) for t in turns) < 1e-9
