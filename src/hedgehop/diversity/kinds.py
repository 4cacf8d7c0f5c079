# SPDX-License-Identifier: BSD-3-Clause
"""Coverage of kinds of labels: relations on arcs, groups of edges, families of tags."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.diversity.base import Parsimony
from hedgehop.diversity.concave import ConcaveLike
from hedgehop.diversity.coverage import Coverage
from hedgehop.diversity.labels import reached, shares_of, shown
from hedgehop.models.base import Model
from hedgehop.potentials import KindWeights, Potential
from hedgehop.potentials.labels import check_kinds, kind_counts, kind_table


class KindCoverage(Coverage):
    """One group per kind of label: the labelings that use a label of this kind anywhere.

    Like :class:`LabelCoverage`, for structures whose labels are not classes themselves: edges that are in or out,
    heads with relations, tags that belong together.

    Parameters
    ----------
    kinds : (L,) or (n, L) array of ints
        Kind of each label, the same for all variables or one row per variable; -1 for none.
    h, parsimony, min_share
        As in :class:`LabelCoverage`.

    Examples
    --------
    Spanning trees with edges of many colours, a row of kinds per edge: none if it is out, its colour if it is in:

    >>> import hedgehop as hh, numpy as np
    >>> tree = hh.SpanningTree([[0, 1], [0, 1], [1, 2], [1, 2]], weights=[2, 1, 2, 1.5])
    >>> colours = np.array([0, 1, 0, 2])
    >>> kinds = np.stack([np.full(4, -1), colours], axis=1)
    >>> hh.diverse(tree, hh.KindCoverage(kinds, h="count", parsimony=0.0), m=2, tradeoff=3.0).labelings.tolist()
    [[1, 0, 0, 1], [0, 1, 1, 0]]

    Relations of a parse, whatever the heads: label ``head * R + relation`` has the kind ``relation``:

    >>> parse = hh.Arborescence(np.zeros((2, 3, 4)))
    >>> hh.KindCoverage(np.arange(parse.n_labels) % parse.n_relations).group_weights(parse).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """

    distinct = True
    kinds: Labels
    min_share: tuple[float, ...]

    def __init__(
        self,
        kinds: ArrayLike,
        h: ConcaveLike = "log",
        parsimony: Parsimony = "auto",
        min_share: float | Sequence[float] = 0.0,
    ) -> None:
        super().__init__(h, parsimony)
        self._set(kinds=kind_table(kinds), min_share=shares_of(min_share))
        if self.n_kinds == 0:
            raise ValueError("kinds are all -1, so nothing counts. Give at least one label a kind of 0 or more.")

    @property
    def n_kinds(self) -> int:
        """Number of kinds that some label has."""
        return int(self._places.max()) + 1

    @cached_property
    def _places(self) -> Labels:
        """Kinds numbered without gaps: memory follows how many there are, not their numbers."""
        named = np.unique(self.kinds[self.kinds >= 0])
        places = np.where(self.kinds < 0, -1, np.searchsorted(named, self.kinds))
        return own(places.astype(np.int32))

    def check(self, model: Model) -> None:
        check_kinds(self.kinds, model)

    def incidence(self, model: Model, flat: Labels) -> NDArray[np.bool_]:
        """Which (share, kind) groups each labeling belongs to."""
        return reached(kind_counts(self._places, flat, self.n_kinds), self.min_share, model.n_variables)

    def group_weights(self, model: Model) -> Doubles:
        """1 for each group."""
        return np.ones(self.n_kinds * len(self.min_share))

    def as_potentials(self, model: Model, w: Doubles) -> list[Potential]:
        """Weights of kinds, one record per share."""
        rows = w.reshape(len(self.min_share), -1)
        return [KindWeights(self._places, row, share) for row, share in zip(rows, self.min_share, strict=True)]

    def __repr__(self) -> str:
        details = f"parsimony={self.parsimony!r}, min_share={shown(self.min_share)}"
        return f"KindCoverage({self.n_kinds} kinds, h={self.h!r}, {details})"
