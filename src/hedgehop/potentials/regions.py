# SPDX-License-Identifier: BSD-3-Clause
"""Regions taken as a whole, and upper envelopes of linear functions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models.base import Model
from hedgehop.potentials.base import Potential
from hedgehop.potentials.count_functions import Threshold
from hedgehop.potentials.counts import CountFunction, LabelClasses


class RegionWeights(Potential):
    """``sum_C sum_l mu[C, l] * max(0, 1 - k / Q_C)``, k = members of region C that do not take label l.

    Parameters
    ----------
    regions : list of index arrays, or an array of the model's shape
        Sets of variables (they may overlap), or a map whose values >= 0 name the region of each variable.
    mu : (regions, L) array
        What a region adds if it has a label as a whole, of any sign.
    robust : int
        Q: 1 requires the whole region; otherwise up to Q - 1 deviating members only reduce the weight. Limited to half
        of a region (``Q_C = max(1, min(robust, |C| // 2))``), so that two labels never hold it at once.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> whole = hh.potentials.RegionWeights(regions=[[0, 1], [2]], mu=[[0.0, 2.0], [0.0, 1.0]])
    >>> whole.value(hh.FactorGraph(np.zeros((3, 2))), [[1, 1, 0], [0, 1, 1]])
    array([2., 1.])
    """

    scaled_fields = ("mu",)
    regions: tuple[NDArray[np.int64], ...]
    mu: Doubles
    robust: int
    relaxed_as = "counts"

    def __init__(self, regions: ArrayLike | Sequence[ArrayLike], mu: ArrayLike, robust: int = 1) -> None:
        members = region_members(regions)
        values = _arrays.finite(mu, "mu")
        if values.ndim != 2 or len(values) != len(members):
            raise ValueError(f"mu must have shape ({len(members)} regions, labels); got {values.shape}.")
        self._set(regions=members, mu=values, robust=_arrays.positive_count(robust, "robust"))

    def check(self, model: Model) -> None:
        wanted = int(model.label_counts.max())
        if self.mu.shape[1] != wanted:
            raise ValueError(f"mu must have one column per label ({wanted}); got shape {self.mu.shape}.")
        refuse_outside(self.regions, model.n_variables)

    def slack(self, region: int) -> int:
        """Q of one region."""
        return region_slack(self.regions[region], self.robust)

    def values(self, model: Model, flat: Labels) -> Doubles:
        slacks = np.array([self.slack(c) for c in range(len(self.regions))]).reshape(-1, 1)
        held = np.maximum(0.0, 1.0 - misses(flat, self.regions, self.mu.shape[1]) / slacks)
        return np.asarray(np.einsum("mcl,cl->m", held, self.mu))

    def span(self) -> float:
        return float(np.abs(self.mu).sum())

    def counts(self, model: Model) -> list[CountFunction]:
        """One threshold for each region and label with a weight."""
        return self._counts

    @cached_property
    def _counts(self) -> list[CountFunction]:  # many, and asked for by several oracles in a step
        codes = LabelClasses(np.arange(self.mu.shape[1], dtype=np.int32), self.mu.shape[1])
        found = []
        for c, k in zip(*np.nonzero(self.mu), strict=True):
            members, width = self.regions[c], self.slack(int(c))
            rises = Threshold(float(self.mu[c, k]), members.size - width, width)
            found.append(CountFunction(codes, int(k), members, rises))
        return found


class Envelope(Potential):
    """``max_q mu[q] + sum_i w[q, i, y_i]``: the upper envelope of linear functions.

    Parameters
    ----------
    mu : (Q,) array
        Constants.
    w : (Q, n, L) array
        Linear functions; ``-inf`` rules a function out for labelings with that label there.
    zero : bool
        Whether the zero function is among them, so that the envelope never falls below 0.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> best_of = hh.potentials.Envelope(mu=[1.0], w=[[[0.0, 2.0], [0.0, -4.0]]], zero=True)
    >>> best_of.value(hh.FactorGraph(np.zeros((2, 2))), [[1, 0], [0, 1]])
    array([3., 0.])
    """

    scaled_fields = ("mu", "w")
    mu: Doubles
    w: Doubles

    def __init__(self, mu: ArrayLike, w: ArrayLike, zero: bool = False) -> None:
        constants, slopes = _arrays.vector(mu, "mu"), _arrays.scores(w, "w", ndim=3).astype(np.float64)
        if constants.size == 0:
            raise ValueError("mu must hold at least one function; got none.")
        if len(slopes) != constants.size:
            raise ValueError(f"w must have one function per entry of mu ({constants.size}); got {len(slopes)}.")
        if zero:
            constants = np.append(constants, 0.0)
            slopes = np.concatenate([slopes, np.zeros((1, *slopes.shape[1:]))])
        self._set(mu=own(np.array(constants)), w=own(slopes))

    def check(self, model: Model) -> None:
        wanted = (model.n_variables, int(model.label_counts.max()))
        if self.w.shape[1:] != wanted:
            raise ValueError(f"w must have shape (functions, {wanted[0]}, {wanted[1]}); got {self.w.shape}.")

    def values(self, model: Model, flat: Labels) -> Doubles:
        parts = self.w[:, np.arange(flat.shape[1]), flat].sum(axis=-1)  # (Q, m)
        return np.asarray((self.mu[:, None] + parts).max(axis=0))

    def encode(self, program: Any) -> None:
        program.add_envelope(self)


def region_members(regions: Any) -> tuple[NDArray[np.int64], ...]:
    """Check regions given as index lists or as a map of region numbers."""
    if isinstance(regions, np.ndarray) and regions.dtype != object:
        flat = _arrays.integers(regions, "regions").reshape(-1)
        regions = [np.flatnonzero(flat == r) for r in np.unique(flat[flat >= 0])]
    members = tuple(
        own(_arrays.integers(r, "a region").reshape(-1)) for r in _arrays.several(regions, "regions", "index lists")
    )
    if not members or any(r.size == 0 for r in members):
        raise ValueError("regions must name at least one region, and none may be empty.")
    if any(len(np.unique(r)) < r.size for r in members):
        raise ValueError("a region names a variable twice. Name each once.")
    return members


def refuse_outside(regions: Sequence[NDArray[np.int64]], n_variables: int) -> None:
    """Refuse regions that name variables the model does not have."""
    for c, members in enumerate(regions):
        if members.min() < 0 or members.max() >= n_variables:
            raise ValueError(f"region {c} names a variable outside 0..{n_variables - 1}.")


def misses(flat: Labels, regions: Sequence[NDArray[np.int64]], n_labels: int) -> NDArray[np.int64]:
    """How many members of each region do not take each label, (m, regions, L)."""
    sizes = np.array([members.size for members in regions], np.int64)
    everyone = np.concatenate(regions) if len(regions) else np.zeros(0, np.int64)
    first = np.repeat(np.arange(len(regions)) * n_labels, sizes)
    found = [np.bincount(first + row[everyone], minlength=len(regions) * n_labels) for row in flat]
    counts = np.array(found, np.int64).reshape(len(flat), len(regions), n_labels)
    return np.asarray(sizes[:, None] - counts)


def region_slack(members: NDArray[np.int64], robust: int) -> int:
    """Q of a region: at most half of it, so that two labels never hold it at once."""
    return max(1, min(robust, members.size // 2))
