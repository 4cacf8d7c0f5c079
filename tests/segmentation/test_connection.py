# SPDX-License-Identifier: BSD-3-Clause
"""Objects that hang together with their strokes, and objects without holes: exact, and as promised at every pixel."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.ndimage import label

import hedgehop as hh
from hedgehop.segmentation.strokes.connection import roots_of, stars, towards


@pytest.fixture(scope="module")
def segmenter() -> hh.Segmenter:
    """Two bright squares, the left one with a dark hole."""
    image = np.full((60, 90, 3), 0.2)
    image[12:48, 10:38] = image[12:48, 52:80] = 0.9
    image[25:35, 19:29] = 0.2
    return hh.Segmenter(image + np.random.default_rng(0).normal(size=image.shape) * 0.02, n_segments=300)


@pytest.fixture(scope="module")
def strokes() -> np.ndarray:
    drawn = np.zeros((60, 90), int)
    drawn[15:18, 14:34], drawn[2:4, 5:80] = 2, 1
    return drawn


def parts_without(region: np.ndarray, marks: np.ndarray) -> int:
    parts, count = label(region)
    return count - len(set(parts[marks & region].tolist()) - {0})


def test_without_demands_both_squares_are_taken_with_a_hole(segmenter: hh.Segmenter, strokes: np.ndarray) -> None:
    mask = segmenter.suggest(strokes, m=1).masks[0]
    assert mask[30, 60]
    assert not mask[30, 24]


@pytest.mark.parametrize("connected", [True, False])
@pytest.mark.parametrize("holes", [True, False])
def test_every_candidate_keeps_the_demands(
    segmenter: hh.Segmenter, strokes: np.ndarray, connected: bool, holes: bool
) -> None:
    found = segmenter.suggest(strokes, m=5, connected=connected, holes=holes)
    frame = np.ones(strokes.shape, bool)
    frame[1:-1, 1:-1] = False
    for mask in found.masks:
        assert mask[strokes == 2].all()
        assert not mask[strokes == 1].any()
        if connected:
            assert parts_without(mask, strokes == 2) == 0
        if not holes:
            assert parts_without(~mask, (strokes == 1) | frame) == 0
    if connected:
        assert not found.masks[0, 30, 60]
    assert found.masks[0, 30, 24] == (not holes)


def test_the_default_list_offers_the_object_alone_and_without_its_hole(
    segmenter: hh.Segmenter, strokes: np.ndarray
) -> None:
    masks = segmenter.suggest(strokes, m=6).masks
    assert any(m[30, 24] and not m[30, 60] for m in masks)
    assert any(not m[30, 24] and not m[30, 60] for m in masks)


def test_pixels_hang_together_too(strokes: np.ndarray) -> None:
    image = np.full((30, 45, 3), 0.2)
    image[6:24, 5:19] = image[6:24, 26:40] = 0.9
    small = strokes[::2, ::2]
    found = hh.Segmenter(image, n_segments=None).suggest(small, m=2, connected=True)
    for mask in found.masks:
        assert parts_without(mask, small == 2) == 0


def test_lists_of_other_diversities_hang_together(segmenter: hh.Segmenter, strokes: np.ndarray) -> None:
    found = segmenter.suggest(strokes, 3, hh.VariableCoverage(), connected=True)
    assert set(found.oracles) == {"graphcut"}
    assert np.all(found.exact)
    assert all(parts_without(mask, strokes == 2) == 0 for mask in found.masks)


def test_several_objects_hang_together(segmenter: hh.Segmenter, strokes: np.ndarray) -> None:
    drawn = strokes.copy()
    drawn[40:43, 60:75] = 3
    found = segmenter.suggest(drawn, m=3, connected=True)
    for labels in found.labelings:
        for k in (1, 2):
            assert parts_without(labels == k, drawn == k + 1) == 0


def test_a_dialogue_keeps_the_demands(segmenter: hh.Segmenter, strokes: np.ndarray) -> None:
    session = segmenter.dialogue(m=2, connected=True, holes=False)
    for point in ((16, 20, 2), (5, 45, 1)):
        found = session.stroke(points=[point])
        assert all(parts_without(mask, session.scribbles == 2) == 0 for mask in found.masks)


def drawn_problem(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Scores, edges, lengths and seeds of a 3 x 3 grid."""
    random = np.random.default_rng(seed)
    edges = hh.Grid(np.zeros((3, 3, 2)), 0.0).edges
    seeds = np.full(9, -1)
    seeds[random.choice(9, 2, replace=False)] = [0, 1]
    return random.normal(size=(9, 2)), edges, random.random(len(edges)) + 0.1, seeds


@pytest.mark.parametrize("seed", range(12))
def test_the_cut_finds_the_best_of_all_labelings_that_keep_the_demands(seed: int) -> None:
    scores, edges, lengths, seeds = drawn_problem(seed)
    frame = np.arange(9) != 4
    demand = stars(edges, lengths, seeds, roots_of(seeds, frame, 2, connected=True, holes=False))
    unary = demand.demanded(scores)
    unary[seeds >= 0, 1 - seeds[seeds >= 0]] = -np.inf
    step = hh.best(hh.FactorGraph(unary, edges, 0.2).forbid(demand.pairs), oracle="graphcut")
    own = towards(edges, lengths, seeds == 1, seeds == 0)
    rest = towards(edges, lengths, (seeds == 0) | (frame & (seeds < 0)), seeds == 1)
    plain = hh.FactorGraph(scores, edges, 0.2)
    best = -np.inf
    for y in product((0, 1), repeat=9):
        held = all(y[i] == seeds[i] for i in np.flatnonzero(seeds >= 0))
        if held and all(y[p] == v and p >= 0 for i, v in enumerate(y) for p in [(own if v else rest)[i]]):
            best = max(best, plain.score(list(y)))
    assert np.isfinite(best)  # the nearer strokes always decide
    assert step.exact
    assert step.value == pytest.approx(best)
