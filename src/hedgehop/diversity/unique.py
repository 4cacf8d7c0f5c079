# SPDX-License-Identifier: BSD-3-Clause
"""Lists valued by their different labelings: the paper's counts of groups, in which repeats do not count."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop._frozen import Frozen
from hedgehop.diversity.base import Diversity
from hedgehop.diversity.hamming import distinct_rows
from hedgehop.diversity.lines import GroupLines
from hedgehop.models.base import Model
from hedgehop.potentials import MemberWeights, Potential


class UniqueItems(Frozen, Diversity):
    """``D(different labelings of S)``, plus the parsimony of all of S: repeats cover nothing (docs/theory.md 4).

    The paper intersects groups with the *unique* items of a list. Without this wrapper a repeated labeling counts
    again in all of its groups, and is rewarded for that unless h is "count". With it, a labeling that is already in the
    list adds only its relevance and parsimony. A step is then the best labeling outside the list, or the best one
    inside it, whichever adds more.

    Parameters
    ----------
    diversity : Diversity
        What the different labelings are valued by. HammingBall, ExpectedBest and everything with h="count" ignore
        repeats anyway.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> model, twice = hh.FactorGraph(np.zeros((2, 2))), [[0, 0], [0, 0]]
    >>> shades = hh.VariableCoverage(h="sqrt")
    >>> round(shades.value(model, twice), 3), hh.UniqueItems(shades).value(model, twice)
    (2.828, 2.0)
    """

    diversity: Diversity

    def __init__(self, diversity: Diversity) -> None:
        if not isinstance(diversity, Diversity):
            raise TypeError(f"UniqueItems needs a diversity such as hh.LabelCoverage(); got {diversity!r}.")
        self._set(diversity=diversity)

    @property
    def submodular(self) -> bool:  # type: ignore[override]
        """Whether the diversity of the different labelings is."""
        return self.diversity.submodular

    @property
    def distinct(self) -> bool:  # type: ignore[override]
        """What the diversity of the different labelings asks for."""
        return self.diversity.distinct

    @property
    def sums_variables(self) -> bool:  # type: ignore[override]
        """Whether the diversity of the different labelings does."""
        return self.diversity.sums_variables

    @property
    def steers_exactly(self) -> bool:
        """Whether the diversity of the different labelings does."""
        return self.diversity.steers_exactly

    def check(self, model: Model) -> None:
        self.diversity.check(model)

    def coverage(self, model: Model, labelings: ArrayLike) -> float:
        """D of the different labelings, without parsimony."""
        return self.diversity.coverage(model, distinct_rows(self._rows(model, labelings)))

    def coverages(self, model: Model, labelings: ArrayLike) -> Doubles:
        rows = self._rows(model, labelings)
        return self.diversity.coverages(model, distinct_rows(rows))[_different(rows)]

    def parsimony_of(self, model: Model, labelings: ArrayLike) -> Doubles:
        """Parsimony of each labeling, repeats included: it belongs to the relevance."""
        return self.diversity.parsimony_of(model, labelings)

    def parsimony_potentials(self, model: Model) -> list[Potential]:
        return self.diversity.parsimony_potentials(model)

    def parsimony_floor(self, model: Model) -> float:
        return self.diversity.parsimony_floor(model)

    def potentials(self, model: Model, chosen: ArrayLike = ()) -> list[Potential]:
        """Gains of new labelings, and the parsimony of those in the list."""
        rows = distinct_rows(self._rows(model, chosen))
        return self._without_repeats(model, rows, self.diversity.potentials(model, rows))

    def bounding(self, model: Model, chosen: ArrayLike = ()) -> list[Potential]:
        """Bounds on the gains of new labelings, and the parsimony of those in the list."""
        rows = distinct_rows(self._rows(model, chosen))
        return self._without_repeats(model, rows, self.diversity.bounding(model, rows))

    def offset(self, model: Model, chosen: ArrayLike, m: int) -> float:
        """Offset of the different labelings; more if repeats used to count as gains of a diversity that grows."""
        rows = distinct_rows(self._rows(model, chosen))
        return self.diversity.offset(model, rows, m) + m * self._repeat_gain(model, rows)

    def offsets(self, model: Model, labelings: ArrayLike, m: int) -> Doubles:
        rows = self._rows(model, labelings)
        unique = distinct_rows(rows)
        more = [m * self._repeat_gain(model, unique[:t]) for t in range(len(unique) + 1)]
        return (self.diversity.offsets(model, unique, m) + more)[_different(rows)]

    def lines(self, model: Model, m: int) -> list[tuple[float, GroupLines]] | None:
        """Return those of the diversity with repeats: what they add to D is never negative, so they bound this one."""
        return self.diversity.lines(model, m)

    def relaxed_lines(self, model: Model, m: int) -> list[tuple[float, GroupLines]] | None:
        """Return those of the diversity with repeats."""
        return self.diversity.relaxed_lines(model, m)

    @property
    def smooth_balls(self) -> float | None:
        """Rate of the balls with repeats, which add nothing to a union, whether they count or not."""
        return self.diversity.smooth_balls

    def _repeat_gain(self, model: Model, rows: Labels) -> float:
        """The most that a labeling of the list would gain if repeats counted, for diversities that are not submodular.

        A submodular D has ``D(T) <= D(S) + sum of the gains of those labelings of T that are not in S``. For others
        the offset bounds D by the gains of all of T, and those in S lose theirs here.
        """
        if self.submodular or not len(rows):
            return 0.0
        return max(0.0, float(np.max(self.diversity.gain(model, rows, rows))))

    def _without_repeats(self, model: Model, rows: Labels, terms: list[Potential]) -> list[Potential]:
        """Take from the labelings of the list all that potentials give them beyond their parsimony."""
        if not len(rows):
            return terms
        given = sum((p.upper(model, rows) for p in terms), np.zeros(len(rows)))
        lost = np.minimum(0.0, self.parsimony_of(model, rows) - given)
        return [*terms, MemberWeights(rows, lost)] if lost.any() else terms

    def _gains(self, model: Model, flat: Labels, chosen: Labels) -> Doubles:
        unique = distinct_rows(chosen)
        known = {y.tobytes() for y in unique}
        repeats = np.array([y.tobytes() in known for y in np.ascontiguousarray(flat, np.int32)], bool)
        gains = np.array(self.diversity._gains(model, flat, unique), np.float64)
        gains[repeats] = self.parsimony_of(model, flat[repeats])
        return gains

    def __repr__(self) -> str:
        return f"UniqueItems({self.diversity!r})"


def _different(rows: Labels) -> NDArray[np.int64]:
    """How many different labelings the beginnings of a list hold, the empty one first, (m + 1,)."""
    keys = [y.tobytes() for y in rows]
    fresh = [key not in keys[:t] for t, key in enumerate(keys)]
    return np.concatenate([[0], np.cumsum(fresh)]).astype(np.int64)
