# SPDX-License-Identifier: BSD-3-Clause
"""From a search to its answer: the list, and what is proven about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hedgehop._arrays import own
from hedgehop.lists.certificate import Certificate, certify
from hedgehop.lists.result import DiverseList
from hedgehop.lists.search import Search
from hedgehop.models.unary import UnaryModel

GoOn = Callable[[Search, int], DiverseList]


def finish(
    search: Search, method: str, further: Sequence[float] = (), go_on: GoOn | None = None, last: bool = True
) -> DiverseList:
    """Return what a search has found.

    Parameters
    ----------
    method : str
        How, in words. An "interrupted" search solves nothing more.
    further : floats
        Bounds on F of any list that were proven otherwise.
    go_on : function of the search and k
        How to find k more, if that is possible.
    last : bool
        Whether to compute one more bound, after the last labeling.
    """
    rows, steps = search.rows(), search.steps
    objectives = search.objectives()
    interrupted = method == "interrupted"
    return DiverseList(
        labelings=own(rows.reshape(len(rows), *search.model.shape)),
        relevance=own(np.array([s.relevance for s in steps])),
        gains=own(np.diff(objectives)),
        bounds=own(np.array([s.upper_bound for s in steps])),
        exact=own(np.array([s.exact for s in steps])),
        seconds=own(np.array([s.seconds for s in steps])),
        oracles=tuple(s.oracle for s in steps),
        certificate=_certificate(search, objectives, further, last and not interrupted, interrupted),
        tradeoff=search.tradeoff,
        diversity=repr(search.diversity),
        method=method,
        model=repr(search.model),
        _more=None if go_on is None else lambda k: go_on(search, k),
    )


def _certificate(
    search: Search, objectives: list[float], further: Sequence[float], last: bool, hurry: bool
) -> Certificate:
    rows = search.rows()
    best_gains = [s.upper_bound for s in search.steps]
    if last:
        best_gains.append(search.peek().upper_bound)
    offsets = search.diversity.offsets(search.model, rows, len(rows))[: len(best_gains)].tolist()
    baseline = search.baseline(solve_if_unknown=not hurry)
    failed = "the run was interrupted" if hurry else _failed_condition(search)
    return certify(len(rows), search.tradeoff, objectives, offsets, best_gains, baseline, failed, further)


def _failed_condition(search: Search) -> str | None:
    """Which condition of the monotone bounds fails: r + tradeoff * parsimony >= 0 for every labeling."""
    if not search.diversity.submodular:
        return "the diversity is not submodular"
    if not isinstance(search.model, UnaryModel):
        return f"no lower bound on the relevance of {type(search.model).__name__} is known"
    lowest = search.model.floor() + search.tradeoff * search.diversity.parsimony_floor(search.model)
    return None if lowest >= 0 else f"relevance plus parsimony may be negative (lower bound {lowest:.6g})"
