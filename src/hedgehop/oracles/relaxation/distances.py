# SPDX-License-Identifier: BSD-3-Clause
"""Hamming balls and minimum distances at any size: slopes for distances make steps linear (docs/theory.md 6)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgehop._arrays import Labels
from hedgehop.models import LinearModel, Model
from hedgehop.models.structures.charted import ChartedModel
from hedgehop.models.unary import UnaryModel
from hedgehop.oracles.effort import effort
from hedgehop.oracles.relaxation.bundle import Bundle
from hedgehop.oracles.relaxation.exclusion import Exclusion
from hedgehop.oracles.relaxation.local_search import LocalSearch
from hedgehop.potentials import Linear, Potential

_LIMIT_CALLS = 4  # linear steps if labelings have to be different, and that is all
_ASCENT_ROUNDS = 4
_LOSS_SHARE = 0.005  # of what keeping limits costs: a gap at which to stop
_EXCLUSIONS = 40  # labels that are forbidden one by one, where variables change together
_SPARED = 2  # calls left for climbing if that needs them
_MESSAGE_VARIABLES = 600  # variables up to which messages for distances pay: few labelings lie on the slopes' hull
_MESSAGE_SWEEPS = 60  # of these messages
_WIDE_GAP_RATIO = 20  # gap, against the one at which to stop, from which they are worth it


class DistanceSearch:
    """One step: alternating calls that lower the bound and that follow the exact gain, then local."""

    def __init__(self, bundle: Bundle, local: LocalSearch) -> None:
        self.bundle, self.local = bundle, local
        model = bundle.model
        bundle.add(_possible(model, bundle.terms.references))
        if not bundle.labelings:
            bundle.take(bundle.solve(np.zeros((model.n_variables, int(model.label_counts.max())))))
        bundle.refuse_empty()

    def run(self, most: int, tolerance: float) -> float:
        """Fill the bundle in about so many calls, and return its bound."""
        bundle, local = self.bundle, self.local
        local.reach(bundle.labelings[int(np.argmax(bundle.scores))])
        close = tolerance * sum(p.span() for p in bundle.relaxed if np.isfinite(p.span()))
        close = max(close, effort().gap(bundle.model, bundle.relaxed, bundle.value))
        calls = min(most, _LIMIT_CALLS) if bundle.terms.only_limits == 1 else most
        if bundle.terms.limits and local.moves is None:  # nothing mends what is too close: the slope must be found
            calls = 2 * most
        spared = _SPARED if local.expander is None and calls > 2 * _SPARED else 0
        self._alternate(close, calls - spared)
        if effort().seconds == 0:
            return bundle.bound
        if bundle.terms.limits and isinstance(bundle.model, (LinearModel, ChartedModel)):
            Exclusion(bundle).search(_EXCLUSIONS, close)
        if bundle.gap > _WIDE_GAP_RATIO * close and bundle.model.n_variables <= _MESSAGE_VARIABLES:
            local.pass_messages(_MESSAGE_SWEEPS)
        local.climb(_ASCENT_ROUNDS, lambda: bundle.gap <= close or bundle.calls >= calls)
        if bundle.terms.limits and bundle.gap > close and bundle.model.n_variables <= _MESSAGE_VARIABLES:
            local.explore()
        return bundle.bound

    def _alternate(self, close: float, calls: int) -> None:
        bundle, local = self.bundle, self.local
        gaps: list[float] = []
        for call in range(calls):
            bounding = call % 2 == 0 or not bundle.terms.has_unions
            surrogate = bundle.bounding() if bounding else bundle.steering(bundle.best)
            labeling = bundle.call(surrogate)
            local.reach(labeling)
            local.recombine(surrogate, labeling)
            local.polish()
            gaps.append(bundle.gap)
            if effort().seconds == 0:
                break
            stalled = call >= 5 and gaps[-5] - gaps[-1] < 0.03 * gaps[-1]
            if gaps[-1] <= max(close, _LOSS_SHARE * bundle.loss) or stalled:
                break


def steepness(model: Model, potentials: Sequence[Potential]) -> float:
    """Return more than any single change can gain, as a rule."""
    spread = model.spread + float(np.max(model.ranges)) if isinstance(model, UnaryModel) else 0.0
    thetas = [p.theta[np.isfinite(p.theta)] for p in potentials if isinstance(p, Linear)]
    spans = [s for p in potentials if np.isfinite(s := p.span())]
    return float(spread + sum(spans) + sum(np.abs(theta).sum() for theta in thetas)) or 1.0


def _possible(model: Model, rows: Labels) -> Labels:
    """Those of (m, n) rows that are labelings of the model."""
    return np.ascontiguousarray(rows[((rows >= 0) & (rows < model.label_counts)).all(axis=1)])
