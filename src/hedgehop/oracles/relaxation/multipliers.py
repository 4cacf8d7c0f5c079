# SPDX-License-Identifier: BSD-3-Clause
"""Multipliers that turn functions of counts into scores, and how to improve them (docs/theory.md 11).

For any multipliers ``delta`` of a function f of a count over its members, with x_i = 1 where member i carries the code,

    f(sum x) <= sum_i delta_i x_i + max_x' ( f(sum x') - sum_i delta_i x'_i ).

The first part is linear and goes to the solver, the second is a number. Costs for any member and rewards for all
members are *shared*: each member has its own multiplier. Rewards for any member and costs for all of them are the
hard direction; one slope for all members loses nothing there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.potentials.count_functions import Threshold
from hedgehop.potentials.counts import CountFunction, Indices, threshold


class Multipliers:
    """Multipliers of several functions with the same codes, ``losses[slot, code]`` telling where to start.

    A loss is what the present labeling would lose, at first sight, by that slot carrying that code.
    """

    def __init__(self, counts: Sequence[CountFunction], codes: Indices, losses: Doubles) -> None:
        self.per_member = _MemberMultipliers([c for c in counts if _has_member_multipliers(c)], codes, losses)
        self.per_count = _OneMultiplier([c for c in counts if not _has_member_multipliers(c)], codes, losses)

    def scores(self) -> Doubles:
        """What to add to the scores of slots, (slots, codes)."""
        total = self.per_member.kernel.scores()
        self.per_count.add_to(total)
        return total

    def added_to(self, scores: Doubles, twins: Indices) -> Doubles:
        """Scores of slots, (slots, codes), with what to add to them, and to the twin of each code, (codes,)."""
        total = self.per_member.kernel.added_to(scores, twins)
        self.per_count.add_to(total, twins)
        return total

    def rest(self) -> float:
        """What the functions may add beside these scores."""
        return self.per_member.rest() + self.per_count.rest()

    def slope(self, codes: Indices) -> float:
        """Prepare a step against the subgradient where slots carry `codes`; return its squared length."""
        return self.per_member.slope(codes) + self.per_count.slope(codes)

    def step(self, length: float) -> None:
        """Make the prepared step, this long per unit, and return to sensible multipliers."""
        self.per_member.step(length)
        self.per_count.step(length)


def _has_member_multipliers(count: CountFunction) -> bool:
    function = count.function
    if not isinstance(function, Threshold) or count.weights is not None:
        return False
    for_any = function.start + function.width < count.total or count.total == 1
    return (function.weight < 0) == for_any


class _OneMultiplier:
    """One multiplier for all members."""

    def __init__(self, counts: list[CountFunction], codes: Indices, losses: Doubles) -> None:
        self.counts = counts
        bends = [c.function.bends(c.total) for c in counts]  # a piecewise linear maximum is at one of these
        most = max((b.size for b in bends), default=0)
        self.bends = np.array([np.pad(b, (0, most - b.size), mode="edge") for b in bends]).reshape(len(counts), most)
        self.values = np.array([c.function.at(b) for c, b in zip(counts, self.bends, strict=True)])
        steepest = np.array([c.function.steepest for c in counts]).reshape(-1, 2)
        self.low, self.high = steepest.T
        first = np.array([_break_even(c, codes, losses) for c in counts])
        self.delta = np.clip(first, self.low, self.high)
        self.direction = np.zeros(len(counts))

    def add_to(self, total: Doubles, twins: Indices | None = None) -> None:
        for count, delta in zip(self.counts, self.delta, strict=True):
            if delta == 0.0:
                continue
            for code in {count.code} if twins is None else {count.code, int(twins[count.code])}:
                total[count.members, code] += delta if count.weights is None else delta * count.weights

    def rest(self) -> float:
        return float((self.values - self.delta[:, None] * self.bends).max(axis=1).sum()) if self.counts else 0.0

    def slope(self, codes: Indices) -> float:
        if not self.counts:
            return 0.0
        best = (self.values - self.delta[:, None] * self.bends).argmax(axis=1)
        carried = np.array([c.count(codes) for c in self.counts])
        self.direction = carried - self.bends[np.arange(best.size), best]
        return float((self.direction**2).sum())

    def step(self, length: float) -> None:
        self.delta = np.clip(self.delta - length * self.direction, self.low, self.high)


class _MemberMultipliers:
    """One multiplier for each member: shares of a threshold's weight."""

    def __init__(self, counts: list[CountFunction], codes: Indices, losses: Doubles) -> None:
        rises = [threshold(c) for c in counts]
        rows = [(f.weight, f.start, f.width, _cap(c, codes)) for c, f in zip(counts, rises, strict=True)]
        first = np.concatenate([[0], np.cumsum([c.members.size for c in counts])]).astype(np.int64)
        shares = np.empty(int(first[-1]))
        for count, start, end in zip(counts, first[:-1].tolist(), first[1:].tolist(), strict=True):
            shares[start:end] = _first_shares(count, codes, losses)
        members = [] if all(_are_all(c.members, len(losses)) for c in counts) else [c.members for c in counts]
        self.kernel = _core.counts.Shares(
            np.array(rows, np.float64).reshape(len(counts), 4),
            np.array([c.code for c in counts], np.int64),
            first,
            np.concatenate([np.zeros(0, np.int32), *members]).astype(np.int32),
            shares,
            *losses.shape,
        )

    def rest(self) -> float:
        return self.kernel.rest()

    def slope(self, codes: Indices) -> float:
        return self.kernel.slope(np.ascontiguousarray(codes, np.int64))

    def step(self, length: float) -> None:
        self.kernel.step(length)


def _are_all(members: Indices, n_slots: int) -> bool:
    """Whether the members of a count are all slots, in order."""
    return members.size == n_slots and bool((members == np.arange(n_slots)).all())


def _cap(count: CountFunction, codes: Indices) -> float:
    """What the multipliers may add up to; more than the weight if some members are let off."""
    rises, users = threshold(count), count.count(codes)
    return rises.weight * (users / (users - rises.start) if rises.weight < 0 and users > rises.start else 1.0)


def _first_shares(count: CountFunction, codes: Indices, losses: Doubles) -> Doubles:
    """Spread rewards over all members, costs over those that pay them now: most on those that would stay longest."""
    rises, size = threshold(count), count.members.size
    if rises.weight > 0:
        return np.full(size, rises.weight / size)
    payers: NDArray[np.bool_] = count.carries(codes)
    if payers.sum() <= rises.start:
        return np.zeros(size)
    margins = np.ones(int(payers.sum()))
    if rises.start == 0:  # else some are let off
        margins = np.delete(losses[count.members[payers]], count.code, axis=1).min(axis=1, initial=np.inf)
        most = margins[np.isfinite(margins)].max(initial=0.0)
        margins = np.minimum(margins, most) + 1e-3 * most + 1e-12
    shares = np.zeros(size)
    shares[payers] = _cap(count, codes) * margins / margins.sum()
    return shares


def _break_even(count: CountFunction, codes: Indices, losses: Doubles) -> float:
    """What the cheapest members ask for: to carry the code if that is rewarded, to drop it if it costs."""
    rises = count.function
    if not isinstance(rises, Threshold):
        return 0.0
    whole = rises.start + rises.width
    if (count.count(codes) >= whole) == (rises.weight > 0):
        return 0.0
    if rises.weight < 0:
        return -float(np.delete(losses[count.members], count.code, axis=1).min(initial=np.inf))
    cheapest = np.sort(losses[count.members, count.code])
    return float(cheapest[: max(1, int(np.ceil(whole)))].mean())


def target_count(rises: Threshold) -> float:
    """The count from which a reward is whole, or from which a cost begins."""
    return rises.start + (rises.width if rises.weight > 0 else 1.0)


def break_even_losses(count: CountFunction, labeling: Labels, losses: Doubles) -> Doubles:
    """What the cheapest members ask for, in rising order, to earn a reward or to be rid of a cost; none if so."""
    rises, carry = threshold(count), count.carries(count.codes.of(labeling))
    missing = int(np.ceil(target_count(rises))) - int(carry.sum())
    if rises.weight > 0:
        return np.sort(losses[count.members[~carry], count.code])[: max(0, missing)]
    other = np.delete(losses[count.members[carry]], count.code, axis=1).min(axis=1, initial=np.inf)
    return np.sort(other)[: max(0, 1 - missing)]
