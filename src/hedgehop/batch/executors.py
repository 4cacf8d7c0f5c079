# SPDX-License-Identifier: BSD-3-Clause
"""Where items are solved: processes that end with the run that started them, or a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

from hedgehop._errors import need, said

_COUNT_SECONDS = 5.0  # for which a count of threads is believed


@contextmanager
def process_pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Yield a process pool whose processes end at once when this process does, even by kill -9.

    Each holds one end of a pipe whose other end only this process has: when that end closes, they exit.
    """
    context = multiprocessing.get_context("spawn")
    far, near = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(workers, context, _begin_worker, (far,))
    try:
        with _ctrl_c_held_back():
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
def _ctrl_c_held_back() -> Iterator[None]:
    """Hold Ctrl-C back for a moment; processes started in it do not hear it from their first line on."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_worker(lifeline: Connection) -> None:
    # Ctrl-C is the parent's to hear, also where signals cannot be held back.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()


def _end_with_parent(lifeline: Connection) -> None:
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)


@contextmanager
def dask_executor(address: str) -> Iterator[tuple[Executor, Callable[[], int]]]:
    """Yield an executor on the cluster of a scheduler, and a function that returns its current number of threads.

    Tasks of workers that are lost go to others; a task that kills several workers comes back as an error.
    """
    distributed = need("distributed", "batch", "a Dask cluster")
    try:
        client = distributed.Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(f"there is no Dask scheduler at {address!r}: {said(error)}.") from error
    try:
        yield client.get_executor(pure=False), _Threads(client)
    finally:
        client.close(timeout=5)


class _Threads:
    """Number of threads of a cluster, asked for now and then: clusters grow and shrink."""

    def __init__(self, client: Any) -> None:
        self._client, self._count, self._time = client, 1, -_COUNT_SECONDS

    def __call__(self) -> int:
        now = time.monotonic()
        if now - self._time >= _COUNT_SECONDS:
            try:
                self._count, self._time = max(1, sum(self._client.nthreads().values())), now
            except (OSError, TimeoutError):  # the scheduler is away; its futures will tell
                self._time = now
        return self._count
