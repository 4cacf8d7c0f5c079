# SPDX-License-Identifier: BSD-3-Clause
"""Lists of several diversities."""

from __future__ import annotations

import numpy as np
import pytest

import hedgehop as hh

RANDOM = np.random.default_rng(0)
MODEL = hh.FactorGraph(RANDOM.normal(size=(5, 3)), [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]], 0.5)
BALL = hh.HammingBall(gamma=0.3)


def test_portfolio_replaces_repetitions_and_names_sources():
    parts = [hh.VariableCoverage(), hh.LabelCoverage(ignore=()), hh.VariableCoverage(h="sqrt")]
    found = hh.portfolio(MODEL, parts, m=7, tradeoff=[1.0, 2.0, 2.5])
    assert len(found) == found.distinct == 7
    assert [found.sources.count(repr(p)) for p in parts] == [3, 2, 2]
    assert found.objective <= found.upper_bound
    assert "VariableCoverage" in found.report()
    with pytest.raises(ValueError, match="cannot be extended"):
        found.more(1)


def test_portfolio_without_a_common_oracle_has_no_bound():
    big = hh.Chain(RANDOM.normal(size=(40, 3)), np.zeros((3, 3)))
    starts = hh.GroupCoverage(lambda y: [int(y[0])])
    with pytest.raises(hh.UnsupportedError):
        hh.portfolio(big, [starts], m=2)


def test_a_portfolio_of_fewer_labelings_than_asked_for_says_so():
    with pytest.warns(UserWarning, match="only 2 of 5 labelings: the lists contain no others"):
        found = hh.portfolio(hh.FactorGraph([[0.0, 1.0]]), [hh.VariableCoverage(), hh.LinearHamming()], m=5)
    assert sorted(found.labelings.tolist()) == [[0], [1]]


@pytest.mark.parametrize(
    ("diversities", "error", "message"),
    [
        (hh.VariableCoverage(), TypeError, "must be a list of diversities; got one"),
        ([], ValueError, "at least one diversity; got none"),
    ],
)
def test_a_portfolio_needs_a_list_of_diversities(diversities, error, message):
    with pytest.raises(error, match=message):
        hh.portfolio(MODEL, diversities, m=2)
