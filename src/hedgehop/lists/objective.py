# SPDX-License-Identifier: BSD-3-Clause
"""What a list is worth, what one more labeling adds, and what no list can exceed (docs/theory.md 1 and 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from hedgehop._arrays import Doubles, Labels, linear_sizes, own
from hedgehop.diversity.base import Diversity
from hedgehop.models import Model, UnaryModel
from hedgehop.potentials import Potential

T = TypeVar("T")


@dataclass(frozen=True)
class _OfList:
    """What is known of a list."""

    rows: Labels
    known: dict[str, Any]


@dataclass(frozen=True)
class Objective:
    """``F(S) = sum_{y in S} r(y) + tradeoff * D(S)``, of lists S given as (t, n) arrays."""

    model: Model
    diversity: Diversity
    tradeoff: float
    _last: list[_OfList] = field(default_factory=list, init=False, compare=False, repr=False)

    def value(self, rows: Labels) -> float:
        """F of a list."""
        relevance = float(np.sum(self._relevance(rows)))
        return relevance + self.tradeoff * self._known(rows, "value", lambda: self.diversity.value(self.model, rows))

    def values(self, rows: Labels) -> list[float]:
        """F of a list and of its beginnings, F(S^0) .. F(S^t)."""
        relevance = np.concatenate([[0.0], np.cumsum(self._relevance(rows))])
        with np.errstate(over="ignore"):  # it is refused in words
            values: list[float] = (relevance + self.tradeoff * self.diversity.values(self.model, rows)).tolist()
        self._refuse_overflow(np.asarray(values))
        return values

    def modular(self, rows: Labels) -> Doubles:
        """What each labeling adds whatever the rest of the list is: relevance plus parsimony, (t,)."""
        parsimony = self.diversity.parsimony_of(self.model, rows) if self.tradeoff > 0 else np.zeros(len(rows))
        return self._relevance(rows) + self.tradeoff * parsimony

    def size(self, rows: Labels, value: float) -> float:
        """How large the numbers are whose sum F(rows) = value is: what its rounding is measured against."""
        relevance = float(self._relevance(rows).sum())
        parsimony = self.tradeoff * self.diversity.parsimony_of(self.model, rows)
        coverage = value - relevance - float(parsimony.sum())
        scores, model = abs(relevance), self.model
        if isinstance(model, UnaryModel):
            scores += float(linear_sizes(model.unary, rows).sum()) + len(rows) * model.spread
        return scores + abs(coverage) + float(np.abs(parsimony).sum())

    def repeated(self, labeling: Labels, m: int) -> float:
        """F of one labeling repeated m times."""
        relevance = float(np.sum(np.repeat(np.asarray(self.model.score(labeling.reshape(1, -1))), m)))
        return relevance + self.tradeoff * self.diversity.repeated(self.model, labeling, m)

    def gain(self, labelings: Labels, relevance: Doubles | float, rows: Labels) -> Doubles | float:
        """``F(S + y) - F(S)`` of one labeling y or of each of many, whose relevance is known."""
        gain = relevance + self.tradeoff * self.diversity.gain(self.model, labelings, rows)
        self._refuse_overflow(np.asarray(gain))
        return gain

    def potentials(self, rows: Labels) -> list[Potential]:
        """What a step adds to the relevance, so that it maximises the gain (or what steers towards it)."""
        return self.diversity.scaled_potentials(self.model, rows, self.tradeoff) if self.tradeoff > 0 else []

    def bounding(self, rows: Labels) -> list[Potential]:
        """Potentials that are nowhere below the gain."""
        return self._scaled(self.diversity.bounding(self.model, rows))

    def parsimony(self) -> list[Potential]:
        """The part of the potentials that does not depend on the list."""
        return self._scaled(self.diversity.parsimony_potentials(self.model))

    def list_bound(self, rows: Labels, best_gain: float, m: int) -> float:
        """B1: no list of m labelings has a larger F, if no labeling adds more than `best_gain` to the list `rows`."""
        offset = self.diversity.offset(self.model, rows, m) if self.tradeoff > 0 else 0.0
        return self.tradeoff * offset + m * best_gain

    def list_bounds(self, rows: Labels, best_gains: Sequence[float]) -> list[float]:
        """B1 of the beginnings of a list, the empty one first, as many as there are best gains."""
        m, count = len(rows), len(best_gains)
        offsets = np.zeros(count)
        if self.tradeoff > 0:
            offsets = self._known(rows, "offsets", lambda: own(self.diversity.offsets(self.model, rows, m)))[:count]
        with np.errstate(over="ignore"):  # a bound of inf is none
            bounds: list[float] = (self.tradeoff * offsets + m * np.asarray(best_gains)).tolist()
        return bounds

    def why_not_monotone(self) -> str | None:
        """Return why F may fall as a list grows; None if ``r + tradeoff * parsimony >= 0`` for every labeling."""
        if not self.diversity.submodular:
            return "the diversity is not submodular"
        if not isinstance(self.model, UnaryModel):
            return f"no lower bound on the relevance of {type(self.model).__name__} is known"
        lowest = self.model.floor() + self.tradeoff * self.diversity.parsimony_floor(self.model)
        return None if lowest >= 0 else f"relevance plus parsimony may be negative (lower bound {lowest:.6g})"

    def why_not_known(self, rows: Labels) -> str | None:
        """Return why F of a list is only bounded from below; None if its D is exact."""
        if self.tradeoff == 0 or not self.diversity.submodular:
            return None
        covered = self.diversity.coverage(self.model, rows)
        known = self.diversity.offset(self.model, rows, len(rows)) <= covered + 1e-9 * max(1.0, abs(covered))
        return None if known else "only a lower bound on the diversity of this list is known"

    def _refuse_overflow(self, values: Doubles) -> None:
        if np.isposinf(values).any() or np.isnan(values).any():
            text = f"relevance + {self.tradeoff:g} * diversity is too large for floating-point numbers"
            raise ValueError(f"{text}. Use a smaller tradeoff, or scores in larger units.")

    def _relevance(self, rows: Labels) -> Doubles:
        """Relevance of each labeling."""
        return self._known(
            rows, "relevance", lambda: own(np.atleast_1d(self.model.score(rows)) if len(rows) else np.zeros(0))
        )

    def _known(self, rows: Labels, name: str, find: Callable[[], T]) -> T:
        """Return what is known under a name of the list asked about last; otherwise find it."""
        if self._last and self._last[0].rows is rows:
            known = self._last[0].known
        else:
            known = {}
            if not rows.flags.writeable:
                self._last[:] = [_OfList(rows, known)]
        if name not in known:
            known[name] = find()
        found: T = known[name]
        return found

    def _scaled(self, potentials: Sequence[Potential]) -> list[Potential]:
        """Potentials times the tradeoff; nothing at all if the tradeoff is 0."""
        return [p.scaled(self.tradeoff) for p in potentials] if self.tradeoff > 0 else []


def check_arguments(model: Any, diversity: Any) -> None:
    """Refuse what is no model, no diversity, or a diversity that does not fit the model."""
    require_model(model)
    if not isinstance(diversity, Diversity):
        raise TypeError(f"diversity must be a Diversity such as hh.HammingBall(gamma=0.01); got {diversity!r}.")
    diversity.check(model)


def require_model(model: Any) -> None:
    """Refuse what is no model."""
    if not isinstance(model, (UnaryModel, Model)):  # the first one is decided sooner
        raise TypeError(f"model must be a model such as hh.Grid(scores); got {type(model).__name__}.")
