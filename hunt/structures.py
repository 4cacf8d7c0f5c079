# SPDX-License-Identifier: BSD-3-Clause
"""Small random models of every structure, each with all its labelings, scored from the definition alone.

A new structure is one function in STRUCTURES: it returns a model of the library and a plain function of a labeling
that lists the terms of its relevance, or None where the structure forbids the labeling.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import hedgehop as hh
from hunt.dice import Dice

Terms = Callable[[tuple[int, ...]], "list[float] | None"]


@dataclass
class Problem:
    """A model and the truth about it: every allowed labeling, its relevance, and the sum of its terms' sizes."""

    model: Any
    rows: np.ndarray  # (K, n), allowed ones only
    relevance: np.ndarray
    mass: np.ndarray
    edges: np.ndarray | None
    counts: tuple[int, ...]

    def place(self, labeling: np.ndarray) -> int | None:
        """Where a labeling is among the allowed ones."""
        hits = np.flatnonzero((self.rows == labeling.reshape(-1)).all(axis=1))
        return int(hits[0]) if hits.size else None


def problem(name: str, d: Dice) -> Problem:
    """Make a model of a structure, and enumerate it."""
    model, counts, terms, edges = STRUCTURES[name](d)
    rows, relevance, mass = [], [], []
    for y in itertools.product(*map(range, counts)):
        parts = terms(y)
        if parts is not None and -np.inf not in parts:
            rows.append(y)
            relevance.append(sum(parts))
            mass.append(sum(map(abs, parts)))
    return Problem(model, np.array(rows, np.int32), np.array(relevance), np.array(mass), edges, tuple(counts))


def _pairwise(model: Any, unary: Any, edges: np.ndarray, table: Callable[[int, int, int], float], cliques: Any = ()):
    def terms(y: tuple[int, ...]) -> list[float]:
        own = [float(unary[i][k]) for i, k in enumerate(y)]
        pairs = [float(table(e, y[i], y[j])) for e, (i, j) in enumerate(edges)]
        return own + pairs + [float(values[tuple(y[v] for v in scope)]) for scope, values in cliques]

    return model, [len(row) for row in unary], terms, np.asarray(edges).reshape(-1, 2)


def _potts(strengths: np.ndarray) -> Callable[[int, int, int], float]:
    return lambda e, a, b: 0.0 if a == b else -float(strengths[e])


def potts(d: Dice):
    edges, unary = d.edges(4), d.unary(4, 3)
    strengths = d.strengths(len(edges))
    return _pairwise(hh.FactorGraph(unary, edges, strengths), unary, edges, _potts(strengths))


def binary(d: Dice):
    edges, unary = d.edges(5), d.unary(5, 2)
    tables = d.scores(len(edges), 2, 2)
    return _pairwise(hh.FactorGraph(unary, edges, tables), unary, edges, lambda e, a, b: tables[e, a, b])


def attractive(d: Dice):
    """Two labels that prefer to agree: what cuts and `joint` solve."""
    edges, unary = d.edges(5, 0.8), d.unary(5, 2)
    tables = d.scores(len(edges), 2, 2) * 0.3
    lacking = tables[:, 0, 1] + tables[:, 1, 0] - tables[:, 0, 0] - tables[:, 1, 1]
    tables[:, 0, 0] += np.maximum(0.0, lacking) + np.abs(tables).max(initial=0.0) * 1e-3
    return _pairwise(hh.FactorGraph(unary, edges, tables), unary, edges, lambda e, a, b: tables[e, a, b])


def shared_table(d: Dice):
    edges, unary, table = d.edges(4), d.unary(4, 3), d.scores(3, 3)
    return _pairwise(hh.FactorGraph(unary, edges, table), unary, edges, lambda e, a, b: table[a, b])


def edge_tables(d: Dice):
    edges, unary = d.edges(4), d.scores(4, 3)
    tables = d.scores(len(edges), 3, 3)
    if d.forbid and len(edges):
        tables[0, 0, 1:] = -np.inf  # a hard pair, with a way out
    return _pairwise(hh.FactorGraph(unary, edges, tables), unary, edges, lambda e, a, b: tables[e, a, b])


def ragged(d: Dice):
    counts, edges = [2, 3, 1, 4], d.edges(4)
    unary = [d.unary(c) for c in counts]
    tables = [d.scores(counts[i], counts[j]) for i, j in edges]
    return _pairwise(hh.FactorGraph(unary, edges, tables or 0.0), unary, edges, lambda e, a, b: tables[e][a, b])


def with_cliques(d: Dice):
    edges, unary = d.edges(4, 0.4), d.unary(4, 2)
    strengths = d.strengths(len(edges))
    cliques = [([0, 2, 3], d.scores(2, 2, 2)), ([1], d.scores(2)), ([3, 1], d.scores(2, 2))]
    model = hh.FactorGraph(unary, edges, strengths, cliques)
    known = any(set(pair) == {1, 3} for pair in edges.tolist())  # then the first one gives the direction
    pairs = edges if known else np.concatenate([edges, [[3, 1]]])  # a clique of two is an edge for transitions
    every = _pairwise(model, unary, edges, _potts(strengths), cliques)
    return (*every[:3], pairs)


def parallel_edges(d: Dice):
    edges, unary, tables = np.array([[0, 1], [1, 0], [1, 2], [0, 1]]), d.unary(3, 3), d.scores(4, 3, 3)
    made = _pairwise(hh.FactorGraph(unary, edges, tables), unary, edges, lambda e, a, b: tables[e, a, b])
    return (*made[:3], edges[[0, 2]])  # the first of parallel edges gives the direction


def forest(d: Dice):
    edges, unary = d.tree(5)[:-1], d.unary(5, 2)
    tables = d.scores(len(edges), 2, 2)
    return _pairwise(hh.FactorGraph(unary, edges, tables), unary, edges, lambda e, a, b: tables[e, a, b])


def potts_tree(d: Dice):
    edges, unary, strengths = d.tree(4), d.unary(4, 3), d.strengths(3)
    return _pairwise(hh.FactorGraph(unary, edges, strengths), unary, edges, _potts(strengths))


def no_edges(d: Dice):
    unary = d.unary(3, 3)
    return _pairwise(hh.FactorGraph(unary), unary, np.zeros((0, 2), int), lambda e, a, b: 0.0)


def chain(d: Dice):
    unary, steps = d.unary(4, 3), d.scores(3, 3) if d.ties else d.scores(3, 3, 3)
    edges = np.array([[0, 1], [1, 2], [2, 3]])
    shared = steps.ndim == 2
    return _pairwise(hh.Chain(unary, steps), unary, edges, lambda e, a, b: steps[a, b] if shared else steps[e, a, b])


def _grid(d: Dice, shape: tuple[int, ...], labels: int, connectivity: int):
    unary, reach = d.unary(*shape, labels), {4: 1, 6: 1, 8: 2, 26: 3}[connectivity]
    places = list(itertools.product(*map(range, shape)))
    near = [o for o in itertools.product((0, 1, -1), repeat=len(shape)) if any(o) and next(filter(None, o)) > 0]
    offsets = sorted((o for o in near if sum(map(abs, o)) <= reach), key=lambda o: sum(map(abs, o)))
    strengths = [d.strengths(*(s - abs(k) for s, k in zip(shape, o, strict=True))) for o in offsets]
    edges, costs = [], []
    for o, values in zip(offsets, strengths, strict=True):
        for p in itertools.product(*map(range, values.shape)):
            start = tuple(a - min(0, k) for a, k in zip(p, o, strict=True))
            edges.append((places.index(start), places.index(tuple(a + k for a, k in zip(start, o, strict=True)))))
            costs.append(values[p])
    flat = unary.reshape(-1, labels)
    return _pairwise(hh.Grid(unary, strengths, connectivity), flat, np.array(edges), _potts(np.array(costs)))


def grid4(d: Dice):
    return _grid(d, (2, 3), 2, 4)


def grid8(d: Dice):
    return _grid(d, (2, 2), 3, 8)


def volume(d: Dice):
    return _grid(d, (1, 2, 3), 2, 26 if d.ties else 6)


def _components(n: int, pairs: list[tuple[int, int]]) -> int:
    part = list(range(n))
    for a, b in pairs:
        part = [part[b] if p == part[a] else p for p in part]
    return len(set(part))


def _subsets(model: Any, edges: np.ndarray, weights: np.ndarray, allows: Callable[[list[tuple[int, int]]], bool]):
    def terms(y: tuple[int, ...]) -> list[float] | None:
        taken = [tuple(edges[e]) for e, k in enumerate(y) if k]
        return [float(weights[e]) for e, k in enumerate(y) if k] if allows(taken) else None

    return model, [2] * len(edges), terms, None


def spanning_tree(d: Dice):
    edges, weights = np.concatenate([d.tree(4), d.tree(4)]), d.scores(6)
    if d.forbid:
        weights[3:][d.random.random(3) < 0.3] = -np.inf
    return _subsets(hh.SpanningTree(edges, weights), edges, weights, lambda t: len(t) == 3 and _components(4, t) == 1)


def _apart(pairs: list[tuple[int, int]]) -> bool:
    ends = [v for pair in pairs for v in pair]
    return len(ends) == len(set(ends))


def graph_matching(d: Dice):
    edges, weights = np.concatenate([d.tree(5), d.tree(4)]), d.unary(7, 2)[:, 1]
    return _subsets(hh.GraphMatching(edges, weights), edges, weights, _apart)


def perfect_matching(d: Dice):
    edges, weights = np.array([(0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2), (1, 0)]), d.unary(7, 2)[:, 1]
    weights[:2] = d.scores(2)
    model = hh.GraphMatching(edges, weights, perfect=True)
    return _subsets(model, edges, weights, lambda t: len(t) == 2 and _apart(t))


def matching(d: Dice):
    weights = d.with_gaps(d.scores(3, 4))

    def terms(y: tuple[int, ...]) -> list[float] | None:
        return [float(weights[i, k]) for i, k in enumerate(y)] if len(set(y)) == len(y) else None

    return hh.Matching(weights), [4] * 3, terms, None


def partial_matching(d: Dice):
    weights, alone = d.unary(3, 2), d.scores(3)

    def terms(y: tuple[int, ...]) -> list[float] | None:
        taken = [k for k in y if k < 2]
        fits = len(set(taken)) == len(taken)
        return [float(alone[i] if k == 2 else weights[i, k]) for i, k in enumerate(y)] if fits else None

    return hh.Matching(weights, unmatched=alone), [3] * 3, terms, None


def _parse(arcs: np.ndarray, relations: int, single: bool):
    words = len(arcs)
    flat = arcs.reshape(words, -1)

    def reaches_root(heads: list[int], word: int) -> bool:
        for _ in range(words + 1):
            if word == 0:
                return True
            word = heads[word - 1]
        return False

    def terms(y: tuple[int, ...]) -> list[float] | None:
        heads = [k // relations for k in y]
        fits = all(reaches_root(heads, w + 1) for w in range(words)) and (not single or heads.count(0) == 1)
        return [float(flat[i, k]) for i, k in enumerate(y)] if fits else None

    return hh.Arborescence(arcs, single_root=single), [(words + 1) * relations] * words, terms, None


def arborescence(d: Dice):
    return _parse(d.with_gaps(d.scores(3, 4)), 1, bool(d.random.random() < 0.5))


def relations(d: Dice):
    return _parse(d.with_gaps(d.scores(2, 3, 2)), 2, bool(d.random.random() < 0.5))


def _routes(d: Dice, pairs: list[tuple[int, int]], target: int, directed: bool, lengths: np.ndarray):
    edges = np.array(pairs)
    model = hh.Path(edges, lengths, 0, target, directed)

    def allows(taken: list[tuple[int, int]]) -> bool:
        """Follow the edges from node 0, in any order of them that leads on, until none is left."""
        left, at, seen = list(taken), 0, {0}
        while at != target:
            ways = [(k, b) for k, (a, b) in enumerate(left) if a == at]
            ways += [] if directed else [(k, a) for k, (a, b) in enumerate(left) if b == at]
            if len(ways) != 1 or ways[0][1] in seen:
                return False
            left.pop(ways[0][0])
            at = int(ways[0][1])
            seen.add(at)
        return not left

    return _subsets(model, edges, -lengths, allows)


def _open(d: Dice, lengths: np.ndarray) -> np.ndarray:
    """Close some edges, not the first two, which are a route."""
    if d.forbid:
        lengths[2:][d.random.random(len(lengths) - 2) < 0.2] = np.inf
    return lengths


def directed_path(d: Dice):
    edges = [(0, 1), (1, 4), (1, 2), (2, 1), (0, 3), (3, 2), (2, 4), (3, 1), (1, 3), (0, 1)]
    return _routes(d, edges, 4, True, _open(d, d.strengths(10)))


def undirected_path(d: Dice):
    edges = [(0, 1), (3, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 0), (2, 1)]
    return _routes(d, edges, 3, False, _open(d, d.strengths(8)))


def acyclic_path(d: Dice):
    edges = [(0, 1), (1, 4), (0, 2), (2, 1), (2, 4), (0, 3), (3, 4), (2, 3), (1, 4)]
    return _routes(d, edges, 4, True, _open(d, d.scores(9)))


def automaton(d: Dice):
    """Strings of up to three symbols; of several ways to read one, the best counts."""
    arcs = [
        (0, 1, 0),
        (1, 2, 1),
        (2, 4, 0),
        (0, 1, 1),
        (0, 2, 2),
        (1, 3, 2),
        (3, 4, 1),
        (2, 3, -1),
        (1, 2, 0),
        (3, 4, 2),
    ]
    scores, ending = d.scores(10), {4: 0.0, 2: float(d.scores(1)[0])}
    if d.forbid:
        scores[3:][d.random.random(7) < 0.25] = -np.inf
    model = hh.Automaton(arcs, scores, ending)

    def ways(state: int, string: tuple[int, ...]) -> list[list[float]]:
        found = [[ending[state]]] if not string and state in ending else []
        for (start, to, symbol), score in zip(arcs, scores.tolist(), strict=True):
            if start == state and score > -np.inf and (symbol < 0 or string[:1] == (symbol,)):
                found += [[score, *rest] for rest in ways(to, string if symbol < 0 else string[1:])]
        return found

    def terms(y: tuple[int, ...]) -> list[float] | None:
        size = y.index(3) if 3 in y else len(y)
        fits = all(k == 3 for k in y[size:])
        return max(ways(0, y[:size]), key=sum, default=None) if fits else None

    return model, [4] * 3, terms, None


def grammar(d: Dice):
    """Parses of three words by rules over two symbols; the label of a span is 0, or one more than its symbol."""
    words, rules, scores = d.unary(3, 2), [(0, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1), (1, 0, 1)], d.scores(5)
    words[:, 0] = d.scores(3)
    model = hh.Cfg(words, rules, scores)
    places = {(0, 1): 0, (1, 2): 1, (2, 3): 2, (0, 2): 3, (1, 3): 4, (0, 3): 5}
    worth = dict(zip(rules, scores.tolist(), strict=True))

    def tree(y: tuple[int, ...], i: int, j: int) -> list[float] | None:
        """Scores of the rules below a span, and None if its labels do not fit."""
        own = y[places[i, j]] - 1
        if own < 0:
            return None
        if j - i == 1:
            return [float(words[i, own])]
        for k in range(i + 1, j):
            left, right = tree(y, i, k), tree(y, k, j)
            if left is not None and right is not None:
                rule = (own, y[places[i, k]] - 1, y[places[k, j]] - 1)
                return [worth[rule], *left, *right] if rule in worth else None
        return None

    def terms(y: tuple[int, ...]) -> list[float] | None:
        return tree(y, 0, 3) if sum(k > 0 for k in y) == 5 and y[5] == 1 else None

    return model, [3] * 6, terms, None


class Ranking:
    """A user's own structure: the label of a thing is its place, and no two things share one."""

    def __init__(self, prefer: np.ndarray) -> None:
        self.prefer, self.n_variables, self.shape = prefer, len(prefer), (len(prefer),)
        self.label_counts = np.full(len(prefer), len(prefer), np.int32)

    def score(self, labelings: Any) -> Any:
        places = np.asarray(labelings)
        total = ((places[..., :, None] < places[..., None, :]) * self.prefer).sum(axis=(-2, -1))
        once = (np.sort(places, axis=-1) == np.arange(self.n_variables)).all(axis=-1)
        return np.where(once, total, -np.inf)[()]


def own_structure(d: Dice):
    prefer = d.scores(4, 4)

    def terms(y: tuple[int, ...]) -> list[float] | None:
        if len(set(y)) < len(y):
            return None
        return [float(prefer[i, j]) for i, a in enumerate(y) for j, b in enumerate(y) if a < b]

    return Ranking(prefer), [4] * 4, terms, None


class OwnSolver:
    """A user's own solver: the best of all allowed labelings of a knapsack."""

    def __init__(self, worth: np.ndarray, weights: np.ndarray) -> None:
        self.worth, self.weights = worth, weights
        self.rows = [y for y in itertools.product((0, 1), repeat=len(worth)) if weights @ y <= 6]

    def score(self, y: Any) -> float:
        return float(self.worth @ y) if self.weights @ y <= 6 else -np.inf

    def solve(self, added: np.ndarray) -> Any:
        values = [self.score(y) + added[np.arange(len(y)), y].sum() for y in self.rows]
        return None if max(values) == -np.inf else self.rows[int(np.argmax(values))]


def own_solver(d: Dice):
    own = OwnSolver(d.scores(5), d.random.integers(1, 4, 5).astype(float))

    def terms(y: tuple[int, ...]) -> list[float] | None:
        return [float(w) for w, k in zip(own.worth, y, strict=True) if k] if own.weights @ y <= 6 else None

    return hh.Structure(own.solve, own.score, [2] * 5), [2] * 5, terms, None


def program(d: Dice):
    """A user's own binary program, one column of which takes the values -1, 0 and 1."""
    costs, limits = d.scores(5), d.random.integers(0, 3, (2, 5)).astype(float)
    low, high = np.array([0, 0, 0, 0, -1.0]), np.array([1, 1, 1, 1, 1.0])
    model = hh.Program(costs, bounds=(low, high), constraints=[(limits[:1], -np.inf, 3.0), (limits[1:], -1.0, 5.0)])

    def terms(y: tuple[int, ...]) -> list[float] | None:
        x = low + np.array(y)
        fits = limits[0] @ x <= 3 and -1 <= limits[1] @ x <= 5
        return [-float(c * v) for c, v in zip(costs, x, strict=True)] if fits else None

    return model, [2, 2, 2, 2, 3], terms, None


def mixed_program(d: Dice):
    """Real columns 0 <= z_i <= room x_i with a common limit, which are filled in the order of their gains."""
    gains, room = d.scores(6), 1.0 + float(d.random.integers(0, 3))
    links = np.hstack([-room * np.eye(3), np.eye(3)])
    whole, bounds = [1, 1, 1, 0, 0, 0], (np.zeros(6), np.array([1, 1, 1, 4, 4, 4.0]))
    rows = [(links, -np.inf, 0.0), (np.array([[0, 0, 0, 1, 1, 1.0]]), 0.0, 4.0)]

    def terms(y: tuple[int, ...]) -> list[float] | None:
        parts, left = [float(g) for g, k in zip(gains[:3], y, strict=True) if k], 4.0
        for i in np.argsort(-gains[3:]):
            amount = min(left, room, 4.0) if y[i] and gains[3 + i] > 0 else 0.0
            left -= amount
            parts.append(float(gains[3 + i] * amount))
        return parts

    return hh.Program(gains, whole, bounds, rows, maximize=True), [2] * 3, terms, None


STRUCTURES: dict[str, Callable[[Dice], Any]] = {
    f.__name__: f
    for f in (
        potts, binary, attractive, shared_table, edge_tables, ragged, with_cliques, parallel_edges, forest, potts_tree,
        no_edges, chain, grid4, grid8, volume, spanning_tree, graph_matching, perfect_matching, matching,
        partial_matching, arborescence, relations, directed_path, undirected_path, acyclic_path, automaton,
        grammar, own_structure, own_solver, program, mixed_program,
    )
}  # fmt: skip
