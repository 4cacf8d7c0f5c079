# SPDX-License-Identifier: BSD-3-Clause
"""What automata and grammars share: dynamic programming finds the best labeling, whatever is added to its labels."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Labels, own
from hedgehop._errors import InfeasibleError
from hedgehop.models.unary import UnaryModel


class ChartedModel(UnaryModel):
    """A model whose labelings are put together from scored parts: arcs of an automaton, rules of a grammar."""

    @property
    @abstractmethod
    def chart(self) -> _core.grammars.Lattice | _core.grammars.Chart:
        """The kernel that knows the parts."""

    def _set_unary(self, unary: Doubles, nothing: str) -> None:
        """Keep the scores of single labels; labels that no labeling has are forbidden."""
        reached = self.chart.max_marginals(np.ascontiguousarray(unary))
        if np.isneginf(reached).all():
            raise InfeasibleError(nothing)
        counts: Labels = own(np.full(len(unary), unary.shape[1], np.int32))
        allowed = own(np.where(np.isneginf(reached), -np.inf, unary))
        self._set(unary=allowed, label_counts=counts, shape=(len(unary),))

    def _joint_score(self, flat: Labels) -> Doubles:
        return self.chart.scores(np.ascontiguousarray(flat, np.int32))


def triples(values: ArrayLike, name: str, meaning: str) -> Labels:
    """Check an (E, 3) array of whole numbers."""
    given = _arrays.integers(values, name)
    if given.size == 0:
        given = given.reshape(0, 3)
    if given.ndim != 2 or given.shape[1] != 3:
        raise ValueError(f"{name} must have shape (number, 3), {meaning}; got shape {given.shape}.")
    if given.size and (given.max() >= 2**31 - 1 or given.min() < -1):
        raise ValueError(f"{name} must hold numbers from -1 to 2^31 - 2; got {given.min()} to {given.max()}.")
    return own(np.ascontiguousarray(given, np.int32))


def one_score_each(scores: ArrayLike, count: int, what: str) -> Doubles:
    """Check scores, one of each; -inf forbids it."""
    given = _arrays.scores(scores, "scores", ndim=1)
    if given.size != count:
        raise ValueError(f"scores must have one entry per {what} ({count}); got {given.size}.")
    return own(np.ascontiguousarray(given, np.float64))


def names_of(symbols: Any, least: int) -> tuple[str, ...]:
    """Check names of symbols; numbers by default."""
    if symbols is None:
        return tuple(map(str, range(least)))
    names = tuple(_arrays.several(symbols, "symbols", "names"))
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise TypeError(f"symbols must be strings; got {wrong[0]!r}.")
    if len(names) < least or len(set(names)) < len(names):
        raise ValueError(f"symbols must hold at least {least} different names; got {len(set(names))}.")
    return names
