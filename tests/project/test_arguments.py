# SPDX-License-Identifier: BSD-3-Clause
"""Arguments that make no sense, to every constructor and every call: an answer, or a sentence of ours."""

from __future__ import annotations

import numpy as np
import pytest
from hunt.arguments import CALLS, HOSTILE, said, wrong
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgehop as hh


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    """One call with one or two arguments that make no sense."""
    name = draw(st.sampled_from(sorted(CALLS)))
    changed = draw(st.lists(st.sampled_from(sorted(CALLS[name][1])), min_size=1, max_size=2, unique=True))
    return name, {argument: HOSTILE[draw(st.integers(0, len(HOSTILE) - 1))] for argument in changed}


@settings(max_examples=200, deadline=None, derandomize=True)
@given(calls())
def test_every_call_gives_an_answer_or_a_sentence(call):
    assert wrong(*call) == [], said(*call)


def test_what_is_not_a_sentence_of_ours_is_noticed(monkeypatch):
    assert wrong("Matching", {}) == wrong("Matching", {"weights": []}) == []
    monkeypatch.setattr(hh.Matching, "_refuse_infeasible", lambda self: self.unary[99])
    (text,) = wrong("Matching", {})
    assert text.startswith("IndexError at ")
    monkeypatch.setattr(hh.Matching, "_refuse_infeasible", lambda self: np.zeros(3).reshape(2, 2))
    assert wrong("Matching", {})[0].startswith("ValueError at ")


@pytest.mark.parametrize("values", [[1e300], [-1e19], np.array([2**63], np.uint64)])
def test_whole_numbers_that_no_integer_holds(values):
    with pytest.raises(ValueError, match=r"must be below 2\^63; got"):
        hh.metrics.accuracy(values, [0])


def test_labels_that_would_wrap_around():
    for make in (hh.potentials.BallCoverage, hh.potentials.MemberWeights):
        with pytest.raises(ValueError, match=r"labels from 0 to 2\^31 - 1; got 4294967296"):
            make([[0, 2**32]], [1.0, 1.0])
    with pytest.raises(ValueError, match=r"labels from 0 to 2\^31 - 1; got -1"):
        hh.potentials.Cardinality([0, -1], np.zeros(3))
