# SPDX-License-Identifier: BSD-3-Clause
"""Hamming balls at any size: slopes for the distances turn the step into linear ones (docs/theory.md 6)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Labels
from hedgehop._errors import InfeasibleError
from hedgehop.models.base import Model
from hedgehop.models.unary import UnaryModel
from hedgehop.oracles.base import Oracle, Step
from hedgehop.oracles.relaxation.ascent import Ascent, expander_of, moves_of
from hedgehop.oracles.relaxation.bundle import Bundle
from hedgehop.oracles.relaxation.nested import Nested, NestedSolver
from hedgehop.oracles.relaxation.terms import DISTANCES, Terms, unfit
from hedgehop.potentials import Linear, Potential

_KEPT = 40  # labelings carried to the next step
_LIMIT_CALLS = 4  # linear steps where labelings have to be different, and that is all
_CLIMBS = 4
_SHARE = 0.005  # of what keeping limits costs: a gap at which to stop
_SPARED = 2  # calls left for climbing where that needs them
_FEW = 600  # variables up to which messages for distances pay: few labelings lie on the slopes' hull
_SWEEPS = 60  # of these messages
_WIDE = 20  # gap, against the one at which to stop, from which they are worth it


class Slopes(Nested):
    """Bound by slopes, one linear step each; then ascent from the labelings met.

    Parameters
    ----------
    calls : int
        How many linear steps to take at most; as a rule half of them steer by the exact gain. Fewer where potentials
        only keep a distance.
    tolerance : float
        Gap, as a share of what the potentials can add, at which to stop.
    inner : Oracle, optional
        Who solves the linear steps, and those with further potentials that are no distances; if none is given, the
        one that "auto" would choose.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> image = hh.Grid(np.random.default_rng(0).normal(size=(8, 8, 2)), smoothness=0.3)
    >>> found = hh.diverse(image, hh.HammingBall(gamma=0.1), m=3, tradeoff=9.0, oracle=hh.oracles.Slopes(calls=20))
    >>> found.objective <= found.upper_bound
    True
    """

    name = "slopes"
    summary = "potentials of Hamming distances on any model that has a linear oracle; ascent, with a bound by slopes"
    outer = DISTANCES

    def __init__(self, calls: int = 10, tolerance: float = 5e-4, inner: Oracle | None = None) -> None:
        super().__init__(inner)
        self.calls = _arrays.positive_count(calls, "calls")
        self.tolerance = _arrays.number(tolerance, "tolerance", low=0.0)

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse where nothing depends on distances, and what the linear oracle refuses."""
        distant, others = self.split(potentials)
        if not distant:
            return "no potential depends on the distance to a labeling; a linear oracle does better"
        reasons = [reason for reason in map(unfit, distant) if reason is not None]
        return reasons[0] if reasons else self.inner_refusal(model, others)

    def on(self, model: Model) -> SlopesSolver:
        """Return a solver that keeps labelings met."""
        return SlopesSolver(self, model)


class SlopesSolver(NestedSolver):
    """Keeps labelings met with their relevance, and the kernels of local searches."""

    oracle: Slopes
    _relevance: Doubles | None = None

    @cached_property
    def _moves(self) -> _core.DistanceMoves | None:
        return moves_of(self.model)

    @cached_property
    def _expander(self) -> _core.Moves | None:
        return expander_of(self.model)

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Alternate bounding and steering calls, then climb."""
        model, oracle = self.model, self.oracle
        distant, others = oracle.split(potentials)
        bundle = self._bundle(others, distant)
        ascent = Ascent(bundle, self._moves, self._expander)
        ascent.reach(bundle.labelings[int(np.argmax(bundle.scores))])
        close = oracle.tolerance * sum(p.span() for p in distant if np.isfinite(p.span()))
        calls = min(oracle.calls, _LIMIT_CALLS) if bundle.terms.only_limits == 1 else oracle.calls
        if bundle.terms.limits and ascent.moves is None:  # nothing mends what is too close: the slope must be found
            calls = 2 * oracle.calls
        spared = _SPARED if ascent.expander is None and calls > 2 * _SPARED else 0
        self._search(bundle, ascent, close, calls - spared)
        if bundle.gap > _WIDE * close and model.n_variables <= _FEW:
            ascent.pass_messages(_SWEEPS)
        for _ in range(_CLIMBS):
            if bundle.gap <= close or bundle.calls >= calls or not ascent.climb():
                break
        self._keep(bundle)
        return oracle.step(model, bundle.labelings[bundle.best], potentials, bundle.bound)

    def _search(self, bundle: Bundle, ascent: Ascent, close: float, calls: int) -> None:
        gaps: list[float] = []
        for call in range(calls):
            bounding = call % 2 == 0 or not bundle.terms.has_unions
            view = bundle.bounding() if bounding else bundle.steering(bundle.best)
            labeling = bundle.call(view)
            ascent.reach(labeling)
            ascent.recombine(view, labeling)
            ascent.polish()
            gaps.append(bundle.gap)
            if gaps[-1] <= max(close, _SHARE * bundle.loss) or (call >= 5 and gaps[-5] - gaps[-1] < 0.03 * gaps[-1]):
                break

    def _bundle(self, others: list[Potential], distant: list[Any]) -> Bundle:
        model = self.model
        terms = Terms(distant, _steep(model, [*others, *distant]))
        inner, solve = self.linear_steps(others, quick=terms.only_limits > 0)
        bundle = Bundle(model, others, distant, terms, solve)
        if self._kept is not None:
            bundle.add(self._kept, self._relevance)
        bundle.add(_possible(model, bundle.terms.references))
        if not bundle.labelings:
            first = solve(np.zeros((model.n_variables, int(model.label_counts.max()))))
            bundle.add(np.ascontiguousarray(first.labeling.reshape(1, -1), np.int32))
        if not bundle.labelings:
            raise InfeasibleError(f'oracle "{inner}" found no allowed labeling; if there is one, "ilp" finds it.')
        return bundle

    def _keep(self, bundle: Bundle) -> None:
        best = np.argsort(-np.array(bundle.values), kind="stable")[:_KEPT]
        self._kept = np.array([bundle.labelings[k] for k in best])
        self._relevance = np.array([bundle.relevance[k] for k in best])


def _steep(model: Model, potentials: Sequence[Potential]) -> float:
    """Return more than any single change can gain, as a rule."""
    spread = model.spread if isinstance(model, UnaryModel) else 0.0
    thetas = [p.theta[np.isfinite(p.theta)] for p in potentials if isinstance(p, Linear)]
    spans = [s for p in potentials if np.isfinite(s := p.span())]
    return float(1.0 + spread + sum(spans) + sum(np.abs(theta).sum() for theta in thetas))


def _possible(model: Model, rows: Labels) -> Labels:
    """Those of (m, n) rows that are labelings of the model."""
    return np.ascontiguousarray(rows[((rows >= 0) & (rows < model.label_counts)).all(axis=1)])
