# SPDX-License-Identifier: BSD-3-Clause
"""Sparse features give what dense ones give; the parser reaches the optimum that enumeration defines."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import hedgehop as hh

pytest.importorskip("sklearn")
from scipy import sparse
from sklearn.base import clone

from hedgehop.learning import DependencyParser, StructuredSVM


def sentences(count, d=4, noise=0.8, seed=0):
    """Arc features and the best parses under hidden weights, with noise."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=d)
    X = [random.normal(size=(n, n + 1, d)) for n in random.integers(2, 4, count)]
    Y = [hh.best(hh.Arborescence(x @ hidden + noise * random.normal(size=x.shape[:2]), True)).labeling for x in X]
    return X, Y


def parses(n):
    """All parses of n words with one root, by enumeration."""
    free = hh.Arborescence(np.zeros((n, n + 1)), single_root=True)
    rows = np.array(list(product(range(n + 1), repeat=n)))
    return rows[np.isfinite(free.score(rows))]


def hinge(w, X, Y, C):
    """The training objective, from its definition."""
    total = 0.5 * w @ w
    for x, y in zip(X, Y, strict=True):
        rows = parses(len(y))
        scores = (x @ w)[np.arange(len(y)), rows].sum(axis=1)
        right = (x @ w)[np.arange(len(y)), y].sum()
        total += C * max((rows != y).sum(axis=1) + scores - right)
    return total


@pytest.mark.parametrize("solver", ["bcfw", "n-slack"])
def test_the_parser_reaches_the_optimum_of_its_objective(solver):
    X, Y = sentences(8)
    if solver != "bcfw":
        pytest.importorskip("clarabel")
    parser = DependencyParser(C=0.5, solver=solver, tol=1e-4).fit(X, Y)
    reached = hinge(parser.coef_, X, Y, 0.5)
    assert parser.gap_ <= 1e-4
    random = np.random.default_rng(1)
    for size in (1e-3, 1e-2, 0.1, 1.0):
        near = [hinge(parser.coef_ + size * random.normal(size=4), X, Y, 0.5) for _ in range(10)]
        assert min(near) >= reached * (1 - 1e-4)


def test_predictions_are_the_best_parses():
    X, Y = sentences(6)
    parser = DependencyParser().fit(X, Y)
    for x, heads in zip(X, parser.predict(X), strict=True):
        rows = parses(len(heads))
        scores = (x @ parser.coef_)[np.arange(len(heads)), rows].sum(axis=1)
        assert heads.tolist() == rows[scores.argmax()].tolist()
    found = parser.predict_diverse(X[:2], m=2)
    assert [len(each) for each in found] == [2, 2]
    assert parser.score(X, Y) == np.mean(np.concatenate(parser.predict(X)) == np.concatenate(Y))
    assert clone(parser).get_params() == parser.get_params()


def test_a_parser_learns_from_clean_parses():
    X, Y = sentences(30, noise=0.0)
    assert DependencyParser(C=10.0).fit(X[:20], Y[:20]).score(X[20:], Y[20:]) > 0.85


def test_sparse_arcs_are_as_good_as_dense_ones():
    X, Y = sentences(6)
    rows = [sparse.csr_matrix(x.reshape(-1, 4)) for x in X]
    dense, thin = DependencyParser().fit(X, Y), DependencyParser().fit(rows, Y)
    assert thin.coef_ == pytest.approx(dense.coef_)
    assert all(np.array_equal(a, b) for a, b in zip(dense.predict(X), thin.predict(rows), strict=True))


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.coo_array, sparse.csc_matrix])
@pytest.mark.parametrize("model", ["chain", "graph"])
def test_sparse_features_learn_what_dense_ones_learn(kind, model):
    random = np.random.default_rng(0)
    Y = [random.integers(0, 3, n) for n in (4, 5, 3, 6)]
    X = [np.eye(3)[y] * (random.random((y.size, 3)) < 0.7) + (random.random((y.size, 3)) < 0.2) for y in Y]

    def inputs(make):
        if model == "chain":
            return [make(x) for x in X]
        return [(make(x), np.stack([np.arange(len(x) - 1), np.arange(1, len(x))], axis=1)) for x in X]

    dense = StructuredSVM(model, C=0.5).fit(inputs(np.asarray), Y)
    thin = StructuredSVM(model, C=0.5).fit(inputs(kind), Y)
    assert thin.coef_ == pytest.approx(dense.coef_)
    assert thin.score(inputs(kind), Y) == dense.score(inputs(np.asarray), Y)
    assert thin.models(inputs(kind)) == dense.models(inputs(np.asarray))


def test_a_million_features_need_little_memory():
    random = np.random.default_rng(0)
    Y = [random.integers(0, 4, 6) for _ in range(5)]
    X = [sparse.csr_array((np.ones(6), (np.arange(6), y * 1000 + random.integers(0, 9, 6))), (6, 200_000)) for y in Y]
    machine = StructuredSVM("chain", n_labels=4, max_iter=5, tol=0.5).fit(X, Y)
    assert machine.score(X, Y) == 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: DependencyParser().fit([np.zeros((2, 2, 1))], [[0, 1]]), r"shape \(n, n \+ 1, d\)"),
        (lambda: DependencyParser().fit([sparse.csr_matrix((5, 2))], [[0, 1]]), "sparse matrix of shape"),
        (lambda: DependencyParser().fit([np.zeros((2, 3, 1))], [[0, 0]]), "one root.*got \\[0, 0\\]"),
        (lambda: DependencyParser(single_root=False).fit([np.zeros((2, 3, 1))], [[2, 1]]), "no cycles"),
        (lambda: DependencyParser().fit([np.zeros((2, 3, 1))], [[0]]), "one entry per word"),
        (lambda: DependencyParser().fit([np.zeros((1, 2, 1)), np.zeros((1, 2, 2))], [[0], [0]]), "1 features"),
        (lambda: DependencyParser(solver="magic").fit([np.zeros((1, 2, 1))], [[0]]), "solver must be one of"),
        (lambda: DependencyParser(C=0).fit([np.zeros((1, 2, 1))], [[0]]), "C must be"),
        (lambda: StructuredSVM("chain").fit([sparse.csr_matrix([[np.nan]])], [[0]]), "finite"),
        (lambda: StructuredSVM("grid").fit([sparse.csr_matrix([[1.0]])], [[0]]), "node features must have shape"),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
