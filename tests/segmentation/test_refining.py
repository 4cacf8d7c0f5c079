# SPDX-License-Identifier: BSD-3-Clause
"""Refining a chosen segmentation, other smoothness without new work, candidates told as they come."""

from __future__ import annotations

import numpy as np
import pytest

import hedgehop as hh

pytest.importorskip("skimage")
pytest.importorskip("sklearn")


def scene():
    """Two bright squares of the same colour on a dark ground; only the left one is marked."""
    random = np.random.default_rng(0)
    image = 0.2 + 0.02 * random.random((60, 100, 3))
    image[20:40, 15:35] += 0.5
    image[20:40, 65:85] += 0.5
    strokes = np.zeros((60, 100), int)
    strokes[28:32, 20:30], strokes[3:5, 5:95] = 2, 1
    return image, strokes


def test_candidates_stay_close_to_the_chosen_one():
    image, strokes = scene()
    segmenter = hh.Segmenter(image, 200)
    for columns in (slice(15, 35), slice(15, 85)):
        chosen = np.zeros((60, 100), int)
        chosen[20:40, columns] = 1
        found = segmenter.suggest(strokes, m=2, around=chosen)
        assert (found.labelings[0] == chosen).mean() > 0.97
        model = segmenter.model(strokes, around=chosen)
        assert (segmenter.to_pixels(hh.best(model).labeling[None])[0] == chosen).mean() > 0.95


def test_a_list_around_a_chosen_one_still_differs_to_the_eye():
    image, strokes = scene()
    chosen = np.zeros((60, 100), int)
    chosen[20:40, 15:35] = 1
    segmenter = hh.Segmenter(image, 200, fine_borders=False)
    found = segmenter.suggest(strokes, m=6, around=chosen).labelings
    assert min((a != b).mean() for k, a in enumerate(found) for b in found[:k]) >= 0.005


def test_strokes_that_contradict_the_chosen_one_win_nearby():
    image, strokes = scene()
    chosen = np.zeros((60, 100), int)
    chosen[20:40, 15:35] = chosen[20:40, 65:85] = 1
    strokes[28:32, 70:80] = 1
    first = hh.Segmenter(image, 200).suggest(strokes, m=1, around=chosen).labelings[0]
    assert first[20:40, 65:85].mean() < 0.2
    assert first[20:40, 15:35].mean() > 0.9


def test_unknown_parts_and_wrong_ones():
    image, strokes = scene()
    segmenter = hh.Segmenter(image, 200)
    unknown = segmenter.suggest(strokes, m=1, around=np.full((60, 100), -1)).labelings
    assert (unknown == segmenter.suggest(strokes, m=1).labelings).all()
    with pytest.raises(ValueError, match="shape"):
        segmenter.suggest(strokes, around=np.zeros((5, 5), int))
    with pytest.raises(ValueError, match="labels that have strokes"):
        segmenter.suggest(strokes, around=np.full((60, 100), 2))


def test_other_smoothness_is_the_same_as_a_new_segmenter():
    image, strokes = scene()
    for count in (200, None):
        changed = hh.Segmenter(image, count).with_smoothness(3.0).suggest(strokes, m=2)
        fresh = hh.Segmenter(image, count, smoothness=3.0).suggest(strokes, m=2)
        assert (changed.labelings == fresh.labelings).all()
    with pytest.raises(ValueError, match="smoothness"):
        hh.Segmenter(image, 50).with_smoothness(-1.0)


@pytest.mark.parametrize("diversity", [None, hh.VariableCoverage()])
def test_candidates_are_told_as_they_come(diversity):
    image, strokes = scene()
    told = []
    found = hh.Segmenter(image, 200).suggest(strokes, m=3, diversity=diversity, callback=told.append)
    assert (np.array(told) == found.labelings).all()
