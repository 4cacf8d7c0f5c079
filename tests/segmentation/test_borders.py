# SPDX-License-Identifier: BSD-3-Clause
"""Borders at pixels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.draws import draws

import hedgehop as hh
from hedgehop.segmentation.borders import Borders, _rings
from hedgehop.segmentation.superpixels import Superpixels

NO_STROKES = np.full((24, 24), -1, np.int64)


def blocks(side: int = 6) -> Superpixels:
    rows, columns = np.indices((24, 24)) // side
    return Superpixels((rows * (24 // side) + columns).astype(np.int32))


def two_halves(border: int) -> np.ndarray:
    """Dark on the left of a column, bright on the right, in Lab."""
    lab = np.zeros((24, 24, 3))
    lab[:, border:, 0] = 80.0
    return lab


@pytest.mark.parametrize("border", [11, 12, 13, 14])
def test_a_border_moves_to_where_the_colours_change(border):
    superpixels = blocks()
    right = (np.arange(16) % 4 >= 2).astype(np.int32)  # superpixels change at column 12
    drawn = Borders(two_halves(border), superpixels).redrawn(right, NO_STROKES, 2, "graphcut")
    assert (drawn == (np.arange(24) >= border)).all()


def test_strokes_are_held():
    strokes = NO_STROKES.copy()
    strokes[5, 12:14] = 0
    right = (np.arange(16) % 4 >= 2).astype(np.int32)
    drawn = Borders(two_halves(12), blocks()).redrawn(right, strokes, 2, "graphcut")
    assert (drawn[5, 12:14] == 0).all()


@given(st.lists(st.integers(0, 2), min_size=16, max_size=16), draws())
def test_pixels_far_from_any_border_keep_their_label(labels, random):
    superpixels, row = blocks(), np.array(labels, np.int32)
    lab = 50.0 + 20.0 * random.normal((24, 24, 3))
    borders = Borders(lab, superpixels)
    drawn = borders.redrawn(row, NO_STROKES, 3, "expansion")
    rough = row[superpixels.segments]
    far = _rings(rough, borders._width) == 0
    assert (drawn[far] == rough[far]).all()
    assert set(np.unique(drawn)) <= set(np.unique(rough))


@given(st.lists(st.lists(st.integers(0, 1), min_size=5, max_size=5), min_size=1, max_size=6), st.integers(1, 4))
def test_rings_count_the_steps_to_a_border(rows, width):
    labels = np.array(rows, np.int32)
    places = [(i, j) for i in range(labels.shape[0]) for j in range(5)]
    expected = np.full(labels.shape, 99)
    for i, j in places:
        steps = (abs(i - a) + abs(j - b) for a, b in places if labels[a, b] != labels[i, j])
        expected[i, j] = min(steps, default=99)
    assert (_rings(labels, width) == np.where(expected <= width, expected, 0)).all()


def test_one_pixel_and_one_label_are_fine():
    one = Superpixels(np.zeros((1, 1), np.int32))
    assert Borders(np.zeros((1, 1, 3)), one).redrawn(np.zeros(1, np.int32), -np.ones((1, 1), np.int64), 1, "auto") == 0


def test_candidates_differ_to_the_eye_where_enough_do():
    image = np.random.default_rng(0).uniform(0.0, 0.3, (60, 80, 3))
    image[10:30, 10:30], image[35:55, 20:45], image[10:50, 55:75] = 0.9, 0.7, 0.5
    scribbles = np.zeros((60, 80), int)
    scribbles[18:22, 18:22], scribbles[2:5, 5:75] = 2, 1
    found = hh.Segmenter(image, n_segments=200).suggest(scribbles, m=3)
    apart = [(a != b).mean() for k, a in enumerate(found.masks) for b in found.masks[:k]]
    assert min(apart) > 0.003


def test_candidates_never_contradict_strokes():
    random = np.random.default_rng(0)
    image = random.integers(0, 256, (60, 80, 3)).astype(np.uint8)
    image[20:40, 20:50] //= 3
    scribbles = random.integers(0, 3, (60, 80))
    found = hh.Segmenter(image, n_segments=300).suggest(scribbles, m=1)
    assert (found.labelings[:, scribbles > 0] == scribbles[scribbles > 0] - 1).all()


def test_masks_of_0_and_255_are_no_truth():
    image = np.zeros((20, 20, 3))
    image[5:15, 5:15] = 1.0
    scribbles = np.zeros((20, 20), int)
    scribbles[8:12, 8:12], scribbles[0] = 2, 1
    found = hh.Segmenter(image, n_segments=20).suggest(scribbles, m=1)
    with pytest.raises(ValueError, match="pass truth > 0"):
        found.pixel_accuracy(255 * found.masks[0])
    assert found.pixel_accuracy(255 * found.masks[0] > 0)[0] == 1.0
