# SPDX-License-Identifier: BSD-3-Clause
"""Models of class scores: sizes, forbidden classes, tensors, and what the lists contain."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.draws import draws

import hedgehop as hh
from hedgehop.palette import VOC_NAMES, voc_palette
from hedgehop.segmentation.default_list import best_under_biases, candidates_as_truths, class_candidates
from hedgehop.segmentation.images import resample

pytest.importorskip("skimage")
SIZE = (48, 64)


def picture():
    image = np.zeros((*SIZE, 3))
    image[12:36, 16:44] = 1.0
    return image


def unsure():
    """A cat or, nearly as likely, a dog in the middle; at low resolution."""
    scores = np.zeros((9, 11, 5))
    scores[..., 0] = 2.0
    scores[3:6, 4:7, 2], scores[3:6, 4:7, 3] = 4.0, 3.5
    return scores


def by_hand(values, row, column):
    """Interpolate at one place, as the definition says."""
    i, j = min(int(row), max(0, len(values) - 2)), min(int(column), max(0, values.shape[1] - 2))
    k, m = min(i + 1, len(values) - 1), min(j + 1, values.shape[1] - 1)
    a, b = row - i, column - j
    return (1 - a) * ((1 - b) * values[i, j] + b * values[i, m]) + a * ((1 - b) * values[k, j] + b * values[k, m])


@given(st.tuples(*[st.integers(1, 5)] * 2), st.tuples(*[st.integers(2, 9)] * 2), draws())
def test_scores_are_interpolated_with_corners_on_corners(small, large, random):
    values = random.normal((*small, 2))
    fine = resample(values, large)
    for r in range(large[0]):
        for c in range(large[1]):
            place = r * (small[0] - 1) / (large[0] - 1), c * (small[1] - 1) / (large[1] - 1)
            assert fine[r, c] == pytest.approx(by_hand(values, *place))
    assert fine[[0, 0, -1, -1], [0, -1, 0, -1]] == pytest.approx(values[[0, 0, -1, -1], [0, -1, 0, -1]])


def test_a_forbidden_score_forbids_its_neighbourhood_and_leaves_the_others_alone():
    values = np.array([[[1.0, -np.inf], [1.0, 5.0]]])
    assert resample(values, (1, 5))[0].tolist() == [[1.0, -np.inf], [1.0, -np.inf], [1.0, 5.0], [1.0, 5.0], [1.0, 5.0]]


@pytest.mark.parametrize("n_segments", [60, None])
def test_the_first_label_map_is_the_likely_one_and_another_has_the_other_class(n_segments):
    scene = hh.segmentation.from_scores(unsure(), picture(), n_segments)
    found = scene.suggest(m=4)
    assert found.labelings.shape == (len(found), *SIZE)
    assert found.labelings[0, 24, 30] == 2
    assert found.labelings[0, 2, 2] == 0
    assert {2, 3} <= set(found.labelings[:, 24, 30].tolist())
    assert found.distinct == len(found)
    assert "time: list" in found.report()


@pytest.mark.parametrize("n_segments", [60, None])
def test_variables_and_pixels_go_both_ways(n_segments):
    scene = hh.segmentation.from_scores(unsure(), picture(), n_segments, most_pixels=1500)
    rows = np.arange(scene.model.n_variables)[None] % 5
    maps = scene.to_pixels(rows.reshape(1, *scene.model.shape))
    assert maps.shape == (1, *SIZE)
    assert (maps[0] == rows[0][scene.segments]).all()
    assert scene.weights.mean() == pytest.approx(1.0)
    areas = np.bincount(scene.segments.ravel(), minlength=scene.model.n_variables)
    if n_segments is not None:
        assert np.corrcoef(areas, scene.weights)[0, 1] > 0.9
    assert (scene.colored(rows)[0] == voc_palette(5)[maps[0]]).all()
    with pytest.raises(ValueError, match="labelings must have shape"):
        scene.to_pixels(rows[:, :-1])
    with pytest.raises(ValueError, match="labels"):
        scene.colored(rows - 1)


def test_superpixels_have_the_mean_score_times_their_area():
    fine = np.random.default_rng(0).normal(size=(*SIZE, 3))
    scene = hh.segmentation.from_scores(fine, picture(), 40, smoothness=0.0)
    for v in range(scene.model.n_variables):
        mean = fine[scene.segments == v].mean(axis=0)
        assert scene.model.unary[v] == pytest.approx(mean * scene.weights[v])


@pytest.mark.parametrize("n_segments", [60, None])
def test_strokes_hold_their_class_and_candidates_stay_close_to_a_chosen_one(n_segments):
    scene = hh.segmentation.from_scores(unsure(), picture(), n_segments)
    strokes = np.full(SIZE, -1)
    strokes[4:8, 4:8] = 4
    held = scene.holding(strokes)
    shown = []
    found = held.candidates(3, show=shown.append)
    assert (found.labelings[:, 5, 5] == 4).all()
    assert (np.array(shown) == found.labelings).all()
    assert scene.suggest(m=1).labelings[0, 5, 5] == 0  # the scene itself is as before
    dog = np.where(found.labelings[0] == 2, 3, found.labelings[0])
    assert scene.holding(strokes, dog).candidates(1).labelings[0, 24, 30] == 3
    maps = [scene.holding(strokes, smoothness=factor).candidates(1).labelings[0] for factor in (1.0, 20.0)]
    rough, smooth = (np.count_nonzero(np.diff(labels)) for labels in maps)
    assert smooth < rough


def test_two_threads_share_a_scene():
    scene = hh.segmentation.from_scores(unsure(), picture(), None)
    with ThreadPoolExecutor(4) as threads:
        lists = list(threads.map(lambda _: scene.suggest(m=2).labelings, range(4)))
    assert all((other == lists[0]).all() for other in lists)


class Tensor:
    """What other libraries hand over: memory that says how it is laid out."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class Gradient:
    """A tensor that asks to be detached and moved first."""

    def __init__(self, array):
        self._array = array

    def detach(self):
        return self

    def cpu(self):
        return Arrayish(self._array)

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("call detach first")


class Arrayish:
    def __init__(self, array):
        self._array = array

    def __array__(self, dtype=None, copy=None):
        return self._array if dtype is None else self._array.astype(dtype)


def test_labels_may_come_first_and_tensors_are_taken():
    first = np.ascontiguousarray(np.moveaxis(unsure(), -1, 0))
    wanted = hh.segmentation.from_scores(unsure(), picture(), 60).model.unary
    for given_scores in (first, Tensor(first), Arrayish(first), Gradient(first), first.tolist()):
        model = hh.segmentation.from_scores(given_scores, picture(), 60, labels_first=True).model
        assert (model.unary == wanted).all()
    half = hh.segmentation.from_scores(unsure().astype(np.float16), picture(), 60)
    assert half.model.unary == pytest.approx(wanted)


def blocks(labels_first: bool) -> np.ndarray:
    """Logits of three classes, one of them in a square."""
    logits = np.tile([2.0, 0.0, -1.0], (40, 50, 1)) + 0.3 * np.random.default_rng(0).normal(size=(40, 50, 3))
    logits[10:30, 15:35] += [-3.0, 3.0, 2.5]
    return np.moveaxis(logits, -1, 0) if labels_first else logits


@pytest.mark.parametrize("labels_first", [False, True])
def test_scores_need_no_image(labels_first):
    found = hh.segmentation.from_scores(blocks(labels_first), n_segments=100).suggest(m=3)
    square = np.zeros((40, 50), bool)
    square[10:30, 15:35] = True
    assert ((found.labelings[0] == 1) == square).mean() > 0.97
    assert found.distinct == 3
    pixels = hh.segmentation.from_scores(blocks(labels_first), n_segments=None).suggest(m=2)
    assert ((pixels.labelings[0] == 1) == square).mean() > 0.97


def test_probabilities_are_recognised():
    logits = blocks(False)
    chances = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    found = hh.segmentation.from_scores(chances.astype(np.float32), n_segments=None)
    expected = hh.segmentation.from_scores(np.log(chances), n_segments=None)
    assert found.model.unary == pytest.approx(expected.model.unary, abs=1e-4)
    assert np.isfinite(hh.segmentation.from_scores(np.eye(3)[[[0, 1], [2, 2]]], n_segments=None).model.unary).all()


def test_scores_of_unclear_axes_need_a_word():
    with pytest.raises(ValueError, match="which may be either"):
        hh.segmentation.from_scores(np.zeros((4, 9, 4)))
    assert hh.segmentation.from_scores(np.zeros((4, 9, 4)), n_segments=None, labels_first=True).shape == (9, 4)


def test_a_class_that_is_forbidden_everywhere_is_never_used():
    scores = unsure()
    scores[..., 3] = -np.inf
    found = hh.segmentation.from_scores(scores, picture(), 60).suggest(m=6)
    assert 3 not in found.labelings


@pytest.mark.parametrize("shape", [(1, 1, 2), (3, 4, 2), (2, 2, 3)])
def test_small_scores_do(shape):
    found = hh.segmentation.from_scores(np.zeros(shape), picture(), 20).suggest(m=3)
    assert (found.labelings[0] == 0).all()


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.zeros((4, 4)), r"scores must have shape.*np.stack\(\[0 \* s, s\]\)"),
        (np.zeros((1, 48, 64)), r"at least two classes; got one.*np.stack\(\[0 \* s, s\]\)"),
        (np.zeros((48, 64, 1)), "at least two classes"),
        (np.zeros((1, 3, 4, 4)), r"scores\[0\]"),
        (np.zeros((0, 4, 2)), "scores must have shape"),
        (np.full((2, 2, 2), np.nan), "NaN"),
        (np.full((2, 2, 2), np.inf), r"\+inf"),
    ],
)
def test_bad_scores_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        hh.segmentation.from_scores(scores, picture())


@pytest.mark.parametrize("shape", [(1, 48, 64), (48, 64, 1), (1, 1, 1)])
def test_one_class_alone_is_refused(shape):
    with pytest.raises(ValueError, match="at least two classes"):
        hh.segmentation.from_scores(np.zeros(shape))


def test_the_default_list_takes_no_tradeoff():
    scene = hh.segmentation.from_scores(unsure(), picture(), 60)
    with pytest.raises(TypeError, match="tradeoff must come with a diversity"):
        scene.suggest(m=2, tradeoff=3.0)
    assert len(scene.suggest(m=2, diversity=hh.LinearHamming(scene.weights), tradeoff=0.5)) == 2
    assert "48 x 64 pixels" in repr(scene)


@settings(deadline=None)
@given(draws(), st.integers(1, 4), st.integers(1, 6))
def test_candidates_are_different_and_begin_with_the_best(random, n_labels, n):
    model = hh.FactorGraph(random.normal(size=(n, n_labels)), [[i, i + 1] for i in range(n - 1)], 0.3)
    pool, biases = class_candidates(model, np.ones(n))
    assert (best_under_biases(model, np.ones(n), biases[-1:]) == pool[-1:]).all()
    assert (pool[0] == hh.best(model).labeling).all()
    assert len({y.tobytes() for y in pool}) == len(pool)


def test_candidates_lose_a_class_and_gain_each_other_one():
    model = hh.FactorGraph([[0.0, 1.0, 0.0, 0.0]] * 2 + [[1.0, 0.0, 0.0, 0.0]] * 2)
    used = [set(y.tolist()) for y in class_candidates(model, np.ones(4))[0]]
    assert used[0] == {0, 1}
    assert any(1 not in u for u in used)
    assert all(any(label in u for u in used) for label in range(4))


def test_the_palette_is_that_of_voc():
    colors = voc_palette()
    assert len(VOC_NAMES) == 21
    assert colors.shape == (256, 3)
    assert colors[[8, 15, 20, 255]].tolist() == [[64, 0, 0], [192, 128, 128], [0, 64, 128], [224, 224, 192]]


@pytest.mark.parametrize("labels_first", [False, True])
def test_square_scores_are_maps_whatever_the_proportions_of_the_image(labels_first):
    """33 x 33 scores of 21 classes are no 33 classes on an image of 21 : 33."""
    shape = (21, 33, 33) if labels_first else (33, 33, 21)
    for image in (np.zeros((42, 66, 3)), np.zeros((66, 42, 3))):
        assert hh.segmentation.from_scores(np.zeros(shape), image, 20).model.n_labels == 21


@pytest.mark.parametrize("n_segments", [60, None])
def test_suggestions_know_how_sure_they_are(n_segments):
    found = hh.segmentation.from_scores(blocks(False), n_segments=n_segments).suggest(m=3)
    assert found.is_weighed
    assert found.probabilities.sum() == pytest.approx(1.0)
    assert found.sure.shape == found.entropy.shape == found.labelings.shape[1:]
    choice = found.choose("iou")
    assert np.array_equal(choice.labeling, found.labelings[choice.index])
    wrong_pixels = found.sure.size * found.choose("accuracy").losses
    np.testing.assert_allclose(found.choose("hamming").losses, wrong_pixels)
    assert hh.consensus(found).shape == found.labelings.shape[1:]
    assert "likely" in found.report()


def test_the_weaker_the_scores_the_less_sure_a_list_is():
    labels = np.random.default_rng(4).integers(0, 3, (12, 12))
    scores = 8.0 * np.eye(3)[labels]
    said = []
    for share in (1.0, 0.1):  # the same labelings, with scores that say less
        scene = hh.segmentation.from_scores(share * scores, n_segments=None, smoothness=0.0)
        rows = np.array([labels.ravel(), (labels.ravel() + 1) % 3], np.int32)
        possible = candidates_as_truths(scene.model, scene.weights, rows, np.array([0.9, 0.1]))
        doubt = 2.0 / (2.0 + np.exp(8.0 * share))
        assert possible.reach == pytest.approx(doubt)
        assert possible.marginals.max(axis=1) == pytest.approx(np.full(144, min(0.9, 1.0 - doubt)))
        said.append([possible.nearest(rows)[0], possible.far_from(rows, 0.1)])
    assert said[0][0] == pytest.approx(0.9, abs=1e-6)
    assert said[0][1] < 1e-6
    assert 0.75 < said[1][0] < 0.87
    assert said[1][1] == pytest.approx(np.exp(-0.1 / doubt))
