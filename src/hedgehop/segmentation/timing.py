# SPDX-License-Identifier: BSD-3-Clause
"""How long the parts of a computation take."""

from __future__ import annotations

import time


class Clock:
    """Collects parts and their seconds."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self.parts: list[tuple[str, float]] = []

    def stop(self, part: str) -> None:
        """Book the time since the last call under a name."""
        now = time.perf_counter()
        self.parts.append((part, now - self._start))
        self._start = now
