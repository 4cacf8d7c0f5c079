# SPDX-License-Identifier: BSD-3-Clause
"""What a diversity is: a measure of how many groups a list of labelings covers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from hedgehop._arrays import Doubles, Labels, as_labelings, number
from hedgehop.diversity.concave import Concave, ConcaveLike, concave
from hedgehop.diversity.lines import GroupLines
from hedgehop.diversity.listed_lines import NamedLines
from hedgehop.models.base import Model
from hedgehop.potentials import Function, Potential
from hedgehop.potentials.list_weights import ListWeights

if TYPE_CHECKING:
    from hedgehop.diversity.combine import WeightedSum

Parsimony = float | Literal["auto"]


class Diversity:
    """``D(S) = sum_g weight(g) * (h(c_g) + parsimony * c_g)``, c_g = labelings of the list S in group g.

    Write your own by naming the groups a labeling belongs to:

    >>> import hedgehop as hh
    >>> class Starts(hh.Diversity):
    ...     def groups(self, labeling):
    ...         return [int(labeling[0])]
    >>> model = hh.FactorGraph([[3.0, 2.0, 0.0], [1.0, 0.0, 0.0]])
    >>> hh.diverse(model, Starts(), m=2, tradeoff=5.0).labelings.tolist()
    [[0, 0], [1, 0]]

    Value, gain and potentials follow from the groups, and the exhaustive oracle solves the step on small
    models. For large ones override ``potentials`` with records that an oracle can handle (their sum must equal
    ``gain`` for every labeling), and ``value`` and ``gain`` where Python loops are too slow.

    Attributes
    ----------
    h : "count", "sqrt", "log" or a function
        Concave value of a group as a function of the number of its labelings.
    parsimony : float or "auto"
        An additional value for every labeling of a group; "auto" is ``-h(1)``: an unseen group is free, a
        reused one costs. It can have any sign; only D without it must be monotone.
    submodular : bool
        Whether each further labeling adds less, so that the certificate applies. True for groups.
    distinct : bool
        What ``distinct="auto"`` means for lists of this diversity.
    sums_variables : bool
        Whether D grows with the number of variables, so that ``hh.per_variable`` would count them twice.
    """

    h: ConcaveLike = "count"
    parsimony: Parsimony = 0.0
    submodular: bool = True
    distinct: bool = False
    sums_variables: bool = False

    def groups(self, labeling: Any) -> Iterable[Hashable]:
        """Groups one labeling (of the model's shape) belongs to."""
        raise TypeError(f"{type(self).__name__} must define groups(labeling).")

    def weight(self, group: Any) -> float:
        """Weight of a group, >= 0."""
        return 1.0

    def value(self, model: Model, labelings: ArrayLike) -> float:
        """D of a list of labelings, repetitions counted."""
        return self.coverage(model, labelings) + float(self.parsimony_of(model, labelings).sum())

    def repeated(self, model: Model, labeling: Labels, m: int) -> float:
        """D of one labeling repeated m times."""
        return self.value(model, np.repeat(labeling.reshape(1, -1), m, axis=0))

    def coverage(self, model: Model, labelings: ArrayLike) -> float:
        """D without parsimony: the monotone submodular part."""
        counts: Counter[Hashable] = Counter()
        for labeling in self._rows(model, labelings):
            counts.update(self._groups_of(model, labeling))
        h = concave(self.h)
        return float(sum(self.weight(g) * h.upto(c)[c] for g, c in counts.items()))

    def coverages(self, model: Model, labelings: ArrayLike) -> Doubles:
        """Coverage of every beginning of a list of m, the empty one first, (m + 1,)."""
        rows = self._rows(model, labelings)
        return np.array([self.coverage(model, rows[:t]) for t in range(len(rows) + 1)])

    def values(self, model: Model, labelings: ArrayLike) -> Doubles:
        """D of every beginning of a list of m, the empty one first, (m + 1,)."""
        parsimony = np.cumsum(self.parsimony_of(model, labelings))
        return np.asarray(self.coverages(model, labelings) + np.concatenate([[0.0], parsimony]))

    def parsimony_of(self, model: Model, labelings: ArrayLike) -> Doubles:
        """The part of D that each labeling adds whatever the rest of the list is, (m,)."""
        rows = self._rows(model, labelings)
        rate = parsimony_rate(self.parsimony, concave(self.h)) if self.parsimony else 0.0  # asked for very often
        if rate == 0.0:
            return np.zeros(len(rows))
        return rate * np.array([sum(map(self.weight, self._groups_of(model, y))) for y in rows])

    def gain(self, model: Model, labeling: ArrayLike, chosen: ArrayLike = ()) -> float | Doubles:
        """``D(chosen + [y]) - D(chosen)`` of one labeling y, or of each of many."""
        flat, single = as_labelings(labeling, model.shape, model.label_counts)
        gains = self._gains(model, flat, self._rows(model, chosen))
        return float(gains[0]) if single else gains

    def potentials(self, model: Model, chosen: ArrayLike = ()) -> list[Potential]:
        """Potentials whose sum is ``gain(model, y, chosen)`` for every labeling y."""
        return [Gain(self, model, self._rows(model, chosen))]

    def scaled_potentials(self, model: Model, chosen: ArrayLike, factor: float) -> list[Potential]:
        """Return ``potentials`` times a factor > 0."""
        return [p.scaled(factor) for p in self.potentials(model, chosen)]

    def bounding(self, model: Model, chosen: ArrayLike = ()) -> list[Potential]:
        """Potentials whose sum is at least ``gain`` for every labeling: what the certificate maximises."""
        return self.potentials(model, chosen)

    @property
    def steers_exactly(self) -> bool:
        """Whether ``potentials`` are those of ``bounding``, so that a step is its own bound."""
        return type(self).bounding is Diversity.bounding

    def offset(self, model: Model, chosen: ArrayLike, m: int) -> float:
        """Number B such that ``D(T) <= B + sum_{y in T} gain(y | chosen)`` for every list T of m labelings.

        For monotone submodular D without parsimony this is ``D(chosen)``, any list (docs/theory.md 5, B1).
        """
        return self.coverage(model, chosen) if self.submodular else np.inf

    def offsets(self, model: Model, labelings: ArrayLike, m: int) -> Doubles:
        """Offset of every beginning of a list, the empty one first."""
        rows = self._rows(model, labelings)
        return np.array([self.offset(model, rows[:t], m) for t in range(len(rows) + 1)])

    def joint_slopes(self, model: Model, m: int) -> Doubles | None:
        """For two labels, what the k-th labeling with y_i = 1 adds to D of a list of m, (m, n); None if it depends.

        ``D(S) = D(all zeros) + sum_i sum of slopes[:a_i, i]``, a_i = labelings with y_i = 1, slopes falling in k.
        """
        return None

    def lines(self, model: Model, m: int) -> list[tuple[float, GroupLines]] | None:
        """Return the families of groups whose slopes bound D of every list of m (docs/list_dual.md), with factors.

        None if they are not known, as for a subclass that does not value lists by its groups.
        """
        if not self._valued_as(Diversity):
            return None
        h = concave(self.h)
        return [(1.0, NamedLines(self, model, h.upto(m), parsimony_rate(self.parsimony, h)))]

    def list_weights(self, model: Model, m: int) -> ListWeights | None:
        """Return what labels and whole regions add to D of a list of m, if D is that; None if it is not."""
        return None

    @property
    def smooth_balls(self) -> float | None:
        """Rate gamma, if D is the union of smooth balls that keep every variable alike; None if it is not."""
        return None

    def relaxed_lines(self, model: Model, m: int) -> list[tuple[float, GroupLines]] | None:
        """Return lines of a diversity that is nowhere below this one and has easier steps; None if none is known."""
        return None

    def _valued_as(self, owner: type[Diversity]) -> bool:
        """Whether D is what `owner` says: no subclass overrides it."""
        return all(getattr(type(self), name) is getattr(owner, name) for name in ("value", "coverage", "parsimony_of"))

    def parsimony_potentials(self, model: Model) -> list[Potential]:
        """Potentials whose sum is the parsimony of every labeling: none if there is no parsimony."""
        if parsimony_rate(self.parsimony, concave(self.h)) == 0.0:
            return []
        return [Function(lambda y: float(self.parsimony_of(model, y[None])[0]))]

    def parsimony_floor(self, model: Model) -> float:
        """Return a lower bound on the parsimony of all labelings; -inf if none is known."""
        return 0.0 if parsimony_rate(self.parsimony, concave(self.h)) >= 0 else -np.inf

    def check(self, model: Model) -> None:
        """Raise ValueError if this diversity does not fit the model."""

    def _gains(self, model: Model, flat: Labels, chosen: Labels) -> Doubles:
        if self._valued_as(Diversity):
            return self._gains_of_groups(model, flat, chosen)
        before = self.value(model, chosen)
        return np.array([self.value(model, np.concatenate([chosen, y[None]])) - before for y in flat])

    def _gains_of_groups(self, model: Model, flat: Labels, chosen: Labels) -> Doubles:
        """``sum of weight(g) * (h(1 + c_g) - h(c_g) + parsimony)`` over the groups g of each labeling."""
        counts: Counter[Hashable] = Counter()
        for labeling in chosen:
            counts.update(self._groups_of(model, labeling))
        h = concave(self.h)
        adds = np.diff(h.upto(len(chosen) + 1)) + parsimony_rate(self.parsimony, h)
        return np.array([sum(self.weight(g) * adds[counts[g]] for g in self._groups_of(model, y)) for y in flat], float)

    def _groups_of(self, model: Model, labeling: Labels) -> set[Hashable]:
        named = self.groups(labeling.reshape(model.shape))
        if not isinstance(named, Iterable):
            raise TypeError(f"groups must return the names of all groups, such as [{named!r}]; got {named!r}.")
        return set(named)

    @staticmethod
    def _rows(model: Model, labelings: ArrayLike) -> Labels:
        """Labelings as an (m, n) array; () and [] mean none."""
        if not hasattr(model, "label_counts"):
            raise TypeError(f"model must be a model such as hh.Grid(scores); got {type(model).__name__}.")
        return as_labelings(labelings, model.shape, model.label_counts)[0]

    def __add__(self, other: Diversity) -> WeightedSum:
        from hedgehop.diversity.combine import WeightedSum

        return WeightedSum([(1.0, self), (1.0, other)])

    __array_ufunc__ = None  # so that numpy leaves `array * diversity` to us, which refuses it

    def __radd__(self, other: Literal[0]) -> Diversity:
        return self  # sum() starts from 0

    def __mul__(self, factor: float) -> WeightedSum:
        return self.__rmul__(factor)

    def __rmul__(self, factor: float) -> WeightedSum:
        from hedgehop.diversity.combine import WeightedSum

        return WeightedSum([(factor, self)])

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Gain(Function):
    """The gain of a diversity that knows no other potential, of many labelings at once."""

    diversity: Diversity
    chosen: Labels

    def __init__(self, diversity: Diversity, model: Model, chosen: Labels) -> None:
        super().__init__(lambda y: float(diversity.gain(model, y, chosen)))
        self._set(diversity=diversity, chosen=chosen)

    def values(self, model: Model, flat: Labels) -> Doubles:
        return self.factor * self.diversity._gains(model, flat, self.chosen)


def parsimony_rate(parsimony: Parsimony, h: Concave) -> float:
    """What one more labeling of a group adds in addition to h: a number, or "auto" = -h(1)."""
    return -h.first if parsimony == "auto" else float(parsimony)


def checked_parsimony(parsimony: Parsimony) -> Parsimony:
    """Check a parsimony: a finite number, or "auto"."""
    if isinstance(parsimony, str):
        if parsimony != "auto":
            raise ValueError(f'parsimony must be a number or "auto"; got {parsimony!r}.')
        return "auto"
    return number(parsimony, "parsimony")
