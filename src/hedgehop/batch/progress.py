# SPDX-License-Identifier: BSD-3-Clause
"""How far a batch is: for those who wait, for other terminals (status.json), and for machines (lines of JSON)."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from hedgehop.batch.engines.base import Engine
from hedgehop.batch.outcomes import Outcome
from hedgehop.batch.stores import LocalStore, Store, open_store

_WRITE_SECONDS = {True: 1.0, False: 15.0}  # between two writings of the status: on this machine, elsewhere
_FOR_THE_LEDGER = ("inputs", "finished")  # what events leave out
_SILENT_SECONDS = 120.0  # after which a running batch should have been heard of
_RATE_SECONDS = 60.0  # that the rate is a mean of


@dataclass(frozen=True)
class Status:
    """How far a run is. ``state`` is running, finished, interrupted, stopped (by an error) or killed."""

    state: str = "running"
    total: int = 0
    done: int = 0  # items with a list, those of earlier runs included
    failed: int = 0
    running: tuple[tuple[str, float], ...] = ()  # items, and the seconds for which each has been running
    rate: float = 0.0  # items a second, lately
    left: float | None = None  # seconds until the end at this rate
    started: float = 0.0
    updated: float = 0.0
    host: str = ""
    pid: int = 0
    shard: str = ""  # such as 0-of-3; empty if the run does all

    def sentence(self) -> str:
        """Return it in a line."""
        parts = [f"{self.done} of {self.total} done", f"{len(self.running)} running", f"{self.failed} failed"]
        if self.rate > 0 and self.state == "running":
            parts += [f"{self.rate:.1f} items/s"]
            parts += [] if self.left is None else [f"about {clock(self.left)} left"]
        return ", ".join(parts) + self._news()

    def _news(self) -> str:
        """Say what somebody should know who waits for a run that is gone or silent."""
        if self.state == "killed":
            return "; the same command continues"
        silent = time.time() - self.updated
        if self.state != "running" or silent <= _SILENT_SECONDS:
            return ""
        return f"; nothing heard from {self.host} for {clock(silent)}"

    def checked(self, local: bool) -> Status:
        """Return this with the state "killed" if it should be running here but its process is gone."""
        silent = time.time() - self.updated > 5 * _WRITE_SECONDS[local]
        here = self.host == socket.gethostname() and sys.platform != "win32"
        if self.state != "running" or not (silent and here) or _is_alive(self.pid):
            return self
        return replace(self, state="killed", running=())


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)  # sends nothing
    except ProcessLookupError:
        return False
    except OSError:  # of somebody else
        return True
    return True


def clock(seconds: float) -> str:
    """Return seconds as text, such as 3 min 20 s."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60}:{whole % 60:02} min" if whole < 3600 else f"{whole // 3600}:{whole // 60 % 60:02} h"


@dataclass
class Progress:
    """Counts outcomes, keeps the status file, tells watchers and writes events."""

    store: Store
    shard: str = ""
    watch: Callable[[Status], Any] | None = None
    events: IO[str] | None = None
    total: int = 0
    done: int = 0
    failed: int = 0
    _times: list[tuple[float, int]] = field(default_factory=list)  # when how many had been done
    _started: float = field(default_factory=time.time)
    _written: float = 0.0

    def begin(self, total: int, done: int, failed: int) -> None:
        """Say how much there is, and how much of it earlier runs have done."""
        self.total, self.done, self.failed = total, done, failed
        self.tell("started", total=total, done=done, failed=failed)
        self._write(self.status("running", ()))

    def add(self, outcomes: Sequence[Outcome]) -> None:
        """Count outcomes."""
        for outcome in outcomes:
            self.done += outcome.error is None
            self.failed += outcome.error is not None
            known = {
                name: value
                for name, value in vars(outcome).items()
                if value is not None and name not in _FOR_THE_LEDGER
            }
            self.tell("item", **known)
        now = time.monotonic()
        self._times = [entry for entry in self._times if now - entry[0] < _RATE_SECONDS] + [(now, len(outcomes))]

    def tick(self, engine: Engine) -> None:
        """Look at what is running now."""
        if self.watch is None and time.monotonic() - self._written < _WRITE_SECONDS[isinstance(self.store, LocalStore)]:
            return
        running = tuple((each.item, round(each.seconds, 1)) for each in engine.running())
        status = self.status("running", running)
        if self.watch is not None:
            self.watch(status)
        self._write(status)

    def end(self, state: str) -> None:
        """Say how the run ended."""
        self._written = 0.0
        self._write(self.status(state, ()))
        self.tell(state, total=self.total, done=self.done, failed=self.failed)

    def status(self, state: str, running: tuple[tuple[str, float], ...]) -> Status:
        """Return how far it is."""
        rate, left = 0.0, None
        if len(self._times) > 1:
            span = time.monotonic() - self._times[0][0]
            rate = sum(count for _, count in self._times[1:]) / max(span, 1e-3)
        if rate > 0:
            left = max(0, self.total - self.done - self.failed) / rate
        return Status(
            state, self.total, self.done, self.failed, running, round(rate, 3), left, self._started, time.time(),
            socket.gethostname(), os.getpid(), self.shard.removeprefix("."),
        )  # fmt: skip

    def tell(self, event: str, **known: Any) -> None:
        """Write a line for machines."""
        if self.events is not None:
            self.events.write(json.dumps({"event": event, "time": round(time.time(), 3), **known}) + "\n")
            self.events.flush()

    def _write(self, status: Status) -> None:
        now = time.monotonic()
        if now - self._written >= _WRITE_SECONDS[isinstance(self.store, LocalStore)]:
            self._written = now
            self.store.write(f"status{self.shard}.json", json.dumps(asdict(status)).encode())


def read_status(folder: str | os.PathLike[str]) -> list[Status]:
    """Return how far the run in a folder is; one status per shard."""
    store = open_store(folder)
    if isinstance(store, LocalStore):
        names = sorted(path.name for path in Path(folder).glob("status*.json"))
    else:
        names = [name for name in store.names("") if name.startswith("status") and name.endswith(".json")]
    found = [json.loads(data) for name in names if (data := store.read(name))]
    if not found:
        raise ValueError(f"{folder} contains no batch: there is no status.json. Give the folder of its results.")
    local = isinstance(store, LocalStore)
    return [Status(**(one | {"running": tuple(map(tuple, one["running"]))})).checked(local) for one in found]
