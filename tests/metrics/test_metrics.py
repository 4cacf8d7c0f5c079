# SPDX-License-Identifier: BSD-3-Clause
"""Metrics against scikit-learn and plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehop import metrics


@st.composite
def cases(draw):
    """Three labelings and a truth with ignored places, at least one known."""
    n, labels = draw(st.integers(1, 12)), draw(st.integers(2, 4))
    label = st.integers(0, labels - 1)
    rows = [draw(st.lists(label, min_size=n, max_size=n)) for _ in range(3)]
    truth = draw(st.lists(st.one_of(label, st.just(255)), min_size=n, max_size=n))
    truth[0] = draw(label)
    return np.array(rows), np.array(truth), labels


@settings(deadline=None)  # scikit-learn warms up
@given(cases())
def test_accuracy_iou_and_confusion_are_those_of_scikit_learn(case):
    sk = pytest.importorskip("sklearn.metrics")
    rows, truth, labels = case
    known = truth != 255
    tables = metrics.confusion(rows, truth, labels, ignore=255)
    for row, table, share, each, mean in zip(
        rows,
        tables,
        metrics.accuracy(rows, truth, ignore=255),
        metrics.iou(rows, truth, labels, ignore=255),
        metrics.mean_iou(rows, truth, labels, ignore=255),
        strict=True,
    ):
        if np.unique(np.concatenate([truth[known], row[known]])).size == 1:
            assert table.sum() == table.max() == known.sum()
            continue  # scikit-learn warns
        assert table.tolist() == sk.confusion_matrix(truth[known], row[known], labels=range(labels)).tolist()
        assert share == pytest.approx(sk.accuracy_score(truth[known], row[known]))
        there = sorted({*truth[known].tolist(), *row[known].tolist()})
        expected = sk.jaccard_score(truth[known], row[known], labels=there, average=None)
        assert each[there] == pytest.approx(expected)
        assert np.isnan(np.delete(each, there)).all()
        assert mean == pytest.approx(expected.mean())


@given(cases())
def test_oracles_are_the_best_of_the_list(case):
    rows, truth, labels = case
    assert metrics.best_accuracy(rows, truth, ignore=255) == metrics.accuracy(rows, truth, ignore=255).max()
    assert metrics.best_iou(rows, truth, labels, ignore=255) == metrics.mean_iou(rows, truth, labels, ignore=255).max()
    assert (metrics.oracle_accuracy, metrics.oracle_iou) == (metrics.best_accuracy, metrics.best_iou)
    at = metrics.best_so_far(metrics.accuracy(rows, truth, ignore=255))
    assert at.tolist() == [metrics.best_accuracy(rows[: k + 1], truth, ignore=255) for k in range(3)]
    assert metrics.coverage(rows, truth, ignore=255) >= at[-1]


def test_one_labeling_gives_a_number_and_images_are_taken_as_they_are():
    truth = np.array([[0, 1], [1, 255]])
    assert metrics.accuracy([[0, 1], [0, 0]], truth, 255) == pytest.approx(2 / 3)
    assert metrics.accuracy(np.zeros((4, 2, 2), int), truth).shape == (4,)
    assert np.isnan(metrics.accuracy([[0]], [[255]], 255))


def test_the_corpus_counts_all_images_together():
    lists = [np.array([[0, 0, 1, 1], [0, 1, 1, 1]]), np.array([[1, 1, 1, 1]])]
    truths = [np.array([0, 1, 1, 1]), np.array([1, 0, 0, 1])]
    assert metrics.corpus_iou(lists, truths, 2).tolist() == pytest.approx([1 / 3, 5 / 7])
    assert metrics.corpus_iou(lists, truths, 2, by="accuracy").tolist() == pytest.approx([1 / 3, 5 / 7])


def test_distances_are_shares_by_weight():
    assert metrics.distances([[0, 0, 1], [0, 1, 0]], weights=[2.0, 1.0, 1.0]).tolist() == [[0.0, 0.5], [0.5, 0.0]]


def test_distances_are_plain_shares_without_weights():
    images = np.zeros((3, 2, 4), int)
    images[1, 0], images[2] = 1, 1
    assert metrics.distances(images).tolist() == [[0.0, 0.5, 1.0], [0.5, 0.0, 0.5], [1.0, 0.5, 0.0]]


def test_the_mean_iou_of_one_labeling_is_a_number():
    assert metrics.mean_iou([0, 0, 1], [0, 1, 1]) == pytest.approx(0.5)
    assert metrics.mean_iou([[0, 0, 1], [0, 1, 1]], [0, 1, 1]).tolist() == pytest.approx([0.5, 1.0])
    assert np.isnan(metrics.mean_iou([0, 1], [255, 255], ignore=255))


def test_the_best_so_far_of_whole_numbers_are_floats():
    assert metrics.best_so_far([1, 3, 2]).dtype == np.float64


def test_masks_are_no_truths():
    with pytest.raises(ValueError, match="got only 0 and 255, which stands for unknown"):
        metrics.refuse_masks([[0, 255], [255, 0]], 255)
    metrics.refuse_masks([[0, 255], [1, 0]], 255)
    metrics.refuse_masks([[0, 0]], 255)


def test_the_trimap_keeps_a_band_on_both_sides_of_borders():
    truth = np.zeros((9, 9), int)
    truth[:, 5:] = 1
    band = metrics.near_borders(truth, width=2)
    assert (band[:, 3:7] == truth[:, 3:7]).all()
    assert (np.delete(band, range(3, 7), axis=1) == 255).all()


def test_a_trimap_without_borders_ignores_everything():
    nothing = metrics.near_borders(np.zeros((3, 3), int), 1, ignore=7)
    assert nothing.dtype == np.int64
    assert (nothing == 7).all()


def test_a_trimap_keeps_a_band_around_unknown_places():
    truth = np.array([[0, 0, 0, 7, 7, 7, 1, 1, 1]])
    assert metrics.near_borders(truth, 1, ignore=7).tolist() == [[7, 7, 0, 7, 7, 7, 1, 7, 7]]
    assert metrics.near_borders(truth, 2, ignore=7).tolist() == [[7, 0, 0, 7, 7, 7, 1, 1, 7]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.accuracy([[0, 1]], [0, 1, 1]), r"the truth's shape \(3,\)"),
        (lambda: metrics.accuracy(np.zeros((0, 3), int), [0, 1, 1]), "at least one labeling"),
        (lambda: metrics.confusion([3], [0], n_labels=2), r"labels must be 0\.\.1.*got 3"),
        (lambda: metrics.corpus_iou([], [], 2, by="luck"), "by must be"),
        (lambda: metrics.distances([1, 2]), "stacked"),
        (lambda: metrics.distances([[0, 1, 2]], weights=[1.0, 2.0]), "weights must have one entry per variable"),
        (lambda: metrics.corpus_iou([[[0, 1]]], [[0, 1], [1, 1]], 2), "shorter|longer"),
        (lambda: metrics.confusion([10**6], [0]), "labels must be few enough .* got label 1000000"),
        (lambda: metrics.accuracy([0.5], [0]), "labelings must"),
        (lambda: metrics.accuracy([0], [0.5]), "truth must"),
        (lambda: metrics.accuracy(np.zeros((2, 0), int), np.zeros(0, int)), "truth must hold at least one variable"),
        (lambda: metrics.confusion([-1], [0]), "labels must be .*got -1"),
        (lambda: metrics.confusion([0], [0], n_labels=10**6), "n_labels must be small enough .* got 1000000"),
        (lambda: metrics.confusion([0], [0], n_labels=0), "n_labels must be at least 1"),
        (lambda: metrics.iou_of([1, 2]), r"counts must have shape \(..., L, L\); got \(2,\)"),
        (lambda: metrics.iou_of([[1, 2]]), r"counts must have shape \(..., L, L\); got \(1, 2\)"),
        (lambda: metrics.distances([[0.5]]), "labelings must be whole numbers"),
        (lambda: metrics.distances(np.zeros((0, 3), int)), "at least one labeling of one variable"),
        (lambda: metrics.distances([[0, 1]], weights=[0.0, 0.0]), "weights must have a positive, finite sum; got 0"),
        (lambda: metrics.near_borders([[0.5]], 1), "truth must be whole numbers"),
        (lambda: metrics.near_borders([[0, 1]], 0), "width must be at least 1"),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_masks_are_refused_and_nothing_else():
    for truth in ([0, 255, 255], [255, 255]):
        with pytest.raises(ValueError, match=r"labels of objects.*only 0 and 255"):
            metrics.refuse_masks(truth, 255)
    with pytest.raises(ValueError, match="only 0 and 7"):
        metrics.refuse_masks([[0, 7], [7, 0]], 7)
    for truth, ignore in (([0, 0], 255), ([0, 1, 255], 255), ([1, 255], 255), ([0, 255], None), ([0, 255], 7)):
        assert metrics.refuse_masks(truth, ignore) is None


def test_the_best_so_far_is_kept_along_each_list():
    values = [[1, 3, 2], [2, 1, 5]]
    assert metrics.best_so_far(values).tolist() == [[1.0, 3.0, 3.0], [2.0, 2.0, 5.0]]
    assert metrics.best_so_far(values).dtype == np.float64
    assert metrics.best_so_far([0.5]).tolist() == [0.5]


def test_the_best_labeling_of_an_image_is_chosen_by_what_is_asked_for():
    truth = np.array([0] * 8 + [1, 1, 255])
    lists = [np.array([[0] * 10 + [1], [0] * 5 + [1] * 5 + [0]])]  # accuracy 0.8 and 0.7, mean IoU 0.4 and 0.51
    by_iou, by_accuracy = (
        metrics.corpus_iou(lists, [truth], 2, by=by, ignore=255).tolist() for by in ("iou", "accuracy")
    )
    assert by_iou == pytest.approx([5 / 8, 2 / 5])
    assert by_accuracy == pytest.approx([8 / 10, 0.0])
    assert metrics.corpus_iou(lists, [truth], 2, ignore=255).tolist() == by_iou
    counted = metrics.corpus_iou(lists, [np.where(truth == 255, 1, truth)], 2)
    assert counted.tolist() == pytest.approx([8 / 10, 1 / 3])  # the last one is right in the first labeling alone


def test_nothing_is_ignored_unless_asked():
    assert metrics.accuracy([0, 255], [0, 255]) == 1.0
    assert metrics.accuracy([0, 3], [0, 255]) == 0.5
    assert metrics.coverage([[0, 3]], [0, 255]) == 0.5
    assert metrics.confusion([0, 255], [0, 255]).sum() == 2
    assert metrics.mean_iou([0, 255], [0, 0]) == pytest.approx(0.25)
