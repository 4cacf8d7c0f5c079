# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the distances to several labelings on short chains: dynamic programming over counts (docs/theory.md 6).

The best score of the first t variables is kept for every last label and every vector of counts, O(n^(J + 1) L^2) for J
earlier labelings: exact for functions of any shape, limits included.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop.models import Chain, Model
from hedgehop.oracles.exact.linear import LinearOracle
from hedgehop.oracles.folding import kinds, nonlinear
from hedgehop.oracles.pairwise.kernels import pair_tables
from hedgehop.potentials import Potential
from hedgehop.potentials.distances import whole_distance

_MOST_COUNT_CELLS = 2**22  # of the tables of all variables together
Count = tuple[Labels, Doubles, Doubles]  # reference, weights and table


class ChainCounts(LinearOracle[Chain]):
    """Max-sum on short chains with a table over all counts at once.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> chain = hh.Chain(emissions=np.zeros((4, 2)), transitions=np.eye(2))
    >>> oracle = hh.oracles.ChainCounts()
    >>> found = hh.diverse(chain, hh.VariableCoverage(), m=3, tradeoff=0.1, min_distance=2, oracle=oracle)
    >>> int(found.distances[0, 1:].min())
    2
    """

    name = "chain"
    summary = "max-sum on short chains with functions of several distances, of any shape; exact"
    structure = Chain

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse other models, other potentials than counts and linear ones, and tables that do not fit."""
        if not isinstance(model, Chain):
            return self._other(model)
        rest = nonlinear(potentials)
        counts = _counts(rest)
        if counts is None:
            return f"it handles linear potentials and functions of whole distances only, not {kinds(rest)}"
        cells = model.unary.size * prod(table.size for _, _, table in counts)
        return None if cells <= _MOST_COUNT_CELLS else f"{cells} cells of counts are more than {_MOST_COUNT_CELLS}"

    def _argmax(self, model: Chain, scores: Doubles, rest: Sequence[Potential]) -> tuple[Labels, float]:
        return _best(scores, pair_tables(model), _counts(rest) or [])


def _counts(potentials: Sequence[Potential]) -> list[Count] | None:
    """Potentials by the distance they are functions of; None if one is no such function."""
    groups: dict[tuple[bytes, bytes], Count] = {}
    for p in potentials:
        count = whole_distance(p)
        if count is None:
            return None
        reference, weights, table = count
        key = reference.tobytes(), weights.tobytes()
        groups[key] = reference, weights, table + (groups[key][2] if key in groups else 0.0)
    return list(groups.values())


def _best(unary: Doubles, steps: Doubles, counts: list[Count]) -> tuple[Labels, float]:
    """Return the best labeling and its value."""
    labels, sizes = unary.shape[1], tuple(table.size for _, _, table in counts)
    value = np.full((labels, *sizes), -np.inf)
    for label in range(labels):
        first = (label, *_moved(counts, 0, label))
        value[first] = unary[0, label]
    came = []  # the best label before, by label and counts before the step
    for t in range(1, len(unary)):
        after, before = np.full_like(value, -np.inf), np.zeros(value.shape, np.int32)
        for label in range(labels):
            joined = value + steps[t - 1, :, label].reshape(-1, *[1] * len(sizes))
            before[label] = joined.argmax(axis=0)
            to, of = _shift(_moved(counts, t, label))
            here: tuple[int | slice, ...] = (label, *to)
            after[here] = joined.max(axis=0)[of] + unary[t, label]
        value = after
        came.append(before)
    for axis, (_, _, table) in enumerate(counts):
        value = value + table.reshape([-1 if axis == k else 1 for k in range(-1, len(sizes))])
    return _traced(value, came, counts)


def _traced(value: Doubles, came: list[Labels], counts: list[Count]) -> tuple[Labels, float]:
    """Follow the best choices back from the end."""
    label, *state = (int(k) for k in np.unravel_index(int(value.argmax()), value.shape))
    best, labeling = float(value.max()), np.zeros(len(came) + 1, np.int32)
    for t in range(len(came), 0, -1):
        labeling[t] = label
        state = [k - step for k, step in zip(state, _moved(counts, t, label), strict=True)]
        here = (label, *state)
        label = int(came[t - 1][here]) if best > -np.inf else 0
    labeling[0] = label
    return labeling, best


def _moved(counts: list[Count], t: int, label: int) -> tuple[int, ...]:
    """By how much each count grows where variable t takes a label."""
    return tuple(int(weights[t]) if label != reference[t] else 0 for reference, weights, _ in counts)


def _shift(steps: tuple[int, ...]) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Where counts go, and where they come from; none goes beyond its table, which holds the sum of all weights."""
    return tuple(slice(k, None) for k in steps), tuple(slice(None, -k or None) for k in steps)
