# SPDX-License-Identifier: BSD-3-Clause
"""Sums of diversities: the paper's circled plus."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels
from hedgehop._frozen import Frozen
from hedgehop.diversity.base import Diversity
from hedgehop.diversity.lines import GroupLines
from hedgehop.models.base import Model
from hedgehop.potentials import Potential
from hedgehop.potentials.list_weights import ListWeights


class WeightedSum(Frozen, Diversity):
    """``0.5 * a + b``: the potentials of all terms in one step. Made by ``+`` and ``*``.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> both = 0.5 * hh.VariableCoverage(h="count") + hh.LinearHamming()
    >>> both.value(hh.FactorGraph(np.zeros((3, 2))), [[0, 0, 0], [0, 1, 1]])
    4.5
    """

    terms: tuple[tuple[float, Diversity], ...]

    def __init__(self, terms: Sequence[tuple[float, Diversity]]) -> None:
        flat: list[tuple[float, Diversity]] = []
        for factor, term in terms:
            if not isinstance(term, Diversity):
                raise TypeError(f"only diversities can be added; got {term!r}.")
            scale = _arrays.number(factor, "a diversity's coefficient", low=0.0)
            inner = term.terms if isinstance(term, WeightedSum) else ((1.0, term),)
            flat += [(scale * f, t) for f, t in inner]
        self._set(terms=tuple(flat))

    @property
    def submodular(self) -> bool:  # type: ignore[override]
        return all(t.submodular for f, t in self.terms if f > 0)

    @property
    def distinct(self) -> bool:  # type: ignore[override]
        """Whether some term wants lists without repetitions."""
        return any(t.distinct for _, t in self.terms)

    @property
    def sums_variables(self) -> bool:  # type: ignore[override]
        """Whether some term grows with the number of variables."""
        return any(t.sums_variables for f, t in self.terms if f > 0)

    def check(self, model: Model) -> None:
        for _, term in self.terms:
            term.check(model)

    def value(self, model: Model, labelings: ArrayLike) -> float:
        return float(sum(f * t.value(model, labelings) for f, t in self.terms))

    def coverage(self, model: Model, labelings: ArrayLike) -> float:
        return float(sum(f * t.coverage(model, labelings) for f, t in self.terms))

    def coverages(self, model: Model, labelings: ArrayLike) -> Doubles:
        return np.asarray(np.sum([f * t.coverages(model, labelings) for f, t in self.terms], axis=0))

    def parsimony_of(self, model: Model, labelings: ArrayLike) -> Doubles:
        return np.asarray(np.sum([f * t.parsimony_of(model, labelings) for f, t in self.terms], axis=0))

    def parsimony_potentials(self, model: Model) -> list[Potential]:
        return [p.scaled(f) for f, t in self.terms if f > 0 for p in t.parsimony_potentials(model)]

    def parsimony_floor(self, model: Model) -> float:
        return float(sum(f * t.parsimony_floor(model) for f, t in self.terms if f > 0))

    def potentials(self, model: Model, chosen: ArrayLike = ()) -> list[Potential]:
        return [p.scaled(f) for f, t in self.terms if f > 0 for p in t.potentials(model, chosen)]

    def bounding(self, model: Model, chosen: ArrayLike = ()) -> list[Potential]:
        return [p.scaled(f) for f, t in self.terms if f > 0 for p in t.bounding(model, chosen)]

    @property
    def steers_exactly(self) -> bool:
        return all(t.steers_exactly for f, t in self.terms if f > 0)

    def offset(self, model: Model, chosen: ArrayLike, m: int) -> float:
        return float(sum(f * t.offset(model, chosen, m) for f, t in self.terms if f > 0))

    def offsets(self, model: Model, labelings: ArrayLike, m: int) -> Doubles:
        nothing = np.zeros(len(self._rows(model, labelings)) + 1)
        return sum((f * t.offsets(model, labelings, m) for f, t in self.terms if f > 0), start=nothing)

    def joint_slopes(self, model: Model, m: int) -> Doubles | None:
        """Weighted sum of the terms' slopes, if all have them."""
        slopes = [t.joint_slopes(model, m) for f, t in self.terms if f > 0]
        factors = [f for f, _ in self.terms if f > 0]
        known = [s for s in slopes if s is not None]
        if len(known) < len(slopes) or not known:
            return None
        return np.asarray(np.sum([f * s for f, s in zip(factors, known, strict=True)], axis=0))

    def lines(self, model: Model, m: int) -> list[tuple[float, GroupLines]] | None:
        """All terms' families, if all have them."""
        return self._families([term.lines(model, m) for factor, term in self.terms if factor > 0])

    def list_weights(self, model: Model, m: int) -> ListWeights | None:
        """Sum of the terms' weights, if all have them."""
        total: ListWeights | None = None
        for factor, term in self.terms:
            weights = term.list_weights(model, m)
            if weights is None:
                return None
            total = factor * weights if total is None else total + factor * weights
        return total

    def relaxed_lines(self, model: Model, m: int) -> list[tuple[float, GroupLines]] | None:
        """Those of the terms that have them, with the families of all others."""
        relaxed = [term.relaxed_lines(model, m) for factor, term in self.terms if factor > 0]
        if all(inner is None for inner in relaxed):
            return None
        terms = [term for factor, term in self.terms if factor > 0]
        return self._families([r or term.lines(model, m) for r, term in zip(relaxed, terms, strict=True)])

    def _families(self, terms: list[list[tuple[float, GroupLines]] | None]) -> list[tuple[float, GroupLines]] | None:
        """Put the families of all terms that count together, if all have them."""
        factors, families = [factor for factor, _ in self.terms if factor > 0], []
        for factor, inner in zip(factors, terms, strict=True):
            if inner is None:
                return None
            families += [(factor * scale, lines) for scale, lines in inner]
        return families or None

    def _gains(self, model: Model, flat: Labels, chosen: Labels) -> Doubles:
        return np.asarray(np.sum([f * t._gains(model, flat, chosen) for f, t in self.terms], axis=0))

    def __repr__(self) -> str:
        return " + ".join(repr(t) if f == 1.0 else f"{f:g} * {t!r}" for f, t in self.terms)
