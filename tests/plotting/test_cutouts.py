# SPDX-License-Identifier: BSD-3-Clause
"""Cut-outs: what differs in words, transparency, and rows of panels."""

import numpy as np
import pytest

from hedgehop.plotting.cutouts import cut_out, difference_in_words, plot_cutouts

FIRST = np.zeros((60, 60), bool)
FIRST[20:40, 20:40] = True


def changed(**boxes):
    mask = FIRST.copy()
    for value, (rows, columns) in boxes.items():
        mask[rows, columns] = value == "added"
    return mask


@pytest.mark.parametrize(
    ("mask", "words"),
    [
        (FIRST, "the same"),
        (changed(added=(slice(40, 41), slice(20, 24))), "other borders"),
        (changed(added=(slice(50, 60), slice(50, 60))), "+ lower right"),
        (
            changed(added=(slice(0, 5), slice(25, 35)), removed=(slice(20, 40), slice(20, 30))),
            "- middle, + upper middle",
        ),
        (changed(added=(slice(22, 38), slice(0, 18))), "+ left"),
    ],
)
def test_differences_have_words(mask, words):
    assert difference_in_words(FIRST, mask) == words


def test_only_the_two_largest_parts_are_named():
    mask = changed(added=(slice(50, 60), slice(50, 60)))
    mask[:4, :4] = mask[:6, 50:] = True
    assert difference_in_words(FIRST, mask) == "+ lower right, + upper right"


@pytest.mark.parametrize(
    "image", [np.full((60, 60), 0.5), np.full((60, 60, 3), 32896, np.uint16), np.full((60, 60, 4), 128, np.uint8)]
)
def test_cut_outs_keep_colours_and_are_transparent_elsewhere(image):
    pixels = cut_out(image, FIRST)
    assert pixels.dtype == np.uint8
    assert pixels.shape == (60, 60, 4)
    assert (pixels[..., :3] == 128).all()
    assert ((pixels[..., 3] == 255) == FIRST).all()
    assert ((pixels[..., 3] == 0) == ~FIRST).all()


def test_rows_of_panels_have_captions():
    pytest.importorskip("matplotlib")
    masks = np.array([FIRST, changed(added=(slice(50, 60), slice(50, 60)))])
    figure = plot_cutouts(np.zeros((60, 60, 3)), {"two": masks, "one": masks[:1]}, np.zeros((60, 60, 3)))
    titles = [axes.get_title() for axes in figure.findobj(lambda artist: hasattr(artist, "get_title"))]
    assert [title for title in titles if title] == [
        "the strokes",
        "1  the best one",
        "2  + lower right (2.8%)",
        "1  the best one",
    ]
