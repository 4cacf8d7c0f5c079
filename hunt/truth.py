# SPDX-License-Identifier: BSD-3-Clause
"""F of every list and the gain of every labeling, by enumeration; and how much rounding may hide."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from math import comb

import numpy as np

from hunt.diversities import Column
from hunt.structures import Problem

_STAKE_SHARE = 1e-9  # of what is at stake
_DIGITS = 8e-15  # of the sizes that are added up
_MOST_ENUMERATED_LISTS = 20_000


@dataclass
class Truth:
    """What is true of one model, diversity and tradeoff."""

    problem: Problem
    column: Column
    tradeoff: float

    def value(self, lists: np.ndarray) -> np.ndarray:
        """F of (N, m) lists of places."""
        return self.problem.relevance[lists].sum(axis=1) + self.tradeoff * self.column.measure(lists)

    def gains(self, chosen: list[int]) -> np.ndarray:
        """What every allowed labeling adds to a list."""
        every = np.arange(len(self.problem.rows))
        longer = np.concatenate([np.tile(np.array(chosen, int), (len(every), 1)), every[:, None]], axis=1)
        before = self.column.measure(np.array([chosen], int))[0] if chosen else 0.0
        return self.problem.relevance + self.tradeoff * (self.column.measure(longer) - before)

    def far(self, chosen: list[int], distance: int) -> np.ndarray:
        """Which labelings differ from all chosen ones in at least `distance` variables."""
        rows = self.problem.rows
        apart = (rows[:, None] != rows[np.array(chosen, int)]).sum(axis=2)
        return (apart >= distance).all(axis=1)

    def slack(self, gains: np.ndarray, places: list[int]) -> float:
        """Rounding that a comparison of gains may show: a billionth of what the next best ones lose, and digits.

        The stake is how far the labeling falls behind that comes after as many better ones as there are variables,
        so that a huge score which decides nothing buys no room.
        """
        ordered = np.sort(gains)[::-1]
        stake = ordered[0] - ordered[min(len(ordered) - 1, len(self.problem.counts))]
        return _STAKE_SHARE * float(stake) + self.digits(places)

    def digits(self, places: list[int]) -> float:
        """Last digits of F of a list."""
        size = np.abs(self.column.measure(np.array([places], int)))[0] if places else 0.0
        return _DIGITS * float(self.problem.mass[places].sum() + self.tradeoff * (size + len(places)))

    def best_list(self, m: int, distance: int) -> tuple[float, list[int]]:
        """Return the largest F of lists of m labelings that far apart, over all or the most promising ones."""
        order = np.argsort(-self.problem.relevance, kind="stable")
        while comb(len(order) + m - 1, m) > _MOST_ENUMERATED_LISTS:
            order = order[:-1]
        lists = np.array(list(itertools.combinations_with_replacement(order.tolist(), m)))
        if distance:
            rows = self.problem.rows[lists]
            pairs = itertools.combinations(range(m), 2)
            fits = [((rows[:, a] != rows[:, b]).sum(axis=1) >= distance) for a, b in pairs]
            lists = lists[np.logical_and.reduce(fits)] if fits else lists
        if not len(lists):
            return -np.inf, []
        values = self.value(lists)
        top = int(np.argmax(values))
        return float(values[top]), lists[top].tolist()
