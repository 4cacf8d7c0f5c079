# SPDX-License-Identifier: BSD-3-Clause
"""Best matchings: the Hungarian method with shortest augmenting paths (Crouse 2016), through scipy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop._interrupt import interruptible
from hedgehop.models.structures.matching import Matching
from hedgehop.oracles.exact.linear import LinearOracle
from hedgehop.potentials import Potential

_QUICK_PAIRS = 2**15  # that are matched in a few milliseconds: a thread that Ctrl-C can leave takes half of one


class Assignment(LinearOracle[Matching]):
    """``scipy.optimize.linear_sum_assignment``: O(rows^2 columns); ties are decided by scipy, always the same way.

    Examples
    --------
    >>> import hedgehop as hh
    >>> hh.best(hh.Matching([[3.0, 2.0], [2.0, 0.0]]), oracle=hh.oracles.Assignment()).labeling
    array([1, 0], dtype=int32)
    """

    name = "matching"
    summary = "the Hungarian method on matchings; exact, with linear potentials"
    structure = Matching

    def _argmax(self, model: Matching, scores: Doubles, rest: Sequence[Potential]) -> tuple[Labels, float]:
        from scipy.optimize import linear_sum_assignment

        rows, columns = len(scores), model.n_columns
        alone = np.repeat(scores[:, columns:], rows, axis=1)  # "unmatched" as a column for each row
        pairs = np.concatenate([scores[:, :columns], alone], axis=1)
        try:
            if pairs.size <= _QUICK_PAIRS:
                _, taken = linear_sum_assignment(pairs, maximize=True)
            else:
                _, taken = interruptible(linear_sum_assignment, pairs, maximize=True)
        except ValueError:  # "cost matrix is infeasible": the scores are checked, nothing else can be wrong
            return np.zeros(rows, np.int32), -np.inf
        labels = np.minimum(taken, columns).astype(np.int32)
        return labels, float(scores[np.arange(rows), labels].sum())
