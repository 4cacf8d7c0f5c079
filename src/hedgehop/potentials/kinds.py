# SPDX-License-Identifier: BSD-3-Clause
"""Which kinds of labels a labeling uses: relations of a parse, colours of a tree's edges, families of tags."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models.base import Model
from hedgehop.potentials.base import Potential
from hedgehop.potentials.counts import CountFunction
from hedgehop.potentials.labels import label_counts, least_count, share, thresholds

NO_KIND = -1


class KindWeights(Potential):
    """``sum_k w[k] * [a label of kind k is used]``: once for every kind that at least one variable shows.

    Parameters
    ----------
    kinds : (L,) or (n, L) array of ints
        Kind of each label, at all variables or at each one; -1: none.
    w : (K,) array
        Weight of each kind, of any sign: negative costs, positive rewards.
    min_share : float
        A kind counts as used only from this share of the variables on (0: a single variable is enough).

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> families = hh.potentials.KindWeights(kinds=[0, 1, 1], w=[0.5, 2.0])
    >>> families.value(hh.FactorGraph(np.zeros((2, 3))), [[0, 0], [1, 2]])
    array([0.5, 2. ])
    """

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
        """Refuse kinds that do not fit the model."""
        check_kinds(self.kinds, model)

    def _values(self, model: Model, flat: Labels) -> Doubles:
        return (kind_counts(self.kinds, flat, self.w.size) >= self.least_count(flat.shape[1])) @ self.w

    def span(self) -> float:
        """Return the sum of all weights' sizes."""
        return float(np.abs(self.w).sum())

    def counts(self, model: Model) -> list[CountFunction]:
        """One threshold for each kind with a weight."""
        return thresholds(self.kinds, self.w, self.least_count(model.n_variables), model)

    def scaled(self, factor: float) -> KindWeights:
        """Return this potential times a factor."""
        return KindWeights(self.kinds, factor * self.w, self.min_share)


def kind_table(kinds: ArrayLike) -> Labels:
    """Check an (L,) or (n, L) array of kinds."""
    table = _arrays.integers(kinds, "kinds")
    if table.ndim not in (1, 2) or table.size == 0:
        raise ValueError(f"kinds must have shape (L,) or (n, L); got {table.shape}.")
    if int(table.min()) < NO_KIND:
        raise ValueError(f"kinds must be at least 0, or -1 for none; got {int(table.min())}.")
    return own(np.ascontiguousarray(table, np.int32))


def check_kinds(kinds: Labels, model: Model) -> None:
    """Refuse kinds of other labels, or of another number of variables."""
    n, labels = model.n_variables, int(model.label_counts.max())
    if kinds.shape not in ((labels,), (n, labels)):
        raise ValueError(f"kinds must have shape ({labels},) or ({n}, {labels}); got {kinds.shape}.")


def kind_counts(kinds: Labels, flat: Labels, n_kinds: int) -> NDArray[np.int64]:
    """How many variables show each kind, (m, K)."""
    shown = kinds[flat] if kinds.ndim == 1 else kinds[np.arange(flat.shape[1]), flat]
    return label_counts(shown + np.int32(1), n_kinds + 1)[:, 1:]
