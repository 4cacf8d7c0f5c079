"""Hamming balls at any size: slopes for the distances turn the step into linear ones (ALGORITHMS 4.5, TRWS 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hedgehop import _arrays
from hedgehop._arrays import Labels, own
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.ascent import Ascent, moves_of
from hedgehop.oracles.base import Oracle, Step, fold
from hedgehop.oracles.bundle import Bundle
from hedgehop.oracles.kernels import is_small
from hedgehop.oracles.terms import DISTANCES, Terms, unfit
from hedgehop.potentials import BallCoverage, BallUnion, Cardinality, Linear, Potential

_KEPT = 40  # labelings carried to the next step
_CLIMBS = 3


class Slopes(Oracle):
    """Bound by slopes, one linear step each; then ascent from the labelings met.

    Parameters
    ----------
    calls : int
        How many linear steps the bound may take; as a rule half of them also steer by the exact gain.
    tolerance : float
        Gap, as a share of what the potentials can add, at which to stop.
    inner : str or Oracle
        Who solves the linear steps, and those with further potentials that are no distances.
    """

    name = "slopes"
    summary = "potentials of Hamming distances on any model that has a linear oracle; ascent, with a bound by slopes"

    def __init__(self, calls: int = 10, tolerance: float = 5e-4, inner: str | Oracle = "auto") -> None:
        self.calls = _arrays.positive_count(calls, "calls")
        self.tolerance = _arrays.number(tolerance, "tolerance", low=0.0)
        self.inner = inner

    def start(self, model: Model) -> dict[str, Any]:
        """Room for the labelings met, and for the state of the linear oracle."""
        return {}

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse where nothing depends on distances, and what the linear oracle refuses."""
        distant, others = _split(potentials)
        if not distant:
            return "no potential depends on the distance to a labeling; a linear oracle does better"
        reasons = [reason for reason in map(unfit, distant) if reason is not None]
        return reasons[0] if reasons else self._inner().refusal(model, others)

    def preference(self, model: Model, potentials: Sequence[Potential]) -> float:
        """After the integer program where that is quick."""
        return 8.0 if is_small(model) else 20.0

    def maximize(self, model: Model, potentials: Sequence[Potential], state: Any = None) -> Step:
        """Alternate bounding and steering calls, then climb."""
        states: dict[str, Any] = state if state is not None else {}
        distant, others = _split(potentials)
        bundle = self._bundle(model, others, distant, states)
        if "moves" not in states:
            states["moves"] = moves_of(model)
        theta, _, _ = fold(model, others)
        ascent = Ascent(bundle, states["moves"], _unary(model, theta) if states["moves"] is not None else None)
        close = self.tolerance * sum(p.span() for p in distant if np.isfinite(p.span()))
        self._search(bundle, ascent, close)
        for _ in range(_CLIMBS):
            if bundle.gap <= close or not ascent.climb(bundle.steering()):
                break
        _keep(bundle, states)
        return self.step(model, bundle.labelings[bundle.best], potentials, bundle.bound)

    def _search(self, bundle: Bundle, ascent: Ascent, close: float) -> None:
        gaps: list[float] = []
        for call in range(self.calls):
            bounding = call % 2 == 0 or not bundle.terms.has_unions
            view = bundle.bounding() if bounding else bundle.steering()
            labeling = bundle.call(view)
            ascent.recombine(view, labeling)
            ascent.polish(bundle.steering())
            gaps.append(bundle.gap)
            if gaps[-1] <= close or (call >= 5 and gaps[-5] - gaps[-1] < 0.03 * gaps[-1]):
                break

    def _bundle(
        self, model: Model, others: list[Potential], distant: list[Any], states: dict[str, Any]
    ) -> Bundle:
        inner = self._inner()
        if "inner" not in states:
            states["inner"] = inner.start(model)

        def solve(theta: Any) -> Step:
            return inner.maximize(model, [*others, Linear(own(theta))], states["inner"])

        bundle = Bundle(model, others, distant, Terms(distant), solve)
        if "labelings" in states:
            bundle.add(states["labelings"], states["relevance"])
        bundle.add(_possible(model, bundle.terms.references))
        if not bundle.labelings:
            first = solve(np.zeros((model.n_variables, int(model.label_counts.max()))))
            bundle.add(np.ascontiguousarray(first.labeling.reshape(1, -1), np.int32))
        return bundle

    def _inner(self) -> Oracle:
        from hedgehop.oracles.registry import get  # which lists this oracle among the others

        return get(self.inner)


def _split(potentials: Sequence[Potential]) -> tuple[list[Any], list[Potential]]:
    """Potentials of distances, and the others."""
    return [p for p in potentials if isinstance(p, DISTANCES)], [p for p in potentials if not isinstance(p, DISTANCES)]


def _possible(model: Model, rows: Labels) -> Labels:
    """Those of (m, n) rows that are labelings of the model."""
    return np.ascontiguousarray(rows[((rows >= 0) & (rows < model.label_counts)).all(axis=1)])


def _unary(model: PairwiseModel, theta: Any) -> Any:
    return np.ascontiguousarray(model.unary if theta is None else model.unary + theta, np.float64)


def _keep(bundle: Bundle, states: dict[str, Any]) -> None:
    best = np.argsort(-np.array(bundle.values), kind="stable")[:_KEPT]
    states["labelings"] = np.array([bundle.labelings[k] for k in best])
    states["relevance"] = np.array([bundle.relevance[k] for k in best])
