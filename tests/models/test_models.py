# SPDX-License-Identifier: BSD-3-Clause
"""Models: what they hold, how they score, that they stay as they are."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import hedgehop as hh

RANDOM = np.random.default_rng(0)


def brute_score(model, y):
    """r(y) by loops over the general description of a pairwise model."""
    total = sum(float(model.unary[i, y[i]]) for i in range(model.n_variables))
    for e, (i, j) in enumerate(model.edges):
        table = model.pairwise.table(e, int(model.label_counts[i]), int(model.label_counts[j]))
        total += float(table[y[i], y[j]])
    return total + sum(float(c.table[tuple(y[c.variables])]) for c in model.cliques)


@pytest.mark.parametrize(("shape", "connectivity", "edges"), [
    ((3, 4), 4, 17), ((3, 4), 8, 29), ((2, 3, 2), 6, 20), ((2, 3, 2), 26, 50), ((1, 1), 8, 0), ((1, 5), 4, 4),
])  # fmt: skip
def test_grid_scores_as_its_edges_say(shape, connectivity, edges):
    image = RANDOM.random((*shape, 3))
    grid = hh.Grid(RANDOM.normal(size=(*shape, 3)), hh.contrast(image, 2.0), connectivity)
    assert len(grid.edges) == edges
    assert grid.shape == shape
    rows = RANDOM.integers(0, 3, size=(5, grid.n_variables))
    expected = [brute_score(grid, y) for y in rows]
    assert grid.score(rows.reshape(5, *shape)) == pytest.approx(expected)
    assert grid.score(rows[0].reshape(shape)) == pytest.approx(expected[0])
    assert grid.energy(rows) == pytest.approx([-e for e in expected])


def test_equal_tables_are_kept_once():
    edges = [[i, i + 1] for i in range(7)]
    tables = RANDOM.integers(0, 3, size=(2, 3, 3)).astype(np.float32)[[0, 1, 1, 0, 0, 1, 0]]
    model = hh.FactorGraph(RANDOM.normal(size=(8, 3)), edges, tables)
    alone = hh.FactorGraph(model.unary, edges, tables + np.arange(7)[:, None, None])  # all differ, by a constant
    assert model.pairwise.flat.size == 2 * 9
    assert model.pairwise.flat.dtype == np.float32
    assert alone.pairwise.flat.size == 7 * 9
    assert np.array_equal(model.pairwise.end_to_end().reshape(7, 3, 3), tables)
    rows = RANDOM.integers(0, 3, size=(20, 8))
    assert model.score(rows) == pytest.approx([brute_score(model, y) for y in rows])
    assert model.score(rows) == pytest.approx(alone.score(rows) - 21)
    for bound in ("floor", "ceiling"):
        assert getattr(model.pairwise, bound)(7) == pytest.approx(getattr(alone.pairwise, bound)(7) - 21)
    assert np.array_equal(model.pairwise.spans(7), alone.pairwise.spans(7))
    forbidden = model.forbid([(0, 1, 1, 2)])  # the table of this edge alone
    assert np.isneginf(forbidden.pairwise.flat).sum() == 1
    assert pickle.loads(pickle.dumps(model)) == model


def test_directions_are_in_the_documented_order():
    right, down = np.arange(6.0).reshape(2, 3), np.arange(4.0).reshape(1, 4)
    grid = hh.Grid(np.zeros((2, 4, 2)), (right, down))
    y = np.zeros((2, 4), int)
    y[0, 0] = 1  # cuts right[0, 0] and down[0, 0]
    assert grid.score(y) == -(right[0, 0] + down[0, 0])
    y[:] = 0
    y[1, 2] = 1
    assert grid.score(y) == -(right[1, 1] + right[1, 2] + down[0, 2])


def test_contrast_follows_its_formula():
    image = np.array([[0.0, 1.0, 3.0]])
    grid = hh.Grid(np.zeros((1, 3, 2)), hh.contrast(image, 5.0))
    mean = (1.0 + 4.0) / 2
    assert grid.strengths[0][0] == pytest.approx([5 * np.exp(-1 / (2 * mean)), 5 * np.exp(-4 / (2 * mean))])
    flat = hh.Grid(np.zeros((2, 2, 2)), hh.contrast(np.ones((2, 2)), 5.0), connectivity=8)
    assert flat.strengths[2].item() == pytest.approx(5.0 / np.sqrt(2))


def test_contrast_takes_any_image():
    for image in (np.zeros((2, 2), np.uint8), np.zeros((2, 2, 4), np.uint16), np.zeros((2, 2, 3), np.float32)):
        assert hh.Grid(np.zeros((2, 2, 2)), hh.contrast(image)).strengths[0].shape == (2, 1)


def test_parallel_edges_are_merged_with_their_direction():
    a, b = RANDOM.normal(size=(2, 3)), RANDOM.normal(size=(3, 2))
    model = hh.FactorGraph([[0.0, 0.0], [0.0, 0.0, 0.0]], [[0, 1], [1, 0]], [a, b])
    assert model.edges.tolist() == [[0, 1]]
    assert model.pairwise.table(0, 2, 3) == pytest.approx(a + b.T)
    potts = hh.FactorGraph(np.zeros((3, 2)), [[0, 1], [2, 1], [1, 0]], [1.0, 2.0, 4.0])
    assert potts.edges.tolist() == [[0, 1], [2, 1]]
    assert potts.pairwise.strengths.tolist() == [5.0, 2.0]


def test_small_cliques_become_unaries_and_edges():
    table = RANDOM.normal(size=(2, 2))
    model = hh.FactorGraph(np.zeros((3, 2)), [[0, 1]], 1.0, [([2], [5.0, 0.0]), ([1, 0], table), ([2, 0], table)])
    assert model.cliques == ()
    assert model.unary[2].tolist() == [5.0, 0.0]
    assert model.edges.tolist() == [[0, 1], [2, 0]]
    assert model.score([0, 1, 0]) == pytest.approx(5.0 - 1.0 + table[1, 0] + table[0, 0])


def test_pairwise_in_every_form_is_the_same():
    unary, edges = RANDOM.normal(size=(3, 2)), [[0, 1], [1, 2]]
    table = np.array([[0.0, -2.0], [-2.0, 0.0]])
    forms = [2.0, [2.0, 2.0], table, np.stack([table] * 2), [table, table]]
    scores = [hh.FactorGraph(unary, edges, form).score([[0, 1, 1], [1, 0, 1]]) for form in forms]
    for other in scores[1:]:
        assert other == pytest.approx(scores[0])


def test_models_are_frozen_and_keep_their_own_copy():
    scores = np.zeros((2, 2, 2))
    grid = hh.Grid(scores)
    scores[:] = 7.0
    assert grid.score(np.zeros((2, 2), int)) == 0.0
    with pytest.raises(ValueError, match="read-only"):
        grid.unary[0, 0] = 1.0
    with pytest.raises(AttributeError, match="Grid is frozen: 'unary' cannot be changed"):
        grid.unary = scores
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del grid.unary


def test_read_only_scores_are_shared_and_keep_their_type():
    scores = np.zeros((4, 5, 3), np.float32)
    scores.flags.writeable = False
    grid = hh.Grid(scores)
    assert np.shares_memory(grid.unary, scores)
    assert grid.unary.dtype == np.float32
    view = np.zeros((4, 5, 3))
    locked = view[:]
    locked.flags.writeable = False  # somebody else can still write through `view`
    assert not np.shares_memory(hh.Grid(locked).unary, view)


@pytest.mark.parametrize("model", [
    hh.Grid(RANDOM.normal(size=(2, 3, 2)), hh.contrast(RANDOM.random((2, 3))), connectivity=8),
    hh.Chain(RANDOM.normal(size=(4, 2)), RANDOM.normal(size=(3, 2, 2))),
    hh.FactorGraph([[0.0, 1.0], [2.0]], [[0, 1]], [np.ones((2, 1))], [([0, 1], [[1.0], [2.0]])]),
], ids=repr)  # fmt: skip
def test_models_survive_pickle(model):
    model.edges.sum()  # fill the cache: it must not travel
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert repr(again) == repr(model)
    assert not again.unary.flags.writeable
    assert again.edges.tolist() == model.edges.tolist()


def test_reprs_are_short():
    assert repr(hh.Grid(np.zeros((4, 5, 3)))) == "Grid(4 x 5, 3 labels, connectivity 4)"
    assert repr(hh.FactorGraph([[0.0], [0.0, 1.0]])) == "FactorGraph(2 variables, 1-2 labels, 0 Potts edges)"


def test_floor_is_below_every_score():
    unary = np.array([[0.0, -np.inf, 3.0], [1.0, -2.0, 0.0]])
    model = hh.FactorGraph(unary, [[0, 1]], [np.array([[0, -1, 0], [0, 0, 0], [-np.inf, 0, 5.0]])])
    every = hh.testing.all_labelings(model)
    finite = [s for s in model.score(every) if np.isfinite(s)]
    assert model.floor() <= min(finite)


def test_models_differ_by_content():
    assert hh.FactorGraph([[0.0, 1.0]]) == hh.FactorGraph([[0.0, 1.0]])
    assert hh.FactorGraph([[0.0, 1.0]]) != hh.FactorGraph([[0.0, 2.0]])


def test_large_labelings_are_checked_again_for_another_model_and_after_a_change():
    two, three = hh.Grid(np.zeros((50, 50, 2))), hh.Grid(np.zeros((50, 50, 3)))
    rows = np.zeros((2, 2500), np.int32)
    rows[1, -1] = 2
    rows.flags.writeable = False
    for _ in range(2):
        assert three.score(rows).tolist() == [0.0, -2.0]
        with pytest.raises(ValueError, match=r"variable 2499 takes labels 0\.\.1; got 2"):
            two.score(rows)
    rows.flags.writeable = True
    rows[1, -1] = 3
    with pytest.raises(ValueError, match=r"variable 2499 takes labels 0\.\.2; got 3"):
        three.score(rows)


@pytest.mark.parametrize(("shape", "connectivity"), [((4, 5), 4), ((4, 5), 8), ((2, 3, 4), 6), ((2, 3, 4), 26)])
def test_edges_at_some_pixels_are_those_of_the_list_of_edges(shape, connectivity):
    grid = hh.Grid(np.zeros((*shape, 2)), connectivity=connectivity)
    for share in (0.0, 0.2, 1.0):
        chosen = np.random.default_rng(0).random(grid.n_variables) < share
        numbers, ends = grid.edges_at(chosen)
        assert numbers.tolist() == np.flatnonzero(chosen[grid.edges].any(axis=1)).tolist()
        assert (ends == grid.edges[numbers]).all()
