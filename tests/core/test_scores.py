# SPDX-License-Identifier: BSD-3-Clause
"""Sums over the scores of a model, and the terminals of cuts, against their definitions in numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.draws import Draws, draws

import hedgehop as hh
from hedgehop import _core

INF = np.inf


@given(st.sampled_from([np.float32, np.float64]), st.integers(0, 40), draws())
def test_extents(dtype: type, n: int, random: Draws) -> None:
    values = random.choice([-INF, -2.5, 0.0, 1.5, 7.0, INF], n).astype(dtype)
    assert _core.scores.extent(values) == (values.min(initial=INF), values.max(initial=-INF))
    if n:
        values[random.integers(n)] = np.nan
        assert np.isnan(_core.scores.extent(values)).all()


@given(st.sampled_from([np.float32, np.float64]), st.integers(0, 3000), st.booleans(), draws())
def test_copies(dtype: type, n: int, with_nan: bool, random: Draws) -> None:
    values = random.choice([-INF, -2.5, 0.0, 1.5, 7.0], n).astype(dtype)
    if n and with_nan:
        values[random.integers(n)] = np.nan
    copy = _core.scores.copied if dtype is np.float64 else _core.scores.copied_floats
    copied, low, high = copy(values)
    np.testing.assert_array_equal(copied, values)
    np.testing.assert_array_equal([low, high], _core.scores.extent(values))
    assert copied.dtype == values.dtype
    assert not np.shares_memory(copied, values)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_models_keep_copies_of_arrays_that_may_change(dtype: type) -> None:
    given = np.arange(24).reshape(3, 4, 2).astype(dtype)
    strengths = [np.ones((3, 3)), np.ones((2, 4))]
    model = hh.Grid(given, strengths)
    given[:], strengths[0][:] = 0, 9.0
    np.testing.assert_array_equal(model.unary.ravel(), np.arange(24))
    assert model.strengths[0].max() == 1.0
    model = hh.Grid(given.transpose(1, 0, 2), smoothness=0.0)
    assert model.shape == (4, 3)
    assert not any(array.flags.writeable for array in (model.unary, *model.strengths))


@given(st.integers(0, 3000), st.booleans(), draws())
def test_scaled(n: int, with_nan: bool, random: Draws) -> None:
    values = random.choice([-INF, -2.5, 0.0, 1.5, 7.0], n)
    if n and with_nan:
        values[random.integers(n)] = np.nan
    scaled, low, high = _core.scores.scaled(values, 0.5)
    np.testing.assert_array_equal(scaled, 0.5 * values)
    np.testing.assert_array_equal([low, high], _core.scores.extent(scaled))


@given(st.integers(0, 700), st.integers(0, 9), draws())
def test_ordinary_sizes(n: int, odd: int, random: Draws) -> None:
    kinds = [[random.random(n)], [1.0 + random.random(n), random.random(n // 2)]]
    for values in (kinds[0][0], kinds[1][1]):
        values[random.random(values.size) < odd / 10] = random.choice([0.0, INF])
    joined = [np.concatenate(kind) for kind in kinds]
    counted = np.concatenate(joined)
    counted = counted[(counted > 0) & (counted < INF)]
    are_even, median, low, largest, total, sizes = _core.scores.ordinary_sizes(kinds, 1.5, 2.0)
    assert largest == counted.max(initial=0.0)
    assert (median == low == 0.0) if are_even else (largest > 1.5 * median or largest > 2.0 * low)
    assert total == pytest.approx(counted.sum())
    assert low <= median <= largest
    assert sizes == [(np.count_nonzero(kind), kind.max(initial=0.0)) for kind in joined]


def test_a_cut_of_an_image_lists_no_edges() -> None:
    model = hh.Grid(np.random.default_rng(0).normal(size=(9, 8, 2)), smoothness=0.3)
    assert hh.best(model).exact
    assert not {"edges", "pairwise"} & set(model.__dict__)


@given(st.sampled_from([(3, 4), (1, 5), (4, 1), (2, 3, 2)]), st.booleans(), draws())
def test_sums_over_grids(shape: tuple[int, ...], far: bool, random: Draws) -> None:
    connectivity = {2: (4, 8), 3: (6, 26)}[len(shape)][far]
    offsets = hh.models.directions(len(shape), connectivity)
    strengths = [random.random(tuple(n - abs(k) for n, k in zip(shape, o, strict=True))) for o in offsets]
    model = hh.Grid(random.normal(size=(*shape, 3)), strengths, connectivity)
    i, j = model.edges.T
    each = model.pairwise.spans(len(model.edges))
    around = np.bincount(i, each, model.n_variables) + np.bincount(j, each, model.n_variables)
    np.testing.assert_allclose(model.reaches, around)
    np.testing.assert_allclose(_core.scores.reaches(model.n_variables, model.edges, each), around)
    flat = random.integers(0, 3, (4, model.n_variables)).astype(np.int32)
    cut = _core.scores.grid_scores(model.shape, connectivity, strengths, flat)
    np.testing.assert_allclose(cut, -((flat[:, i] != flat[:, j]) * each).sum(axis=1))
    np.testing.assert_allclose(model.pairs.values(flat), cut)


@given(st.sampled_from([np.int32, np.int64]), st.integers(0, 5), st.data())
def test_copied_edges(kind: type, n: int, data: st.DataObject) -> None:
    ends = st.integers(-2, n + 1) if kind is np.int32 else st.sampled_from([-(2**40), 0, 1, n - 1, n, 2**32])
    edges = data.draw(arrays(kind, st.tuples(st.integers(0, 5), st.just(2)), elements=ends))
    flat, good = _core.graphs.copied_edges(n, edges)
    assert good == all(0 <= i < n and 0 <= j < n and i != j for i, j in edges.tolist())
    if good:
        np.testing.assert_array_equal(flat.reshape(-1, 2), edges)


@given(st.integers(1, 6), st.data())
def test_parallel_edges(n: int, data: st.DataObject) -> None:
    edges = data.draw(arrays(np.int32, st.tuples(st.integers(0, 7), st.just(2)), elements=st.integers(0, n - 1)))
    twice = len({tuple(sorted(edge)) for edge in edges.tolist()}) < len(edges)
    assert _core.graphs.has_parallel(n, edges) == twice


@given(st.integers(0, 1), st.booleans(), st.booleans(), draws())
def test_terminals(base: int, changed: bool, offset: bool, random: Draws) -> None:
    n = int(random.integers(1, 12))
    scores = random.choice([-INF, -1e6, -1.0, 0.0, 0.5, 2.0, 1e6], (n, 2))
    changes, offsets = (random.normal(size=(n, 2)) if given else None for given in (changed, offset))
    around = random.random(n)
    costs, total, size = _core.flow.terminals(scores, changes, offsets, base, around, 2.0, 0.25)
    whole = scores + (0 if changes is None else changes) + (0 if offsets is None else offsets)
    limit = 2 * around + 0.25
    with np.errstate(invalid="ignore"):
        difference = whole[:, base] - whole[:, 1 - base]
    neither = np.isnan(difference)
    np.testing.assert_array_equal(costs, np.where(neither, 0.0, np.clip(difference, -limit, limit)))
    bases = np.where(neither, -limit, np.maximum(whole[:, base], whole[:, 1 - base] - limit))
    assert total == pytest.approx(bases.sum())
    assert size == pytest.approx(np.abs(costs).sum())


def test_arrays_that_do_not_fit_are_refused() -> None:
    labels = np.zeros((1, 3), np.int32)
    edges = np.array([[0, 1]], np.int32)
    with pytest.raises(ValueError, match="one array per direction"):
        _core.scores.grid_scores((2, 2), 4, [np.zeros(2)], np.zeros((1, 4), np.int32))
    with pytest.raises(ValueError, match="4 columns"):
        _core.scores.grid_scores((2, 2), 4, [np.zeros(2), np.zeros(2)], labels)
    with pytest.raises(ValueError, match="one per edge"):
        _core.scores.reaches(2, edges, np.zeros(2))
    with pytest.raises(ValueError, match="below 1"):
        _core.scores.reaches(1, edges, np.zeros(1))
    with pytest.raises(ValueError, match="one per row"):
        _core.scores.row_ranges(np.zeros((2, 2)), np.zeros(3))
    with pytest.raises(ValueError, match="2 columns"):
        _core.flow.terminals(np.zeros((2, 3)), None, None, 0, np.zeros(2), 1.0, 1.0)
    pairs = _core.Pairs.potts((2, 2), edges, np.ones(1))
    with pytest.raises(ValueError, match="2 columns"):
        pairs.values(labels)
    with pytest.raises(ValueError, match="below 2"):
        pairs.values(np.full((1, 2), 2, np.int32))
