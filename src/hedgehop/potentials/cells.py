# SPDX-License-Identifier: BSD-3-Clause
"""Cells: variables that some labelings do not tell apart, so that what these labelings add is known cell by cell.

Lists on large models change unary scores at few labels of each variable. Kept by cell, that takes a fraction of the
memory of a table of all labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models.base import Model
from hedgehop.models.unary import most_labels
from hedgehop.potentials.base import Linear

_TABLE_SCORES = 2**20  # of labels: a table of what is added to more scores takes too much memory
_FEW_LABELS = 3  # for which cells take no less


@dataclass(frozen=True)
class Cells:
    """Variables with the same labels in some labelings.

    Attributes
    ----------
    cell : (n,) ints
        The cell of each variable.
    starts : (C + 1,) ints
        Entries of cell c: ``starts[c]:starts[c + 1]``.
    labels : (K,) labels
        The label of each entry: those that the labelings give the cell, and possibly others.
    rows : (r, C) ints
        The entry of each labeling in each cell.

    Examples
    --------
    >>> import numpy as np
    >>> cells = Cells.of(np.array([[0, 0, 1], [2, 0, 1]], np.int32), 3)
    >>> cells.cell, cells.labels, cells.rows.tolist()
    (array([1, 0, 2], dtype=int32), array([0, 0, 2, 1], dtype=int32), [[0, 1, 3], [0, 2, 3]])
    """

    cell: Labels
    starts: Labels
    labels: Labels
    rows: Labels

    @classmethod
    def one(cls, n: int) -> Cells:
        """All variables in one cell: no labeling tells them apart."""
        none = np.zeros(0, np.int32)
        return cls(np.zeros(n, np.int32), np.zeros(2, np.int32), none, np.zeros((0, 1), np.int32))

    @classmethod
    def of(cls, rows: Labels, n_labels: int) -> Cells:
        """The cells of some labelings, (r, n)."""
        cells = cls.one(rows.shape[1])
        for row in rows:
            cells, _ = cells.split(row, n_labels)
        return cells

    def split(self, labeling: Labels, n_labels: int) -> tuple[Cells, Labels]:
        """Return the cells that one more labeling leaves, and which entry each entry was before, -1 if none."""
        parts = self.cell, self.starts, self.labels, self.rows
        cell, starts, labels, rows, origin = _core.scores.split_cells(*parts, np.ascontiguousarray(labeling), n_labels)
        return Cells(own(cell), own(starts), own(labels), rows), origin

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many of the labelings give the cell the label of each entry, (K,)."""
        counts = np.zeros(self.labels.size, np.int64)
        for row in self.rows:
            counts[row] += 1
        return counts

    def sums(self, numbers: Doubles) -> Doubles:
        """Sum of the numbers (r,) of the labelings that give the cell the label of each entry, (K,)."""
        sums = np.zeros(self.labels.size)
        for row, number in zip(self.rows, numbers.tolist(), strict=True):
            sums[row] += number
        return sums

    def weighed(self, weights: Doubles) -> Doubles:
        """Weight of each entry: that of its cell's variables, (n, 1), or of its label there, (n, L)."""
        return _core.scores.cell_weights(self.cell, self.starts, self.labels, weights)

    def linear(self, n_labels: int, amounts: Doubles, base: float, weights: Doubles | None = None) -> CellLinear:
        """Return the potential that adds `amounts` (K,) at entries and `base` elsewhere, times (n,) weights."""
        return CellLinear(n_labels, self, amounts, base, weights)


def in_cells(model: Model) -> bool:
    """Whether what labelings add to the scores of a model is kept by cell: a table would be large."""
    labels = most_labels(model)
    return labels > _FEW_LABELS and model.n_variables * labels > _TABLE_SCORES


class CellLinear(Linear):
    """A change of the unary scores that the variables of a cell share, but for a weight; kept by cell.

    Parameters
    ----------
    n_labels : int
        Of the model.
    cells : Cells
        Variables that share it.
    amounts : (K,) array
        What the label of each entry adds, times the weight of the variable.
    base : float
        The same of all other labels.
    weights : (n,) array, optional
        1 unless given.
    """

    may_forbid = False
    n_labels: int
    amounts: Doubles
    base: float
    weights: Doubles | None

    def __init__(
        self, n_labels: int, cells: Cells, amounts: Doubles, base: float, weights: Doubles | None = None
    ) -> None:
        if not (np.isfinite(amounts).all() and np.isfinite(base)):
            raise ValueError("a potential overflows. Use a smaller tradeoff or factor.")
        self._set(n_labels=n_labels, amounts=own(amounts), base=float(base), weights=weights)
        self._set(_cell=cells.cell, _starts=cells.starts, _labels=cells.labels)

    @cached_property
    def scores(self) -> _core.scores.CellScores:
        """What is added, as kernels take it."""
        own_values = self.__dict__
        cells = own_values["_cell"], own_values["_starts"], own_values["_labels"]
        return _core.scores.CellScores(self.n_labels, *cells, self.amounts, self.base, self.weights)

    @property
    def theta(self) -> Doubles:  # type: ignore[override]  # not kept
        """What each label of each variable adds, (n, L): a fresh table."""
        return own(self.scores.rows(np.arange(self.scores.shape[0])))

    def values(self, model: Model, flat: Labels) -> Doubles:
        return self.scores.values(np.ascontiguousarray(flat, np.int32))

    def check(self, model: Model) -> None:
        wanted = (model.n_variables, most_labels(model))
        if self.scores.shape != wanted:
            raise ValueError(f"scores must have shape {wanted} (variables, labels); got {self.scores.shape}.")

    def scaled(self, factor: float) -> CellLinear:
        """Return the potential with all changes times a factor."""
        own_values = self.__dict__
        cells = Cells(own_values["_cell"], own_values["_starts"], own_values["_labels"], np.zeros((0, 0), np.int32))
        return CellLinear(self.n_labels, cells, factor * self.amounts, factor * self.base, self.weights)
