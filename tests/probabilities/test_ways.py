# SPDX-License-Identifier: BSD-3-Clause
"""Automata, routes and grammars: sums over all ways against counting, enumeration and other structures."""

from collections import Counter
from math import comb, log

import numpy as np
import pytest
from hunt import sums
from scipy.stats import chisquare

import hedgehop as hh
from hedgehop.models.structures.ambiguity import reads_in_one_way
from hedgehop.probabilities.marginals import estimated
from hedgehop.testing import all_labelings

NEW = ("acyclic_path", "automaton", "cyclic_automaton", "higher_order", "segments", "slots", "grammar")


@pytest.mark.parametrize("name", [*NEW, "undirected_path", "program", "own_solver"])
@pytest.mark.parametrize("seed", range(8))
def test_sums_are_those_of_enumeration(name, seed):
    random = np.random.default_rng([31, seed])
    model = sums.drawn(random, name)
    for temperature in (1.0, 0.05, 40.0):
        wrong = sums.errors(model, temperature)
        assert max(wrong.values()) <= sums.MOST, wrong


@pytest.mark.parametrize("name", NEW)
def test_samples_have_their_probabilities(name):
    model = sums.drawn(np.random.default_rng([7, NEW.index(name)]), name)
    rows = all_labelings(model)
    logs = np.asarray(model.score(rows)) / 3.0
    allowed = np.isfinite(logs)
    chances = np.exp(logs[allowed] - logs[allowed].max())
    chances /= chances.sum()
    drawn = hh.samples(model, 4000, temperature=3.0, seed=1, method="exact")
    counts = Counter(map(tuple, drawn.tolist()))
    seen = np.array([counts[tuple(row)] for row in rows[allowed].tolist()])
    assert seen.sum() == 4000  # nothing that is not allowed
    often = chances * 4000 >= 5
    expected = np.append(chances[often], chances[~often].sum()) * 4000
    observed = np.append(seen[often], seen[~often].sum())
    kept = expected > 0
    if kept.sum() >= 2:  # otherwise there is one way only, and all samples are counted above
        assert chisquare(observed[kept], expected[kept]).pvalue > 1e-4


def test_parses_are_counted():
    found = hh.marginals(hh.Cfg(np.zeros((12, 1)), [[0, 0, 0]], [0.0]))
    assert found.exact
    assert found.method == "inside-outside"
    assert found.log_partition == pytest.approx(log(comb(22, 11) // 12), abs=1e-12)  # Catalan's number


def test_routes_are_counted():
    side = 9
    node = np.arange(side * side).reshape(side, side)
    right, down = np.stack([node[:, :-1], node[:, 1:]], -1), np.stack([node[:-1], node[1:]], -1)
    edges = np.concatenate([right.reshape(-1, 2), down.reshape(-1, 2)])
    found = hh.marginals(hh.Path(edges, np.zeros(len(edges)), 0, side * side - 1))
    assert found.exact
    assert found.method == "forward-backward"
    assert found.log_partition == pytest.approx(log(comb(16, 8)), abs=1e-12)
    assert found.probabilities[0, 1] == pytest.approx(0.5, abs=1e-12)


def test_a_chain_of_order_one_is_a_chain():
    random = np.random.default_rng(2)
    emissions, steps = 5.0 * random.normal(size=(300, 4)), random.normal(size=(4, 4))
    chain, same = hh.Chain(emissions, steps), hh.Automaton.from_chain(emissions, steps)
    for temperature in (1.0, 1e-6, 1e6):
        wanted, found = hh.marginals(chain, temperature), hh.marginals(same, temperature)
        assert found.exact
        assert found.log_partition == pytest.approx(wanted.log_partition, rel=1e-12)
        np.testing.assert_allclose(found.probabilities, wanted.probabilities, atol=1e-9)


def test_forbidden_labels_stay_forbidden():
    random = np.random.default_rng(3)
    emissions = random.normal(size=(30, 3))
    emissions[::2, 1] = -np.inf
    model = hh.Automaton.from_chain(emissions, random.normal(size=(3, 3, 3)))
    assert (hh.marginals(model).probabilities[::2, 1] == 0).all()
    assert (hh.samples(model, 200)[:, ::2] != 1).all()
    assert np.isfinite(model.score(hh.samples(model, 200))).all()


def test_two_ways_to_read_a_string_are_not_called_exact():
    arcs = [[k, k + 1, symbol] for k in range(20) for symbol in (0, 0, 1)]
    model = hh.Automaton(arcs, np.zeros(len(arcs)), [20])
    assert not model.is_unambiguous
    found = hh.marginals(model)
    assert not found.exact
    assert found.lower <= 20 * log(2) <= found.upper <= 20 * log(3) + 1e-9


def test_a_search_that_takes_too_long_gives_up():
    model = hh.Automaton.from_slots([{"a": 0.0, "": -2.0}, {"c": 0.0}])
    arcs, _, _, finals = model.chart.unrolled()
    assert reads_in_one_way(arcs, finals)
    assert not reads_in_one_way(arcs, finals, most=1)


def test_bounds_of_estimates_hold():
    for name in NEW:
        for seed in range(4):
            model = sums.drawn(np.random.default_rng([5, seed]), name)
            assert max(sums.estimate_errors(model, 1.0).values(), default=0.0) <= sums.MOST
            total, _ = sums.enumerated(model, 1.0)
            assert estimated(model, 1.0).upper >= total - 1e-9 * max(1.0, abs(total))


def test_ways_are_distinguished_as_enumeration_does():
    random = np.random.default_rng(8)
    for _ in range(60):
        model = sums.drawn(random, "automaton")
        assert model.is_unambiguous == (max(_ways(model).values()) == 1)


def _ways(model):
    """How often each string is read, by following all ways."""
    arcs, _, _, finals = model.chart.unrolled()
    open_ways, found = [(0, ())], Counter()
    while open_ways:
        node, read = open_ways.pop()
        found[read] += int(finals[node] > -np.inf)
        for _, to, _, symbol in arcs[arcs[:, 0] == node].tolist():
            open_ways.append((to, read + ((symbol,) if symbol >= 0 else ())))
    return found
