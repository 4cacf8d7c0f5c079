# SPDX-License-Identifier: BSD-3-Clause
"""Slopes of smooth balls, named by sets of labels, and the chances of the variables that are kept (``balls.py``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models.base import Model

RANGES = 8  # of the number of kept variables, about equally likely each
_UNLIKELY_CHANCE = 1e-12  # numbers of kept variables that are left out: their slopes are 1
_SHARE_ERROR = 1e-12  # how far above 1 shares may add up

Packed = NDArray[np.uint8]


def packed(inside: NDArray[np.bool_]) -> Packed:
    """Sets of labels, (..., L), as bits."""
    return np.packbits(inside, axis=-1)


def outside(sets: Packed, rows: Labels) -> NDArray[np.int64]:
    """In how many variables each labeling leaves the sets of a name, (rows,)."""
    bytes_ = sets[np.arange(rows.shape[1]), rows >> 3]
    return np.asarray(((bytes_ >> (7 - (rows & 7)).astype(np.uint8)) & 1 == 0).sum(axis=1))


@dataclass(frozen=True, eq=False)
class BallSlopes:
    """What names slopes, and the lines that bound them.

    Attributes
    ----------
    sets : (J, n, bytes) bits
        The labels that each name allows for each variable.
    shares : (J, ranges) floats
        beta: of each name, in each range of kept variables.
    steepness : (J,) floats
        s: of the line above each function of a distance, per variable that leaves the sets.
    cells, singles : (n,) ints, (cells, L) floats
        The cell of each variable, and t of each cell and label where one variable is kept.
    """

    sets: Packed
    shares: Doubles
    steepness: Doubles
    cells: Labels
    singles: Doubles

    def inside(self, labels: int) -> NDArray[np.bool_]:
        """Which labels each name allows, (J, n, L)."""
        return np.unpackbits(self.sets, axis=-1, count=labels).astype(bool)

    def check(self, kept: SubsetProbabilities, model: Model) -> None:
        """Refuse what proves nothing."""
        names, labels = len(self.sets), int(model.label_counts.max())
        wanted = (names, kept.n, -(-labels // 8)), (names, kept.ranges), (names,), (kept.n,)
        given = self.sets.shape, self.shares.shape, self.steepness.shape, self.cells.shape
        if given != wanted:
            raise ValueError(f"sets, shares, steepness and cells must have the shapes {wanted}; got {given}.")
        if not ((self.shares >= 0).all() and (self.shares.sum(axis=0) <= 1 + _SHARE_ERROR).all()):
            raise ValueError("shares of slopes must be at least 0 and add up to at most 1 in each range.")
        if not ((self.singles >= 0).all() and (self.singles <= 1).all()):
            raise ValueError("slopes of single variables must lie between 0 and 1.")


@dataclass(frozen=True, eq=False)
class SubsetProbabilities:
    """Chances of the kept variables R of n, by ranges of |R|.

    Attributes
    ----------
    n, gamma
        Each of n variables is kept with the chance ``1 - exp(-gamma)``.
    within : (ranges, n + 1) bools
        The numbers of kept variables in each range; 1 is in none of them.
    agree : (ranges, n + 1) floats
        Chance that |R| is in the range and that R holds none of d given variables, by d.
    single : float
        Chance of |R| = 1.
    """

    n: int
    gamma: float
    within: NDArray[np.bool_]
    agree: Doubles
    single: float

    @classmethod
    def of(cls, n: int, gamma: float, ranges: int = RANGES) -> SubsetProbabilities:
        """Return the chances of n variables, about equal for all ranges."""
        from scipy.special import gammaln

        k, d = np.arange(n + 1), np.arange(n + 1)[:, None]
        chances = _coefficients(n, 1, gamma, n)
        likely = np.flatnonzero((chances > _UNLIKELY_CHANCE) & (k != 1))  # single variables have slopes of their own
        which = np.minimum((np.cumsum(chances) - chances / 2) * ranges, ranges - 1).astype(int)[likely]
        few = k[likely]
        with np.errstate(invalid="ignore"):
            fewer = gammaln(n - d + 1) - gammaln(np.maximum(n - d - few, 0) + 1) - gammaln(n + 1) + gammaln(n - few + 1)
        agree = np.where(d + few <= n, np.exp(fewer), 0.0) * chances[likely]
        within = np.zeros((ranges, n + 1), bool)
        within[which, few] = True
        return cls(n, gamma, within, own(within[:, likely] @ agree.T), float(chances[1]))

    @property
    def ranges(self) -> int:
        """How many ranges there are."""
        return len(self.within)

    @property
    def error(self) -> float:
        """How far chances may be off, as a share: last digits of the logarithms of factorials."""
        return float(32 * np.finfo(np.float64).eps * (10.0 + self.n * np.log(self.n + 1.0)))

    def costs(self, inside: Iterable[NDArray[np.bool_]]) -> Doubles:
        """``sum over R of P(R) * product of |Z_i|`` of each name's sets Z, by range, (J, ranges)."""
        rows = [self.within @ self._by_number(sets.sum(axis=-1)) for sets in inside]
        return np.array(rows).reshape(-1, self.ranges)

    def _by_number(self, sizes: NDArray[np.int64]) -> Doubles:
        """The same by |R|: coefficients of the product over i of ``exp(-gamma) + (1 - exp(-gamma)) |Z_i| x``."""
        most = int(np.flatnonzero(self.within.any(axis=0)).max())
        product = np.ones(1)
        for size, count in zip(*np.unique(sizes, return_counts=True), strict=True):
            product = np.convolve(product, _coefficients(int(count), int(size), self.gamma, most))[: most + 1]
        return np.concatenate([product, np.zeros(self.n + 1 - product.size)])

    def lines(self, shares: Doubles, steepness: Doubles) -> Doubles:
        """Constants c of the lines: ``max over d of -Psi(d) - s d``, (J,)."""
        return np.asarray(self._above(shares, steepness).max(axis=1))

    def touching(self, shares: Doubles, steepness: Doubles) -> NDArray[np.int64]:
        """The distances at which these lines touch, (J,)."""
        return np.asarray(self._above(shares, steepness).argmax(axis=1))

    def _above(self, shares: Doubles, steepness: Doubles) -> Doubles:
        return np.asarray(-shares @ self.agree - np.outer(steepness, np.arange(self.n + 1)))


def _coefficients(count: int, size: int, gamma: float, most: int) -> Doubles:
    """Coefficients of ``(exp(-gamma) + (1 - exp(-gamma)) * size * x)^count``, up to that of x^most."""
    from scipy.special import gammaln

    if size == 0:
        return np.array([np.exp(-gamma * count)])
    k = np.arange(min(count, most) + 1)
    ways = gammaln(count + 1) - gammaln(k + 1) - gammaln(count - k + 1)
    return np.asarray(np.exp(ways + k * (np.log(-np.expm1(-gamma)) + np.log(size)) - gamma * (count - k)))
