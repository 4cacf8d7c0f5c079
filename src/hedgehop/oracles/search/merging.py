# SPDX-License-Identifier: BSD-3-Clause
"""Pairs in which one label decides the other become one variable: what must change together then does.

Used to find labelings only; bounds are those of the model as it is. Frequencies that must differ by a fixed step, for
example, cannot change one at a time, and the tables of blocks waste nearly all cells on what is forbidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop.models.factor_graph import FactorGraph
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.folding import changed_unary
from hedgehop.oracles.pairwise.kernels import pair_tables

LabelNumbers = NDArray[np.intp]


@dataclass(frozen=True)
class Merged:
    """A model with merged variables.

    Attributes
    ----------
    model : FactorGraph
        The other model, unary changes included.
    members : list of tuples of ints
        One or two variables of the given model for each variable.
    labels : list of int arrays
        What its labels mean: one row per label, one column per member.
    """

    model: FactorGraph
    members: Sequence[tuple[int, ...]]
    labels: Sequence[LabelNumbers]

    @classmethod
    def of(cls, model: PairwiseModel, theta: Doubles | None) -> Merged | None:
        """Merge pairs that decide each other, each variable once; None if there are none, or cliques."""
        if model.cliques or not model.forbids_pairs:
            return None
        tables, unary = pair_tables(model), changed_unary(model, theta)
        possible = (np.arange(model.n_labels) < model.label_counts[:, None]) & np.isfinite(unary)
        chosen = _deciding(model, tables, possible)
        if not chosen:
            return None
        twins = {i for pair in chosen for i in pair}
        members = [*chosen, *((i,) for i in range(model.n_variables) if i not in twins)]
        labels = [_labels(chosen.get(m), possible, m) for m in members]
        if not all(len(rows) for rows in labels):
            return None
        return cls(_reduced(model, tables, unary, members, labels), members, labels)

    def front(self, labeling: Labels) -> Labels:
        """Return the labeling of the merged model; where pairs are not allowed, the labels with the largest scores."""
        found: Labels = self.model.unary.argmax(axis=1).astype(np.int32)
        for k, (members, rows) in enumerate(zip(self.members, self.labels, strict=True)):
            same = np.flatnonzero((rows == labeling[list(members)]).all(axis=1))
            found[k] = same[0] if same.size else found[k]
        return found

    def back(self, merged: Labels) -> Labels:
        """Return the labeling of the given model."""
        labeling = np.zeros(sum(len(m) for m in self.members), np.int32)
        for members, rows, label in zip(self.members, self.labels, merged, strict=True):
            labeling[list(members)] = rows[label]
        return labeling


def _deciding(
    model: PairwiseModel, tables: Doubles, possible: NDArray[np.bool_]
) -> dict[tuple[int, ...], LabelNumbers]:
    """Edges in which each label of one end allows at most one of the other, disjoint, with the pairs allowed."""
    found: dict[tuple[int, ...], LabelNumbers] = {}
    taken: set[int] = set()
    for table, (i, j) in zip(tables, model.edges.tolist(), strict=True):
        if i in taken or j in taken:
            continue
        allowed = np.isfinite(table) & possible[i][:, None] & possible[j]
        if min(allowed.sum(axis=0).max(), allowed.sum(axis=1).max()) <= 1:
            found[i, j] = np.argwhere(allowed)
            taken |= {i, j}
    return found


def _labels(pairs: LabelNumbers | None, possible: NDArray[np.bool_], members: tuple[int, ...]) -> LabelNumbers:
    return np.flatnonzero(possible[members[0]])[:, None] if pairs is None else pairs


def _reduced(
    model: PairwiseModel,
    tables: Doubles,
    unary: Doubles,
    members: Sequence[tuple[int, ...]],
    labels: Sequence[LabelNumbers],
) -> FactorGraph:
    """Add up the scores by merged labels; an edge within a pair is part of its unary scores."""
    place = {i: (k, c) for k, group in enumerate(members) for c, i in enumerate(group)}
    scores = [
        sum(unary[i, rows[:, c]] for c, i in enumerate(group)) for group, rows in zip(members, labels, strict=True)
    ]
    joint: dict[tuple[int, int], Doubles] = {}
    for table, (i, j) in zip(tables, model.edges.tolist(), strict=True):
        (k, c), (other, d) = place[i], place[j]
        rows, columns = labels[k][:, c], labels[other][:, d]
        if k == other:
            scores[k] = scores[k] + table[rows, columns]
            continue
        part = table[np.ix_(rows, columns)]
        edge, part = ((k, other), part) if k < other else ((other, k), part.T)
        joint[edge] = joint[edge] + part if edge in joint else part
    return FactorGraph(scores, np.array(list(joint), np.int32).reshape(-1, 2), list(joint.values()))
