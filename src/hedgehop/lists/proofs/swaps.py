# SPDX-License-Identifier: BSD-3-Clause
"""Lists from labelings that are known: swaps that raise F, without solving anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.lists.objective import Objective
from hedgehop.lists.separation import Separation
from hedgehop.oracles.exactness import meets

_SWAP_ROUNDS = 30


@dataclass(frozen=True, eq=False)
class Swaps:
    """Lists as places in a pool of labelings, which keep their distance."""

    objective: Objective
    separation: Separation
    pool: Labels
    _known: dict[tuple[int, ...], Doubles] = field(default_factory=dict, init=False)  # gains, by the list they add to

    @cached_property
    def _place(self) -> dict[bytes, int]:
        return {row.tobytes(): k for k, row in enumerate(self.pool)}

    @cached_property
    def _relevance(self) -> Doubles:
        return np.asarray(self.objective.model.score(self.pool), np.float64)

    @cached_property
    def _near(self) -> NDArray[np.bool_]:
        """Which two labelings may not be in one list."""
        if self.separation.distance == 0:
            return np.zeros((len(self.pool), len(self.pool)), bool)
        return np.asarray(_core.counts.hamming(self.pool, self.pool) < self.separation.distance)

    def places(self, rows: Labels) -> list[int]:
        """Places of labelings that are in the pool, without those too close to earlier ones."""
        kept: list[int] = []
        for k in (self._place[row.tobytes()] for row in rows):
            kept += [] if self._near[k, kept].any() else [k]
        return kept

    def filled(self, places: Sequence[int], m: int, once: bool = False) -> list[int] | None:
        """Add the best labelings one by one until there are m, each once if asked; None if no further one fits."""
        chosen = list(places)
        while len(chosen) < m:
            gains = self._gains(chosen)
            if once:
                gains = gains.copy()
                gains[chosen] = -np.inf
            if np.isneginf(gains.max()):
                return None
            chosen.append(int(gains.argmax()))
        return chosen

    def settled(self, places: Sequence[int]) -> list[int]:
        """Swap single labelings for better ones until none raises F."""
        chosen = list(places)
        for _ in range(_SWAP_ROUNDS):
            before = list(chosen)
            for t in range(len(chosen)):
                others = chosen[:t] + chosen[t + 1 :]
                gains = self._gains(others)
                best, now = int(gains.argmax()), float(gains[chosen[t]])
                if not meets(self.objective.model, now, float(gains[best])):
                    chosen[t] = best
            if chosen == before:
                break
        return chosen

    def _gains(self, chosen: Sequence[int]) -> Doubles:
        """What each labeling would add to F; -inf for those too close. Searches from several lists ask twice."""
        key = tuple(sorted(chosen))
        if key not in self._known:
            gains = np.array(self.objective.gain(self.pool, self._relevance, self.pool[list(key)]), np.float64)
            gains[self._near[:, list(key)].any(axis=1)] = -np.inf
            self._known[key] = gains
        return self._known[key]
