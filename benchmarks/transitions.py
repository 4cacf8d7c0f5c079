# SPDX-License-Identifier: BSD-3-Clause
"""Steps with label transitions on small grids: hedgehop's moves, the cited flips, and the optimum.

Each instance is a step of a list: relevance plus weights of transitions that count once. The cited work (Kohli, Osokin
and Jegelka 2013) writes ``K min(1, k) = min over h in {0, 1} of K h + K (1 - h) k``, solves the model for given h,
and flips one h after the other while that helps. The optimum is that of an integer program.

    python benchmarks/transitions.py [instances]
"""

from __future__ import annotations

import sys
import time

import numpy as np

import hedgehop as hh
from hedgehop.potentials import TransitionWeights

SIZE = 6


def instance(labels: int, seed: int) -> hh.FactorGraph:
    """A grid of noisy regions with Potts pairs."""
    random = np.random.default_rng(seed)
    grid = hh.Grid(random.normal(size=(SIZE, SIZE, labels)), smoothness=1.0)
    return hh.FactorGraph(grid.unary, grid.edges, random.random(len(grid.edges)) * 0.6)


def step_weights(labels: int, seed: int, rewards: bool) -> TransitionWeights:
    """Weights of a third step: some transitions were seen in one or two labelings, some in none."""
    random = np.random.default_rng([seed, labels])
    seen = np.triu(random.integers(0, 3, (labels, labels)), 1)
    steps = {False: np.array([0.0, -1.0, -1.0]), True: np.array([1.0, 0.0, -0.5])}[rewards]
    weights = 2.0 * steps[seen]
    return TransitionWeights(np.triu(weights, 1) + np.triu(weights, 1).T)


def flipped(model: hh.FactorGraph, weights: TransitionWeights) -> float:
    """Solve by flips of the paid transitions, from those of the best labeling; costs only."""
    groups = [(a, b) for a, b in zip(*weights.pairs, strict=True) if weights.w[a, b] < 0]

    def value(paid: frozenset[int]) -> tuple[float, float]:
        tables = -model.pairwise.strengths[:, None, None] * (1 - np.eye(len(weights.w)))
        for k, (a, b) in enumerate(groups):
            if k not in paid:
                tables[:, [a, b], [b, a]] += weights.w[a, b]
        changed = hh.FactorGraph(model.unary, model.edges, tables)
        labeling = hh.best(changed).labeling
        steered = float(changed.score(labeling)) + sum(weights.w[groups[k]] for k in paid)
        return steered, float(model.score(labeling)) + float(weights.value(model, labeling))

    start = hh.best(model).labeling
    used = {tuple(sorted(map(int, start[e]))) for e in model.edges}
    paid = frozenset(k for k, g in enumerate(groups) if tuple(map(int, g)) in used)
    best, reached = value(paid)
    while True:
        tried = [(paid ^ {k}, *value(paid ^ {k})) for k in range(len(groups))]
        reached = max([reached, *(true for _, _, true in tried)])
        other, steered, _ = max(tried, key=lambda t: t[1], default=(paid, best, reached))
        if steered <= best + 1e-9:
            return reached
        paid, best = other, steered


def compare(labels: int, rewards: bool, count: int) -> str:
    """One row: how often each reaches the optimum, and how far the proven bound is above it."""
    ours, cited, bound, seconds = [], [], [], 0.0
    for seed in range(count):
        model, weights = instance(labels, seed), step_weights(labels, seed, rewards)
        optimum = hh.best(model, weights, hh.oracles.Ilp(time_limit=60.0))
        assert optimum.exact, "the program needs more time"
        start = time.perf_counter()
        moved = hh.best(model, weights, "swap")
        seconds += time.perf_counter() - start
        ours.append(optimum.value - moved.value)
        bound.append(moved.upper_bound - optimum.value)
        if not rewards:
            cited.append(optimum.value - flipped(model, weights))
    kind = "rewards and costs" if rewards else "costs"
    flips = f"{np.mean(np.array(cited) < 1e-6):.0%}, {np.mean(cited):.3f}" if cited else "cannot"
    solved = f"{np.mean(np.array(ours) < 1e-6):.0%}, {np.mean(ours):.3f}"
    return f"| {labels} | {kind} | {solved} | {flips} | {np.mean(bound):.3f} | {1000 * seconds / count:.0f} |"


def main() -> None:
    """Print the table of docs/theory.md 11."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    print("| labels | weights | hedgehop: optimal, mean gap | flips: optimal, mean gap | bound above optimum | ms |")
    print("|---|---|---|---|---|---|")
    for labels in (2, 3, 4, 5):
        for rewards in (False, True):
            print(compare(labels, rewards, count), flush=True)


if __name__ == "__main__":
    main()
