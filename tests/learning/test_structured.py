# SPDX-License-Identifier: BSD-3-Clause
"""The structured machine: solvers agree with a full quadratic program, weights keep their sign, it is an estimator."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("sklearn")
pytest.importorskip("clarabel")
import clarabel
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from tests.draws import draws

import hedgehop as hh
from hedgehop import _core
from hedgehop.learning import StructuredSVM
from hedgehop.learning.cutting_planes import best_mixture

SOLVERS = ("bcfw", "one-slack", "n-slack")


def graphs(random, count=5, n=4, labels=2, features=2, links=2, edges=((0, 1), (1, 2), (0, 2))):
    """Random inputs whose labels are partly explained by features and neighbours."""
    X, Y = [], []
    for _ in range(count):
        y = random.integers(0, labels, n)
        nodes = random.normal(size=(n, features)) + y[:, None]
        X.append((nodes, np.array(edges).reshape(-1, 2), random.random((len(edges), links))))
        Y.append(y)
    return X, Y


def every_plane(machine, X, Y):
    """Rows (example, change, loss) of all labelings, from the definition of the features."""
    rows = []
    for k, ((nodes, edges, links), y) in enumerate(zip(X, Y, strict=True)):
        for other in itertools.product(range(machine.n_labels_), repeat=len(nodes)):
            change = psi(machine, nodes, edges, links, y) - psi(machine, nodes, edges, links, np.array(other))
            rows.append((k, change, float(np.sum(y != other))))
    return rows


def psi(machine, nodes, edges, links, y):
    labels = machine.n_labels_
    unary = np.zeros((labels, nodes.shape[1]))
    for i, row in enumerate(nodes):
        unary[y[i]] += row
    potts = machine.pairwise != "tables"
    pairs = np.zeros(links.shape[1]) if potts else np.zeros((links.shape[1], labels, labels))
    for (i, j), link in zip(edges, links, strict=True):
        if potts:
            pairs -= link * (y[i] != y[j])
        else:
            pairs[:, y[i], y[j]] += link
    return np.concatenate([unary.ravel(), pairs.ravel()])


def full_program(rows, n, size, C, boxed, extra=()):
    """min 1/2 |w|^2 + C sum xi over all labelings; `extra` rows <w, f> + b >= 0 come with a bias b."""
    columns = size + n + 1
    A, b = [], []
    for k, change, loss in rows:
        row = np.zeros(columns)
        row[:size], row[size + k] = -change, -1.0
        A.append(row)
        b.append(-loss)
    for feature in extra:
        row = np.zeros(columns)
        row[:size], row[-1] = -feature, -1.0
        A.append(row)
        b.append(0.0)
    for k in boxed:
        A.append(-np.eye(columns)[k])
        b.append(0.0)
    P = scipy.sparse.diags([1.0] * size + [0.0] * (n + 1), format="csc")
    q = np.array([0.0] * size + [C] * n + [0.0])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.NonnegativeConeT(len(b))]
    found = clarabel.DefaultSolver(P, q, scipy.sparse.csc_matrix(np.array(A)), np.array(b), cones, settings).solve()
    return found.obj_val, np.array(found.x)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("pairwise", ["potts", "tables"])
@settings(max_examples=6, deadline=None)
@given(random=draws(), C=st.sampled_from([0.05, 1.0, 10.0]), labels=st.integers(1, 3))
def test_the_objective_is_that_of_the_full_program(solver, pairwise, random, C, labels):
    X, Y = graphs(random, labels=labels)
    machine = StructuredSVM(C=C, solver=solver, pairwise=pairwise, tol=1e-4, max_iter=3000, n_labels=labels).fit(X, Y)
    boxed = range(2 * labels, machine.coef_.size) if pairwise == "potts" else ()
    best, _ = full_program(every_plane(machine, X, Y), len(X), machine.coef_.size, C, boxed)
    assert machine.gap_ <= 1e-4
    assert machine.dual_ <= best + 1e-6 * (1 + best)
    assert best - 1e-6 * (1 + best) <= machine.primal_ <= best + 2e-4 * best + 1e-6
    assert machine.proven_gap_ <= machine.gap_ + 1e-5  # inference is exact here, but for rounding times C
    if pairwise == "potts":
        assert (machine.edge_weights_ >= 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("pairwise", ["potts", "tables"])
@pytest.mark.parametrize("C", [0.01, 30.0])
def test_the_solvers_agree_on_fifty_examples(pairwise, C):
    X, Y = graphs(np.random.default_rng(4), count=50)
    made = [StructuredSVM(C=C, solver=s, pairwise=pairwise, max_iter=200).fit(X, Y) for s in SOLVERS]
    reached = [machine.primal_ for machine in made]
    assert max(reached) <= 1.001 * min(reached)
    assert max(machine.dual_ for machine in made) <= min(reached)


def test_the_gap_is_the_true_gap():
    X, Y = graphs(np.random.default_rng(3))
    for solver in SOLVERS:
        with pytest.warns(ConvergenceWarning, match="above tol=0.001"):
            machine = StructuredSVM(solver=solver, max_iter=2).fit(X, Y)
        rows = every_plane(machine, X, Y)
        heights = [loss - change @ machine.coef_ for _, change, loss in rows]
        slack = [max(h for (k, _, _), h in zip(rows, heights, strict=True) if k == n) for n in range(len(X))]
        assert machine.primal_ == pytest.approx(0.5 * machine.coef_ @ machine.coef_ + sum(slack))
        assert machine.gap_ == pytest.approx((machine.primal_ - machine.dual_) / machine.primal_)


def test_attractive_weights_are_zero_where_neighbours_repel():
    random = np.random.default_rng(0)
    Y = [np.arange(8) % 2 for _ in range(6)]
    X = [(y[:, None] + random.normal(size=(8, 1)), [[i, i + 1] for i in range(7)]) for y in Y]
    for solver in SOLVERS:
        machine = StructuredSVM(solver=solver).fit(X, Y)
        assert machine.edge_weights_.tolist() == [0.0]
        assert machine.gap_ <= 1e-3


@given(random=draws(), boxed=st.integers(0, 4), C=st.sampled_from([0.1, 1.0, 10.0]))
def test_passes_over_kept_planes_reach_the_best_mixture(random, boxed, C):
    changes, losses, blocks = random.normal(size=(9, 4)).round(1), 2.0 * random.random(9), np.arange(9) % 3
    dual = _core.learning.MarginDual(4, 3, 4 - boxed, C)
    for change, loss, block in zip(changes, losses, blocks, strict=True):
        dual.visit(block, change, loss)
    dual.passes(np.arange(3, dtype=np.int32), 1e-9, 1e8)
    attractive = np.arange(4 - boxed, 4)
    share = best_mixture(scipy.sparse.csr_matrix(changes), losses, blocks, C, attractive)
    v = share @ changes
    v[attractive] = np.maximum(v[attractive], 0.0)
    weights, value = dual.now()
    assert value == pytest.approx(losses @ share - 0.5 * v @ v, rel=1e-6, abs=1e-6)
    assert (weights == dual.weights()).all()
    assert (weights[attractive] >= 0).all()
    assert dual.mean()[1] <= value + 1e-6


def sequences(count=12, length=8, labels=3, seed=0):
    random = np.random.default_rng(seed)
    Y = [np.cumsum(random.random(length) < 0.3) % labels for _ in range(count)]
    X = [np.eye(labels)[y] + random.normal(size=(length, labels)) for y in Y]
    return X, Y


def images(count=6, seed=0):
    random = np.random.default_rng(seed)
    Y = [np.zeros((5, 6), int) for _ in range(count)]
    for y in Y:
        y[1:4, 1 + random.integers(2) : 5] = 1
    X = [np.stack([y + random.normal(size=y.shape), np.ones(y.shape)], axis=-1) for y in Y]
    return X, Y


@pytest.mark.parametrize("solver", SOLVERS)
def test_chains_and_grids_are_the_same_problem_as_their_graphs(solver):
    X, Y = sequences()
    steps = np.stack([np.arange(7), np.arange(1, 8)], axis=1)
    chain = StructuredSVM("chain", solver=solver).fit(X, Y)
    graph = StructuredSVM("graph", solver=solver, pairwise="tables").fit([(x, steps) for x in X], Y)
    assert chain.primal_ == pytest.approx(graph.primal_, rel=1e-3)
    X, Y = images()
    grid = StructuredSVM("grid", solver=solver).fit(X, Y)
    edges = hh.Grid(np.zeros((5, 6, 1))).edges
    graph = StructuredSVM("graph", solver=solver).fit([(x.reshape(30, 2), edges) for x in X], [y.ravel() for y in Y])
    assert grid.primal_ == pytest.approx(graph.primal_, rel=1e-3)
    assert grid.predict(X)[0].shape == (5, 6)


def test_features_of_edges_by_direction():
    X, Y = images()
    links = [np.ones((5, 5, 1)) * [1.0, 0.0], np.ones((4, 6, 1)) * [0.0, 1.0]]
    by_direction = StructuredSVM("grid").fit([(x, links) for x in X], Y)
    assert by_direction.edge_weights_.shape == (2,)
    model = by_direction.models([(X[0], links)])[0]
    assert [s.max() for s in model.strengths] == pytest.approx(by_direction.edge_weights_)
    steps = [np.ones((7, 2)) for _ in range(12)]
    X, Y = sequences()
    assert StructuredSVM("chain").fit(list(zip(X, steps, strict=True)), Y).edge_weights_.shape == (2, 3, 3)
    assert StructuredSVM("chain", pairwise="potts").fit(X, Y).edge_weights_.shape == (1,)


def test_models_score_as_the_features_do():
    X, Y = graphs(np.random.default_rng(1), labels=3)
    for pairwise in ("potts", "tables"):
        machine = StructuredSVM(pairwise=pairwise, nonnegative=False).fit(X, Y)
        for (nodes, edges, links), model in zip(X, machine.models(X), strict=True):
            labelings = np.array(list(itertools.product(range(3), repeat=4)))
            wanted = [psi(machine, nodes, edges, links, y) @ machine.coef_ for y in labelings]
            assert model.score(labelings) == pytest.approx(np.array(wanted))


def test_a_bias_that_was_not_learned_is_asked_for():
    from sklearn.exceptions import NotFittedError

    X, Y = [np.eye(2), np.eye(2)[::-1]], [[0, 1], [1, 0]]
    machine = StructuredSVM().fit(X, Y).set_params(nonnegative="bias")
    with pytest.raises(NotFittedError):
        machine.predict(X)
    assert [y.tolist() for y in machine.fit(X, Y).predict(X)] == Y


def test_a_bias_changes_nothing_but_the_sign():
    """Claims 1 and 2 of the appendix: P1 without a bias, P2 with one, P3 with r + b >= 0, have one optimum."""
    X, Y = graphs(np.random.default_rng(5))
    machine = StructuredSVM(nonnegative="bias", tol=1e-6, max_iter=5000).fit(X, Y)
    size, boxed = machine.coef_.size, range(4, machine.coef_.size)
    rows = every_plane(machine, X, Y)
    every = [psi(machine, *x, np.array(y)) for x in X for y in itertools.product(range(2), repeat=4)]
    (p1, _), (p3, with_bias) = (
        full_program(rows, len(X), size, 1.0, boxed),
        full_program(rows, len(X), size, 1.0, boxed, every),
    )
    assert p1 == pytest.approx(p3, rel=1e-6)
    assert machine.primal_ == pytest.approx(p1, rel=1e-5)
    assert min(f @ with_bias[:size] + with_bias[-1] for f in every) >= -1e-6
    # weights of P1 and the learned bias solve P3, and no smaller bias does
    lowest = min(f @ machine.coef_ for f in every)
    assert machine.bias_ == pytest.approx(max(0.0, -lowest), abs=1e-9)


def test_the_bias_holds_for_training_inputs_the_shift_for_all():
    X, Y = graphs(np.random.default_rng(7))
    new, _ = graphs(np.random.default_rng(8), count=60)
    labelings = np.array(list(itertools.product(range(2), repeat=4)))
    by_bias = StructuredSVM(nonnegative="bias").fit(X, Y)
    lows = [model.score(labelings).min() for model in by_bias.models(X)]
    assert min(lows) >= -1e-9
    assert min(model.score(labelings).min() for model in by_bias.models(new)) < 0
    by_input = StructuredSVM().fit(X, Y)
    assert min(model.score(labelings).min() for model in by_input.models([*X, *new])) >= 0
    plain = StructuredSVM(nonnegative=False).fit(X, Y)
    for a, b, c in zip(by_bias.predict(new), by_input.predict(new), plain.predict(new), strict=True):
        assert (a == b).all()
        assert (b == c).all()


def test_diverse_lists():
    X, Y = sequences()
    machine = StructuredSVM("chain").fit(X, Y)
    lists = machine.predict_diverse(X[:2], 3, hh.HammingBall(gamma=0.5), tradeoff=5.0)
    assert [found.labelings.shape for found in lists] == [(3, 8), (3, 8)]
    assert all(found.ratio is not None and found.relevance.min() >= 0 for found in lists)
    assert (lists[0].labelings[0] == machine.predict(X[:1])[0]).all()
    plain = StructuredSVM("chain", nonnegative=False).fit(X, Y).predict_diverse(X[:1], 3, hh.LinearHamming(), 0.1)
    by_hand = hh.diverse(
        StructuredSVM("chain", nonnegative=False).fit(X, Y).models(X[:1])[0], hh.LinearHamming(), 3, 0.1, "distorted"
    )
    assert (plain[0].labelings == by_hand.labelings).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_scores_that_come_with_inputs_are_corrected(solver):
    """The objective is that of a full program whose losses hold the scores; without freedom the scores decide."""
    X, Y = graphs(np.random.default_rng(11))
    random = np.random.default_rng(1)
    scores = [random.normal(size=(4, 2)) for _ in X]
    machine = StructuredSVM(solver=solver, tol=1e-4, max_iter=2000).fit(
        [(*x, s) for x, s in zip(X, scores, strict=True)], Y
    )
    labelings = np.array(list(itertools.product(range(2), repeat=4)))
    rows = [
        (k, change, loss + scores[k][np.arange(4), y].sum() - scores[k][np.arange(4), Y[k]].sum())
        for (k, change, loss), y in zip(every_plane(machine, X, Y), np.tile(labelings, (len(X), 1)), strict=True)
    ]
    best, _ = full_program(rows, len(X), machine.coef_.size, 1.0, range(4, machine.coef_.size))
    assert machine.primal_ == pytest.approx(best, rel=2e-4)
    assert machine.proven_gap_ <= machine.gap_ + 1e-6
    shy = StructuredSVM("graph", solver=solver, C=1e-9).fit([(np.eye(3), [], None, np.eye(3))], [[2, 1, 0]])
    assert shy.predict([(np.eye(3), [], None, np.eye(3))])[0].tolist() == [0, 1, 2]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("pairwise", ["potts", "tables"])
def test_kinds_of_scores_share_their_weights_among_labels(solver, pairwise):
    X, Y = graphs(np.random.default_rng(12), labels=3)
    random = np.random.default_rng(2)
    kinds = [np.eye(3)[y][:, :, None] + random.normal(size=(4, 3, 2)) for y in Y]
    inputs = [(*x, k) for x, k in zip(X, kinds, strict=True)]
    options = {"solver": solver, "pairwise": pairwise, "tol": 1e-4, "max_iter": 3000, "nonnegative": False}
    machine = StructuredSVM(**options).fit(inputs, Y)
    labelings = np.array(list(itertools.product(range(3), repeat=4)))
    added = [k[np.arange(4), labelings].sum(axis=1) for k in kinds]
    model = machine.models(inputs[:1])[0]
    by_hand = [psi(machine, *X[0], y) @ np.delete(machine.coef_, [6, 7]) for y in labelings]
    assert model.score(labelings) == pytest.approx(by_hand + added[0] @ machine.score_weights_)
    rows = [
        (k, np.insert(change, [6, 6], kinds[k][np.arange(4), Y[k]].sum(axis=0) - added[k][i % 81]), loss)
        for i, (k, change, loss) in enumerate(every_plane(machine, X, Y))
    ]
    boxed = range(8, machine.coef_.size) if pairwise == "potts" else ()
    best, _ = full_program(rows, len(X), machine.coef_.size, 1.0, boxed)
    assert machine.primal_ == pytest.approx(best, rel=2e-4)


def test_kinds_of_scores_need_no_other_features():
    X, Y = images()
    kinds = [np.stack([np.stack([-x[..., 0], x[..., 0]], axis=-1), np.ones((5, 6, 2))], axis=-1) for x in X]
    machine = StructuredSVM("grid").fit([(np.zeros((5, 6, 0)), None, k) for k in kinds], Y)
    assert machine.node_weights_.shape == (2, 0)
    assert machine.score_weights_[0] > 0
    assert machine.score_weights_[1] == 0  # what all labels get decides nothing
    words, truths = sequences()
    chain = StructuredSVM("chain").fit([(np.zeros((8, 0)), None, x[:, :, None]) for x in words], truths)
    assert chain.score([(np.zeros((8, 0)), None, x[:, :, None]) for x in words], truths) > 0.6


def test_losses_by_class_and_by_variable():
    X, Y = sequences(labels=2)
    plain = StructuredSVM("chain").fit(X, Y)
    ones = StructuredSVM("chain", class_weight=[1.0, 1.0]).fit(X, Y, weights=[np.ones(8)] * 12)
    assert (plain.coef_ == ones.coef_).all()
    favour = StructuredSVM("chain", class_weight={1: 50.0}).fit(X, Y)
    assert np.mean(favour.predict(X)) > np.mean(plain.predict(X))
    nothing = StructuredSVM("chain").fit(X, Y, weights=[np.zeros(8)] * 12)
    assert (nothing.coef_ == 0).all()
    assert StructuredSVM("chain", class_weight="balanced").fit(X, Y).score(X, Y) > 0.8


def test_it_is_an_estimator():
    X, Y = sequences()
    machine = StructuredSVM("chain", C=0.5)
    search = GridSearchCV(machine, {"C": [0.001, 0.5]}, cv=3).fit(X, Y)
    assert search.best_params_ == {"C": 0.5}
    assert clone(machine).get_params() == machine.get_params()
    fitted = machine.fit(X, Y)
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.coef_ == clone(machine).fit(X, Y).coef_).all()
    assert all((a == b).all() for a, b in zip(again.predict(X), fitted.predict(X), strict=True))
    assert fitted.gaps_[-1] == fitted.gap_ <= 1e-3


def test_small_and_lonely_inputs():
    one = StructuredSVM("chain").fit([np.ones((1, 1)), -np.ones((1, 1))], [[0], [1]])
    assert one.score([np.ones((1, 1)), -np.ones((1, 1))], [[0], [1]]) == 1.0
    alone = StructuredSVM("graph").fit([np.eye(2)], [[0, 1]])
    assert alone.predict([np.eye(2)])[0].tolist() == [0, 1]
    single = StructuredSVM("chain").fit([np.ones((3, 1))], [[0, 0, 0]])
    assert single.primal_ == 0.0
    assert single.gap_ == 0.0


def test_a_bar_with_the_gap_is_shown_when_asked(capsys):
    X, Y = sequences()
    StructuredSVM("chain", progress=True).fit(X, Y)
    said = capsys.readouterr().err
    assert "gap" in said
    assert said.endswith("%\n")


@pytest.mark.parametrize(
    ("options", "X", "Y", "message"),
    [
        ({"model": "tree"}, [np.eye(2)], [[0, 1]], "model must be one of"),
        ({"solver": "sgd"}, [np.eye(2)], [[0, 1]], "solver must be one of"),
        ({"pairwise": "cubic"}, [np.eye(2)], [[0, 1]], "pairwise must be one of"),
        ({"nonnegative": "maybe"}, [np.eye(2)], [[0, 1]], "nonnegative must be one of"),
        ({"C": 0.0}, [np.eye(2)], [[0, 1]], "C must be > 0"),
        ({}, [], [], "same length"),
        ({}, [np.eye(2)], [[0, 1], [1, 0]], "same length"),
        ({}, [np.eye(2)], [[0, 1, 1]], "labelings must have shape"),
        ({}, [np.eye(2)], [[[0, 1], [1, 0]]], "one labeling of shape"),
        ({}, [np.zeros(3)], [[0, 1, 1]], "node features must have shape"),
        ({}, [(np.eye(2), [[0, 1]], -np.ones((1, 1)))], [[0, 1]], "edge features must be >= 0"),
        ({}, [(np.eye(2), [[0, 1]], np.ones((2, 1)))], [[0, 1]], "edge features must have shape"),
        ({}, [(np.eye(2), [[0, 5]])], [[0, 1]], "outside"),
        ({}, [np.eye(2), np.eye(3)], [[0, 1], [0, 1, 1]], "as in fit"),
        ({}, [(np.eye(2), [[0, 1]], np.ones((1, 1)), np.eye(2), 3)], [[0, 1]], "an input must be a tuple"),
        ({}, [(np.eye(2), [[0, 1]], None, np.ones((3, 2)))], [[0, 1]], "scores must have shape"),
        ({"n_labels": 2}, [(np.eye(2), [], None, np.ones((2, 3)))], [[0, 1]], "scores must be of 2 labels"),
        ({"n_labels": 2}, [np.eye(2)], [[0, 2]], "takes labels 0..1"),
        ({"n_labels": 0}, [np.eye(2)], [[0, 1]], "n_labels must be at least 1"),
        ({}, [(np.eye(2), [], None, np.ones((2, 2, 0)))], [[0, 1]], "scores must have shape"),
        ({}, [(np.eye(2), [], None, np.ones((2, 2, 1))), np.eye(2)], [[0, 1]] * 2, "1 kinds of scores, as in fit"),
        ({"class_weight": "fair"}, [np.eye(2)], [[0, 1]], "class_weight must be"),
        ({"class_weight": [1.0, -1.0]}, [np.eye(2)], [[0, 1]], "class_weight must be >= 0"),
        ({"model": "grid", "pairwise": "tables"}, [np.ones((2, 2, 1))], [[[0, 1], [1, 0]]], "a grid supports"),
        ({"model": "grid"}, [(np.ones((2, 2, 1)), [np.ones((2, 1, 1))])], [[[0, 1], [1, 0]]], "one per direction"),
        ({"model": "grid"}, [(np.ones((2, 2, 1)), [np.ones((2, 2, 1))] * 2)], [[[0, 1], [1, 0]]], "must have shape"),
    ],
)
def test_wrong_input_is_named(options, X, Y, message):
    with pytest.raises(ValueError, match=message):
        StructuredSVM(**options).fit(X, Y)


def test_wrong_input_is_named_after_fitting():
    machine = StructuredSVM("chain").fit(*sequences())
    with pytest.raises(ValueError, match="as in fit"):
        machine.predict([np.ones((4, 2))])
    X, Y = sequences()
    with pytest.raises(ValueError, match="X and Y must have the same length"):
        machine.score(X, Y[:3])
    with pytest.raises(ValueError, match="labelings must have shape"):
        machine.score(X, [y[:3] for y in Y])
    with pytest.raises(ValueError, match="X and weights must have the same length"):
        machine.fit(X, Y, weights=[np.ones(8)])
