# SPDX-License-Identifier: BSD-3-Clause
"""Potentials as sums of ramps: functions of how many slots carry a code, which is all that bounds need to know.

A slot is a variable, its code the label it takes; or a slot is an edge, its code the pair of labels it carries.
Weights for used labels, for transitions and for regions all are sums of ramps::

    weight * clip((k - start) / width, 0, 1),   k = number of the members that carry the code
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.potentials import LabelWeights, Potential, RegionWeights, TransitionWeights
from hedgehop.potentials.labels import transition_pairs, used_labels, used_transitions

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ramp:
    """``weight * clip((k - start) / width, 0, 1)``, k = members that carry the code."""

    code: int
    members: Indices
    weight: float
    start: int
    width: int

    def at(self, counts: Indices) -> Doubles:
        """Values at given counts."""
        return np.asarray(self.weight * np.clip((counts - self.start) / self.width, 0.0, 1.0))


def label_ramps(model: PairwiseModel, potentials: Iterable[Potential]) -> list[Ramp]:
    """Ramps over variables: weights of labels and of regions."""
    everyone = np.arange(model.n_variables)
    ramps = []
    for p in potentials:
        if isinstance(p, LabelWeights):
            start = p.least_count(model.n_variables) - 1
            ramps += [Ramp(int(k), everyone, float(p.w[k]), start, 1) for k in np.flatnonzero(p.w)]
        elif isinstance(p, RegionWeights):
            for c, k in zip(*np.nonzero(p.mu), strict=True):
                members, width = p.regions[c], p.slack(int(c))
                ramps.append(Ramp(int(k), members, float(p.mu[c, k]), members.size - width, width))
    return ramps


def edge_ramps(model: PairwiseModel, potentials: Iterable[Potential], ordered: bool) -> list[Ramp]:
    """Ramps over edges: weights of ordered transitions, or of the others."""
    everyone = np.arange(len(model.edges))
    ramps: list[Ramp] = []
    for p in potentials:
        if isinstance(p, TransitionWeights) and p.ordered == ordered and everyone.size:
            rows, columns = transition_pairs(len(p.w), ordered)
            for a, b in zip(rows.tolist(), columns.tolist(), strict=True):
                if p.w[a, b]:
                    ramps.append(Ramp(a * len(p.w) + b, everyone, float(p.w[a, b]), 0, 1))
    return ramps


def edge_codes(model: PairwiseModel, labeling: Labels, ordered: bool) -> Indices:
    """Pair of labels that each edge carries, ``a * L + b``, the smaller one first unless ordered."""
    ends = labeling.reshape(-1)[model.edges].astype(np.int64)
    first, second = ends.T if ordered else np.sort(ends, axis=1).T
    return np.asarray(first * model.n_labels + second)


def relaxed_transitions(
    model: PairwiseModel, potentials: Iterable[Potential], labeling: Labels
) -> tuple[list[Ramp], float]:
    """Return ramps over variables and a constant that are at least the weights of transitions.

    A transition can be used only where both of its labels are: its reward is at most that of using the one which
    `labeling` does not use; where it uses both, at most a constant. Costs are at most nothing.
    """
    rewards, constant = np.zeros(model.n_labels), 0.0
    flat = labeling.reshape(1, -1)
    for p in potentials:
        if isinstance(p, TransitionWeights):
            used = used_labels(flat, len(p.w))[0]
            carried = used_transitions(model, flat, len(p.w), p.ordered)[0]
            for a, b in zip(*transition_pairs(len(p.w), p.ordered), strict=True):
                w = max(0.0, float(p.w[a, b]))
                if carried[a, b] or (used[a] and used[b]):
                    constant += w
                else:
                    rewards[b if used[a] else a] += w
    everyone = np.arange(model.n_variables)
    return [Ramp(int(k), everyone, float(rewards[k]), 0, 1) for k in np.flatnonzero(rewards)], constant
