# SPDX-License-Identifier: BSD-3-Clause
"""The general model: any graph, labels that differ by variable, tables, cliques."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Floats, Labels, own
from hedgehop._frozen import Frozen
from hedgehop.models.edges import check_edges, merge_parallel
from hedgehop.models.pairwise import Edges, EdgeTables, PairwiseModel, PairwiseScores, Potts, SharedTable
from hedgehop.models.unary import Change


class Clique(Frozen):
    """A score table over several variables: ``table[y_v1, ..., y_vk]``.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> odd = hh.models.Clique(np.array([0, 1]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> odd.at(np.array([[0, 0], [0, 1]], np.int32))
    array([0., 1.])
    """

    variables: NDArray[np.int64]
    table: Floats

    def __init__(self, variables: NDArray[np.int64], table: Floats) -> None:
        self._set(variables=variables, table=table)

    def at(self, flat: Labels) -> Doubles:
        """Scores of (m, n) labelings."""
        return self.table[tuple(flat[:, v] for v in self.variables)].astype(np.float64)


class FactorGraph(PairwiseModel):
    """``r(y) = sum_i U[i, y_i] + sum_e P_e(y_i, y_j) + sum_c T_c(y_c)``, to be maximised.

    Parameters
    ----------
    unary : (n, L) array, or list of n 1-D arrays
        Scores of the labels of each variable; a list when label counts differ. ``-inf`` forbids a label.
    edges : (E, 2) array of ints
        Pairs of variables. Parallel edges are merged (scores add up, the first one gives the direction);
        self-loops are refused.
    pairwise : number, (E,), (L, L), (E, L, L), list of (L_i, L_j) arrays, or hh.models.EdgeTables
        Potts strengths >= 0 (one number for all edges, or one per edge: the pair loses the strength when its
        labels differ), one score table for all edges, or one table per edge; equal ones are kept once. ``-inf``
        forbids a pair.
    cliques : iterable of (variables, table)
        Score tables over any number of variables. Those over one or two are added to the unaries and edges.

    Examples
    --------
    >>> import hedgehop as hh
    >>> model = hh.FactorGraph([[0, 1], [2, 0], [0, 0]], edges=[[0, 1], [1, 2]], pairwise=1.5)
    >>> model
    FactorGraph(3 variables, 2 labels, 2 Potts edges)
    >>> model.score([1, 0, 0])
    1.5
    """

    _only_scores = True

    def __init__(
        self,
        unary: ArrayLike | Sequence[ArrayLike],
        edges: ArrayLike = (),
        pairwise: ArrayLike | Sequence[ArrayLike] | EdgeTables = 0.0,
        cliques: Iterable[tuple[ArrayLike, ArrayLike]] = (),
    ) -> None:
        padded, counts, extent = _padded_unary(unary)
        pairs = check_edges(edges, counts.size)
        scores = _pairwise_scores(pairwise, pairs, counts)
        large: list[Clique] = []
        small: list[Clique] = []
        for given in _arrays.several(cliques, "cliques", "pairs (variables, table)"):
            clique = _checked_clique(given, counts)
            if clique.variables.size == 1:
                padded = padded.astype(np.result_type(padded, clique.table))  # a copy: the input is not ours
                padded[clique.variables[0], : clique.table.size] += clique.table
                extent = None
            elif clique.variables.size == 2:
                small.append(clique)
            else:
                large.append(clique)
        if small:
            pairs, scores = _append(pairs, scores, small, counts)
        pairs, scores = merge_parallel(pairs, scores, counts)
        self._set(unary=padded, label_counts=counts, shape=(counts.size,), cliques=tuple(large))
        self._set(_edges=pairs, _pairwise=scores, **({} if extent is None else {"_extent": extent}))
        self._refuse_infeasible()

    @property
    def edges(self) -> Edges:
        """Pairs of variables, (E, 2), parallel ones merged."""
        return cast(Edges, self.__dict__["_edges"])

    @property
    def pairwise(self) -> PairwiseScores:
        return cast(PairwiseScores, self.__dict__["_pairwise"])

    def _changed_joint(self, change: Change) -> dict[str, Any]:
        cliques = tuple(Clique(c.variables, change(c.table, c.table.max())) for c in self.cliques)
        return {"_pairwise": self.pairwise.changed(change), "cliques": cliques}

    def __repr__(self) -> str:
        few, many = int(self.label_counts.min()), int(self.label_counts.max())
        labels = f"{many} labels" if few == many else f"{few}-{many} labels"
        kind = {Potts: "Potts", SharedTable: "shared-table", EdgeTables: "table"}[type(self.pairwise)]
        cliques = f", {len(self.cliques)} cliques" if self.cliques else ""
        return f"FactorGraph({self.n_variables} variables, {labels}, {len(self.edges)} {kind} edges{cliques})"


def _padded_unary(unary: ArrayLike | Sequence[ArrayLike]) -> tuple[Floats, Labels, tuple[float, float] | None]:
    """Scores (n, L), how many labels each variable has, and the least and the largest score if these are known."""
    rows = [_arrays.rectangular(r, "unary") for r in unary] if isinstance(unary, (list, tuple)) else None
    if rows is None or len({r.shape for r in rows}) == 1:
        full, extent = _arrays.frozen_scores(cast(ArrayLike, unary), "unary", ndim=2)
        if 0 in full.shape:
            raise ValueError(f"unary must have at least one variable and one label; got shape {full.shape}.")
        return full, own(np.full(full.shape[0], full.shape[1], np.int32)), extent
    if not rows:
        raise ValueError("unary must have at least one variable; got an empty list.")
    flat = _checked_rows(rows)
    counts = np.array([r.size for r in rows], np.int32)
    if counts.min() == 0:
        raise ValueError(f"unary[{int(counts.argmin())}] is empty; every variable needs at least one label.")
    padded = np.full((len(rows), counts.max()), -np.inf, flat.dtype)
    padded[np.arange(counts.max()) < counts[:, None]] = flat
    return own(padded), own(counts), None


def _checked_rows(rows: list[NDArray[Any]]) -> Floats:
    """Scores of all rows end to end, checked at once; row by row only to say which one is wrong."""
    try:
        return _arrays.scores(np.concatenate(rows), "unary", ndim=1)
    except (TypeError, ValueError):
        for i, row in enumerate(rows):
            _arrays.scores(row, f"unary[{i}]", ndim=1)
        raise


def _pairwise_scores(pairwise: Any, edges: Edges, counts: Labels) -> PairwiseScores:
    n_edges, n_labels = len(edges), int(counts.max())
    if isinstance(pairwise, EdgeTables):
        return _checked_tables(pairwise, edges, counts)
    if isinstance(pairwise, (list, tuple)) and len({_arrays.rectangular(t, "pairwise").shape for t in pairwise}) > 1:
        return _ragged_tables(pairwise, edges, counts)
    values, (low, _) = _arrays.frozen_scores(pairwise, "pairwise")
    if values.ndim == 0 or (values.ndim == 1 and values.size == n_edges):
        strengths = values if values.ndim else own(np.full(n_edges, values))
        return Potts(strengths if low >= 0 else _refuse_strengths(strengths, edges))
    if values.shape == (n_labels, n_labels):
        return SharedTable(values)
    if values.ndim == 3 and len(values) == n_edges:
        if values.shape[1:] != (n_labels, n_labels):
            return _ragged_tables(list(values), edges, counts)
        if counts.min() == n_labels:
            return EdgeTables(values)
        return EdgeTables([t[: counts[i], : counts[j]] for t, (i, j) in zip(values, edges, strict=True)])
    raise ValueError(
        f"pairwise must be a number, ({n_edges},) Potts strengths, ({n_labels}, {n_labels}) or "
        f"({n_edges}, {n_labels}, {n_labels}) score tables, or a list of {n_edges} tables; got shape {values.shape}."
    )


def _refuse_strengths(strengths: Floats, edges: Edges) -> Floats:
    """Say which edge has a strength below 0, if there is an edge."""
    bad = np.flatnonzero(~(strengths >= 0))
    if bad.size:
        i, j = edges[bad[0]]
        raise ValueError(
            f"Potts strengths must be >= 0 and finite; edge ({i}, {j}) has {strengths[bad[0]]:g}. "
            "Give a score table if a pair should prefer to differ."
        )
    return strengths


def _ragged_tables(tables: Sequence[Any], edges: Edges, counts: Labels) -> EdgeTables:
    if len(tables) != len(edges):
        raise ValueError(f"pairwise must have one table per edge ({len(edges)}); got {len(tables)}.")
    checked = []
    for table, (i, j) in zip(tables, edges, strict=True):
        values = _arrays.scores(table, f"the table of edge ({i}, {j})")
        if values.shape != (counts[i], counts[j]):
            raise ValueError(
                f"the table of edge ({i}, {j}) must have shape ({counts[i]}, {counts[j]}); got {values.shape}."
            )
        checked.append(values)
    return EdgeTables(checked)


def _checked_tables(tables: EdgeTables, edges: Edges, counts: Labels) -> EdgeTables:
    rows, columns = counts[edges].astype(np.int64).T
    if not (np.array_equal(tables.columns, columns) and np.array_equal(tables.sizes, rows * columns)):
        raise ValueError("pairwise tables must have the shapes (L_i, L_j) of the edges. Give one table per edge.")
    _arrays.scores(tables.flat, "pairwise")
    return tables


def _checked_clique(given: Any, counts: Labels) -> Clique:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ValueError(f"a clique must be a pair (variables, table); got {given!r}.")
    variables, table = given
    members = _arrays.integers(variables, "clique variables")
    if members.ndim != 1 or members.size == 0:
        raise ValueError(f"a clique needs a list of variables; got {variables!r}.")
    if members.min() < 0 or members.max() >= counts.size:
        raise ValueError(f"clique {members.tolist()} names a variable outside 0..{counts.size - 1}.")
    if len(set(members.tolist())) < members.size:
        raise ValueError(f"clique {members.tolist()} names a variable twice. Name each once.")
    values = _arrays.scores(table, f"the table of clique {members.tolist()}")
    wanted = tuple(int(c) for c in counts[members])
    if values.shape != wanted:
        raise ValueError(f"the table of clique {members.tolist()} must have shape {wanted}; got {values.shape}.")
    return Clique(members, values)


def _append(
    edges: Edges, scores: PairwiseScores, cliques: list[Clique], counts: Labels
) -> tuple[Edges, PairwiseScores]:
    tables = [scores.table(e, int(counts[i]), int(counts[j])) for e, (i, j) in enumerate(edges)]
    pairs = np.concatenate([edges, np.array([c.variables for c in cliques], np.int32)])
    return pairs, EdgeTables([*tables, *(c.table for c in cliques)])
