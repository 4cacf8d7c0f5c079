# SPDX-License-Identifier: BSD-3-Clause
"""Automata and routes without cycles as ways through a graph, whose sums and samples are exact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Ints, Labels, own
from hedgehop.models import Automaton, Model, Path


@dataclass(frozen=True, eq=False)
class Ways:
    """Ways from node 0 of a graph without cycles; each is a labeling, two may be the same one.

    Attributes
    ----------
    arcs : (E, 2) array
        From and to, which is later, in the order of the first.
    scores, finals : (E,) and (nodes,) arrays
        Log weights of arcs, and of ends.
    variables, labels : (E,) arrays
        What an arc labels; variable -1 if nothing.
    shape : (n, L)
        Numbers of variables and labels.
    default : int
        The label of variables that a way does not label.
    base : float
        What every way adds.
    """

    arcs: Labels
    scores: Doubles
    finals: Doubles
    variables: Ints
    labels: Ints
    shape: tuple[int, int]
    default: int
    base: float = 0.0

    def sums(self) -> tuple[float, Doubles]:
        """Return the log of the total weight, and how likely a way gives each label to each variable, (n, L)."""
        total, _, _, chances = _core.probabilities.way_sums(self.arcs, self.scores, self.finals)
        n, width = self.shape
        labelled = self.variables >= 0
        cells = self.variables[labelled] * width + self.labels[labelled]
        table = np.bincount(cells, chances[labelled], n * width).reshape(n, width)
        left = 1.0 - table.sum(axis=1)
        table[:, self.default] += np.where(left > 1e-12, left, 0.0)
        return self.base + total, table / table.sum(axis=1, keepdims=True)

    def sample(self, k: int, seed: int) -> Labels:
        """Return labelings of k ways that are drawn with chances proportional to their weights, (k, n)."""
        _, given, ending, _ = _core.probabilities.way_sums(self.arcs, self.scores, self.finals)
        first = np.searchsorted(self.arcs[:, 0], np.arange(len(self.finals) + 1))
        reached = np.concatenate([[0.0], np.cumsum(given)])
        last = np.concatenate([[-1], np.maximum.accumulate(np.where(given > 0, np.arange(len(given)), -1))])
        random, drawn = np.random.default_rng(seed), np.full((k, self.shape[0]), self.default, np.int32)
        node, going = np.zeros(k, np.intp), np.arange(k)
        while going.size:
            here = node[going]
            wanted = reached[first[here]] + random.random(going.size)
            taken = np.searchsorted(reached, wanted, "right") - 1
            beyond = taken >= first[here + 1]
            ends = beyond & ((ending[here] > 0) | (last[first[here + 1]] < first[here]))
            taken = np.where(beyond, last[first[here + 1]], taken)[~ends]
            going = going[~ends]
            some = self.variables[taken] >= 0
            drawn[going[some], self.variables[taken[some]]] = self.labels[taken[some]]
            node[going] = self.arcs[taken, 1]
        return own(drawn)


def ways_of(model: Model, scale: float) -> Ways | None:
    """Return the ways of an automaton, or of routes without cycles; None for all other models."""
    if isinstance(model, Automaton):
        return _strings(model, scale)
    if isinstance(model, Path) and model.graph.is_acyclic and not np.isneginf(model.unary[:, 0]).any():
        return _routes(model, scale)
    return None


def has_exact_ways(model: Model) -> bool:
    """Whether the sums over the ways of a model are sums over its labelings."""
    if isinstance(model, Automaton):
        return model.is_unambiguous
    return isinstance(model, Path) and model.graph.is_acyclic and not np.isneginf(model.unary[:, 0]).any()


def _strings(model: Automaton, scale: float) -> Ways:
    arcs, scores, positions, finals = model.chart.unrolled()
    unary = scale * np.asarray(model.unary, np.float64)
    reads = arcs[:, 3] >= 0
    variables = np.where(reads, arcs[:, 2], -1)
    worth = scale * scores
    worth[reads] += unary[arcs[reads, 2], arcs[reads, 3]]
    behind = np.zeros(len(unary) + 1)
    if model.end is not None:
        behind[:-1] = np.cumsum(unary[::-1, model.end])[::-1]
    return Ways(
        np.ascontiguousarray(arcs[:, :2]), worth, scale * finals + behind[positions], variables, arcs[:, 3],
        model.unary.shape, model.n_labels - 1,
    )  # fmt: skip


def _routes(model: Path, scale: float) -> Ways:
    unary = scale * np.asarray(model.unary, np.float64)
    place = _places(model)
    ends = place[model.edges]
    kept = np.flatnonzero((ends >= 0).all(axis=1))
    order = kept[np.argsort(ends[kept, 0], kind="stable")]
    finals = np.full(int(place.max()) + 1, -np.inf)
    finals[place[model.target]] = 0.0
    return Ways(
        np.ascontiguousarray(ends[order], np.int32), unary[order, 1] - unary[order, 0], finals, order,
        np.ones(len(order), np.intp), (model.n_variables, 2), 0, float(unary[:, 0].sum()),
    )  # fmt: skip


def _places(model: Path) -> NDArray[np.intp]:
    """Places of the nodes that routes can reach, in the order of the edges; -1 for all other nodes."""
    leaving: list[list[int]] = [[] for _ in range(model.n_nodes)]
    for start, to in model.edges.tolist():
        leaving[start].append(to)
    reached, arriving = [model.source], np.zeros(model.n_nodes, np.intp)
    seen = {model.source}
    for v in reached:  # grows
        for to in leaving[v]:
            arriving[to] += 1
            if to not in seen:
                seen.add(to)
                reached.append(to)
    place, open_nodes, count = np.full(model.n_nodes, -1), [model.source], 0
    while open_nodes:
        v = open_nodes.pop()
        place[v], count = count, count + 1
        for to in leaving[v]:
            arriving[to] -= 1
            if arriving[to] == 0:
                open_nodes.append(to)
    return place
