# SPDX-License-Identifier: BSD-3-Clause
"""Dynamic flows: minimum cuts after many changes of terminals against scipy's maximum flow."""

from __future__ import annotations

import time

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import maximum_flow

from hedgehop import _core
from hunt.tally import Fault, Tally

_CHANGES = 40
_LARGEST_FLOW = 2**30  # scipy's flows have 32 bits


def hunt(seed: int, seconds: float, tally: Tally) -> int:
    """Solve random graphs again and again; return how many solves were compared."""
    end, solves = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        solves += _sequence(seed, tally)
        seed += 1
    return solves


def _sequence(seed: int, tally: Tally) -> int:
    """One graph and a sequence of changes to it."""
    random = np.random.default_rng((seed, 5))
    n = int(random.integers(1, 30))
    m, top = int(random.integers(0, 4 * n)), int(random.choice([1, 9, 999]))
    edges = random.integers(0, n, (m, 2)).astype(np.int32)
    if random.random() < 0.3:
        edges[random.random(m) < 0.5, 1] = random.integers(n)  # a hub
    forward, backward = random.integers(0, top + 1, (2, m))
    terminals = random.integers(-top, top + 1, n) * 10 ** random.integers(0, 5, n)
    cut = _core.flow.Flow(n, edges, forward, backward, terminals)
    cut.keep_forests_up_to(int(random.choice([0, 3, 10 * n])))
    before, minima, labels = [], [], []
    for _ in range(_CHANGES):
        before.append(terminals.copy())
        minima.append(cut.solve())
        labels.append(cut.labels())
        few = np.unique(random.integers(0, n, int(random.choice([1, 3, n])))).astype(np.int32)
        deltas = random.integers(-2 * top, 2 * top + 1, few.size) * 10 ** random.integers(0, 4, few.size)
        terminals[few] += deltas
        cut.add_terminals(deltas, few)
    wanted, x = np.array(before), np.array(labels).astype(bool)
    tail, head = x[:, edges[:, 0]], x[:, edges[:, 1]]
    costs = (wanted * x).sum(axis=1) + (~tail & head) @ forward + (tail & ~head) @ backward
    _compare(seed, np.array(minima), costs, (edges, forward, backward, wanted), tally)
    return _CHANGES


def _compare(seed: int, minima: np.ndarray, costs: np.ndarray, graphs: tuple[np.ndarray, ...], tally: Tally) -> None:
    """Compare all minima of a sequence at once: no labels cost less than a minimum, so equal sums mean equal minima."""
    for t in np.flatnonzero(minima != costs):
        text = f"change {t}: minimum {minima[t]}, cost of its labels {costs[t]}"
        tally.faults.append(Fault(seed, "wrong cut", "flow", text))
    edges, forward, backward, terminals = graphs
    groups = np.cumsum(np.abs(terminals).sum(axis=1)) // _LARGEST_FLOW
    for group in np.unique(groups):
        some = groups == group
        truth, got = _sum_of_minima(edges, forward, backward, terminals[some]), int(minima[some].sum())
        if got != truth:
            text = f"changes {np.flatnonzero(some).tolist()}: minima add up to {got}, truth {truth}"
            tally.faults.append(Fault(seed, "wrong cut", "flow", text))


def _sum_of_minima(edges: np.ndarray, forward: np.ndarray, backward: np.ndarray, terminals: np.ndarray) -> int:
    """Minimum cut of one graph with several terminals, all copies side by side in one flow of scipy."""
    copies, n = terminals.shape
    edges = (edges + n * np.arange(copies)[:, None, None]).reshape(-1, 2)
    forward, backward, terminals = np.tile(forward, copies), np.tile(backward, copies), terminals.reshape(-1)
    n = len(terminals)
    supply, demand = np.flatnonzero(terminals > 0), np.flatnonzero(terminals < 0)
    tails = np.r_[edges[:, 0], edges[:, 1], np.full(len(supply), n), demand]
    heads = np.r_[edges[:, 1], edges[:, 0], supply, np.full(len(demand), n + 1)]
    values = np.r_[forward, backward, terminals[supply], -terminals[demand]]
    keep = (tails != heads) & (values > 0)
    graph = sp.coo_array((values[keep], (tails[keep], heads[keep])), shape=(n + 2, n + 2)).tocsr()
    graph.sum_duplicates()
    return int(maximum_flow(graph.astype(np.int32), n, n + 1).flow_value + np.minimum(terminals, 0).sum())
