# SPDX-License-Identifier: BSD-3-Clause
"""From strokes to candidates: all kinds of images and strokes, sizes, messages."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgehop as hh

pytest.importorskip("skimage")
pytest.importorskip("sklearn")
from hedgehop.segmentation import robot_scribbles
from hedgehop.segmentation.images import as_rgb, nearest
from hedgehop.segmentation.superpixels import Superpixels


def picture(height=60, width=80):
    """A bright square with some noise on a dark ground, its truth, strokes."""
    random = np.random.default_rng(0)
    truth = np.zeros((height, width), int)
    truth[height // 4 : height // 2, width // 4 : width // 2] = 1
    image = np.clip(0.2 + 0.5 * truth[..., None] + 0.01 * random.normal(size=(height, width, 3)), 0, 1)
    strokes = np.zeros_like(truth)
    strokes[height // 3 - 1 : height // 3 + 2, width // 3 : width // 2 - 3] = 2
    strokes[2:4, 5:-5] = 1
    return image, truth, strokes


@pytest.mark.parametrize("n_segments", [150, None])
def test_the_object_is_found_and_candidates_differ(n_segments):
    image, truth, strokes = picture()
    found = hh.Segmenter(image, n_segments).suggest(strokes, m=3)
    assert found.labelings.shape == (3, 60, 80)
    assert found.masks.dtype == bool
    assert found.pixel_accuracy(truth)[0] > 0.97
    assert found.distinct == 3
    if n_segments is None:
        assert (found.labelings[:, strokes > 0] == strokes[strokes > 0] - 1).all()


@pytest.mark.parametrize(
    "convert",
    [
        lambda x: x[..., 0],
        lambda x: np.round(255 * x).astype(np.uint8),
        lambda x: np.round(65535 * x).astype(np.uint16),
        lambda x: np.concatenate([x, np.ones_like(x[..., :1])], axis=-1),
        lambda x: x.astype(np.float32),
        lambda x: 1000 * x - 500,
    ],
    ids=["grey", "8 bit", "16 bit", "RGBA", "float32", "any range"],
)
def test_any_image_will_do(convert):
    image, truth, strokes = picture()
    assert hh.Segmenter(convert(image), 150).suggest(strokes, m=1).pixel_accuracy(truth)[0] > 0.97


def test_large_images_are_solved_small_and_masks_are_large():
    image, truth, strokes = picture(120, 160)
    strokes = np.where(np.arange(160) % 2 == 0, strokes, 0)  # thin strokes survive
    found = hh.Segmenter(image, 150, most_pixels=120 * 160 // 9).suggest(strokes, m=2)
    assert found.labelings.shape == (2, 120, 160)
    assert found.pixel_accuracy(truth)[0] > 0.95


def test_several_objects():
    image, truth, strokes = picture()
    image, truth = image.copy(), truth.copy()
    image[40:55, 50:70] = [0.1, 0.9, 0.1]
    truth[40:55, 50:70] = 2
    strokes[46:49, 55:65] = 3
    found = hh.Segmenter(image, 200).suggest(strokes, m=2)
    assert set(np.unique(found.labelings[0])) == {0, 1, 2}
    assert found.pixel_accuracy(truth)[0] > 0.95


def test_without_background_strokes_the_frame_is_background():
    image, truth, strokes = picture()
    strokes[strokes == 1] = 0
    assert hh.Segmenter(image, 150).suggest(strokes, m=1).pixel_accuracy(truth)[0] > 0.97


def test_where_strokes_disagree_the_majority_wins():
    image, truth, strokes = picture()
    strokes[20, 28] = 1
    assert hh.Segmenter(image, 150).suggest(strokes, m=1).pixel_accuracy(truth)[0] > 0.95


@pytest.mark.parametrize(
    "diversity", [hh.LinearHamming(), hh.VariableCoverage(), hh.VariableCoverage(h="sqrt")], ids=repr
)
def test_any_diversity_of_the_library_works(diversity):
    image, _, strokes = picture()
    segmenter = hh.Segmenter(image, 150)
    found = segmenter.suggest(strokes, m=3, diversity=diversity)
    model = segmenter.model(strokes)
    assert (found.labelings[0] == segmenter.to_pixels(hh.best(model).labeling[None])[0]).all()
    assert found.more(1).labelings.shape == (4, 60, 80)
    streamed = list(segmenter.stream(strokes, 3, diversity))
    assert (np.array(streamed) == found.labelings).all()


def test_options_without_a_diversity_are_refused():
    image, _, strokes = picture()
    with pytest.raises(TypeError, match="method must come with a diversity"):
        hh.Segmenter(image, 150).suggest(strokes, method="joint")


@pytest.mark.parametrize("shape", [(1, 12), (12, 1), (2, 2), (5, 7)])
@pytest.mark.parametrize("n_segments", [50, None])
def test_tiny_and_plain_images(shape, n_segments):
    strokes = np.zeros(shape, int)
    strokes.flat[0], strokes.flat[-1] = 1, 2
    try:
        found = hh.Segmenter(np.full(shape, 0.5), n_segments).suggest(strokes, m=1)
    except ValueError as error:
        assert "must not share a superpixel" in str(error)  # noqa: PT017
    else:
        assert found.labelings.shape == (1, *shape)


def test_other_scores_can_be_asked_for():
    image, truth, strokes = picture()
    for name in ("transductive", "mixture", "words", "geodesic"):
        found = hh.Segmenter(image, 150, scores={name: 1.0}).suggest(strokes, m=1)
        assert found.pixel_accuracy(truth)[0] > 0.95, name
    with pytest.raises(ValueError, match=r"scores must be among trees, .* got 'magic'"):
        hh.Segmenter(image, 150, scores={"magic": 1.0}).suggest(strokes)


def test_the_same_strokes_give_the_same_list_and_stream():
    image, _, strokes = picture()
    found = hh.Segmenter(image, 150).suggest(strokes, m=3)
    assert (hh.Segmenter(image, 150).suggest(strokes, m=3).labelings == found.labelings).all()
    assert (np.array(list(hh.Segmenter(image, 150).stream(strokes, 3))) == found.labelings).all()


def test_the_report_tells_the_time_of_each_part_and_the_list_can_be_saved(tmp_path):
    image, _, strokes = picture()
    found = hh.Segmenter(image, 150).suggest(strokes, m=2)
    assert all(part in found.report() for part in ("superpixels", "model", "list"))
    found.save(tmp_path / "x.npz")
    assert (hh.load(tmp_path / "x.npz").labelings == found.labelings).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: np.zeros_like(s), "must mark something"),
        (lambda s: np.where(s == 2, 0, s), r"got strokes of the background \(1\) only"),
        (lambda s: s[:-1], r"shape \(60, 80\); got \(59, 80\)"),
        (lambda s: np.where(s == 2, 4, s), "got no stroke of 2"),
        (lambda s: np.where(s == 2, 300, s), "labels 1..255"),
    ],
)
def test_strokes_that_say_nothing_are_refused(change, message):
    image, _, strokes = picture()
    with pytest.raises(ValueError, match=message):
        hh.Segmenter(image, 150).suggest(change(strokes))


def test_two_labels_in_a_single_superpixel_are_refused():
    strokes = np.zeros((60, 80), int)
    strokes[30, 40], strokes[30, 41] = 1, 2
    with pytest.raises(ValueError, match="must not share a superpixel"):
        hh.Segmenter(np.zeros((60, 80, 3)), 4).suggest(strokes)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "skimage.segmentation", None)
    with pytest.raises(
        hh.MissingExtraError, match=r"hh.Segmenter needs skimage: pip install 'hedgehop\[segmentation\]'"
    ):
        hh.Segmenter(np.zeros((9, 9, 3)))


def test_images_that_are_none_are_refused():
    with pytest.raises(ValueError, match=r"got \(3, 60, 80\). If channels come first"):
        as_rgb(np.zeros((3, 60, 80)))
    with pytest.raises(ValueError, match="NaN"):
        as_rgb(np.full((4, 4), np.nan))


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 30), st.integers(1, 30))
def test_enlarging_keeps_every_label_where_it_was(height, width, rows, columns):
    small = np.arange(height * width).reshape(height, width)
    large = nearest(small, (rows, columns))
    assert large.shape == (rows, columns)
    if rows % height == 0 and columns % width == 0:
        assert (large == np.kron(small, np.ones((rows // height, columns // width), int))).all()


@settings(max_examples=30)
@given(st.data())
def test_borders_of_superpixels_are_counted_right(drawn):
    segments = np.array(
        drawn.draw(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=3, max_size=3))
    )
    dense = np.unique(segments, return_inverse=True)[1].reshape(3, 4).astype(np.int32)
    superpixels, expected, values = Superpixels(dense), {}, np.random.default_rng(0).normal(size=(3, 4, 2))
    for (r, c), a in np.ndenumerate(dense):
        for r2, c2 in ((r, c + 1), (r + 1, c)):
            if r2 < 3 and c2 < 4 and dense[r2, c2] != a:
                change = ((values[r, c] - values[r2, c2]) ** 2).sum()
                expected.setdefault(tuple(sorted((int(a), int(dense[r2, c2])))), []).append(change)
    got = dict(
        zip(
            map(tuple, superpixels.edges.tolist()),
            zip(superpixels.lengths, superpixels.across(values), strict=True),
            strict=True,
        )
    )
    assert got.keys() == expected.keys()
    for pair, (length, change) in got.items():
        assert length == len(expected[pair])
        assert change == pytest.approx(np.mean(expected[pair]))


def test_the_robot_stays_inside_repeats_itself_and_leaves_nothing_out():
    truth = np.zeros((50, 70), int)
    truth[10:30, 10:40], truth[40, 60], truth[:, 45:50] = 1, 2, 255
    drawn = robot_scribbles(truth, seed=3)
    assert (drawn[drawn > 0] == truth[drawn > 0] + 1).all()
    assert set(np.unique(drawn)) == {0, 1, 2, 3}
    assert (drawn == robot_scribbles(truth, seed=3)).all()
    assert (drawn != robot_scribbles(truth, seed=4)).any()


def test_on_real_images_the_first_candidate_is_good(data):
    image_file = pytest.importorskip("PIL.Image")
    folder, shares = data / "grabcut", []
    for name in ("fullmoon", "flower"):
        image = next((folder / "images").glob(f"{name}.*"))
        strokes = np.array([0, 2, 1])[np.asarray(image_file.open(folder / f"scribbles1/{name}.png"))]
        levels = np.asarray(image_file.open(folder / f"segmentation/{name}.png"))
        truth = np.where(levels == 128, 255, levels == 255)
        shares.append(hh.Segmenter(image).suggest(strokes, m=1).pixel_accuracy(truth)[0])
    assert min(shares) > 0.97


def test_what_the_segmenter_refuses_at_once(tmp_path):
    with pytest.raises(ValueError, match=r"scores must be among trees, .*; got 'foo'"):
        hh.Segmenter(np.zeros((9, 9)), scores={"foo": 1})
    with pytest.raises(ValueError, match=r"image must be a file; .* is a folder"):
        hh.Segmenter(tmp_path)
    with pytest.raises(ValueError, match="truth must have a label somewhere"):
        robot_scribbles(np.full((5, 5), 255))
