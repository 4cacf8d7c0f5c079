# SPDX-License-Identifier: BSD-3-Clause
"""A time limit: what Ctrl-C would do, at a given moment."""

from __future__ import annotations

from _thread import interrupt_main
from dataclasses import dataclass
from threading import Timer
from types import TracebackType
from typing import Any


@dataclass
class TimeLimit:
    """Interrupts what runs ``with`` it once its seconds are over; None never ends.

    A patient one waits for a first result, however long it takes.
    """

    seconds: float | None
    patient: bool = True
    over: bool = False

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
        if self.over and self.patient:
            raise KeyboardInterrupt
        self.patient = False

    def _end(self) -> None:
        self.over = True
        if not self.patient:
            interrupt_main()
