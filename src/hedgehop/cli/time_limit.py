# SPDX-License-Identifier: BSD-3-Clause
"""A time limit: what Ctrl-C would do, at a given moment."""

from __future__ import annotations

from _thread import interrupt_main
from threading import Timer
from types import TracebackType
from typing import Any


class TimeLimit:
    """Interrupts what runs ``with`` it once its seconds are over.

    Parameters
    ----------
    seconds : float or None
        None never ends.
    patient : bool
        Whether to wait for a first result however long it takes.
    """

    def __init__(self, seconds: float | None, patient: bool = True) -> None:
        self.seconds, self.over, self._waits = seconds, False, patient

    def __enter__(self) -> TimeLimit:
        if self.seconds is not None:
            self._timer = Timer(self.seconds, self._end)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.seconds is not None:
            self._timer.cancel()

    def after_step(self, _result: Any) -> None:
        """Take a first result; it ends a run that has no time left."""
        if self.over and self._waits:
            raise KeyboardInterrupt
        self._waits = False

    def _end(self) -> None:
        self.over = True
        if not self._waits:
            interrupt_main()
