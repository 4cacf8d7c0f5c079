# SPDX-License-Identifier: BSD-3-Clause
"""Shares of the time that is left, by a clock that only the test moves."""

from __future__ import annotations

from math import inf

import pytest

from hedgehop.lists.pace import Pace
from hedgehop.oracles.effort import Effort, effort


@pytest.fixture
def clock(monkeypatch):
    time = [100.0]
    monkeypatch.setattr(Effort, "now", staticmethod(lambda: time[0]))
    return time


def test_a_pace_begins_now(clock):
    assert Pace.of(0.1, 8.0) == Pace(0.1, 108.0)
    assert Pace.of(None, None) == Pace(None, inf)


def test_time_is_over_at_the_end(clock):
    pace = Pace.of(None, 8.0)
    assert [pace.is_over, Pace().is_over] == [False, False]
    clock[0] = 108.0
    assert [pace.is_over, Pace().is_over] == [True, False]


def test_steps_share_what_is_left(clock):
    pace = Pace.of(None, 8.0)
    with pace.step(4):
        assert effort().seconds == 2.0
    with pace.step():
        assert effort().seconds == 8.0
    clock[0] = 120.0
    with pace.step(4):
        assert effort().seconds == 0.0
    with Pace(0.25).step(4):
        assert effort().seconds == inf
        assert effort().tolerance == 0.25


def test_a_list_grows_as_far_as_its_time_goes(clock):
    allowed = []

    def states(takes):
        for k in range(9):
            allowed.append(effort().seconds)
            clock[0] += takes
            yield k

    assert list(Pace.of(None, 8.0).grown(states(1.0), 3)) == [0, 1, 2]
    assert allowed == pytest.approx([8 / 2, 7 / 2, 6.0])  # the first one half of it
    assert list(Pace.of(None, 8.0).grown(states(4.0), 5)) == [0, 1]  # nothing is left for the third
    assert list(Pace.of(None, 8.0).grown(states(20.0), 5)) == [0]  # one in any case
    assert list(Pace(end=90.0).grown(states(1.0), 5)) == [0]  # also if it is over before it begins
    assert list(Pace().grown(iter([7, 8]), 5)) == [7, 8]  # there are no more


def test_without_a_limit_the_clock_is_not_used(monkeypatch):
    monkeypatch.setattr(Effort, "now", staticmethod(lambda: pytest.fail("the clock was used")))
    assert list(Pace.of(0.5, None).grown(iter(range(3)), 3)) == [0, 1, 2]


def test_a_step_that_finds_nothing_in_time_ends_the_list():
    def states(found):
        yield from found
        raise TimeoutError("no labeling was found")

    assert list(Pace().grown(states(["one", "two"]), 5)) == ["one", "two"]
    with pytest.raises(TimeoutError):
        list(Pace().grown(states([]), 5))
