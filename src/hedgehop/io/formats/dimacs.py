# SPDX-License-Identifier: BSD-3-Clause
"""DIMACS maximum-flow problems, as models of two labels: 0 on the source's side of the cut, 1 on the sink's.

An arc u -> v of capacity c costs c where u has label 0 and v label 1, so the best value is minus the maximum flow.
Source and sink are no variables; the other nodes keep their order.
"""

from __future__ import annotations

import numpy as np

from hedgehop._arrays import Doubles, own
from hedgehop.io.file_access import MAX_BYTES, FilePath, read_blocks, write_text
from hedgehop.models import EdgeTables, FactorGraph, PairwiseModel

_MOST_NODES = 2**28
_Arcs = tuple[list[int], list[int], list[float]]


def read(path: FilePath, *, max_bytes: int = MAX_BYTES) -> FactorGraph:
    """Read a maximum-flow problem."""
    nodes, ends, arcs = 0, {}, ([], [], [])  # type: tuple[int, dict[str, int], _Arcs]
    text = b"".join(read_blocks(path, max_bytes)).decode("ascii", "replace")
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        try:
            if words[:2] == ["p", "max"] and len(words) == 4 and not nodes:
                nodes = _within(words[2], 2, _MOST_NODES)
            elif words[:1] == ["n"] and len(words) == 3 and words[2] in ("s", "t"):
                ends[words[2]] = _within(words[1], 1, nodes) - 1
            elif words[:1] == ["a"] and len(words) == 4:
                arcs[0].append(_within(words[1], 1, nodes) - 1)
                arcs[1].append(_within(words[2], 1, nodes) - 1)
                arcs[2].append(_capacity(words[3]))
            elif words and words[0] != "c":
                raise ValueError("lines are 'p max nodes arcs', 'n node s', 'n node t' or 'a from to capacity'")
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}; got {line.strip()[:40]!r}.") from None
    if len(ends) != 2 or ends["s"] == ends["t"] or nodes < 3:
        raise ValueError(f"{path} must have a source, another node as sink, and at least one node between them.")
    return _model(nodes, ends["s"], ends["t"], arcs)


def _within(word: str, low: int, high: int) -> int:
    value = int(word) if word.isdecimal() and len(word) < 20 else -1
    if not low <= value <= high:
        raise ValueError(f"{word[:20]!r} must be a whole number {low}..{high}")
    return value


def _capacity(word: str) -> float:
    value = float(word)
    if not 0 <= value < np.inf:
        raise ValueError("a capacity must be finite and >= 0")
    return value


def _model(nodes: int, source: int, sink: int, arcs: _Arcs) -> FactorGraph:
    tails, heads, capacities = np.array(arcs[0], np.int64), np.array(arcs[1], np.int64), np.array(arcs[2])
    numbers = np.cumsum(~np.isin(np.arange(nodes), (source, sink))) - 1
    unary = np.zeros((nodes - 2, 2))
    useful = (tails != heads) & (heads != source) & (tails != sink)  # the others are never cut
    first, last = useful & (tails == source), useful & (heads == sink)
    direct = float(capacities[first & last].sum())
    for chosen, end, label in ((first & ~last, heads, 1), (last & ~first, tails, 0)):
        unary[:, label] -= np.bincount(numbers[end[chosen]], capacities[chosen], minlength=nodes - 2)
    unary[0] -= direct
    inner = useful & ~first & ~last
    edges = np.stack([numbers[tails[inner]], numbers[heads[inner]]], axis=1)
    tables = np.zeros((len(edges), 2, 2))
    tables[:, 0, 1] = -capacities[inner]
    two = np.full(len(edges), 2)
    return FactorGraph(own(unary), edges, EdgeTables.packed(own(tables.ravel()), two, two))


def write(model: PairwiseModel, path: FilePath) -> None:
    """Write a model of two labels whose scores are capacities: at most 0, whole, and 0 where ends agree."""
    n, tables = model.n_variables, _checked(model)
    arcs = [(n + 1, i + 1, -model.unary[i, 1]) for i in range(n)]
    arcs += [(i + 1, n + 2, -model.unary[i, 0]) for i in range(n)]
    for (i, j), table in zip(model.edges.tolist(), tables, strict=True):
        arcs += [(i + 1, j + 1, -table[0, 1]), (j + 1, i + 1, -table[1, 0])]
    lines = [f"a {u} {v} {capacity:.0f}" for u, v, capacity in arcs if capacity > 0]
    header = [f"p max {n + 2} {len(lines)}", f"n {n + 1} s", f"n {n + 2} t"]
    write_text(path, "\n".join([*header, *lines, ""]))


def _checked(model: PairwiseModel) -> list[Doubles]:
    """Tables of the edges, if a flow problem can hold the model."""
    if model.n_labels != 2 or (model.label_counts != 2).any() or model.cliques:
        raise ValueError(f"a .max file holds models of two labels without cliques; got {model}. Use .cfn instead.")
    tables = [model.pairwise.table(e, 2, 2) for e in range(len(model.edges))]
    values = np.concatenate([model.unary.ravel(), *(t.ravel() for t in tables)])
    agree = [t[k, k] for t in tables for k in (0, 1)]
    if not np.isfinite(values).all() or (values > 0).any() or (values != np.floor(values)).any() or any(agree):
        raise ValueError("a .max file holds whole scores <= 0, and 0 where ends of an edge agree. Use .cfn instead.")
    return tables
