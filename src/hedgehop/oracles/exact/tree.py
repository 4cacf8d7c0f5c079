# SPDX-License-Identifier: BSD-3-Clause
"""Max-sum on forests: exact in one pass over the edges, O(n L) for Potts and O(n L^2) for tables.

With a function of one count (the distance to one labeling, of any shape) the pass keeps the best score for every
count, O(n^2 L) and O(n^2 L^2) (docs/theory.md 6).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models import Model, PairwiseModel
from hedgehop.models.unary import most_labels
from hedgehop.oracles.base import Step
from hedgehop.oracles.conditioning import can_condition
from hedgehop.oracles.exact.linear import LinearOracle, refuse_infeasible
from hedgehop.oracles.exactness import meets
from hedgehop.oracles.folding import changed_unary, fold, nonlinear, not_linear, not_pairwise
from hedgehop.potentials import Linear, Potential
from hedgehop.potentials.distances import one_count

_MOST_TABLE_CELLS = 2**25  # of all tables of counts together: 256 MB
_MOST_ADDED_PAIRS = 2**28  # of counts that are added


class Tree(LinearOracle[PairwiseModel]):
    """Dynamic programming on models whose edges form a forest (C++).

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> chain = hh.Chain(emissions=[[2.0, 0.0], [0.0, 1.0], [0.0, 2.0]], transitions=np.eye(2))
    >>> hh.best(chain, oracle=hh.oracles.Tree()).labeling
    array([0, 1, 1], dtype=int32)
    """

    name = "tree"
    summary = "max-sum on forests (chains, trees, no edges); exact, with linear potentials and functions of one count"
    structure = PairwiseModel

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse cycles, cliques, and potentials beyond linear ones and functions of one count."""
        reason = not_pairwise(model) or _beyond_one_count(model, potentials)
        if reason is not None:
            return reason
        assert isinstance(model, PairwiseModel)
        return None if model.is_forest else "the model's edges contain a cycle"

    def maximize(self, model: Model, potentials: Sequence[Potential]) -> Step:
        """One call for a change of the unaries; with functions of counts, as other structures."""
        if len(potentials) != 1 or type(potentials[0]) is not Linear or not can_condition(model):
            return super().maximize(model, potentials)
        assert isinstance(model, PairwiseModel)
        unary = np.ascontiguousarray(model.unary, np.float64)
        change = np.ascontiguousarray(potentials[0].theta)
        labeling, bound, relevance, added = _core.graphs.forest_step(unary, change, model.pairs)
        refuse_infeasible(bound)
        value, shaped = relevance + added, own(labeling).reshape(model.shape)
        exact = meets(model, value, bound, potentials)
        return Step(shaped, value, max(value, bound), exact, self.name, relevance=relevance)

    def _argmax(self, model: PairwiseModel, scores: Doubles, rest: Sequence[Potential]) -> tuple[Labels, float]:
        count = one_count(rest)
        if count is None:
            return _core.graphs.forest_argmax(scores, model.pairs)
        reference, weights, table = count
        return _core.graphs.forest_counted_argmax(scores, model.pairs, reference, weights.astype(np.int32), table)

    def max_marginals(self, model: Model, potentials: Sequence[Potential]) -> Doubles | None:
        """One pass up, one pass down; not available with counts."""
        theta, constant, rest = fold(model, potentials)
        if rest or self.refusal(model, potentials) is not None:
            return None
        assert isinstance(model, PairwiseModel)
        return _core.graphs.forest_max_marginals(changed_unary(model, theta), model.pairs) + constant


def _beyond_one_count(model: Model, potentials: Sequence[Potential]) -> str | None:
    """Return why the potentials are more than linear ones and a function of one count, of tables that fit."""
    count = one_count(nonlinear(potentials))
    if count is None:
        return not_linear(model, potentials)
    counts = int(count[1].sum()) + 1
    row = counts * most_labels(model)
    fits = model.n_variables * row <= _MOST_TABLE_CELLS and counts * row <= _MOST_ADDED_PAIRS
    return None if fits else f"{counts} counts of {model.n_variables} variables are too many"
