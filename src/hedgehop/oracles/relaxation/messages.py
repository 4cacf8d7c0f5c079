# SPDX-License-Identifier: BSD-3-Clause
"""Loopy max-product with messages for Hamming distances: the paper's method for its balls, for comparison."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models import Model, PairwiseModel
from hedgehop.oracles.base import Oracle, Step
from hedgehop.oracles.exact.linear import refuse_infeasible
from hedgehop.oracles.folding import changed_unary, fold, not_finite_pairs, not_linear
from hedgehop.oracles.relaxation.bundle import Bundle
from hedgehop.oracles.relaxation.distance_terms import DistanceTerms, unfit
from hedgehop.oracles.relaxation.linear_steps import LinearStepsOracle, LinearStepsSolver
from hedgehop.potentials import Potential

_BOUND_STEPS = 3  # linear steps for the bound


class Messages(LinearStepsOracle):
    """Max-product in which every distance is a factor with O(n log n) messages (Tarlow et al. 2010).

    All messages are sent at once and damped; every labeling that the beliefs decode to is scored, and the best
    kept. Unions of balls pass messages as the paper's sum of overlaps and are scored as they are. On loopy
    graphs nothing is guaranteed: the bound is that of slopes, and "lagrangian" finds better labelings sooner.

    Parameters
    ----------
    iterations : int
        How often all messages are sent.
    damping : float
        Share of the old message in the new one, at least 0 and below 1.
    inner : Oracle, optional
        Which oracle solves the linear steps of the bound, and those without distances; by default the one that "auto"
        would choose.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> image = hh.Grid(np.random.default_rng(0).normal(size=(4, 4, 2)), smoothness=0.3)
    >>> oracle = hh.oracles.Messages(iterations=20)
    >>> found = hh.diverse(image, hh.HammingBall(gamma=0.2), m=2, tradeoff=9.0, oracle=oracle)
    >>> found.objective <= found.upper_bound
    True
    """

    name = "messages"
    summary = "loopy max-product with Hamming distances on pairwise models, as in the paper; with a bound"

    def __init__(self, iterations: int = 60, damping: float = 0.5, inner: Oracle | None = None) -> None:
        super().__init__(inner)
        self.iterations = _arrays.positive_count(iterations, "iterations")
        self.damping = _arrays.number(damping, "damping", low=0.0)
        if self.damping >= 1:
            raise ValueError(f"damping must be below 1; got {damping!r}.")

    def split(self, potentials: Sequence[Potential]) -> tuple[list[Potential], list[Potential]]:
        """Functions of distances, and the others."""
        distant = [p for p in potentials if p.relaxed_as == "distances"]
        return distant, [p for p in potentials if p.relaxed_as != "distances"]

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse cliques, forbidden pairs, unequal weights, and potentials that are neither distances nor linear."""
        distant, others = self.split(potentials)
        reasons = [
            not_finite_pairs(model),
            not_linear(model, others),
            *(unfit(model, p) for p in distant),
            *map(_uncountable, distant),
        ]
        if self.inner is not None:  # else "trws" at least can
            reasons.append(self.inner.refusal(model, others))
        return next((reason for reason in reasons if reason is not None), None)

    def on(self, model: Model) -> MessagesSolver:
        """Return a solver that keeps the solver of its bounds."""
        return MessagesSolver(self, model)


class MessagesSolver(LinearStepsSolver):
    """Keeps the solver of its bounds."""

    oracle: Messages

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Pass messages, score what they decode to, and bound by slopes."""
        model = self.model
        assert isinstance(model, PairwiseModel)
        distant, others = self.oracle.split(potentials)
        solve = self.linear_steps(others)
        if not distant:  # the first labeling of a list
            first = solve(np.zeros(model.unary.shape))
            return self.oracle.step(model, first.labeling, potentials, first.upper_bound)
        bundle = Bundle(model, others, distant, DistanceTerms(distant), solve)
        bundle.add(self._max_product(model, changed_unary(model, fold(model, others)[0]), bundle.terms))
        best = bundle.labelings[bundle.best]
        for _ in range(_BOUND_STEPS):
            bundle.call(bundle.bounding())
        return self.oracle.step(model, best, potentials, bundle.bound)

    def _max_product(self, model: PairwiseModel, unary: Doubles, terms: DistanceTerms) -> Labels:
        refuse_infeasible(float(unary.max(axis=1).min()))
        sweeps, damping, tables = self.oracle.iterations, self.oracle.damping, terms.tables()
        assert tables is not None  # see `_uncountable`
        return _core.local.max_product(unary, model.pairs, terms.references, tables, sweeps, damping)


def _uncountable(potential: Potential) -> str | None:
    distances = potential.distances()
    if distances is None or distances.weights is not None:
        return "all variables must count alike in a distance"
    return None if np.isfinite(distances.function.values).all() else "it cannot forbid counts"
