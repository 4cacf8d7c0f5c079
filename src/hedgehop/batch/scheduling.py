# SPDX-License-Identifier: BSD-3-Clause
"""Items to an engine, in chunks, a bounded number at a time; items whose process ended are tried again, alone."""

from __future__ import annotations

import heapq
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from hedgehop.batch.engines.base import Cause, ChunkReport, Engine
from hedgehop.batch.fingerprints import stamps
from hedgehop.batch.items import Item
from hedgehop.batch.outcomes import Fault, Outcome, Resource

Record = Callable[[Sequence[Outcome]], Any]
_CHUNK_SECONDS = 1.0  # that a chunk should take: much more than handing it over, much less than people wait
_MOST_ITEMS = 64  # of a chunk, whose loss a crash may cost
_TICK_SECONDS = 0.5  # between looks at the whole
BACKOFF_SECONDS = 0.5  # before the second try; doubled before each further one
# How often an item is tried whose process ended, by the reason; the first time it may share a process with others.
_MOST_TRIES: dict[Cause, int] = {"limit": 1, "crash": 3, "killed": 6, "error": 4}
_REASONS: dict[Cause, str] = {
    "limit": "it took longer than {said}, the limit for one item.",
    "crash": "its process crashed {tries} times ({said}), the last times with this item alone.",
    "killed": "its process was ended {tries} times ({said}): by the system for lack of memory, or by somebody.",
    "error": "its task failed {tries} times: {said}",
}


class Chunks:
    """Items in pieces: as many at a time as is said or, by default, as take about a second."""

    def __init__(self, items: Iterator[Item], size: int | None = None) -> None:
        self._items, self._fixed = items, size is not None
        self._size = size or 1
        self._again: deque[Item] = deque()
        self._later: list[tuple[float, str, Item]] = []  # suspects, by the time from which each may be tried alone

    def take(self) -> tuple[list[Item], bool]:
        """Return the next chunk, and whether it must be alone in its process; an empty one if there is none now."""
        if self._later and self._later[0][0] <= time.monotonic():
            return [heapq.heappop(self._later)[2]], True
        if self._again:
            return [self._again.popleft() for _ in range(min(self._size, len(self._again)))], False
        return list(islice(self._items, self._size)), False

    @property
    def pause(self) -> float | None:
        """Seconds until the next suspect may be tried; None if there is none."""
        return max(0.0, self._later[0][0] - time.monotonic()) if self._later else None

    def give_back(self, items: Sequence[Item]) -> None:
        """Let items come out again."""
        self._again.extend(items)

    def later(self, item: Item, seconds: float) -> None:
        """Let an item come out alone, not before so many seconds."""
        heapq.heappush(self._later, (time.monotonic() + seconds, item.name, item))

    def learn(self, count: int, seconds: float) -> None:
        """Hear what a chunk took; grow to at most twice the size, shrink at once."""
        if self._fixed or (count < self._size and seconds < _CHUNK_SECONDS):
            return
        fitting = int(_CHUNK_SECONDS * count / max(seconds, 1e-9))
        self._size = max(1, min(fitting, 2 * count, _MOST_ITEMS))


class Scheduler:
    """Keeps an engine busy with chunks, never with more than there is room for."""

    def __init__(self, chunks: Chunks, record: Record, tick: Callable[[Engine], Any] = lambda _: None) -> None:
        self._chunks, self._record, self._tick = chunks, record, tick
        self._tries: dict[str, int] = {}

    def run(self, engine: Engine) -> list[Item]:
        """Submit until all is done; return the items that were in flight when the engine broke, none if it did not."""
        lost: list[Item] = []
        while True:
            while not engine.broken() and engine.room() > 0 and self._submit(engine):
                pass
            pause = self._chunks.pause
            if not engine.busy() and (pause is None or engine.broken()):
                return lost
            if engine.busy():
                reports = engine.wait(_TICK_SECONDS if pause is None else min(pause, _TICK_SECONDS))
            else:
                time.sleep(min(pause or 0.0, _TICK_SECONDS))
                reports = []
            lost += self._digest(engine, reports)
            self._tick(engine)

    def _submit(self, engine: Engine) -> bool:
        """Submit a chunk; return whether there was one."""
        items, alone = self._chunks.take()
        if items:
            engine.submit(items, alone)
        return bool(items)

    def _digest(self, engine: Engine, reports: list[ChunkReport]) -> list[Item]:
        """Record outcomes, all at once; see to items that were lost. Return them if the engine is broken."""
        outcomes = [self._counted(outcome) for report in reports for outcome in report.outcomes]
        outcomes += [verdict for report in reports for verdict in self._verdicts(report)]
        for report in reports:
            if report.finished:
                self._chunks.learn(report.finished, report.seconds)
        if outcomes:
            self._record(outcomes)
        trouble = next((report.trouble for report in reports if report.trouble), None)
        if trouble:
            raise trouble
        lost = [item for report in reports for item in report.lost]
        if engine.broken():
            return lost
        self._chunks.give_back(lost)
        return []

    def _counted(self, outcome: Outcome) -> Outcome:
        """Say how often an item was tried."""
        tries = self._tries.pop(outcome.item, 0)
        return outcome if not tries else Outcome(**{**vars(outcome), "attempts": tries + 1})

    def _verdicts(self, report: ChunkReport) -> list[Outcome]:
        """Let suspects be tried again, alone; after several tries say what happened to them."""
        verdicts = []
        for item in report.suspects:
            tries = self._tries[item.name] = self._tries.get(item.name, 0) + 1
            if tries < _MOST_TRIES[report.cause]:
                self._chunks.later(item, BACKOFF_SECONDS * 2 ** (tries - 1))
                continue
            del self._tries[item.name]
            fault: Fault = "item" if report.cause in ("crash", "limit") else "infrastructure"
            text = _REASONS[report.cause].format(tries=tries, said=report.said)
            lacking: Resource | None = "seconds" if report.cause == "limit" else None
            known = Outcome(item.name, item.source, text, fault=fault, attempts=tries, inputs=stamps(item))
            verdicts.append(replace(known, lacking=lacking))
        return verdicts
