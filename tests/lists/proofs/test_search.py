# SPDX-License-Identifier: BSD-3-Clause
"""The search for bounds and better lists: more steps never prove less."""

from __future__ import annotations

import numpy as np
import pytest

import hedgehop as hh

DIVERSITIES = {"variables": (hh.VariableCoverage(), 1.0), "linear Hamming": (hh.LinearHamming(), 0.3)}


def made(seed, name):
    model = hh.Grid(np.random.default_rng(seed).normal(size=(6, 6, 4)), smoothness=0.4)
    diversity, tradeoff = DIVERSITIES[name]
    return hh.diverse(model, diversity, 4, tradeoff, distinct=False, certify=False, oracle="trws")


@pytest.mark.parametrize("name", DIVERSITIES)
@pytest.mark.parametrize("seed", range(3))
def test_more_steps_never_find_less(name, seed):
    before = made(seed, name)
    for calls in (3, 8, 10, 13, 20):
        found = made(seed, name).improve(calls)
        assert found.objective >= before.objective - 1e-9
        assert found.upper_bound <= before.upper_bound + 1e-9
        before = found


def test_improving_the_same_list_again_goes_on_from_what_was_found():
    found = made(3, "linear Hamming")
    better = found.improve(10)
    assert better.objective > found.objective  # so that there is something to forget
    again = found.improve(1)
    assert again.objective >= better.objective
    assert again.upper_bound <= better.upper_bound
