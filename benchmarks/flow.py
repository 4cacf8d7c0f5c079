"""Minimum cuts against PyMaxflow, as ratios measured in one run: ``python benchmarks/flow.py [--quick]``.

A time is building the graph from numpy arrays, solving and reading the labels, in time of the processor: both use one
thread, and machines are shared. Solvers take turns; printed are the least times of several turns and their ratio. A
peer that is not installed is skipped and named.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import problems

from hedgehop import _core

try:
    import maxflow
except ImportError:
    maxflow = None

LIST = 10


def directions(problem):
    right = problem["H"] * (problem["W"] - 1)
    return [problem["w"][:right], problem["w"][right:]]


def terminals(problem):
    return problem["U"][:, 1] - problem["U"][:, 0]


def ours(problem):
    t = terminals(problem)
    if problem["grid"]:
        return _core.GridFlow((problem["H"], problem["W"]), 4, directions(problem), None, t)
    return _core.Flow(problem["n"], problem["edges"], problem["w"], None, t)


def ours_once(problem):
    flow = ours(problem)
    flow.solve()
    return [flow.labels()]


def ours_general(problem):
    flow = _core.Flow(problem["n"], problem["edges"], problem["w"], None, terminals(problem))
    flow.solve()
    return [flow.labels()]


def ours_list(problem, penalty):
    """Labelings that pay for agreeing with earlier ones; the flow is kept."""
    flow, found = ours(problem), []
    for _ in range(LIST):
        flow.solve()
        found.append(flow.labels())
        flow.add_terminals(penalty * (2 * found[-1] - 1))
    return found


def peer(problem):
    graph = maxflow.GraphInt(problem["n"], len(problem["ei"]))
    nodes = graph.add_nodes(problem["n"])
    graph.add_edges(problem["ei"], problem["ej"], problem["w"], problem["w"])
    graph.add_grid_tedges(nodes, problem["U"][:, 1], problem["U"][:, 0])
    return graph, nodes


def peer_once(problem):
    graph, nodes = peer(problem)
    graph.maxflow()
    return [graph.get_grid_segments(nodes)]


def peer_list(problem, penalty):
    graph, nodes = peer(problem)
    found = []
    for step in range(LIST):
        graph.maxflow(reuse_trees=step > 0)
        found.append(graph.get_grid_segments(nodes))
        graph.add_grid_tedges(nodes, penalty * found[-1], penalty * ~found[-1])
        graph.mark_grid_nodes(nodes)
    return found


def energies(problem, found, penalty=0):
    """Energy of each labeling plus what it pays for agreeing with those before it."""
    rows = [np.asarray(x).ravel().astype(np.int8) for x in found]
    agree = [sum(int((x == y).sum()) for y in rows[:k]) for k, x in enumerate(rows)]
    return [problems.energy(problem, x) + penalty * a for x, a in zip(rows, agree, strict=True)]


def timed(function):
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def compare(what, goal, ours_run, peer_run, value, repeats):
    """One line of the table. The first labelings cost the same for any solver; ties may part lists later."""
    turns = []
    for _ in range(repeats):
        mine, labelings = timed(ours_run)
        theirs, others = timed(peer_run) if maxflow else (None, None)
        turns.append((mine, theirs))
    line = f"{what:<34} {1e3 * min(t[0] for t in turns):9.1f}"
    if maxflow:
        ratio = min(t[0] for t in turns) / min(t[1] for t in turns)
        a, b = value(labelings), value(others)
        same = "equal" if a == b else f"{sum(a) / sum(b) - 1:+.3%}"
        met = "yes" if ratio <= goal else "no"
        line += f" {1e3 * min(t[1] for t in turns):9.1f} {ratio:7.3f} {goal:6.2f} {met:>4}  {same}"
    print(line, flush=True)


def compare_once(problem, goal, repeats):
    problem["edges"] = np.stack([problem["ei"], problem["ej"]], axis=1)
    layout = "grid" if problem["grid"] else "general"
    cost = lambda found: energies(problem, found)  # noqa: E731
    compare(f"{problem['name']}, {layout}", goal, lambda: ours_once(problem), lambda: peer_once(problem), cost, repeats)
    return problem


def compare_list(problem, penalty, goal, repeats):
    def cost(found):
        return energies(problem, found, penalty)

    name = f"{problem['name']}, {LIST} labelings, flow kept"
    compare(name, goal, lambda: ours_list(problem, penalty), lambda: peer_list(problem, penalty), cost, repeats)


def bytes_a_node(problem, goal):
    flow = ours(problem)
    flow.solve()
    bytes_ = flow.bytes / problem["n"]
    met = "yes" if bytes_ <= goal else "no"
    print(f"{problem['name'] + ', bytes a node':<34} {bytes_:9.1f} {'':9} {'':7} {goal:6.0f} {met:>4}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, one run: only to see that it works")
    quick = parser.parse_args().quick
    if maxflow is None:
        print("PyMaxflow is not installed: no ratios (pip install PyMaxflow)")
    print(f"{'minimum cut':<34} {'ours, ms':>9} {'peer, ms':>9} {'ratio':>7} {'goal':>6} {'met':>4}  energies")
    repeats = 1 if quick else 7
    for size in (64,) if quick else (256, 512, 1024):
        for kind, goal in (("noisy", 0.27), ("scribble", 0.34)):
            problem = compare_once(problems.binary_grid(size, kind), goal, repeats)
    bytes_a_node(problem, 40)
    for n in (500,) if quick else (2000, 200_000):
        problem = compare_once(problems.superpixels(n, 2), 0.22, repeats)
    bytes_a_node(problem, 100)
    for kind, penalty in (("noisy", 250), ("scribble", 30)):
        compare_list(problems.binary_grid(64 if quick else 256, kind), penalty, 0.40, repeats)


if __name__ == "__main__":
    main()
