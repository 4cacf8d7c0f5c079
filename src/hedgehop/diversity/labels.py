# SPDX-License-Identifier: BSD-3-Clause
"""Coverage of labels and of pairs of neighbouring labels: the paper's label cost and label transition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels
from hedgehop.diversity.base import Parsimony
from hedgehop.diversity.concave import ConcaveLike
from hedgehop.diversity.coverage import Coverage
from hedgehop.models.base import Model
from hedgehop.potentials import LabelWeights, Potential, TransitionWeights, total_value
from hedgehop.potentials.labels import label_counts, least_count, share
from hedgehop.potentials.list_weights import ListWeights
from hedgehop.potentials.transitions import edges_of, transition_pairs, used_transitions


class LabelCoverage(Coverage):
    """One group per label: the labelings that use it anywhere (the paper's "label cost" diversity).

    Parameters
    ----------
    h : "count", "sqrt", "log" or a function
        Concave value of a label as a function of the number of labelings that use it.
    parsimony : float or "auto"
        An additional value for each used label (the paper: -1.0); "auto" = -h(1): unseen labels are free,
        reused ones cost.
    ignore : labels
        Labels that do not count, by default 0, the background.
    min_share : float, or several
        A label counts as used only if it covers at least this share of the variables. Several shares give one group per
        (label, share).
    weights : (L,) array, optional
        The paper's c(l) >= 0: the weight of each label, by default 1.

    Examples
    --------
    >>> import hedgehop as hh
    >>> d = hh.LabelCoverage(h="count", parsimony=0.0, ignore=())
    >>> d.value(hh.FactorGraph([[0.0, 0.0, 0.0]] * 2), [[0, 0], [0, 2]])
    2.0
    """

    distinct = True
    ignore: tuple[int, ...]
    min_share: tuple[float, ...]
    weights: Doubles | None

    def __init__(
        self,
        h: ConcaveLike = "log",
        parsimony: Parsimony = "auto",
        ignore: Sequence[int] = (0,),
        min_share: float | Sequence[float] = 0.0,
        weights: ArrayLike | None = None,
    ) -> None:
        super().__init__(h, parsimony)
        self._set(ignore=_label_set(ignore), min_share=shares_of(min_share))
        self._set(weights=None if weights is None else _arrays.weights(weights, "weights"))

    def check(self, model: Model) -> None:
        """Refuse ignored labels the model does not have, and weights of other labels."""
        _check_ignored(self.ignore, model)
        n_labels = int(model.label_counts.max())
        if self.weights is not None and self.weights.size != n_labels:
            raise ValueError(f"weights must have one entry per label ({n_labels}); got {self.weights.size}.")

    def incidence(self, model: Model, flat: Labels) -> NDArray[np.bool_]:
        """Which (share, label) groups each labeling belongs to."""
        n_labels = int(model.label_counts.max())
        return reached(label_counts(flat, n_labels), self.min_share, model.n_variables)

    def group_weights(self, model: Model) -> Doubles:
        """The weight of each group's label, 0 for ignored labels."""
        weights = _without(self.ignore, int(model.label_counts.max()))
        return np.tile(weights if self.weights is None else weights * self.weights, len(self.min_share))

    def as_potentials(self, model: Model, w: Doubles) -> list[Potential]:
        """Label weights, one record per share."""
        rows = w.reshape(len(self.min_share), -1)
        return [LabelWeights(row, share) for row, share in zip(rows, self.min_share, strict=True)]

    def list_weights(self, model: Model, m: int) -> ListWeights | None:
        """Values of all labels; of one that must reach a size, a bound: more labelings use it than reach that."""
        if type(self) is not LabelCoverage:  # others may define their groups otherwise
            return None
        n_labels = int(model.label_counts.max())
        tables = self.group_values(model, m).reshape(-1, n_labels, m + 1)
        large = [least_count(s, model.n_variables) > 1 for s in self.min_share]
        used = [np.maximum.accumulate(t, axis=1) if bound else t for t, bound in zip(tables, large, strict=True)]
        return ListWeights(np.sum(used, axis=0), (), np.zeros((0, n_labels, m + 1)), np.ones(0), not any(large))

    def __repr__(self) -> str:
        details = f"ignore={self.ignore}, min_share={shown(self.min_share)}"
        details += ", weights=..." if self.weights is not None else ""
        return f"LabelCoverage(h={self.h!r}, parsimony={self.parsimony!r}, {details})"


class TransitionCoverage(Coverage):
    """One group per pair of labels: the labelings in which neighbours carry it.

    Parameters
    ----------
    h, parsimony
        As in :class:`LabelCoverage`.
    ignore : labels
        Pairs with one of these labels do not count.
    ordered : bool
        Whether (a, b) along an edge's direction (left to right, top to bottom on a grid) differs from (b, a).
    weights : (L, L) array, optional
        The paper's c(l, l') >= 0: the weight of each pair, by default 1; symmetric unless ordered.
    include_equal : bool
        Whether pairs of equal labels, l = l', are also groups. The solvers of large models are made for
        different labels, so steps are bounded, but less often exact.

    Examples
    --------
    >>> import hedgehop as hh
    >>> d = hh.TransitionCoverage(h="count", parsimony=0.0)
    >>> model = hh.Chain([[0.0, 0.0, 0.0]] * 3, [[0.0] * 3] * 3)
    >>> d.value(model, [[0, 1, 0], [0, 0, 2]])  # {0, 1} and {0, 2}
    2.0
    """

    distinct = True
    ignore: tuple[int, ...]
    ordered: bool
    weights: Doubles | None
    include_equal: bool

    def __init__(
        self,
        h: ConcaveLike = "log",
        parsimony: Parsimony = "auto",
        ignore: Sequence[int] = (),
        ordered: bool = False,
        weights: ArrayLike | None = None,
        include_equal: bool = False,
    ) -> None:
        super().__init__(h, parsimony)
        self._set(ignore=_label_set(ignore), ordered=_arrays.flag(ordered, "ordered"))
        self._set(include_equal=_arrays.flag(include_equal, "include_equal"))
        self._set(weights=None if weights is None else _pair_weights(weights, self.ordered))

    def check(self, model: Model) -> None:
        """Refuse models without edges, ignored labels the model does not have, and weights of other labels."""
        edges_of(model)
        _check_ignored(self.ignore, model)
        n = int(model.label_counts.max())
        if self.weights is not None and self.weights.shape != (n, n):
            raise ValueError(f"weights must have shape ({n}, {n}), one per pair of labels; got {self.weights.shape}.")

    def incidence(self, model: Model, flat: Labels) -> NDArray[np.bool_]:
        """Which pairs of labels each labeling shows on some edge."""
        n_labels = int(model.label_counts.max())
        rows, columns = transition_pairs(n_labels, self.ordered, self.include_equal)
        return used_transitions(model, flat, n_labels, self.ordered)[:, rows, columns]

    def counts(self, model: Model, labelings: ArrayLike) -> NDArray[np.int64]:
        """How many labelings show each pair, one labeling after the other: there may be very many pairs."""
        n_labels = int(model.label_counts.max())
        rows, columns = transition_pairs(n_labels, self.ordered, self.include_equal)
        shown = np.zeros((n_labels, n_labels), np.int64)
        for row in self._rows(model, labelings):
            shown += used_transitions(model, row[None], n_labels, self.ordered)[0]
        return shown[rows, columns]

    def parsimony_of(self, model: Model, labelings: ArrayLike) -> Doubles:
        return total_value(model, self.parsimony_potentials(model), self._rows(model, labelings))

    @property
    def _valued_by_groups(self) -> bool:
        return self._valued_as(TransitionCoverage)  # whose parsimony is that of the groups, found otherwise

    def _gains(self, model: Model, flat: Labels, chosen: Labels) -> Doubles:
        return total_value(model, self.potentials(model, chosen), flat)

    def group_weights(self, model: Model) -> Doubles:
        """The weight of each pair, 0 for those with an ignored label."""
        n_labels = int(model.label_counts.max())
        free = _without(self.ignore, n_labels)
        rows, columns = transition_pairs(n_labels, self.ordered, self.include_equal)
        weights = free[rows] * free[columns]
        return weights if self.weights is None else weights * self.weights[rows, columns]

    def as_potentials(self, model: Model, w: Doubles) -> list[Potential]:
        """Transition weights."""
        n_labels = int(model.label_counts.max())
        rows, columns = transition_pairs(n_labels, self.ordered, self.include_equal)
        table = np.zeros((n_labels, n_labels))
        some = np.flatnonzero(w)  # of many labels, few pairs have a weight
        table[rows[some], columns[some]] = w[some]
        if not self.ordered:
            table[columns[some], rows[some]] = w[some]
        return [TransitionWeights(table, self.ordered, self.include_equal)]

    def __repr__(self) -> str:
        details = f"ignore={self.ignore}, ordered={self.ordered}"
        details += ", weights=..." if self.weights is not None else ""
        details += ", include_equal=True" if self.include_equal else ""
        return f"TransitionCoverage(h={self.h!r}, parsimony={self.parsimony!r}, {details})"


def shares_of(min_share: float | Sequence[float]) -> tuple[float, ...]:
    """Check one share of the variables, or several."""
    shares = (
        (min_share,)
        if isinstance(min_share, (int, float, np.number))
        else _arrays.several(min_share, "min_share", "shares")
    )
    if not shares:
        raise ValueError("min_share must name at least one share; got none.")
    return tuple(share(s) for s in shares)


def reached(counts: NDArray[np.int64], shares: Sequence[float], n_variables: int) -> NDArray[np.bool_]:
    """Which (share, column) pairs are reached by (m, K) counts, (m, shares * K)."""
    return np.concatenate([counts >= least_count(s, n_variables) for s in shares], axis=1)


def shown(shares: tuple[float, ...]) -> float | tuple[float, ...]:
    """Shares as they were given."""
    return shares[0] if len(shares) == 1 else shares


def _label_set(ignore: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted({int(k) for k in _arrays.integers(ignore, "ignore").ravel()}))


def _check_ignored(ignore: tuple[int, ...], model: Model) -> None:
    n_labels = int(model.label_counts.max())
    wrong = [k for k in ignore if not 0 <= k < n_labels]
    if wrong:
        raise ValueError(f"ignore names label {wrong[0]}, but the model's labels are 0..{n_labels - 1}.")


def _pair_weights(weights: ArrayLike, ordered: bool) -> Doubles:
    """Check weights of pairs of labels."""
    table = _arrays.finite(weights, "weights")
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(f"weights must have shape (L, L), one per pair of labels; got {table.shape}.")
    if (table < 0).any():
        raise ValueError(f"weights must be at least 0; got {table.min():g}.")
    if not ordered and not np.array_equal(table, table.T):
        raise ValueError("weights must be symmetric for unordered pairs; they are not. Use ordered=True.")
    return table


def _without(ignore: tuple[int, ...], n_labels: int) -> Doubles:
    free = np.ones(n_labels)
    free[list(ignore)] = 0.0
    return free
