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
from hedgehop.potentials.cells import Cells, in_cells

MESSAGE_ITERATIONS = 4  # of a sweep forward and one backward; more change little
_CELLS_AT_ONCE = 2**12  # whose conjugates are at hand while they are compared
_MOST_BEGUN = 2**23  # variables times labels: messages of larger models take too much memory

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


def side_by_side(arrays: Sequence[Doubles]) -> Doubles:
    """Concatenate arrays; a single one is not copied."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


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

    Entries of cells are the labels found there, and those held below the largest slope, which all others have.
    `weights` has one entry per variable, (n,), or one per variable and label, (n, L).
    """

    def __init__(self, model: Model, h: Doubles, weights: Doubles | None, constant: float = 0.0) -> None:
        super().__init__(h, constant)
        self._model, self._n, self._labels = model, model.n_variables, int(model.label_counts.max())
        self._weights = None if weights is None else weights.reshape(self._n, -1)
        self._cells = Cells.one(self._n)
        self._centre = np.zeros(0)  # of each entry

    def begin(self, factor: float) -> bool:
        """Pass messages that choose slopes at each variable; variables with like slopes are the first cells."""
        model = self._model
        if not isinstance(model, PairwiseModel) or model.cliques or model.unary.size > _MOST_BEGUN:
            return False
        ones = np.ones((self._n, 1)) if self._weights is None else self._weights
        weights = np.ascontiguousarray(factor * ones, np.float64)
        unit = float(weights.max())
        if not 0.0 < unit < np.inf:
            return False
        cell, starts, labels, self._centre = _core.counts.list_slopes(
            model.unary, model.pairs, weights, self.h, unit, MESSAGE_ITERATIONS
        )
        self._cells = Cells(own(cell), own(starts), own(labels), np.zeros((0, starts.size - 1), np.int32))
        return True

    @property
    def variable_weights(self) -> Doubles | None:
        """Weights of variables, (n,); None if labels have weights of their own."""
        if self._weights is None:
            return np.ones(self._n)
        return self._weights[:, 0] if self._weights.shape[1] == 1 else None

    def begin_at(self, cells: NDArray[np.int32], slopes: Doubles) -> None:
        """Hold slopes near those of given cells and all labels, (C, L), before any labeling is noted."""
        self._cells, self._centre = _cells_of_table(cells, slopes), slopes.reshape(-1)

    def add(self, labeling: Labels) -> None:
        """Split the cells."""
        self._cells, origin = self._cells.split(labeling, self._labels)
        centre = np.full(origin.size, self.rises[0])
        known = origin >= 0
        centre[known] = self._centre[origin[known]]
        self._centre = centre

    def start(self, rows: Labels) -> None:
        """Count the labels of each cell."""
        first = np.zeros(self._cells.starts.size - 1, np.int64)
        first[self._cells.cell] = np.arange(self._n)
        owner = np.repeat(np.arange(first.size), np.diff(self._cells.starts))
        counts = np.zeros(self._cells.labels.size, np.int64)
        for row in rows:
            counts += row[first][owner] == self._cells.labels
        self._centre = self.between(counts)

    def columns(self) -> Columns:
        """One group per entry."""
        n_rows, n_cells = self._cells.rows.shape
        starts = np.arange(n_rows + 1, dtype=np.int64) * n_cells
        return Columns(starts, self._cells.rows.reshape(-1), self._weights_of(self._cells), self._centre)

    def _weights_of(self, cells: Cells) -> Doubles:
        """Weights of entries."""
        if self._weights is not None:
            return cells.weighed(self._weights)
        sizes = np.bincount(cells.cell, minlength=cells.starts.size - 1)
        return np.repeat(sizes.astype(np.float64), np.diff(cells.starts))

    def spread(self, slopes: Doubles) -> Slopes:
        """Return the slope of each entry, and which cells and labels these are."""
        cells = self._cells
        return {"cells": cells.cell, "starts": cells.starts, "labels": cells.labels, "slopes": own(slopes)}

    def hold(self, slopes: Slopes) -> None:
        self._centre = slopes["slopes"]

    def worth(self, slopes: Slopes) -> float:
        """Sum over entries, and the constant: at the largest slope, ``h*`` is 0."""
        cells, values = self._read(slopes)
        worths = self.conjugate(values)
        worths *= self._weights_of(cells)
        return self.constant + float(worths.sum())

    def potentials(self, slopes: Slopes, factor: float) -> list[Potential]:
        """One change of the unaries."""
        cells, values = self._read(slopes)
        base, weights = factor * float(self.rises[0]), self._weights
        if weights is None or weights.shape[1] == 1:
            change = cells.linear(self._labels, factor * values, base, None if weights is None else weights[:, 0])
            return [change if in_cells(self._model) else Linear(change.theta)]
        return [Linear(own(cells.linear(self._labels, factor * values, base).theta * weights))]

    def _read(self, slopes: Slopes) -> tuple[Cells, Doubles]:
        """Cells and the slopes of their entries; bounds of forests and older files have those of all labels, (C, L)."""
        cell, values = np.ascontiguousarray(slopes["cells"], np.int32), slopes["slopes"]
        if values.ndim == 2:
            return _cells_of_table(cell, values), np.ascontiguousarray(values, np.float64).reshape(-1)
        starts, labels = slopes["starts"], slopes["labels"]
        none = np.zeros((0, len(starts) - 1), np.int32)
        cells = Cells(cell, np.ascontiguousarray(starts, np.int32), np.ascontiguousarray(labels, np.int32), none)
        return cells, np.ascontiguousarray(values, np.float64).reshape(-1)


def _cells_of_table(cell: Labels, slopes: Doubles) -> Cells:
    """Cells with an entry for every label, (C, L)."""
    count, labels = slopes.shape
    starts = np.arange(count + 1, dtype=np.int32) * np.int32(labels)
    return Cells(cell, starts, np.tile(np.arange(labels, dtype=np.int32), count), np.zeros((0, count), np.int32))
