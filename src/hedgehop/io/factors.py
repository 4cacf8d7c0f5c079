"""Factors as files give them, scopes and tables of any order, and the model they make together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Floats, own
from hedgehop.models import EdgeTables, FactorGraph, PairwiseModel

Integers = NDArray[np.int64]
MOST_ENTRIES = 2**28  # of tables that a file describes without writing them out, or that padding makes


@dataclass(frozen=True, eq=False)
class Factors:
    """Scores of factors, end to end.

    Attributes
    ----------
    counts : (n,) array
        Number of labels of each variable.
    arities : (F,) array
        Number of variables of each factor.
    members : (sum of arities,) array
        Variables of the factors, end to end.
    scores : array
        Tables of the factors, end to end; the last variable changes quickest.
    """

    counts: Integers
    arities: Integers
    members: Integers
    scores: Floats

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
        tables = EdgeTables.packed(own(self.scores[_spans(starts[pairs], sizes[pairs])]), rows, columns)
        cliques = [self._clique(k, places, starts, sizes) for k in np.flatnonzero(self.arities > 2).tolist()]
        return FactorGraph(_rows(unary, self.counts), edges, tables, cliques)

    def _unary(self, sizes: Integers, places: Integers, starts: Integers) -> Doubles:
        unary = np.zeros((self.counts.size, int(self.counts.max())))
        unary[0] += self.scores[starts[self.arities == 0]].sum()
        single = np.flatnonzero(self.arities == 1)
        span = _spans(starts[single], sizes[single])
        variables = np.repeat(self.members[places[single]], sizes[single])
        labels = span - np.repeat(starts[single], sizes[single])
        np.add.at(unary, (variables, labels), self.scores[span])
        return unary

    def _clique(self, k: int, places: Integers, starts: Integers, sizes: Integers) -> tuple[Integers, Floats]:
        members = self.members[places[k] : places[k] + self.arities[k]]
        return members, self.scores[starts[k] : starts[k] + sizes[k]].reshape(self.counts[members])


def table_sizes(counts: Integers, arities: Integers, members: Integers) -> Doubles:
    """Number of entries of each factor's table, as doubles: they cannot wrap around."""
    sizes, places = np.ones(arities.size), np.cumsum(arities) - arities
    for position in range(int(arities.max(initial=0))):
        long = np.flatnonzero(arities > position)
        sizes[long] *= counts[members[places[long] + position]]
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


def refuse_padding(counts: Integers) -> None:
    """Refuse label counts whose padded unary scores would not fit."""
    cells = counts.size * float(counts.max())
    if cells > MOST_ENTRIES:
        raise ValueError(
            f"{counts.size} variables with up to {counts.max()} labels need {cells:.3g} unary scores; "
            f"at most {MOST_ENTRIES} are read."
        )


def _rows(unary: Doubles, counts: Integers) -> Doubles | list[Doubles]:
    if (counts == unary.shape[1]).all():
        return own(unary)
    return [row[:count] for row, count in zip(unary, counts.tolist(), strict=True)]


def _spans(starts: Integers, sizes: Integers) -> Integers:
    """Return start, start + 1, ..., start + size - 1 of every span, end to end."""
    shift = starts - (np.cumsum(sizes) - sizes)
    return np.asarray(np.arange(int(sizes.sum())) + np.repeat(shift, sizes))
