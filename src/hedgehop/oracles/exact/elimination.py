# SPDX-License-Identifier: BSD-3-Clause
"""Variable elimination: exact on graphs of small width, whatever the scores are.

Time and memory grow with the labelings of the widest set of variables that have to be looked at together, not with
the number of variables: a grid of 8 x 100 pixels, a pedigree, a ring, cliques that overlap little.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models import Model, PairwiseModel
from hedgehop.models.elimination import MOST_CELLS, scopes
from hedgehop.models.pairwise import EdgeTables
from hedgehop.oracles.exact.linear import LinearOracle
from hedgehop.oracles.folding import changed_unary, fold, not_linear
from hedgehop.potentials import Potential


class Elimination(LinearOracle[PairwiseModel]):
    """Adds up all factors that name a variable, maximises over it, and continues with what is left (C++).

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> ring = hh.FactorGraph([[0.0, 0.1]] * 3, edges=[[0, 1], [1, 2], [2, 0]], pairwise=[[0.0, 1.0], [1.0, 0.0]])
    >>> step = hh.best(ring, oracle=hh.oracles.Elimination())
    >>> step.value, step.exact
    (2.2, True)
    """

    name = "elimination"
    summary = "variable elimination; exact on graphs of small width, cliques included, with linear potentials"
    structure = PairwiseModel

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse other models, wide graphs, and potentials that are not linear."""
        if not isinstance(model, PairwiseModel):
            return f"{type(model).__name__} has no unary and pairwise scores"
        reason = not_linear(model, potentials)
        if reason is not None or model.elimination_order is not None:
            return reason
        return f"its tables would have more than 2^{MOST_CELLS.bit_length() - 1} cells: the graph is too wide"

    def _argmax(self, model: PairwiseModel, scores: Doubles, rest: Sequence[Potential]) -> tuple[Labels, float]:
        assert model.elimination_order is not None  # see `refusal`
        tables, _ = factor_tables(model, scores)
        return _core.graphs.eliminate(model.label_counts, *scopes(model), tables, model.elimination_order)


def factor_tables(model: PairwiseModel, unary: Doubles) -> tuple[Doubles, NDArray[np.int64]]:
    """Scores of all factors end to end, in the order of their scopes, and where each begins."""
    counts = model.label_counts
    allowed = np.arange(model.n_labels) < counts[:, None]
    if isinstance(model.pairwise, EdgeTables) and allowed.all():  # end to end as they are
        pairs = [model.pairwise.end_to_end().astype(np.float64)]
        of_pairs = model.pairwise.sizes.tolist()
    else:
        pairs = [
            model.pairwise.table(e, int(counts[i]), int(counts[j])).reshape(-1) for e, (i, j) in enumerate(model.edges)
        ]
        of_pairs = [table.size for table in pairs]
    cliques = [np.asarray(clique.table, np.float64).reshape(-1) for clique in model.cliques]
    sizes = [*counts.tolist(), *of_pairs, *(table.size for table in cliques)]
    begins = np.cumsum([0, *sizes], dtype=np.int64)
    return np.concatenate([unary[allowed], *pairs, *cliques]), begins


def loosest_bound(model: PairwiseModel, potentials: Sequence[Potential]) -> float:
    """Return what the best scores of all factors add up to."""
    theta, constant, _ = fold(model, potentials)
    tables, cells = factor_tables(model, changed_unary(model, theta))
    return fsum(np.maximum.reduceat(tables, cells[:-1])) + constant
