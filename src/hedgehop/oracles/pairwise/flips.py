# SPDX-License-Identifier: BSD-3-Clause
"""Flips of paid transitions: starts of moves that no single move reaches (docs/theory.md 11).

``c min(1, k) = min over h in {0, 1} of c h + c (1 - h) k``: a transition is paid for once and free on every edge, or
paid for on every edge (Kohli, Osokin and Jegelka 2013). For given h messages solve the model; from the transitions of
a labeling one is flipped after the other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.pairwise.kernels import pair_tables, pass_messages, table_pairs
from hedgehop.oracles.pairwise.move_weights import MoveWeights
from hedgehop.potentials.transitions import used_transitions

_MOST_ENTRIES = 50_000  # entries of all pairs' tables up to which flips are worth their time
_PASSES_PER_START = 25


def can_flip(model: PairwiseModel, weights: MoveWeights) -> bool:
    """Whether there are transitions that cost, on a model of more than two labels that is small enough."""
    size = len(model.edges) * model.n_labels**2
    costs = any((table < 0).any() for table in weights.pairs.values())
    return costs and size <= _MOST_ENTRIES and bool((model.label_counts == model.n_labels).all()) and model.n_labels > 2


def flipped(model: PairwiseModel, theta: Doubles | None, weights: MoveWeights, labeling: Labels) -> Iterator[Labels]:
    """Yield labelings in which one transition that `labeling` pays for is avoided, or another one is free."""
    ordered, table = next(iter(weights.pairs.items()))
    costs = np.minimum(0.0, table) * (1.0 - np.eye(model.n_labels))
    paid = used_transitions(model, labeling.reshape(1, -1), model.n_labels, ordered)[0]
    rows, columns = np.nonzero(costs if ordered else np.triu(costs))
    tables = pair_tables(model)
    for k in np.argsort(~paid[rows, columns], kind="stable"):  # those that are paid for first
        a, b = rows[k], columns[k]
        free = paid.copy()
        free[a, b] = not free[a, b]
        if not ordered:
            free[b, a] = free[a, b]
        prices = np.where(free, 0.0, costs)
        messages = _core.trws.Trws(model.unary, table_pairs(model, tables + prices))
        yield pass_messages(messages, model, theta, _PASSES_PER_START)[0].reshape(-1)
