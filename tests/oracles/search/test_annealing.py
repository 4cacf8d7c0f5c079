# SPDX-License-Identifier: BSD-3-Clause
"""Annealing never makes a labeling worse, keeps to what is allowed, and finds what rounding misses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.draws import draws

import hedgehop as hh
from hedgehop.oracles.effort import limited
from hedgehop.oracles.search import annealing
from hedgehop.oracles.search.annealing import annealed


def contradicting(random, n, labels, cliques, forbidden=0.0):
    """A model of random pairs, of which some are forbidden, but never label 0 everywhere."""
    counts = random.integers(1, labels + 1, n)
    edges = [(i, j) for i in range(n) for j in range(i) if random.random() < 0.6]

    def table(shape):
        scores = random.normal(size=shape)
        scores[random.random(shape) < forbidden] = -np.inf
        scores.flat[0] = 0.0
        return scores

    triples = [random.choice(n, 3, replace=False) for _ in range(cliques if n > 2 else 0)]
    return hh.FactorGraph(
        [table(c) for c in counts],
        edges,
        [table((counts[i], counts[j])) for i, j in edges],
        [(v, table(tuple(counts[v]))) for v in triples],
    )


@given(draws(), st.integers(1, 7), st.integers(1, 3), st.integers(0, 3), st.sampled_from([0.0, 0.3]))
def test_a_labeling_never_gets_worse_nor_forbidden(random, n, labels, cliques, forbidden):
    model = contradicting(random, n, labels, cliques, forbidden)
    theta = random.normal(size=model.unary.shape)
    found = annealed(model, theta, np.zeros(n, np.int32))
    value = model.score(found) + theta[np.arange(n), found].sum()
    assert value >= model.score(np.zeros(n, int)) + theta[:, 0].sum() - 1e-9


def test_small_models_are_solved():
    models = [contradicting(np.random.default_rng(seed), 7, 3, 2) for seed in range(30)]
    values = [model.score(annealed(model, None, np.zeros(7, np.int32))) for model in models]
    assert values == pytest.approx([hh.best(model, oracle="exhaustive").value for model in models])


def test_same_input_same_labeling():
    model = contradicting(np.random.default_rng(0), 30, 3, 5)
    once, again = (annealed(model, None, np.zeros(30, np.int32)) for _ in range(2))
    assert np.array_equal(once, again)


@pytest.mark.parametrize(("labels", "oracle"), [(2, "qpbo"), (4, "trws")])
def test_contradicting_pairs_are_labelled_almost_as_well_as_possible(labels, oracle):
    random = np.random.default_rng(labels)
    edges = [(i, j) for i in range(24) for j in range(i)]
    model = hh.FactorGraph(np.zeros((24, labels)), edges, random.normal(size=(len(edges), labels, labels)))
    step = hh.best(model, oracle=oracle)
    others = [annealed(model, None, random.integers(0, labels, 24)) for _ in range(3)]
    assert step.value >= 0.995 * max(model.score(np.array(others)))
    assert step.upper_bound >= step.value


def test_a_program_without_time_falls_back_on_annealing():
    model = contradicting(np.random.default_rng(1), 40, 3, 200)
    step = hh.best(model, oracle=hh.oracles.Ilp(time_limit=0.01))
    assert step.value >= model.score(annealed(model, None, np.zeros(40, np.int32))) - 1e-9
    assert step.upper_bound >= step.value


def tied_pairs(random, n, labels):
    """Pairs of variables tied by a permutation of their labels, and costs between the pairs."""
    unary = random.normal(size=(2 * n, labels))
    ties = [(2 * k, 2 * k + 1) for k in range(n)]
    others = [(2 * i, 2 * j + 1) for i in range(n) for j in range(i)]
    tied = np.where(np.eye(labels)[random.permutation(labels)] > 0, 0.0, -np.inf)
    tables = [tied] * n + [3.0 * random.normal(size=(labels, labels)) for _ in others]
    return hh.FactorGraph(unary, ties + others, tables)


@pytest.mark.parametrize("seed", range(4))
def test_variables_that_are_tied_change_together(seed):
    model = tied_pairs(np.random.default_rng(seed), 6, 4)
    found = model.score(annealed(model, None, np.zeros(12, np.int32)))
    assert found == pytest.approx(hh.best(model, oracle="elimination").value)


def test_no_time_means_no_rounds(monkeypatch):
    model = contradicting(np.random.default_rng(3), 12, 3, 2)
    calls = []
    kernel = annealing._core.local.search_blocks
    monkeypatch.setattr(annealing._core.local, "search_blocks", lambda *a: calls.append(1) or kernel(*a))
    with limited(None, 0.0):
        annealed(model, None, np.zeros(12, np.int32))
    assert not calls
    annealed(model, None, np.zeros(12, np.int32))
    assert len(calls) > 1
