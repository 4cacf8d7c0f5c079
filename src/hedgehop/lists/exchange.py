# SPDX-License-Identifier: BSD-3-Clause
"""Refinement: re-solve each labeling of a list given all the others, until F no longer grows."""

from __future__ import annotations

import numpy as np

from hedgehop._arrays import own
from hedgehop.lists.search import Search

_ROUNDS = 20


def refine_list(search: Search) -> list[float]:
    """Refine a finished search in place; return the bounds on all lists that were met on the way."""
    bounds: list[float] = []
    for _ in range(_ROUNDS):
        improved = [_improve(search, t, bounds) for t in range(len(search.chosen))]
        if not any(improved):
            break
    search.replay(search.rows(), [step.oracle for step in search.steps])
    return bounds


def _improve(search: Search, t: int, bounds: list[float]) -> bool:
    """Replace labeling t by the best one given the others, if F grows."""
    others = search.without(t)
    step = others.best_apart()
    bounds.append(others.list_bound(len(search.chosen)))
    trial = np.insert(others.rows(), t, step.labeling.reshape(-1), axis=0)
    before, after = search.objective(search.rows()), search.objective(trial)
    better = after > before + 1e-9 * max(1.0, abs(before))
    if better:
        search.chosen[t] = own(trial[t].copy())
    return better
