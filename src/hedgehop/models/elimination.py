# SPDX-License-Identifier: BSD-3-Clause
"""The factors of a pairwise model, and the order in which its variables are best eliminated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Labels, own

if TYPE_CHECKING:
    from hedgehop.models.pairwise import PairwiseModel

MOST_CELLS = 2**23  # of all tables together: some tenths of a second
MOST_VARIABLES = 4096  # fill is counted in a matrix of their pairs


def scopes(model: PairwiseModel) -> tuple[Labels, NDArray[np.int64]]:
    """Variables of all factors end to end, and where each begins: every variable alone, edges, cliques."""
    alone = np.arange(model.n_variables, dtype=np.int32)
    cliques = [np.asarray(clique.variables, np.int32) for clique in model.cliques]
    sizes = np.concatenate([np.full(alone.size, 1), np.full(len(model.edges), 2), [c.size for c in cliques]])
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return np.concatenate([alone, model.edges.reshape(-1), *cliques]).astype(np.int32), starts


def elimination_order(model: PairwiseModel) -> Labels | None:
    """Order by the fewest new pairs of neighbours; None where tables grow too large or variables are too many."""
    if model.n_variables > MOST_VARIABLES or int(model.label_counts.max()) > np.iinfo(np.uint16).max:
        return None
    variables, starts = scopes(model)
    order = _core.graphs.elimination_order(model.label_counts, variables, starts, float(MOST_CELLS))
    return own(order) if order.size else None
