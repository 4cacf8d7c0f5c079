# SPDX-License-Identifier: BSD-3-Clause
"""Interrupted runs keep what they found."""

from __future__ import annotations

import numpy as np
import pytest

import hedgehop as hh

RANDOM = np.random.default_rng(0)
MODEL = hh.FactorGraph(RANDOM.normal(size=(5, 3)), [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]], 0.5)
BALL = hh.HammingBall(gamma=0.3)


def test_interruption_solves_nothing_more():
    """Label rewards: the single best labeling is not the first one, so its F is unknown when stopped early."""

    def stop(step):
        raise KeyboardInterrupt

    with pytest.raises(hh.Interrupted) as stopped:
        hh.diverse(MODEL, hh.LabelCoverage(parsimony=0.0), 5, callback=stop)
    assert np.isnan(stopped.value.found.certificate.baseline)
    assert stopped.value.found.guarantee == 0.0


def test_interruption_keeps_what_was_found():
    def stop_after_two(step, seen=[]):  # noqa: B006
        seen.append(step)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(hh.Interrupted) as stopped:
        hh.diverse(MODEL, BALL, 5, callback=stop_after_two)
    found = stopped.value.found
    assert len(found) == 2
    assert found.objective <= found.upper_bound
    whole = hh.diverse(MODEL, BALL, 5)
    assert np.array_equal(found.labelings, whole.labelings[:2])
    assert np.array_equal(found.more(3).labelings, whole.labelings)
    assert isinstance(stopped.value, KeyboardInterrupt)
