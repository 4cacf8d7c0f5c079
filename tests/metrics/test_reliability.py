# SPDX-License-Identifier: BSD-3-Clause
"""Measures of probabilities by their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from hedgehop.metrics import calibration_error, log_loss, reliability


def test_reliability_by_its_definition():
    found = reliability([0.05, 0.15, 0.95, 1.0], [0, 1, 1, 0])
    assert found.counts.tolist() == [1, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    assert found.said[[0, 1, 9]].tolist() == pytest.approx([0.05, 0.15, 0.975])
    assert found.true[[0, 1, 9]].tolist() == [0.0, 1.0, 0.5]
    assert np.isnan(found.said[2:9]).all()
    assert np.isnan(found.true[2:9]).all()
    assert found.error == pytest.approx((0.05 + 0.85 + 2 * abs(0.975 - 0.5)) / 4)


def test_bins_have_equal_width_and_arrays_any_shape():
    found = reliability([[0.1, 0.3], [0.6, 1.0]], [[0, 0.5], [1, 1]], bins=4)
    assert found.counts.tolist() == [1, 1, 1, 1]
    assert found.true.tolist() == [0.0, 0.5, 1.0, 1.0]
    assert reliability([0.1, 0.9], [0, 1], bins=1).counts.tolist() == [2]


def test_the_calibration_error_has_ten_bins_unless_told():
    said, came = [0.05, 0.15, 0.95], [0, 1, 1]
    assert calibration_error([1.0, 0.0], [1, 0]) == 0.0
    assert calibration_error(said, came) == reliability(said, came).error == pytest.approx((0.05 + 0.85 + 0.05) / 3)
    assert calibration_error(said, came, bins=1) == pytest.approx(2 / 3 - 1.15 / 3)


def test_noise_is_the_error_of_right_probabilities():
    said = np.repeat([0.25, 0.5, 0.75, 1.0], [7, 20, 3, 5])
    came = np.random.default_rng(0).random((20_000, said.size)) < said
    errors = [calibration_error(said, row) for row in came]
    mean, spread = reliability(said, came[0]).noise
    assert mean == pytest.approx(np.mean(errors), abs=4 * spread / np.sqrt(len(errors)))
    assert spread == pytest.approx(np.std(errors), rel=0.03)
    assert reliability([0.0, 1.0], [0, 1]).noise == (0.0, 0.0)
    assert reliability([0.5], [1]).noise == (0.5, 0.0)


def test_a_rounding_above_one_is_a_certain_event():
    assert reliability([1.0 + 1e-12], [1]).counts.tolist() == [0] * 9 + [1]


def test_the_log_loss_is_the_mean_over_events():
    assert log_loss([[0.25, 0.75]], [1]) == pytest.approx(-np.log(0.75))
    assert log_loss([[[0.25, 0.75], [0.5, 0.5]]], [[0, 1]]) == pytest.approx(-np.log(0.25 * 0.5) / 2)
    assert log_loss([0.25, 0.75], 1) == pytest.approx(-np.log(0.75))


def test_an_impossible_event_costs_much_but_not_everything():
    assert log_loss([[0.0, 1.0]], [0]) == pytest.approx(-np.log(1e-12))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: reliability([0.5], [0, 1]), "equally many, at least 1; got 1 and 2"),
        (lambda: reliability([], []), "at least 1; got 0 and 0"),
        (lambda: reliability([1.5], [1]), "probabilities must be between 0 and 1; got 1.5 to 1.5"),
        (lambda: reliability([-0.1, 0.5], [1, 1]), "probabilities must be between 0 and 1; got -0.1 to 0.5"),
        (lambda: reliability([0.5], [2]), "outcomes must be between 0 and 1"),
        (lambda: reliability([np.nan], [1]), "probabilities must"),
        (lambda: reliability([0.5], [np.inf]), "outcomes must be finite"),
        (lambda: reliability([0.5], [1], bins=0), "bins must be at least 1"),
        (lambda: log_loss([[0.5, np.nan]], [0]), "probabilities must"),
        (lambda: log_loss(0.5, []), "outcomes must have shape"),
        (lambda: log_loss([[0.5, 0.5]], [0, 1]), r"outcomes must have shape \(1,\); got \(2,\)"),
        (lambda: log_loss([[0.5, 0.5]], [0.5]), "outcomes must be whole numbers"),
        (lambda: log_loss([[0.5, 0.5]], [2]), r"outcomes must be labels 0\.\.1, at least one; got \[2\]"),
        (lambda: log_loss([[0.5, 0.5]], [-1]), r"outcomes must be labels 0\.\.1, at least one; got \[-1\]"),
        (lambda: log_loss(np.zeros((0, 2)), []), r"at least one; got \[\]"),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
