# SPDX-License-Identifier: BSD-3-Clause
"""DIMACS maximum-flow problems, as models of two labels: 0 on the source's side of the cut, 1 on the sink's.

An arc u -> v of capacity c costs c where u has label 0 and v label 1, so the best value is minus the maximum flow.
Source and sink are no variables; the other nodes keep their order. Capacities are whole, as other programs expect:
a comment says how scores were scaled, and what they lost, so that reading the file gives them back.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from io import BytesIO

import numpy as np

from hedgehop._arrays import Doubles, own
from hedgehop.io.file_access import MAX_BYTES, FilePath, read_blocks, write_text
from hedgehop.io.formats.factors import LARGEST_COUNT, ScoreLimit
from hedgehop.models import EdgeTables, FactorGraph, PairwiseModel

_LARGEST_CAPACITY = 2**31 - 1
_UNITS = "c hedgehop scale"  # then a number of units, "constant" and what all scores lack


@dataclass
class _Problem:
    """What the lines of a file say."""

    nodes: int = 0
    ends: dict[str, int] = field(default_factory=dict)
    tails: array[int] = field(default_factory=lambda: array("q"))
    heads: array[int] = field(default_factory=lambda: array("q"))
    capacities: array[float] = field(default_factory=lambda: array("d"))
    scale: float = 1.0
    constant: float = 0.0

    def add(self, line: str) -> None:
        """Read one line."""
        words = line.split()
        if words[:2] == ["p", "max"] and len(words) == 4 and not self.nodes:
            self.nodes = _within(words[2], 2, LARGEST_COUNT)
        elif words[:1] == ["n"] and len(words) == 3 and words[2] in ("s", "t"):
            self.ends[words[2]] = _within(words[1], 1, self.nodes) - 1
        elif words[:1] == ["a"] and len(words) == 4:
            self.tails.append(_within(words[1], 1, self.nodes) - 1)
            self.heads.append(_within(words[2], 1, self.nodes) - 1)
            self.capacities.append(_capacity(words[3]))
        elif line.startswith(_UNITS) and len(words) == 6:
            self.scale, self.constant = _capacity(words[3]), float(words[5])
        elif words and words[0] != "c":
            raise ValueError("lines are 'p max nodes arcs', 'n node s', 'n node t' or 'a from to capacity'")


def read(path: FilePath, *, max_bytes: int = MAX_BYTES) -> FactorGraph:
    """Read a maximum-flow problem."""
    text, found = b"".join(read_blocks(path, max_bytes)), _Problem()
    limit = ScoreLimit(len(text), max_bytes)
    for number, line in enumerate(BytesIO(text), 1):
        shown = line.decode("ascii", "replace")
        try:
            found.add(shown)
            problem = limit.problem(2.0 * found.nodes, f"{found.nodes} nodes")
            if problem:
                raise ValueError(problem)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}; got {shown.strip()[:40]!r}.") from None
    ends = found.ends
    if len(ends) != 2 or ends["s"] == ends["t"] or found.nodes < 3:
        raise ValueError(f"{path} must have a source, another node as sink, and at least one node between them.")
    if not (found.scale > 0 and np.isfinite(found.constant)):
        raise ValueError(f"{path} must have a scale above 0 and a finite constant, or none.")
    return _model(found)


def _within(word: str, low: int, high: int) -> int:
    value = int(word) if word.isdecimal() and len(word) < 20 else -1
    if not low <= value <= high:
        raise ValueError(f"{word[:20]!r} must be a whole number {low}..{high}")
    return value


def _capacity(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = np.nan
    if not 0 <= value < np.inf:
        raise ValueError("a capacity must be finite and >= 0")
    return value


def _model(found: _Problem) -> FactorGraph:
    nodes, source, sink = found.nodes, found.ends["s"], found.ends["t"]
    tails, heads = np.frombuffer(found.tails, np.int64), np.frombuffer(found.heads, np.int64)
    capacities = np.frombuffer(found.capacities, np.float64) / found.scale
    numbers = np.arange(nodes) - (np.arange(nodes) > source) - (np.arange(nodes) > sink)
    unary = np.zeros((nodes - 2, 2))
    useful = (tails != heads) & (heads != source) & (tails != sink)  # the others are never cut
    first, last = useful & (tails == source), useful & (heads == sink)
    direct = float(capacities[first & last].sum())
    for chosen, end, label in ((first & ~last, heads, 1), (last & ~first, tails, 0)):
        unary[:, label] -= np.bincount(numbers[end[chosen]], capacities[chosen], minlength=nodes - 2)
    unary[0] += found.constant - direct
    inner = useful & ~first & ~last
    edges = np.stack([numbers[tails[inner]], numbers[heads[inner]]], axis=1)
    tables = np.zeros((len(edges), 2, 2))
    tables[:, 0, 1] = -capacities[inner]
    two = np.full(len(edges), 2)
    return FactorGraph(own(unary), edges, EdgeTables.packed(own(tables.ravel()), two, two))


def write(model: PairwiseModel, path: FilePath) -> None:
    """Write a model of two labels whose edges prefer equal labels; scores become whole capacities."""
    unary, forward, backward, constant = _capacities(model)
    n, edges = model.n_variables, model.edges
    nodes = np.arange(1, n + 1)
    tails = np.concatenate([np.full(n, n + 1), nodes, edges[:, 0] + 1, edges[:, 1] + 1])
    heads = np.concatenate([nodes, np.full(n, n + 2), edges[:, 1] + 1, edges[:, 0] + 1])
    flat = np.concatenate([unary[:, 1], unary[:, 0], forward, backward])
    scale = _scale(flat, constant)
    whole = np.rint(flat * scale).astype(np.int64)
    kept = np.flatnonzero(whole > 0)
    rows = zip(tails[kept].tolist(), heads[kept].tolist(), whole[kept].tolist(), strict=True)
    units = [] if (scale, constant) == (1, 0) else [f"{_UNITS} {scale!r} constant {constant!r}"]
    header = [*units, f"p max {n + 2} {kept.size}", f"n {n + 1} s", f"n {n + 2} t"]
    write_text(path, "\n".join([*header, *(f"a {u} {v} {c}" for u, v, c in rows), ""]))


def _capacities(model: PairwiseModel) -> tuple[Doubles, Doubles, Doubles, float]:
    """Costs >= 0 of both labels of each variable, of (0, 1) and (1, 0) on each edge, and what all scores lack."""
    if model.n_labels != 2 or (model.label_counts != 2).any() or model.cliques:
        raise ValueError(f"a .max file holds models of two labels without cliques; got {model}. Use .cfn instead.")
    n_edges = len(model.edges)
    costs = 0.0 - model.unary.astype(np.float64)
    tables = 0.0 - np.array([model.pairwise.table(e, 2, 2) for e in range(n_edges)]).reshape(n_edges, 2, 2)
    if not (np.isfinite(costs).all() and np.isfinite(tables).all()):
        raise ValueError("a .max file holds finite scores; got -inf. Use .cfn instead.")
    gain = tables[:, 1, 1] - tables[:, 0, 0]  # moved to one end: then equal labels cost the same
    np.add.at(costs[:, 1], model.edges[:, 1], gain)
    forward, backward = tables[:, 0, 1] - tables[:, 0, 0] - gain, tables[:, 1, 0] - tables[:, 0, 0]
    excess = np.minimum(backward, 0.0) - np.minimum(forward, 0.0)  # moved between the two
    np.add.at(costs[:, 1], model.edges[:, 0], excess)
    np.add.at(costs[:, 1], model.edges[:, 1], -excess)
    forward, backward = forward + excess, backward - excess
    rounding = 1e-12 * float(np.abs(tables).max(initial=0.0))
    if n_edges and min(forward.min(), backward.min()) < -rounding:
        raise ValueError("a .max file holds edges that prefer equal labels; one does not. Use .cfn instead.")
    least = np.zeros(len(costs)) if costs.min() >= 0 else costs.min(axis=1)
    constant = -float(tables[:, 0, 0].sum() + least.sum())
    return costs - least[:, None], np.maximum(forward, 0.0), np.maximum(backward, 0.0), constant


def _scale(capacities: Doubles, constant: float) -> float:
    """1 if all capacities are whole, otherwise the largest power of two that keeps them in 31 bits."""
    most = float(capacities.max(initial=0.0))
    if most <= _LARGEST_CAPACITY and (capacities == np.floor(capacities)).all():
        return 1.0
    return float(2.0 ** np.floor(np.log2(_LARGEST_CAPACITY / most)))
