# SPDX-License-Identifier: BSD-3-Clause
"""Slopes of smooth balls, named by sets of labels, and the chances of the variables that are kept (``balls.py``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models.base import Model

RANGES = 12  # of the number of kept variables among those that are counted, about equally likely each
_UNLIKELY_CHANCE = 1e-12  # numbers of kept variables that are left out: their slopes are 1
_SHARE_ERROR = 1e-12  # how far above 1 shares may add up

Packed = NDArray[np.uint8]
Counts = NDArray[np.int64]


def packed(inside: NDArray[np.bool_]) -> Packed:
    """Sets of labels, (..., L), as bits."""
    return np.packbits(inside, axis=-1)


def outside(sets: Packed, rows: Labels, counted: NDArray[np.bool_]) -> Counts:
    """In how many variables each labeling leaves the sets of a name: counted ones, and others, (rows, 2)."""
    bytes_ = sets[np.arange(rows.shape[1]), rows >> 3]
    left = (bytes_ >> (7 - (rows & 7)).astype(np.uint8)) & 1 == 0
    return np.stack([left[:, counted].sum(axis=1), left[:, ~counted].sum(axis=1)], axis=1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class BallSlopes:
    """What names slopes, and the planes that bound them.

    Attributes
    ----------
    sets : (J, n, bytes) bits
        The labels that each name allows for each variable.
    shares : (J, ranges) floats
        beta: of each name, in each range of kept variables.
    steepness : (J, 2) floats
        s: of the plane above each function of distances, per variable that leaves the sets, counted or not.
    counted : (n,) bools
        The variables whose kept ones are counted.
    cells, singles : (n,) ints, (cells, L) floats
        The cell of each variable, and t of each cell and label where one variable is kept.
    """

    sets: Packed
    shares: Doubles
    steepness: Doubles
    counted: NDArray[np.bool_]
    cells: Labels
    singles: Doubles

    def inside(self, labels: int) -> NDArray[np.bool_]:
        """Which labels each name allows, (J, n, L)."""
        return np.unpackbits(self.sets, axis=-1, count=labels).astype(bool)

    def check(self, model: Model) -> None:
        """Refuse what proves nothing."""
        names, n, labels = len(self.sets), model.n_variables, int(model.label_counts.max())
        wanted = (names, n, -(-labels // 8)), (names, RANGES), (names, 2), (n,), (n,)
        given = tuple(array.shape for array in (self.sets, self.shares, self.steepness, self.counted, self.cells))
        if given != wanted or self.counted.dtype != bool:
            raise ValueError(f"sets, shares, steepness, counted and cells must have the shapes {wanted}; got {given}.")
        if not ((self.shares >= 0).all() and (self.shares.sum(axis=0) <= 1 + _SHARE_ERROR).all()):
            raise ValueError("shares of slopes must be at least 0 and add up to at most 1 in each range.")
        if not ((self.singles >= 0).all() and (self.singles <= 1).all()):
            raise ValueError("slopes of single variables must lie between 0 and 1.")


@dataclass(frozen=True, eq=False)
class SubsetProbabilities:
    """Chances of the kept variables R of n, by ranges of how many of the counted variables V are kept.

    Attributes
    ----------
    gamma, counted
        Each of n variables is kept with the chance ``1 - exp(-gamma)``; V are the counted ones.
    within : (ranges, |V| + 1) bools
        The numbers of kept counted variables in each range.
    agree : (ranges, |V| + 1) floats
        Chance that this number is in the range and that R holds none of d given counted variables, by d.
    single : float
        Chance of |R| = 1. These R belong to no range.
    """

    gamma: float
    counted: NDArray[np.bool_]
    within: NDArray[np.bool_]
    agree: Doubles
    single: float

    @classmethod
    def of(cls, gamma: float, counted: NDArray[np.bool_], ranges: int = RANGES) -> SubsetProbabilities:
        """Return the chances of the kept variables, about equal for all ranges."""
        from scipy.special import gammaln

        n = int(counted.sum())
        k, d = np.arange(n + 1), np.arange(n + 1)[:, None]
        chances = _coefficients(n, 1, gamma, n)
        likely = np.flatnonzero(chances > _UNLIKELY_CHANCE)
        which = np.minimum((np.cumsum(chances) - chances / 2) * ranges, ranges - 1).astype(int)[likely]
        few = k[likely]
        with np.errstate(invalid="ignore"):
            fewer = gammaln(n - d + 1) - gammaln(np.maximum(n - d - few, 0) + 1) - gammaln(n + 1) + gammaln(n - few + 1)
        agree = np.where(d + few <= n, np.exp(fewer), 0.0) * chances[likely]
        within = np.zeros((ranges, n + 1), bool)
        within[which, few] = True
        single = counted.size * -np.expm1(-gamma) * np.exp(-gamma * (counted.size - 1))
        return cls(gamma, counted, within, own(within[:, likely] @ agree.T), float(single))

    @property
    def ranges(self) -> int:
        """How many ranges there are."""
        return len(self.within)

    @property
    def n(self) -> int:
        """How many variables there are."""
        return int(self.counted.size)

    @property
    def most(self) -> Counts:
        """How many variables are counted, and how many are not."""
        return np.array([self.within.shape[1] - 1, self.n - self.within.shape[1] + 1])

    @property
    def error(self) -> float:
        """How far chances may be off, as a share: last digits of the logarithms of factorials."""
        return float(32 * np.finfo(np.float64).eps * (10.0 + self.n * np.log(self.n + 1.0)))

    def costs(self, inside: Iterable[NDArray[np.bool_]]) -> Doubles:
        """``sum over R of P(R) * product of |Z_i|`` of each name's sets Z, by range, |R| = 1 excepted, (J, ranges)."""
        return np.array([self._cost(sets.sum(axis=-1)) for sets in inside]).reshape(-1, self.ranges)

    def _cost(self, sizes: Counts) -> Doubles:
        """Coefficients of the product over i of ``exp(-gamma) + (1 - exp(-gamma)) |Z_i| x``, x = 1 if not counted."""
        most = int(np.flatnonzero(self.within.any(axis=0)).max())
        product = np.ones(1)
        for size, count in zip(*np.unique(sizes[self.counted], return_counts=True), strict=True):
            product = np.convolve(product, _coefficients(int(count), int(size), self.gamma, most))[: most + 1]
        others = np.prod(np.exp(-self.gamma) - np.expm1(-self.gamma) * sizes[~self.counted])
        by_number = np.concatenate([product, np.zeros(self.within.shape[1] - product.size)]) * others
        alone = np.array([sizes[self.counted].sum(), sizes[~self.counted].sum()])
        return np.asarray(self.within @ by_number - self._alone @ alone)

    @property
    def _alone(self) -> Doubles:
        """Chance that a given variable is the only one kept, in its range, counted or not, (ranges, 2)."""
        one = self.within[:, 1] if self.within.shape[1] > 1 else np.zeros(self.ranges, bool)
        return np.asarray(np.stack([one, self.within[:, 0]], axis=1) * (self.single / self.n))

    def taken(self, apart: Counts) -> Doubles:
        """Psi of each range: chance that R, not |R| = 1, is in it and holds none of these variables, (..., ranges)."""
        counted, others = apart[..., 0], apart[..., 1]
        agree = self.agree.T[counted] * np.exp(-self.gamma * others)[..., None]
        return np.asarray(agree - (self.most - apart) @ self._alone.T)

    def constants(self, shares: Doubles, steepness: Doubles) -> Doubles:
        """Constants c of the planes: ``max over d of -Psi(d) - s . d``, (J,)."""
        return np.asarray(self._highest(shares, steepness)[0])

    def touching(self, shares: Doubles, steepness: Doubles) -> Counts:
        """The distances at which these planes touch, (J, 2)."""
        return self._highest(shares, steepness)[1]

    def _highest(self, shares: Doubles, steepness: Doubles) -> tuple[Doubles, Counts]:
        """The largest ``-Psi(d) - s . d`` and where: concave in one distance, which is solved for at each other one."""
        slopes, far = steepness + shares @ self._alone, np.arange(self.within.shape[1])
        agree = shares @ self.agree
        with np.errstate(divide="ignore", invalid="ignore"):
            flat = np.log(self.gamma * agree / slopes[:, 1:]) / self.gamma  # where the derivative is 0
        flat = np.where(slopes[:, 1:] > 0, np.nan_to_num(flat, nan=0.0), self.most[1])
        below = np.floor(np.clip(flat, 0, self.most[1]))
        others = np.stack([below, np.minimum(below + 1, self.most[1])], axis=1)  # (J, 2, |V| + 1)
        values = -agree[:, None] * np.exp(-self.gamma * others) - slopes[:, :1, None] * far
        values += (shares @ self._alone @ self.most)[:, None, None] - slopes[:, 1:, None] * others
        names, best = np.arange(len(shares)), values.reshape(len(shares), 2 * far.size).argmax(axis=1)
        side, counted = np.divmod(best, far.size)
        at = np.stack([counted, others[names, side, counted].astype(np.int64)], axis=1)
        return values[names, side, counted], at


def _coefficients(count: int, size: int, gamma: float, most: int) -> Doubles:
    """Coefficients of ``(exp(-gamma) + (1 - exp(-gamma)) * size * x)^count``, up to that of x^most."""
    from scipy.special import gammaln

    if size == 0:
        return np.array([np.exp(-gamma * count)])
    k = np.arange(min(count, most) + 1)
    ways = gammaln(count + 1) - gammaln(k + 1) - gammaln(count - k + 1)
    return np.asarray(np.exp(ways + k * (np.log(-np.expm1(-gamma)) + np.log(size)) - gamma * (count - k)))
