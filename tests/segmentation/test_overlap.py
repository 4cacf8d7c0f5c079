# SPDX-License-Identifier: BSD-3-Clause
"""Expected overlap against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.draws import draws

import hedgehop as hh
from hedgehop.segmentation.overlap import ExpectedOverlap, overlaps


@given(draws(), st.integers(1, 4), st.integers(1, 6))
def test_overlaps_are_mean_ious(random, n_labels, n):
    a, b = random.integers(0, n_labels, (3, n)), random.integers(0, n_labels, (2, n))
    found = overlaps(a, b, np.ones(n))
    for k, z in enumerate(b):
        assert found[:, k] == pytest.approx(hh.metrics.mean_iou(a, z))


def test_weights_are_pixels():
    areas = np.array([3, 1, 2])
    pixels = np.repeat(np.arange(3), areas)
    a, b = np.array([[0, 1, 1]]), np.array([[0, 0, 1]])
    assert overlaps(a, b, areas.astype(float))[0, 0] == pytest.approx(hh.metrics.mean_iou(a[0][pixels], b[0][pixels]))


@given(draws())
def test_gains_are_differences_fall_and_are_never_negative(random):
    model = hh.FactorGraph(random.normal(size=(4, 3)))
    d = ExpectedOverlap(random.integers(0, 3, (5, 4)), 2.0 * random.random(4), random.random(5))
    rows = random.integers(0, 3, (4, 4))
    for y in rows:
        gains = [float(d.gain(model, y, rows[:t])) for t in range(4)]
        assert gains[2] == pytest.approx(d.value(model, [*rows[:2], y]) - d.value(model, rows[:2]))
        assert (np.diff(gains) <= 1e-12).all()
        assert min(gains) >= 0.0


def test_it_chooses_the_sample_with_the_best_chance_and_then_the_other_object():
    model = hh.FactorGraph(np.zeros((6, 3)))
    maps = [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 2]]
    d = ExpectedOverlap(maps, chances=[1.0, 3.0, 2.0])
    assert hh.select(maps, model, d, m=2, tradeoff=10.0).indices.tolist() == [1, 2]
    assert repr(d) == "ExpectedOverlap(3 samples)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1],), "samples must hold at least one labeling"),
        (([[0, 1]], [1.0]), "weights must have one entry"),
        (([[0, 1]], None, [1.0, 2.0]), "chances must have shape"),
        (([[0, 1]], None, [-1.0]), "chances must be nonnegative"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        ExpectedOverlap(*arguments)


def test_samples_of_another_model_are_refused():
    with pytest.raises(ValueError, match="label"):
        ExpectedOverlap([[0, 5]]).value(hh.FactorGraph([[0.0, 0.0]] * 2), [[0, 0]])
