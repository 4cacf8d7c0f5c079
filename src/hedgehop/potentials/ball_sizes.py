# SPDX-License-Identifier: BSD-3-Clause
"""Sizes of Hamming balls and of their overlaps (docs/theory.md 6)."""

from __future__ import annotations

from functools import lru_cache
from math import comb, exp

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, Labels, own

MOST_LISTED = 2**20  # labelings up to which unions of balls are counted one by one
_LARGEST_EXACT = 400  # variables; beyond, logarithms are faster and lose only the last digits


def ball_size(n: int, labels: int, radius: int) -> int:
    """Number of labelings within `radius` of a given one."""
    return sum(comb(n, c) * (labels - 1) ** c for c in range(min(radius, n) + 1))


def _drop(n: int, labels: int, radius: int, distance: int) -> int:
    """``I(d) - I(d + 1)``: labelings of n - 1 variables at exactly `radius` from both of two at distance d.

    With x and y counting the distances to the centres, an agreeing variable is ``A = 1 + (L - 1) x y``, a differing
    one ``B = x + y + (L - 2) x y``, and I(d) adds up the coefficients of ``A^(n-d) B^d`` to x^r y^r. Since
    ``A - B = (1 - x) (1 - y)``, the difference is the coefficient of x^r y^r in ``A^(n-1-d) B^d``: of the differing
    variables p equal either centre, o neither.
    """
    total = 0
    for p in range(max(0, distance - radius), distance // 2 + 1):
        o, c = distance - 2 * p, radius - (distance - p)
        ways = comb(distance, p) * comb(distance - p, p) * (labels - 2) ** o
        total += ways * comb(n - 1 - distance, c) * (labels - 1) ** c
    return total


@lru_cache(maxsize=64)
def overlap_shares(n: int, labels: int, radius: int) -> Doubles:
    """``I(d) / |B|`` for d = 0..n: the shared part of two balls whose centres differ in d variables."""
    radius = min(radius, n)
    last = min(n - 1, 2 * radius)
    if n <= _LARGEST_EXACT:
        size = ball_size(n, labels, radius)
        drops = np.array([_drop(n, labels, radius, d) / size for d in range(last + 1)])
    else:
        log_size = _log_size(n, labels, radius)
        drops = np.array([exp(_log_drop(n, labels, radius, d) - log_size) for d in range(last + 1)])
    shares = np.zeros(n + 1)
    farthest = max(0.0, 1.0 - float(drops.sum())) if 2 * radius >= n else 0.0
    shares[: drops.size] = farthest + np.cumsum(drops[::-1])[::-1]  # from the small ones on: no digits are lost
    shares[drops.size :] = farthest
    shares[0] = 1.0
    return own(np.clip(shares, 0.0, 1.0))


def uncovered_shares(centres: Labels, radius: int, labels: int) -> Doubles:
    """For every labeling y, listed in lexicographic order: the share of y's ball that no centre's ball covers.

    Counts the free labelings at each distance from y, one variable after the other: O(n radius labels^n). The tables
    asked for last are kept: a list's coverage asks for all its beginnings again and again.
    """
    return _uncovered_shares(np.ascontiguousarray(centres, np.int32).tobytes(), len(centres), radius, labels)


@lru_cache(maxsize=12)
def _uncovered_shares(centres: bytes, count: int, radius: int, labels: int) -> Doubles:
    rows = np.frombuffer(centres, np.int32).reshape(count, -1)
    n = rows.shape[1]
    radius = min(radius, n)
    free = np.ones(labels**n, bool)
    for row in rows:
        free &= _all_distances(row, labels) > radius
    at_distance = np.zeros((radius + 1, free.size))
    at_distance[0] = free
    for place in place_values(n, labels):
        cube = at_distance.reshape(radius + 1, -1, labels, int(place))  # a view: the variable is axis 2
        cube[1:] += cube[:-1].sum(axis=2, keepdims=True) - cube[:-1]
    return own(at_distance.sum(axis=0) / ball_size(n, labels, radius))


def _all_distances(centre: Labels, labels: int) -> NDArray[np.int16]:
    """Distances of all labelings, in lexicographic order, from one."""
    distances = np.zeros(1, np.int16)
    for label in centre:
        distances = (distances[:, None] + (np.arange(labels) != label)).reshape(-1).astype(np.int16)
    return distances


def place_values(n: int, labels: int) -> NDArray[np.int64]:
    """Weights that turn a labeling into its lexicographic number."""
    return labels ** np.arange(n - 1, -1, -1, dtype=np.int64)


def _log_size(n: int, labels: int, radius: int) -> float:
    from scipy.special import logsumexp

    c = np.arange(radius + 1)
    return float(logsumexp(_log_comb(n, c) + _log_power(labels - 1, c)))


def _log_drop(n: int, labels: int, radius: int, distance: int) -> float:
    """Logarithm of `_drop`; with two labels only ``2 p = d`` is possible."""
    from scipy.special import logsumexp

    first = distance // 2 if labels == 2 else max(0, distance - radius)
    p = np.arange(max(first, distance - radius), distance // 2 + 1)
    c = radius - distance + p
    p, c = p[c <= n - 1 - distance], c[c <= n - 1 - distance]
    if p.size == 0:
        return -np.inf
    ways = _log_comb(distance, p) + _log_comb(distance - p, p) + _log_power(labels - 2, distance - 2 * p)
    return float(logsumexp(ways + _log_comb(n - 1 - distance, c) + _log_power(labels - 1, c)))


def _log_comb(n: ArrayLike, k: ArrayLike) -> Doubles:
    from scipy.special import gammaln

    total, part = np.asarray(n, float), np.minimum(np.asarray(k, float), n)
    return np.asarray(gammaln(total + 1) - gammaln(part + 1) - gammaln(total - part + 1))


def _log_power(base: int, exponent: ArrayLike) -> Doubles:
    k = np.asarray(exponent, float)
    if base > 0:
        return np.asarray(k * np.log(base))
    return np.where(k == 0, 0.0, -np.inf)  # 0^0 = 1
