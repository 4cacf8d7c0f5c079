# SPDX-License-Identifier: BSD-3-Clause
"""Lists of ten with linear Hamming diversity: hedgehop against PyMaxflow with kept trees and gco-wrapper.

Every labeling pays a penalty for each variable that agrees with an earlier one; a list's total is the sum of energies
and penalties. hh.diverse runs without the search for a better bound, which no peer offers, unless a row is named
"certified"; the kernel is a loop over one flow.
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


def library(given, penalty, m=LENGTH, certify=False):
    """What users call; kept from reusing a labeling only by the penalties, as the peers are."""
    found = hh.diverse(solvers.built(given), hh.LinearHamming(), m, float(penalty), distinct=False, certify=certify)
    return found.labelings


def compare(problem, penalty, goal, peer, repeats, kernel=None, certify=False):
    if not table.wanted(problem):
        return
    given = solvers.arrays(problem)
    ours = lambda: library(given, penalty, certify=certify)  # noqa: E731
    mine, other, alone = table.turns(repeats, ours, peer, kernel)
    reference = total(problem, other[1], penalty) if other else None
    words, good = table.verdict(total(problem, mine[1], penalty), reference, WORSE)
    name = f"M = {LENGTH}, {problem['name']}" + ", certified" * bool(certify)
    table.compared(name, mine[0], other and other[0], goal, words, good, alone and alone[0])


def run(quick):
    for kind, penalty, goal in (("noisy", PENALTY, 0.50), ("scribble", 30, 0.60)):
        problem = problems.binary_grid(64 if quick else 256, kind)
        peer = (lambda: peer_cuts(problem, penalty)) if table.peer("maxflow") else None  # noqa: B023
        for certify in (False, "auto"):
            kernel = lambda: cuts(problem, penalty)  # noqa: B023, E731
            compare(problem, penalty, goal, peer, 1 if quick else 5, kernel, certify)
    for problem, goal in zip(of_size(quick), (1 / 20, 0.08, 0.05), strict=True):
        peer = (lambda: peer_expansions(problem, PENALTY)) if table.peer("gco") else None  # noqa: B023
        compare(problem, PENALTY, goal, peer, 1)
