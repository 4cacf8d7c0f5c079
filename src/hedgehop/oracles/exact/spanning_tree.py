# SPDX-License-Identifier: BSD-3-Clause
"""Best spanning trees: Kruskal's greedy and, at given distances from one labeling, a sequence of swaps (C++)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models import Model, SpanningTree
from hedgehop.oracles.exact.linear import LinearOracle
from hedgehop.oracles.folding import changed_unary, fold, nonlinear, not_linear
from hedgehop.potentials import Potential
from hedgehop.potentials.distances import whole_distance


class Kruskal(LinearOracle[SpanningTree]):
    """Maximum spanning trees; functions of the distance to one labeling, of any shape, by best swaps.

    Two trees differ in two variables for every edge that is in one only. So the best tree for every distance is the
    best for every number of shared edges, and these follow from each other by one swap each (docs/theory.md 10).

    Examples
    --------
    >>> import hedgehop as hh
    >>> square = hh.SpanningTree(edges=[[0, 1], [1, 2], [2, 3], [3, 0]], weights=[4.0, 3.0, 2.0, 1.0])
    >>> hh.best(square, oracle=hh.oracles.Kruskal()).labeling
    array([1, 1, 1, 0], dtype=int32)
    """

    name = "spanning_tree"
    summary = "Kruskal's greedy on spanning trees; exact, with linear potentials and any function of one distance"
    structure = SpanningTree

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse other structures, and potentials beyond linear ones and distances to one labeling."""
        beyond = None if _one_distance(nonlinear(potentials)) else not_linear(model, potentials)
        return self._other(model) or beyond

    def max_marginals(self, model: Model, potentials: Sequence[Potential]) -> Doubles | None:
        """One call of Kruskal's greedy, and what each edge would replace."""
        theta, constant, rest = fold(model, potentials)
        if rest or not isinstance(model, SpanningTree):
            return None
        scores = changed_unary(model, theta)
        return _core.graphs.spanning_tree_max_marginals(model.n_nodes, model.edges, scores) + constant

    def _argmax(self, model: SpanningTree, scores: Doubles, rest: Sequence[Potential]) -> tuple[Labels, float]:
        if rest:
            return _best_at_a_distance(model, scores, rest)
        return _core.graphs.best_spanning_tree(model.n_nodes, model.edges, scores)


def _one_distance(potentials: Sequence[Potential]) -> bool:
    """Whether all are functions of the distance to the same labeling, all variables counting alike."""
    counts = [count for p in potentials if (count := whole_distance(p)) is not None]
    alike = [np.array_equal(y, counts[0][0]) and bool((weights == weights[:1]).all()) for y, weights, _ in counts]
    return len(counts) == len(potentials) and all(alike)


def _best_at_a_distance(model: SpanningTree, scores: Doubles, potentials: Sequence[Potential]) -> tuple[Labels, float]:
    """Try the best tree at every distance."""
    counts = [count for p in potentials if (count := whole_distance(p)) is not None]
    reference = counts[0][0]
    tree, value, swaps, gains = _core.graphs.spanning_tree_swaps(model.n_nodes, model.edges, scores, reference)
    values = value + np.concatenate([[0.0], np.cumsum(gains)])
    distances = int((tree != reference).sum()) - 2 * np.arange(values.size)  # each swap brings it nearer by two
    for _, weights, table in counts:
        values = values + table[distances * int(weights[0])]
    best = int(np.argmax(values))
    tree[swaps[:best, 0]] = 1
    tree[swaps[:best, 1]] = 0
    return tree, float(values[best])
