# SPDX-License-Identifier: BSD-3-Clause
"""Lists of ten with linear Hamming diversity: hedgehop against PyMaxflow with kept trees and gco-wrapper.

Every labeling pays a penalty for each variable that agrees with an earlier one; a list's total is the sum of energies
and penalties. "kernel" is the loop over one kernel, "hh.diverse" is the public function without the
search for a better bound, which no peer offers.
"""

from __future__ import annotations

import numpy as np
import problems
import solvers
import table
from multilabel import of_size

import hedgehop as hh

LENGTH = 10
PENALTY = 250
WORSE = 0.003


def total(problem, found, penalty):
    rows = [np.asarray(y).ravel().astype(np.int32) for y in found]
    agree = sum(int((x == y).sum()) for k, x in enumerate(rows) for y in rows[:k])
    return sum(problems.energy(problem, y) for y in rows) + penalty * agree


def cuts(problem, penalty):
    flow, found = solvers.flow(problem), []
    for _ in range(LENGTH):
        flow.solve()
        found.append(flow.labels())
        flow.add_terminals(penalty * (2 * found[-1] - 1))
    return found


def peer_cuts(problem, penalty):
    graph, nodes = solvers.peer_flow(problem)
    found = []
    for step in range(LENGTH):
        graph.maxflow(reuse_trees=step > 0)
        found.append(graph.get_grid_segments(nodes))
        graph.add_grid_tedges(nodes, penalty * found[-1], penalty * ~found[-1])
        graph.mark_grid_nodes(nodes)
    return found


def peer_expansions(problem, penalty):
    costs, found, rows = problem["U"].astype(np.int32), [], np.arange(problem["n"])
    for _ in range(LENGTH):
        found.append(np.asarray(solvers.peer_expansion(problem, costs)).ravel())
        costs = costs.copy()
        costs[rows, found[-1]] += penalty
    return found


def library(problem, penalty, m=LENGTH):
    """What users call; kept from reusing a labeling only by the penalties, as the peers are."""
    return hh.diverse(
        solvers.model(problem), hh.LinearHamming(), m, float(penalty), distinct=False, certify=False
    ).labelings


def compare(problem, penalty, goal, ways, peer, repeats):
    other = min((table.timed(peer) for _ in range(repeats)), key=lambda run: run[0]) if peer else None
    for name, way in ways:
        spent, found = min((table.timed(way) for _ in range(repeats)), key=lambda run: run[0])
        reference = total(problem, other[1], penalty) if other else None
        words, good = table.verdict(total(problem, found, penalty), reference, WORSE)
        table.compared(f"M = {LENGTH}, {problem['name']}, {name}", spent, other and other[0], goal, words, good)


def run(quick):
    for kind, penalty in (("noisy", PENALTY), ("scribble", 30)):
        problem = problems.binary_grid(64 if quick else 256, kind)
        ways = [("kernel", lambda: cuts(problem, penalty)), ("hh.diverse", lambda: library(problem, penalty))]  # noqa: B023
        peer = (lambda: peer_cuts(problem, penalty)) if table.peer("maxflow") else None  # noqa: B023
        compare(problem, penalty, 0.40, ways, peer, 1 if quick else 5)
    for problem in of_size(quick):
        peer = (lambda: peer_expansions(problem, PENALTY)) if table.peer("gco") else None  # noqa: B023
        compare(problem, PENALTY, 1 / 20, [("hh.diverse", lambda: library(problem, PENALTY))], peer, 1)  # noqa: B023
