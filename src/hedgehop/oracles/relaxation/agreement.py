# SPDX-License-Identifier: BSD-3-Clause
"""Best agreement with samples, at any size: a convex gain, so that linearising it is ascent (docs/theory.md 9)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.base import Model
from hedgehop.models.unary import UnaryModel
from hedgehop.oracles.base import Oracle, Step
from hedgehop.oracles.folding import changed_unary, fold
from hedgehop.oracles.relaxation.nested import Met, Nested, NestedSolver, Solve
from hedgehop.oracles.relaxation.terms import DISTANCES, unfit
from hedgehop.potentials import AgreementGains, Potential

_KEPT = 20  # labelings carried to the next step


class Agreement(Nested):
    """Ascent: one linear step with the samples that the labeling at hand already serves better, again and again.

    ``max(0, a - b)`` is convex in the agreement a, so that counting only the samples with a > b, but these without
    the maximum, is nowhere above the gain and equal to it at the labeling at hand: no round loses. The chord of
    each sample's gain over the agreements that can occur is nowhere below: one more linear step gives a bound.

    Parameters
    ----------
    starts : int
        From how many labelings to climb: the best of the samples, of those met in earlier steps, and of the chords'.
    rounds : int
        Linear steps a climb may take.
    inner : Oracle, optional
        Who solves the linear steps, and those with further potentials; if none is given, the one that "auto" would
        choose.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> image = hh.Grid(np.random.default_rng(0).normal(size=(8, 8, 2)), smoothness=0.3)
    >>> likely = hh.ExpectedBest(hh.samples(image, 20, label=1.0))
    >>> found = hh.diverse(image, likely, m=3, tradeoff=99.0, oracle=hh.oracles.Agreement(starts=4))
    >>> found.objective <= found.upper_bound
    True
    """

    name = "agreement"
    summary = "best agreement with samples on any model that has a linear oracle; ascent, with a bound by chords"
    outer = (AgreementGains,)

    def __init__(self, starts: int = 8, rounds: int = 10, inner: Oracle | None = None) -> None:
        super().__init__(inner)
        self.starts = _arrays.positive_count(starts, "starts")
        self.rounds = _arrays.positive_count(rounds, "rounds")

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse where there are no samples, and what the linear oracle refuses."""
        gains, others = self.split(potentials)
        if not gains:
            return "no potential depends on samples; a linear oracle does better"
        if any(gain.scale < 0 for gain in gains):
            return "agreement must be rewarded, not punished"
        reasons = [reason for p in others if isinstance(p, DISTANCES) and (reason := unfit(p)) is not None]
        return reasons[0] if reasons else self.inner_refusal(model, others)

    def on(self, model: Model) -> AgreementSolver:
        """Return a solver that keeps labelings met."""
        return AgreementSolver(self, model)


class AgreementSolver(NestedSolver):
    """Keeps labelings met."""

    oracle: Agreement

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Bound by chords, then climb from the best labelings known."""
        gains, others = self.oracle.split(potentials)
        _, solve = self.linear_steps(others)
        climb = _Climb(self.model, potentials, gains, solve)
        bound = climb.bound_by_chords(others)
        climb.add(() if self._kept is None else self._kept)
        for gain in gains:
            climb.add(gain.samples)
        for y in climb.best(2 * self.oracle.starts):
            if climb.climbs == self.oracle.starts or max(climb.values) >= bound:
                break
            climb.ascend(y, self.oracle.rounds)
        self._kept = np.array(climb.best(_KEPT))
        return self.oracle.step(self.model, climb.best(1)[0], potentials, bound)


class _Climb(Met):
    """Labelings met in one step, and the sets of samples tried."""

    def __init__(
        self, model: Model, potentials: Sequence[Potential], gains: Sequence[AgreementGains], solve: Solve
    ) -> None:
        super().__init__(model, potentials, solve)
        self.gains = gains
        self.climbs = 0
        self._tried: set[bytes] = set()

    def bound_by_chords(self, others: Sequence[Potential]) -> float:
        """Maximise the chords, which lie above the gains; keep the labeling."""
        theta, constant = self.none(), 0.0
        for gain in self.gains:
            slopes, offset = chords(gain, *reachable(self.model, others, gain))
            theta += gain.linear(self.model, slopes)
            constant += offset
        return constant + self.solved(theta).upper_bound

    def ascend(self, labeling: Labels, rounds: int) -> None:
        """Maximise the minorant at a labeling, then at the one found, until no new set of samples is served."""
        for k in range(rounds):
            served = [gain.excess(labeling[None])[0] > 0 for gain in self.gains]
            pattern = np.concatenate(served).tobytes()
            if pattern in self._tried:
                return
            self._tried.add(pattern)
            self.climbs += k == 0
            labeling = self.solved(self._minorant(served)).labeling.reshape(-1)

    def _minorant(self, served: Sequence[NDArray[np.bool_]]) -> Doubles:
        theta = self.none()
        for gain, who in zip(self.gains, served, strict=True):
            theta += gain.linear(self.model, who.astype(np.float64))
        return theta


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
