# SPDX-License-Identifier: BSD-3-Clause
"""Our own processes: each reports after every item, so it is known which item it was busy with when it ended."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from multiprocessing.process import BaseProcess
from typing import Any

from hedgehop.batch.engines.base import Cause, ChunkReport, Engine, Running
from hedgehop.batch.items import Item
from hedgehop.batch.outcomes import Outcome
from hedgehop.batch.tasks import Task

_CHUNKS_AHEAD = 2  # with each process: one in work, one waiting
_GATHERED_SECONDS = 0.01  # for which reports may wait for others: each time, the ledger goes to the disk
_LONG_CHUNK = 32  # items: while such a chunk waits for each process,
_LONGER_GATHERED_SECONDS = 0.05  # reports may wait longer
_MOST_FAILED_STARTS = 3  # of processes that end before they have begun anything
_CRASHES = {getattr(signal, name, None) for name in ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE", "SIGSYS")}


@dataclass(frozen=True)
class Limits:
    """What one item may use: seconds of the clock, and bytes beyond what an idle process has."""

    seconds: float | None = None
    memory: int | None = None


@dataclass
class _Chunk:
    items: list[Item]
    done: int = 0  # items
    since: float = 0.0  # when the item in work was begun
    unreported: list[Item] = field(default_factory=list)  # those whose outcomes have not come

    def __post_init__(self) -> None:
        self.unreported = list(self.items)

    @property
    def is_long(self) -> bool:
        return len(self.items) >= _LONG_CHUNK


@dataclass
class _Worker:
    process: BaseProcess
    pipe: Connection
    chunks: deque[_Chunk] = field(default_factory=deque)
    ready: bool = False
    served: int = 0
    over: bool = False  # its item took too long: it was ended for that


class ProcessEngine(Engine):
    """Processes that end at once when this process does, even by kill -9, and are replaced when they end.

    Each holds one end of a pipe whose other end only this process has: when that end closes, they exit.
    """

    def __init__(self, task: Task, count: int, limits: Limits) -> None:
        self._task, self._limits = task, limits
        self._context = multiprocessing.get_context("spawn")
        if sys.platform != "win32":
            resource_tracker.ensure_running()  # or it lets Ctrl-C through again when the first process starts
        self._far, self._near = self._context.Pipe(duplex=False)
        self._failed_starts = 0
        self._alone: deque[list[Item]] = deque()
        self._workers = [self._start() for _ in range(count)]

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        words = (theirs, self._far, self._task, self._limits.memory)
        process = self._context.Process(target=_serve, args=words, daemon=True)
        with ctrl_c_held_back():
            process.start()
        theirs.close()
        return _Worker(process, ours)

    def room(self) -> int:
        return 0 if self._alone else sum(_CHUNKS_AHEAD - len(worker.chunks) for worker in self._workers)

    def busy(self) -> bool:
        return bool(self._alone) or any(worker.chunks for worker in self._workers)

    def broken(self) -> bool:
        return False

    def submit(self, items: list[Item], alone: bool) -> None:
        if alone:
            self._alone.append(items)
            self._send_alone()
        else:
            self._send(min(self._workers, key=lambda worker: len(worker.chunks)), items)

    def _send_alone(self) -> None:
        """Give each item that must be alone to an idle process, which is replaced by a new one before."""
        for place, worker in enumerate(self._workers):
            if self._alone and not worker.chunks:
                if worker.served:
                    self._end(worker)
                    self._workers[place] = self._start()
                self._send(self._workers[place], self._alone.popleft())

    @staticmethod
    def _send(worker: _Worker, items: list[Item]) -> None:
        worker.chunks.append(_Chunk(items, since=time.monotonic()))
        worker.served += len(items)
        _say(worker, items)

    def wait(self, seconds: float) -> list[ChunkReport]:
        if self._limits.seconds is not None:
            seconds = min(seconds, max(0.05, self._limits.seconds / 4))
        pipes = [worker.pipe for worker in self._workers]
        ready = wait_for(pipes, seconds)
        if ready:
            supplied = all(len(worker.chunks) > 1 and worker.chunks[-1].is_long for worker in self._workers)
            time.sleep(_LONGER_GATHERED_SECONDS if supplied else _GATHERED_SECONDS)
            ready = wait_for(pipes, 0.0)
        reports = []
        for place, worker in enumerate(self._workers):
            if worker.pipe in ready:
                heard, alive = _heard(worker)
                reports += heard
                self._failed_starts = 0 if worker.ready else self._failed_starts
                if not alive:
                    reports.append(self._died(worker))
                    self._workers[place] = self._start()
        self._end_late_ones()
        self._send_alone()
        return reports

    def _end_late_ones(self) -> None:
        now, most = time.monotonic(), self._limits.seconds
        for worker in self._workers:
            if most is not None and worker.ready and worker.chunks and now - worker.chunks[0].since > most:
                worker.over = True
                worker.process.kill()

    def _died(self, worker: _Worker) -> ChunkReport:
        """Say what is lost with a process, and which item it was busy with."""
        self._end(worker, seconds=5.0)
        code = worker.process.exitcode or 0
        if not worker.ready:
            self._failed_starts += 1
            if self._failed_starts >= _MOST_FAILED_STARTS and code >= 0:
                raise ValueError(
                    f"processes end before they start work, with exit code {code}. Call this from a file, below "
                    'if __name__ == "__main__":.'
                )
        lost = [item for chunk in worker.chunks for item in chunk.unreported]
        first = worker.chunks[0] if worker.chunks else None
        if not (worker.ready and first and first.done < len(first.items)):
            return ChunkReport(lost=lost)
        suspect = first.items[first.done]
        rest = [item for item in lost if item is not suspect]
        said = f"{self._limits.seconds:g} s" if worker.over else _words(code)
        return ChunkReport(lost=rest, suspects=[suspect], cause=_cause(worker, code), said=said)

    def running(self) -> list[Running]:
        now = time.monotonic()
        busy = [worker.chunks[0] for worker in self._workers if worker.ready and worker.chunks]
        return [
            Running(chunk.items[chunk.done].name, now - chunk.since) for chunk in busy if chunk.done < len(chunk.items)
        ]

    def close(self, at_once: bool) -> None:
        """End all processes: idle ones by a message, others at once."""
        for worker in self._workers:
            if not at_once and not worker.chunks:
                _say(worker, None)
        for worker in self._workers:
            self._end(worker, seconds=0.0 if at_once or worker.chunks or not worker.ready else 10.0)
        self._near.close()
        self._far.close()

    @staticmethod
    def _end(worker: _Worker, seconds: float = 0.0) -> None:
        """Let a process end by itself for some seconds, then end it."""
        worker.process.join(seconds)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.pipe.close()


def _cause(worker: _Worker, code: int) -> Cause:
    if worker.over:
        return "limit"
    return "crash" if code >= 0 or -code in _CRASHES else "killed"


def _words(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def _say(worker: _Worker, words: Any) -> None:
    try:
        worker.pipe.send(words)
    except OSError:  # it has just ended, which the next look finds
        return


def _heard(worker: _Worker) -> tuple[list[ChunkReport], bool]:
    """Return what a process has reported, and whether it is still there."""
    reports = []
    try:
        while worker.pipe.poll():
            reports.append(_understood(worker, worker.pipe.recv()))
    except Exception:  # it is gone, perhaps within a word
        return reports, False
    return reports, True


def _understood(worker: _Worker, report: tuple[str, Any]) -> ChunkReport:
    kind, what = report
    if kind == "ready":
        worker.ready = True
        for chunk in worker.chunks:
            chunk.since = time.monotonic()
        return ChunkReport()
    if kind == "error":
        return ChunkReport(trouble=what)
    chunk = worker.chunks[0]
    chunk.since = time.monotonic()
    chunk.done += kind == "step"
    outcomes: list[Outcome] = what[0]
    names = {outcome.item for outcome in outcomes}
    chunk.unreported = [item for item in chunk.unreported if item.name not in names]
    if kind == "end":
        worker.chunks.popleft()
        if worker.chunks:
            worker.chunks[0].since = time.monotonic()
        return ChunkReport(outcomes, len(chunk.items), what[1])
    return ChunkReport(outcomes)


def _serve(pipe: Connection, lifeline: Connection, task: Task, memory: int | None) -> None:
    """Solve chunks until there are no more; this is what a process does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to hear
    warnings.simplefilter("ignore")  # they do not say which item they are about; outcomes say how many labelings differ
    threading.Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()
    _limit_memory(memory)
    pipe.send(("ready", None))
    while (items := pipe.recv()) is not None:
        start = time.perf_counter()
        steps = task.steps(items)
        try:
            for _ in items:
                pipe.send(("step", (next(steps),)))
            rest = [outcome for step in steps for outcome in step]
        except OSError as error:
            pipe.send(("error", error))
            return
        pipe.send(("end", (rest, time.perf_counter() - start)))


def _limit_memory(memory: int | None) -> None:
    """Let this process have so many bytes beyond those it has."""
    if memory is None or sys.platform == "win32":
        return
    import resource

    used = 0
    if os.path.exists("/proc/self/statm"):
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))


def _end_with_parent(lifeline: Connection) -> None:
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)


@contextmanager
def ctrl_c_held_back() -> Iterator[None]:
    """Hold Ctrl-C back for a moment; processes started in it do not hear it from their first line on."""
    if sys.platform == "win32":
        yield
        return
    with _heard_later():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _heard_later() -> Iterator[None]:
    """Answer Ctrl-C at the end: other threads, such as those of numpy, hear it in spite of this one's mask."""
    answer = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(answer):
        yield
        return
    heard: list[tuple[int, Any]] = []
    signal.signal(signal.SIGINT, lambda *told: heard.append(told))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, answer)
    if heard:
        answer(*heard[0])
