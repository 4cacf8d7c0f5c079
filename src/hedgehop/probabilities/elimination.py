# SPDX-License-Identifier: BSD-3-Clause
"""Sums over all labelings by variable elimination: graphs of small width, cliques included.

Eliminating a variable leaves ``p(its label | its neighbours that are left)``. Backwards, these conditionals give
marginals and exact samples by products alone: nothing is subtracted, so nothing cancels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models import PairwiseModel

Scope = tuple[int, ...]
Factor = tuple[Scope, Doubles]  # variables, and a table of log weights with one axis for each


@dataclass(frozen=True)
class Bucket:
    """What was known of a variable when it was eliminated: ``p(y_v | y_others)``, axes (*others, v)."""

    variable: int
    others: Scope
    conditional: Doubles


@dataclass(frozen=True)
class Eliminated:
    """All variables of a model, in the order they were eliminated."""

    model: PairwiseModel
    buckets: tuple[Bucket, ...]
    log_partition: float

    @classmethod
    def of(cls, model: PairwiseModel, scale: float) -> Eliminated:
        """Eliminate the variables of a model that has an elimination order."""
        assert model.elimination_order is not None
        place = {int(v): k for k, v in enumerate(model.elimination_order)}
        waiting: list[list[Factor]] = [[] for _ in place]
        total, buckets = _assign(_factors(model, scale), place, waiting), []
        for v, k in place.items():
            others, joint = _joined(v, waiting[k], model, place)
            top = joint.max(axis=-1, keepdims=True)
            weights = np.exp(joint - np.where(np.isneginf(top), 0.0, top))
            sums = weights.sum(axis=-1, keepdims=True)
            buckets.append(Bucket(v, others, np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)))
            with np.errstate(divide="ignore"):
                left = (top + np.log(sums))[..., 0]
            total += _assign([(others, left)], place, waiting)
        return cls(model, tuple(buckets), float(total))

    def marginals(self) -> Doubles:
        """Probability of each label of each variable, (n, L)."""
        chances = np.zeros((self.model.n_variables, self.model.n_labels))
        joints: dict[int, tuple[Scope, Doubles]] = {}
        place = {bucket.variable: k for k, bucket in enumerate(self.buckets)}
        for bucket in reversed(self.buckets):
            joint = bucket.conditional
            if bucket.others:
                above = joints[min(bucket.others, key=place.__getitem__)]
                joint = _marginal(*above, bucket.others)[..., None] * joint
            joints[bucket.variable] = (*bucket.others, bucket.variable), joint
            chances[bucket.variable, : joint.shape[-1]] = joint.sum(axis=tuple(range(joint.ndim - 1)))
        return chances

    def sample(self, uniforms: Doubles) -> Labels:
        """Exact samples, one per row of (k, n) numbers in [0, 1)."""
        drawn = np.zeros(uniforms.shape, np.int32)
        for bucket in reversed(self.buckets):
            given = bucket.conditional[tuple(drawn[:, v] for v in bucket.others)]
            chances = np.broadcast_to(given, (len(drawn), given.shape[-1]))
            drawn[:, bucket.variable] = falls_on(chances, uniforms[:, bucket.variable])
        return own(drawn)


def falls_on(chances: Doubles, uniforms: Doubles) -> NDArray[np.int32]:
    """Labels that numbers in [0, 1) fall on, of (k, L) chances; never one of chance 0."""
    reached = np.cumsum(chances, axis=1)
    first = (reached <= (uniforms * reached[:, -1])[:, None]).sum(axis=1)
    last = chances.shape[1] - 1 - np.argmax(chances[:, ::-1] > 0, axis=1)
    return np.asarray(np.minimum(first, last), np.int32)


def _factors(model: PairwiseModel, scale: float) -> list[Factor]:
    counts = model.label_counts
    alone = [((i,), scale * model.unary[i, : counts[i]].astype(np.float64)) for i in range(model.n_variables)]
    pairs = [
        ((int(i), int(j)), scale * np.asarray(model.pairwise.table(e, int(counts[i]), int(counts[j])), np.float64))
        for e, (i, j) in enumerate(model.edges)
    ]
    cliques = [(tuple(int(v) for v in c.variables), scale * np.asarray(c.table, np.float64)) for c in model.cliques]
    return [_squeezed(*factor) for factor in (*alone, *pairs, *cliques)]


def _squeezed(scope: Scope, table: Doubles) -> Factor:
    """Leave out variables of one label: numpy allows few axes."""
    kept = tuple(v for v, size in zip(scope, table.shape, strict=True) if size > 1)
    return kept, table.reshape([size for size in table.shape if size > 1])


def _assign(factors: list[Factor], place: dict[int, int], waiting: list[list[Factor]]) -> float:
    """Put factors where the first of their variables is eliminated; return the sum of those without variables."""
    constant = 0.0
    for scope, table in factors:
        if scope:
            waiting[min(place[v] for v in scope)].append((scope, table))
        else:
            constant += float(table)
    return constant


def _joined(v: int, factors: list[Factor], model: PairwiseModel, place: dict[int, int]) -> tuple[Scope, Doubles]:
    """Return the sum of factors that name a variable: its neighbours, and a table with axes (*neighbours, v)."""
    others = tuple(sorted({u for scope, _ in factors for u in scope} - {v}, key=place.__getitem__))
    shape = [int(model.label_counts[u]) for u in others]
    total = np.zeros((*shape, int(model.label_counts[v])))
    for scope, table in factors:
        total += _aligned(scope, table, (*others, v))
    return others, total


def _aligned(scope: Scope, table: Doubles, wanted: Scope) -> Doubles:
    """Return a table with the axes of more variables: of length 1 for those it does not name."""
    axes = [scope.index(v) for v in wanted if v in scope]
    sizes = [table.shape[scope.index(v)] if v in scope else 1 for v in wanted]
    return np.asarray(table.transpose(axes).reshape(sizes))


def _marginal(scope: Scope, joint: Doubles, wanted: Scope) -> Doubles:
    """Return the joint probabilities of some of the variables, in their order."""
    summed = joint.sum(axis=tuple(k for k, v in enumerate(scope) if v not in wanted))
    kept = [v for v in scope if v in wanted]
    return np.asarray(summed.transpose([kept.index(v) for v in wanted]))
