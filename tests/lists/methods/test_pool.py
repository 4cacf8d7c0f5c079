# SPDX-License-Identifier: BSD-3-Clause
"""Lists selected from a pool."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import hedgehop as hh

RANDOM = np.random.default_rng(0)
MODEL = hh.FactorGraph(RANDOM.normal(size=(5, 3)), [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]], 0.5)
BALL = hh.HammingBall(gamma=0.3)


@pytest.mark.parametrize("diversity", [BALL, hh.LabelCoverage(), hh.LinearHamming()], ids=repr)
def test_a_list_from_a_pool_may_begin_with_any_member(diversity):
    pool = np.random.default_rng(3).integers(0, 3, (12, 5))
    free = hh.select(pool, MODEL, diversity, m=4, tradeoff=2.0)
    for first in (int(free.indices[0]), 7):
        found = hh.select(pool, MODEL, diversity, m=4, tradeoff=2.0, first=first)
        chosen = [first]
        for _ in range(3):
            left = [k for k in range(12) if k not in chosen]
            gains = MODEL.score(pool[left]) + 2.0 * diversity.gain(MODEL, pool[left], pool[chosen])
            chosen.append(left[int(np.argmax(gains))])
        assert found.indices.tolist() == chosen
        assert found.objective <= found.upper_bound
        assert found.exact.tolist() == [first == free.indices[0], True, True, True]
    with pytest.raises(ValueError, match="first must be the index"):
        hh.select(pool, MODEL, diversity, m=4, first=12)


def test_forbidden_members_of_a_pool_are_never_selected():
    model = hh.FactorGraph([[1.0, -np.inf], [0.0, 0.0]])
    found = hh.select([[1, 0], [0, 0], [0, 1], [1, 1]], model, BALL, m=2)
    assert sorted(found.indices.tolist()) == [1, 2]


def test_lemma_bounds_of_a_pool():
    random = np.random.default_rng(6)
    model = hh.FactorGraph(random.random((4, 3)))
    pool = random.integers(0, 3, (12, 4))
    found = hh.select(pool, model, BALL, 3, 4.0)
    best = max(
        model.score(pool[list(p)]).sum() + 4.0 * BALL.value(model, pool[list(p)])
        for p in itertools.combinations(range(12), 3)
    )
    assert found.objective >= (1 - 1 / np.e) * best
    assert found.upper_bound >= best - 1e-9
    assert found.certificate.monotone >= best - 1e-9
    assert np.array_equal(found.labelings, pool[found.indices])
    everything = hh.select(pool, model, BALL, 12, 4.0)
    assert sorted(everything.indices.tolist()) == list(range(12))
