# SPDX-License-Identifier: BSD-3-Clause
"""Models of unary, pairwise and clique scores, and the three ways to give pairwise scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Floats, Labels, linear_scores, own
from hedgehop._frozen import Frozen
from hedgehop.models.elimination import elimination_order
from hedgehop.models.unary import Change, UnaryModel, largest_size, least

if TYPE_CHECKING:
    from hedgehop.models.factor_graph import Clique, FactorGraph

Edges = NDArray[np.int32]


class PairwiseScores(Frozen, ABC):
    """Scores ``P_e(y_i, y_j)`` of all edges at once.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> model = hh.Chain(np.zeros((2, 2)), [[1.0, 0.0], [0.0, 2.0]])
    >>> model.pairwise.table(0, 2, 2)
    array([[1., 0.],
           [0., 2.]])
    """

    @abstractmethod
    def at(self, first: Labels, second: Labels) -> Doubles:
        """Scores of (m, E) label pairs, in edge order."""

    @abstractmethod
    def table(self, edge: int, rows: int, columns: int) -> Doubles:
        """Scores of one edge as a (rows, columns) table."""

    @abstractmethod
    def floor(self, n_edges: int) -> float:
        """Return the sum of every edge's smallest allowed score."""

    @abstractmethod
    def ceiling(self, n_edges: int) -> float:
        """Return the sum of every edge's best score."""

    @abstractmethod
    def spans(self, n_edges: int) -> Doubles:
        """Largest minus smallest score of each edge, (E,); inf if a pair is forbidden."""

    @abstractmethod
    def bends(self, n_edges: int) -> Doubles:
        """Of two labels: ``P00 + P11 - P01 - P10``, how much each edge prefers them to agree, (E,)."""

    @abstractmethod
    def largest(self) -> float:
        """Return the largest size of a score that forbids nothing."""

    @abstractmethod
    def changed(self, change: Change) -> PairwiseScores:
        """Return other scores; edges of two labels that prefer to agree still do."""


class Potts(PairwiseScores):
    """``P_e(a, b) = -strengths[e] * [a != b]``, strengths >= 0.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> hh.models.Potts(np.array([0.5])).at(np.array([[0], [0]]), np.array([[0], [1]])).ravel()
    array([ 0. , -0.5])
    """

    strengths: Floats

    def __init__(self, strengths: Floats) -> None:
        self._set(strengths=strengths)

    def at(self, first: Labels, second: Labels) -> Doubles:
        return np.where(first != second, -self.strengths.astype(np.float64), 0.0)

    def table(self, edge: int, rows: int, columns: int) -> Doubles:
        return np.asarray(float(self.strengths[edge]) * (np.eye(rows, columns) - 1.0))

    def floor(self, n_edges: int) -> float:
        return -float(self.strengths.sum(dtype=np.float64))

    def ceiling(self, n_edges: int) -> float:
        """Return 0: all agree."""
        return 0.0

    def spans(self, n_edges: int) -> Doubles:
        return self.strengths.astype(np.float64, copy=False)

    def bends(self, n_edges: int) -> Doubles:
        return 2.0 * self.strengths.astype(np.float64)

    def largest(self) -> float:
        return largest_size(self.strengths)

    def changed(self, change: Change) -> Potts:
        return Potts(own(-change(-self.strengths, 0.0)))


class SharedTable(PairwiseScores):
    """``P_e(a, b) = values[a, b]`` for every edge.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> hh.models.SharedTable(np.eye(2)).at(np.array([[0, 1]]), np.array([[0, 0]]))
    array([[1., 0.]])
    """

    values: Floats

    def __init__(self, values: Floats) -> None:
        self._set(values=values)

    def at(self, first: Labels, second: Labels) -> Doubles:
        return self.values[first, second].astype(np.float64)

    def table(self, edge: int, rows: int, columns: int) -> Doubles:
        return self.values[:rows, :columns].astype(np.float64)

    def floor(self, n_edges: int) -> float:
        return n_edges * float(least(self.values.reshape(1, -1), axis=1)[0])

    def ceiling(self, n_edges: int) -> float:
        return n_edges * float(self.values.max())

    def spans(self, n_edges: int) -> Doubles:
        forbids = np.isneginf(self.values).any()
        return np.full(n_edges, np.inf if forbids else float(self.values.max() - self.values.min()))

    def bends(self, n_edges: int) -> Doubles:
        return np.full(n_edges, _bends(self.values.reshape(1, 4))[0])

    def largest(self) -> float:
        return largest_size(self.values)

    def changed(self, change: Change) -> SharedTable:
        return SharedTable(changed_tables(self.values, change))


class EdgeTables(PairwiseScores):
    """One table per edge, of any sizes: ``P_e(a, b) = flat[offsets[e] + a * columns[e] + b]``, equal ones kept once.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> tables = hh.models.EdgeTables([np.eye(2), np.ones((2, 3)), np.eye(2)])
    >>> tables.at(np.array([[0, 1, 0]]), np.array([[1, 2, 0]]))
    array([[0., 1., 1.]])
    >>> tables.flat.size
    10
    """

    flat: Floats
    offsets: NDArray[np.int64]
    columns: NDArray[np.int32]

    def __init__(self, tables: list[NDArray[np.floating]] | NDArray[np.floating]) -> None:
        if isinstance(tables, np.ndarray):  # (E, rows, columns): no loop over edges
            shapes, flat = np.broadcast_to(tables.shape[1:], (len(tables), 2)), tables.reshape(-1)
        else:
            shapes = np.array([t.shape for t in tables], np.int64).reshape(-1, 2)
            flat = np.concatenate([np.ravel(t) for t in tables]) if tables else np.zeros(0)
        self._pack(flat, *shapes.T)

    @classmethod
    def packed(cls, flat: Floats, rows: NDArray[np.integer], columns: NDArray[np.integer]) -> EdgeTables:
        """Tables that are already end to end, of the given numbers of rows and columns."""
        result = object.__new__(cls)
        result._pack(flat, rows, columns)
        return result

    def _pack(self, flat: Floats, rows: NDArray[np.integer], columns: NDArray[np.integer]) -> None:
        flat = flat if flat.dtype in (np.float32, np.float64) else own(flat.astype(np.float64))
        sizes = rows.astype(np.int64) * columns
        find: Any = _core.scores.distinct_tables if flat.dtype == np.float64 else _core.scores.distinct_float_tables
        distinct, offsets = find(flat, sizes)
        self._set(flat=own(distinct) if distinct.size else flat, offsets=own(offsets))
        self._set(columns=own(columns.astype(np.int32)))

    def like(self, flat: Floats) -> EdgeTables:
        """Return tables of the same shapes with other scores."""
        other = object.__new__(EdgeTables)
        other._set(flat=flat, offsets=self.offsets, columns=self.columns)
        return other

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each distinct table begins."""
        return self._distinct[0]

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of scores of each edge's table, (E,)."""
        return own(np.diff(np.append(self.starts, self.flat.size))[self._distinct[1]])

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where each distinct table begins, and which one each edge has."""
        starts, which = np.unique(self.offsets, return_inverse=True)
        return own(starts), own(which.reshape(-1))

    def end_to_end(self) -> Floats:
        """Scores of all edges, one table after the other."""
        if self.starts.size == self.offsets.size:
            return self.flat
        ends = np.cumsum(self.sizes)
        return own(self.flat[np.arange(ends[-1]) + np.repeat(self.offsets - ends + self.sizes, self.sizes)])

    def _of_edges(self, function: np.ufunc, flat: Floats) -> Floats:
        """Reduce each table to a number, (E,)."""
        if not flat.size:
            return flat
        each: Floats = function.reduceat(flat, self.starts)[self._distinct[1]]
        return each

    def at(self, first: Labels, second: Labels) -> Doubles:
        return self.flat[self.offsets + first.astype(np.int64) * self.columns + second].astype(np.float64)

    def table(self, edge: int, rows: int, columns: int) -> Doubles:
        start = int(self.offsets[edge])
        return self.flat[start : start + rows * columns].reshape(rows, columns).astype(np.float64)

    def floor(self, n_edges: int) -> float:
        allowed = np.where(np.isneginf(self.flat), np.inf, self.flat).astype(np.float64)
        least = self._of_edges(np.minimum, allowed)
        return float(np.where(np.isinf(least), 0.0, least).sum())

    def ceiling(self, n_edges: int) -> float:
        return float(self._of_edges(np.maximum, self.flat).sum(dtype=np.float64))

    def spans(self, n_edges: int) -> Doubles:
        flat = self.flat.astype(np.float64)
        least, most = self._of_edges(np.minimum, flat), self._of_edges(np.maximum, flat)
        return np.where(np.isneginf(least), np.inf, np.maximum(most, -1e300) - np.maximum(least, -1e300))

    def bends(self, n_edges: int) -> Doubles:
        cells = np.zeros((n_edges, 2, 2))  # pairs that a variable with one label does not have score nothing
        rows = self.sizes // self.columns
        for a, b in product(range(2), range(2)):
            there = (rows > a) & (self.columns > b)
            cells[there, a, b] = self.flat[self.offsets[there] + a * self.columns[there] + b]
        return _bends(cells.reshape(-1, 4))

    def largest(self) -> float:
        return largest_size(self.flat)

    def changed(self, change: Change) -> EdgeTables:
        sizes = np.diff(np.append(self.starts, self.flat.size))
        best = np.maximum.reduceat(self.flat, self.starts) if self.flat.size else self.flat
        flat = change(self.flat, np.repeat(best, sizes))
        if (sizes == 4).all() and (self.columns == 2).all():
            flat = _still_agreeing(self.flat.reshape(-1, 2, 2), flat.reshape(-1, 2, 2)).reshape(-1)
        return self.like(flat)


def changed_tables(tables: Floats, change: Change) -> Doubles:
    """Return (..., L, L) score tables changed, each compared with its own best score; see PairwiseScores.changed."""
    after = change(tables, tables.max(axis=(-2, -1), keepdims=True))
    return _still_agreeing(tables, after) if after.shape[-2:] == (2, 2) else after


def _still_agreeing(before: Floats, after: Doubles) -> Doubles:
    """Lower again what was raised of (..., 2, 2) tables, so that those that preferred to agree still do.

    With the best at 0 only one of the two mixed entries need be lowered, and it ends above where it was.
    """
    with np.errstate(invalid="ignore"):
        same, mixed = after[..., 0, 0] + after[..., 1, 1], after[..., 0, 1] + after[..., 1, 0]
        agreed = before[..., 0, 0] + before[..., 1, 1] >= before[..., 0, 1] + before[..., 1, 0].astype(np.float64)
        lacks = np.where(agreed & (same < mixed), (mixed - same) * (1 + 2.0**-40), 0.0)
    lower = after[..., 0, 1] <= after[..., 1, 0]  # what was raised is the lower one
    result = after.copy()
    result[..., 0, 1] -= np.where(lower, lacks, 0.0)
    result[..., 1, 0] -= np.where(lower, 0.0, lacks)
    return own(result)


def _bends(cells: Floats) -> Doubles:
    """Of (E, 4) tables of two labels.

    ``inf`` where only different labels are forbidden, ``-inf`` where only equal ones are. Where both are, some label
    has no allowed pair, which is a matter of one variable: 0.
    """
    with np.errstate(invalid="ignore"):
        same, other = cells[:, 0] + cells[:, 3].astype(np.float64), cells[:, 1] + cells[:, 2].astype(np.float64)
        bends = same - other
    return np.asarray(np.where(np.isnan(bends), 0.0, bends))


def edge_tables(model: PairwiseModel) -> tuple[Doubles, NDArray[np.int64], NDArray[np.int32]]:
    """Score tables end to end, where each edge's begins, and its number of columns; a shared table once."""
    pairwise, n_edges = model.pairwise, len(model.edges)
    if isinstance(pairwise, SharedTable):
        flat = np.ascontiguousarray(pairwise.values, np.float64).ravel()
        return flat, np.zeros(n_edges, np.int64), np.full(n_edges, model.n_labels, np.int32)
    assert isinstance(pairwise, EdgeTables)
    return np.ascontiguousarray(pairwise.flat, np.float64), pairwise.offsets, pairwise.columns


class PairwiseModel(UnaryModel):
    """``r(y) = sum_i U[i, y_i] + sum_e P_e(y_i, y_j) + sum_c T_c(y_c)``, to be maximised.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> model = hh.FactorGraph(np.zeros((2, 2)), edges=[[0, 1]], pairwise=[0.5])
    >>> isinstance(model, hh.models.PairwiseModel), model.score([0, 1])
    (True, -0.5)
    """

    cliques: tuple[Clique, ...] = ()

    @property
    @abstractmethod
    def edges(self) -> Edges:
        """Pairs of variables, (E, 2)."""

    @property
    @abstractmethod
    def pairwise(self) -> PairwiseScores:
        """Scores of the edges, in the same order."""

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.edges)

    @property
    def is_potts(self) -> bool:
        """Whether pairs lose a strength where their labels differ, and nothing else."""
        return isinstance(self.pairwise, Potts)

    def forbid(self, pairs: ArrayLike) -> FactorGraph:
        """Return this model with pairs of labels that may not occur together.

        Parameters
        ----------
        pairs : (K, 4) array of ints
            Rows (i, a, j, b): no labeling gives variable i label a and variable j label b. The variables need not
            be neighbours; pixels of a grid are numbered row by row.

        Examples
        --------
        >>> import numpy as np, hedgehop as hh
        >>> scores = np.array([[[0.0, 2.0], [1.0, 0.0]]])
        >>> hh.best(hh.Grid(scores, smoothness=0.1)).labeling
        array([[1, 0]], dtype=int32)
        >>> hh.best(hh.Grid(scores, smoothness=0.1).forbid([(0, 1, 1, 0)])).labeling  # 1 implies 1
        array([[1, 1]], dtype=int32)
        """
        from hedgehop.models.edges import with_forbidden
        from hedgehop.models.factor_graph import FactorGraph

        edges, tables = with_forbidden(self, pairs)
        other = object.__new__(FactorGraph)
        other._set(unary=self.unary, label_counts=self.label_counts, shape=self.shape, cliques=self.cliques)
        other._set(_edges=edges, _pairwise=tables)
        return other

    def _joint_score(self, flat: Labels) -> Doubles:
        total = self._pairwise_score(flat)
        for clique in self.cliques:
            total = total + clique.at(flat)
        return total

    @cached_property
    def reaches(self) -> Doubles:
        """The most by which each variable's edges can favour one label over another, (n,); inf if they can forbid."""
        return own(_core.scores.reaches(self.n_variables, self.edges, self.pairwise.spans(len(self.edges))))

    @cached_property
    def pairs(self) -> _core.Pairs:
        """The pairwise scores as all kernels take them, checked once; it keeps references to the arrays."""
        shape, edges, counts = self.unary.shape, self.edges, self.label_counts
        if isinstance(self.pairwise, Potts):
            strengths = np.ascontiguousarray(self.pairwise.strengths, np.float64)
            return _core.Pairs.potts(shape, edges, strengths, counts)
        return _core.Pairs.tables(shape, edges, *edge_tables(self), counts)

    @cached_property
    def is_forest(self) -> bool:
        """Whether the edges contain no cycle."""
        return len(self.edges) < self.n_variables and _core.graphs.is_forest(self.n_variables, self.edges)

    @cached_property
    def elimination_order(self) -> Labels | None:
        """Order in which variables can be eliminated with small tables; None if there is none."""
        return elimination_order(self)

    @property
    def forbids_pairs(self) -> bool:
        """Whether some pair of labels is forbidden."""
        return self._stakes.largest_span == np.inf

    @cached_property
    def prefers_agreement(self) -> bool:
        """Whether there are two labels and every pair prefers them to agree: cuts are exact then."""
        return self.n_labels == 2 and bool((self.pairwise.bends(len(self.edges)) >= 0).all())

    def _joint_spans(self) -> list[Doubles]:
        return [self.pairwise.spans(len(self.edges))]

    def _largest_joint(self) -> float:
        return max([self.pairwise.largest(), *(largest_size(c.table) for c in self.cliques)])

    def _deciding_reaches(self) -> Doubles | None:
        return None if self.cliques else self.reaches

    def _known_loss(self) -> float:
        best = self.unary.argmax(axis=1)
        labels = np.arange(int(self.label_counts.min()))
        tried = np.vstack([best, np.repeat(labels[:, None], self.n_variables, axis=1)]).astype(np.int32)
        scores = linear_scores(self.unary, tried) + self._joint_score(tried)
        loss = float(linear_scores(self.unary, tried[:1])[0]) + self._joint_ceiling() - float(scores.max())
        return loss if loss >= 0 else np.inf  # nan: all tried are forbidden, and so may best scores be

    def _joint_ceiling(self) -> float:
        return self.pairwise.ceiling(len(self.edges)) + sum(float(c.table.max()) for c in self.cliques)

    def _joint_floor(self) -> float:
        cliques = sum(float(least(c.table.reshape(1, -1), axis=1)[0]) for c in self.cliques)
        return self.pairwise.floor(len(self.edges)) + cliques

    def _pairwise_score(self, flat: Labels) -> Doubles:
        return self.pairs.values(flat)
