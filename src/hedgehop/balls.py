"""Sizes of Hamming balls and of their overlaps (ALGORITHMS 4.1)."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from math import comb, exp

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, logsumexp

from hedgehop._arrays import Doubles, Labels, own

MOST_LISTED = 2**20  # labelings up to which unions of balls are counted one by one
_LARGEST_EXACT = 400  # variables; beyond, logarithms are faster and lose only the last digits


def ball_size(n: int, labels: int, radius: int) -> int:
    """Number of labelings within `radius` of a given one."""
    return sum(comb(n, c) * (labels - 1) ** c for c in range(min(radius, n) + 1))


def overlap_size(n: int, labels: int, radius: int, distance: int) -> int:
    """Number of labelings within `radius` of both of two labelings at this distance.

    Of the agreeing positions c deviate; of the differing ones o equal neither centre, and at least `least`
    equal each.
    """
    total = 0
    for c in range(min(radius, n - distance) + 1):
        least = max(0, distance + c - radius)
        ways = 0
        for o in range(distance - 2 * least + 1 if labels > 2 else min(1, distance - 2 * least + 1)):
            rest = distance - o
            central = 2**rest - 2 * _binomial_prefix(rest)[least]  # sum of C(rest, a), least <= a <= rest - least
            ways += comb(distance, o) * (labels - 2) ** o * central
        total += comb(n - distance, c) * (labels - 1) ** c * ways
    return total


@lru_cache(maxsize=1024)
def _binomial_prefix(n: int) -> list[int]:
    """Sums of the first 0, 1, ..., n binomial coefficients C(n, .)."""
    return list(accumulate((comb(n, a) for a in range(n)), initial=0))


@lru_cache(maxsize=64)
def overlap_shares(n: int, labels: int, radius: int) -> Doubles:
    """``I(d) / |B|`` for d = 0..n: the shared part of two balls whose centres differ in d variables."""
    radius = min(radius, n)
    shares = np.zeros(n + 1)
    if n <= _LARGEST_EXACT and radius <= 40:
        size = ball_size(n, labels, radius)
        for d in range(min(n, 2 * radius) + 1):
            shares[d] = overlap_size(n, labels, radius, d) / size
    else:
        for d in range(min(n, 2 * radius) + 1):
            shares[d] = exp(_log_overlap(n, labels, radius, d) - _log_size(n, labels, radius))
    shares[0] = 1.0
    return own(shares)


def uncovered_shares(centres: Labels, radius: int, labels: int) -> Doubles:
    """For every labeling y, listed in lexicographic order: the share of y's ball that no centre's ball covers.

    Counts the free labelings at each distance from y, one variable after the other: O(n radius labels^n).
    """
    n = centres.shape[1]
    index = np.arange(labels**n)
    distances = np.zeros((len(centres), index.size), np.int32)
    for i, place in enumerate(place_values(n, labels)):
        distances += index // place % labels != centres[:, i, None]
    radius = min(radius, n)
    at_distance = np.zeros((radius + 1, index.size))
    at_distance[0] = (distances > radius).all(axis=0)
    for place in place_values(n, labels):
        cube = at_distance.reshape(radius + 1, -1, labels, int(place))  # a view: the variable is axis 2
        cube[1:] += cube[:-1].sum(axis=2, keepdims=True) - cube[:-1]
    return np.asarray(at_distance.sum(axis=0) / ball_size(n, labels, radius))


def place_values(n: int, labels: int) -> NDArray[np.int64]:
    """Weights that turn a labeling into its lexicographic number."""
    return labels ** np.arange(n - 1, -1, -1, dtype=np.int64)


def _log_size(n: int, labels: int, radius: int) -> float:
    c = np.arange(radius + 1)
    return float(logsumexp(_log_comb(n, c) + _log_power(labels - 1, c)))


def _log_overlap(n: int, labels: int, radius: int, distance: int) -> float:
    """Logarithm of `overlap_size`, all sums vectorised."""
    o, least = np.meshgrid(np.arange(distance + 1), np.arange(distance // 2 + 1), indexing="ij")
    rest = distance - o
    mirror = np.where(2 * least < rest, np.log(2.0), 0.0)  # C(rest, least) and C(rest, rest - least)
    pairs = np.where(2 * least <= rest, _log_comb(rest, least) + mirror, -np.inf)
    central = np.logaddexp.accumulate(pairs[:, ::-1], axis=1)[:, ::-1]
    by_least = logsumexp(central + _log_comb(distance, o) + _log_power(labels - 2, o), axis=0)
    c = np.arange(min(radius, n - distance) + 1)
    needed = np.maximum(0, distance + c - radius)
    c, needed = c[2 * needed <= distance], needed[2 * needed <= distance]
    if c.size == 0:
        return -np.inf
    return float(logsumexp(_log_comb(n - distance, c) + _log_power(labels - 1, c) + by_least[needed]))


def _log_comb(n: ArrayLike, k: ArrayLike) -> Doubles:
    total, part = np.asarray(n, float), np.minimum(np.asarray(k, float), n)
    return np.asarray(gammaln(total + 1) - gammaln(part + 1) - gammaln(total - part + 1))


def _log_power(base: int, exponent: ArrayLike) -> Doubles:
    k = np.asarray(exponent, float)
    if base > 0:
        return np.asarray(k * np.log(base))
    return np.where(k == 0, 0.0, -np.inf)  # 0^0 = 1
