# SPDX-License-Identifier: BSD-3-Clause
"""Weights of used labels and of used kinds in one form: a code for every label of every variable, and ramps.

A label's code is the label itself or its kind. Potentials with the same codes share a table; their weights are ramps
(:mod:`hedgehop.oracles.relaxation.ramps`), which have linear bounds from above (multipliers) and from below:

    w [k >= s]  >=  w (x(A) - s + 1)                  rewards, A = s of the variables that carry the code,
                >=  -|w| x(others) / (s - k0)         costs, k0 < s variables carry it now, the others do not,

each with equality at the present labeling, x(A) = how many of the variables A carry the code.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop.models.unary import UnaryModel
from hedgehop.oracles.relaxation.ramps import Indices, Ramp
from hedgehop.potentials import KindWeights, LabelWeights

Weights = LabelWeights | KindWeights


class Coding:
    """One table of codes, (n, L) with ``n_codes`` for labels that have none, and the ramps over them."""

    def __init__(self, model: UnaryModel, table: Labels, potentials: Sequence[Weights]) -> None:
        self.n_codes = max(p.w.size for p in potentials)
        codes = np.broadcast_to(table, model.unary.shape).astype(np.int64)
        self.table: Indices = np.where(codes < 0, self.n_codes, codes)
        everyone = np.arange(model.n_variables)
        self.ramps = [
            Ramp(int(k), everyone, float(p.w[k]), p.least_count(model.n_variables) - 1, 1)
            for p in potentials
            for k in np.flatnonzero(p.w)
        ]

    @cached_property
    def carriers(self) -> list[NDArray[np.bool_]]:
        """Which labels of which variables carry each code, (n, L) each."""
        return [np.asarray(self.table == k) for k in range(self.n_codes)]

    def codes(self, labeling: Labels) -> Indices:
        """Code that each variable carries, (n,)."""
        return np.asarray(self.table[np.arange(labeling.size), labeling])

    def spread(self, scores: Doubles) -> Doubles:
        """Scores of codes, (n, codes + 1), as scores of labels, (n, L)."""
        return np.take_along_axis(scores, self.table, axis=1)

    def gaps(self, unary: Doubles, labeling: Labels) -> Doubles:
        """What a labeling loses, at first sight, by each variable carrying each code; 0 if nothing, (n, codes + 1)."""
        lost = np.maximum(0.0, unary[np.arange(labeling.size), labeling][:, None] - unary)
        columns = [np.where(c, lost, np.inf).min(axis=1) for c in self.carriers]
        return np.stack([*columns, np.where(self.table == self.n_codes, lost, np.inf).min(axis=1)], axis=1)

    def minorant(self, codes: Indices, margins: Doubles) -> Doubles:
        """Scores of codes that are, but for a constant, nowhere above the ramps and equal to them at these codes.

        Variables of the largest margins vouch for a reward.
        """
        scores = np.zeros((codes.size, self.n_codes + 1))
        for ramp in self.ramps:
            carry, size = codes == ramp.code, ramp.start + 1
            count = int(carry.sum())
            if ramp.weight > 0 and count >= size:
                firm = np.argsort(np.where(carry, -margins, np.inf), kind="stable")[:size]
                scores[firm, ramp.code] += ramp.weight
            elif ramp.weight < 0 and count < size:
                scores[~carry, ramp.code] += ramp.weight / (size - count)
        return scores


def codings(model: UnaryModel, potentials: Sequence[Weights]) -> list[Coding]:
    """Potentials by their tables of codes."""
    labels = np.arange(model.n_labels, dtype=np.int32)
    groups: dict[bytes, tuple[Labels, list[Weights]]] = {}
    for p in potentials:
        table = p.kinds if isinstance(p, KindWeights) else labels
        groups.setdefault(table.tobytes(), (table, []))[1].append(p)
    return [Coding(model, table, group) for table, group in groups.values()]
