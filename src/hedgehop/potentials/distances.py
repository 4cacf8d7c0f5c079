# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the distance to a labeling: the number of variables that differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.base import Model
from hedgehop.potentials.base import Potential
from hedgehop.potentials.count_functions import SmoothFunction, Table
from hedgehop.potentials.counts import CountFunction, LabelClasses

_TABLE_STEPS = 4096  # of the table that stands in for a function of fractional distances


@dataclass(frozen=True, eq=False)
class Distances:
    """The same function of the distances to several labelings.

    Attributes
    ----------
    references : (J, n) labels
        The labelings; variables whose label differs are counted.
    weights : (n,) array or None
        Weight of each variable; 1 each if None.
    function : Table
        The value of each distance.
    scale : float
        0: the potential is the sum of the functions. Otherwise it is what a ball of this value has outside a union of
        balls, and each function is what it has outside one of them.
    decay : (n,) array or None
        If balls overlap by ``exp(-distance)``: the weight of each variable there.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> terms = hh.potentials.Cardinality(reference=[0, 1], table=[0.0, 3.0, 4.0]).distances()
    >>> terms.references, terms.function.at([2])
    (array([[0, 1]], dtype=int32), array([4.]))
    """

    references: Labels
    weights: Doubles | None
    function: Table
    scale: float = 0.0
    decay: Doubles | None = None


class Cardinality(Potential):
    """``table[k]``, k = number of variables that differ from a reference labeling.

    Parameters
    ----------
    reference : (n,) labels (or of the model's shape)
        The labeling to compare with.
    table : (n + 1,) array, or callable
        Value at each count; ``-inf`` forbids a count. With fractional weights, a function of the weighted
        count (concave, with a method ``slope`` for its derivative, if the ILP oracle is to use it).
    weights : (n,) array, optional
        Weight of each differing variable; whole numbers if table is an array (of length sum + 1).

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> apart = hh.potentials.Cardinality(reference=[0, 0, 0], table=[-np.inf, 0.0, 1.0, 1.5])
    >>> apart.value(hh.FactorGraph(np.zeros((3, 2))), [[0, 0, 0], [0, 1, 1]])
    array([-inf,   1.])
    """

    scaled_fields = ("factor",)
    reference: Labels
    table: Doubles | Callable[[Doubles], Doubles]
    weights: Doubles | None
    factor: float
    relaxed_as = "distances"

    def __init__(
        self,
        reference: ArrayLike,
        table: ArrayLike | Callable[[Doubles], Doubles],
        weights: ArrayLike | None = None,
        factor: float = 1.0,
    ) -> None:
        labels = _arrays.labels(reference, "reference")
        self._set(reference=labels, factor=_arrays.number(factor, "factor"))
        self._set(weights=None if weights is None else _arrays.weights(weights, "weights", labels.size))
        self._set(table=table if callable(table) else self._checked_table(table))

    def _checked_table(self, table: ArrayLike) -> Doubles:
        values = _arrays.scores(table, "table", ndim=1).astype(np.float64)
        if self.weights is not None and (self.weights != np.floor(self.weights)).any():
            raise ValueError(
                "a table needs whole-number weights; got fractions. Give a function of the weighted count."
            )
        wanted = self.total + 1
        if values.size != wanted:
            raise ValueError(f"table must have {wanted:g} entries, one per count 0..{self.total:g}; got {values.size}.")
        return values

    @property
    def total(self) -> float:
        """The largest count that can occur."""
        return float(self.reference.size if self.weights is None else self.weights.sum())

    def at(self, counts: ArrayLike) -> Doubles:
        """Values at given (weighted) counts."""
        d = np.asarray(counts, np.float64)
        raw = np.asarray(self.table(d), np.float64) if callable(self.table) else self.table[d.astype(np.int64)]
        return np.where(np.isneginf(raw), -np.inf, self.factor * raw)

    def check(self, model: Model) -> None:
        if self.reference.size != model.n_variables:
            raise ValueError(f"reference must have {model.n_variables} labels; got {self.reference.size}.")

    def values(self, model: Model, flat: Labels) -> Doubles:
        return self.at(_core.counts.hamming(flat, self.reference[None], self.weights)[:, 0])

    def span(self) -> float:
        """Return the span of the table; for functions, see `reach`."""
        return np.inf if callable(self.table) else self.reach()

    def reach(self) -> float:
        """Return the span of the table, or of a function that is known to rise or to fall everywhere."""
        _, values = self.counted
        if values is None:
            if not self._is_monotone:
                return np.inf
            values = self.at([0.0, self.total])
        return float(values.max() - values.min())

    @property
    def _is_monotone(self) -> bool:
        """Whether the slopes at both ends have the same sign; between them a slope only falls."""
        slope = getattr(self.table, "slope", None)
        return slope is not None and bool(slope(0.0) * slope(self.total) >= 0.0)

    @property
    def counted(self) -> tuple[Doubles, Doubles | None]:
        """Weights and the table over whole counts; no table where weights are not all multiples of one."""
        n = self.reference.size
        weights = np.ones(n) if self.weights is None else self.weights
        unit = float(weights.max(initial=0.0))
        if callable(self.table) and unit > 0 and (weights == unit).all():
            return np.ones(n), self.at(unit * np.arange(n + 1))
        if callable(self.table):
            return weights, None
        return weights, self.at(np.arange(len(self.table)))

    @property
    def function(self) -> tuple[Doubles | None, Table] | None:
        """Weights of the distance (None: 1 each) and the function of it; None if it is not known to be concave."""
        weights, table = self.counted
        if table is not None:
            return (None if (weights == 1.0).all() else weights), Table(1.0, np.ascontiguousarray(table))
        if self.factor < 0 or not callable(self.table) or not hasattr(self.table, "slope"):
            return None
        unit = max(self.total, 1e-300) / _TABLE_STEPS
        values = np.ascontiguousarray(self.at(unit * np.arange(_TABLE_STEPS + 1)))
        return weights, Table(unit, values, SmoothFunction(self.table, self.factor))

    def distances(self) -> Distances | None:
        """One function of one distance."""
        found = self.function
        return None if found is None else Distances(self.reference[None], *found)

    def counts(self, model: Model) -> list[CountFunction] | None:
        """One function of the number of variables whose label is not that of the reference."""
        found = self.function
        if found is None:
            return None
        weights, function = found
        return [differing(model, self.reference, function, weights)]


def differing(model: Model, reference: Labels, function: Table, weights: Doubles | None) -> CountFunction:
    """Return a function of the number of variables that differ from a reference."""
    differs = np.arange(int(model.label_counts.max())) != reference[:, None]
    return CountFunction(LabelClasses(differs.astype(np.int32), 2), 1, np.arange(reference.size), function, weights)


def whole_distance(potential: Potential) -> tuple[Labels, Doubles, Doubles] | None:
    """Reference, weights and table of a function of one distance in whole numbers; None if it is no such function."""
    found = potential.distances()
    if found is None or found.scale or len(found.references) != 1 or not found.function.has_all(found.weights):
        return None
    weights = np.ones(found.references.shape[1]) if found.weights is None else found.weights
    return found.references[0], weights, found.function.values


def one_count(potentials: Sequence[Potential]) -> tuple[Labels, Doubles, Doubles] | None:
    """Reference, weights and summed table, if all are functions of the same whole distance; else None."""
    found = [whole_distance(p) for p in potentials]
    counts = [count for count in found if count is not None]
    if not counts or len(counts) < len(found):
        return None
    reference, weights, _ = counts[0]
    if any(not (np.array_equal(y, reference) and np.array_equal(w, weights)) for y, w, _ in counts):
        return None
    return reference, weights, np.sum([table for _, _, table in counts], axis=0)
