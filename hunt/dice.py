# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers for one round: whole numbers with ties or real ones, of any size, alike or mixed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SCORE_RANGES = ("plain", "plain", "plain", "tiny", "huge", "shifted", "mixed", "digits")


@dataclass
class Dice:
    """What a round draws from; `unit` is the size of its scores, which tradeoffs follow."""

    random: np.random.Generator
    ties: bool
    forbid: bool
    scale: str
    unit: float

    @classmethod
    def of(cls, seed: int) -> Dice:
        random = np.random.default_rng(seed)
        scale = str(random.choice(SCORE_RANGES))
        unit = {"tiny": 10.0 ** -random.integers(4, 13), "huge": 10.0 ** random.integers(4, 13)}.get(scale, 1.0)
        return cls(random, bool(random.random() < 0.5), bool(random.random() < 0.4), scale, float(unit))

    def scores(self, *shape: int) -> np.ndarray:
        """Scores of any sign."""
        values = self.random.integers(-3, 4, shape) if self.ties else self.random.normal(size=shape) * 3
        return self._spread(values.astype(float)) + (1e6 if self.scale == "shifted" else 0.0)

    def strengths(self, *shape: int) -> np.ndarray:
        """Numbers >= 0."""
        values = self.random.integers(0, 4, shape) if self.ties else self.random.random(shape) * 3
        return np.abs(self._spread(values.astype(float)))

    def unary(self, *shape: int) -> np.ndarray:
        """Scores, some of them forbidden, never a whole row."""
        values = self.scores(*shape)
        if self.forbid and shape[-1] > 1:
            gone = self.random.random(shape) < 0.2
            gone[..., self.random.integers(shape[-1])] = False
            values[gone] = -np.inf
        return values

    def with_gaps(self, table: np.ndarray) -> np.ndarray:
        """Forbid entries off the diagonal, along which a matching and a parse stay allowed."""
        if self.forbid:
            gone = self.random.random(table.shape) < 0.25
            gone[np.arange(len(table)), np.arange(len(table))] = False
            table[gone] = -np.inf
        return table

    def edges(self, n: int, share: float = 0.6) -> np.ndarray:
        """Some of the pairs of n variables, in either direction."""
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n) if self.random.random() < share]
        pairs = [p if self.random.random() < 0.5 else p[::-1] for p in pairs]
        return np.array(pairs, int).reshape(-1, 2)

    def tree(self, n: int) -> np.ndarray:
        """A random tree."""
        return np.array([(i, int(self.random.integers(i))) for i in range(1, n)], int).reshape(-1, 2)

    def _spread(self, values: np.ndarray) -> np.ndarray:
        """Sizes: one unit for all, a few entries 1e3 to 1e10 times as large, or some whose last digits matter."""
        values = values * self.unit
        if self.scale == "mixed":
            large = self.random.random(values.shape) < 0.15
            values = np.where(large, values * 10.0 ** self.random.integers(3, 11), values)
        if self.scale == "digits":
            values = values + np.round(self.random.normal(size=values.shape), 2) * 1e-5
        return values
