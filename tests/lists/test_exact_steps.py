# SPDX-License-Identifier: BSD-3-Clause
"""A step of a list is exact only if no labeling adds more, whatever was maximised to find it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.draws import random_model

import hedgehop as hh

BALL = hh.HammingBall(gamma=0.4)
SUM = hh.HammingBall(gamma=0.4, steer="sum")
CASES = {
    "distorted ball": (BALL, "distorted"),
    "distorted labels": (hh.LabelCoverage(parsimony=-0.5), "distorted"),
    "distorted variables": (hh.VariableCoverage(), "distorted"),
    "ball by the sum": (SUM, "greedy"),
    "distorted ball by the sum": (SUM, "distorted"),
    "ball by the sum and labels": (SUM + hh.LabelCoverage(parsimony=0.0), "greedy"),
    "half": (hh.LinearHamming(steer="half"), "greedy"),
    "ball": (BALL, "greedy"),
}


def models(count: int = 6) -> list[hh.FactorGraph]:
    return [random_model(np.random.default_rng(seed), 4, forbid=False) for seed in range(count)]


@pytest.mark.parametrize("case", CASES)
def test_exact_steps_add_the_most(case):
    diversity, method = CASES[case]
    claims = 0
    for model in models():
        found = hh.diverse(model, diversity, 4, tradeoff=3.0, method=method, distinct=False)
        every = hh.testing.all_labelings(model)
        for t, exact in enumerate(found.exact):
            gains = model.score(every) + 3.0 * diversity.gain(model, every, found.labelings[:t])
            if exact:
                assert found.gains[t] >= gains.max() - 1e-7, f"step {t} adds {gains.max() - found.gains[t]} less"
        claims += int(found.exact.sum())
    assert claims > 0


@pytest.mark.parametrize("case", ["distorted ball", "ball by the sum"])
def test_some_steps_by_another_function_are_not_exact(case):
    """What the test above is for: the other function is solved, and its labeling is not the best."""
    diversity, method = CASES[case]
    lists = (hh.diverse(model, diversity, 4, tradeoff=3.0, method=method, distinct=False) for model in models())
    assert not all(found.exact.all() for found in lists)


def test_refining_small_scores_is_refining_ordinary_ones():
    model, scale = models()[3], 2.0**-60
    small = hh.FactorGraph(scale * model.unary, model.edges, scale * model.pairwise.strengths)
    plain = hh.diverse(model, BALL, 3, tradeoff=4.0, refine=True)
    found = hh.diverse(small, BALL, 3, tradeoff=4.0 * scale, refine=True)
    assert np.array_equal(found.labelings, plain.labelings)


def test_a_better_labeling_that_is_known_disproves_exactness():
    """The third labels make a million the size of the scores, beside which a loss of 1e-4 looks like rounding."""
    unary = np.tile([0.0, -2.4e-4, -1e6], (3, 1))
    model, diversity = hh.FactorGraph(unary), hh.VariableCoverage()
    found = hh.diverse(model, diversity, 3, tradeoff=1e-3, method="distorted", distinct=False)
    every = hh.testing.all_labelings(model)
    for t, exact in enumerate(found.exact):
        gains = model.score(every) + 1e-3 * diversity.gain(model, every, found.labelings[:t])
        if exact:
            assert found.gains[t] >= gains.max() - 1e-9
    assert found.exact[0]
    assert not found.exact.all()
