# SPDX-License-Identifier: BSD-3-Clause
"""Greedy selection from an explicit pool of labelings: the classical case, lazily evaluated."""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from hedgehop._arrays import Doubles, Labels, as_labelings, own, positive_count
from hedgehop.diversity.base import Diversity
from hedgehop.lists.certificate import Certificate, certify
from hedgehop.lists.objective import Objective, check_arguments
from hedgehop.lists.result import DiverseList, as_list
from hedgehop.lists.state import ListState
from hedgehop.lists.tradeoff import TradeoffLike, resolve
from hedgehop.models.base import Model
from hedgehop.oracles.base import Step
from hedgehop.oracles.exactness import meets


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
        The candidates; each can be chosen once.
    model : Model
        Gives the relevance.
    diversity : Diversity
        What makes labelings different.
    m : int
        Number of labelings to choose, at most K.
    tradeoff : float or hh.per_variable(...)
        The factor of the diversity.
    first : int, optional
        Index in the pool of the first labeling of the list, whatever its gain; greedy continues from there.

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
    scored = ScoredPool.of(Objective(model, diversity, resolve(tradeoff, model, diversity)), rows)
    chosen, steps, last = scored.pick(m, first)
    state = ListState(own(rows[chosen]), tuple(steps))
    bounds = _with_repeats(scored, chosen, [*state.best_gains, last])
    method, indices = f"greedy from a pool of {len(rows)}", own(np.array(chosen, np.int64))
    return as_list(scored.objective, state, _certificate(scored, state, bounds), method, indices=indices)


Heap = list[tuple[float, int]]  # minus the gain of a member, and its place in the pool
Picks = tuple[list[int], list[Step], float]  # members in order, their steps, and the largest gain after the last


@dataclass(frozen=True)
class ScoredPool:
    """Labelings to choose from, each once; those with a relevance of -inf are not allowed."""

    objective: Objective
    rows: Labels
    relevance: Doubles

    @classmethod
    def of(cls, objective: Objective, rows: Labels) -> ScoredPool:
        """Score the labelings of a pool."""
        scores = np.asarray(objective.model.score(rows), np.float64)
        return cls(objective, rows, np.atleast_1d(scores))  # one row of a one-row grid is a labeling

    def gains(self, members: list[int], chosen: list[int]) -> Doubles:
        """What each of the members adds to the chosen ones."""
        return np.asarray(self.objective.gain(self.rows[members], self.relevance[members], self.rows[chosen]))

    def pick(self, m: int, first: int | None = None) -> Picks:
        """Choose m members greedily, beginning with a given one if there is one."""
        heap = self._heap(m)
        chosen: list[int] = []
        steps: list[Step] = []
        while len(chosen) < m:
            start = time.perf_counter()
            begins = first is not None and not chosen
            bound, member = _given(heap, first) if begins else self._largest(heap, chosen)
            steps.append(self._step(member, chosen, bound, time.perf_counter() - start))
            chosen.append(member)
        return chosen, steps, self._largest(heap, chosen)[0] if heap else 0.0

    def _heap(self, m: int) -> Heap:
        allowed = np.flatnonzero(~np.isneginf(self.relevance)).tolist()
        if m > len(allowed):
            text = f"m must be at most the number of allowed labelings in the pool ({len(allowed)})"
            raise ValueError(f"{text}; got {m}.")
        return sorted(zip((-self.gains(allowed, [])).tolist(), allowed, strict=True))

    def _largest(self, heap: Heap, chosen: list[int]) -> tuple[float, int]:
        """Take the member with the largest gain: re-evaluate from the top until one stays there (Minoux 1978)."""
        if not self.objective.diversity.submodular:  # old gains do not bound new ones
            members = [member for _, member in heap]
            heap[:] = sorted(zip((-self.gains(members, chosen)).tolist(), members, strict=True))
        while True:
            _, member = heapq.heappop(heap)
            gain = float(self.gains([member], chosen)[0])
            if not heap or (-gain, member) <= heap[0]:
                return gain, member
            heapq.heappush(heap, (-gain, member))

    def _step(self, member: int, chosen: list[int], bound: float, seconds: float) -> Step:
        model, relevance = self.objective.model, float(self.relevance[member])
        gain = float(self.gains([member], chosen)[0])
        labeling = self.rows[member].reshape(model.shape)
        return Step(labeling, gain, max(bound, gain), meets(model, gain, bound), "pool", seconds, relevance)


def _given(heap: Heap, first: int | None) -> tuple[float, int]:
    """Take a given member from a sorted heap; return the largest gain, and the member."""
    whole = isinstance(first, (int, np.integer))
    place = next((k for k, (_, member) in enumerate(heap) if whole and member == first), None)
    if place is None:
        raise ValueError(f"first must be the index of an allowed labeling in the pool; got {first!r}.")
    return -heap[0][0], heap.pop(place)[1]


def _with_repeats(pool: ScoredPool, chosen: list[int], best_gains: list[float]) -> list[float]:
    """U_t must also bound members that are chosen already: the best list may contain them."""
    again = [pool.gains(chosen[:t], chosen[:t]).max(initial=-np.inf) for t in range(len(best_gains))]
    return [max(gain, float(other)) for gain, other in zip(best_gains, again, strict=True)]


def _certificate(pool: ScoredPool, state: ListState, bounds: list[float]) -> Certificate:
    """Bound the best list taken from the pool."""
    objective = pool.objective
    failed = None if objective.diversity.parsimony_floor(objective.model) >= 0 else "parsimony may be negative"
    if pool.relevance[np.isfinite(pool.relevance)].min() < 0:
        failed = "the pool's relevance may be negative"
    baseline = objective.repeated(pool.rows[int(np.argmax(pool.relevance))], len(state))
    values, online = objective.values(state.rows), objective.list_bounds(state.rows, bounds)
    proven = certify(values, online, bounds, baseline, failed, size=objective.size(state.rows, values[-1]))
    return replace(proven, baseline_gap=0.0)
