# SPDX-License-Identifier: BSD-3-Clause
"""Factors as files give them, scopes and tables of any order, and the model they make together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Floats, own
from hedgehop.io.file_access import FilePath
from hedgehop.models import EdgeTables, FactorGraph, PairwiseModel

Integers = NDArray[np.int64]
LARGEST_WHOLE = 2**53  # doubles hold every whole number up to here
LARGEST_COUNT = 2**31 - 1  # of variables, or of labels of one
_BYTES_PER_FILE_BYTE = 64  # bytes of scores that a byte of a file may describe
_SHORT_FILES = 16  # max_bytes divided by this may be described by any file, however short


@dataclass(frozen=True)
class ScoreLimit:
    """How many scores a file may describe without writing them out; they take 8 bytes each."""

    file_bytes: int
    max_bytes: int

    @property
    def entries(self) -> int:
        """The largest number of scores."""
        return max(_BYTES_PER_FILE_BYTE * self.file_bytes, self.max_bytes // _SHORT_FILES) // 8

    def problem(self, entries: float, what: str) -> str | None:
        """Return what is wrong with so many scores; None if nothing is."""
        if entries <= self.entries:
            return None
        return (
            f"{what} would need {8 * entries:.3g} bytes; a file of {self.file_bytes} bytes may describe "
            f"{8.0 * self.entries:.3g}. Pass max_bytes={8 * _SHORT_FILES * entries:.3g} or more to read it anyway"
        )


@dataclass(frozen=True, eq=False)
class Factors:
    """Scores of factors, end to end."""

    counts: Integers  # (n,), labels of each variable
    arities: Integers  # (F,), variables of each factor
    members: Integers  # variables of the factors, end to end
    scores: Floats  # tables of the factors, end to end; the last variable changes fastest

    @classmethod
    def of(cls, counts: Integers, tables: Sequence[tuple[Sequence[int], Floats]]) -> Factors:
        """Put scopes and score tables, one per factor, end to end."""
        arities = np.array([len(scope) for scope, _ in tables], np.int64)
        members = np.array([v for scope, _ in tables for v in scope], np.int64)
        scores = [np.zeros(0), *(np.ravel(table) for _, table in tables)]
        return cls(counts, arities, members, np.concatenate(scores))

    def model(self, evidence: Mapping[int, int] | None = None) -> FactorGraph:
        """Add up the factors; evidence forbids the other labels, so that variables keep their numbers."""
        sizes = table_sizes(self.counts, self.arities, self.members).astype(np.int64)
        places, starts = np.cumsum(self.arities) - self.arities, np.cumsum(sizes) - sizes
        unary = self._unary(sizes, places, starts)
        for variable, label in (evidence or {}).items():
            unary[variable, np.arange(unary.shape[1]) != label] = -np.inf
        pairs = np.flatnonzero(self.arities == 2)
        edges = self.members[places[pairs][:, None] + np.arange(2)]
        rows, columns = self.counts[edges].T
        tables = EdgeTables.packed(own(self._of_pairs(sizes)), rows, columns)
        cliques = [self._clique(k, places, starts, sizes) for k in np.flatnonzero(self.arities > 2).tolist()]
        return FactorGraph(_rows(unary, self.counts), edges, tables, cliques)

    def _of_pairs(self, sizes: Integers) -> Floats:
        """Tables of the pairs, end to end; nothing is copied if there is nothing else."""
        is_pair = self.arities == 2
        return self.scores if is_pair.all() else self.scores[np.repeat(is_pair, sizes)]

    def _unary(self, sizes: Integers, places: Integers, starts: Integers) -> Doubles:
        unary = np.zeros((self.counts.size, int(self.counts.max())))
        unary[0] += self.scores[starts[self.arities == 0]].sum()
        single = np.flatnonzero(self.arities == 1)
        span = spans(starts[single], sizes[single])
        variables = np.repeat(self.members[places[single]], sizes[single])
        labels = span - np.repeat(starts[single], sizes[single])
        np.add.at(unary, (variables, labels), self.scores[span])
        return unary

    def _clique(self, k: int, places: Integers, starts: Integers, sizes: Integers) -> tuple[Integers, Floats]:
        members = self.members[places[k] : places[k] + self.arities[k]]
        return members, self.scores[starts[k] : starts[k] + sizes[k]].reshape(self.counts[members])


def table_sizes(counts: Integers, arities: Integers, members: Integers) -> Doubles:
    """Number of entries of each factor's table, as doubles: they cannot wrap around."""
    sizes, filled = np.ones(arities.size), np.flatnonzero(arities > 0)
    if filled.size:
        starts = np.cumsum(arities[filled]) - arities[filled]
        with np.errstate(over="ignore"):
            sizes[filled] = np.multiply.reduceat(counts[members].astype(np.float64), starts)
    return sizes


def factors_of(model: PairwiseModel) -> Iterator[tuple[tuple[int, ...], Doubles]]:
    """Scope and table of the unary scores, then of the edges, then of the cliques."""
    counts = model.label_counts.tolist()
    for i, count in enumerate(counts):
        yield (i,), model.unary[i, :count].astype(np.float64)
    for e, (i, j) in enumerate(model.edges.tolist()):
        yield (i, j), model.pairwise.table(e, counts[i], counts[j])
    for clique in model.cliques:
        yield tuple(clique.variables.tolist()), clique.table.astype(np.float64)


def scores_of_costs(costs: Doubles, top: float) -> Doubles:
    """Negated costs, in the place of the costs; those at or above the top are forbidden."""
    forbidden = costs >= top
    np.subtract(0.0, costs, out=costs)
    costs[forbidden] = -np.inf
    return costs


def scope_problem(n_variables: int, arities: Integers, members: Integers) -> tuple[int, str] | None:
    """Which entry of the scopes, end to end, is no variable or stands there twice, and what to say about it."""
    owner = np.repeat(np.arange(arities.size), arities)
    outside = np.flatnonzero((members < 0) | (members >= n_variables))
    if outside.size:
        return int(outside[0]), f"variables are 0..{n_variables - 1}; a factor names {members[outside[0]]}"
    order = np.lexsort((members, owner))
    twice = np.flatnonzero((np.diff(owner[order]) == 0) & (np.diff(members[order]) == 0))
    if twice.size:
        entry = int(order[twice[0] + 1])
        return entry, f"a factor names variable {members[entry]} twice"
    return None


def check_scope(scope: Sequence[int], counts: Integers) -> str | None:
    """Return what is wrong with a cost function's variables; None if nothing is."""
    outside = [v for v in scope if not 0 <= v < counts.size]
    if outside:
        return f"variables are 0..{counts.size - 1}; a cost function names {outside[0]}"
    twice = len(set(scope)) < len(scope)
    return f"a cost function names a variable twice: {list(scope)}" if twice else None


def top_of(model: PairwiseModel) -> float:
    """A whole number that no allowed labeling's cost reaches, nor any table's entry."""
    total = 1.0
    for _, table in factors_of(model):
        finite = table[np.isfinite(table)]
        total += float(np.abs(finite).max(initial=0.0))
    return float(np.ceil(total)) + 1.0


def refuse_padding(path: FilePath, counts: Integers, limit: ScoreLimit) -> None:
    """Refuse label counts whose padded unary scores would not fit."""
    what = f"{counts.size} variables with up to {counts.max()} labels"
    problem = limit.problem(counts.size * float(counts.max()), what)
    if problem:
        raise ValueError(f"{path}: {problem}.")


def _rows(unary: Doubles, counts: Integers) -> Doubles | list[Doubles]:
    if (counts == unary.shape[1]).all():
        return own(unary)
    return [row[:count] for row, count in zip(unary, counts.tolist(), strict=True)]


def spans(starts: Integers, sizes: Integers) -> Integers:
    """Return start, start + 1, ..., start + size - 1 of every span, end to end."""
    shift = starts - (np.cumsum(sizes) - sizes)
    return np.asarray(np.arange(int(sizes.sum())) + np.repeat(shift, sizes))
