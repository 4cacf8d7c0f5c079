# SPDX-License-Identifier: BSD-3-Clause
"""Lists from labelings that are known: swaps that raise F, without solving anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.diversity.lines import joined
from hedgehop.lists.objective import Objective
from hedgehop.lists.separation import Separation
from hedgehop.oracles.exactness import meeting_gap, meets

_SWAP_ROUNDS = 30


class Swaps:
    """Lists of m labelings as places in a pool, which keep their distance.

    If D is a sum over groups, a kernel looks at what the labelings have in common; otherwise gains are asked for.
    """

    def __init__(self, objective: Objective, separation: Separation, m: int, pool: Labels) -> None:
        self.objective, self.separation, self.m = objective, separation, m
        self.pool = np.zeros((0, objective.model.n_variables), np.int32)
        self._place: dict[bytes, int] = {}
        self._relevance, self._near = np.zeros(0), np.zeros((0, 0), bool)
        self._known: dict[tuple[int, ...], Doubles] = {}  # gains, by the list they add to
        families = objective.diversity.lines(objective.model, m) if objective.tradeoff > 0 else None
        self._families = families or []
        self.add(pool)
        if self._families and not self._counts_repeats():
            self._families = []

    def add(self, rows: Labels) -> None:
        """Take labelings into the pool that are not there yet."""
        new = {row.tobytes(): row for row in np.ascontiguousarray(rows, np.int32) if row.tobytes() not in self._place}
        if not new:
            return
        added, before = np.array(list(new.values())), len(self.pool)
        self._place |= {key: before + k for k, key in enumerate(new)}
        self.pool = np.concatenate([self.pool, added])
        self._relevance = np.append(self._relevance, np.asarray(self.objective.model.score(added), np.float64))
        self._known.clear()
        self.__dict__.pop("_kernel", None)
        for _, lines in self._families:
            for row in added:
                lines.add(row)
        if self.separation.distance:
            self._near = self._too_close(added, before)

    def _too_close(self, added: Labels, before: int) -> NDArray[np.bool_]:
        """Which two labelings may not be in one list."""
        near = np.zeros((len(self.pool), len(self.pool)), bool)
        near[:before, :before] = self._near
        near[before:] = _core.counts.hamming(added, self.pool) < self.separation.distance
        near[:, before:] = near[before:].T
        return near

    def places(self, rows: Labels) -> list[int]:
        """Places of labelings that are in the pool, without those too close to earlier ones."""
        kept: list[int] = []
        for k in (self._place[row.tobytes()] for row in np.ascontiguousarray(rows, np.int32)):
            kept += [] if self._near.size and self._near[k, kept].any() else [k]
        return kept

    def filled(self, places: Sequence[int]) -> list[int] | None:
        """Add the best labelings one by one until there are m; None if no further one fits."""
        if self._families:
            return self._of_groups(places, 0) or None
        chosen = list(places)
        while len(chosen) < self.m:
            gains = self._gains(chosen)
            if np.isneginf(gains.max()):
                return None
            chosen.append(int(gains.argmax()))
        return chosen

    def settled(self, places: Sequence[int]) -> list[int]:
        """Swap single labelings of m for better ones until none raises F."""
        if self._families:
            return self._of_groups(places, _SWAP_ROUNDS)
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

    def _counts_repeats(self) -> bool:
        """Whether D of a repeated labeling is that of its groups: of different items alone, only bounds are known."""
        first, objective = self.pool[:1], self.objective
        rows, total = np.repeat(first, self.m, axis=0), self.m * float(self._modular[0])
        for factor, lines in self._families:
            part = lines.columns()
            covered = part.weights[part.groups[: part.starts[1]]].sum() * lines.h[self.m]
            total += objective.tradeoff * factor * (lines.constant + covered)
        return bool(np.isclose(total, objective.value(rows), rtol=1e-9, atol=1e-9 * abs(float(self._relevance[0]))))

    def _of_groups(self, places: Sequence[int], rounds: int) -> list[int]:
        """Fill and settle a list by the kernel."""
        enough = meeting_gap(self.objective.model, float(np.abs(self._relevance).max()))
        near, begun = self._near.astype(np.uint8), np.array(places, np.int32)
        found: list[int] = self._kernel(near, begun, rounds, enough).tolist()
        return found

    @cached_property
    def _kernel(self) -> Callable[..., NDArray[np.int32]]:
        """Know the groups of the pool, what they are worth by their counts, and what each labeling is worth alone."""
        columns = [lines.columns() for _, lines in self._families]
        factors = [self.objective.tradeoff * factor for factor, _ in self._families]
        weights = np.concatenate([f * part.weights for f, part in zip(factors, columns, strict=True)])
        family = np.repeat(np.arange(len(columns), dtype=np.int32), [part.weights.size for part in columns])
        tables = np.array([lines.h for _, lines in self._families])
        return partial(_core.counts.list_of_known, *joined(columns), weights, family, tables, self._modular)

    @property
    def _modular(self) -> Doubles:
        """What each labeling adds whatever the rest of the list is."""
        parsimony = self.objective.diversity.parsimony_of(self.objective.model, self.pool)
        return np.asarray(self._relevance + self.objective.tradeoff * parsimony)

    def _gains(self, chosen: Sequence[int]) -> Doubles:
        """What each labeling would add to F; -inf for those too close. Searches from several lists ask twice."""
        key = tuple(sorted(chosen))
        if key not in self._known:
            gains = np.array(self.objective.gain(self.pool, self._relevance, self.pool[list(key)]), np.float64)
            if self._near.size:
                gains[self._near[:, list(key)].any(axis=1)] = -np.inf
            self._known[key] = gains
        return self._known[key]


def greedy_order(objective: Objective, rows: Labels) -> list[int]:
    """Return the order in which the labelings of a list add most, one by one."""
    chosen: list[int] = []
    relevance = np.atleast_1d(np.asarray(objective.model.score(rows), np.float64))
    while len(chosen) < len(rows):
        left = [k for k in range(len(rows)) if k not in chosen]
        gains = np.asarray(objective.gain(rows[left], relevance[left], rows[chosen]))
        chosen.append(left[int(gains.argmax())])
    return chosen
