# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C during foreign code that does not look for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


def interruptible(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call a function that releases the GIL so that Ctrl-C ends the wait at once.

    The call runs in a thread of its own and goes on there unheard when interrupted; it should have a time
    limit. Only the main thread hears Ctrl-C, so elsewhere this is a plain call.
    """
    if threading.current_thread() is not threading.main_thread():
        return function(*args, **options)
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.extend((function(*args, **options), None))
        except BaseException as error:
            outcome.extend((None, error))

    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    while worker.is_alive():
        worker.join(0.05)
    result, error = outcome
    if error is not None:
        raise error
    return result
