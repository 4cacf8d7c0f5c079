# SPDX-License-Identifier: BSD-3-Clause
"""Expected overlap: how well the best label map of a list would be judged if one of many samples were the truth."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels, as_labelings, own
from hedgehop._frozen import Frozen
from hedgehop.diversity import Diversity
from hedgehop.diversity.expected import weighted_samples
from hedgehop.lists.possibilities import overlaps
from hedgehop.models.base import Model

_MOST_KNOWN = 2000  # labelings whose overlaps are remembered


class ExpectedOverlap(Frozen, Diversity):
    """``D(S) = sum over samples z of chance(z) * max over y in S of IoU(y, z)``.

    Facility location like :class:`hedgehop.ExpectedBest`, with the measure of segmentation: intersection over union,
    mean over the labels in either, so that small objects count as much as large ones. It is not a sum over variables:
    only the exhaustive oracle solves its steps, so choose from candidates with :func:`hedgehop.select`.

    Parameters
    ----------
    samples : (K, *shape) labels
        What the truth might be.
    weights : (n,) array, optional
        Weights of the variables, e.g. areas of superpixels.
    chances : (K,) array, optional
        Probability of each sample, by default equal; scaled to sum to 1.

    Examples
    --------
    >>> import hedgehop as hh
    >>> d = hh.segmentation.ExpectedOverlap([[0, 0, 0], [0, 0, 1]], chances=[3.0, 1.0])
    >>> d.value(hh.FactorGraph([[0.0, 0.0]] * 3), [[0, 0, 0]])  # 3/4 * 1 + 1/4 * (2/3 + 0) / 2
    0.8333333333333334
    """

    samples: Labels
    weights: Doubles
    chances: Doubles

    def __init__(self, samples: ArrayLike, weights: ArrayLike | None = None, chances: ArrayLike | None = None) -> None:
        rows, areas = weighted_samples(samples, weights)
        likely = np.ones(len(rows)) if chances is None else _arrays.finite(chances, "chances", shape=(len(rows),))
        if likely.min() < 0 or likely.sum() <= 0:
            raise ValueError("chances must be nonnegative and not all zero.")
        self._set(samples=rows, weights=areas, chances=own(likely / likely.sum()))

    def check(self, model: Model) -> None:
        as_labelings(self.samples, model.shape, model.label_counts)

    def coverage(self, model: Model, labelings: ArrayLike) -> float:
        self.check(model)
        return float(self._best(self._rows(model, labelings)) @ self.chances)

    def parsimony_of(self, model: Model, labelings: ArrayLike) -> Doubles:
        """Zero for each labeling."""
        return np.zeros(len(self._rows(model, labelings)))

    def _gains(self, model: Model, flat: Labels, chosen: Labels) -> Doubles:
        return np.asarray(np.maximum(0.0, self._overlaps(flat) - self._best(chosen)) @ self.chances)

    def _best(self, rows: Labels) -> Doubles:
        return np.asarray(self._overlaps(rows).max(axis=0, initial=0.0))

    @cached_property
    def _known(self) -> dict[bytes, Doubles]:
        """Overlaps of known labelings with the samples."""
        return {}

    def _overlaps(self, rows: Labels) -> Doubles:
        """IoU of rows and samples. Remembers the rows of a pool, which are asked for again and again."""
        keys = [row.tobytes() for row in np.ascontiguousarray(rows, np.int32)]
        fresh = [k for k, key in enumerate(keys) if key not in self._known]
        if len(self._known) + len(fresh) > _MOST_KNOWN:
            return overlaps(rows, self.samples, self.weights)
        if fresh:
            found = overlaps(rows[fresh], self.samples, self.weights)
            self._known.update(zip([keys[k] for k in fresh], found, strict=True))
        return np.array([self._known[key] for key in keys]).reshape(len(keys), len(self.samples))

    def __repr__(self) -> str:
        return f"ExpectedOverlap({len(self.samples)} samples)"
