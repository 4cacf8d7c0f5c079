# SPDX-License-Identifier: BSD-3-Clause
"""Bounds on the log partition of models with cycles, and the marginals that go with them.

Above: log Z is convex, so ``log Z(theta) <= sum_k log Z(theta_k) / K`` for forests with ``theta = sum_k theta_k / K``
(Wainwright, Jaakkola, Willsky 2005). Below: ``log Z >= E_q[score] + H(q)`` for independent variables (mean field),
and ``log Z >= score(y)`` for every y. Both hold after any number of rounds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles
from hedgehop.models import PairwiseModel
from hedgehop.models.pairwise import Edges
from hedgehop.probabilities.exact import scaled
from hedgehop.probabilities.pairs import expected_pairs, scaled_pairs

_MOST_ROUNDS = 40
_MEAN_FIELD_STEP = 0.5
_AGREED = 1e-3  # marginals of forests that differ by less agree


def tree_reweighted(model: PairwiseModel, scale: float) -> tuple[float, Doubles]:
    """An upper bound on the log partition of a model with pairs, and (n, L) marginals.

    Forests take turns to be moved towards the mean of their marginals; a move that does not lower the bound is taken
    back and halved.
    """
    forests = forests_of(model.n_variables, model.edges)
    unary = scaled(model.unary, scale)
    pairs = [scaled_pairs(model, len(forests) * scale, forest) for forest in forests]
    moves, step = np.zeros((len(forests), *unary.shape)), 1.0
    bound, chances = _bound(unary, moves, pairs)
    for _ in range(_MOST_ROUNDS):
        mean = chances.mean(axis=0)
        if np.abs(chances - mean).max() < _AGREED or step < 2.0**-6:
            break
        tried = moves + step * (mean - chances) * 2.0
        lower, others = _bound(unary, tried, pairs)
        if lower < bound:
            moves, bound, chances, step = tried, lower, others, min(1.2 * step, 8.0)
        else:
            step /= 2.0
    return bound, chances.mean(axis=0)


def _bound(unary: Doubles, moves: Doubles, pairs: list[_core.Pairs]) -> tuple[float, Doubles]:
    sums = [_core.probabilities.forest_marginals(unary + move, p) for move, p in zip(moves, pairs, strict=True)]
    return float(np.mean([total for total, _ in sums])), np.array([chances for _, chances in sums])


def forests_of(n: int, edges: Edges) -> list[NDArray[np.intp]]:
    """Edges by forest, each in just one: take a spanning forest of what is left until nothing is."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    left, forests = np.arange(len(edges)), []
    while left.size:
        i, j = np.sort(edges[left], axis=1).T
        _, first = np.unique(i.astype(np.int64) * n + j, return_index=True)  # of parallel edges
        graph = csr_array((first + 1.0, (i[first], j[first])), shape=(n, n))
        kept = minimum_spanning_tree(graph).tocoo().data.astype(np.intp) - 1
        forests.append(np.sort(left[kept]))
        left = np.delete(left, kept)
    return forests


def mean_field(model: PairwiseModel, scale: float, chances: Doubles) -> float:
    """A lower bound on the log partition, from independent variables that begin with some chances."""
    allowed = np.arange(model.n_labels) < model.label_counts[:, None]
    unary = np.where(allowed, scaled(model.unary, scale), -np.inf)
    finite = np.where(np.isneginf(unary), 0.0, unary)
    best, q = float(-np.inf), np.where(np.isneginf(unary), 0.0, chances)
    q = q / q.sum(axis=1, keepdims=True)
    for _ in range(_MOST_ROUNDS):
        field, pairs = expected_pairs(model, q)
        entropy = -float(np.sum(q * np.log(np.where(q > 0, q, 1.0))))
        best = max(best, float(np.sum(q * finite)) + scale * pairs + entropy)
        logits = unary + scale * field
        new = np.exp(logits - logits.max(axis=1, keepdims=True))
        q = (1.0 - _MEAN_FIELD_STEP) * q + _MEAN_FIELD_STEP * new / new.sum(axis=1, keepdims=True)
    return best
