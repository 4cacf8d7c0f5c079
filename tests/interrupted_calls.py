# SPDX-License-Identifier: BSD-3-Clause
"""One public call, interrupted at random moments: what tests/test_signals.py runs. Prints counts as JSON."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import numpy as np

import hedgehop as hh

RANDOM = np.random.default_rng(0)
GRID = hh.Grid(RANDOM.normal(size=(40, 40, 3)), 0.7)
SMALL = hh.Grid(RANDOM.normal(size=(4, 4, 3)), 0.5)
CLIQUES = hh.FactorGraph(
    RANDOM.normal(size=(60, 3)),
    [(i, j) for i in range(60) for j in range(i) if (i * j) % 7 == 1],
    0.5,
    [(RANDOM.choice(60, 3, replace=False), RANDOM.normal(size=(3, 3, 3))) for _ in range(80)],
)
SPINS = hh.FactorGraph(
    0.1 * RANDOM.normal(size=(1600, 2)), GRID.edges, RANDOM.choice([-1.0, 1.0], (len(GRID.edges), 1, 1)) * np.eye(2)
)
BALL, VARIABLES = hh.HammingBall(gamma=0.05), hh.VariableCoverage()


def labelings(found):
    return [y.tolist() for y in found]


def segmenter():
    image = np.zeros((40, 60, 3))
    image[10:30, 20:40] = 1.0
    strokes = np.zeros((40, 60), int)
    strokes[18:22, 28:32], strokes[2:4, 5:50] = 2, 1
    return hh.Segmenter(image, n_segments=150).suggest(strokes, m=3).masks.tolist()


def batch(folder):
    """A new folder each time: a resumed run says what is done already."""
    paths = []
    for k in range(2):
        paths.append(folder / f"grid{k}.npz")
        if not paths[-1].exists():
            hh.write(hh.Grid(np.random.default_rng(k).normal(size=(6, 7, 3)), 0.4), paths[-1])
    out = folder / f"out{time.monotonic_ns()}"
    with ThreadPoolExecutor(1) as threads:  # tests/batch interrupts processes
        done = hh.batch.run(paths, hh.batch.Recipe(m=3), out, executor=threads, workers=1)
    return [done.solved, done.failed]


def calls(folder):
    return {
        "best": lambda: hh.best(GRID, oracle="expansion").labeling.tolist(),
        "diverse": lambda: labelings(hh.diverse(GRID, BALL, 3, 60.0).labelings),
        "refine": lambda: labelings(hh.diverse(SMALL, VARIABLES, 3, 1.0, refine=True).labelings),
        "stream": lambda: labelings(s.labeling for s in islice(hh.stream(GRID, VARIABLES, 1.0), 4)),
        "more": lambda: labelings(hh.diverse(GRID, VARIABLES, 1, 1.0).more(3).labelings),
        "select": lambda: hh.select(hh.baselines.random_labelings(GRID, 60), GRID, BALL, 20, 9.0).indices.tolist(),
        "portfolio": lambda: labelings(hh.portfolio(GRID, [VARIABLES, hh.LinearHamming()], 4, 1.0).labelings),
        "samples": lambda: labelings(hh.samples(GRID, 4, seed=1)),
        "m_best": lambda: labelings(hh.baselines.m_best(hh.Chain(GRID.unary[:60], np.eye(3)), 20)),
        "program": lambda: hh.best(SMALL, hh.potentials.LabelWeights([3.0, 1.0, 2.0]), "ilp").labeling.tolist(),
        "blocks": lambda: hh.best(CLIQUES, oracle=hh.oracles.Mplp(200, starts=1)).labeling.tolist(),
        "cycles": lambda: labelings(hh.diverse(SPINS, VARIABLES, 2, 1.0, oracle="cycles").labelings),
        "segmenter": segmenter,
        "batch": lambda: batch(folder),
    }


def interrupted(call, delay):
    """Send Ctrl-C after a while; return what came out of the call, None if it was interrupted."""
    timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    answer = None
    try:
        timer.start()
        answer = call()
        timer.cancel()
        timer.join()
        time.sleep(0.01)  # one that was on its way
    except KeyboardInterrupt as error:
        found = getattr(error, "found", None)
        if found is not None and not found.objective <= found.upper_bound:
            raise AssertionError("what was found so far is not within its bound") from error
    timer.join()
    return answer


def main(name, tries, folder):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where our parent ignores it
    call = calls(folder)[name]
    expected = call()
    start = time.perf_counter()
    wrong = [] if call() == expected else ["a second call gives another answer"]
    seconds, random = time.perf_counter() - start, np.random.default_rng(7)
    finished = 0
    for _ in range(tries):
        answer = interrupted(call, float(random.uniform(0.0, 1.2 * seconds)))
        finished += answer is not None
        if answer is not None and answer != expected:
            wrong.append("another answer under Ctrl-C")
    if call() != expected:
        wrong.append("another answer after Ctrl-C")
    if hh.best(hh.FactorGraph([[0.0, 1.0], [3.0, 0.0]], [[0, 1]], 0.5)).value != 3.5:
        wrong.append("the next best labeling is another one")
    print(json.dumps({"interrupted": tries - finished, "finished": finished, "wrong": wrong}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
