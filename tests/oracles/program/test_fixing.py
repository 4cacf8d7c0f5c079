# SPDX-License-Identifier: BSD-3-Clause
"""Columns that no better solution uses are fixed: the same answers as without, from fewer columns."""

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.oracles.program import program
from hedgehop.oracles.program.fixing import RowLimits, prices_of
from hedgehop.potentials import Cardinality, LabelWeights, Linear

ILP = hh.oracles.get("ilp")


def triples(seed, n=9, labels=2, factors=12, forbidden=0.0):
    """A model of random cliques of three variables, some cells of which are forbidden."""
    random = np.random.default_rng(seed)
    cliques = []
    for _ in range(factors):
        table = random.normal(size=(labels,) * 3)
        table[random.random(table.shape) < forbidden] = -np.inf
        cliques.append((random.choice(n, 3, replace=False).tolist(), table))
    edges = [[0, 1], [3, 2], [5, 8]]
    return hh.FactorGraph(random.normal(size=(n, labels)), edges, random.normal(size=(3, labels, labels)), cliques)


def potentials(model, seed):
    random = np.random.default_rng(seed)
    table = np.zeros(model.n_variables + 1)
    table[:3] = -np.inf
    reference = random.integers(0, 2, model.n_variables).astype(np.int32)
    return [(), (Cardinality(reference, table),), (LabelWeights(random.normal(size=model.n_labels)),),
            (Linear(random.normal(size=model.unary.shape)), Cardinality(reference, table))]  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_answers_are_those_of_enumeration(seed, monkeypatch):
    monkeypatch.setattr(program, "WORTH_FIXING", 1)
    models = [
        triples(seed, labels=2 + seed % 2, forbidden=0.1 * (seed % 3)),
        hh.Grid(np.random.default_rng(seed).normal(size=(3, 3, 3)), smoothness=0.5),
        hh.SpanningTree([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]], np.random.default_rng(seed).normal(size=5)),
    ]
    for model in models:
        for terms in potentials(model, seed)[: 4 if isinstance(model, hh.models.PairwiseModel) else 1]:
            found, truth = hh.best(model, terms, ILP), hh.best(model, terms, "exhaustive")
            assert found.value == pytest.approx(truth.value)
            assert found.exact
            assert found.upper_bound >= truth.value


@pytest.mark.parametrize("guess", [0.0, 1e-3, 0.3, 1.0])
def test_any_guess_of_the_gap_gives_the_same_answer(guess, monkeypatch):
    monkeypatch.setattr(program, "WORTH_FIXING", 1)
    monkeypatch.setattr("hedgehop.oracles.program.fixing._GUESSED_SHARE", guess)
    model = triples(7, n=14, factors=30)
    found, truth = hh.best(model, (), ILP), hh.best(model, (), "exhaustive")
    assert found.value == pytest.approx(truth.value)
    assert found.exact


def test_prices_bound_every_solution():
    """``U - |d_j|`` bounds what solutions with column j at its worse end are worth: over all corners of a program."""
    random = np.random.default_rng(0)
    gain, low, high = random.normal(size=6), np.zeros(6), np.ones(6)
    rows = RowLimits(random.normal(size=(3, 6)), np.array([-np.inf, -1.5, -3.0]), np.array([1.5, np.inf, 3.0]))
    sparse = pytest.importorskip("scipy.sparse")
    prices = prices_of(gain, RowLimits(sparse.csr_array(rows.matrix), rows.low, rows.high), low, high, 6, np.inf)
    corners = np.stack(np.meshgrid(*[[0.0, 1.0]] * 6, indexing="ij"), -1).reshape(-1, 6)
    values = corners @ rows.matrix.T
    corners = corners[((values >= rows.low) & (values <= rows.high)).all(axis=1)]
    worse = corners != (prices.prices > 0)
    assert len(corners) > 5
    assert (corners @ gain <= prices.bound - worse @ np.abs(prices.prices) + 1e-9).all()


def large():
    """A model of 2000 columns and more whose relaxation is nearly tight: a long ring of triples with strong scores."""
    random = np.random.default_rng(0)
    cliques = [([i, (i + 1) % 240, (i + 7) % 240], 0.3 * random.normal(size=(2, 2, 2))) for i in range(240)]
    return hh.FactorGraph(random.normal(size=(240, 2)), cliques=cliques)


def test_most_columns_of_a_large_program_are_fixed(monkeypatch):
    """Searches look at a part of the columns, where one among all of them would have taken much longer."""
    free, solved = [], program._BranchAndBound.solved

    def counted(search, low, high):
        free.append(int((low < high).sum()))
        return solved(search, low, high)

    monkeypatch.setattr(program._BranchAndBound, "solved", counted)
    step = hh.best(large(), (), ILP)
    assert step.exact
    assert max(free) <= 0.9 * 2400
    free.clear()
    monkeypatch.setattr(program, "WORTH_FIXING", 10**9)
    assert hh.best(large(), (), ILP).value == pytest.approx(step.value)
    assert free == [2400]
