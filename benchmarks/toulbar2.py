# SPDX-License-Identifier: BSD-3-Clause
"""Lists at a minimum Hamming distance: toulbar2's exact greedy sequences on small models against ours.

Both choose, one after the other, the best labeling that is far enough from all earlier ones. toulbar2 runs in another
process (a second diverse search in one process crashes), and only its search is timed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np
import problems
import solvers
import table

import hedgehop as hh

WORSE = 0.01
LENGTH = 5


def instances(quick):
    """Small grids, and the distance to keep."""
    if quick:
        return [(problems.multilabel_grid(4, L=3, seed=1), 3)]
    grids = [problems.multilabel_grid(8, L=4, seed=1), problems.multilabel_grid(8, L=4, seed=2, hard=True)]
    return [*((grid, 8) for grid in grids), (problems.binary_grid(12), 10), (problems.binary_grid(16), 16)]


def network(problem):
    """The problem as plain numbers, for the other process."""
    return {"n": problem["n"], "L": problem["L"], "U": problem["U"].tolist()} | {
        key: problem[key].tolist() for key in ("ei", "ej", "w")
    }


def solve_by_peer(problem, m, distance):
    """Seconds and labelings of toulbar2."""
    import pytoulbar2

    network = pytoulbar2.CFN(verbose=-1)
    for i, costs in enumerate(problem["U"]):
        network.AddVariable(f"x{i}", range(problem["L"]))
        network.AddFunction([i], costs)
    labels = range(problem["L"])
    for i, j, w in zip(problem["ei"], problem["ej"], problem["w"], strict=True):
        network.AddFunction([i, j], [0 if a == b else w for a in labels for b in labels])
    start = time.process_time()
    network.Solve(allSolutions=m, diversityBound=distance)
    spent = time.process_time() - start
    met = network.GetSolutions()  # each search improves its costs; the next begins with no lower one
    ends = [k for k in range(len(met)) if k + 1 == len(met) or met[k + 1][0] >= met[k][0]]
    return spent, [list(met[k][1]) for k in ends]


def peer(problem, m, distance, limit):
    """Run toulbar2 elsewhere; None where it is missing or takes too long."""
    if table.peer("pytoulbar2") is None:
        return None
    task = json.dumps({"problem": network(problem), "m": m, "distance": distance})
    try:
        child = subprocess.run(
            [sys.executable, __file__], input=task, capture_output=True, text=True, timeout=limit, check=True
        )
    except subprocess.TimeoutExpired:
        print(f"toulbar2 takes more than {limit} s for {problem['name']}: its column is empty")
        return None
    spent, found = json.loads(child.stdout.splitlines()[-1])
    return spent, np.array(found, np.int32)


def nearest(found):
    """The least distance of two labelings."""
    rows = found.reshape(len(found), -1)
    return min(int((a != b).sum()) for k, a in enumerate(rows) for b in rows[:k])


def total(problem, found):
    return sum(problems.energy(problem, y) for y in found)


class Quick(hh.oracles.Auto):
    """The usual choice, but integer programs only where nothing else can do it."""

    def able(self, model, potentials):
        oracles = super().able(model, potentials)
        return [oracle for oracle in oracles if oracle.name != "ilp"] or oracles


def ours(problem, distance, oracle):
    model = solvers.model(problem)
    return hh.diverse(model, hh.LinearHamming(), LENGTH, tradeoff=0.0, min_distance=distance, oracle=oracle)


def run(quick):
    for problem, distance in instances(quick):
        other = peer(problem, LENGTH, distance, 20 if quick else 120)
        assert other is None or (len(other[1]) == LENGTH and nearest(other[1]) >= distance)
        for way, oracle in (("auto", hh.oracles.Auto()), ("quick", Quick())):
            spent, found = table.timed(lambda: ours(problem, distance, oracle))  # noqa: B023
            assert nearest(found.labelings) >= distance
            words, good = table.verdict(total(problem, found.labelings), other and total(problem, other[1]), WORSE)
            name = f"M = {LENGTH}, {problem['name']}, distance {distance}, {way}"
            table.compared(name, spent, other and other[0], 1 / 100, words, good)


if __name__ == "__main__":
    task = json.load(sys.stdin)
    print(json.dumps(solve_by_peer(task["problem"], task["m"], task["distance"])))
