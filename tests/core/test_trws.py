# SPDX-License-Identifier: BSD-3-Clause
"""TRW-S: bounds that hold for the real scores, labelings that are allowed, the same answer from every kernel."""

from __future__ import annotations

import itertools
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.draws import draws

import hedgehop as hh
from hedgehop import _core

INF = np.inf
NO_EDGES = np.zeros((0, 2), np.int32)
KERNELS = ("baseline", "avx2", "avx512")


class Model:
    """A random pairwise model with everything that may go wrong in it, and its optimum by enumeration."""

    def __init__(self, rng: Any, kind: str, n: int | None = None, density: float | None = None) -> None:
        self.rng, self.kind = rng, kind
        self.n = n or int(rng.integers(1, 7))
        self.n_labels = int(rng.integers(1, 5))
        self.dtype = rng.choice([np.float32, np.float64])
        self.scale = float(rng.choice([1.0, 1e-6, 1e5]))
        self.ties = bool(rng.random() < 0.4)
        ragged = rng.random() < 0.5
        self.counts = np.full(self.n, self.n_labels, np.int32)
        if ragged:
            self.counts = rng.integers(1, self.n_labels + 1, self.n).astype(np.int32)
        pairs = [p for p in itertools.combinations(range(self.n), 2) if rng.random() < (density or rng.random())]
        self.edges = np.array([p if rng.random() < 0.5 else p[::-1] for p in pairs], np.int32).reshape(-1, 2)
        self.unary = self.new_unary()
        self._new_pairs()

    def scores(self, *shape: int) -> np.ndarray:
        values = self.rng.integers(-4, 5, shape) if self.ties else 2.0 * self.rng.normal(size=shape)
        return np.asarray(values * self.scale, np.float64)

    def new_unary(self) -> np.ndarray:
        unary = self.scores(self.n, self.n_labels)
        forbidden = self.rng.random(unary.shape) < 0.15
        forbidden[:, 0] = False
        unary[forbidden | (np.arange(self.n_labels) >= self.counts[:, None])] = -INF
        return unary.astype(self.dtype)

    def _new_pairs(self) -> None:
        if self.kind == "potts":
            self.strengths = np.abs(self.scores(len(self.edges)))
            different = 1.0 - np.eye(self.n_labels)
            self.tables = [-s * different for s in self.strengths]
        elif self.kind == "shared":
            self.tables = [self.scores(self.n_labels, self.n_labels)] * len(self.edges)
        else:
            self.tables = [self.scores(self.n_labels, self.n_labels) for _ in self.edges]
            for table in self.tables:
                table[self.rng.random(table.shape) < 0.1] = -INF

    def pairs(self) -> _core.Pairs:
        shape = self.unary.shape
        if self.kind == "potts":
            return _core.Pairs.potts(shape, self.edges, self.strengths, self.counts)
        size, shared = self.n_labels**2, self.kind == "shared"
        flat = np.concatenate([t.ravel() for t in self.tables[: 1 if shared else None]] or [np.zeros(0)])
        offsets = np.arange(len(self.edges), dtype=np.int64) * (0 if shared else size)
        columns = np.full(len(self.edges), self.n_labels, np.int32)
        return _core.Pairs.tables(shape, self.edges, flat, offsets, columns, self.counts)

    def solver(self, instruction_set: str = "", ranks: np.ndarray | None = None) -> _core.trws.Trws:
        return _core.trws.Trws(self.unary, self.pairs(), ranks, instruction_set)

    def values(self, labelings: np.ndarray, theta: Any = 0.0) -> np.ndarray:
        total = (self.unary.astype(np.float64) + theta)[np.arange(self.n), labelings].sum(axis=1)
        for table, (i, j) in zip(self.tables, self.edges, strict=True):
            total += table[labelings[:, i], labelings[:, j]]
        return total

    def value(self, labeling: np.ndarray, theta: Any = 0.0) -> float:
        return float(self.values(labeling[None], theta)[0])

    def optimum(self, theta: Any = 0.0) -> float:
        labelings = np.stack(np.meshgrid(*map(np.arange, self.counts), indexing="ij"), axis=-1)
        return float(self.values(labelings.reshape(-1, self.n), theta).max())

    def check(self, answer: Any, theta: Any = 0.0) -> None:
        labeling, value, bound, _ = answer
        best = self.optimum(theta)
        assert bound >= best
        assert value <= bound
        assert ((labeling >= 0) & (labeling < self.counts)).all()
        assert np.isfinite((self.unary + theta)[np.arange(self.n), labeling]).all()
        size = self.scale + np.abs(np.nan_to_num(theta, neginf=0.0)).max()
        assert value == pytest.approx(self.value(labeling, theta), rel=1e-12, abs=1e-12 * size)


def potts(
    unary: np.ndarray,
    counts: np.ndarray | None,
    edges: np.ndarray,
    strengths: np.ndarray,
    ranks: np.ndarray | None = None,
    instruction_set: str = "",
) -> _core.trws.Trws:
    return _core.trws.Trws(unary, _core.Pairs.potts(unary.shape, edges, strengths, counts), ranks, instruction_set)


MODELS = st.builds(Model, draws(), st.sampled_from(["potts", "shared", "tables"]))


@settings(deadline=None, max_examples=200)
@given(MODELS)
def test_bounds_hold_and_labelings_are_allowed(model: Model) -> None:
    model.check(model.solver().run(iterations=1))
    model.check(model.solver().run())
    ranks = model.rng.permutation(model.n).astype(np.int32)
    model.check(model.solver(ranks=ranks).run())


@settings(deadline=None, max_examples=150)
@given(MODELS)
def test_bounds_do_not_increase_from_sweep_to_sweep(model: Model) -> None:
    solver = model.solver()
    bounds = []
    for _ in range(10):
        solver.add_linear(None)  # forgets the best bound, keeps the messages
        bounds.append(solver.run(iterations=1)[2])
    size = max(1.0, np.abs(bounds).max(), 20 * model.scale)
    assert (np.diff(bounds) <= 1e-6 * size).all()


@settings(deadline=None, max_examples=150)
@given(draws(), st.sampled_from(["potts", "shared", "tables"]))
def test_trees_are_solved(rng: Any, kind: str) -> None:
    model = Model(rng, kind, n=5, density=1e-12)
    model.edges = np.array([(i, rng.integers(i)) for i in range(1, 5)], np.int32)
    model._new_pairs()
    best = model.optimum()
    if best == -INF:
        return
    _, value, bound, _ = model.solver().run(iterations=3, gap=0.0)
    assert bound == pytest.approx(best, rel=1e-6, abs=1e-5 * model.scale)
    assert value == pytest.approx(best, rel=1e-6, abs=1e-5 * model.scale)


@settings(deadline=None, max_examples=100)
@given(MODELS)
def test_warm_restarts_are_valid_after_any_change_of_the_unaries(model: Model) -> None:
    solver = model.solver()
    solver.run(iterations=3)
    for size in (1e-3, 1.0, 1e4):
        theta = size * model.scores(model.n, model.n_labels)
        solver.add_linear(theta)
        model.check(solver.run(iterations=3), theta)
    solver.add_linear(None)
    model.check(solver.run(iterations=3))


@settings(deadline=None, max_examples=60)
@given(MODELS)
def test_every_instruction_set_does_the_same(model: Model) -> None:
    for name in KERNELS[1:]:
        baseline = model.solver("baseline")
        expected = baseline.run(iterations=7, gap=0.0, least_gain=-1e9)
        try:
            solver = model.solver(name)
        except ValueError as error:
            assert f"no kernels for the instruction set '{name}'" in str(error)  # noqa: PT017
            continue
        labeling, value, bound, _ = solver.run(iterations=7, gap=0.0, least_gain=-1e9)
        np.testing.assert_array_equal(solver.messages(), baseline.messages())
        np.testing.assert_array_equal(labeling, expected[0])
        assert (value, bound) == expected[1:3]
        np.testing.assert_array_equal(solver.beliefs(), baseline.beliefs())
        np.testing.assert_array_equal(solver.label_bounds()[1], baseline.label_bounds()[1])


@pytest.mark.parametrize("n_labels", [1, 2, 5, 21, 33, 64, 65, 200])
def test_many_labels_and_two_threads(n_labels: int) -> None:
    rng = np.random.default_rng(n_labels)
    scores = rng.standard_normal((20, 30, n_labels)).astype(np.float32)
    strengths = [rng.random((20, 29)), rng.random((19, 30))]
    answers = []
    for name, threads in itertools.product(("baseline", ""), (1, 2)):
        solver = _core.trws.Trws.grid(scores, 4, strengths, name)
        answers.append((*solver.run(iterations=10, threads=threads), solver.messages()))
    for answer in answers[1:]:
        for ours, first in zip(answer, answers[0], strict=True):
            np.testing.assert_array_equal(ours, first)


@pytest.mark.parametrize(("shape", "connectivity"), [((5, 4), 4), ((5, 4), 8), ((3, 2, 4), 6), ((3, 2, 4), 26)])
def test_grid_is_the_model_of_the_same_name(shape: tuple[int, ...], connectivity: int) -> None:
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((*shape, 3))
    sizes = [
        tuple(n - abs(k) for n, k in zip(shape, o, strict=True)) for o in hh.models.directions(len(shape), connectivity)
    ]
    strengths = [rng.random(size) for size in sizes]
    grid = hh.Grid(scores, smoothness=strengths, connectivity=connectivity)
    solver = _core.trws.Trws.grid(scores, connectivity, strengths)
    ranks = np.arange(grid.n_variables, dtype=np.int32)
    listed = potts(grid.unary, None, grid.edges, np.concatenate([s.ravel() for s in strengths]), ranks)
    ours, theirs = solver.run(), listed.run()
    np.testing.assert_array_equal(ours[0], theirs[0])
    np.testing.assert_array_equal(solver.messages(), listed.messages())
    assert ours[1] == pytest.approx(grid.score(ours[0].reshape(shape)))
    assert ours[1:] == pytest.approx(theirs[1:])


def test_the_bound_survives_huge_and_tiny_scores() -> None:
    edges = np.array([[0, 1], [1, 2], [2, 0]], np.int32)
    for size in (1e-300, 1e-30, 1e30, 1e290):
        unary = size * np.array([[0.0, 1.0], [0.5, 0.0], [0.3, 0.0]])
        strengths = size * np.array([0.4, 0.2, 0.7])
        model = Model(np.random.default_rng(0), "potts", n=3)
        model.n_labels, model.counts = 2, np.full(3, 2, np.int32)
        model.unary, model.edges, model.strengths = unary, edges, strengths
        model.tables = [-s * (1 - np.eye(2)) for s in strengths]
        best = model.optimum()
        labeling, value, bound, _ = model.solver().run()
        assert best <= bound <= best + 0.2 * size
        assert value == pytest.approx(model.value(labeling))


@pytest.mark.parametrize("seed", range(6))
def test_hubs_and_wide_tables_do_not_overflow(seed: int) -> None:
    """A star of 300 leaves, tables whose scores are mostly sums of unary terms, scores that push all one way."""
    rng = np.random.default_rng(seed)
    n, n_labels = 301, int(rng.integers(2, 40))
    edges = np.stack([np.zeros(n - 1), np.arange(1, n)], axis=1).astype(np.int32)
    flip = rng.random(n - 1) < 0.5
    edges[flip] = edges[flip, ::-1]
    unary = rng.choice([-1e6, 0.0, 1.0, 1e6], (n, n_labels)) * rng.random((n, n_labels))
    tables = rng.random((n - 1, n_labels, n_labels)) + 1e3 * rng.random((n - 1, n_labels, 1))
    tables *= rng.choice([1.0, 1e-3, 1e3], (n - 1, 1, 1))
    tables[rng.random(tables.shape) < 0.02] = -INF
    counts = np.full(n, n_labels, np.int32)
    offsets = np.arange(n - 1, dtype=np.int64) * n_labels**2
    columns = np.full(n - 1, n_labels, np.int32)
    pairs = _core.Pairs.tables(unary.shape, edges, tables.ravel(), offsets, columns, counts)
    _, best = _core.graphs.forest_argmax(unary, pairs)
    solver = _core.trws.Trws(unary, pairs)
    _, value, bound, _ = solver.run(gap=0.0)
    assert bound >= best
    assert bound == pytest.approx(best, rel=1e-3)
    assert value <= bound
    assert solver.messages().max() <= 0


def test_scribbles_do_not_cost_precision() -> None:
    """Scores far beyond what edges can change are clipped, not squeezed into the same integers."""
    rng = np.random.default_rng(3)
    scores = rng.standard_normal((12, 12, 3))
    scores[::4, ::4, 0] += 1e6
    scores[1::4, 1::4, 1] = -INF
    strengths = [np.full((12, 11), 0.01), np.full((11, 12), 0.01)]
    _, value, bound, _ = _core.trws.Trws.grid(scores, 4, strengths).run()
    assert bound == pytest.approx(value, abs=1e-5)


def test_without_edges_the_best_labels_are_found_however_close() -> None:
    unary = np.array([[1.0, 1.0 + 1e-15], [-INF, 5.0], [1e-300, 0.0]])
    labeling, value, bound, _ = potts(unary, None, NO_EDGES, np.zeros(0)).run()
    assert labeling.tolist() == [1, 1, 0]
    assert value <= bound <= value + 1e-12
    empty = potts(np.zeros((0, 2)), None, NO_EDGES, np.zeros(0)).run()
    assert empty[0].size == 0
    assert empty[1] == empty[2] == 0.0


def test_beliefs_are_max_marginals_on_a_chain() -> None:
    rng = np.random.default_rng(1)
    unary = rng.standard_normal((6, 3))
    unary[2, 1] = -INF
    edges = np.stack([np.arange(5), np.arange(1, 6)], axis=1).astype(np.int32)
    strengths = rng.random(5)
    solver = potts(unary, None, edges, strengths, np.arange(6, dtype=np.int32))
    solver.run()
    exact = _core.graphs.forest_max_marginals(unary, _core.Pairs.potts(unary.shape, edges, strengths))
    reach = np.convolve(strengths, [1, 1])
    expected = exact - exact.max(axis=1, keepdims=True)
    beliefs = solver.beliefs()
    assert beliefs.dtype == np.float32
    hopeless = unary < unary.max(axis=1, keepdims=True) - 1.02 * reach[:, None]
    assert hopeless.any()
    np.testing.assert_array_equal(np.isneginf(beliefs), hopeless)
    np.testing.assert_allclose(beliefs[~hopeless], expected[~hopeless], atol=1e-5)


@settings(deadline=None, max_examples=200)
@given(MODELS, st.integers(1, 12))
def test_label_bounds_hold(model: Model, iterations: int) -> None:
    solver = model.solver()
    solver.run(iterations=iterations)
    labelings = np.stack(np.meshgrid(*map(np.arange, model.counts), indexing="ij"), axis=-1).reshape(-1, model.n)
    values = model.values(labelings)
    for _ in range(2):
        top, drops = solver.label_bounds()
        limits = top + (1.0 - 2.0**-22) * drops.astype(np.float64)[np.arange(model.n), labelings]
        assert (values[:, None] <= limits + 1e-12 * model.scale).all()
    assert solver.run(iterations=1)[2] >= values.max()


def test_label_bounds_are_max_marginals_on_a_chain() -> None:
    rng = np.random.default_rng(2)
    unary, strengths = rng.random((9, 3)), 1.0 + rng.random(8)  # no label is hopeless
    edges = np.stack([np.arange(8), np.arange(1, 9)], axis=1).astype(np.int32)
    solver = potts(unary, None, edges, strengths, np.arange(9, dtype=np.int32))
    solver.run()
    top, drops = solver.label_bounds()
    exact = _core.graphs.forest_max_marginals(unary, _core.Pairs.potts(unary.shape, edges, strengths))
    np.testing.assert_allclose(top + drops.astype(np.float64), exact, atol=1e-5)


def test_beliefs_of_labels_a_variable_does_not_have() -> None:
    counts = np.array([1, 3], np.int32)
    edges = np.array([[0, 1]], np.int32)
    solver = potts(np.zeros((2, 3)), counts, edges, np.ones(1))
    solver.run()
    assert np.isneginf(solver.beliefs()[0]).tolist() == [False, True, True]


@settings(deadline=None, max_examples=60)
@given(MODELS)
def test_polish_never_loses_and_labelings_of_sweeps_are_allowed(model: Model) -> None:
    solver = model.solver()
    solver.run(iterations=2)
    for labeling in solver.sweep_labelings():
        assert np.isfinite(model.unary[np.arange(model.n), labeling]).all()
        better = solver.polish(labeling)
        assert solver.value(better) >= model.value(labeling) - 1e-5 * model.scale
        assert solver.value(labeling) == pytest.approx(model.value(labeling), rel=1e-12, abs=1e-12 * model.scale)


def test_memory_is_scores_messages_and_indices() -> None:
    size, n_labels = 64, 21
    scores = np.zeros((size, size, n_labels), np.float32)
    solver = _core.trws.Trws.grid(scores, 4, [np.ones((size, size - 1)), np.ones((size - 1, size))])
    assert solver.bytes / size**2 <= 24 * 4 * 3 + 70


def test_wrong_input_is_refused() -> None:
    unary, edges, w = np.zeros((2, 2)), np.array([[0, 1]], np.int32), np.ones(1)
    make = potts
    for bad in ((unary, None, edges, -w), (unary, None, edges, w * INF), (unary, None, edges, np.ones(2))):
        with pytest.raises(ValueError, match="strengths"):
            make(*bad)
    with pytest.raises(ValueError, match="self-loop"):
        make(unary, None, np.array([[1, 1]], np.int32), w)
    with pytest.raises(ValueError, match="edges"):
        make(unary, None, np.array([[0, 2]], np.int32), w)
    with pytest.raises(ValueError, match="NaN"):
        make(unary * np.nan, None, edges, w)
    with pytest.raises(ValueError, match="no allowed label"):
        make(unary - INF, None, edges, w)
    with pytest.raises(ValueError, match="permutation"):
        make(unary, None, edges, w, np.zeros(2, np.int32))
    with pytest.raises(ValueError, match="instruction set"):
        make(unary, None, edges, w, None, "z80")
    with pytest.raises(ValueError, match="label_counts"):
        make(unary, np.array([2, 3], np.int32), edges, w)
    with pytest.raises(ValueError, match="labels"):
        make(np.zeros((2, 5000)), None, edges, w)
    with pytest.raises(ValueError, match="connectivity"):
        _core.trws.Trws.grid(np.zeros((2, 2, 2)), 5, [])
    with pytest.raises(ValueError, match="direction"):
        _core.trws.Trws.grid(np.zeros((2, 2, 2)), 4, [np.ones((2, 1))])
    with pytest.raises(TypeError):
        make(unary.astype(np.int64), None, edges, w)
    solver = make(unary, None, edges, w)
    with pytest.raises(ValueError, match="theta"):
        solver.add_linear(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="NaN"):
        solver.add_linear(np.full((2, 2), np.nan))
    assert solver.run()[2] == pytest.approx(0.0)  # the refused theta is not kept
    with pytest.raises(ValueError, match="labeling"):
        solver.value(np.array([0, 2], np.int32))


def large_grid(size: int = 400) -> _core.trws.Trws:
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((size, size, 8)).astype(np.float32)
    return _core.trws.Trws.grid(scores, 4, [rng.random((size, size - 1)), rng.random((size - 1, size))])


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this system")
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_stops_a_run_and_leaves_the_solver_usable(threads: int) -> None:
    solver = large_grid()
    fresh = large_grid().run(iterations=5)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):  # all of it would take hours
            solver.run(iterations=10**6, least_gain=-1e9, gap=0.0, threads=threads)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    bound = solver.run(iterations=5)[2]
    assert bound >= fresh[1]


def test_one_solver_serves_one_thread_at_a_time() -> None:
    """Whichever of two threads comes second is refused."""
    solver, refused = large_grid(), []

    def attempt(call: Callable[[], object]) -> None:
        try:
            call()
        except RuntimeError as error:
            refused.append(str(error))

    worker = threading.Thread(target=attempt, args=[lambda: solver.run(iterations=200, least_gain=-1e9, gap=0.0)])
    worker.start()
    while worker.is_alive() and not refused:
        attempt(solver.forget)
        time.sleep(0.001)
    worker.join()
    assert refused
    assert "at work in another thread" in refused[0]


def test_a_released_change_must_be_given_again() -> None:
    unary, theta = np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([[3.0, 0.0], [0.0, 0.0]])
    solver = _core.trws.Trws(unary, _core.Pairs.potts((2, 2), np.array([[0, 1]], np.int32), np.array([0.5])))
    solver.add_linear(theta)
    value = solver.run(5)[1]
    solver.release_linear()
    for call in (solver.run, lambda: solver.value(np.zeros(2, np.int32))):
        with pytest.raises(ValueError, match="theta was released"):
            call()
    solver.add_linear(theta)
    assert value == solver.run(5)[1] == 5.0
    solver.add_linear(None)
    solver.release_linear()  # of nothing
    assert solver.run(5)[1] == 2.5
