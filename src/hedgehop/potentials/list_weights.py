# SPDX-License-Identifier: BSD-3-Clause
"""What labels and whole regions add to a list: weights by the number of labelings that use them (docs/theory.md 11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles


@dataclass(frozen=True, eq=False)
class ListWeights:
    """Weights of labels and regions in lists of m labelings; a step is the list of one labeling.

    Attributes
    ----------
    labels : (L, m + 1) array
        What each label adds by the number of labelings that use it.
    regions : sequence of index arrays
        Sets of variables.
    wholes : (R, L, m + 1) array
        What each region and label add by the number of labelings that give the whole region that label.
    slacks : (R,) array
        How many deviating members void a region: more than one only for m = 1.
    exact : bool
        Whether this is all that is added, and not more than that.

    Examples
    --------
    >>> import hedgehop as hh
    >>> two = hh.LabelCoverage("count", parsimony=0.0).list_weights(hh.FactorGraph([[0.0, 0.0]]), m=2)
    >>> (3.0 * two).labels
    array([[0., 0., 0.],
           [0., 3., 3.]])
    """

    labels: Doubles
    regions: Sequence[NDArray[np.integer]]
    wholes: Doubles
    slacks: Doubles
    exact: bool = True

    @property
    def m(self) -> int:
        """How many labelings a list has."""
        return int(self.labels.shape[1]) - 1

    def __add__(self, other: ListWeights) -> ListWeights:
        return ListWeights(
            self.labels + other.labels,
            (*self.regions, *other.regions),
            np.concatenate([self.wholes, other.wholes]),
            np.concatenate([self.slacks, other.slacks]),
            self.exact and other.exact,
        )

    def __rmul__(self, factor: float) -> ListWeights:
        return replace(self, labels=factor * self.labels, wholes=factor * self.wholes)
