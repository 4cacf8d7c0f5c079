# SPDX-License-Identifier: BSD-3-Clause
"""Coverage of a known, finite family of groups: the vectorised form of the paper's recipe."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Labels, own
from hedgehop._frozen import Frozen
from hedgehop.diversity.base import Diversity, Parsimony, checked_parsimony, parsimony_rate
from hedgehop.diversity.concave import Concave, ConcaveLike, concave
from hedgehop.diversity.lines import GroupLines, VariableLines
from hedgehop.diversity.listed_lines import ListedLines
from hedgehop.models.base import Model
from hedgehop.models.unary import most_labels
from hedgehop.potentials import Constant, Linear, Potential
from hedgehop.potentials.cells import Cells, in_cells


class Coverage(Frozen, Diversity):
    """``D(S) = sum_g a_g (h(c_g) + parsimony * c_g)``, for groups g that can be listed.

    A step's gain is ``sum of w_g over the groups of y`` with the net weight
    ``w_g = a_g (h(1 + c_g) - h(c_g) + parsimony)``: a reward or, if negative, a cost (docs/theory.md 3).

    Subclasses define the groups: ``incidence``, ``group_weights`` and ``as_potentials``.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> diversity, model = hh.LabelCoverage(ignore=()), hh.FactorGraph(np.zeros((3, 2)))
    >>> diversity.counts(model, [[0, 0, 0], [0, 1, 1]])
    array([2, 1])
    """

    h: Concave
    parsimony: Parsimony

    def __init__(self, h: ConcaveLike = "count", parsimony: Parsimony = 0.0) -> None:
        self._set(h=concave(h), parsimony=checked_parsimony(parsimony))

    @abstractmethod
    def incidence(self, model: Model, flat: Labels) -> NDArray[np.bool_]:
        """Which groups each of (m, n) labelings belongs to, (m, G); m may be 0."""

    @abstractmethod
    def group_weights(self, model: Model) -> Doubles:
        """Weights a_g >= 0, (G,); 0 for groups that are ignored."""

    @abstractmethod
    def as_potentials(self, model: Model, w: Doubles) -> list[Potential]:
        """Potentials that add up to ``sum of w_g over the groups of y``."""

    def counts(self, model: Model, labelings: ArrayLike) -> NDArray[np.int64]:
        """How many labelings of the list belong to each group, (G,)."""
        return np.asarray(self.incidence(model, self._rows(model, labelings)).sum(axis=0), np.int64)

    def net_weights(self, model: Model, chosen: ArrayLike) -> Doubles:
        """What belonging to each group adds in the next step, (G,)."""
        rate = parsimony_rate(self.parsimony, self.h)
        return self.group_weights(model) * (self.h.step(self.counts(model, chosen)) + rate)

    def coverage(self, model: Model, labelings: ArrayLike) -> float:
        self.check(model)
        return float(self.group_weights(model) @ self.h(self.counts(model, labelings)))

    def coverages(self, model: Model, labelings: ArrayLike) -> Doubles:
        """Sums of what each labeling adds: ``h(1 + k) - h(k)`` in every group that it and k earlier ones belong to."""
        if not self._valued_by_groups:
            return super().coverages(model, labelings)
        self.check(model)
        weights, added = self.group_weights(model), [0.0]
        counts = np.zeros(weights.size, np.int64)
        for row in self._rows(model, labelings):
            groups = np.flatnonzero(self.incidence(model, row[None])[0])
            added.append(float(weights[groups] @ self.h.step(counts[groups])))
            counts[groups] += 1
        return np.cumsum(added)

    def parsimony_of(self, model: Model, labelings: ArrayLike) -> Doubles:
        rate = parsimony_rate(self.parsimony, self.h)
        return np.asarray(self.incidence(model, self._rows(model, labelings)) @ (rate * self.group_weights(model)))

    def parsimony_potentials(self, model: Model) -> list[Potential]:
        """The net weights' constant part."""
        rate = parsimony_rate(self.parsimony, self.h)
        return self.as_potentials(model, rate * self.group_weights(model)) if rate else []

    def parsimony_floor(self, model: Model) -> float:
        """Parsimony of a labeling that belongs to every group, if it is negative."""
        rate = parsimony_rate(self.parsimony, self.h)
        return min(0.0, rate) * float(self.group_weights(model).sum())

    def potentials(self, model: Model, chosen: ArrayLike = ()) -> list[Potential]:
        self.check(model)
        return self.as_potentials(model, self.net_weights(model, chosen))

    @property
    def _valued_by_groups(self) -> bool:
        """Whether D is the sum over groups, so that its slopes bound it."""
        return self._valued_as(Coverage)

    def lines(self, model: Model, m: int) -> list[tuple[float, GroupLines]] | None:
        """One slope per group."""
        if not self._valued_by_groups:
            return None
        return [(1.0, ListedLines(self, model, self.h.upto(m), parsimony_rate(self.parsimony, self.h)))]

    def group_values(self, model: Model, m: int) -> Doubles:
        """What each group adds to D of a list by the number of labelings in it, (G, m + 1)."""
        values = self.h.upto(m) + parsimony_rate(self.parsimony, self.h) * np.arange(m + 1)
        return np.outer(self.group_weights(model), values)

    def _gains(self, model: Model, flat: Labels, chosen: Labels) -> Doubles:
        self.check(model)
        return np.asarray(self.incidence(model, flat) @ self.net_weights(model, chosen))


class GroupCoverage(Frozen, Diversity):
    """Coverage of groups named by a function: ``groups(labeling)`` gives the names of its groups.

    Parameters
    ----------
    groups : function of a labeling
        Names (hashable) of the groups a labeling belongs to.
    h, parsimony
        As in :class:`LabelCoverage`.
    weights : dict, optional
        Weights of groups by name, >= 0; 1 for those not named.

    Examples
    --------
    >>> import hedgehop as hh
    >>> sizes = hh.GroupCoverage(lambda y: [int(y.sum())], h="sqrt")
    >>> sizes.value(hh.FactorGraph([[0.0, 0.0]] * 3), [[0, 0, 1], [1, 0, 0], [1, 1, 1]])
    2.414213562373095
    """

    def __init__(
        self,
        groups: Callable[[Any], Iterable[Hashable]],
        h: ConcaveLike = "count",
        parsimony: Parsimony = 0.0,
        weights: Mapping[Hashable, float] | None = None,
    ) -> None:
        if not callable(groups):
            raise TypeError(f"groups must be a function of a labeling; got {groups!r}.")
        if weights is not None and not isinstance(weights, Mapping):
            raise TypeError(f"weights must map groups to their weights, such as {{'a': 2.0}}; got {weights!r}.")
        table = {g: _arrays.number(w, f"the weight of group {g!r}", low=0.0) for g, w in (weights or {}).items()}
        self._set(h=concave(h), parsimony=checked_parsimony(parsimony), _groups=groups, weights=table)

    def groups(self, labeling: Any) -> Iterable[Hashable]:
        return self.__dict__["_groups"](labeling)  # type: ignore[no-any-return]

    def weight(self, group: Any) -> float:
        return float(self.__dict__["weights"].get(group, 1.0))

    def __repr__(self) -> str:
        return f"GroupCoverage({self.__dict__['_groups']!r}, h={self.h!r})"


class VariableCoverage(Frozen, Diversity):
    """``D(S) = sum_i a_i sum_l h(number of labelings with y_i = l)``: one group per (variable, label).

    The gain only changes the unary scores, so a step is as easy as finding the single best labeling.

    Parameters
    ----------
    h : "log", "sqrt", "count" or a function
        Concave value of a label at a variable, as a function of the number of labelings that use it there.
    weights : (n,) array, optional
        a_i >= 0, for example the areas of superpixels.

    Examples
    --------
    >>> import hedgehop as hh
    >>> model = hh.FactorGraph([[2.0, 0.0], [2.0, 0.0]])
    >>> hh.diverse(model, hh.VariableCoverage(h="count"), m=2, tradeoff=3.0).labelings.tolist()
    [[0, 0], [1, 1]]
    """

    sums_variables = True
    h: Concave
    weights: Doubles | None

    def __init__(self, h: ConcaveLike = "log", weights: ArrayLike | None = None) -> None:
        self._set(h=concave(h), weights=None if weights is None else _arrays.weights(weights, "weights"))

    def check(self, model: Model) -> None:
        check_weights(self.weights, model)

    def coverage(self, model: Model, labelings: ArrayLike) -> float:
        self.check(model)
        worth = self.h(variable_counts(model, self._rows(model, labelings))).sum(axis=1)
        return float(worth.sum() if self.weights is None else worth @ self.weights)

    def repeated(self, model: Model, labeling: Labels, m: int) -> float:
        """``h(m)`` at every variable."""
        if not self._valued_as(VariableCoverage):
            return super().repeated(model, labeling, m)
        total = model.n_variables if self.weights is None else float(self.weights.sum())
        return float(self.h.upto(m)[m]) * total

    def coverages(self, model: Model, labelings: ArrayLike) -> Doubles:
        """Sums of what each labeling adds: ``h(1 + k) - h(k)`` where k earlier ones give the same label."""
        self.check(model)
        rows = self._rows(model, labelings)
        slopes = np.diff(self.h.upto(len(rows)))
        added = [slopes[:t] @ self._earlier(rows, t - 1) for t in range(1, len(rows) + 1)]
        return np.concatenate([[0.0], np.cumsum(added)])

    def _earlier(self, rows: Labels, t: int) -> Doubles:
        """Weight of the variables whose label in row t is that of none, one, ... t earlier rows, (t + 1,)."""
        same = np.zeros(rows.shape[1], np.int32)
        for row in rows[:t]:
            same += row == rows[t]
        return np.bincount(same, self.weights, t + 1).astype(np.float64)

    def offsets(self, model: Model, labelings: ArrayLike, m: int) -> Doubles:
        """The coverages."""
        return self.coverages(model, labelings)

    def potentials(self, model: Model, chosen: ArrayLike = ()) -> list[Potential]:
        """One linear potential: the gain of every labeling."""
        rows = self._rows(model, chosen)
        self.check(model)
        if len(rows) == 0:
            total = model.n_variables if self.weights is None else float(self.weights.sum())
            return [Constant(total * self.h.first)]
        return [self._linear(model, rows)]

    def scaled_potentials(self, model: Model, chosen: ArrayLike, factor: float) -> list[Potential]:
        """Return ``potentials`` times a factor, in one pass unless a subclass has its own."""
        rows = self._rows(model, chosen)
        if type(self).potentials is not VariableCoverage.potentials or len(rows) == 0:
            return super().scaled_potentials(model, chosen, factor)
        self.check(model)
        largest = 1.0 if self.weights is None else float(self.weights.max())
        if not np.isfinite(factor * largest * self.h.first):
            raise ValueError(f"a potential times {factor:g} overflows. Use a smaller tradeoff or factor.")
        return [self._linear(model, rows, factor)]

    def lines(self, model: Model, m: int) -> list[tuple[float, GroupLines]] | None:
        """One slope per variable and label."""
        known = self._valued_as(VariableCoverage)
        return [(1.0, VariableLines(model, self.h.upto(m), self.weights))] if known else None

    def joint_slopes(self, model: Model, m: int) -> Doubles | None:
        """Differences of ``h(a) + h(m - a)``."""
        worth = self.h.upto(m) + self.h.upto(m)[::-1]
        ones = np.ones(model.n_variables) if self.weights is None else self.weights
        return np.asarray(np.diff(worth)[:, None] * ones)

    def _linear(self, model: Model, chosen: Labels, factor: float = 1.0) -> Linear:
        if not in_cells(model):
            return Linear.of_finite(self._theta(model, chosen, factor))
        cells = Cells.of(chosen, most_labels(model))
        rises = factor * np.diff(self.h.upto(len(chosen) + 1))
        return cells.linear(most_labels(model), rises[cells.counts], rises[0], self.weights)

    def _theta(self, model: Model, chosen: Labels, factor: float = 1.0) -> Doubles:
        rises = factor * np.diff(self.h.upto(len(chosen) + 1))
        steps = rises[variable_counts(model, chosen)]
        return own(steps if self.weights is None else steps * self.weights[:, None])

    def _gains(self, model: Model, flat: Labels, chosen: Labels) -> Doubles:
        self.check(model)
        rises, chosen = np.diff(self.h.upto(len(chosen) + 1)), np.ascontiguousarray(chosen, np.int32)
        rows = (np.concatenate([chosen, y[None]]) for y in flat)
        return np.array([rises @ self._earlier(r, len(chosen)) for r in rows])

    def __repr__(self) -> str:
        return f"VariableCoverage(h={self.h!r}{', weights=...' if self.weights is not None else ''})"


def variable_counts(model: Model, flat: Labels) -> NDArray[np.int64]:
    """How many labelings give each variable each label, (n, L)."""
    return _core.counts.variable_counts(np.ascontiguousarray(flat, np.int32), most_labels(model))


def check_weights(weights: Doubles | None, model: Model) -> None:
    """Refuse weights that are not one per variable."""
    if weights is not None and weights.size != model.n_variables:
        raise ValueError(f"weights must have one entry per variable ({model.n_variables}); got {weights.size}.")
