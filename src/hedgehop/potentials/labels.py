# SPDX-License-Identifier: BSD-3-Clause
"""Which labels and which kinds of labels a labeling uses: classes, relations of a parse, colours of edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models.base import Model
from hedgehop.potentials.base import Potential
from hedgehop.potentials.count_functions import Threshold
from hedgehop.potentials.counts import CountFunction, LabelClasses

NO_KIND = -1


class KindWeights(Potential):
    """``sum_k w[k] * [a label of kind k is used]``: once for every kind that occurs.

    Parameters
    ----------
    kinds : (L,) or (n, L) array of ints
        Kind of each label, the same for all variables or one row per variable; -1 for none.
    w : (K,) array
        Weight of each kind, of any sign: negative costs, positive rewards.
    min_share : float
        A kind counts as used only if it covers at least this share of the variables (0: a single variable is enough).

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> families = hh.potentials.KindWeights(kinds=[0, 1, 1], w=[0.5, 2.0])
    >>> families.value(hh.FactorGraph(np.zeros((2, 3))), [[0, 0], [1, 2]])
    array([0.5, 2. ])
    """

    scaled_fields = ("w",)
    kinds: Labels
    w: Doubles
    min_share: float
    relaxed_as = "counts"

    def __init__(self, kinds: ArrayLike, w: ArrayLike, min_share: float = 0.0) -> None:
        weights = _arrays.vector(w, "w")
        table = kind_table(kinds)
        if int(table.max()) >= weights.size:
            raise ValueError(f"kinds must be -1..{weights.size - 1}, one weight each; got {int(table.max())}.")
        self._set(kinds=table, w=weights, min_share=share(min_share))

    def least_count(self, n_variables: int) -> int:
        """How many variables make a kind count as used."""
        return least_count(self.min_share, n_variables)

    def check(self, model: Model) -> None:
        check_kinds(self.kinds, model)

    def values(self, model: Model, flat: Labels) -> Doubles:
        return (kind_counts(self.kinds, flat, self.w.size) >= self.least_count(flat.shape[1])) @ self.w

    def span(self) -> float:
        return float(np.abs(self.w).sum())

    def counts(self, model: Model) -> list[CountFunction]:
        """One threshold for each kind with a weight."""
        return thresholds(self.kinds, self.w, self.least_count(model.n_variables), model)


class LabelWeights(KindWeights):
    """``sum_l w[l] * [label l is used]``: once for every label that occurs.

    Parameters
    ----------
    w : (L,) array
        Weight of each label, of any sign: negative costs, positive rewards.
    min_share : float
        A label counts as used only if it covers at least this share of the variables (0: a single variable is enough).

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> hh.potentials.LabelWeights([0.0, -1.0, 2.0]).value(hh.FactorGraph(np.zeros((3, 3))), [0, 2, 2])
    2.0
    """

    def __init__(self, w: ArrayLike, min_share: float = 0.0) -> None:
        weights = _arrays.vector(w, "w")
        self._set(kinds=own(np.arange(weights.size, dtype=np.int32)), w=weights, min_share=share(min_share))

    def check(self, model: Model) -> None:
        wanted = int(model.label_counts.max())
        if self.w.size != wanted:
            raise ValueError(f"w must have one weight per label ({wanted}); got {self.w.size}.")


def kind_table(kinds: ArrayLike) -> Labels:
    """Check an (L,) or (n, L) array of kinds."""
    table = _arrays.integers(kinds, "kinds")
    if table.ndim not in (1, 2) or table.size == 0:
        raise ValueError(f"kinds must have shape (L,) or (n, L); got {table.shape}.")
    if int(table.min()) < NO_KIND:
        raise ValueError(f"kinds must be at least 0, or -1 for none; got {int(table.min())}.")
    if int(table.max()) > np.iinfo(np.int32).max:
        raise ValueError(f"kinds must be below 2^31; got {int(table.max())}. Number them 0, 1, 2, ...")
    return own(np.ascontiguousarray(table, np.int32))


def check_kinds(kinds: Labels, model: Model) -> None:
    """Refuse kinds of other labels, or of another number of variables."""
    n, labels = model.n_variables, int(model.label_counts.max())
    if kinds.shape not in ((labels,), (n, labels)):
        raise ValueError(f"kinds must have shape ({labels},) or ({n}, {labels}); got {kinds.shape}.")


def kind_counts(kinds: Labels, flat: Labels, n_kinds: int) -> NDArray[np.int64]:
    """How many variables show each kind, (m, K)."""
    if kinds.ndim == 1 and np.array_equal(kinds, np.arange(n_kinds)):
        return label_counts(flat, n_kinds)
    shown = kinds[flat] if kinds.ndim == 1 else kinds[np.arange(flat.shape[1]), flat]
    return label_counts(shown + np.int32(1), n_kinds + 1)[:, 1:]


def label_counts(flat: Labels, n_labels: int) -> NDArray[np.int64]:
    """How many variables take each label, (m, L)."""
    return _core.counts.label_counts(np.ascontiguousarray(flat, np.int32), n_labels)


def thresholds(table: Labels, w: Doubles, least: int, model: Model) -> list[CountFunction]:
    """Weights of codes, each once at least so many variables carry it."""
    codes, everyone = LabelClasses(table, w.size), np.arange(model.n_variables)
    return [CountFunction(codes, int(k), everyone, Threshold(float(w[k]), least - 1, 1)) for k in np.flatnonzero(w)]


def share(value: float) -> float:
    """Check a share of the variables."""
    checked = _arrays.number(value, "min_share", low=0.0)
    if checked > 1:
        raise ValueError(f"min_share must be between 0 and 1; got {checked:g}.")
    return checked


def least_count(min_share: float, n_variables: int) -> int:
    """How many variables make up a share; at least one."""
    return max(1, int(np.ceil(min_share * n_variables - 1e-9)))
