# SPDX-License-Identifier: BSD-3-Clause
"""The rows of the conformance table: small random models of every structure. A new one is one line in STRUCTURES.

Scores are small whole numbers (so ties abound), shifted to be negative at times; some labels are forbidden.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import hedgehop as hh
from tests.draws import Draws, draws


@dataclass
class Dice:
    """Random numbers for one model."""

    random: Draws | np.random.Generator
    ties: bool
    forbid: bool
    shift: float

    def scores(self, *shape: int) -> np.ndarray:
        values = self.random.integers(-3, 4, shape) if self.ties else self.random.normal(size=shape) * 3
        return values.astype(float) + self.shift

    def unary(self, *shape: int) -> np.ndarray:
        values = self.scores(*shape)
        if self.forbid and shape[-1] > 1:
            gone = self.random.random(shape) < 0.2
            gone[..., self.random.integers(shape[-1])] = False
            values[gone] = -np.inf
        return values

    def with_gaps(self, table: np.ndarray) -> np.ndarray:
        """Forbid entries off the diagonal: row i to column i is a matching, and a chain that hangs from the root."""
        if self.forbid:
            gone = self.random.random(table.shape) < 0.25
            gone[np.arange(len(table)), np.arange(len(table))] = False
            table[gone] = -np.inf
        return table

    def strengths(self, count: int) -> np.ndarray:
        return self.random.integers(0, 4, count).astype(float) if self.ties else self.random.random(count) * 3

    def edges(self, n: int, share: float = 0.6) -> np.ndarray:
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if self.random.random() < share]
        pairs = [p if self.random.random() < 0.5 else p[::-1] for p in pairs]
        return np.array(pairs, int).reshape(-1, 2)

    def tree(self, n: int) -> np.ndarray:
        return np.array([(i, int(self.random.integers(i))) for i in range(1, n)], int).reshape(-1, 2)

    def pick(self, *options: Any) -> Any:
        return options[int(self.random.integers(len(options)))]


def potts(d: Dice) -> hh.FactorGraph:
    edges = d.edges(4)
    return hh.FactorGraph(d.unary(4, 3), edges, d.strengths(len(edges)))


def binary(d: Dice) -> hh.FactorGraph:
    edges = d.edges(5)
    return hh.FactorGraph(d.unary(5, 2), edges, d.scores(len(edges), 2, 2))


def implications(d: Dice) -> hh.FactorGraph:
    """Two labels that prefer to agree, not the same way in both directions; label 1 at some requires it at others."""
    edges, ways = d.edges(5), d.tree(5)
    tables = np.zeros((len(edges), 2, 2))
    tables[:, 0, 1], tables[:, 1, 0] = -d.strengths(len(edges)), -d.strengths(len(edges))
    model = hh.FactorGraph(d.scores(5, 2), edges, tables)
    return model.forbid([(i, 1, j, 0) for i, j in ways]) if d.forbid else model


def shared_table(d: Dice) -> hh.FactorGraph:
    return hh.FactorGraph(d.unary(4, 3), d.edges(4), d.scores(3, 3))


def edge_tables(d: Dice) -> hh.FactorGraph:
    edges = d.edges(4)
    tables = d.scores(len(edges), 3, 3)
    if d.forbid and len(edges):
        tables[0, 0, 1:] = -np.inf  # a hard pair, with a way out
    return hh.FactorGraph(d.scores(4, 3), edges, tables)


def ragged(d: Dice) -> hh.FactorGraph:
    counts = [2, 3, 1, 4]
    edges = d.edges(4)
    tables = [d.scores(counts[i], counts[j]) for i, j in edges]
    return hh.FactorGraph([d.unary(c) for c in counts], edges, tables or 0.0)


def with_cliques(d: Dice) -> hh.FactorGraph:
    edges = d.edges(4, 0.4)
    cliques = [([0, 2, 3], d.scores(2, 2, 2)), ([1], d.scores(2)), ([3, 1], d.scores(2, 2))]
    return hh.FactorGraph(d.unary(4, 2), edges, d.strengths(len(edges)), cliques)


def parallel_edges(d: Dice) -> hh.FactorGraph:
    edges = np.array([[0, 1], [1, 0], [1, 2], [0, 1]])
    return hh.FactorGraph(d.unary(3, 3), edges, d.scores(4, 3, 3))


def forest(d: Dice) -> hh.FactorGraph:
    edges = d.tree(5)[:-1]  # two parts
    return hh.FactorGraph(d.unary(5, 2), edges, d.scores(len(edges), 2, 2))


def potts_tree(d: Dice) -> hh.FactorGraph:
    return hh.FactorGraph(d.unary(4, 3), d.tree(4), d.strengths(3))


def no_edges(d: Dice) -> hh.FactorGraph:
    return hh.FactorGraph(d.unary(3, 3))


def one_variable(d: Dice) -> hh.FactorGraph:
    return hh.FactorGraph(d.unary(1, 4))


def one_label(d: Dice) -> hh.FactorGraph:
    return hh.FactorGraph(d.scores(3, 1), d.tree(3), d.strengths(2))


def chain(d: Dice) -> hh.Chain:
    return hh.Chain(d.unary(4, 3), d.scores(3, 3) if d.ties else d.scores(3, 3, 3))


def grid4(d: Dice) -> hh.Grid:
    return hh.Grid(d.unary(2, 3, 2), (d.strengths(4).reshape(2, 2), d.strengths(3).reshape(1, 3)))


def strip(d: Dice) -> hh.Grid:
    """One row: a row of labels has the shape of one labeling."""
    return hh.Grid(d.unary(1, 5, 2), float(d.strengths(1)[0]))


def grid8(d: Dice) -> hh.Grid:
    return hh.Grid(d.unary(2, 2, 3), hh.contrast(d.random.random((2, 2)), 2.0), connectivity=8)


def volume(d: Dice) -> hh.Grid:
    return hh.Grid(d.unary(1, 2, 3, 2), float(d.strengths(1)[0]), connectivity=26 if d.ties else 6)


def spanning_tree(d: Dice) -> hh.SpanningTree:
    edges = np.concatenate([d.tree(4), d.tree(4)])  # some parallel
    weights = d.scores(6)
    if d.forbid:
        weights[3:][d.random.random(3) < 0.3] = -np.inf
    shuffled = d.random.permutation(6)
    return hh.SpanningTree(edges[shuffled], weights[shuffled])


def graph_matching(d: Dice) -> hh.GraphMatching:
    edges = np.concatenate([d.tree(5), d.tree(4)])  # some parallel
    return hh.GraphMatching(edges, d.unary(7, 2)[:, 1])


def perfect_matching(d: Dice) -> hh.GraphMatching:
    edges = np.array([(0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2), (1, 0)])
    weights = d.unary(7, 2)[:, 1]
    weights[:2] = d.scores(2)  # a perfect matching
    shuffled = d.random.permutation(7)
    return hh.GraphMatching(edges[shuffled], weights[shuffled], perfect=True)


def matching(d: Dice) -> hh.Matching:
    return hh.Matching(d.with_gaps(d.scores(3, 4)))


def partial_matching(d: Dice) -> hh.Matching:
    return hh.Matching(d.unary(3, 2), unmatched=d.scores(3))


def arborescence(d: Dice) -> hh.Arborescence:
    return hh.Arborescence(d.with_gaps(d.scores(3, 4)), single_root=bool(d.random.random() < 0.5))


def relations(d: Dice) -> hh.Arborescence:
    return hh.Arborescence(d.with_gaps(d.scores(2, 3, 2)), single_root=bool(d.random.random() < 0.5))


def _lengths(d: Dice, count: int) -> np.ndarray:
    lengths = np.abs(d.scores(count))
    if d.forbid:
        lengths[2:][d.random.random(count - 2) < 0.2] = np.inf
    return lengths


def directed_path(d: Dice) -> hh.Path:
    edges = np.array([(0, 1), (1, 4), (1, 2), (2, 1), (0, 3), (3, 2), (2, 4), (3, 1), (1, 3), (0, 1)])
    return hh.Path(edges, _lengths(d, 10), 0, 4)


def undirected_path(d: Dice) -> hh.Path:
    edges = np.array([(0, 1), (3, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 0), (2, 1)])
    return hh.Path(edges, _lengths(d, 8), 0, 3, directed=False)


def acyclic_path(d: Dice) -> hh.Path:
    edges = np.array([(0, 1), (1, 4), (0, 2), (2, 1), (2, 4), (0, 3), (3, 4), (2, 3), (1, 4)])
    lengths = -d.unary(9, 2)[:, 1]
    lengths[:2] = -d.scores(2)  # a route
    return hh.Path(edges, lengths, 0, 4)


def automaton(d: Dice) -> hh.Automaton:
    """Strings of up to three symbols, some of which can be read in two ways; an arc that reads nothing."""
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
    scores = d.unary(10, 2)[:, 1]
    scores[:3] = d.scores(3)  # a string
    return hh.Automaton(arcs, scores, {4: 0.0, 2: float(d.scores(1)[0])})


def grammar(d: Dice) -> hh.Cfg:
    """Three words and two symbols, or the five bracketings of four words."""
    if d.ties:
        return hh.Cfg(d.scores(4, 1), [(0, 0, 0)], d.scores(1))
    words, scores = d.unary(3, 2), d.unary(4, 2)[:, 1]
    words[:, 1], scores[:2] = d.scores(3), d.scores(2)  # a parse
    return hh.Cfg(words, [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 0)], scores)  # no two parses have the same rules


class Knapsack:
    """A user's own solver: what fits into a knapsack, by trying everything."""

    def __init__(self, worth: np.ndarray, weights: np.ndarray, room: float, bounded: bool) -> None:
        self.worth, self.weights, self.room, self.bounded = worth, weights, room, bounded
        self.every = np.array(list(itertools.product((0, 1), repeat=worth.size)), np.int32)

    def score(self, y: np.ndarray) -> float:
        return float(self.worth @ y) if self.weights @ y <= self.room else -np.inf

    def solve(self, added: np.ndarray):
        values = np.array([self.score(y) + added[np.arange(y.size), y].sum() for y in self.every])
        if values.max() == -np.inf:
            return None
        best = self.every[values.argmax()]
        return (best, float(values.max() + np.abs(self.worth).max())) if self.bounded else best


def own_solver(d: Dice) -> hh.Structure:
    room = 1.0 + float(d.random.integers(1, 6))
    sack = Knapsack(d.scores(5), d.random.integers(1, 4, 5).astype(float), room, bounded=d.forbid)
    return hh.Structure(sack.solve, sack.score, [2] * 5)


def program(d: Dice) -> hh.Program:
    """A binary program, an integer column among them."""
    limits = d.random.integers(0, 3, (2, 5)).astype(float)
    bounds = (np.array([0, 0, 0, 0, -1.0]), np.array([1, 1, 1, 1, 1.0]))
    return hh.Program(-d.scores(5), bounds=bounds, constraints=[(limits[:1], -np.inf, 3.0), (limits[1:], -1.0, 5.0)])


def mixed_program(d: Dice) -> hh.Program:
    """What is sold is real, and needs what is opened."""
    gains, room = d.scores(6), 1.0 + d.random.integers(0, 3)
    links = np.hstack([-room * np.eye(3), np.eye(3)])
    whole, bounds = [1, 1, 1, 0, 0, 0], (np.zeros(6), np.array([1, 1, 1, 4, 4, 4.0]))
    rows = [(links, -np.inf, 0.0), (np.array([[0, 0, 0, 1, 1, 1.0]]), 0.0, 4.0)]
    return hh.Program(gains, whole, bounds, rows, maximize=True)


STRUCTURES: dict[str, Callable[[Dice], hh.Model]] = {
    f.__name__: f
    for f in (
        potts, binary, implications, shared_table, edge_tables, ragged, with_cliques, parallel_edges, forest,
        potts_tree, no_edges, one_variable, one_label, chain, grid4, strip, grid8, volume, spanning_tree,
        graph_matching, perfect_matching, matching, partial_matching, arborescence, relations,
        directed_path, undirected_path, acyclic_path, automaton, grammar, own_solver, program,
        mixed_program,
    )
}  # fmt: skip
WITHOUT_EDGES = {
    "spanning_tree", "graph_matching", "perfect_matching", "matching", "partial_matching", "arborescence", "relations",
    "directed_path", "undirected_path", "acyclic_path", "automaton", "grammar", "own_solver",
    "program", "mixed_program",
}  # fmt: skip


@st.composite
def dice(draw: st.DrawFn) -> Dice:
    return Dice(draw(draws()), draw(st.booleans()), draw(st.booleans()), draw(st.sampled_from([0.0, 0.0, 4.0, -4.0])))


def seeded(name: str) -> Dice:
    """The same dice for the same name. hypothesis would try zeros first, and with few examples little else."""
    random = np.random.default_rng(crc32(name.encode()))
    return Dice(random, bool(random.integers(2)), bool(random.integers(2)), float(random.choice([0.0, 0.0, 4.0, -4.0])))


THOROUGH = int(os.environ.get("HEDGEHOP_THOROUGH", "0"))  # examples per cell; 0: a few, the same every time


def examples(few: int) -> settings:
    return settings(
        max_examples=THOROUGH or few,
        derandomize=not THOROUGH,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
