# SPDX-License-Identifier: BSD-3-Clause
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
from multiprocessing.connection import Connection


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
