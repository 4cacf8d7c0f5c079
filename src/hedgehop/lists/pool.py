# SPDX-License-Identifier: BSD-3-Clause
"""Greedy selection from an explicit pool of labelings: the classical case, lazily evaluated."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, Labels, as_labelings, own, positive_count
from hedgehop.diversity.base import Diversity
from hedgehop.lists.certificate import certify
from hedgehop.lists.result import DiverseList
from hedgehop.lists.search import check_arguments, reaches
from hedgehop.lists.tradeoff import TradeoffLike, resolve
from hedgehop.models.base import Model


def select(
    pool: ArrayLike,
    model: Model,
    diversity: Diversity,
    m: int = 5,
    tradeoff: TradeoffLike = 1.0,
    first: int | None = None,
) -> DiverseList:
    """``max F(S)`` over m different members S of a pool, greedily: for F monotone within (1 - 1/e) of the best.

    Parameters
    ----------
    pool : (K, *shape) labels
        The candidates; each may be chosen once.
    model : Model
        Gives the relevance.
    diversity : Diversity
        What makes labelings different.
    m : int
        How many to choose, at most K.
    tradeoff : float or hh.per_variable(...)
        The factor of the diversity.
    first : int, optional
        Place in the pool of the member that begins the list, whatever its gain; greedy goes on from there.

    Returns
    -------
    DiverseList
        With ``indices`` into the pool. Its bound holds for lists taken from the pool.

    Examples
    --------
    >>> import hedgehop as hh
    >>> model = hh.FactorGraph([[1.0, 0.0], [1.0, 0.0]])
    >>> hh.select([[0, 0], [0, 1], [1, 1]], model, hh.HammingBall(gamma=1.0), m=2, tradeoff=9.0).indices.tolist()
    [0, 2]
    """
    check_arguments(model, diversity)
    rows, single = as_labelings(pool, model.shape, model.label_counts)
    if single:
        raise ValueError(f"pool must be labelings stacked along a first axis; got one of shape {np.shape(pool)}.")
    m = positive_count(m, "m")
    relevance = np.atleast_1d(np.asarray(model.score(rows), np.float64))  # one row of a one-row grid is a labeling
    allowed = np.flatnonzero(~np.isneginf(relevance))
    if m > allowed.size:
        raise ValueError(f"m must be at most the number of allowed labelings in the pool ({allowed.size}); got {m}.")
    diversity.check(model)
    factor = resolve(tradeoff, model)

    def gains_of(members: list[int], chosen: list[int]) -> Doubles:
        gains = np.asarray(diversity.gain(model, rows[members], rows[chosen]))
        return np.asarray(relevance[members] + factor * gains)

    lazy = diversity.submodular  # only then an old gain bounds a new one
    begin = [] if first is None else [_checked_place(first, allowed)]
    picks = _greedy(allowed.tolist(), m, gains_of, lazy, begin)
    return _collect(rows, relevance, model, diversity, factor, picks)


Gains = Callable[[list[int], list[int]], Doubles]
Picks = tuple[list[int], list[float], list[float]]


def _checked_place(first: int, allowed: NDArray[np.intp]) -> int:
    if first not in allowed:
        raise ValueError(f"first must be the place of an allowed labeling in the pool; got {first!r}.")
    return int(first)


def _greedy(members: list[int], m: int, gains_of: Gains, lazy: bool, begin: list[int]) -> Picks:
    """Return the chosen members, the largest gains (m + 1 of them, the last for the bound), and seconds."""
    chosen: list[int] = []
    best_gains: list[float] = []
    seconds: list[float] = []
    heap = [(-float(g), k) for k, g in zip(members, gains_of(members, []), strict=True)]
    heapq.heapify(heap)
    for _ in range(m + 1):
        start = time.perf_counter()
        if not heap:
            best_gains.append(0.0)  # every member is in the list: nothing can be added
            break
        if len(chosen) < len(begin):
            pick = heap[0][0], begin[len(chosen)]  # the gains of the empty list are fresh
            heap = [entry for entry in heap if entry[1] != pick[1]]
            heapq.heapify(heap)
        else:
            pick = _lazy_max(heap, chosen, gains_of) if lazy else _full_max(heap, chosen, gains_of)
        best_gains.append(-pick[0])
        if len(chosen) == m:
            break
        chosen.append(pick[1])
        seconds.append(time.perf_counter() - start)
    return chosen, best_gains, seconds


def _lazy_max(heap: list[tuple[float, int]], chosen: list[int], gains_of: Gains) -> tuple[float, int]:
    """Re-evaluate members from the top until one stays there (Minoux 1978)."""
    while True:
        _, k = heapq.heappop(heap)
        fresh = (-float(gains_of([k], chosen)[0]), k)
        if not heap or fresh <= heap[0]:
            return fresh
        heapq.heappush(heap, fresh)


def _full_max(heap: list[tuple[float, int]], chosen: list[int], gains_of: Gains) -> tuple[float, int]:
    members = sorted(k for _, k in heap)
    gains = gains_of(members, chosen)
    k = members[int(np.argmax(gains))]
    heap[:] = [(0.0, other) for other in members if other != k]
    return -float(gains.max()), k


def _collect(
    rows: Labels, relevance: Doubles, model: Model, diversity: Diversity, tradeoff: float, picks: Picks
) -> DiverseList:
    chosen, best_gains, seconds = picks
    m = len(chosen)
    taken = rows[chosen]
    objectives = np.concatenate([[0.0], np.cumsum(relevance[chosen])]) + tradeoff * diversity.values(model, taken)
    gains = np.diff(objectives)
    offsets = diversity.offsets(model, taken, m)
    top = rows[int(np.argmax(relevance))][None]
    repeated = m * float(relevance.max()) + tradeoff * diversity.value(model, np.repeat(top, m, axis=0))
    bounds = _with_repeats(picks, rows, relevance, model, diversity, tradeoff)
    lowest = relevance[np.isfinite(relevance)].min()
    failed = "the pool's relevance may be negative" if lowest < 0 else _parsimony(diversity, model)
    certificate = certify(m, tradeoff, objectives.tolist(), offsets.tolist(), bounds, repeated, failed)
    return DiverseList(
        labelings=own(taken.reshape(m, *model.shape)),
        relevance=own(relevance[chosen]),
        gains=own(gains),
        bounds=own(np.array(best_gains[:m])),
        exact=own(np.array([reaches(model, g, b) for g, b in zip(gains, best_gains, strict=False)])),
        seconds=own(np.array(seconds)),
        oracles=("pool",) * m,
        certificate=certificate,
        tradeoff=tradeoff,
        diversity=repr(diversity),
        method=f"greedy from a pool of {len(rows)}",
        model=repr(model),
        indices=own(np.array(chosen, np.int64)),
    )


def _with_repeats(
    picks: Picks, rows: Labels, relevance: Doubles, model: Model, diversity: Diversity, tradeoff: float
) -> list[float]:
    """U_t must also bound members that are chosen already: the best list may contain them."""
    chosen, best_gains, _ = picks
    bounds = []
    for t, gain in enumerate(best_gains):
        taken = chosen[:t]
        again = relevance[taken] + tradeoff * np.asarray(diversity.gain(model, rows[taken], rows[taken]))
        bounds.append(max(gain, float(again.max(initial=-np.inf))))
    return bounds


def _parsimony(diversity: Diversity, model: Model) -> str | None:
    return None if diversity.parsimony_floor(model) >= 0 else "parsimony may be negative"
