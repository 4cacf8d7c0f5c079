# SPDX-License-Identifier: BSD-3-Clause
"""Which pairs of labels are next to each other in a labeling."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models.base import Model
from hedgehop.models.pairwise import Edges, PairwiseModel
from hedgehop.potentials.base import Potential
from hedgehop.potentials.count_functions import Threshold
from hedgehop.potentials.counts import CountFunction, PairClasses

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


class TransitionWeights(Potential):
    """``sum w[a, b] * [some edge carries the pair (a, b)]``, a != b unless equal labels count.

    Parameters
    ----------
    w : (L, L) array
        Weight of each pair, of any sign; the diagonal only counts with `equal`. Symmetric unless ordered.
    ordered : bool
        Whether (a, b) along an edge's direction differs from (b, a).
    equal : bool
        Whether pairs of equal labels also have a weight.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> once = hh.potentials.TransitionWeights([[0.0, 3.0], [3.0, 0.0]])
    >>> once.value(hh.Chain(np.zeros((4, 2)), np.eye(2)), [[0, 0, 0, 0], [0, 1, 0, 1]])
    array([0., 3.])
    """

    scaled_fields = ("w",)
    w: Doubles
    ordered: bool
    equal: bool

    def __init__(self, w: ArrayLike, ordered: bool = False, equal: bool = False) -> None:
        values = _arrays.finite(w, "w")
        if values.ndim != 2 or values.shape[0] != values.shape[1]:
            raise ValueError(f"w must have shape (L, L); got {values.shape}.")
        if not _arrays.flag(ordered, "ordered") and not np.array_equal(values, values.T):
            raise ValueError("w must be symmetric for unordered pairs; it is not. Use ordered=True, or (w + w.T) / 2.")
        self._set(w=values, ordered=_arrays.flag(ordered, "ordered"), equal=_arrays.flag(equal, "equal"))

    @property
    def pairs(self) -> Pairs:
        """Rows and columns of the pairs that have a weight, each unordered one once."""
        return transition_pairs(len(self.w), self.ordered, self.equal)

    def check(self, model: Model) -> None:
        wanted = int(model.label_counts.max())
        if len(self.w) != wanted:
            raise ValueError(f"w must have shape ({wanted}, {wanted}); got {self.w.shape}.")
        edges_of(model)

    def values(self, model: Model, flat: Labels) -> Doubles:
        if is_sparse(model, len(self.w)):
            return _sums_of_carried(model, flat, self)
        used = used_transitions(model, flat, len(self.w), self.ordered)
        rows, columns = self.pairs
        return used[:, rows, columns] @ self.w[rows, columns]

    def span(self) -> float:
        return float(np.abs(self.w).sum())

    def counts(self, model: Model) -> list[CountFunction]:
        """One threshold for each pair with a weight; the last answer is kept, because a step asks several times."""
        edges = edges_of(model)
        for known, counts in self._counted:
            if known is edges:
                return counts
        counts = self._counts(edges) if len(edges) else []
        self._counted[:] = [(edges, counts)]
        return counts

    @cached_property
    def _counted(self) -> list[tuple[Edges, list[CountFunction]]]:
        """What was counted last, and on which edges."""
        return []

    def _counts(self, edges: Edges) -> list[CountFunction]:
        codes, everyone = PairClasses(edges, len(self.w), self.ordered), np.arange(len(edges))
        rows, columns = self.pairs
        weights = self.w[rows, columns]
        numbers = (rows * len(self.w) + columns)[weights != 0]
        return [
            CountFunction(codes, code, everyone, Threshold(weight, 0, 1))
            for code, weight in zip(numbers.tolist(), weights[weights != 0].tolist(), strict=True)
        ]


def used_transitions(model: Model, flat: Labels, n_labels: int, ordered: bool) -> NDArray[np.bool_]:
    """Which pairs of labels some edge carries, (m, L, L); symmetric unless ordered."""
    if is_sparse(model, n_labels):
        used = np.zeros((len(flat), n_labels, n_labels), bool)
        first, second = edges_of(model).T
        used[np.arange(len(flat))[:, None], flat[:, first], flat[:, second]] = True
    else:
        used = _core.counts.transition_counts(np.ascontiguousarray(flat, np.int32), edges_of(model), n_labels) > 0
    return used if ordered else used | used.transpose(0, 2, 1)


def is_sparse(model: Model, n_labels: int) -> bool:
    """Whether there are more pairs of labels than edges that could carry them."""
    return n_labels**2 > len(edges_of(model))


def _sums_of_carried(model: Model, flat: Labels, weights: TransitionWeights) -> Doubles:
    """``sum of w over the pairs that some edge carries``, by sorting what the edges carry: O(edges log edges)."""
    first, second = edges_of(model).T
    a, b = flat[:, first].astype(np.int64), flat[:, second].astype(np.int64)
    low, high = (a, b) if weights.ordered else (np.minimum(a, b), np.maximum(a, b))
    pairs = np.where((a == b) & (not weights.equal), -1, low * len(weights.w) + high)
    pairs.sort(axis=1)
    new = pairs >= 0
    new[:, 1:] &= pairs[:, 1:] != pairs[:, :-1]
    return np.asarray(np.where(new, weights.w.ravel()[pairs], 0.0).sum(axis=1))


def edges_of(model: Model) -> Edges:
    """Edges of a model, or an error that says why there are none."""
    if not isinstance(model, PairwiseModel):
        raise TypeError(f"label transitions need a model with edges; {type(model).__name__} has none.")
    return model.edges


@lru_cache(maxsize=1)  # a list asks for the same pairs many times, and a thousand labels have a million of them
def transition_pairs(n_labels: int, ordered: bool, equal: bool = False) -> Pairs:
    """Rows and columns of all pairs of different labels, each unordered one once; those of equal labels if asked."""
    if not ordered:
        rows, columns = np.triu_indices(n_labels, k=0 if equal else 1)
    else:
        rows, columns = np.nonzero(np.ones((n_labels, n_labels), bool) if equal else ~np.eye(n_labels, dtype=bool))
    return own(rows.astype(np.int64)), own(columns.astype(np.int64))
