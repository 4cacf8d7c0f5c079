# SPDX-License-Identifier: BSD-3-Clause
"""One binary cut against PyMaxflow (build, solve, read the labels): hh.best, and its kernel; bytes per node."""

from __future__ import annotations

import problems
import solvers
import table

import hedgehop as hh


def kernel(problem):
    flow = solvers.flow(problem)
    flow.solve()
    return flow.labels()


def theirs(problem):
    graph, nodes = solvers.peer_flow(problem)
    graph.maxflow()
    return graph.get_grid_segments(nodes)


def compare(problem, goal, repeats):
    if not table.wanted(problem):
        return
    given = solvers.arrays(problem)
    peer = (lambda: theirs(problem)) if table.peer("maxflow") else None
    mine, other, alone = table.turns(repeats, lambda: hh.best(solvers.built(given)), peer, lambda: kernel(problem))
    energy = problems.energy(problem, mine[1].labeling)
    words, good = table.verdict(energy, problems.energy(problem, other[1]) if other else None)
    table.compared(f"cut, {problem['name']}", mine[0], other and other[0], goal, words, good, alone[0])


def bytes_a_node(problem, goal):
    if not table.wanted(problem):
        return
    flow = solvers.flow(problem)
    flow.solve()
    table.limited(f"cut, {problem['name']}, bytes per node", flow.bytes / problem["n"], "B", goal)


def run(quick):
    repeats = 1 if quick else 7
    for size in (64,) if quick else (256, 512, 1024):
        for kind, goal in (("noisy", 0.40), ("scribble", 0.50)):
            compare(problems.binary_grid(size, kind), goal, repeats)
    for n in (500,) if quick else (2000, 200_000):
        compare(problems.superpixels(n, 2), 0.45, repeats)
    bytes_a_node(problems.binary_grid(64 if quick else 1024), 40)
    bytes_a_node(problems.superpixels(500 if quick else 200_000, 2), 100)
