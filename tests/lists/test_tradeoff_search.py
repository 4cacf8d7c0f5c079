# SPDX-License-Identifier: BSD-3-Clause
"""hh.target: the smallest tradeoff at which the second labeling is far enough."""

from __future__ import annotations

import numpy as np
import pytest

import hedgehop as hh


def distance(model, diversity, tradeoff):
    first, second = hh.diverse(model, diversity, m=2, tradeoff=tradeoff, distinct=False).labelings
    return (first != second).mean()


@pytest.mark.parametrize("diversity", [hh.LinearHamming(), hh.VariableCoverage(), hh.VariableCoverage(h="count")])
@pytest.mark.parametrize("share", [0.02, 0.3])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_target_is_met_and_not_by_far(diversity, share, scale):
    random = np.random.default_rng(0)
    model = hh.Grid(scale * random.normal(size=(20, 20, 2)), smoothness=0.3 * scale)
    found = hh.diverse(model, diversity, m=2, tradeoff=hh.target(distance=share))
    assert (found.labelings[0] != found.labelings[1]).mean() >= share
    assert distance(model, diversity, found.tradeoff / 1.05) < share


@pytest.mark.filterwarnings("ignore:the second labeling differs")  # in more variables than wanted
@pytest.mark.parametrize("diversity", [hh.LinearHamming(), hh.HammingBall(gamma=0.01)], ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_target_is_met_where_steps_are_not_exact(diversity, seed):
    random = np.random.default_rng(seed)
    model = hh.Grid(random.normal(size=(30, 30, 4)), smoothness=0.8)
    found = hh.diverse(model, diversity, m=2, tradeoff=hh.target(distance=0.1), distinct=False)
    assert (found.labelings[0] != found.labelings[1]).mean() >= 0.1


@pytest.mark.filterwarnings("ignore:the second labeling differs")  # in more variables than wanted
@pytest.mark.parametrize("share", [0.03, 0.1])
def test_target_is_met_where_solvers_with_a_memory_get_much_farther(share):
    model = hh.Grid(np.random.default_rng(0).normal(size=(16, 16, 6)), smoothness=0.7)
    found = hh.diverse(model, hh.LabelCoverage(), m=2, tradeoff=hh.target(distance=share), certify=False)
    assert (found.labelings[0] != found.labelings[1]).mean() >= share


@pytest.mark.filterwarnings("ignore:the second labeling differs")  # in more variables than wanted
def test_target_of_a_tie_is_as_small_as_tried():
    found = hh.diverse(hh.FactorGraph(np.zeros((4, 2))), hh.LinearHamming(), m=2, tradeoff=hh.target(distance=0.5))
    assert found.tradeoff < 1e-20
    assert (found.labelings[0] != found.labelings[1]).all()


def test_targets_that_cannot_be_met_or_read_are_refused():
    forced = hh.FactorGraph([[0.0, -np.inf]] * 4)
    with pytest.raises(hh.InfeasibleError, match="differ in 2 variables; the largest difference was 0"):
        hh.diverse(forced, hh.LinearHamming(), m=2, tradeoff=hh.target(distance=0.5))
    with pytest.raises(ValueError, match="at most 1"):
        hh.target(distance=1.5)
    with pytest.raises(TypeError, match=r"use it with hh\.diverse"):
        hh.select([[0, 0, 0, 0]], forced, hh.LinearHamming(), m=1, tradeoff=hh.target(distance=0.5))


def test_portfolios_calibrate_each_part():
    model = hh.FactorGraph([[3.0, 0.0], [2.0, 0.0], [1.0, 0.0], [4.0, 0.0]])
    found = hh.portfolio(model, [hh.LinearHamming(), hh.VariableCoverage()], m=4, tradeoff=hh.target(distance=0.5))
    assert len(found) == 4


@pytest.mark.filterwarnings("ignore:the second labeling differs")  # in more variables than wanted
def test_where_labelings_must_differ_anyway_any_tradeoff_does():
    model = hh.Matching(np.random.default_rng(0).normal(size=(4, 4)))
    found = hh.diverse(model, hh.LabelCoverage(ignore=()), m=2, tradeoff=hh.target(distance=0.2))
    assert found.tradeoff == 0.0
    assert found.distinct == 2


def test_a_distance_that_no_tradeoff_reaches_is_said():
    """Where a label is used somewhere or nowhere, the distance jumps, and a warning names both sides."""
    model = hh.FactorGraph(np.tile([1.0, 0.0], (40, 1)), [[k, k + 1] for k in range(39)], 10.0)
    labels = hh.LabelCoverage(ignore=())
    with pytest.warns(UserWarning, match=r"differs in 40 of 40 variables, not in 4: .*tradeoff=") as told:
        found = hh.diverse(model, labels, m=2, tradeoff=hh.target(distance=0.1), distinct=False)
    assert (found.labelings[0] != found.labelings[1]).all()
    assert told[0].filename == __file__
    below = float(str(told[0].message).partition("tradeoff=")[2].partition(")")[0])
    near = hh.diverse(model, labels, m=2, tradeoff=below, distinct=False).labelings
    assert (near[0] == near[1]).all()
