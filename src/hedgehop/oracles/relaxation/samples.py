# SPDX-License-Identifier: BSD-3-Clause
"""Best agreement with samples, at any size: a convex gain, so that linearising it is ascent (docs/theory.md 9).

``max(0, a - b)`` is convex in the agreement a, so that counting only the samples with a > b, but these without the
maximum, is nowhere above the gain and equal to it at the labeling at hand: no round loses. The chord of each sample's
gain over the agreements that can occur is nowhere below: one more linear step gives a bound.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop.models.base import Model
from hedgehop.models.unary import UnaryModel
from hedgehop.oracles.folding import changed_unary, fold
from hedgehop.oracles.relaxation.linear_steps import Solve
from hedgehop.oracles.relaxation.pool import Pool
from hedgehop.potentials import AgreementGains, Potential

_CLIMB_ROUNDS = 10


def unfit(potential: Potential) -> str | None:
    """Return why a potential has no chords; None if it has."""
    if not isinstance(potential, AgreementGains):
        return f"{type(potential).__name__} does not say with which samples it agrees"
    return None if potential.scale >= 0 else "agreement must be rewarded, not punished"


class SampleSearch:
    """One step: a bound by chords, then climbs from the best labelings known."""

    def __init__(self, pool: Pool, gains: Sequence[AgreementGains], solve: Solve) -> None:
        self.pool, self.gains, self.solve = pool, gains, solve
        self._climbs = 0
        self._tried: set[bytes] = set()

    def run(self, starts: int) -> float:
        """Fill the pool, and return a bound."""
        bound = self._bound_by_chords()
        for gain in self.gains:
            self.pool.add(gain.samples)
        for labeling in self.pool.top(2 * starts):
            if self._climbs == starts or self.pool.value >= bound:
                break
            self._climb(labeling)
        return bound

    def _bound_by_chords(self) -> float:
        """Maximise the chords, which lie above the gains; keep the labeling."""
        model = self.pool.model
        theta, constant = np.zeros((model.n_variables, int(model.label_counts.max()))), 0.0
        for gain in self.gains:
            slopes, offset = chords(gain, *reachable(model, self.pool.others, gain))
            theta += gain.linear(model, slopes)
            constant += offset
        step = self.solve(theta)
        self.pool.add(step.labeling.reshape(1, -1))
        return constant + step.upper_bound

    def _climb(self, labeling: Labels) -> None:
        """Maximise the minorant at a labeling, then at the one found, until no new set of samples is served."""
        for k in range(_CLIMB_ROUNDS):
            served = [gain.excess(labeling[None])[0] > 0 for gain in self.gains]
            pattern = np.concatenate(served).tobytes()
            if pattern in self._tried:
                return
            self._tried.add(pattern)
            self._climbs += k == 0
            pairs = zip(self.gains, served, strict=True)
            below = np.sum([gain.linear(self.pool.model, who.astype(np.float64)) for gain, who in pairs], axis=0)
            labeling = np.ascontiguousarray(self.solve(below).labeling.reshape(-1), np.int32)
            self.pool.add(labeling[None])


def reachable(model: Model, others: Sequence[Potential], gain: AgreementGains) -> tuple[Doubles, Doubles]:
    """Least and largest agreement with each sample that forbidden labels leave possible."""
    everywhere = np.ones(len(gain.samples))
    if not isinstance(model, UnaryModel):
        return 0.0 * everywhere, everywhere
    allowed = np.isfinite(changed_unary(model, fold(model, others)[0]))
    matching = np.take_along_axis(allowed, gain.samples.T, axis=1)  # (n, K): the sample's label is allowed
    forced = matching & (allowed.sum(axis=1) == 1)[:, None]
    shares = gain.weights / gain.weights.sum()
    return shares @ forced, shares @ matching


def chords(gain: AgreementGains, low: Doubles, high: Doubles) -> tuple[Doubles, float]:
    """Slopes and total offset of the lines through the ends of ``max(0, a - best)`` on [low, high]."""
    start, end = np.maximum(0.0, low - gain.best), np.maximum(0.0, high - gain.best)
    width = high - low
    slopes = np.where(width > 1e-12, (end - start) / np.where(width > 1e-12, width, 1.0), 0.0)
    return slopes, gain.scale * float((end - slopes * high).mean())
