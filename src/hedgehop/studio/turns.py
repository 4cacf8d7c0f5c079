# SPDX-License-Identifier: BSD-3-Clause
"""Turns on the processors: requests without a first answer go before those that wait for the rest of a list."""

from __future__ import annotations

import threading
from bisect import insort
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

Ahead = Callable[[int], object]


class Turns:
    """At most so many sessions compute at once; the others wait in order.

    Examples
    --------
    >>> turns = Turns(1)
    >>> with turns.taken():
    ...     turns.give_way()  # nobody waits for a first answer, so this goes on
    """

    def __init__(self, most: int) -> None:
        self._free = most
        self._waiting: list[tuple[bool, int]] = []  # (whether only the rest is waited for, number), in order
        self._numbers = count()
        self._changed = threading.Condition()

    @contextmanager
    def taken(self, ahead: Ahead | None = None) -> Iterator[None]:
        """Wait for a turn, and hold it in the block; `ahead` receives how many others come first, if any do."""
        self._take(False, ahead)
        try:
            yield
        finally:
            self._release()

    def give_way(self) -> None:
        """In a turn, once there is a first answer: let those go first who have none yet."""
        with self._changed:
            if not self._waiting or self._waiting[0][0]:
                return
        self._release()
        self._take(True, None)

    def _take(self, rest: bool, ahead: Ahead | None) -> None:
        with self._changed:
            ticket, told = (rest, next(self._numbers)), 0
            insort(self._waiting, ticket)
            try:
                while (place := self._waiting.index(ticket) + 1) > self._free:
                    if ahead is not None and place != told:
                        ahead(place - 1)
                        told = place
                    self._changed.wait()
                self._free -= 1
            finally:  # whoever fails must not stay in the way of others
                self._waiting.remove(ticket)
                self._changed.notify_all()

    def _release(self) -> None:
        with self._changed:
            self._free += 1
            self._changed.notify_all()
