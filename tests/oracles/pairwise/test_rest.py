# SPDX-License-Identifier: BSD-3-Clause
"""Labels that are known beforehand or proven to be worse, and what is left of a model without them."""

import itertools

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.oracles.pairwise.kernels import message_solver
from hedgehop.oracles.pairwise.rest import UNKNOWN, Rest, known_labels, sure_labels, worse_labels


def all_labelings(model):
    return np.array(list(itertools.product(*(range(c) for c in model.label_counts))), np.int32)


def random_graph(rng, tables=False, n=7, n_labels=3):
    edges = np.array([(i, j) for i in range(n) for j in range(i) if rng.random() < 0.4] or [(1, 0)])
    pairwise = rng.normal(size=(len(edges), n_labels, n_labels)) if tables else rng.random(len(edges))
    return hh.FactorGraph(rng.normal(size=(n, n_labels)) * 1.5, edges, pairwise)


def as_graph(grid):
    return hh.FactorGraph(grid.unary, grid.edges, grid.pairwise.strengths)


def known_of(model, theta=None):
    """As ``sure_labels``, however few labels are known."""
    strengths = np.ascontiguousarray(model.pairwise.strengths, np.float64)
    return hh._core.scores.sure_labels(model.unary, theta, model.reaches, model.edges, strengths)


@pytest.mark.parametrize("seed", range(20))
def test_every_best_labeling_has_the_sure_labels(seed):
    rng = np.random.default_rng(seed)
    model = random_graph(rng)
    theta = rng.normal(size=model.unary.shape) if seed % 2 else None
    known = known_of(model, theta)
    labelings = all_labelings(model)
    change = 0.0 if theta is None else theta[np.arange(model.n_variables), labelings].sum(axis=1)
    values = model.score(labelings) + change
    for best in labelings[values >= values.max() - 1e-9]:
        assert (known == UNKNOWN)[known != best].all()
    others = values[(labelings != known)[:, known != UNKNOWN].any(axis=1)]
    assert (others < values.max()).all()


def test_certainty_spreads_along_edges_and_stops_at_ties():
    unary = np.array([[9.0, 0.0], [0.0, 0.4], [0.0, 0.3], [0.0, 1.0], [0.0, 0.0]])
    chain = hh.FactorGraph(unary, [[0, 1], [1, 2], [2, 3], [3, 4]], [2.0, 1.5, 0.5, 1.0])
    assert known_of(chain).tolist() == [0, 0, 0, UNKNOWN, UNKNOWN]  # 3: leads by 1 - 0.5, its last edge may take 1
    assert known_of(hh.FactorGraph(unary[3:], [[0, 1]], [1.0])).tolist() == [UNKNOWN, UNKNOWN]  # 1.0 is not more


@pytest.mark.parametrize(("shape", "connectivity"), [((5, 6), 4), ((5, 6), 8), ((3, 4, 5), 6), ((3, 4, 5), 26)])
def test_pixels_have_the_neighbours_of_their_edges(shape, connectivity):
    rng = np.random.default_rng(1)
    spans = [
        tuple(n - abs(k) for n, k in zip(shape, o, strict=True)) for o in hh.models.directions(len(shape), connectivity)
    ]
    grid = hh.Grid(rng.normal(size=(*shape, 4)) * 3, [rng.random(s) for s in spans], connectivity)
    known = hh._core.scores.grid_sure_labels(grid.unary, None, grid.reaches, shape, connectivity, grid.strengths)
    assert known.tolist() == known_of(as_graph(grid)).tolist()
    assert 0 < (known == UNKNOWN).sum() < known.size


@pytest.mark.parametrize("tables", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_labelings_of_the_rest_differ_by_as_much_as_those_of_the_whole(tables, seed):
    rng = np.random.default_rng(seed)
    model = random_graph(rng, tables)
    theta = rng.normal(size=model.unary.shape)
    known = np.where(rng.random(model.n_variables) < 0.5, rng.integers(0, 3, model.n_variables), UNKNOWN)
    known[:2] = UNKNOWN, 0
    worse = (rng.random(model.unary.shape) < 0.3) & (np.arange(3) > 0)
    for left_out in (None, worse):
        rest = Rest.of(model, theta, known.astype(np.int32), 1.0, left_out)
        rows = all_labelings(rest.model)
        scores = rest.model.score(rows)
        whole = np.stack([rest.completed(row) for row in rows])
        values = model.score(whole) + theta[np.arange(model.n_variables), whole].sum(axis=1)
        allowed = np.isfinite(scores)
        np.testing.assert_allclose(np.ptp((values - scores)[allowed]), 0.0, atol=1e-9)
        if left_out is not None:
            chosen = left_out[np.arange(model.n_variables), whole][:, known == UNKNOWN]
            assert (chosen.any(axis=1) == ~allowed).all()


@pytest.mark.parametrize("seed", range(10))
def test_no_better_labeling_has_a_worse_label(seed):
    rng = np.random.default_rng(seed)
    model = random_graph(rng, tables=seed % 2 == 1)
    messages = message_solver(model)
    labeling, value, _, _ = messages.run(20)
    worse = worse_labels(model, None, messages, labeling, value)
    labelings = all_labelings(model)
    values = model.score(labelings)
    has_worse = worse[np.arange(model.n_variables), labelings].any(axis=1)
    assert not (values[has_worse] > value).any()
    known = known_labels(worse, labeling)
    if known is not None:
        assert (known[known != UNKNOWN] == labeling[known != UNKNOWN]).all()


@pytest.mark.parametrize("seed", range(12))
def test_messages_and_the_rest_are_bounded_by_enumeration(seed):
    rng = np.random.default_rng(seed)
    model = random_graph(rng, tables=seed % 3 == 2, n=8)
    theta = hh.potentials.Linear(rng.normal(size=model.unary.shape))
    step = hh.best(model, [theta], oracle="trws")
    best = hh.best(model, [theta], oracle="exhaustive").value
    assert step.value <= best + 1e-9 <= step.upper_bound + 2e-9
    if step.exact:
        assert step.value == pytest.approx(best, abs=1e-9)


def test_an_easy_image_is_solved_and_proven_by_its_scores():
    rng = np.random.default_rng(0)
    truth = np.kron(rng.integers(0, 4, (4, 4)), np.ones((8, 8), int))
    scores = rng.normal(size=(32, 32, 4)) * 0.5 + 4.0 * (truth[..., None] == np.arange(4))
    image = hh.Grid(scores, smoothness=0.7)
    assert sure_labels(image, None) is not None
    step = hh.best(image)
    assert step.exact
    assert step.oracle == "trws"
    assert sure_labels(hh.Grid(0.1 * scores, smoothness=0.7), None) is None  # hardly a label is sure
