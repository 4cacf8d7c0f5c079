# SPDX-License-Identifier: BSD-3-Clause
"""A tagging chain: emissions and transitions."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays
from hedgehop._arrays import Labels, own
from hedgehop.models.pairwise import Edges, EdgeTables, PairwiseModel, PairwiseScores, SharedTable, changed_tables
from hedgehop.models.unary import Change


class Chain(PairwiseModel):
    """``r(y) = sum_t emissions[t, y_t] + sum_t transitions[y_t, y_{t+1}]``, to be maximised.

    Parameters
    ----------
    emissions : (T, L) array
        Scores of the labels at each position; ``-inf`` forbids a label there.
    transitions : (L, L) or (T-1, L, L) array, optional
        Scores of a label (row) followed by another (column), the same everywhere or one table per step.
        ``-inf`` forbids the transition. By default all transitions score 0.

    Examples
    --------
    >>> import hedgehop as hh
    >>> chain = hh.Chain([[1, 0], [0, 0], [0, 3]], transitions=[[0, -1], [-2, 0]])
    >>> chain
    Chain(3 variables, 2 labels)
    >>> hh.best(chain).labeling.tolist()
    [0, 0, 1]
    """

    _only_scores = True

    def __init__(self, emissions: ArrayLike, transitions: ArrayLike | None = None) -> None:
        unary = _arrays.scores(emissions, "emissions", ndim=2)
        if 0 in unary.shape:
            raise ValueError(f"emissions must have at least one position and one label; got shape {unary.shape}.")
        length, labels = unary.shape
        steps = _arrays.scores(np.zeros((labels, labels)) if transitions is None else transitions, "transitions")
        if steps.shape not in ((labels, labels), (length - 1, labels, labels)):
            raise ValueError(
                f"transitions must have shape ({labels}, {labels}) or ({length - 1}, {labels}, {labels}); "
                f"got {steps.shape}."
            )
        counts: Labels = own(np.full(length, labels, np.int32))
        self._set(unary=unary, transitions=steps, label_counts=counts, shape=(length,))
        self._refuse_infeasible()

    @cached_property
    def edges(self) -> Edges:
        """Neighbours in the chain, (T-1, 2)."""
        first = np.arange(self.n_variables - 1, dtype=np.int32)
        return own(np.stack([first, first + 1], axis=1))

    @cached_property
    def pairwise(self) -> PairwiseScores:
        """Transition scores, edge by edge."""
        steps = self.__dict__["transitions"]
        return SharedTable(steps) if steps.ndim == 2 else EdgeTables(steps)

    def _changed_joint(self, change: Change) -> dict[str, Any]:
        return {"transitions": changed_tables(self.__dict__["transitions"], change)}

    def __repr__(self) -> str:
        return f"Chain({self.n_variables} variables, {self.n_labels} labels)"
