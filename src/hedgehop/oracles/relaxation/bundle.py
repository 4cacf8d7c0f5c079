# SPDX-License-Identifier: BSD-3-Clause
"""The labelings a step has found, and the least bound that slopes for their distances give (docs/theory.md 6).

For slopes s and concave f_j with supporting lines ``f_j(d) <= c_j + s_j d``,
``max_y r(y) + sum_j f_j(d_j(y)) <= sum_j c_j + max_y [r(y) + sum_j s_j d_j(y)]``, and the last
maximum is a linear step. The slopes to try next are those at the mean distances of the best mixture of the
labelings found so far.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.base import Model
from hedgehop.models.unary import UnaryModel, most_labels
from hedgehop.oracles.base import Step
from hedgehop.oracles.pool import Pool
from hedgehop.oracles.relaxation.distance_terms import DistanceTerms, Surrogate
from hedgehop.oracles.relaxation.linear_steps import SolveLinear
from hedgehop.potentials import Potential


class Bundle(Pool):
    """Labelings found so far, with their distances.

    Attributes
    ----------
    bound : float
        No labeling's value is above.
    """

    def __init__(
        self,
        model: Model,
        others: Sequence[Potential],
        relaxed: Sequence[Potential],
        terms: DistanceTerms,
        solve: SolveLinear,
    ) -> None:
        super().__init__(model, others, relaxed)
        self.terms, self.solve = terms, solve
        self.distances = np.zeros((0, len(terms.functions)))
        self.mixed = np.zeros(0)
        self.bound = np.inf
        self._steering: dict[int, Surrogate] = {}
        self.calls = 0
        self._centre = np.zeros(len(terms.functions))  # slopes of the best bound

    @property
    def gap(self) -> float:
        """How much better than the best labeling found another one might be."""
        return self.bound - self.value

    @property
    def loss(self) -> float:
        """How much the best labeling gave up of the scores; inf if none found keeps the limits."""
        best = self.best
        return max(self.scores) - self.scores[best] if self.values[best] > -np.inf else np.inf

    def add(self, rows: Labels | Sequence[Labels], relevance: Doubles | None = None) -> Labels:
        added = super().add(rows, relevance)
        if len(added):
            self.distances = np.concatenate([self.distances, self.terms.core.distances(added)])
        return added

    def steering(self, k: int) -> Surrogate:
        """The surrogate that is close to the potentials near a labeling found."""
        if k not in self._steering:
            self._steering[k] = self.terms.steering(self.labelings[k], self.distances[k])
        return self._steering[k]

    def bounding(self) -> Surrogate:
        """The surrogate whose bound is low at all labelings found."""
        return self.terms.bounding(np.array(self.scores), self.distances)

    def call(self, surrogate: Surrogate) -> Labels:
        """Try the slopes that the labelings found suggest: one more labeling, and a bound."""
        self.terms.lay_limits(self._centre, self.loss, self._slope)
        slopes, constant = self.terms.lines(surrogate, self._mix(surrogate) @ self.distances)
        step = self.asked(self.terms.core.linear(slopes, most_labels(self.model)))
        bound = surrogate.constant + constant + step.upper_bound
        if bound < self.bound:
            self.bound, self._centre = bound, slopes
        return self.take(step)

    def sloped(self) -> Doubles:
        """Scores of labels with the slopes of the best bound, (n, L)."""
        return self.terms.core.linear(self._centre, most_labels(self.model))

    def asked(self, theta: Doubles) -> Step:
        """One linear step more."""
        self.calls += 1
        return self.solve(theta)

    @property
    def _slope(self) -> float:
        """A slope that changes many variables, and more so after calls that have not reached the limits."""
        spread = self.model.spread if isinstance(self.model, UnaryModel) else float(np.ptp(self.scores))
        return float(2.0**self.calls * (spread or 1.0) / self.model.n_variables)

    def _mix(self, surrogate: Surrogate) -> Doubles:
        """Best mixture of the labelings found; `mixed` keeps it."""
        scores = np.array(self.scores)
        worth = scores + self.terms.values(self.distances) @ surrogate.weights
        start = np.zeros(scores.size)
        start[np.argmax(worth)] = 1.0
        terms, coupling = self.terms, surrogate.coupling
        secants = [f.secants for f in terms.functions]
        rates = terms.rates[: len(coupling)]
        tolerance = 1e-9 * float(np.ptp(scores) + np.ptp(worth))
        self.mixed = _core.counts.mixture(
            scores, self.distances, secants, terms.units, surrogate.weights, coupling, rates, start, tolerance=tolerance
        )
        return self.mixed
