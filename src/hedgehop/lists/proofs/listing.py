# SPDX-License-Identifier: BSD-3-Clause
"""Every list there is, if these are few: lists that hold all labelings there are, or all but one.

Bounds on single labelings leave a gap there, because they would allow the best ones again and again.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from math import comb

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Labels
from hedgehop.lists.proofs.bounds import Arrays, BoundMethod, FoundBound, Problem
from hedgehop.oracles.exact.exhaustive import allowed_labels, bits, labelings_of

_LISTED_BITS = 12  # of the number of labelings that are listed


def find(problem: Problem) -> Iterator[FoundBound] | None:
    """Yield the best list of all; None if there are many, or D is not known exactly."""
    objective = problem.objective
    if bits(objective.model, ()) > _LISTED_BITS or objective.why_not_known(problem.rows) is not None:
        return None
    every = _labelings(problem)
    many = comb(len(every), problem.m) if problem.distance else comb(len(every) + problem.m - 1, problem.m)
    return _found_bounds(problem, every) if 0 < many <= problem.m + 1 else None


def check(problem: Problem, arrays: Arrays) -> float:
    """Return the largest F, found again."""
    bounds = find(problem)
    if bounds is None:
        raise ValueError("this proof values every list, but there are too many of them here.")
    return next(bounds).bound


LISTING = BoundMethod("every list", find, check)


def _found_bounds(problem: Problem, every: Labels) -> Iterator[FoundBound]:
    near = _core.counts.hamming(every, every) < max(1, problem.distance)
    chosen = combinations if problem.distance else combinations_with_replacement
    lists = (list(t) for t in chosen(range(len(every)), problem.m))
    kept = (t for t in lists if not problem.distance or not near[np.ix_(t, t)][np.triu_indices(problem.m, 1)].any())
    best = max(kept, default=None, key=lambda t: problem.objective.value(every[t]))
    if best is not None:
        rows = np.ascontiguousarray(every[best])
        yield FoundBound(problem.objective.value(rows), {}, rows, rows, calls=1, final=True)


def _labelings(problem: Problem) -> Labels:
    """All labelings with a score."""
    model = problem.objective.model
    rows = np.concatenate([*labelings_of(allowed_labels(model, ())), np.zeros((0, model.n_variables), np.int32)])
    return np.ascontiguousarray(rows[np.isfinite(np.atleast_1d(model.score(rows)))])
