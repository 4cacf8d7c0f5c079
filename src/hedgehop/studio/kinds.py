# SPDX-License-Identifier: BSD-3-Clause
"""Kinds of difference in plain words, as options of a list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Labels
from hedgehop.diversity import Diversity, HammingBall, LabelCoverage, RegionCoverage, TransitionCoverage
from hedgehop.lists.tradeoff import TradeoffLike, per_variable, target
from hedgehop.segmentation.superpixels import superpixels
from hedgehop.studio.problems import refuse
from hedgehop.studio.wishes import Kind

_GAMMA = 0.01
_SHARES = (0.01, 0.03, 0.1)  # from which a label counts as used
_REGIONS = 60
_APART = 0.2  # of the distance asked for: what any two candidates differ in at least
_PER_DISTANCE = {"labels": 3.0, "neighbours": 10.0}  # their lists do not come closer to a distance step by step


@dataclass(frozen=True, eq=False)
class Difference:
    """What differences can be made of: labels, and larger regions of superpixels, (n,), when asked."""

    n_labels: int
    regions: Callable[[], Labels]

    def options(self, kind: Kind, distance: float) -> dict[str, Any]:
        """Return what ``hh.diverse`` is asked for; nothing for the default list."""
        if kind == "likely":
            return {}
        return {
            "diversity": self._diversity(kind),
            "tradeoff": _tradeoff(kind, distance),
            "min_distance": _APART * distance,
        }

    def _diversity(self, kind: Kind) -> Diversity:
        if kind in ("labels", "neighbours") and self.n_labels < 3:
            raise refuse(422, "With one object both labels are always there: add another label for this difference.")
        if kind == "labels":
            return LabelCoverage(min_share=_SHARES, ignore=())
        if kind == "neighbours":
            return TransitionCoverage()
        if kind == "regions":
            return RegionCoverage(self.regions(), h="log")
        return HammingBall(gamma=_GAMMA)


def _tradeoff(kind: Kind, distance: float) -> TradeoffLike:
    return per_variable(_PER_DISTANCE[kind] * distance) if kind in _PER_DISTANCE else target(distance)


def coarse_regions(small: NDArray[np.uint8], segments: Labels) -> Labels:
    """Return the region of each superpixel, (n,): the large superpixel that most of it lies in."""
    large = superpixels(small / 255.0, _REGIONS)
    cells = segments.ravel().astype(np.int64) * large.count + large.segments.ravel()
    votes = np.bincount(cells, minlength=(int(segments.max()) + 1) * large.count)
    return np.asarray(votes.reshape(-1, large.count).argmax(axis=1), np.int32)
