# SPDX-License-Identifier: BSD-3-Clause
"""Minimum cuts of the compiled module against scipy's maximum flow, also after sequences of changes."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import maximum_flow
from tests.draws import draws

from hedgehop import _core
from hedgehop.models.grid import directions

NO_EDGES = np.zeros((0, 2), np.int32)
GRIDS = [((4, 5), 4), ((3, 4), 8), ((2, 3, 3), 6), ((2, 3, 2), 26), ((1, 5), 8), ((1, 1, 3), 26), ((5, 1), 4)]


class Problem(NamedTuple):
    """Integer capacities and terminals, always int64."""

    edges: np.ndarray
    forward: np.ndarray
    backward: np.ndarray
    terminals: np.ndarray

    def minimum(self) -> int:
        n = len(self.terminals)
        supply, demand = np.flatnonzero(self.terminals > 0), np.flatnonzero(self.terminals < 0)
        tails = np.r_[self.edges[:, 0], self.edges[:, 1], np.full(len(supply), n), demand]
        heads = np.r_[self.edges[:, 1], self.edges[:, 0], supply, np.full(len(demand), n + 1)]
        values = np.r_[self.forward, self.backward, self.terminals[supply], -self.terminals[demand]]
        keep = (tails != heads) & (values > 0)
        graph = sp.coo_array((values[keep], (tails[keep], heads[keep])), shape=(n + 2, n + 2)).tocsr()
        graph.sum_duplicates()
        flow = maximum_flow(graph.astype(np.int32), n, n + 1).flow_value
        return int(flow + np.minimum(self.terminals, 0).sum())

    def cost(self, labels: np.ndarray) -> Any:
        x, u, v = labels.astype(bool), self.edges[:, 0], self.edges[:, 1]
        pairs = self.forward[~x[u] & x[v]].sum() + self.backward[x[u] & ~x[v]].sum()
        return self.terminals[x].sum() + pairs


def random_problem(rng: Any) -> Problem:
    n = int(rng.integers(1, 40))
    m = int(rng.integers(0, 4 * n))
    u, v = rng.integers(0, n, m), rng.integers(0, n, m)
    kind = rng.integers(3)
    if kind == 1:
        v = np.where(rng.random(m) < 0.5, rng.integers(n), v)  # a hub
    if kind == 2:
        v = np.minimum(n - 1, u + 1)  # a chain, one loop at its end
    top = int(rng.choice([1, 9, 999]))
    backward = rng.integers(0, top + 1, m) * (rng.random(m) < rng.choice([0, 0.5, 1]))
    terminals = rng.integers(-top, top + 1, n) * (rng.random(n) < rng.choice([0.1, 0.5, 1]))
    terminals[rng.random(n) < 0.05] *= 10**6
    edges = np.stack([u, v], axis=1).astype(np.int32)
    return Problem(edges, rng.integers(0, top + 1, m), backward, terminals)


def make(problem: Problem, dtype: Any) -> Any:
    forward, backward, terminals = (a.astype(dtype) for a in problem[1:])
    return _core.flow.Flow(len(terminals), problem.edges, forward, backward, terminals)


def check(flow: Any, problem: Problem) -> None:
    expected = problem.minimum()
    assert flow.solve() == flow.minimum == expected
    labels = flow.labels()
    assert labels.dtype == np.int32
    assert problem.cost(labels) == expected


def change(flow: Any, problem: Problem, rng: Any, dtype: Any) -> Problem:
    """Random changes of terminals, applied to the flow as well."""
    terminals = problem.terminals.copy()
    n, top = len(terminals), 2 * int(problem.forward.max(initial=1))
    few = int(rng.integers(0, 4)) if rng.random() < 0.7 else n
    if rng.random() < 0.7:
        nodes = np.sort(rng.choice(n, min(few, n), replace=False)).astype(np.int32)
        deltas = rng.integers(-2 * top, 2 * top + 1, len(nodes))
        terminals[nodes] += deltas
        if np.issubdtype(dtype, np.integer):
            flow.add_terminals(deltas.astype(dtype), nodes)
        else:
            flow.set_terminals(terminals[nodes].astype(dtype), nodes)
    if rng.random() < 0.2:
        deltas = rng.integers(-3, 4, n)
        terminals += deltas
        if np.issubdtype(dtype, np.integer):
            flow.add_terminals(deltas.astype(dtype))
        else:
            flow.set_terminals(terminals.astype(dtype))
    return problem._replace(terminals=terminals)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64])
def test_many_random_graphs_and_changes(dtype: Any) -> None:
    for seed in range(300):
        rng = np.random.default_rng((seed, 7))
        problem = random_problem(rng)
        flow = make(problem, dtype)
        if seed % 4:
            flow.keep_forests_up_to(10 * len(problem.terminals))
        check(flow, problem)
        assert flow.error == 0.0  # integers, also if they are given as floats
        for _ in range(5):
            problem = change(flow, problem, rng, dtype)
            check(flow, problem)


@settings(deadline=None, max_examples=200)
@given(draws())
def test_any_graph_and_change(rng: Any) -> None:
    problem = random_problem(rng)
    flow = make(problem, np.int32)
    check(flow, problem)
    check(flow, change(flow, problem, rng, np.int32))


def grid_problem(shape: tuple[int, ...], connectivity: int, rng: np.random.Generator) -> tuple[Problem, list[Any]]:
    index = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    edges, arrays = [], []
    for offset in directions(len(shape), connectivity):
        start = tuple(slice(max(0, -k), -k if k > 0 else None) for k in offset)
        end = tuple(slice(max(0, k), k if k < 0 else None) for k in offset)
        edges.append(np.stack([index[start].ravel(), index[end].ravel()], axis=1))
        arrays.append([rng.integers(0, 10, index[start].shape) for _ in range(2)])
    forward, backward = ([a[k] for a in arrays] for k in range(2))
    flat = [np.concatenate([a.ravel() for a in side]) for side in (forward, backward)]
    problem = Problem(np.concatenate(edges), *flat, rng.integers(-20, 21, index.size))
    return problem, [forward, backward]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize(("shape", "connectivity"), GRIDS)
def test_grids(shape: tuple[int, ...], connectivity: int, dtype: Any) -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        problem, arrays = grid_problem(shape, connectivity, rng)
        forward, backward = ([a.astype(dtype) for a in side] for side in arrays)
        terminals = problem.terminals.astype(dtype).reshape(shape)
        check(_core.flow.GridFlow(shape, connectivity, forward, backward, terminals), problem)
        flow = _core.flow.GridFlow(shape, connectivity, forward, None, terminals)
        problem = problem._replace(backward=problem.forward)
        check(flow, problem)
        check(flow, change(flow, problem, rng, dtype))


# ------------------------------------------------------------------------------------------ real numbers


@settings(deadline=None)
@given(draws(), st.sampled_from([np.float32, np.float64]), st.sampled_from([1e-30, 1.0, 1e12]))
def test_real_numbers_within_the_error(rng: Any, dtype: Any, unit: float) -> None:
    base = random_problem(rng)
    n, m = len(base.terminals), len(base.edges)
    capacities = ((unit * np.abs(rng.normal(size=m))).astype(dtype) for _ in range(2))
    problem = Problem(base.edges, *capacities, terminals_like(rng, n, unit, dtype))
    problem.terminals[0] = unit  # the first numbers choose the scale
    flow = _core.flow.Flow(n, *problem)
    for _ in range(3):
        minimum, labels = flow.solve(), flow.labels()
        exact = Problem(problem.edges, *(a.astype(np.float64) for a in problem[1:]))
        slack = flow.error + 1e-12 * (np.abs(exact.terminals).sum() + exact.forward.sum() + exact.backward.sum())
        assert abs(exact.cost(labels) - minimum) <= slack
        assert flow.error <= 1e-5 * unit * (n + 2 * m)
        for x in itertools.chain([np.zeros(n), np.ones(n)], np.random.default_rng(0).integers(0, 2, (20, n))):
            assert exact.cost(x) >= minimum - slack
        problem = problem._replace(terminals=terminals_like(rng, n, unit, dtype))
        flow.set_terminals(problem.terminals)


def terminals_like(rng: Any, n: int, unit: float, dtype: Any) -> np.ndarray:
    return (2.0 * unit * rng.normal(size=n)).astype(dtype)


def test_hard_terminals_do_not_cost_precision() -> None:
    terminals = np.array([1e6, 0.123456789, -1e6])
    flow = _core.flow.Flow(3, np.array([[0, 1], [1, 2]], np.int32), np.array([0.3, 0.1]), None, terminals)
    assert flow.solve() == pytest.approx(-1e6 + 0.1, abs=1e-9)
    assert 0 < flow.error < 1e-9
    assert flow.bits == 64
    assert flow.labels().tolist() == [0, 0, 1]
    assert flow.labels(sink=False).tolist() == [1, 1, 0]


def test_real_numbers_out_of_range() -> None:
    flow = _core.flow.Flow(2, NO_EDGES, np.zeros(0), None, np.array([1.0, -1.0]))
    with pytest.raises(OverflowError):
        flow.set_terminals(np.array([1e300, 0.0]))
    with pytest.raises(OverflowError):
        flow.set_terminals(np.array([np.nan, 0.0]))
    assert flow.solve() == -1.0
    flow.set_terminals(np.array([1e4, -1e4]))  # more than 32 bits hold at this scale
    assert flow.solve() == -1e4
    assert flow.bits == 64


# ------------------------------------------------------------------------------------- sizes and refusals


def test_integers_widen_by_themselves() -> None:
    edges = np.array([[0, 1]], np.int32)
    one = np.ones(1, np.int32)
    flow = _core.flow.Flow(2, edges, one, None, np.array([5, -5], np.int32))
    assert flow.solve() == -4
    assert flow.bits == 32
    flow.add_terminals(np.array([2**31 - 1, -(2**31) + 1], np.int32))
    assert flow.bits == 64
    assert flow.labels().tolist() == [0, 1]  # of the last solve
    assert flow.solve() == -(2**31 - 1) - 4
    wide = _core.flow.Flow(2, edges, one.astype(np.int64) << 40, None, np.array([1, -1], np.int64) << 41)
    assert wide.solve() == -(2**40)
    assert wide.bits == 64
    with pytest.raises(OverflowError):
        wide.add_terminals(np.array([2**62, 2**62], np.int64))
    assert wide.solve() == -(2**40)
    with pytest.raises(OverflowError):
        _core.flow.Flow(2, edges, one.astype(np.int64) << 61, None, np.array([1, -1], np.int64) << 61)
    small = _core.flow.Flow(2, edges, one.astype(np.int64), None, np.array([1, -1], np.int64))
    assert small.bits == 32


def test_bytes_per_node() -> None:
    rng = np.random.default_rng(0)
    strengths = [rng.integers(0, 1000, s).astype(np.int32) for s in [(256, 255), (255, 256)]]
    flow = _core.flow.GridFlow((256, 256), 4, strengths, None, rng.integers(-1000, 1000, (256, 256)).astype(np.int32))
    flow.solve()
    assert flow.bytes <= 40 * 256 * 256


def test_nothing_to_cut() -> None:
    for n in (0, 3):
        flow = _core.flow.Flow(n, NO_EDGES, np.zeros(0, np.int32), None, np.zeros(n, np.int32))
        assert flow.solve() == 0
        assert flow.labels().shape == (n,)
    empty = _core.flow.GridFlow((0, 4), 4, [np.zeros((0, 3)), np.zeros((0, 4))], None, np.zeros((0, 4)))
    assert empty.solve() == 0.0


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"edges": np.array([[0, 9]], np.int32)}, ValueError, "edges"),
        ({"forward": np.array([-1], np.int32)}, ValueError, "at least 0"),
        ({"terminals": np.zeros(3, np.int32)}, ValueError, "terminals"),
        ({"backward": np.zeros(2, np.int32)}, ValueError, "backward"),
        ({"backward": np.zeros(1)}, TypeError, None),
        ({"n_nodes": 2**40, "terminals": np.zeros(2, np.int32)}, ValueError, "terminals"),
    ],
)
def test_refusals(change: dict[str, Any], error: type[Exception], match: str | None) -> None:
    one = np.ones(1, np.int32)
    good = {"n_nodes": 2, "edges": np.array([[0, 1]], np.int32), "forward": one, "backward": one}
    with pytest.raises(error, match=match):
        _core.flow.Flow(**{**good, "terminals": np.zeros(2, np.int32), **change})


def test_refusals_of_real_numbers() -> None:
    edges = np.array([[0, 1]], np.int32)
    for bad in (np.inf, np.nan):
        with pytest.raises(ValueError, match="finite"):
            _core.flow.Flow(2, edges, np.array([bad]), None, np.zeros(2))
        with pytest.raises(ValueError, match="finite"):
            _core.flow.Flow(2, edges, np.ones(1), None, np.array([0.0, bad]))


def test_refusals_of_grids() -> None:
    right, down = np.ones((2, 2), np.int32), np.ones((1, 3), np.int32)
    terminals = np.zeros((2, 3), np.int32)
    with pytest.raises(ValueError, match="connectivity"):
        _core.flow.GridFlow((2, 3), 6, [right, down], None, terminals)
    with pytest.raises(ValueError, match="one per direction"):
        _core.flow.GridFlow((2, 3), 4, [right], None, terminals)
    with pytest.raises(ValueError, match="capacities must have"):
        _core.flow.GridFlow((2, 3), 4, [right, right], None, terminals)
    with pytest.raises(ValueError, match="terminals"):
        _core.flow.GridFlow((2, 2**40), 4, [right, down], None, terminals)


def test_changes_are_checked() -> None:
    edges = np.array([[0, 1]], np.int32)
    flow = _core.flow.Flow(2, edges, np.ones(1, np.int32), None, np.zeros(2, np.int32))
    with pytest.raises(RuntimeError, match="solve"):
        flow.labels()
    with pytest.raises(ValueError, match="nodes"):
        flow.add_terminals(np.ones(1, np.int32), np.array([2], np.int32))
    with pytest.raises(ValueError, match="deltas"):
        flow.add_terminals(np.ones(3, np.int32))
    with pytest.raises(ValueError, match="add_terminals"):
        flow.set_terminals(np.ones(2))
    real = _core.flow.Flow(2, NO_EDGES, np.zeros(0), None, np.zeros(2))
    with pytest.raises(ValueError, match="set_terminals"):
        real.add_terminals(np.ones(2, np.int32))
    with pytest.raises(ValueError, match="increase"):
        real.set_terminals(np.ones(2), np.array([1, 1], np.int32))


# ---------------------------------------------------------------------------------- threads and signals

HARD = """
    import numpy as np
    from hedgehop import _core

    def hard(size):
        rng = np.random.default_rng(0)
        strengths = [rng.integers(1, 3000, s).astype(np.int32) for s in [(size, size - 1), (size - 1, size)]]
        terminals = np.zeros((size, size), np.int32)
        terminals[: size // 8] = 100_000
        terminals[-size // 8 :] = -100_000
        return _core.flow.GridFlow((size, size), 4, strengths, None, terminals)
"""


def latency(delay: float) -> float:
    """Seconds from SIGINT, sent so long after the start of a hard solve, to KeyboardInterrupt."""
    script = textwrap.dedent(HARD) + textwrap.dedent("""
    import time
    flow = hard(2048)
    print("ready", flush=True)
    try:
        while True:
            flow.solve()
            flow = hard(2048)
    except KeyboardInterrupt:
        print(time.time(), flush=True)
    """)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(delay)
        sent = time.time()
        os.kill(child.pid, signal.SIGINT)
        return float(child.stdout.readline()) - sent


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT")
def test_interruption() -> None:
    assert np.median([latency(delay) for delay in (0.1, 0.3, 0.5)]) < 0.2  # 0.02 s on an idle machine


def test_one_thread_at_a_time() -> None:
    scope: dict[str, Any] = {}
    exec(textwrap.dedent(HARD), scope)
    flow, expected = scope["hard"](400), scope["hard"](400).solve()
    outcomes: list[Any] = []

    def work() -> None:
        try:
            outcomes.append(flow.solve())
        except RuntimeError as error:
            outcomes.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(outcomes) <= {expected, "this flow is at work in another thread"}
    assert expected in outcomes


# ------------------------------------------------------------------------------------------------- peers


def test_pymaxflow_agrees() -> None:
    maxflow = pytest.importorskip("maxflow")
    rng = np.random.default_rng(3)
    strengths = [rng.integers(0, 2000, s).astype(np.int32) for s in [(90, 109), (89, 110)]]
    terminals = rng.integers(-3000, 3000, (90, 110)).astype(np.int32)
    graph = maxflow.GraphInt()
    nodes = graph.add_grid_nodes(terminals.shape)
    for w, (a, b) in zip(strengths, ((nodes[:, :-1], nodes[:, 1:]), (nodes[:-1], nodes[1:])), strict=True):
        for i, j, c in zip(a.ravel(), b.ravel(), w.ravel(), strict=True):
            graph.add_edge(i, j, c, c)
    graph.add_grid_tedges(nodes, np.maximum(terminals, 0), np.maximum(-terminals, 0))
    flow = _core.flow.GridFlow((90, 110), 4, strengths, None, terminals)
    assert flow.solve() == graph.maxflow() + np.minimum(terminals, 0).sum()


def test_a_copy_is_another_flow() -> None:
    rng = np.random.default_rng(0)
    strengths = [rng.random((6, 4)), rng.random((5, 5))]
    flow = _core.flow.GridFlow((6, 5), 4, strengths, None, rng.normal(size=30))
    flow.solve()
    minimum, labels = flow.minimum, flow.labels()
    other = flow.copy()
    assert other.minimum == minimum
    terminals = rng.normal(size=30)
    other.set_terminals(terminals)
    other.solve()
    assert (flow.minimum, flow.labels().tolist()) == (minimum, labels.tolist())
    fresh = _core.flow.GridFlow((6, 5), 4, strengths, None, terminals)
    fresh.solve()
    assert other.minimum == pytest.approx(fresh.minimum, abs=1e-6)
