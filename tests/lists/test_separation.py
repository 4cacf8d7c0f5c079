# SPDX-License-Identifier: BSD-3-Clause
"""Labelings that must differ, and how much."""

from __future__ import annotations

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.lists.separation import Separation

RANDOM = np.random.default_rng(0)
MODEL = hh.FactorGraph(RANDOM.normal(size=(5, 3)), [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]], 0.5)
BALL = hh.HammingBall(gamma=0.3)


def test_distinct_and_what_auto_means():
    quiet = hh.LabelCoverage(h="count", parsimony=-1.0, ignore=())  # nothing is ever rewarded: repeats
    assert hh.diverse(MODEL, quiet, 3, 1e-3, distinct=False).distinct == 1
    assert hh.diverse(MODEL, quiet, 3, 1e-3).distinct == 3
    assert hh.diverse(MODEL, hh.VariableCoverage(), 3, 0.0).distinct == 1
    report = hh.diverse(MODEL, quiet, 3, 1e-3, distinct=False).report()
    assert "only 1 of 3 labelings are different: pass distinct=True" in report


@pytest.mark.parametrize(
    ("tradeoff", "distinct", "min_distance", "wanted"),
    [
        ("auto", "auto", None, 5),  # a twentieth of the variables: visibly
        ("auto", "auto", 3, 3),
        ("auto", True, None, 1),
        ("auto", False, None, 0),
        (1.0, "auto", None, 0),
        (1.0, "auto", 0.021, 3),
        (1.0, True, 0, 1),
    ],
)
def test_labelings_differ_visibly_if_nothing_is_said(tradeoff, distinct, min_distance, wanted):
    model = hh.Grid(np.zeros((10, 10, 2)))
    assert Separation.of(model, hh.VariableCoverage(), tradeoff, distinct, min_distance).distance == wanted


def test_too_few_labelings_are_said():
    small = hh.FactorGraph(np.zeros((1, 3)))
    with pytest.warns(UserWarning, match="only 3 of 5 labelings were found: no other allowed one was found"):
        found = hh.diverse(small, hh.VariableCoverage(), 5, distinct=True)
    assert len(found) == 3


def test_share_as_minimum_distance():
    found = hh.diverse(MODEL, BALL, 3, 0.1, min_distance=0.5)
    apart = found.distances[np.triu_indices(3, 1)]
    assert apart.min() >= 3  # half of five, rounded up


def test_distorted_says_when_nothing_is_left():
    small = hh.FactorGraph(np.zeros((1, 2)))
    with pytest.warns(UserWarning, match="only 2 of 4 labelings"):
        assert len(hh.diverse(small, hh.VariableCoverage(), 4, method="distorted", distinct=True)) == 2


def test_distinct_on_a_long_chain_by_lawler():
    """Max-marginals spare most cells: ten best taggings of a chain of 300 without 300 calls each."""
    random = np.random.default_rng(5)
    chain = hh.Chain(random.normal(size=(300, 4)), random.normal(size=(4, 4)))
    found = hh.diverse(chain, hh.VariableCoverage(), 10, tradeoff=0.0, distinct=True)
    assert found.distinct == 10
    assert (np.diff(found.relevance) <= 1e-9).all()
    assert set(found.oracles) == {"tree"}


def test_distinct_structures_lose_next_to_nothing():
    """Multipliers without moves to mend must find it."""
    random = np.random.default_rng(0)
    model = hh.Matching(random.normal(size=(600, 620)))
    found = hh.diverse(model, hh.VariableCoverage(), m=2, tradeoff=0.0, distinct=True)
    assert found.relevance[0] - found.relevance[1] < 0.01


@pytest.mark.parametrize("diversity", [hh.VariableCoverage(), hh.LinearHamming(), hh.LabelCoverage(parsimony=0.0)])
def test_steps_called_exact_meet_the_bound_of_what_is_allowed(diversity, tmp_path):
    found = hh.diverse(MODEL, diversity, 4, 0.05, min_distance=2)
    assert found.exact.all()
    assert found.bounds == pytest.approx(found.gains, abs=1e-6)
    assert (found.unlimited_bounds >= found.bounds).all()
    assert (found.unlimited_bounds > found.bounds + 1e-3).any()  # the limits cost something
    found.save(tmp_path / "list.npz")
    again = hh.load(tmp_path / "list.npz")
    assert np.array_equal(again.unlimited_bounds, found.unlimited_bounds)
    assert hh.verify(again, MODEL, diversity).upper_bound == pytest.approx(found.upper_bound)
