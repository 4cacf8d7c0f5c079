# SPDX-License-Identifier: BSD-3-Clause
"""Items to an executor, in chunks, a bounded number at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from itertools import islice
from typing import Any

from hedgehop.batch.items import Item
from hedgehop.batch.outcomes import Outcome

Done = tuple[list[Outcome], float]
Work = Callable[[Sequence[Item]], Done]
Record = Callable[[Sequence[Outcome]], Any]
_CHUNK_SECONDS = 1.0  # that a chunk should take: much more than handing it over, much less than people wait
_MOST_ITEMS = 64  # of a chunk, whose loss a crash may cost


class Chunks:
    """Items in pieces: as many at a time as is said or, by default, as take about a second.

    Single items that go back (their chunk failed as a whole) come out again one by one.
    """

    def __init__(self, items: Iterator[Item], size: int | None = None) -> None:
        self._items, self._fixed = items, size is not None
        self._size = size or 1
        self._again: deque[Item] = deque()

    def take(self) -> list[Item]:
        """Return the next chunk, an empty one at the end."""
        return [self._again.popleft()] if self._again else list(islice(self._items, self._size))

    def give_back(self, items: Sequence[Item]) -> None:
        """Let items come out again, each alone."""
        self._again.extend(items)

    def learn(self, count: int, seconds: float) -> None:
        """Hear what a chunk took; grow to at most twice the size, shrink at once."""
        if self._fixed or (count < self._size and seconds < _CHUNK_SECONDS):
            return
        fitting = int(_CHUNK_SECONDS * count / max(seconds, 1e-9))
        self._size = max(1, min(fitting, 2 * count, _MOST_ITEMS))


class Scheduler:
    """Keeps an executor busy with chunks, never with more than there is room for."""

    def __init__(self, executor: Executor, chunks: Chunks, work: Work, record: Record) -> None:
        self._executor, self._chunks, self._work, self._record = executor, chunks, work, record
        self._running: dict[Future[Done], list[Item]] = {}
        self._lost: list[Item] = []

    def run(self, room: Callable[[], int]) -> list[Item]:
        """Submit until all is done; return the items that were running when the executor broke, none if it did not."""
        try:
            while True:
                while not self._lost and len(self._running) < room() and self._submit():
                    pass
                if not self._running:
                    return self._lost
                for future in wait(self._running, return_when=FIRST_COMPLETED).done:
                    self._finish(future, self._running.pop(future))
        finally:
            for future in self._running:
                future.cancel()

    def _submit(self) -> bool:
        """Submit a chunk; return whether there was one."""
        items = self._chunks.take()
        if items:
            try:
                self._running[self._executor.submit(self._work, items)] = items
            except Exception:  # it is broken or closed; each executor has its own word for that
                self._lost += items
        return bool(items)

    def _finish(self, future: Future[Done], items: list[Item]) -> None:
        try:
            outcomes, seconds = future.result()
        except (BrokenExecutor, CancelledError):
            self._lost += items
        except Exception as error:
            if getattr(error, "errno", None) is not None:  # the disk is full, or gone: no item is to blame
                raise
            self._blame(items, str(error) or type(error).__name__)
        else:
            self._chunks.learn(len(items), seconds)
            self._record(outcomes)

    def _blame(self, items: list[Item], sentence: str) -> None:
        """Record an item that cannot be worked on; of several, find out which one it is."""
        if len(items) > 1:
            self._chunks.give_back(items)
        else:
            self._record([Outcome(items[0].name, items[0].source, sentence)])
