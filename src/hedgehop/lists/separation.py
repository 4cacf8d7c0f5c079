# SPDX-License-Identifier: BSD-3-Clause
"""How far apart the labelings of a list must be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Labels, number
from hedgehop.diversity.base import Diversity
from hedgehop.lists.tradeoff import VISIBLE, is_auto
from hedgehop.models import Arborescence, Chain, Path
from hedgehop.models.base import Model
from hedgehop.models.unary import UnaryModel

# Their best labelings differ in a word or two, or in a few streets, so that lists easily repeat one.
_EASILY_REPEATED = (Chain, Arborescence, Path)


@dataclass(frozen=True)
class Separation:
    """In how many variables any two labelings must differ: 0 allows repetitions, 1 asks for distinct labelings."""

    distance: int = 0

    @classmethod
    def of(
        cls, model: Model, diversity: Diversity, tradeoff: Any, distinct: Any, min_distance: Any = None
    ) -> Separation:
        """Check what users ask for; if they say nothing, labelings differ visibly."""
        if not isinstance(distinct, (bool, np.bool_)) and not (isinstance(distinct, str) and distinct == "auto"):
            raise ValueError(f'distinct must be True, False or "auto"; got {distinct!r}.')
        if is_auto(tradeoff) and isinstance(distinct, str) and min_distance is None:
            min_distance = VISIBLE
        usual = diversity.distinct or isinstance(model, _EASILY_REPEATED)
        least = int(usual if isinstance(distinct, str) else distinct)
        return cls(max(least, _variables(min_distance, model.n_variables, n_differing(model))))

    def too_close(self, labeling: Labels, rows: Labels) -> bool:
        """Whether a labeling is too close to one of a list."""
        if self.distance == 0 or not len(rows):
            return False
        return bool(_core.counts.hamming(labeling.reshape(1, -1), rows).min() < self.distance)


def n_differing(model: Model) -> int:
    """Of how many variables shares are taken: of those in which labelings may be expected to differ."""
    return model.n_differing if isinstance(model, UnaryModel) else model.n_variables


def _variables(distance: Any, n: int, differing: int) -> int:
    """Return a minimum distance, given as a number or a share of the variables, as a number."""
    if distance is None:
        return 0
    if isinstance(distance, (bool, np.bool_)):
        text = "min_distance must be a number of variables, or a share below 1"
        raise ValueError(f"{text}; got {distance}. Use distinct=True.")
    least = number(distance, "min_distance", low=0.0)
    if 0 < least < 1:
        least = float(np.ceil(least * differing - 1e-9))
    if least != int(least) or least > n:
        text = f"min_distance must be a number of variables (at most {n}) or a share below 1"
        raise ValueError(f"{text}; got {distance!r}.")
    return int(least)
