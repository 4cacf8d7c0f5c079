# SPDX-License-Identifier: BSD-3-Clause
"""What makes candidates different, from the words of the page to the options of a list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hedgehop._arrays import Labels
from hedgehop.diversity import Diversity, HammingBall, LabelCoverage, RegionCoverage, TransitionCoverage
from hedgehop.lists.tradeoff import Target, TradeoffLike, per_variable
from hedgehop.studio.errors import refuse
from hedgehop.studio.requests import SolveRequest

_GAMMA = 0.01
_LABEL_SHARES = (0.01, 0.03, 0.1)  # from which a label counts as used
_LEAST_SEPARATION = 0.2  # of the distance asked for: what any two candidates differ in at least
# Tradeoff per variable and distance of diversities whose lists do not come closer to a distance step by step.
_TRADEOFF_PER_DISTANCE = {"labels": 3.0, "neighbours": 10.0}


def list_options(request: SolveRequest, n_labels: int, regions: Callable[[], Labels]) -> dict[str, Any]:
    """Return the options of ``hh.diverse``, none for the default list; `regions` gives the region of each variable."""
    if request.kind == "default":
        return {}
    return {
        "diversity": _diversity(request, n_labels, regions),
        "tradeoff": _tradeoff(request),
        "min_distance": _LEAST_SEPARATION * request.distance,
    }


def _diversity(request: SolveRequest, n_labels: int, regions: Callable[[], Labels]) -> Diversity:
    if request.kind in ("labels", "neighbours") and n_labels < 3:
        raise refuse(422, "With one object, every candidate uses both labels. Add another label to use this setting.")
    if request.kind == "labels":
        return LabelCoverage(min_share=_LABEL_SHARES, ignore=())
    if request.kind == "neighbours":
        return TransitionCoverage()
    return RegionCoverage(regions(), h="log") if request.kind == "regions" else HammingBall(gamma=_GAMMA)


def _tradeoff(request: SolveRequest) -> TradeoffLike:
    factor = _TRADEOFF_PER_DISTANCE.get(request.kind)
    return Target(request.distance, quiet=True) if factor is None else per_variable(factor * request.distance)
