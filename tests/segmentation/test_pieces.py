# SPDX-License-Identifier: BSD-3-Clause
"""Pieces of the pipeline against small cases worked out otherwise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hedgehop.segmentation.default_list import POOL_SCORES, drop_components_without_stroke, random_models
from hedgehop.segmentation.scribbles import lay_on
from hedgehop.segmentation.strokes.scores import in_units
from hedgehop.segmentation.superpixels import Graph, Superpixels, path_lengths, walk_probabilities


def graph(edges, weights):
    ones = np.ones(len(edges))
    return Graph(np.array(edges, np.int32), ones, np.array(weights, float), ones)


def test_a_random_walk_between_two_seeds_follows_the_weights():
    chain = graph([[0, 1], [1, 2]], [1.0, 3.0])
    assert walk_probabilities(chain, np.array([0, -1, 1]), 2)[1] == pytest.approx([0.25, 0.75])
    assert (walk_probabilities(chain, np.array([0, 1, 1]), 2) == np.eye(2)[[0, 1, 1]]).all()


@given(st.lists(st.floats(0.1, 5.0), min_size=6, max_size=6))
def test_random_walks_are_those_of_many_steps(weights):
    """The probability is the mean of the neighbours' ones, weighted: iterate until it is."""
    edges = [[0, 1], [1, 2], [2, 3], [3, 0], [1, 3], [2, 4]]
    seeds = np.array([0, -1, -1, -1, 1])
    found = walk_probabilities(graph(edges, weights), seeds, 2)
    matrix = np.zeros((5, 5))
    for (i, j), w in zip(edges, weights, strict=True):
        matrix[i, j] = matrix[j, i] = w
    for i in (1, 2, 3):
        assert found[i] == pytest.approx(matrix[i] @ found / matrix[i].sum(), abs=1e-6)


def test_paths_are_the_shortest():
    far = path_lengths(graph([[0, 1], [1, 2], [0, 2]], [1, 1, 1]), np.array([1.0, 1.0, 5.0]), np.array([0, -1, 1]), 2)
    assert far == pytest.approx(np.array([[0.0, 2.0], [1.0, 1.0], [2.0, 0.0]]), abs=1e-5)


def test_components_without_a_stroke_become_background():
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 4]], np.int32)
    labeling, seeds = np.array([1, 1, 0, 1, 2], np.int32), np.array([1, -1, -1, -1, 2])
    both = np.array([labeling, np.ones(5, np.int32)])
    assert drop_components_without_stroke(both, edges, seeds).tolist() == [[1, 1, 0, 0, 2], [1, 1, 1, 1, 1]]


@pytest.mark.parametrize("n_labels", [2, 4])
def test_the_random_models_are_always_the_same_and_fill_their_space(n_labels):
    models = random_models(60, n_labels)
    assert repr(models) == repr(random_models(60, n_labels))
    weights = np.array([[m.weights[name] for name in POOL_SCORES] for m in models])
    assert weights.sum(axis=1) == pytest.approx(np.ones(60))
    assert weights.mean(axis=0) == pytest.approx(np.full(8, 1 / 8), abs=0.03)
    bias = np.array([m.bias for m in models])
    assert (bias[:, 0] == 0).all()
    assert np.abs(bias[:, 1:].mean(axis=0)).max() < 0.05
    assert np.log([m.smoothness for m in models]).mean() == pytest.approx(0.0, abs=0.1)
    assert np.mean([m.frame for m in models]) == pytest.approx(0.6, abs=0.05)


@given(st.lists(st.lists(st.floats(-9, 9), min_size=3, max_size=3), min_size=1, max_size=9))
@example([[0.0, 1e-310, -9.0]])
def test_units_make_the_median_lead_one_and_the_best_label_zero(rows):
    scores = in_units(np.array(rows))
    assert np.isfinite(scores).all()
    assert scores.max(axis=1) == pytest.approx(np.zeros(len(rows)))
    assert (scores.argmax(axis=1) == np.array(rows).argmax(axis=1)).all()
    lead = -np.sort(scores, axis=1)[:, -2]
    if np.median(lead) > 0 and np.ptp(rows, axis=1).min() > 1e-3:
        assert np.median(lead) == pytest.approx(1.0)


def test_a_label_that_loses_everywhere_gets_the_superpixel_where_it_is_strongest():
    superpixels = Superpixels(np.repeat([[0, 1, 2]], 4, axis=0).astype(np.int32))
    strokes = np.array([[0, 0, -1], [0, 0, -1], [0, 1, -1], [0, 0, -1]])
    assert lay_on(superpixels, strokes, 2).tolist() == [0, 1, -1]
