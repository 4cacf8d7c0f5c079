# SPDX-License-Identifier: BSD-3-Clause
"""Random models of every structure: marginals, log partitions and bounds against enumeration.

``python -m hunt.sums --count 10000 --seed 0`` prints how many were compared and the largest errors, and exits with 1 if
one is above 1e-9 or a bound is wrong. Bounds are also those that a model gets if nothing exact is known for it.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable

import numpy as np
from scipy.special import logsumexp

import hedgehop as hh
from hedgehop.models import PairwiseModel
from hedgehop.probabilities.bounds import mean_field, tree_reweighted
from hedgehop.probabilities.marginals import estimated
from hedgehop.testing import all_labelings

MOST = 1e-9
Random = np.random.Generator
SCALES = (0.1, 1.0, 10.0, 300.0)
TEMPERATURES = (1.0, 0.25, 7.0)


def scores(random: Random, *shape: int) -> np.ndarray:
    """Normal scores of some size; some are forbidden, never all of a row."""
    values = random.choice(SCALES) * random.normal(size=shape)
    if random.random() < 0.3:
        gone = random.random(shape) < 0.2
        gone[..., 0] = False
        values[gone] = -np.inf
    return values


def chain(random: Random) -> hh.Model:
    n, labels = random.integers(1, 6), random.integers(1, 4)
    return hh.Chain(scores(random, n, labels), random.choice(SCALES) * random.normal(size=(labels, labels)))


def forest(random: Random) -> hh.Model:
    n, labels = int(random.integers(2, 7)), int(random.integers(2, 4))
    edges = [[int(random.integers(k)), k] for k in range(1, n) if random.random() < 0.8]
    strengths = random.choice(SCALES) * random.random(len(edges))
    return hh.FactorGraph(scores(random, n, labels), np.array(edges, int).reshape(-1, 2), strengths)


def graph(random: Random) -> hh.Model:
    n, labels = int(random.integers(3, 6)), int(random.integers(2, 4))
    edges = [[i, j] for i in range(n) for j in range(i) if random.random() < 0.6] or [[1, 0]]
    tables = scores(random, len(edges), labels, labels)
    return hh.FactorGraph(scores(random, n, labels), edges, tables)


def grid(random: Random) -> hh.Model:
    height, width = random.integers(1, 4, 2)
    return hh.Grid(scores(random, height, width, 2), smoothness=float(random.choice(SCALES) * random.random()))


def parse(random: Random) -> hh.Model:
    n = int(random.integers(1, 5))
    return hh.Arborescence(scores(random, n, n + 1), single_root=bool(random.integers(2)))


def relations(random: Random) -> hh.Model:
    n = int(random.integers(1, 4))
    return hh.Arborescence(scores(random, n, n + 1, 2), single_root=bool(random.integers(2)))


def spanning_tree(random: Random) -> hh.Model:
    n = int(random.integers(2, 5))
    path = [[k, k + 1] for k in range(n - 1)]
    more = [list(random.choice(n, 2, replace=False)) for _ in range(random.integers(0, 4))]
    return hh.SpanningTree([*path, *more], random.choice(SCALES) * random.normal(size=len(path) + len(more)))


def matching(random: Random) -> hh.Model:
    n = int(random.integers(1, 5))
    return hh.Matching(random.choice(SCALES) * random.normal(size=(n, n)))


def partial_matching(random: Random) -> hh.Model:
    n, width = int(random.integers(1, 4)), int(random.integers(1, 4))
    return hh.Matching(random.choice(SCALES) * random.normal(size=(n, width)), unmatched=0.0)


def graph_matching(random: Random) -> hh.Model:
    n = int(random.integers(2, 6))
    edges = [[i, j] for i in range(n) for j in range(i) if random.random() < 0.7] or [[1, 0]]
    return hh.GraphMatching(edges, random.choice(SCALES) * random.normal(size=len(edges)))


def path(random: Random) -> hh.Model:
    n = int(random.integers(2, 6))
    straight = [[k, k + 1] for k in range(n - 1)]
    more = [list(random.choice(n, 2, replace=False)) for _ in range(random.integers(0, 4))]
    lengths = random.choice(SCALES) * random.random(len(straight) + len(more))
    return hh.Path([*straight, *more], lengths, source=0, target=n - 1)


def volume(random: Random) -> hh.Model:
    shape = random.choice([[2, 2, 2], [1, 2, 3], [3, 1, 2]])
    return hh.Grid(scores(random, *shape, 2), smoothness=float(random.choice(SCALES) * random.random()))


def cliques(random: Random) -> hh.Model:
    n = int(random.integers(3, 6))
    members = [sorted(random.choice(n, 3, replace=False).tolist()) for _ in range(random.integers(1, 3))]
    some = {tuple(m): random.choice(SCALES) * random.normal(size=(2, 2, 2)) for m in members}
    pairs = scores(random, n - 1, 2, 2)
    return hh.FactorGraph(scores(random, n, 2), [[k, k + 1] for k in range(n - 1)], pairs, [*some.items()])


def ragged(random: Random) -> hh.Model:
    counts = random.integers(1, 5, int(random.integers(2, 6)))
    rows = [random.choice(SCALES) * random.normal(size=count) for count in counts]
    ends = [[k, k + 1] for k in range(len(counts) - 1)] + ([[0, len(counts) - 1]] if len(counts) > 2 else [])
    return hh.FactorGraph(rows, ends, [random.choice(SCALES) * random.normal(size=counts[e]) for e in ends])


def acyclic_path(random: Random) -> hh.Model:
    """Lengths of any sign."""
    n = int(random.integers(2, 6))
    straight = [[k, k + 1] for k in range(n - 1)]
    more = [np.sort(random.choice(n, 2, replace=False)).tolist() for _ in range(random.integers(0, 4))]
    names = random.permutation(n)
    edges = names[np.array([*straight, *more], int)]
    lengths = random.choice(SCALES) * random.normal(size=len(edges))
    lengths[len(straight) :][random.random(len(more)) < 0.2] = np.inf
    return hh.Path(edges, lengths, source=int(names[0]), target=int(names[-1]))


def undirected_path(random: Random) -> hh.Model:
    model = path(random)
    return hh.Path(model.edges, model.lengths, model.source, model.target, directed=False)


def automaton(random: Random) -> hh.Model:
    """Any arcs between a few states, some of which read nothing: often two ways read one string."""
    states, count = int(random.integers(2, 5)), int(random.integers(2, 9))
    ends = np.sort([random.choice(states, 2, replace=False) for _ in range(count)], axis=1)
    arcs = np.column_stack([ends, random.integers(-1, 3, count)])
    arcs = np.concatenate([arcs, [[0, states - 1, 0]]])
    finals = {int(s): float(random.normal()) for s in {states - 1, int(random.integers(states))}}
    return hh.Automaton(arcs, scores(random, len(arcs), 1)[:, 0], finals)


def cyclic_automaton(random: Random) -> hh.Model:
    states = int(random.integers(1, 4))
    arcs = [[s, int(random.integers(states)), a] for s in range(states) for a in range(2) if random.random() < 0.8]
    arcs += [[0, states - 1, 0]]
    finals = {0: float(random.normal()), states - 1: 0.0}
    return hh.Automaton(arcs, random.choice(SCALES) * random.normal(size=len(arcs)), finals, max_length=4)


def higher_order(random: Random) -> hh.Model:
    labels, order = 2, int(random.integers(1, 4))
    steps = scores(random, *[labels] * (order + 1))
    return hh.Automaton.from_chain(scores(random, int(random.integers(1, 6)), labels), steps)


def segments(random: Random) -> hh.Model:
    length, longest, kinds = int(random.integers(1, 5)), int(random.integers(1, 4)), int(random.integers(1, 3))
    steps = None if random.random() < 0.5 else random.choice(SCALES) * random.normal(size=(kinds, kinds))
    return hh.Automaton.from_segments(random.choice(SCALES) * random.normal(size=(length, longest, kinds)), steps)


def slots(random: Random) -> hh.Model:
    names = ["a", "b", "", "ab"]
    chosen = [["a", *random.choice(names[1:], random.integers(0, 3), replace=False)] for _ in range(4)]
    return hh.Automaton.from_slots([{str(n): float(random.normal()) for n in some} for some in chosen])


def grammar(random: Random) -> hh.Model:
    symbols = int(random.integers(1, 3))
    words = int(random.integers(1, 6 - symbols))
    rules = random.integers(0, symbols, (int(random.integers(1, 7)), 3))
    return hh.Cfg(scores(random, words, symbols), rules, scores(random, len(rules), 1)[:, 0])


def program(random: Random) -> hh.Model:
    n = int(random.integers(1, 6))
    rows = (random.integers(-2, 4, (2, n)), -np.inf, [3.0, 4.0])
    return hh.Program(
        random.choice(SCALES) * random.normal(size=n), bounds=(0, random.integers(1, 3)), constraints=rows
    )


def own_solver(random: Random) -> hh.Model:
    """The best k of n items, by a function."""
    n, k = 4, int(random.integers(1, 4))
    worth = random.choice(SCALES) * random.normal(size=n)
    rows = np.array([y for y in np.ndindex(*[2] * n) if sum(y) == k])

    def solve(added: np.ndarray) -> np.ndarray | None:
        values = rows @ worth + added[np.arange(n), rows].sum(axis=1)
        return rows[values.argmax()] if values.max() > -np.inf else None

    return hh.Structure(solve, lambda y: float(worth @ y) if y.sum() == k else -np.inf, [2] * n)


SUMMED_STRUCTURES: dict[str, Callable[[Random], hh.Model]] = {
    f.__name__: f
    for f in (
        chain, forest, graph, grid, parse, relations, spanning_tree, matching, partial_matching, graph_matching, path,
        volume, cliques, ragged, acyclic_path, undirected_path, automaton, cyclic_automaton, higher_order, segments,
        slots, grammar, program, own_solver,
    )
}  # fmt: skip


def enumerated(model: hh.Model, temperature: float) -> tuple[float, np.ndarray]:
    """Log partition and marginals by their definitions."""
    rows = all_labelings(model)
    logs = np.asarray(model.score(rows), np.float64).reshape(-1) / temperature
    total = logsumexp(logs)
    chances, width = np.exp(logs - total), int(model.label_counts.max())
    table = [[chances[rows[:, i] == label].sum() for label in range(width)] for i in range(rows.shape[1])]
    return float(total), np.array(table)


def errors(model: hh.Model, temperature: float) -> dict[str, float]:
    """Relative error of the log partition, error of marginals, and by how much bounds are wrong."""
    total, table = enumerated(model, temperature)
    size = max(1.0, abs(total))
    if total == -np.inf:
        try:
            hh.marginals(model, temperature)
        except hh.InfeasibleError:
            return {"infeasible": 0.0}
        return {"infeasible": 1.0}
    found = hh.marginals(model, temperature)
    shares = found.probabilities.reshape(table.shape)
    wrong = {"log partition": abs(found.log_partition - total) / size, "marginals": float(np.abs(shares - table).max())}
    wrong["sums"] = float(np.abs(shares.sum(axis=1) - 1.0).max())
    wrong["not called exact"] = float(not found.exact)
    if isinstance(model, PairwiseModel) and len(model.edges) and not model.cliques:
        upper, chances = tree_reweighted(model, 1.0 / temperature)
        wrong["upper bound"] = max(0.0, (total - upper) / size)
        if not model.forbids_pairs:
            wrong["lower bound"] = max(0.0, (mean_field(model, 1.0 / temperature, chances) - total) / size)
    return wrong


def estimate_errors(model: hh.Model, temperature: float) -> dict[str, float]:
    """By how much the bounds are wrong that a model gets if nothing exact is known for it."""
    total, _ = enumerated(model, temperature)
    if total == -np.inf:
        return {}
    found, size = estimated(model, temperature), max(1.0, abs(total))
    sums = float(np.abs(found.probabilities.sum(axis=-1) - 1.0).max()) if found.probabilities.size else 0.0
    wrong = {"estimate: lower": max(0.0, (found.lower - total) / size), "estimate: sums": sums}
    return wrong | {"estimate: upper": max(0.0, (total - found.upper) / size)}


def drawn(random: Random, name: str) -> hh.Model:
    """Draw a model of a structure; structures refuse scores that allow nothing."""
    while True:
        try:
            return SUMMED_STRUCTURES[name](random)
        except hh.InfeasibleError:
            continue


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare sums over all labelings with enumeration.")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    worst, counts, names = defaultdict(float), defaultdict(int), list(SUMMED_STRUCTURES)
    for k in range(options.count):
        random, name = np.random.default_rng([options.seed, k]), names[k % len(names)]
        model, temperature = drawn(random, name), float(random.choice(TEMPERATURES))
        counts[name] += 1
        wrong = errors(model, temperature)
        without_edges = isinstance(model, PairwiseModel) and not (len(model.edges) or model.cliques)
        if k < options.count // 20 and not without_edges:  # samples take long
            wrong |= estimate_errors(model, temperature)
        for what, error in wrong.items():
            worst[name, what] = max(worst[name, what], error)
            if not error <= MOST:
                print(f"seed {options.seed}, model {k}: {model!r}, temperature {temperature:g}: {what} {error:.3g}")
    for (name, what), error in sorted(worst.items()):
        print(f"{name:16} {counts[name]:6} models  {what:16} {error:.2e}")
    return int(any(not error <= MOST for error in worst.values()))


if __name__ == "__main__":
    sys.exit(main())
