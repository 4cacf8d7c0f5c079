# SPDX-License-Identifier: BSD-3-Clause
"""Matchings of rows to columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Floats, Labels, own
from hedgehop._errors import InfeasibleError
from hedgehop.models.linear import LinearModel
from hedgehop.models.unary import least


class Matching(LinearModel):
    """``r(y) = sum_i weights[i, y_i]``, to be maximised over matchings: no two rows take the same column.

    A labeling gives every row its column.

    Parameters
    ----------
    weights : (rows, columns) array
        What each pair adds; ``-inf`` forbids it. Every row is matched, so there are at least as many columns as
        rows unless rows may stay unmatched.
    unmatched : number or (rows,) array, optional
        What an unmatched row adds. Such a row has the label ``columns``, one more than the last column, and any
        number of rows can have it.

    Examples
    --------
    >>> import hedgehop as hh
    >>> tasks = hh.Matching([[5, 4, 0], [5, 1, 0]])  # two people, three tasks
    >>> tasks
    Matching(2 rows, 3 columns)
    >>> hh.best(tasks).labeling.tolist()
    [1, 0]
    >>> few = hh.Matching([[3.0], [2.0]], unmatched=0.0)  # one task for two people: label 1 is none
    >>> hh.best(few).labeling.tolist()
    [0, 1]
    """

    n_columns: int

    _only_scores = True

    def __init__(self, weights: ArrayLike, unmatched: ArrayLike | None = None) -> None:
        pairs = _arrays.scores(weights, "weights", ndim=2)
        if 0 in pairs.shape:
            raise ValueError(f"weights must have at least one row and one column; got shape {pairs.shape}.")
        rows, columns = pairs.shape
        if unmatched is None and rows > columns:
            raise ValueError(
                f"weights must have at least as many columns as rows; got shape {pairs.shape}. Use unmatched=0.0 to "
                "leave rows without a column, or weights.T to match columns."
            )
        scores = pairs if unmatched is None else _with_unmatched(pairs, unmatched)
        counts: Labels = own(np.full(rows, scores.shape[1], np.int32))
        self._set(unary=scores, label_counts=counts, shape=(rows,), n_columns=columns)
        self._refuse_infeasible()
        self._refuse_crowds()

    def _undecided(self, ranges: Doubles) -> Doubles:
        """Ranges of the rows; without what whole columns add if every column is taken."""
        if len(set(self.unary.shape)) > 1 or self.n_columns != self.n_labels:
            return ranges
        allowed = np.where(np.isneginf(self.unary), np.nan, self.unary).astype(np.float64)
        level = self.unary - np.nanmedian(allowed, axis=0)
        return np.asarray(level.max(axis=1) - least(level, axis=1))

    def _known_loss(self) -> float:
        """How far the best matching is below the sum of the best weights of all rows."""
        from scipy.optimize import linear_sum_assignment

        rows = np.arange(len(self.unary))
        table = self.unary[:, : self.n_columns].astype(np.float64)
        if self.n_labels > self.n_columns:  # each row has a column of its own for being unmatched
            alone = np.full((rows.size, rows.size), -np.inf)
            alone[rows, rows] = self.unary[:, -1]
            table = np.concatenate([table, alone], axis=1)
        return float((table.max(axis=1) - table[linear_sum_assignment(table, maximize=True)]).sum())

    def _allows(self, flat: Labels) -> NDArray[np.bool_]:
        ordered = np.sort(flat, axis=1)
        twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] < self.n_columns)
        return np.asarray(~twice.any(axis=1))

    def _refuse_crowds(self) -> None:
        """Refuse rows that have too few columns among them (Hall 1935)."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_bipartite_matching

        allowed = ~np.isneginf(self.unary)
        bound = allowed[~allowed[:, self.n_columns :].any(axis=1), : self.n_columns]  # rows that need a column
        if (maximum_bipartite_matching(csr_array(bound), perm_type="column") < 0).any():
            raise InfeasibleError(
                "no matching is allowed: too many weights are -inf for all rows to be matched. Allow more pairs, or "
                "unmatched rows."
            )

    def _describe(self, variable: int) -> str:
        return f"row {variable}"

    def __repr__(self) -> str:
        rows, labels = self.unary.shape
        unmatched = ", unmatched rows allowed" if labels > self.n_columns else ""
        return f"Matching({rows} rows, {self.n_columns} columns{unmatched})"


def _with_unmatched(pairs: Floats, unmatched: ArrayLike) -> Floats:
    """Weights with one more column: what unmatched rows add."""
    alone = _arrays.scores(unmatched, "unmatched", ndim=(0, 1))
    if alone.ndim == 1 and alone.size != len(pairs):
        raise ValueError(f"unmatched must be a number, or one per row ({len(pairs)}); got {alone.size}.")
    column = np.broadcast_to(alone, len(pairs))[:, None]
    joined: Floats = np.concatenate([pairs, column.astype(pairs.dtype)], axis=1)
    return own(joined)
