# SPDX-License-Identifier: BSD-3-Clause
"""Every list there is, valued: only if they are few, and then nothing is left open."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.bounds import Problem
from hedgehop.lists.proofs.listing import LISTING


def problem(allowed, m, distance=0):
    """A model of two variables with a few allowed labelings, and any list of m of them."""
    every = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.int32)[:allowed]
    table = np.full((2, 2), -np.inf)
    table[tuple(every.T)] = [0.4, 0.1, 0.2, 0.3][:allowed]
    model = hh.FactorGraph(np.zeros((2, 2)), [[0, 1]], [table])
    objective = Objective(model, hh.VariableCoverage(), 1.0)
    return Problem(objective, hh.oracles.get("exhaustive").on(model), every[np.zeros(m, int)], distance), every


@pytest.mark.parametrize(
    ("allowed", "m", "distance", "few"),
    [
        (1, 3, 0, True),
        (2, 3, 0, True),
        (3, 2, 0, False),
        (3, 3, 1, True),
        (4, 3, 1, True),
        (4, 2, 1, False),
        (3, 1, 1, False),
    ],
)
def test_few_lists_are_all_valued(allowed, m, distance, few):
    asked, every = problem(allowed, m, distance)
    found = LISTING.find(asked)
    assert (found is not None) == few
    if not few:
        with pytest.raises(ValueError, match="too many of them"):
            LISTING.check(asked, {})
        return
    [only] = found
    lists = combinations(range(allowed), m) if distance else combinations_with_replacement(range(allowed), m)
    best = max(asked.objective.value(every[list(t)]) for t in lists)
    assert only.bound == LISTING.check(asked, {}) == pytest.approx(best)
    assert asked.objective.value(only.labelings) == only.bound
    assert (only.beginning == only.labelings).all()
    assert only.final
    assert only.calls == 1


def test_labelings_that_are_too_close_are_in_no_list():
    asked, _ = problem(3, 2, 2)  # of 00, 01 and 10, only the last two differ in both variables
    [found] = LISTING.find(asked)
    assert sorted(found.labelings.tolist()) == [[0, 1], [1, 0]]
    nothing, _ = problem(2, 2, 2)  # 00 and 01 differ in one variable
    assert list(LISTING.find(nothing)) == []
    assert LISTING.find(problem(2, 3, 1)[0]) is None  # fewer labelings than the list needs
