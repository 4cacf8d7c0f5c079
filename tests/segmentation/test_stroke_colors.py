# SPDX-License-Identifier: BSD-3-Clause
"""Strokes read from painted pictures."""

import numpy as np
import pytest

from hedgehop.segmentation import from_colors


def test_painted_strokes_are_read():
    painted = np.full((3, 4, 3), 255, np.uint8)
    painted[0], painted[1, :2] = (250, 10, 5), (3, 0, 240)
    assert from_colors(painted).tolist() == [[2, 2, 2, 2], [1, 1, 0, 0], [0, 0, 0, 0]]
    with pytest.raises(ValueError, match="picture must have shape"):
        from_colors(np.zeros((3, 4)))


def test_strokes_in_colours_without_a_meaning_are_refused():
    painted = np.full((9, 9, 3), 255, np.uint8)
    painted[:3], painted[6:] = (250, 10, 10), (40, 200, 60)
    with pytest.raises(ValueError, match="blue for 1, red for 2; got 27 green pixels"):
        from_colors(painted)
    assert from_colors(painted, {1: (250, 10, 10), 2: (40, 200, 60)})[[0, 4, 8], 0].tolist() == [1, 0, 2]


def test_photographs_are_no_strokes():
    photo = np.random.default_rng(0).integers(0, 256, (60, 80, 3))
    with pytest.raises(ValueError, match="shades of them, as in a photograph"):
        from_colors(photo)
    photo[10:20, 10:60], photo[40:50, 10:60] = (255, 0, 0), (0, 0, 255)
    assert from_colors(photo)[15, 30] == 2  # painted on it
    assert from_colors(photo)[45, 30] == 1


@pytest.mark.parametrize("red", [(255, 30, 30), (237, 28, 36), (229, 72, 77), (190, 0, 0)])
@pytest.mark.parametrize("blue", [(30, 80, 255), (63, 72, 204), (79, 142, 247), (0, 0, 160)])
@pytest.mark.parametrize("backdrop", [(0, 0, 0, 0), (255, 255, 255, 255), (0, 0, 0, 255)])
def test_any_red_and_any_blue_will_do_on_a_plain_backdrop(red, blue, backdrop):
    painted = np.full((20, 20, 4), backdrop, np.uint8)
    painted[2:4], painted[8:10] = (*red, 255), (*blue, 255)
    assert from_colors(painted)[[0, 2, 8, 15], 5].tolist() == [0, 2, 1, 0]


@pytest.mark.parametrize("color", [(255, 140, 0), (120, 120, 120), (20, 20, 20)])
def test_no_colour_is_ignored_on_a_plain_backdrop(color):
    painted = np.full((20, 20, 3), 255, np.uint8)
    painted[2:4], painted[8:10], painted[14:16] = (255, 0, 0), (0, 0, 255), color
    with pytest.raises(ValueError, match=r"blue for 1, red for 2; got 40 \("):
        from_colors(painted)


@pytest.mark.parametrize("backdrop", [255, 128, 0])
def test_strokes_may_cover_most_of_a_plain_backdrop(backdrop):
    painted = np.full((20, 20, 3), backdrop, np.uint8)
    painted[2:4], painted[6:18] = (255, 0, 0), (0, 0, 255)
    assert from_colors(painted)[[0, 2, 8, 19], 5].tolist() == [0, 2, 1, 0]


def test_a_blue_backdrop_stays_one():
    painted = np.full((20, 20, 3), (0, 0, 255), np.uint8)
    painted[2:4] = (255, 0, 0)
    assert from_colors(painted)[[0, 2], 5].tolist() == [0, 2]


def test_even_a_dot_of_another_colour_is_refused():
    painted = np.zeros((100, 100, 4), np.uint8)
    painted[2:22], painted[38:60], painted[80:85, 5:10] = (255, 0, 0, 255), (0, 0, 255, 255), (0, 200, 40, 255)
    with pytest.raises(ValueError, match="got 25 green pixels"):
        from_colors(painted)


def test_strokes_on_a_photograph_need_not_be_pure():
    photo = np.random.default_rng(0).integers(0, 256, (60, 80, 3))
    photo[10:20, 10:60], photo[40:50, 10:60] = (255, 30, 30), (30, 30, 255)
    assert from_colors(photo)[[15, 45], 30].tolist() == [2, 1]
