# SPDX-License-Identifier: BSD-3-Clause
"""Scores on a grid: constants do not change where a search goes."""

from __future__ import annotations

import numpy as np
import pytest

from hedgehop.lists.proofs.bounds import on_grid


@pytest.mark.parametrize(("stake", "step"), [(1.0, 2.0**-31), (2.5, 2.0**-30), (4.0, 2.0**-29), (1e-9, 2.0**-61)])
def test_scores_are_whole_steps_below_the_best_one(stake, step):
    scores = stake * np.random.default_rng(0).random(50)
    found = on_grid(scores, stake)
    assert found.max() == 0.0
    assert (found / step == np.round(found / step)).all()
    assert np.abs(found - (scores - scores.max())).max() <= step / 2
    assert len(set(found.tolist())) == 50  # a grid of larger steps would make them equal


def test_constants_change_nothing():
    scores = np.random.default_rng(1).random(50)
    assert (on_grid(scores + 2.0**10, 1.0) == on_grid(scores, 1.0)).all()


@pytest.mark.parametrize("stake", [0.0, 5e-324])
def test_without_a_grid_scores_stay_as_they_are(stake):
    assert on_grid(np.array([0.3, 0.1, 0.7]), stake).tolist() == [0.3 - 0.7, 0.1 - 0.7, 0.0]
