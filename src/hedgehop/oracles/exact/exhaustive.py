# SPDX-License-Identifier: BSD-3-Clause
"""Try every labeling: the reference for all tests, and the solver for any potential."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Ints, Labels
from hedgehop._errors import InfeasibleError
from hedgehop.models import Model, UnaryModel
from hedgehop.models.unary import most_labels
from hedgehop.oracles.base import Oracle, Step
from hedgehop.oracles.exactness import rounding
from hedgehop.oracles.folding import fold
from hedgehop.potentials import Linear, Potential

MOST_LABELINGS = 2**22
_LABELINGS_AT_ONCE = 2**14
_FIRST_COUNTED = 100  # variables: the others are counted only if these have few labelings


class Exhaustive(Oracle):
    """Lists all labelings (up to 2^22), vectorised; ties go to the lexicographically first.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> any_function = hh.potentials.Function(lambda y: float(y.sum() == 2))
    >>> hh.best(hh.Chain(np.zeros((3, 2)), np.eye(2)), any_function, oracle=hh.oracles.Exhaustive()).labeling
    array([0, 0, 0], dtype=int32)
    """

    name = "exhaustive"
    summary = "tries every labeling, up to 2^22 of them; exact for every model and every potential"

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse more than 2^22 labelings."""
        size = bits(model, potentials)
        most = np.log2(MOST_LABELINGS)
        return None if size <= most else f"about 10^{size * np.log10(2):.0f} labelings are more than 2^{most:.0f}"

    def maximize(self, model: Model, potentials: Sequence[Potential]) -> Step:
        """Evaluate everything and keep the best."""
        theta, constant, rest = fold(model, potentials)
        inexact = any(type(p).upper is not Potential.upper for p in rest)
        best_value, best, bound = -np.inf, None, -np.inf
        for chunk in labelings_of(allowed_labels(model, potentials)):
            base = np.atleast_1d(model.score(chunk)) + constant  # one row of a one-row grid is a labeling
            if theta is not None:
                base = base + theta[np.arange(chunk.shape[1]), chunk].sum(axis=1)
            values = base + _sum(p.values(model, chunk) for p in rest)
            tops = base + _sum(p.upper(model, chunk) for p in rest) if inexact else values
            bound = max(bound, float(tops.max()))
            tie = rounding(model, float(values.max()), rest)
            first = int(np.argmax(values >= values.max() - tie))
            if values[first] > best_value + (tie if best is not None else 0.0):
                best_value, best = float(values[first]), chunk[first].copy()
        if best is None:
            raise InfeasibleError("no labeling is allowed: every one has a score of -inf.")
        return self.step(model, best, potentials, max(bound, best_value))


def allowed_labels(model: Model, potentials: Sequence[Potential], first: int | None = None) -> NDArray[np.bool_]:
    """Which labels of each variable (of the first ones) neither the unaries nor a linear potential forbid, (n, L)."""
    width = most_labels(model)
    allowed = np.arange(width) < model.label_counts[:first, None]
    if isinstance(model, UnaryModel):
        allowed = allowed & ~np.isneginf(model.unary[:first])
    for potential in potentials:
        if isinstance(potential, Linear) and potential.may_forbid:
            allowed = allowed & ~np.isneginf(potential.theta[:first])
    return np.asarray(allowed)


def labelings_of(allowed: NDArray[np.bool_]) -> Iterator[Labels]:
    """All labelings of allowed labels, (n, L), in lexicographic order, a few thousand at a time."""
    choices = [np.flatnonzero(row).astype(np.int32) for row in allowed]
    sizes = np.array([c.size for c in choices], np.int64)
    places = np.concatenate([np.cumprod(sizes[::-1])[::-1][1:], [1]])
    total = int(prod(sizes.tolist()))
    for start in range(0, total, _LABELINGS_AT_ONCE):
        index = np.arange(start, min(start + _LABELINGS_AT_ONCE, total))
        columns = [c[index // place % c.size] for c, place in zip(choices, places, strict=True)]
        yield np.ascontiguousarray(np.stack(columns, axis=1))


def _sum(parts: Iterator[Doubles]) -> Doubles | float:
    return sum(parts, start=0.0)


def bits(model: Model, potentials: Sequence[Potential]) -> float:
    """Logarithm (base 2) of the number of allowed labelings, a little low: 2^22 must count as allowed.

    If there are very many variables, the first ones are enough.
    """
    total = 0.0
    for first in (_FIRST_COUNTED, None):
        choices = _choices(model, potentials, first)
        total = float(np.log2(np.maximum(choices, 1)).sum()) - 1e-9
        if total > np.log2(MOST_LABELINGS):
            return total * float(model.n_variables / choices.size)
    return total


def _choices(model: Model, potentials: Sequence[Potential], first: int | None) -> Ints:
    """How many labels are allowed of each variable (of the first ones)."""
    all_allowed = isinstance(model, UnaryModel) and model._extent[0] > -np.inf
    if all_allowed and not any(isinstance(p, Linear) and p.may_forbid for p in potentials):
        return model.label_counts[:first]
    return np.asarray(allowed_labels(model, potentials, first).sum(axis=1))
