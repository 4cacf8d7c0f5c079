# SPDX-License-Identifier: BSD-3-Clause
"""What a ball around a labeling adds to the union of earlier balls (docs/theory.md 6)."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models.base import Model
from hedgehop.potentials.ball_sizes import MOST_LISTED, overlap_shares, place_values, uncovered_shares
from hedgehop.potentials.base import Potential
from hedgehop.potentials.distances import Cardinality, Distances

MOST_EXACT = 20  # distinct labelings up to which inclusion-exclusion is affordable


class BallGain(Potential):
    """What two kinds of balls share: `chosen` labelings, and upper bounds that are functions of one distance each."""

    scaled_fields = ("scale",)
    chosen: Labels
    scale: float
    relaxed_as = "distances"

    def check(self, model: Model) -> None:
        if self.chosen.shape[1] != model.n_variables:
            raise ValueError(f"chosen labelings must have {model.n_variables} labels; got {self.chosen.shape[1]}.")

    @abstractmethod
    def pair(self, centre: Labels) -> Cardinality:
        """What the ball around y has outside the ball around one labeling."""

    def pairs(self) -> list[Cardinality]:
        """Functions of one distance each, all of them upper bounds."""
        return [self.pair(y) for y in self.chosen]

    def distances(self) -> Distances | None:
        """What the ball has outside each of the others."""
        found = self.pair(self.chosen[0]).function
        return None if found is None else Distances(self.chosen, *found, self.scale, getattr(self, "decay", None))

    @property
    def n_balls(self) -> int:
        return len(self.chosen)

    @property
    def common_decay(self) -> float | None:
        """The decay of every variable, if the share of subsets of balls decays alike everywhere; None if not."""
        return None

    def encode(self, program: Any) -> None:
        program.add_ball(self)

    def span(self) -> float:
        """Return the scale: values lie between 0 and it."""
        return abs(self.scale)


class BallCoverage(BallGain):
    """Exact marginal gain of the smooth Hamming-ball coverage (docs/theory.md 6).

    Keep each variable i with probability ``1 - exp(-decay[i])``; the value is ``scale`` times the probability
    that the kept part of y differs from the kept part of every chosen labeling.

    Parameters
    ----------
    chosen : (k, n) labels
        The earlier labelings, distinct. The value is exact for up to 20; beyond, it is the lower bound
        ``prod_j (1 - exp(-distance_j))``.
    decay : (n,) array
        gamma times the weight of each variable.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> gain = hh.potentials.BallCoverage(chosen=[[0, 0, 0]], decay=[0.5, 0.5, 0.5])
    >>> gain.value(hh.FactorGraph(np.zeros((3, 2))), [[0, 0, 0], [0, 1, 1]]).round(3)
    array([0.   , 0.632])
    """

    decay: Doubles

    def __init__(self, chosen: ArrayLike, decay: ArrayLike, scale: float = 1.0) -> None:
        labelings = _arrays.labels(chosen, "chosen", stacked=True)
        decays = _arrays.weights(decay, "decay", labelings.shape[1])
        self._set(chosen=labelings, decay=decays, scale=_arrays.number(scale, "scale"))

    def values(self, model: Model, flat: Labels) -> Doubles:
        if len(self.chosen) <= MOST_EXACT:
            return self.scale * _core.counts.ball_gain(flat, self.chosen, self.decay)
        missed = -np.expm1(-_core.counts.hamming(flat, self.chosen, self.decay))
        return np.asarray(self.scale * missed.prod(axis=1))  # Harris: a lower bound

    def upper(self, model: Model, flat: Labels) -> Doubles:
        if len(self.chosen) <= MOST_EXACT:
            return self.values(model, flat)
        return np.asarray(np.min([p.values(model, flat) for p in self.pairs()], axis=0))

    @property
    def common_decay(self) -> float | None:
        return float(self.decay[0]) if (self.decay == self.decay[:1]).all() else None

    def pair(self, centre: Labels) -> Cardinality:
        """What the ball around y has outside the ball around one labeling: ``1 - exp(-distance)``."""
        return Cardinality(centre, _NotInBall(), self.decay, self.scale)


class _NotInBall:
    """``1 - exp(-d)``: concave and increasing in the (decay-weighted) distance d. A class, to be picklable."""

    def __call__(self, distances: Doubles) -> Doubles:
        return -np.expm1(-distances)

    def slope(self, distances: Doubles) -> Doubles:
        """Derivative: lets solvers lay tangents."""
        return np.exp(-distances)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _NotInBall)

    __hash__ = None  # type: ignore[assignment]


class BallUnion(BallGain):
    """Share of the exact Hamming ball around y that no ball around a chosen labeling covers (docs/theory.md 6).

    Exact if all labelings can be listed (up to 2^20), otherwise the lower bound ``max(0, 1 - sum of overlaps)``.

    Parameters
    ----------
    chosen : (k, n) labels
        Centres of the earlier balls, distinct.
    radius : int
        Number of variables that may differ within a ball.
    n_labels : int
        Number of labels of every variable.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> gain = hh.potentials.BallUnion(chosen=[[0, 0, 0]], radius=1, n_labels=2)
    >>> gain.value(hh.FactorGraph(np.zeros((3, 2))), [[0, 0, 0], [0, 0, 1], [1, 1, 1]])
    array([0. , 0.5, 1. ])
    """

    radius: int
    n_labels: int

    def __init__(self, chosen: ArrayLike, radius: int, n_labels: int, scale: float = 1.0) -> None:
        labelings, most = _arrays.labels(chosen, "chosen", stacked=True), _arrays.positive_count(n_labels, "n_labels")
        if int(labelings.max()) >= most:
            raise ValueError(f"chosen labelings must have labels 0..{most - 1}; got {int(labelings.max())}.")
        self._set(chosen=labelings, radius=_arrays.count(radius, "radius"), n_labels=most)
        self._set(scale=_arrays.number(scale, "scale"))

    @property
    def listable(self) -> bool:
        """Whether all labelings can be listed, so that the value is exact."""
        return bool(self.n_labels ** self.chosen.shape[1] <= MOST_LISTED)

    def values(self, model: Model, flat: Labels) -> Doubles:
        if self.listable:
            table = uncovered_shares(self.chosen, self.radius, self.n_labels)
            return np.asarray(self.scale * table[flat @ place_values(flat.shape[1], self.n_labels)])
        overlaps = 1.0 - self._shares(model, flat)
        return np.asarray(self.scale * np.maximum(0.0, 1.0 - overlaps.sum(axis=0)))

    def upper(self, model: Model, flat: Labels) -> Doubles:
        if self.listable:
            return self.values(model, flat)
        return np.asarray(self.scale * self._shares(model, flat).min(axis=0))

    def _shares(self, model: Model, flat: Labels) -> Doubles:
        return np.array([p.values(model, flat) / p.factor for p in self.pairs()])

    def pair(self, centre: Labels) -> Cardinality:
        """What the ball around y has outside the ball around one labeling: ``1 - overlap``."""
        table = own(1.0 - overlap_shares(centre.size, self.n_labels, self.radius))
        return Cardinality(centre, table, factor=self.scale)
