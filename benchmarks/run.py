"""Times of today's pieces, and ratios to plain numpy where there is a plain way: ``make bench``.

Every time is the least of several runs in this process, on this machine; nothing is cached between runs.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time

import numpy as np

import hedgehop as hh
from hedgehop import _core

IMPORT = """
import time, numpy, scipy, scipy.optimize, scipy.sparse, scipy.special
start = time.perf_counter()
import hedgehop as hh
hh.Grid, hh.HammingBall, hh.diverse
print(time.perf_counter() - start)
"""


def least(function, repeats):
    """Return the least time of several runs, in seconds, and what the function returned."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


def row(what, ours, plain=None, note=""):
    """Print one line of the table."""
    other = f"{1e3 * plain:12.2f} {plain / ours:8.1f}x" if plain is not None else f"{'':12} {'':9}"
    print(f"{what:<62} {1e3 * ours:12.2f} {other}  {note}", flush=True)


def bench_import(repeats):
    command = [sys.executable, "-c", IMPORT]
    times = [float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(repeats)]
    row("import hedgehop, beyond numpy and scipy", min(times))


def bench_counts(side, repeats):
    """Compare the counting kernels with numpy on a list of 10 labelings of an image, 21 labels."""
    labels = 21
    rows = np.random.default_rng(0).integers(0, labels, (10, side * side), dtype=np.int32)
    edges = hh.Grid(np.zeros((side, side, 1), np.float32)).edges
    size = f"10 x {side} x {side}, {labels} labels"

    def plain_hamming():
        return np.array([[(a != b).sum() for b in rows] for a in rows])

    def plain_labels():
        return np.array([np.bincount(y, minlength=labels) for y in rows])

    def plain_transitions():
        i, j = edges.T
        pairs = (y[i] * labels + y[j] for y in rows)
        return np.array([np.bincount(p, minlength=labels**2) for p in pairs]).reshape(-1, labels, labels)

    for what, ours, plain in (
        ("Hamming distances of all pairs", lambda: _core.hamming(rows, rows), plain_hamming),
        ("label counts", lambda: _core.label_counts(rows, labels), plain_labels),
        ("transition counts", lambda: _core.transition_counts(rows, edges, labels), plain_transitions),
    ):
        (fast, a), (slow, b) = least(ours, repeats), least(plain, repeats)
        assert np.array_equal(a, b)
        row(f"{what}, {size}", fast, slow)


def viterbi(emissions, transitions):
    """Return the best labeling of a chain and its score: the textbook recursion, one numpy call a position."""
    best = emissions[0]
    back = np.empty(emissions.shape, np.int64)
    for t in range(1, len(emissions)):
        values = best[:, None] + transitions
        back[t] = values.argmax(axis=0)
        best = values.max(axis=0) + emissions[t]
    labeling = np.empty(len(emissions), np.int64)
    labeling[-1] = best.argmax()
    for t in range(len(emissions) - 1, 0, -1):
        labeling[t - 1] = back[t, labeling[t]]
    return labeling, best.max()


def bench_tree(length, repeats):
    random = np.random.default_rng(0)
    emissions, transitions = random.normal(size=(length, 21)), random.normal(size=(21, 21))
    chain = hh.Chain(emissions, transitions)
    ours, step = least(lambda: hh.best(chain, oracle="tree"), repeats)
    plain, (labeling, score) = least(lambda: viterbi(emissions, transitions), max(1, repeats // 3))
    assert np.array_equal(step.labeling, labeling)
    assert np.isclose(step.value, score)
    row(f"best labeling of a chain, {length} x 21, tree", ours, plain)


def bench_greedy(m, repeats, limit):
    """Time whole lists on small models, each with the oracle that suits it."""
    random = np.random.default_rng(0)
    pixels = hh.Grid(random.normal(size=(8, 8, 3)), smoothness=0.5)
    few = hh.FactorGraph(random.normal(size=(10, 2)), [[i, i + 1] for i in range(9)], 0.5)
    chain = hh.Chain(random.normal(size=(10_000, 10)), random.normal(size=(10, 10)))
    every = hh.LabelCoverage(ignore=())
    for model, diversity, oracle, tradeoff in (
        (few, hh.VariableCoverage(), "exhaustive", 1.0),
        (few, hh.HammingBall(gamma=0.3), "exhaustive", 3.0),
        (chain, hh.VariableCoverage(), "tree", 1.0),
        (pixels, hh.VariableCoverage(), "ilp", 1.0),
        (pixels, hh.RegionCoverage(np.arange(64).reshape(8, 8) // 16), "ilp", 1.0),
        (pixels, every, "ilp", 1.0),
    ):
        bench_list(model, diversity, m, tradeoff, oracle, repeats)
    bench_list(pixels, hh.HammingBall(gamma=0.1), 3, 5.0, hh.oracles.Ilp(time_limit=limit), 1)


def bench_list(model, diversity, m, tradeoff, oracle, repeats):
    took, found = least(lambda: hh.diverse(model, diversity, m, tradeoff, oracle=oracle), repeats)
    name = oracle if isinstance(oracle, str) else f"{oracle.name}, {oracle.time_limit:g} s a step"
    note = f"{int(found.exact.sum())} of {m} steps exact"
    row(
        f"{m} labelings, {model.n_variables} x {model.label_counts.max()}, {type(diversity).__name__}, {name}",
        took,
        None,
        note,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, one run: only to see that it works")
    quick = parser.parse_args().quick
    print(
        f"hedgehop {hh.__version__}, Python {platform.python_version()}, numpy {np.__version__}, "
        f"{platform.machine()}, {os.cpu_count()} cores"
    )
    print(f"{'':<62} {'hedgehop, ms':>12} {'numpy, ms':>12} {'ratio':>9}")
    bench_import(1 if quick else 5)
    bench_counts(64 if quick else 512, 1 if quick else 5)
    bench_tree(1000 if quick else 100_000, 1 if quick else 3)
    bench_greedy(2 if quick else 10, 1 if quick else 3, 0.2 if quick else 5.0)


if __name__ == "__main__":
    main()
