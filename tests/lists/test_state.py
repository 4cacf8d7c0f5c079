# SPDX-License-Identifier: BSD-3-Clause
"""A state of a list never changes, and what no longer holds is not passed on."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from hedgehop.lists.state import Baseline, ListState
from hedgehop.oracles.base import Step


def step(*labels, bound=1.0):
    return Step(np.array(labels, np.int32), 0.5, bound, False, "test")


def three():
    state = ListState(np.zeros((0, 2), np.int32))
    for k in range(3):
        state = state.append(step(k, k, bound=3.0 - k))
    return replace(state, next=step(9, 9, bound=0.25), baseline=Baseline(np.array([[7, 7]]), 0.5), bounds=(8.0,))


def test_states_cannot_be_changed():
    state = three()
    with pytest.raises(FrozenInstanceError):
        state.next = None
    with pytest.raises(ValueError, match="read-only"):
        state.rows[0, 0] = 5
    for other in (state.append(step(4, 4)), state.without(1), state.replace(1, np.array([5, 5]))):
        assert not other.rows.flags.writeable
    assert state.rows.tolist() == [[0, 0], [1, 1], [2, 2]]
    assert state.best_gains == [3.0, 2.0, 1.0, 0.25]


def test_what_is_known_about_other_labelings_is_forgotten():
    longer, shorter, other = three().append(step(4, 4)), three().without(1), three().replace(1, np.array([5, 5]))
    assert [len(s) for s in (longer, shorter, other)] == [4, 2, 3]
    assert [len(s.steps) for s in (longer, shorter, other)] == [4, 1, 1]
    for state in (longer, shorter, other):
        assert state.next is None
        assert (state.baseline.rows.tolist(), state.baseline.gap) == ([[7, 7]], 0.5)
    assert shorter.best_gains == other.best_gains == [3.0]
    assert replace(shorter, next=step(1, 1)).best_gains == [3.0]  # the gains in between are unknown
    assert (longer.bounds, shorter.bounds, other.bounds) == ((), (), (8.0,))  # of lists of three


def test_beginnings_know_what_came_next():
    state = three()
    assert state.first(3) is state.first(5) is state
    begun = state.first(1)
    assert begun.rows.tolist() == [[0, 0]]
    assert begun.next is state.steps[1]
    assert begun.best_gains == [3.0, 2.0]
    assert begun.bounds == ()
    assert state.replace(1, np.array([5, 5])).first(2).next is None
