# SPDX-License-Identifier: BSD-3-Clause
"""Expansion, swap and fusion moves against a definition of the score in numpy and enumeration."""

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
PLENTY = 100_000  # of cuts


class Problem(NamedTuple):
    """Arrays of a small problem; ``flat`` is None for Potts scores."""

    unary: np.ndarray
    counts: np.ndarray
    edges: np.ndarray
    strengths: np.ndarray
    flat: np.ndarray | None
    offsets: np.ndarray
    columns: np.ndarray
    theta: np.ndarray | None
    label_weights: np.ndarray | None
    least: np.ndarray
    transitions: np.ndarray | None
    ordered: bool
    members: tuple[np.ndarray, ...]
    mu: np.ndarray
    slack: np.ndarray

    def moves(self) -> _core.moves.Moves:
        shape = self.unary.shape
        pairs = _core.Pairs.potts(shape, self.edges, self.strengths)
        if self.flat is not None:
            pairs = _core.Pairs.tables(shape, self.edges, self.flat, self.offsets, self.columns, self.counts)
        solver = _core.moves.Moves(self.unary, pairs)
        solver.set_linear(self.theta)
        if self.label_weights is not None:
            solver.set_label_weights(self.label_weights, self.least)
        solver.set_transition_weights(self.transitions, self.ordered)
        if self.members:
            sizes = [0, *(len(m) for m in self.members)]
            solver.set_regions(
                np.concatenate(self.members).astype(np.int32), np.cumsum(sizes).astype(np.int64), self.mu, self.slack
            )
        return solver

    def score(self, y: Any) -> float:
        y = np.asarray(y)
        n, n_labels = self.unary.shape
        total = float(self.unary[np.arange(n), y].sum(dtype=np.float64))
        if self.theta is not None:
            total += self.theta[np.arange(n), y].sum()
        first, second = y[self.edges[:, 0]], y[self.edges[:, 1]]
        if self.flat is None:
            total -= self.strengths[first != second].sum()
        else:
            total += self.flat[self.offsets + first * self.columns + second].sum()
        if self.label_weights is not None:
            used = np.bincount(y, minlength=n_labels) >= self.least[:, None]
            total += self.label_weights[used].sum()
        if self.transitions is not None:
            used = np.zeros((n_labels, n_labels), bool)
            used[first, second] = True
            pairs = used if self.ordered else np.triu(used | used.T)
            total += self.transitions[pairs & ~np.eye(n_labels, dtype=bool)].sum()
        for c, members in enumerate(self.members):
            misses = len(members) - np.bincount(y[members], minlength=n_labels)
            total += np.maximum(0.0, 1 - misses / self.slack[c]) @ self.mu[c]
        return total

    def best(self, choices: list[Any]) -> float:
        """Return the best score over a product of labels to choose from."""
        return max(self.score(y) for y in itertools.product(*choices))


def whole(low: int, high: int) -> st.SearchStrategy[float]:
    return st.integers(low, high).map(float)


@st.composite
def problems(draw: st.DrawFn, exact: bool = False, transitions: bool = True) -> Problem:
    """Draw a problem whose moves must be optimal, or any."""
    n, n_labels = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    counts = draw(arrays(np.int32, n, elements=st.integers(1, n_labels)))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    unary = draw(arrays(dtype, (n, n_labels), elements=whole(-9, 9)))
    unary[:, 1:][draw(arrays(np.bool_, (n, n_labels - 1), elements=st.sampled_from([False, False, True])))] = -INF
    unary[np.arange(n_labels) >= counts[:, None]] = -INF
    pairs = [p for p in itertools.combinations(range(n), 2) if draw(st.booleans())]
    edges = np.array([p[:: draw(st.sampled_from([1, -1]))] for p in pairs], np.int32).reshape(-1, 2)
    strengths = draw(arrays(np.float64, len(edges), elements=whole(0, 5)))
    sizes = counts[edges].astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(sizes.prod(axis=1))]).astype(np.int64)
    flat = None
    if draw(st.booleans()):  # distances of labels, or anything
        flat = np.concatenate([np.zeros(0), *map(_distances, strengths, sizes.tolist())])
        flat += 0 if exact else draw(arrays(np.float64, flat.shape, elements=whole(-4, 4)))
    levels = draw(st.integers(0, 1 if exact else 2))
    w = draw(arrays(np.float64, (n_labels, n_labels), elements=whole(-8, 8)))
    ordered = draw(st.booleans())
    members = tuple(
        np.array(sorted(draw(st.sets(st.integers(0, n - 1), min_size=1))), np.int64)
        for _ in range(draw(st.integers(0, 2)))
    )
    slack = draw(arrays(np.int64, len(members), elements=st.integers(1, 4)))
    mu = draw(arrays(np.float64, (len(members), n_labels), elements=whole(-8, 8)))
    mu = np.where((slack > 1)[:, None] & exact, np.abs(mu), mu) * slack[:, None]
    return Problem(
        unary,
        counts,
        edges,
        strengths,
        flat,
        offsets[:-1],
        np.ascontiguousarray(sizes[:, 1], np.int32),
        draw(st.none() | arrays(np.float64, (n, n_labels), elements=whole(-9, 9))),
        draw(arrays(np.float64, (levels, n_labels), elements=whole(-8, 8))) if levels else None,
        np.ones(levels, np.int64) if exact else draw(arrays(np.int64, levels, elements=st.integers(1, 4))),
        (w if ordered else w + w.T) if transitions and draw(st.booleans()) else None,
        ordered,
        members,
        mu,
        slack,
    )


def _distances(strength: float, sizes: list[int]) -> np.ndarray:
    rows, columns = np.indices(sizes)
    return (-strength * np.abs(rows - columns)).ravel()


def allowed(problem: Problem, i: int) -> list[int]:
    return np.flatnonzero(np.isfinite(problem.unary[i])).tolist()


def labeling_of(draw: Any, problem: Problem) -> np.ndarray:
    return np.array([draw(st.sampled_from(allowed(problem, i))) for i in range(len(problem.unary))], np.int32)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_expansion_ends_where_no_expansion_improves(data: st.DataObject) -> None:
    problem = data.draw(problems(exact=True, transitions=False))
    start = labeling_of(data.draw, problem)
    y, gained = problem.moves().expand(start, rounds=100, cuts_per_move=PLENTY)
    assert gained == pytest.approx(problem.score(y) - problem.score(start), abs=1e-9)
    for alpha in range(problem.unary.shape[1]):
        choices = [{int(own), alpha} & set(allowed(problem, i)) for i, own in enumerate(y)]
        assert problem.best([sorted(c) for c in choices]) <= problem.score(y) + 1e-9


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_swap_ends_where_no_swap_improves(data: st.DataObject) -> None:
    problem = data.draw(problems(exact=True))
    start = labeling_of(data.draw, problem)
    y, gained = problem.moves().swap(start, rounds=100, cuts_per_move=PLENTY)
    assert gained == pytest.approx(problem.score(y) - problem.score(start), abs=1e-9)
    for pair in itertools.combinations(range(problem.unary.shape[1]), 2):
        choices = [set(pair) & set(allowed(problem, i)) if own in pair else {int(own)} for i, own in enumerate(y)]
        assert problem.best([sorted(c) for c in choices]) <= problem.score(y) + 1e-9


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_no_move_ever_loses(data: st.DataObject) -> None:
    problem = data.draw(problems())
    start, proposal = labeling_of(data.draw, problem), labeling_of(data.draw, problem)
    cuts = data.draw(st.sampled_from([1, 2, 5, PLENTY]))
    candidates = data.draw(arrays(np.uint8, problem.unary.shape, elements=st.integers(0, 1)))
    solver, kept = problem.moves(), start.copy()
    ends = {
        "expand": solver.expand(start, None, 20, cuts),
        "candidates": solver.expand(start, candidates, 20, cuts),
        "swap": solver.swap(start, 20, cuts),
        "fuse": solver.fuse(start, proposal, cuts),
    }
    np.testing.assert_array_equal(start, kept)
    for y, gained in ends.values():
        assert y.dtype == np.int32
        assert all(label in allowed(problem, i) for i, label in enumerate(y))
        assert gained >= 0
        assert gained == pytest.approx(problem.score(y) - problem.score(start), abs=1e-9)
    restricted, fused = ends["candidates"][0], ends["fuse"][0]
    assert (candidates[np.arange(len(start)), restricted][restricted != start] == 1).all()
    assert ((fused == start) | (fused == proposal)).all()
    assert problem.score(fused) >= problem.score(proposal) - 1e-9


@settings(deadline=None)
@given(st.data())
def test_weights_are_replaced_and_dropped(data: st.DataObject) -> None:
    problem = data.draw(problems())
    plain = problem._replace(theta=None, label_weights=None, transitions=None, members=())
    solver = problem.moves()
    solver.set_linear(None)
    solver.set_label_weights(None)
    solver.set_transition_weights(None)
    solver.set_regions(None)
    start = labeling_of(data.draw, problem)
    for move in ("expand", "swap"):
        expected, gained = getattr(plain.moves(), move)(start)
        again, same = getattr(solver, move)(start)
        np.testing.assert_array_equal(again, expected)
        assert same == gained


# ------------------------------------------------------------------------------- the border with numpy

CHAIN = np.array([[0, 1], [1, 2]], np.int32)
ZEROS = np.zeros((3, 2))
START = np.zeros(3, np.int32)


def potts(unary: np.ndarray, edges: np.ndarray, strengths: np.ndarray) -> _core.moves.Moves:
    return _core.moves.Moves(unary, _core.Pairs.potts(unary.shape, edges, strengths))


def tables(**at: Any) -> _core.moves.Moves:
    return _core.moves.Moves(ZEROS, _core.Pairs.tables(**(TABLES | at)))


def chain(unary: np.ndarray = ZEROS) -> _core.moves.Moves:
    return potts(unary, CHAIN, np.ones(2))


def regions(**at: Any) -> None:
    arrays_: dict[str, Any] = {
        "members": np.array([0, 1], np.int32),
        "offsets": np.array([0, 2]),
        "mu": np.ones((1, 2)),
        "slack": np.ones(1, np.int64),
    }
    chain().set_regions(**(arrays_ | at))


TABLES: dict[str, Any] = {
    "shape": ZEROS.shape,
    "label_counts": np.full(3, 2, np.int32),
    "edges": CHAIN,
    "flat": np.zeros(4),
    "offsets": np.zeros(2, np.int64),
    "columns": np.full(2, 2, np.int32),
}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: chain(ZEROS + np.nan), "unary must not contain NaN"),
        (lambda: potts(ZEROS, CHAIN, np.ones(3)), "strengths must have 2 entries"),
        (lambda: potts(ZEROS, CHAIN, np.full(2, INF)), "strengths must be finite"),
        (lambda: potts(ZEROS[:2], CHAIN, np.ones(2)), "edges must be at least 0 and below 2"),
        (lambda: potts(ZEROS, CHAIN * 0, np.ones(2)), "edge 0 is a self-loop"),
        (lambda: tables(flat=np.full(4, -INF)), "flat must be finite"),
        (lambda: tables(flat=np.zeros(3)), "table of edge 0 does not fit"),
        (
            lambda: tables(label_counts=np.ones(3, np.int32)),
            "unary must be -inf beyond the label_counts",
        ),
        (lambda: chain().set_linear(np.zeros((3, 3))), "theta must have 2 columns; got 3"),
        (lambda: chain().set_linear(np.full((3, 2), INF)), "theta must not contain"),
        (lambda: chain().set_label_weights(np.ones((1, 2))), "give w and least_counts, or neither"),
        (lambda: chain().set_label_weights(np.ones((1, 3)), np.ones(1, np.int64)), "w must have 2 columns"),
        (lambda: chain().set_label_weights(np.ones((1, 2)), np.zeros(1, np.int64)), "least_counts must be at least 1"),
        (lambda: chain().set_label_weights(np.ones((1, 2)) * np.nan, np.ones(1, np.int64)), "w must be finite"),
        (lambda: chain().set_transition_weights(np.ones((1, 2))), "w must have 2 entries, one per label"),
        (lambda: chain().set_transition_weights(np.array([[0.0, 1], [2, 0]])), "w must be symmetric"),
        (lambda: regions(slack=None), "give members, offsets, mu and slack, or none"),
        (lambda: regions(slack=np.zeros(1, np.int64)), "slack must be at least 1"),
        (lambda: regions(mu=np.ones((2, 2))), "mu must have 1 entries, one per region"),
        (lambda: regions(members=np.array([0, 3], np.int32)), "members must be at least 0 and below 3"),
        (lambda: regions(members=np.array([1, 1], np.int32)), "region 0 has variable 1 twice"),
        (lambda: regions(offsets=np.array([0, 3])), "offsets must not decrease"),
        (lambda: regions(offsets=np.array([0, 1, 2])), "offsets must have 2 entries"),
        (lambda: chain().expand(START[:2]), "start must have 3 entries"),
        (lambda: chain().swap(START + np.int32(2)), "start must be at least 0 and below 2"),
        (lambda: chain(np.full((3, 2), -INF)).expand(START), "start gives variable 0 a forbidden label"),
        (lambda: chain().fuse(START, START[:2]), "proposal must have 3 entries"),
        (lambda: chain().expand(START, np.ones((3, 1), np.uint8)), "candidates must have 2 columns"),
    ],
)
def test_bad_arrays_are_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_nothing_is_converted_silently() -> None:
    for call in (
        lambda: chain(ZEROS.astype(np.int64)),
        lambda: chain().set_linear(ZEROS.astype(np.float32)),
        lambda: chain().expand(START.astype(np.int64)),
    ):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            call()


def test_arrays_stay_alive_with_the_solver() -> None:
    solver = potts(np.tile([0.0, 1.0], (1000, 1)), np.zeros((0, 2), np.int32), np.zeros(0))
    solver.set_linear(np.tile([0.0, 1.0], (1000, 1)))
    solver.set_label_weights(np.array([[0.0, -5.0]]), np.ones(1, np.int64))
    gc.collect()
    junk = [np.full((1000, 2), -1e9) for _ in range(8)]
    y, gained = solver.expand(np.zeros(1000, np.int32))
    assert len(junk) == 8
    assert y.all()
    assert gained == 1995.0


def test_two_threads_cannot_use_one_solver() -> None:
    rng = np.random.default_rng(0)
    index = np.arange(200 * 200, dtype=np.int32).reshape(200, 200)
    edges = np.concatenate([np.stack([index[:-1], index[1:]], -1).reshape(-1, 2)])
    solver = potts(rng.uniform(size=(index.size, 8)), edges, np.full(len(edges), 0.3))
    start, outcomes = np.zeros(index.size, np.int32), list[Any]()

    def run() -> None:
        try:
            outcomes.append(solver.expand(start)[1])
        except RuntimeError as error:
            outcomes.append(str(error))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(outcomes) <= {solver.expand(start)[1], "this solver is at work in another thread"}
