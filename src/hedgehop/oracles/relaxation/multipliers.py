# SPDX-License-Identifier: BSD-3-Clause
"""Multipliers that turn ramps into scores of single slots, and how to improve them (docs/theory.md 11).

For any multipliers ``delta`` of a ramp f over its members, with x_i = 1 where member i carries the code,

    f(sum x) <= sum_i delta_i x_i + max_x' ( f(sum x') - sum_i delta_i x'_i ).

The first part is linear and goes to the solver, the second is a number. Costs for any member and rewards for all
members are *shared*: each member has its own multiplier. Rewards for any member and costs for all of them are the
hard direction; one slope for all members loses nothing there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles
from hedgehop.oracles.relaxation.ramps import Indices, Ramp


class Multipliers:
    """Multipliers of several ramps over the same kind of slots, ``gaps[slot, code]`` telling where to start.

    A gap is what the present labeling would lose, at first sight, by that slot carrying that code.
    """

    def __init__(self, ramps: Sequence[Ramp], codes: Indices, gaps: Doubles) -> None:
        self.shape = gaps.shape
        is_shared = [(r.weight < 0) == (r.start + r.width < r.members.size or r.members.size == 1) for r in ramps]
        self.shared = _Shared([r for r, s in zip(ramps, is_shared, strict=True) if s], codes)
        self.slopes = _Slopes([r for r, s in zip(ramps, is_shared, strict=True) if not s], codes, gaps)

    def scores(self) -> Doubles:
        """What to add to the scores of slots, (slots, codes)."""
        total = np.zeros(self.shape)
        self.shared.add_to(total)
        self.slopes.add_to(total)
        return total

    def rest(self) -> float:
        """What ramps may add beside these scores."""
        return self.shared.rest() + self.slopes.rest()

    def slope(self, codes: Indices) -> float:
        """Prepare a step against the subgradient where slots carry `codes`; return its squared length."""
        return self.shared.slope(codes) + self.slopes.slope(codes)

    def step(self, length: float) -> None:
        """Make the prepared step, this long per unit, and return to sensible multipliers."""
        self.shared.step(length)
        self.slopes.step(length)


class _Slopes:
    """One multiplier for all members of a ramp."""

    def __init__(self, ramps: list[Ramp], codes: Indices, gaps: Doubles) -> None:
        self.ramps = ramps
        ends = [(0, r.start, r.start + r.width, r.members.size) for r in ramps]
        self.counts = np.array(ends, np.int64).reshape(-1, 4)  # a piecewise linear maximum is at one of these
        self.values = np.array([r.at(k) for r, k in zip(ramps, self.counts, strict=True)]).reshape(-1, 4)
        steepest = [r.weight / (r.start + r.width if r.weight > 0 else r.width) for r in ramps]
        self.low, self.high = np.minimum(steepest, 0.0), np.maximum(steepest, 0.0)
        first = [_break_even(r, codes, gaps) for r in ramps]
        self.delta = np.clip(np.array(first), self.low, self.high)
        self.direction = np.zeros(len(ramps))

    def add_to(self, total: Doubles) -> None:
        for ramp, delta in zip(self.ramps, self.delta, strict=True):
            total[ramp.members, ramp.code] += delta

    def rest(self) -> float:
        return float((self.values - self.delta[:, None] * self.counts).max(axis=1).sum()) if self.ramps else 0.0

    def slope(self, codes: Indices) -> float:
        if not self.ramps:
            return 0.0
        best = (self.values - self.delta[:, None] * self.counts).argmax(axis=1)
        carried = np.array([_carried(r, codes) for r in self.ramps])
        self.direction = (carried - self.counts[np.arange(best.size), best]).astype(np.float64)
        return float((self.direction**2).sum())

    def step(self, length: float) -> None:
        self.delta = np.clip(self.delta - length * self.direction, self.low, self.high)


class _Shared:
    """One multiplier for each member of each ramp: shares of its weight."""

    def __init__(self, ramps: list[Ramp], codes: Indices) -> None:
        self.ramps = ramps
        sizes = np.array([r.members.size for r in ramps], np.int64)
        self.first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.ramp = np.repeat(np.arange(len(ramps)), sizes)
        self.slot = np.concatenate([r.members for r in ramps]) if ramps else np.zeros(0, np.int64)
        self.code = np.repeat(np.array([r.code for r in ramps], np.int64), sizes)
        self.caps = np.array([_cap(r, codes) for r in ramps])
        self.delta = np.concatenate([_first_shares(r, codes) for r in ramps]) if ramps else np.zeros(0)
        self.direction = np.zeros(self.delta.size)
        # Shares that add up to the weight leave nothing else of a plain cost or of a reward for all.
        self.has_rest = np.array([(r.start > 0) if r.weight < 0 else (r.width > 1) for r in ramps], bool)

    def add_to(self, total: Doubles) -> None:
        for k, ramp in enumerate(self.ramps):  # members of one ramp differ
            total[ramp.members, ramp.code] += self.delta[self.first[k] : self.first[k + 1]]

    def rest(self) -> float:
        return sum(self._best(int(k))[0] for k in np.flatnonzero(self.has_rest))

    def slope(self, codes: Indices) -> float:
        self.direction = (codes[self.slot] == self.code).astype(np.float64)
        for k in np.flatnonzero(self.has_rest):
            self.direction[self.first[k] + self._best(int(k))[1]] -= 1.0
        return float((self.direction**2).sum())

    def step(self, length: float) -> None:
        moved = self.delta - length * self.direction
        sign = np.sign(self.caps)[self.ramp]
        moved = sign * np.maximum(0.0, sign * moved)
        sums = np.bincount(self.ramp, weights=np.abs(moved), minlength=len(self.ramps))
        caps = np.abs(self.caps)
        for k in np.flatnonzero((self.caps > 0) & (sums == 0)):  # a reward is shared out whole
            moved[self.first[k] : self.first[k + 1]] = self.caps[k] / self.ramps[k].members.size
            sums[k] = caps[k]
        scaled = (self.caps > 0) | (sums > caps)
        scale = np.divide(caps, sums, out=np.ones_like(caps), where=scaled & (sums > 0))
        self.delta = moved * scale[self.ramp]

    def _best(self, k: int) -> tuple[float, Indices]:
        """``max_x f(sum x) - delta x``, and which members x takes: those with the smallest multipliers."""
        delta = self.delta[self.first[k] : self.first[k + 1]]
        order = np.argsort(delta, kind="stable")
        taken = np.concatenate([[0.0], np.cumsum(delta[order])])
        values = self.ramps[k].at(np.arange(taken.size)) - taken
        count = int(values.argmax())
        return float(values[count]), order[:count]


def _carried(ramp: Ramp, codes: Indices) -> int:
    return int((codes[ramp.members] == ramp.code).sum())


def _cap(ramp: Ramp, codes: Indices) -> float:
    """What the multipliers of a ramp may add up to; more than the weight where some members are let off."""
    users = _carried(ramp, codes)
    return ramp.weight * (users / (users - ramp.start) if ramp.weight < 0 and users > ramp.start else 1.0)


def _first_shares(ramp: Ramp, codes: Indices) -> Doubles:
    """Spread costs over the members that pay them now, rewards over all."""
    payers: NDArray[np.bool_] = np.asarray(codes[ramp.members] == ramp.code)
    if ramp.weight > 0:
        payers = np.ones(ramp.members.size, bool)
    elif payers.sum() <= ramp.start:
        return np.zeros(ramp.members.size)
    return np.asarray(payers * (_cap(ramp, codes) / payers.sum()))


def _break_even(ramp: Ramp, codes: Indices, gaps: Doubles) -> float:
    """What the cheapest members ask for: to carry the code if that is rewarded, to drop it if it costs."""
    carried, wanted = _carried(ramp, codes), ramp.start + ramp.width
    if (carried >= wanted) == (ramp.weight > 0):
        return 0.0
    if ramp.weight < 0:
        return -float(np.delete(gaps[ramp.members], ramp.code, axis=1).min(initial=np.inf))
    return float(np.sort(gaps[ramp.members, ramp.code])[:wanted].mean())
