# SPDX-License-Identifier: BSD-3-Clause
"""Lines above the concave functions of a diversity: what the list dual is made of (docs/list_dual.md).

For ``D(T) = constant + sum_g a_g h(c_g)`` and any slopes s, ``D(T) <= constant + sum_g a_g h*(s_g) + sum over the
labelings y of T of sum of a_g s_g over the groups of y``, with ``h*(s) = max_{0 <= c <= m} h(c) - s c``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.potentials import Linear, Potential

MESSAGE_ITERATIONS = 4  # of a sweep forward and one backward; more change little
_CELLS_AT_ONCE = 2**12  # whose conjugates are at hand while they are compared
_MOST_MESSAGE_SCORES = 2**23  # variables times labels: messages of larger models take too much memory

Slopes = Mapping[str, NDArray[Any]]  # a choice of slopes for all groups, as plain arrays that a file can hold


@dataclass(frozen=True)
class Columns:
    """Groups of the labelings found so far, and which belong to them: starts[k]:starts[k + 1] for labeling k."""

    starts: NDArray[np.int64]
    groups: NDArray[np.int32]
    weights: Doubles
    centre: Doubles

    @classmethod
    def of(cls, incidence: NDArray[np.bool_], weights: Doubles, centre: Doubles) -> Columns:
        """From a table (K, G) of who belongs to what."""
        starts = np.concatenate([[0], np.cumsum(incidence.sum(axis=1))]).astype(np.int64)
        groups = np.ascontiguousarray(np.nonzero(incidence)[1], np.int32)
        return cls(starts, groups, np.ascontiguousarray(weights, np.float64), np.ascontiguousarray(centre, np.float64))


def joined(columns: Sequence[Columns]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Put the groups of several families side by side."""
    if len(columns) == 1:
        return columns[0].starts, columns[0].groups
    shifts = np.cumsum([0, *(part.weights.size for part in columns)]).astype(np.int32)
    rows = range(columns[0].starts.size - 1)
    pieces = [
        part.groups[part.starts[k] : part.starts[k + 1]] + shift
        for k in rows
        for part, shift in zip(columns, shifts, strict=False)
    ]
    return np.sum([part.starts for part in columns], axis=0), np.concatenate(pieces)


class GroupLines(ABC):
    """Slopes of one family of groups with the same h, for lists of m labelings.

    Labelings found so far distinguish groups: `columns` lists the groups of these labelings, with the slopes they are
    held near. All other groups have the largest slope, ``h(1) - h(0)``, which costs nothing: ``h*`` is h(0) = 0 there.
    """

    def __init__(self, h: Doubles, constant: float = 0.0) -> None:
        self.h = np.ascontiguousarray(h, np.float64)
        self.rises: Doubles = np.diff(self.h)  # h(c) - h(c - 1), c = 1..m
        self.constant = constant

    def conjugate(self, slopes: Doubles) -> Doubles:
        """``h*`` of each slope."""
        best = np.full_like(slopes, self.h[0])
        for start in range(0, len(best), _CELLS_AT_ONCE):
            block = best[start : start + _CELLS_AT_ONCE]
            for c, worth in enumerate(self.h.tolist()):
                np.maximum(block, worth - c * slopes[start : start + _CELLS_AT_ONCE], out=block)
        return best

    def between(self, counts: NDArray[np.integer]) -> Doubles:
        """Slopes in the middle of what touches h at counts: ``h(1) - h(0)`` at 0, ``h(m) - h(m - 1)`` at m."""
        rises, m = self.rises, self.h.size - 1
        before, after = rises[np.maximum(counts - 1, 0)], rises[np.minimum(counts, m - 1)]
        return np.asarray((before + after) / 2.0)

    @abstractmethod
    def add(self, labeling: Labels) -> None:
        """Take note of another labeling, (n,)."""

    def begin(self, factor: float) -> bool:
        """Hold the slopes of ``factor * D`` where messages lead, before any labeling is noted; False if they cannot."""
        return False

    @abstractmethod
    def start(self, rows: Labels) -> None:
        """Hold the slopes in the middle of those that touch h at a list's counts; its labelings are noted already."""

    @abstractmethod
    def columns(self) -> Columns:
        """Return the groups of the labelings found so far, after all were noted."""

    @abstractmethod
    def spread(self, slopes: Doubles) -> Slopes:
        """Return all slopes, given those of the columns."""

    @abstractmethod
    def hold(self, slopes: Slopes) -> None:
        """Hold later slopes near these, which `spread` returned for the present columns."""

    @abstractmethod
    def worth(self, slopes: Slopes) -> float:
        """``constant + sum_g a_g h*(s_g)``."""

    @abstractmethod
    def potentials(self, slopes: Slopes, factor: float) -> list[Potential]:
        """``factor * sum of a_g (s_g + parsimony)`` over the groups of a labeling."""


class VariableLines(GroupLines):
    """Groups (variable, label). Variables that no labeling so far distinguishes form one cell with common slopes.

    `weights` has one entry per variable, (n,), or one per variable and label, (n, L).
    """

    def __init__(self, model: Model, h: Doubles, weights: Doubles | None, constant: float = 0.0) -> None:
        super().__init__(h, constant)
        self._model, self._n, self._labels = model, model.n_variables, int(model.label_counts.max())
        self._weights = np.ones((self._n, 1)) if weights is None else weights.reshape(self._n, -1)
        self._cell = np.zeros(self._n, np.int32)
        self._cell_labels = np.zeros((0, 1), np.int32)  # in each labeling found so far
        self._centre = np.full((1, self._labels), self.rises[0])
        self._column = np.zeros(0, np.int64)
        self._cell_weights: tuple[Any, Doubles] = None, np.zeros(0)

    def begin(self, factor: float) -> bool:
        """Pass messages that choose slopes at each variable; variables with like slopes are the first cells."""
        model = self._model
        if not isinstance(model, PairwiseModel) or model.cliques or model.unary.size > _MOST_MESSAGE_SCORES:
            return False
        weights = np.ascontiguousarray(factor * self._weights, np.float64)
        unit = float(weights.max())
        if not 0.0 < unit < np.inf:
            return False
        slopes = _core.counts.list_slopes(model.unary, model.pairs, weights, self.h, unit, MESSAGE_ITERATIONS)
        self.begin_at(*slopes)
        return True

    @property
    def variable_weights(self) -> Doubles | None:
        """Weights of variables, (n,); None if labels have weights of their own."""
        return self._weights[:, 0] if self._weights.shape[1] == 1 else None

    def begin_at(self, cells: NDArray[np.int32], slopes: Doubles) -> None:
        """Hold slopes near those of given cells, before any labeling is noted."""
        self._cell, self._centre = cells, slopes
        self._cell_labels = np.zeros((0, len(slopes)), np.int32)

    def add(self, labeling: Labels) -> None:
        """Split the cells."""
        key = self._cell.astype(np.int64) * self._labels + labeling
        here = np.zeros(len(self._centre) * self._labels, bool)
        here[key] = True
        kept = np.flatnonzero(here)
        self._cell = (np.cumsum(here, dtype=np.int32) - 1)[key]
        parent, label = kept // self._labels, (kept % self._labels).astype(np.int32)
        self._cell_labels = np.concatenate([self._cell_labels[:, parent], label[None]])
        self._centre = self._centre[parent]

    def start(self, rows: Labels) -> None:
        """Count the labels of each cell."""
        first = np.zeros(len(self._centre), np.int64)
        first[self._cell] = np.arange(self._n)
        counts = np.zeros(self._centre.shape, np.int64)
        for row in rows:
            counts[np.arange(len(counts)), row[first]] += 1
        self._centre = self.between(counts)

    def columns(self) -> Columns:
        """One group per cell and label found there, or held below the largest slope."""
        firsts = np.arange(len(self._centre)) * self._labels
        here = (self._centre < self.rises[0]).reshape(-1)
        for labels in self._cell_labels:  # one after the other: all keys at once would be large
            here[firsts + labels] = True
        self._column = np.flatnonzero(here)
        place = np.cumsum(here, dtype=np.int32) - 1
        groups = np.empty(self._cell_labels.shape, np.int32)
        for row, labels in zip(groups, self._cell_labels, strict=True):
            row[:] = place[firsts + labels]
        starts = np.arange(len(self._cell_labels) + 1, dtype=np.int64) * len(firsts)
        weights = np.broadcast_to(self._per_cell(self._cell, len(firsts)), self._centre.shape)
        weights = weights[np.unravel_index(self._column, self._centre.shape)]
        return Columns(starts, groups.reshape(-1), weights, self._centre.reshape(-1)[self._column])

    def _per_cell(self, cells: NDArray[np.integer], n_cells: int) -> Doubles:
        """Weights of cells, (cells, 1) or (cells, L) if labels differ; known for the cells of the last call."""
        last, known = self._cell_weights
        if last is not cells:
            sums = [np.bincount(cells, weights, n_cells) for weights in self._weights.T]
            known = np.stack(sums, axis=1)
            self._cell_weights = cells, known
        return known

    def spread(self, slopes: Doubles) -> Slopes:
        """Return the slopes of each cell, and the cell of each variable."""
        table = np.full(self._centre.shape, self.rises[0])
        table.reshape(-1)[self._column] = slopes
        return {"cells": own(self._cell), "slopes": own(table)}

    def hold(self, slopes: Slopes) -> None:
        self._centre = slopes["slopes"]

    def worth(self, slopes: Slopes) -> float:
        """Sum over cells, and the constant."""
        worths = self.conjugate(slopes["slopes"])
        worths *= self._per_cell(slopes["cells"], len(worths))
        return self.constant + float(worths.sum())

    def potentials(self, slopes: Slopes, factor: float) -> list[Potential]:
        """One change of the unaries."""
        theta = slopes["slopes"][slopes["cells"]]
        theta *= factor * self._weights
        return [Linear(own(theta))]
