# SPDX-License-Identifier: BSD-3-Clause
"""Any executor as an engine, and a Dask cluster as an executor."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from typing import Any

from hedgehop._errors import need, said
from hedgehop.batch.engines.base import ChunkReport, Engine, Running, Work
from hedgehop.batch.items import Item

_CHUNKS_PER_WORKER = 4  # submitted at once: enough that none waits, few enough that memory stays bounded
_POLL_SECONDS = (0.005, 0.5)  # between looks at jobs that cannot be waited for: at first, and at most
_COUNT_SECONDS = 5.0  # for which a count of threads is believed
_LOGS = ("distributed.client", "distributed.core", "tornado.application")  # of Dask's client


class ExecutorEngine(Engine):
    """Any executor: an object whose `submit` returns objects with `done` and `result`."""

    def __init__(self, executor: Any, work: Work, workers: Callable[[], int]) -> None:
        self._executor, self._work, self._workers = executor, work, workers
        self._flying: dict[Any, tuple[list[Item], float]] = {}
        self._broken = False
        self._unsent: list[Item] = []

    def room(self) -> int:
        return 0 if self._broken else _CHUNKS_PER_WORKER * self._count() - len(self._flying)

    def busy(self) -> bool:
        return bool(self._flying or self._unsent)

    def broken(self) -> bool:
        return self._broken

    def submit(self, items: list[Item], alone: bool) -> None:
        try:
            self._flying[self._executor.submit(self._work, items)] = (items, time.monotonic())
        except Exception:  # it is broken or closed; each executor has its own word for that
            self._broken = True
            self._unsent += items

    def wait(self, seconds: float) -> list[ChunkReport]:
        reports = [ChunkReport(lost=self._unsent)] if self._unsent else []
        self._unsent = []
        return reports + [self._report(future, self._flying.pop(future)[0]) for future in self._done(seconds)]

    def _done(self, seconds: float) -> list[Any]:
        if all(isinstance(future, Future) for future in self._flying):
            return list(wait(self._flying, seconds, FIRST_COMPLETED).done)
        end, pause = time.monotonic() + seconds, _POLL_SECONDS[0]
        while True:  # jobs of submitit and the like
            done = [job for job in self._flying if job.done()]
            if done or time.monotonic() >= end:
                return done
            time.sleep(pause)
            pause = min(2 * pause, _POLL_SECONDS[1])

    def _report(self, future: Any, items: list[Item]) -> ChunkReport:
        try:
            outcomes, seconds = future.result()
        except (BrokenExecutor, CancelledError):
            self._broken = True
            return ChunkReport(lost=items)
        except Exception as error:
            if isinstance(error, OSError) and error.errno is not None:
                return ChunkReport(trouble=error)
            return ChunkReport(suspects=items, cause="error", said=str(error) or type(error).__name__)
        return ChunkReport(outcomes, len(items), seconds)

    def running(self) -> list[Running]:
        now = time.monotonic()
        each = [(items[0].name, now - since) for items, since in self._flying.values()]
        return [Running(name, seconds) for name, seconds in each[: self._count()]]

    def _count(self) -> int:
        """Return the number of workers; 0 if those that had the chunks are gone, whose futures would never be done."""
        try:
            return self._workers()
        except BrokenExecutor:
            self._broken = True
            self.cancel()
            self._unsent += [item for items, _ in self._flying.values() for item in items]
            self._flying = {}
            return 0

    def cancel(self) -> None:
        """Take back what has not begun."""
        for future in self._flying:
            future.cancel()


@contextmanager
def dask_executor(address: str) -> Iterator[tuple[Executor, Callable[[], int]]]:
    """Yield an executor on the cluster of a scheduler, and a function that returns its current number of threads.

    Tasks of workers that are lost go to others; a task that kills several workers comes back as an error.
    """
    distributed = need("distributed", "batch", "a Dask cluster")
    with _no_tracebacks():
        try:
            client = distributed.Client(address, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ValueError(f"there is no Dask scheduler at {address!r}: {said(error)}.") from error
        try:
            yield client.get_executor(pure=False), _Threads(client)
        finally:
            client.close(timeout=5)


@contextmanager
def _no_tracebacks() -> Iterator[None]:
    """Keep Dask's client quiet: the batch itself sees that a scheduler went away, and says so if it stays away."""
    logs = [logging.getLogger(name) for name in _LOGS]
    before = [log.level for log in logs]
    try:
        for log in logs:
            log.setLevel(logging.CRITICAL)
        yield
    finally:
        for log, level in zip(logs, before, strict=True):
            log.setLevel(level)


class _Threads:
    """Number of threads of a cluster, asked for now and then: clusters grow and shrink.

    A client finds a scheduler that was restarted by itself, but that one knows nothing of earlier futures.
    """

    def __init__(self, client: Any) -> None:
        self._client, self._count, self._time = client, 1, -_COUNT_SECONDS
        self._scheduler: str | None = None

    def __call__(self) -> int:
        now = time.monotonic()
        if now - self._time >= _COUNT_SECONDS:
            try:
                self._count, self._time = max(1, sum(self._client.nthreads().values())), now
                scheduler = str(self._client.scheduler_info()["id"])
            except (OSError, TimeoutError):  # the scheduler is away; its futures will tell
                self._time = now
                return self._count
            if self._scheduler not in (None, scheduler):
                raise BrokenExecutor("the scheduler was restarted")
            self._scheduler = scheduler
        return self._count
