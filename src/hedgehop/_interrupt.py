# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C during foreign code that does not look for it."""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

#: How long the process waits at its end for calls that were interrupted, in seconds.
_PATIENCE_AT_EXIT = 2.0
_unheard: list[threading.Event] = []


def interruptible(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call a function that releases the GIL so that Ctrl-C ends the wait at once.

    The call runs in its own thread. If it is interrupted, it goes on there without an effect, so it should have
    a budget. Only the main thread receives Ctrl-C, so in other threads this is a plain call.
    """
    if threading.current_thread() is not threading.main_thread():
        return function(*args, **options)
    outcome: list[Any] = []
    done = threading.Event()  # a thread whose join is interrupted passes for finished (bpo-45274)

    def run() -> None:
        try:
            outcome.extend((function(*args, **options), None))
        except BaseException as error:
            outcome.extend((None, error))
        finally:
            done.set()

    try:
        threading.Thread(target=run, daemon=True).start()
        while not done.wait(0.05):
            pass
    except BaseException:
        _unheard.append(done)
        raise
    result, error = outcome
    if error is not None:
        raise error
    return result


@atexit.register
def _wait_for_unheard_calls() -> None:
    """Let interrupted calls end before the interpreter does.

    C++ code that takes the GIL while the interpreter shuts down is unwound by force, which aborts the process.
    """
    end = time.monotonic() + _PATIENCE_AT_EXIT
    with suppress(KeyboardInterrupt):  # a second Ctrl-C: do not wait
        for done in _unheard:
            done.wait(max(0.0, end - time.monotonic()))
