# SPDX-License-Identifier: BSD-3-Clause
"""Best matchings of any graph: Edmonds' blossoms with duals in whole numbers (C++)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.structures.graph_matching import GraphMatching
from hedgehop.oracles.exact.linear import LinearOracle
from hedgehop.potentials import Potential

_OUTWEIGHED = 2.0**30  # times all smaller weights: so much that these need digits of their own


class Blossoms(LinearOracle[GraphMatching]):
    """Matchings of largest weight by alternating trees, one per node that is left (Edmonds 1965, Galil 1986).

    Weights become whole numbers of 100 bits, so that small ones count beside huge ones.

    Examples
    --------
    >>> import hedgehop as hh
    >>> path = hh.GraphMatching(edges=[[0, 1], [1, 2], [2, 3]], weights=[2.0, 3.0, 2.0])
    >>> hh.best(path, oracle=hh.oracles.Blossoms()).labeling
    array([1, 0, 1], dtype=int32)
    """

    name = "graph_matching"
    summary = "Edmonds' blossoms on matchings of any graph; exact, with linear potentials"
    structure = GraphMatching

    def _argmax(self, model: GraphMatching, scores: Doubles, rest: Sequence[Potential]) -> tuple[Labels, float]:
        forced, allowed = np.isneginf(scores[:, 0]), ~np.isneginf(scores[:, 1])
        chosen, found = _beside(model, scores, forced, allowed)
        labels = (chosen | forced).astype(np.int32)
        if not found or (forced & ~allowed).any() or not model._allows(labels[None])[0]:
            return labels, -np.inf
        return labels, float(scores[np.arange(labels.size), labels].sum())


def _beside(
    model: GraphMatching, scores: Doubles, forced: NDArray[np.bool_], allowed: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], bool]:
    """Edges of a best matching beside the forced ones, whose nodes are taken, and whether there is one."""
    nodes, places = model.named
    taken = np.zeros(nodes.size, bool)
    taken[places[forced].ravel()] = True
    left = np.cumsum(~taken) - 1  # the others, numbered again
    free = np.flatnonzero(allowed & ~forced & ~taken[places].any(axis=1))
    gains = np.ascontiguousarray(scores[free, 1] - scores[free, 0])
    ends = np.ascontiguousarray(left[places[free]], np.int32)
    chosen, found = np.zeros(len(scores), bool), False
    for some in _without_huge_losses(gains):
        kept, found = _core.graphs.best_matching(int((~taken).sum()), ends[some], gains[some], model.perfect)
        if found:
            chosen[free[some][kept.astype(bool)]] = True
            break
    return chosen, found


def _without_huge_losses(gains: Doubles) -> Iterator[NDArray[np.intp]]:
    """Edges to try, fewest first: those that others outweigh by far are best left out if a matching can do without.

    An edge that loses more than all edges of smaller weight add up to is worse than any of these together. Beside it,
    whole numbers would have no digits left for them.
    """
    order = np.argsort(np.abs(gains), kind="stable")
    sizes = np.abs(gains[order])
    with np.errstate(over="ignore"):  # infinite sums outweigh everything
        smaller = np.concatenate([[0.0], np.cumsum(sizes)[:-1]])
    gainful = np.flatnonzero(gains[order] > 0)
    first = int(gainful[-1]) + 1 if gainful.size else 0  # from here on, all lose
    huge = (smaller > 0) & (sizes / _OUTWEIGHED > smaller) & (np.arange(order.size) >= first)
    for k in np.flatnonzero(huge).tolist():
        yield np.sort(order[:k])
    yield np.arange(gains.size)
