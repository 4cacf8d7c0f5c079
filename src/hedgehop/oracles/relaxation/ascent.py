# SPDX-License-Identifier: BSD-3-Clause
"""Ascent by minorants: linear functions that are nowhere above the value, and equal to it at a labeling.

Their maximum is a linear step, and its labeling is never worse (docs/theory.md 6). What a minorant looks like is for
the potentials to say: counts, distances and agreements each have their own.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

import numpy as np

from hedgehop._arrays import Doubles, Labels

Minorant = Callable[[Labels], Doubles]  # scores of labels, (n, L), that are tight at a labeling, but for a constant
Maximize = Callable[[Doubles, Labels], Labels]  # from a minorant, and where it is tight, to a better labeling

CLIMB_ROUNDS = 10  # most climbs end by themselves before


class Ascent:
    """Climbs that remember each other: no minorant is maximised twice."""

    def __init__(self, minorant: Minorant, maximize: Maximize) -> None:
        self._minorant, self._maximize = minorant, maximize
        self._tried: set[bytes] = set()

    def climb(self, labeling: Labels, rounds: int, enough: Callable[[], bool]) -> int:
        """Maximise the minorant at a labeling, then at the one found, until it stays; return how often."""
        for done in range(rounds):
            if enough():
                return done
            scores = self._minorant(labeling)
            key = blake2b(np.ascontiguousarray(scores).data, digest_size=16).digest()
            if key in self._tried:
                return done
            self._tried.add(key)
            found = self._maximize(scores, labeling)
            if np.array_equal(found, labeling):
                return done + 1
            labeling = found
        return rounds
