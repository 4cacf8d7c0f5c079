# SPDX-License-Identifier: BSD-3-Clause
"""How greedy lists grow, and where they end."""

from __future__ import annotations

import hedgehop as hh
from hedgehop.lists.methods.greedy import Greedy
from hedgehop.lists.objective import Objective
from hedgehop.lists.separation import Separation


def greedy(distance):
    model = hh.FactorGraph([[1.0, 0.0], [0.5, 0.0]])
    solver = hh.oracles.get("exhaustive").on(model)
    return Greedy(Objective(model, hh.VariableCoverage(), 1.0), Separation(distance), solver)


def test_a_list_grows_to_its_length_and_no_further():
    grown = greedy(0)
    states = list(grown.grow(grown.start, 3))
    assert [len(state) for state in states] == [1, 2, 3]
    assert list(grown.grow(states[-1], 3)) == []
    assert [len(state) for state in grown.grow(states[0], 2)] == [2]


def test_a_list_ends_if_no_further_labeling_is_allowed():
    grown = greedy(2)  # of four labelings, two differ in both variables
    states = list(grown.grow(grown.start, 5))
    assert [(len(state), state.ended) for state in states] == [(1, False), (2, False), (2, True)]
    assert list(grown.grow(states[-1], 5)) == []
