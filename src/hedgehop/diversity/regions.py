# SPDX-License-Identifier: BSD-3-Clause
"""Coverage of regions that take one label as a whole."""

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
from hedgehop.potentials import Potential, RegionWeights
from hedgehop.potentials.list_weights import ListWeights
from hedgehop.potentials.regions import misses, refuse_outside, region_members, region_slack


class RegionCoverage(Coverage):
    """One group per (region, label): the labelings that give the whole region that label.

    The paper's region consistency, corrected: a region of mixed labels belongs to no group and adds nothing
    (docs/theory.md 7). With ``robust = Q > 1`` each group becomes Q nested ones of weight 1/Q, "at most j members
    deviate", j = 0..Q-1, so that a first labeling adds ``1 - k/Q`` for k deviating members.

    Parameters
    ----------
    regions : list of index arrays, or an array of the model's shape
        Sets of variables, or a map of region numbers (negative: in no region).
    h, parsimony
        As in :class:`LabelCoverage`.
    robust : int
        Q; limited to half of a region.

    Examples
    --------
    >>> import hedgehop as hh
    >>> d = hh.RegionCoverage([[0, 1], [2]])
    >>> d.value(hh.FactorGraph([[0.0, 0.0]] * 3), [[0, 0, 0], [0, 1, 0], [1, 1, 0]])  # (0,0), (2,0), (01,1)
    3.0
    """

    regions: tuple[NDArray[np.int64], ...]
    robust: int

    def __init__(
        self,
        regions: ArrayLike | Sequence[ArrayLike],
        h: ConcaveLike = "count",
        parsimony: Parsimony = 0.0,
        robust: int = 1,
    ) -> None:
        super().__init__(h, parsimony)
        self._set(regions=region_members(regions), robust=_arrays.positive_count(robust, "robust"))

    @property
    def slacks(self) -> list[int]:
        """Q of each region."""
        return [region_slack(r, self.robust) for r in self.regions]

    def check(self, model: Model) -> None:
        refuse_outside(self.regions, model.n_variables)

    def incidence(self, model: Model, flat: Labels) -> NDArray[np.bool_]:
        """Which (region, deviations allowed, label) groups each labeling belongs to."""
        missing, slacks = misses(flat, self.regions, int(model.label_counts.max())), self.slacks
        if max(slacks) == 1:
            return np.asarray(missing == 0).reshape(len(flat), missing.shape[1] * missing.shape[2])
        columns = [missing[:, c] <= j for c, slack in enumerate(slacks) for j in range(slack)]
        return np.concatenate(columns, axis=1)

    def group_weights(self, model: Model) -> Doubles:
        """1/Q for each of a region's nested groups."""
        n_labels = int(model.label_counts.max())
        return np.concatenate([np.full(q * n_labels, 1.0 / q) for q in self.slacks])

    def list_weights(self, model: Model, m: int) -> ListWeights | None:
        """Values of all regions and labels; none if members may deviate, or others define their groups otherwise."""
        if type(self) is not RegionCoverage or max(self.slacks) > 1:
            return None
        n_labels = int(model.label_counts.max())
        wholes = self.group_values(model, m).reshape(-1, n_labels, m + 1)
        return ListWeights(np.zeros((n_labels, m + 1)), self.regions, wholes, np.ones(len(self.regions)))

    def as_potentials(self, model: Model, w: Doubles) -> list[Potential]:
        """Write ``sum_{j >= k} w_j`` as a sum of threshold terms ``t_q max(0, 1 - k/q)``, ``t_q = q (w_{q-1} - w_q)``.

        The net weights fall with j, because more labelings belong to wider groups; so only the last threshold,
        q = Q, can be negative.
        """
        n_labels = int(model.label_counts.max())
        thresholds = np.zeros((max(self.slacks) + 1, len(self.regions), n_labels))
        start = 0
        for c, slack in enumerate(self.slacks):
            nested = w[start : start + slack * n_labels].reshape(slack, n_labels)
            drops = nested - np.concatenate([nested[1:], np.zeros((1, n_labels))])
            thresholds[1 : slack + 1, c] = drops * np.arange(1, slack + 1)[:, None]
            start += slack * n_labels
        return [RegionWeights(self.regions, mu, robust=q) for q, mu in enumerate(thresholds) if q and mu.any()]

    def __repr__(self) -> str:
        return f"RegionCoverage({len(self.regions)} regions, h={self.h!r}, robust={self.robust})"
