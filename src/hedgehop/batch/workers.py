"""Processes that solve items, and end with the run that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from math import isfinite
from multiprocessing.connection import Connection
from pathlib import Path

from hedgehop.batch.ledger import Outcome
from hedgehop.batch.recipe import Recipe
from hedgehop.io.files import read
from hedgehop.io.lists import save


def solve_item(item: str, source: Path, target: Path, recipe: Recipe) -> Outcome:
    """Solve one model and write its list; whatever goes wrong becomes part of the outcome."""
    try:
        found = recipe.solve(read(source))
        target.parent.mkdir(parents=True, exist_ok=True)
        save(found, target)
        _sync(target)
    except Exception as error:
        return Outcome(item, str(source), error=str(error) or type(error).__name__)
    numbers = {name: float(getattr(found, name)) for name in ("objective", "upper_bound", "guarantee")}
    known = {name: value for name, value in numbers.items() if isfinite(value)}
    return Outcome(item, str(source), None, len(found), found.distinct, float(found.seconds.sum()), **known)


def _sync(path: Path) -> None:
    """Bring a file to the disk, before a ledger says that it is there."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


@contextmanager
def pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Yield a process pool whose processes end at once when this process does, even by kill -9.

    Each holds one end of a pipe whose other end only this process has: when that end closes, they exit.
    """
    context = multiprocessing.get_context("spawn")
    far, near = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(workers, context, _begin_worker, (far,))
    try:
        with _deaf():
            for _ in range(workers):
                executor.submit(int)  # each starts a process
        yield executor
    except BaseException:
        near.close()  # do not wait for items in flight
        raise
    finally:
        executor.shutdown(cancel_futures=True)
        near.close()
        far.close()


@contextmanager
def _deaf() -> Iterator[None]:
    """Hold Ctrl-C back for a moment; processes started in it are deaf from their first line on."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_worker(lifeline: Connection) -> None:
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C is the parent's to hear, also where signals cannot be held back
    threading.Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()


def _end_with_parent(lifeline: Connection) -> None:
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)
