# SPDX-License-Identifier: BSD-3-Clause
"""Lists in limited time: every step may take its share of what is left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from math import inf

from hedgehop.lists.state import ListState
from hedgehop.oracles.effort import Effort, checked_limits, limited


@dataclass(frozen=True)
class Pace:
    """How good the steps of a list have to be, and when the list has to be done.

    Attributes
    ----------
    tolerance : float or None
        Share of what is at stake that every step may leave open; None leaves it to oracles.
    end : float
        When the list has to be done, by ``Effort.now``.
    """

    tolerance: float | None = None
    end: float = inf

    @classmethod
    def of(cls, tolerance: float | None, time_limit: float | None) -> Pace:
        """Return the pace of a list that begins now."""
        share, seconds = checked_limits(tolerance, time_limit)
        return cls(share, inf if seconds is None else Effort.now() + seconds)

    @property
    def is_over(self) -> bool:
        """Whether no time is left; without a limit the clock is not used."""
        return self.end < inf and Effort.now() >= self.end

    def step(self, left: int = 1) -> AbstractContextManager[Effort]:
        """Limit the next of so many steps that are left."""
        return limited(self.tolerance, None if self.end == inf else max(0.0, self.end - Effort.now()) / left)

    def grown(self, states: Iterator[ListState], m: int) -> Iterator[ListState]:
        """Yield the states of a list that grows to m labelings, as far as its time goes; one in any case.

        The first step may take half of the time: without it there is no list. A later one that finds no labeling in
        its time ends the list.
        """
        for t in range(m):
            if t and self.is_over:
                return
            try:
                with self.step(m - t if t else min(m, 2)):  # ends before: callbacks take no time of the steps
                    state = next(states, None)
            except TimeoutError:
                if not t:
                    raise
                return
            if state is None:
                return
            yield state
