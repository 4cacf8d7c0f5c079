# SPDX-License-Identifier: BSD-3-Clause
"""What several lists of a problem are chosen from: made once, but each list is charged for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

import numpy as np


class Shared:
    """Arrays by key, and the processor seconds a list owes for those that were there before it."""

    def __init__(self) -> None:
        self._made: dict[Hashable, tuple[np.ndarray, float]] = {}
        self.begin()

    def begin(self) -> None:
        """A new list owes nothing yet."""
        self.owed = 0.0
        self._charged: set[Hashable] = set()

    def get(self, key: Hashable, make: Callable[[], np.ndarray]) -> np.ndarray:
        if key not in self._made:
            start = time.process_time()
            self._made[key] = make(), time.process_time() - start
        elif key not in self._charged:
            self.owed += self._made[key][1]
        self._charged.add(key)
        return self._made[key][0]
