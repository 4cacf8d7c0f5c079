# SPDX-License-Identifier: BSD-3-Clause
"""Finding a tradeoff by what it does: how far the second labeling of a list is from the first."""

from __future__ import annotations

import numpy as np

from hedgehop._errors import InfeasibleError
from hedgehop.diversity.base import Diversity
from hedgehop.lists.search import Search
from hedgehop.lists.tradeoff import Target, TradeoffLike, resolve
from hedgehop.models.base import Model
from hedgehop.oracles.base import Oracle

_FACTOR = 4.0  # between tries while a bracket is sought
_TRIES = 40
_CLOSE = 1.04  # of two tradeoffs around the target that need no halving


def calibrated(tradeoff: TradeoffLike, model: Model, diversity: Diversity, oracle: Oracle, apart: int) -> float:
    """Return the tradeoff as a number, for ``hh.target`` the smallest at which the second labeling is that far.

    Parameters
    ----------
    apart : int
        In how many variables labelings must differ anyway.
    """
    if not isinstance(tradeoff, Target):
        return resolve(tradeoff, model)
    search = Search(model, diversity, 0.0, oracle, apart)
    wanted = max(1, int(np.ceil(tradeoff.distance * model.n_variables - 1e-9)))
    near, far = _bracket(search, wanted)
    while far > _CLOSE * near:
        middle = float(np.sqrt(near * far))
        if _second_distance(search, middle) >= wanted:
            far = middle
        else:
            near = middle
    return _confirmed(far, wanted, search)


def _confirmed(tradeoff: float, wanted: int, used: Search) -> float:
    """Raise a tradeoff until a search that begins anew, as the list's will, gets that far.

    Where steps are not exact they depend on what the oracle has met before.
    """
    for _ in range(_TRIES):
        fresh = Search(used.model, used.diversity, tradeoff, used.oracle, used.min_distance)
        if _second_distance(fresh, tradeoff) >= wanted:
            break
        tradeoff *= _CLOSE
    return tradeoff


def _bracket(search: Search, wanted: int) -> tuple[float, float]:
    """Return a tradeoff that is too small and a larger one that is not."""
    tried, reached = 1.0, _second_distance(search, 1.0)
    most = reached
    step = 1.0 / _FACTOR if reached >= wanted else _FACTOR
    for _ in range(_TRIES):
        last, tried = tried, tried * step
        now = _second_distance(search, tried)
        most = max(most, now)
        if (now >= wanted) != (reached >= wanted):
            return min(last, tried), max(last, tried)
    if reached >= wanted:
        least = 0.0 if _second_distance(search, 0.0) >= wanted else tried  # however small, it is far enough
        return least, least
    raise InfeasibleError(
        f"no tradeoff up to {tried:.3g} makes the second labeling differ in {wanted} variables; the most was {most}. "
        "Ask for a smaller distance, or use another diversity."
    )


def _second_distance(search: Search, tradeoff: float) -> int:
    """How many variables differ between the first two labelings."""
    search.tradeoff = tradeoff
    search.restart()
    first, second = search.advance(), search.advance()
    return int((first.labeling != second.labeling).sum())
