# SPDX-License-Identifier: BSD-3-Clause
"""Every function of the compiled module against a brute-force definition in numpy."""

from __future__ import annotations

import gc
import itertools
import threading
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hedgehop import _core

INF = np.inf
NO_EDGES = np.zeros((0, 2), np.int32)


def int32(values: Any) -> np.ndarray:
    return np.array(values, np.int32)


@st.composite
def labelings(draw: st.DrawFn, n: int, n_labels: int = 3, max_rows: int = 4) -> np.ndarray:
    rows = draw(st.integers(0, max_rows))
    return draw(arrays(np.int32, (rows, n), elements=st.integers(0, n_labels - 1)))


# ---------------------------------------------------------------------------------------------- counts


@given(st.data(), st.integers(0, 9))
def test_hamming(data: st.DataObject, n: int) -> None:
    y, z = data.draw(labelings(n)), data.draw(labelings(n))
    weights = data.draw(arrays(np.float64, n, elements=st.floats(0, 10)))
    differ = y[:, None, :] != z[None, :, :]
    plain, weighted = _core.counts.hamming(y, z), _core.counts.hamming(y, z, weights)
    assert plain.dtype == weighted.dtype == np.float64
    np.testing.assert_array_equal(plain, differ.sum(axis=2))
    np.testing.assert_allclose(weighted, (differ * weights).sum(axis=2), rtol=1e-12)
    np.testing.assert_array_equal(_core.counts.hamming(y, z, weights=None), plain)


@given(st.data(), st.integers(0, 7), st.integers(1, 4))
def test_label_counts(data: st.DataObject, n: int, n_labels: int) -> None:
    y = data.draw(labelings(n, n_labels))
    counts = _core.counts.label_counts(y, n_labels)
    assert counts.dtype == np.int64
    np.testing.assert_array_equal(counts, (y[:, :, None] == np.arange(n_labels)).sum(axis=1))


@given(st.data(), st.integers(1, 7), st.integers(1, 4), st.integers(0, 8))
def test_transition_counts(data: st.DataObject, n: int, n_labels: int, n_edges: int) -> None:
    y = data.draw(labelings(n, n_labels))
    edges = data.draw(arrays(np.int32, (n_edges, 2), elements=st.integers(0, n - 1)))
    expected = np.zeros((len(y), n_labels, n_labels), np.int64)
    for row, (i, j) in itertools.product(range(len(y)), edges):
        expected[row, y[row, i], y[row, j]] += 1
    counts = _core.counts.transition_counts(y, edges, n_labels)
    assert counts.dtype == np.int64
    np.testing.assert_array_equal(counts, expected)


# -------------------------------------------------------------------------------------------- coverage


def gain_by_definition(y: np.ndarray, chosen: np.ndarray, decay: np.ndarray) -> float:
    """Probability that the kept positions tell y from every chosen labeling."""
    gain = 0.0
    for kept in itertools.product([False, True], repeat=len(y)):
        probability = np.prod(np.where(kept, -np.expm1(-decay), np.exp(-decay)))
        if ((y != chosen) & np.array(kept, bool)).any(axis=1).all():
            gain += probability
    return gain


@settings(deadline=None)
@given(st.data(), st.integers(0, 6))
def test_ball_gain(data: st.DataObject, n: int) -> None:
    y, chosen = data.draw(labelings(n)), data.draw(labelings(n, max_rows=6))
    rates = st.one_of(st.floats(0, 5), st.sampled_from([0.0, 1e-12, 1e3, INF]))
    decay = data.draw(arrays(np.float64, n, elements=rates))
    gains = _core.counts.ball_gain(y, chosen, decay)
    assert gains.shape == (len(y),)
    assert ((gains >= 0) & (gains <= 1)).all()
    np.testing.assert_allclose(gains, [gain_by_definition(row, chosen, decay) for row in y], atol=1e-13)


def test_ball_gain_adds_up_to_the_coverage_in_any_order() -> None:
    rng = np.random.default_rng(0)
    members = rng.integers(0, 3, (9, 40), np.int32)
    decay = rng.uniform(0, 0.1, 40)

    def coverage(order: np.ndarray) -> float:
        chain = members[order]
        return float(sum(_core.counts.ball_gain(chain[t : t + 1], chain[:t], decay)[0] for t in range(len(chain))))

    values = [coverage(rng.permutation(9)) for _ in range(5)]
    np.testing.assert_allclose(values, values[0], rtol=1e-12)


def test_ball_gain_of_a_repeated_labeling_is_exactly_zero() -> None:
    rng = np.random.default_rng(1)
    chosen = rng.integers(0, 4, (12, 300), np.int32)
    gains = _core.counts.ball_gain(chosen, chosen, rng.uniform(0, 0.01, 300))
    assert (gains == 0.0).all()


def test_ball_gain_is_one_without_members_and_keeps_small_digits() -> None:
    y, other = int32([[0, 0]]), int32([[0, 1]])
    assert _core.counts.ball_gain(y, np.zeros((0, 2), np.int32), np.ones(2)).tolist() == [1.0]
    assert _core.counts.ball_gain(y, other, np.full(2, 1e-18)).tolist() == [1e-18]


def test_ball_gain_takes_twenty_members_and_refuses_more() -> None:
    chosen = np.random.default_rng(2).integers(0, 2, (21, 64), np.int32)
    decay = np.full(64, 0.05)
    gain = _core.counts.ball_gain(chosen[20:], chosen[:20], decay)[0]
    overlaps = np.exp(-_core.counts.hamming(chosen[20:], chosen[:20], decay))
    assert np.prod(1 - overlaps) <= gain <= 1 - overlaps.max()
    with pytest.raises(ValueError, match="at most 20 chosen labelings; got 21"):
        _core.counts.ball_gain(chosen, chosen, decay)


@pytest.mark.parametrize("bad", [-1.0, np.nan])
def test_ball_gain_refuses_bad_decay(bad: float) -> None:
    with pytest.raises(ValueError, match="decay must be nonnegative"):
        _core.counts.ball_gain(int32([[0]]), int32([[1]]), np.array([bad]))


# --------------------------------------------------------------------------------------------- forests


class Forest(NamedTuple):
    """A forest model with ragged label counts and both kinds of pairwise scores."""

    unary: np.ndarray
    counts: np.ndarray
    edges: np.ndarray
    strengths: np.ndarray
    flat: np.ndarray
    offsets: np.ndarray
    columns: np.ndarray

    @property
    def potts(self) -> _core.Pairs:
        return _core.Pairs.potts(self.unary.shape, self.edges, self.strengths)

    @property
    def tables(self) -> _core.Pairs:
        shape = self.unary.shape
        return _core.Pairs.tables(shape, self.edges, self.flat, self.offsets, self.columns, self.counts)

    def potts_score(self, y: tuple[int, ...]) -> float:
        pairs = (-s for (i, j), s in zip(self.edges, self.strengths, strict=True) if y[i] != y[j])
        return self.unary[np.arange(len(y)), list(y)].sum() + sum(pairs)

    def tables_score(self, y: tuple[int, ...]) -> float:
        rows = zip(self.edges, self.offsets, self.columns, strict=True)
        pairs = (self.flat[start + y[i] * width + y[j]] for (i, j), start, width in rows)
        return self.unary[np.arange(len(y)), list(y)].sum() + sum(pairs)


# Small integers: sums are exact, and there are many ties.
SCORES = st.integers(-3, 3).map(float)
SCORES_OR_FORBIDDEN = st.one_of(SCORES, SCORES, SCORES, st.just(-INF))


@st.composite
def forests(draw: st.DrawFn, max_variables: int = 6, max_labels: int = 3) -> Forest:
    n, n_labels = draw(st.integers(0, max_variables)), draw(st.integers(1, max_labels))
    counts = draw(arrays(np.int32, n, elements=st.integers(1, n_labels)))
    unary = draw(arrays(np.float64, (n, n_labels), elements=SCORES_OR_FORBIDDEN))
    unary[np.arange(n_labels) >= counts[:, None]] = -INF
    names = draw(st.permutations(range(n)))
    edges, flat, offsets, columns = [], [], [], []
    for k in range(1, n):
        parent = draw(st.integers(-1, k - 1))
        if parent < 0:  # a new component
            continue
        i, j = (names[k], names[parent]) if draw(st.booleans()) else (names[parent], names[k])
        edges.append((i, j))
        columns.append(int(counts[j]) + draw(st.integers(0, 1)))
        offsets.append(len(flat))
        table = draw(arrays(np.float64, (int(counts[i]), columns[-1]), elements=SCORES_OR_FORBIDDEN))
        table[:, counts[j] :] = 1e9  # padding: reading it would show
        flat.extend(table.ravel())
    strengths = draw(arrays(np.float64, len(edges), elements=st.one_of(SCORES, SCORES, st.just(INF))))
    return Forest(
        unary,
        counts,
        np.array(edges, np.int32).reshape(-1, 2),
        strengths,
        np.array(flat, np.float64),
        np.array(offsets, np.int64),
        int32(columns),
    )


def enumerate_max_marginals(forest: Forest, score: Any) -> tuple[float, np.ndarray]:
    best, marginals = -INF, np.full(forest.unary.shape, -INF)
    for y in itertools.product(*map(range, forest.counts)):
        value = score(y)
        best = max(best, value)
        for i, label in enumerate(y):
            marginals[i, label] = max(marginals[i, label], value)
    return best, marginals


@settings(deadline=None, max_examples=200)
@given(forests())
def test_forest_argmax(forest: Forest) -> None:
    for pairs, score in ((forest.potts, forest.potts_score), (forest.tables, forest.tables_score)):
        best, _ = enumerate_max_marginals(forest, score)
        labeling, value = _core.graphs.forest_argmax(forest.unary, pairs)
        assert labeling.dtype == np.int32
        assert value == best
        assert (labeling >= 0).all()
        if best > -INF:
            assert (labeling < forest.counts).all()
            assert score(tuple(labeling)) == best


@settings(deadline=None, max_examples=200)
@given(forests())
def test_forest_max_marginals(forest: Forest) -> None:
    for pairs, score in ((forest.potts, forest.potts_score), (forest.tables, forest.tables_score)):
        _, expected = enumerate_max_marginals(forest, score)
        np.testing.assert_array_equal(_core.graphs.forest_max_marginals(forest.unary, pairs), expected)


def potts_argmax(unary: np.ndarray, edges: np.ndarray, strengths: np.ndarray) -> tuple[np.ndarray, float]:
    return _core.graphs.forest_argmax(unary, _core.Pairs.potts(unary.shape, edges, strengths))


def test_ties_go_to_the_lowest_label_decided_from_the_lowest_variable_on() -> None:
    edges, unary = int32([[2, 1], [1, 0]]), np.zeros((3, 3))
    assert potts_argmax(unary, edges, np.array([1.0, 1.0]))[0].tolist() == [0, 0, 0]
    # All neighbours want to differ: 0 takes 0, then 1 the lowest other label, then 2 again.
    assert potts_argmax(unary, edges, np.array([-1.0, -1.0]))[0].tolist() == [0, 1, 0]


def test_an_infeasible_forest_has_score_minus_infinity() -> None:
    unary = np.array([[0.0, -INF], [-INF, 0.0], [1.0, 2.0]])
    labeling, value = potts_argmax(unary, int32([[0, 1]]), np.array([INF]))
    assert value == -INF
    assert set(labeling) <= {0, 1}
    pairs = _core.Pairs.potts(unary.shape, int32([[0, 1]]), np.array([INF]))
    marginals = _core.graphs.forest_max_marginals(unary, pairs)
    assert (marginals == -INF).all()


def test_edges_may_share_a_table() -> None:
    table = np.array([0.0, 2.0, 1.0, 0.0])
    edges, counts = int32([[0, 1], [1, 2]]), int32([2, 2, 2])
    pairs = _core.Pairs.tables((3, 2), edges, table, np.zeros(2, np.int64), int32([2, 2]), counts)
    shared = _core.graphs.forest_argmax(np.zeros((3, 2)), pairs)
    assert shared[0].tolist() == [0, 1, 0]
    assert shared[1] == 3.0


def test_a_long_chain_needs_no_recursion() -> None:
    n = 1_000_000
    edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1).astype(np.int32)
    unary = np.zeros((n, 2))
    unary[0, 1] = 0.5
    labeling, value = potts_argmax(unary, edges, np.ones(n - 1))
    assert value == 0.5
    assert labeling.all()


@given(st.data(), st.integers(1, 8))
def test_is_forest(data: st.DataObject, n: int) -> None:
    edges = data.draw(arrays(np.int32, (data.draw(st.integers(0, 2 * n)), 2), elements=st.integers(0, n - 1)))
    part = list(range(n))
    expected = True
    for i, j in edges:
        expected &= part[i] != part[j]
        part = [part[i] if p == part[j] else p for p in part]
    assert _core.graphs.is_forest(n, edges) is expected
    if not expected:
        with pytest.raises(ValueError, match="edges must form a forest"):
            potts_argmax(np.zeros((n, 2)), edges, np.zeros(len(edges)))


def test_is_forest_without_variables() -> None:
    assert _core.graphs.is_forest(0, NO_EDGES)


# ------------------------------------------------------------------------------- the border with numpy

Y = int32([[0, 1, 1], [1, 0, 1]])
CHAIN = int32([[0, 1], [1, 2]])
ZEROS = np.zeros((3, 2))
TABLES = {
    "shape": (3, 2),
    "edges": CHAIN,
    "flat": np.zeros(8),
    "offsets": np.array([0, 4], np.int64),
    "columns": int32([2, 2]),
    "label_counts": int32([2, 2, 2]),
}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: _core.counts.hamming(Y, Y[:, :2].copy()), "references must have 3 columns; got 2"),
        (lambda: _core.counts.hamming(Y, Y, np.ones(2)), "weights must have 3 entries, one per variable; got 2"),
        (lambda: _core.counts.label_counts(Y, 1), "labelings must be at least 0 and below"),
        (lambda: _core.counts.label_counts(-Y, 2), "labelings must be at least 0 and below"),
        (lambda: _core.counts.label_counts(Y, 0), "labelings must be at least 0 and below"),
        (lambda: _core.counts.transition_counts(Y, CHAIN, 1), "labelings must be at least 0 and below"),
        (lambda: _core.counts.transition_counts(Y, CHAIN + int32(1), 2), "edges must be at least 0 and below"),
        (lambda: _core.counts.transition_counts(Y, Y, 2), "edges must have 2 columns; got 3"),
        (lambda: _core.counts.ball_gain(Y, Y[:, :2].copy(), np.ones(3)), "chosen must have 3 columns"),
        (lambda: _core.counts.ball_gain(Y, Y, np.ones(4)), "decay must have 3 entries"),
        (lambda: _core.graphs.is_forest(2, CHAIN), "edges must be at least 0 and below"),
        (lambda: _core.graphs.is_forest(3, -CHAIN), "edges must be at least 0 and below"),
        (lambda: potts_argmax(ZEROS[:, :0].copy(), CHAIN, np.ones(2)), "at least one label"),
        (
            lambda: potts_argmax(ZEROS, CHAIN, np.ones(3)),
            "strengths must have 2 entries",
        ),
        (
            lambda: potts_argmax(ZEROS[:2], CHAIN, np.ones(2)),
            "edges must be at least 0 and below",
        ),
        (
            lambda: potts_argmax(ZEROS + INF, CHAIN, np.ones(2)),
            "unary must not contain",
        ),
        (
            lambda: potts_argmax(ZEROS + np.nan, CHAIN, np.ones(2)),
            "unary must not contain",
        ),
        (lambda: potts_argmax(ZEROS, CHAIN, np.full(2, -INF)), "strengths must not"),
        (
            lambda: _core.graphs.forest_argmax(ZEROS[:2], _core.Pairs.potts((3, 2), CHAIN, np.ones(2))),
            "unary must have 3 entries, one per variable; got 2",
        ),
    ],
)
def test_bad_values_are_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ({"label_counts": int32([2, 2])}, "label_counts must have 3 entries"),
        ({"label_counts": int32([2, 0, 2])}, "label_counts must lie in 1..2"),
        ({"label_counts": int32([2, 3, 2])}, "label_counts must lie in 1..2"),
        ({"offsets": np.array([0], np.int64)}, "offsets must have 2 entries"),
        ({"columns": int32([2])}, "columns must have 2 entries"),
        ({"flat": np.zeros(7)}, "table of edge 1 does not fit"),
        ({"flat": np.full(8, np.nan)}, "flat must not contain"),
        ({"offsets": np.array([-1, 4], np.int64)}, "table of edge 0 does not fit"),
        ({"offsets": np.array([0, 2**63 - 1], np.int64)}, "table of edge 1 does not fit"),
        ({"columns": int32([1, 2])}, "table of edge 0 does not fit"),
        ({"columns": int32([-(2**31), 2])}, "table of edge 0 does not fit"),
        ({"columns": int32([2, 2**31 - 1])}, "table of edge 1 does not fit"),
        ({"edges": int32([[0, 1], [1, 3]])}, "edges must be at least 0 and below"),
    ],
)
def test_bad_tables_are_refused(at: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _core.Pairs.tables(**(TABLES | at))


@pytest.mark.parametrize(
    "array",
    [Y.astype(np.int64), Y.astype(np.float64), np.asfortranarray(Y), Y[:, ::2], Y[0], Y.tolist(), None],
    ids=["int64", "float64", "fortran", "strided", "one row", "list", "None"],
)
def test_nothing_is_converted_silently(array: Any) -> None:
    for call in (
        lambda: _core.counts.hamming(array, Y),
        lambda: _core.counts.label_counts(array, 2),
        lambda: _core.counts.ball_gain(Y, array, np.ones(3)),
        lambda: _core.graphs.is_forest(3, array),
        lambda: potts_argmax(ZEROS, array, np.ones(2)),
    ):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            call()


def test_absurd_sizes_raise_memory_errors() -> None:
    for n_labels in (2**32, 2**62):
        with pytest.raises((MemoryError, ValueError)):
            _core.counts.transition_counts(Y, CHAIN, n_labels)
    tall = np.zeros((2**40, 0), np.int32)
    with pytest.raises((MemoryError, ValueError)):
        _core.counts.hamming(tall, tall)


def test_read_only_input_is_taken_and_results_are_owned() -> None:
    frozen = Y.copy()
    frozen.flags.writeable = False
    counts = _core.counts.label_counts(frozen, 2)
    gc.collect()
    assert counts.flags.writeable
    assert counts.tolist() == [[1, 2], [1, 2]]


def test_threads_get_the_same_answers() -> None:
    rng = np.random.default_rng(3)
    y, weights = rng.integers(0, 5, (40, 2000), np.int32), rng.uniform(0, 1, 2000)
    expected = _core.counts.hamming(y, y, weights)
    results: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: results.append(_core.counts.hamming(y, y, weights))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    for result in results:
        np.testing.assert_array_equal(result, expected)
