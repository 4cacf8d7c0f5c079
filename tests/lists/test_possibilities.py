# SPDX-License-Identifier: BSD-3-Clause
"""What the truth may be, and how well labelings would do against it: by hand and by plain loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hedgehop.lists.possibilities import Possibilities, overlaps

ROWS = np.array([[0, 0, 1, 1], [0, 1, 1, 1], [2, 2, 2, 2]], np.int32)
CHANCES = np.array([0.5, 0.3, 0.2])
MEMBERS = np.array([[0, 0, 1, 1], [1, 1, 1, 1]], np.int32)


def possible(weights=(1.0, 1.0, 1.0, 1.0), by_overlap=False, n_labels=3):
    return Possibilities(ROWS, CHANCES, np.array(weights), n_labels, by_overlap)


def test_marginals_are_the_chances_of_labels():
    assert possible().marginals == pytest.approx(
        np.array([[0.8, 0.0, 0.2], [0.5, 0.3, 0.2], [0.0, 0.8, 0.2], [0.0, 0.8, 0.2]])
    )


def test_a_high_temperature_makes_chances_equal_and_a_low_one_keeps_the_best():
    plain = possible()
    assert plain.flattened(1.0) is plain
    assert plain.flattened(2.0).chances == pytest.approx(np.sqrt(CHANCES) / np.sqrt(CHANCES).sum())
    assert plain.flattened(1e9).chances == pytest.approx([1 / 3] * 3)
    assert plain.flattened(1e-3).chances == pytest.approx([1.0, 0.0, 0.0])


def test_the_nearest_labelings_share_the_chances():
    assert possible().nearest_members(MEMBERS).tolist() == [[1.0, 0.5, 0.5], [0.0, 0.5, 0.5]]
    assert possible().nearest(MEMBERS) == pytest.approx([0.75, 0.25])
    assert possible((3.0, 1.0, 1.0, 1.0)).nearest(MEMBERS) == pytest.approx([0.9, 0.1])


def test_possibilities_with_a_reach_are_shared_by_labelings_that_are_nearly_as_near():
    wide = replace(possible(), reach=0.25)
    shares = wide.nearest_members(MEMBERS)  # similarities: 1, 3/4, 0 and 1/2, 3/4, 0
    assert shares[0] == pytest.approx([1.0 / (1.0 + np.exp(-2.0)), 0.5, 0.5])
    assert shares.sum(axis=0) == pytest.approx(np.ones(3))
    assert wide.nearest(MEMBERS)[0] == pytest.approx(0.5 / (1.0 + np.exp(-2.0)) + 0.25)
    assert replace(possible(), reach=1e-9).nearest(MEMBERS) == pytest.approx(possible().nearest(MEMBERS))


def test_far_is_more_than_a_share_of_the_variables():
    assert possible().far_from(MEMBERS, 0.0) == pytest.approx(0.5)  # all but the first one
    assert possible().far_from(MEMBERS, 0.25) == pytest.approx(0.2)
    assert possible().far_from(MEMBERS, 1.0) == 0.0
    assert possible((1.0, 2.0, 1.0, 1.0)).far_from(MEMBERS[:1], 0.25) == pytest.approx(0.5)


def test_the_truth_is_farther_than_possibilities_that_have_a_reach():
    wide = replace(possible(), reach=0.25)  # nearest members differ in 0, 1/4 and all of the variables
    beyond = np.array([np.exp(-0.5 / 0.25), np.exp(-0.25 / 0.25), 1.0])
    assert wide.far_from(MEMBERS, 0.5) == pytest.approx(beyond @ CHANCES)
    draws = np.random.default_rng(0).exponential(0.25, 200_000)
    assert beyond[0] == pytest.approx((draws > 0.5).mean(), abs=2e-3)
    for share in (0.1, 0.25, 0.9):
        assert replace(possible(), reach=1e-9).far_from(MEMBERS, share) == pytest.approx(
            possible().far_from(MEMBERS, share - 1e-7)
        )


def test_labels_that_candidates_and_scores_favour_are_as_sure_as_the_less_sure_of_them():
    alone = np.array([[0.7, 0.2, 0.1], [0.8, 0.1, 0.1], [0.2, 0.1, 0.7], [1.0, 0.0, 0.0]])
    both = replace(possible(), alone=alone)
    assert both.marginals == pytest.approx(  # less sure, surer, another label, another label and surer
        np.array([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.0, 0.8, 0.2], [0.0, 0.8, 0.2]])
    )
    assert (both.marginals.argmax(axis=1) == possible().marginals.argmax(axis=1)).all()
    hot = both.flattened(2.0)
    assert hot.alone[0] == pytest.approx(np.sqrt(alone[0]) / np.sqrt(alone[0]).sum())
    assert hot.alone[3].tolist() == [1.0, 0.0, 0.0]


def test_the_expected_overlap_of_candidates_is_half_by_candidate_and_half_by_label():
    weights = (1.0, 2.0, 3.0, 4.0)
    alone = np.array([[0.4, 0.3, 0.3], [0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [0.3, 0.4, 0.3]])
    candidates = replace(possible(weights, by_overlap=True), alone=alone)
    each = overlaps(MEMBERS, ROWS, candidates.weights) @ CHANCES
    assert candidates.expected_overlap(MEMBERS) == pytest.approx((each + candidates.classwise_overlap(MEMBERS)) / 2.0)
    assert candidates.classwise_overlap(MEMBERS)[0] < possible(weights).classwise_overlap(MEMBERS)[0]
    assert possible(weights).expected_overlap(MEMBERS).tolist() == possible(weights).classwise_overlap(MEMBERS).tolist()


def test_overlaps_are_means_over_the_labels_in_either():
    weights = np.array([1.0, 2.0, 3.0, 4.0])

    def overlap(a, b):
        found = [weights[(a == k) & (b == k)].sum() / weights[(a == k) | (b == k)].sum() for k in {*a, *b}]
        return np.mean(found)

    wanted = np.array([[overlap(a, b) for b in ROWS] for a in MEMBERS])
    assert overlaps(MEMBERS, ROWS, weights) == pytest.approx(wanted)
    assert possible(weights, by_overlap=True).similarities(MEMBERS) == pytest.approx(wanted)
    assert possible(weights).similarities(MEMBERS)[0].tolist() == pytest.approx([1.0, 0.8, 0.0])


def test_expected_overlaps_count_labels_that_are_missing_half():
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    expected = weights @ possible(weights).marginals  # of each label: 1.8, 6.2 and 2
    zero, one = (0.8 + 1.0) / (3.0 + expected[0] - 1.8), 5.6 / (7.0 + expected[1] - 5.6)
    both = possible(weights).classwise_overlap(MEMBERS)
    assert both[0] == pytest.approx((zero + one) / 2.5)
    assert both[1] == pytest.approx((0.6 + 5.6) / (10.0 + expected[1] - 6.2) / 2.0)


def test_a_missing_label_that_is_hardly_expected_hardly_counts():
    rows = np.array([[0, 0], [0, 1]], np.int32)
    rare = Possibilities(rows, np.array([0.98, 0.02]), np.ones(2), 2)  # a label on 1 % of the variables
    assert rare.classwise_overlap(rows[:1]) == pytest.approx((1.98 / 2.0) / (1.0 + 0.25))


def test_labels_that_nobody_expects_and_nothing_has_do_not_count():
    assert possible(n_labels=7).classwise_overlap(MEMBERS) == pytest.approx(possible().classwise_overlap(MEMBERS))
