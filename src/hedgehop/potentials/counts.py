# SPDX-License-Identifier: BSD-3-Clause
"""What is counted: variables that carry a label or a class of labels, edges that carry a pair of labels.

Everything that is not linear here is a function of counts, and every proof is a line above such a function.
Relaxations and integer programs can handle a potential that is a sum of functions of counts (``Potential.counts``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Floats, Labels
from hedgehop.models.pairwise import Edges
from hedgehop.potentials.count_functions import Table, Threshold

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CountFunction:
    """``function(k)``, k = number (or weight) of the members that carry a code.

    Attributes
    ----------
    codes : LabelClasses or PairClasses
        Which code each label of each variable, or each pair of labels on each edge, carries.
    code : int
        The code that is counted.
    members : (k,) array of ints
        The variables, or the edges, that are counted.
    function : Threshold or Table
        The value of each count.
    weights : (k,) array or None
        Weight of each member; 1 each if None.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgehop.potentials import CountFunction, LabelClasses, Threshold
    >>> classes = LabelClasses(np.array([0, 1, 1], np.int32), 2)  # the last two labels are of one class
    >>> reward = CountFunction(classes, 1, np.arange(4), Threshold(weight=3.0, start=1, width=1))
    >>> reward.count(classes.of(np.array([0, 1, 2, 0])))
    2.0
    """

    codes: LabelClasses | PairClasses
    code: int
    members: Indices
    function: Threshold | Table
    weights: Doubles | None = None

    def __post_init__(self) -> None:
        rising = bool((self.members[1:] > self.members[:-1]).all())
        if not rising and len(np.unique(self.members)) < len(self.members):
            raise ValueError("members of a count must differ; one is named twice.")
        if self.weights is not None and (self.weights.shape != self.members.shape or (self.weights < 0).any()):
            raise ValueError("weights of a count must be nonnegative, one per member.")

    def carries(self, codes: Indices) -> NDArray[np.bool_]:
        """Which members carry the code, given the codes that all slots carry."""
        return np.asarray(codes[self.members] == self.code)

    def count(self, codes: Indices) -> float:
        """How many members carry the code, or their weight."""
        carries = self.carries(codes)
        return float(carries.sum() if self.weights is None else self.weights @ carries)

    def counted(self, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """Which labels of which variables carry the code, (n, L), if it counts variables."""
        assert isinstance(self.codes, LabelClasses)
        some = np.zeros(shape, bool)
        some[self.members] = np.broadcast_to(self.codes.carriers(self.code), shape)[self.members]
        return some

    @property
    def total(self) -> float:
        """The largest count."""
        return float(self.members.size if self.weights is None else self.weights.sum())


def threshold(count: CountFunction) -> Threshold:
    """The function of a count that is known to be a threshold."""
    assert isinstance(count.function, Threshold)
    return count.function


class LabelClasses:
    """A code for every label, (L,), at all variables or at each one, (n, L); -1: none.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> hh.potentials.LabelClasses(np.array([0, 1, 1], np.int32), 2).of(np.array([2, 0]))
    array([1, 0])
    """

    def __init__(self, table: Labels, n_codes: int) -> None:
        self.table, self.n_codes = table, n_codes
        self.key = (table.shape, table.tobytes())

    @cached_property
    def _places(self) -> Indices:
        """The table with a code of its own for labels that have none."""
        return np.where(self.table < 0, self.n_codes, self.table).astype(np.int64)

    @cached_property
    def is_identity(self) -> bool:
        """Whether each label is a code of its own, its number."""
        return np.array_equal(self.table, np.arange(self.n_codes))

    @cached_property
    def width(self) -> int:
        """Number of codes, one more if some labels have none."""
        return self.n_codes + int((self.table < 0).any())

    def of(self, labeling: Labels) -> Indices:
        """Code that each variable carries, (n,)."""
        table = self._places
        return np.asarray(table[labeling] if table.ndim == 1 else table[np.arange(labeling.size), labeling])

    def carriers(self, code: int) -> NDArray[np.bool_]:
        """Which labels carry a code, (L,) or (n, L)."""
        return np.asarray(self._places == code)

    def spread(self, scores: Doubles) -> Doubles:
        """Scores of codes, (n, width), as scores of labels, (n, L)."""
        table = self._places
        if table.ndim == 2:
            return np.take_along_axis(scores, table, axis=1)
        return scores if self.is_identity else scores[:, table]

    def losses(self, unary: Floats, labeling: Labels) -> Doubles:
        """What a labeling loses, at first sight, by each variable carrying each code; 0 if nothing, (n, width)."""
        lost = unary[np.arange(labeling.size), labeling].astype(np.float64)[:, None] - unary
        np.maximum(0.0, lost, out=lost)
        if self.is_identity:
            return lost
        columns = [np.where(self.carriers(k), lost, np.inf).min(axis=1) for k in range(self.width)]
        return np.stack(columns, axis=1)


class PairClasses:
    """A code for every pair of labels on an edge: ``a * L + b``, the smaller label first unless ordered.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> hh.potentials.PairClasses(np.array([[0, 1], [1, 2]]), n_labels=3, ordered=False).of(np.array([2, 1, 1]))
    array([5, 4])
    """

    def __init__(self, edges: Edges, n_labels: int, ordered: bool) -> None:
        self.edges, self.n_labels, self.ordered = edges, n_labels, ordered
        self.key = ordered

    def of(self, labeling: Labels) -> Indices:
        """Code that each edge carries, (E,)."""
        first, second = labeling.reshape(-1)[self.edges].astype(np.int64).T
        if not self.ordered:
            first, second = np.minimum(first, second), np.maximum(first, second)
        return np.asarray(first * self.n_labels + second)

    @cached_property
    def twins(self) -> Indices:
        """For every ordered pair of labels, as a number, the one that counts as the same."""
        pairs = np.arange(self.n_labels**2)
        return pairs if self.ordered else pairs % self.n_labels * self.n_labels + pairs // self.n_labels

    def pairs(self, code: int) -> list[tuple[int, int]]:
        """The pairs of labels of a code, along the edge's direction."""
        a, b = divmod(code, self.n_labels)
        return [(a, b)] if self.ordered or a == b else [(a, b), (b, a)]
