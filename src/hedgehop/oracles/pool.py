# SPDX-License-Identifier: BSD-3-Clause
"""The labelings a step has found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgehop._arrays import Doubles, Labels, key_of
from hedgehop._errors import InfeasibleError
from hedgehop.models.base import Model
from hedgehop.oracles.base import Step
from hedgehop.potentials import Potential, total_value

Kept = tuple[Labels, Doubles]  # labelings and their relevance, carried from step to step


class Pool:
    """Different allowed labelings: what each scores without and with the potentials that are relaxed.

    Attributes
    ----------
    relevance, scores, values : lists of floats
        r(y); the same plus the other potentials; the same plus those that are relaxed.
    """

    def __init__(self, model: Model, others: Sequence[Potential], relaxed: Sequence[Potential]) -> None:
        self.model, self.others, self.relaxed = model, others, relaxed
        self.labelings: list[Labels] = []
        self.relevance: list[float] = []
        self.scores: list[float] = []
        self.values: list[float] = []
        self._seen: set[bytes] = set()

    def add(self, rows: Labels | Sequence[Labels], relevance: Doubles | None = None) -> Labels:
        """Take in and return those of (m, n) labelings that are new and allowed; relevance only if it is known."""
        rows = np.ascontiguousarray(rows, np.int32).reshape(-1, self.model.n_variables)
        keys = [key_of(row) for row in rows]
        fresh = [k for k, key in enumerate(keys) if key not in self._seen and key not in keys[:k]]
        self._seen.update(keys)
        if not fresh:
            return rows[:0]
        rows = rows if len(fresh) == len(rows) else np.ascontiguousarray(rows[fresh])
        known = np.asarray(self.model.score(rows)).reshape(-1) if relevance is None else relevance[fresh]
        scores = known + total_value(self.model, self.others, rows)
        allowed = np.isfinite(scores)
        if not allowed.all():
            rows, known, scores = np.ascontiguousarray(rows[allowed]), known[allowed], scores[allowed]
        self.labelings += list(rows)
        self.relevance += known.tolist()
        self.scores += scores.tolist()
        self.values += (scores + total_value(self.model, self.relaxed, rows)).tolist()
        return rows

    def take(self, step: Step) -> Labels:
        """Take in the labeling of a step, and return it, (n,)."""
        labeling = np.ascontiguousarray(step.labeling.reshape(-1), np.int32)
        self.add(labeling[None])
        return labeling

    def refuse_empty(self) -> None:
        """Raise InfeasibleError if nothing allowed was found."""
        if not self.labelings:
            raise InfeasibleError('the linear oracle found no allowed labeling; if there is one, "ilp" finds it.')

    @property
    def best(self) -> int:
        """The first labeling of the highest value."""
        return int(np.argmax(self.values))

    @property
    def value(self) -> float:
        """The highest value; -inf if nothing allowed was found."""
        return max(self.values, default=-np.inf)

    def order(self, count: int) -> list[int]:
        """Places of the labelings of the highest values, those found first before equal ones."""
        places: list[int] = np.argsort(-np.array(self.values), kind="stable")[:count].tolist()
        return places

    def top(self, count: int) -> list[Labels]:
        """The labelings of the highest values."""
        return [self.labelings[k] for k in self.order(count)]

    def kept(self, count: int) -> Kept:
        """The best labelings, for the next step."""
        order = self.order(count)
        return np.array([self.labelings[k] for k in order]), np.array([self.relevance[k] for k in order])
