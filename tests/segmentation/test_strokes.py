# SPDX-License-Identifier: BSD-3-Clause
"""The nets that combine opinions, clicks and boxes, dialogues."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.segmentation.scene import Scene
from hedgehop.segmentation.strokes.combiner import INPUTS, Combiner, shipped
from hedgehop.segmentation.strokes.cues import NAMES
from hedgehop.segmentation.strokes.frame import bottlenecks, color_paths
from hedgehop.segmentation.strokes.learned import cues_of, gate_of, learned_scores
from hedgehop.segmentation.strokes.marks import disc, scribbles_of
from hedgehop.segmentation.strokes.prior import PreviousRound, Prior
from hedgehop.segmentation.strokes.scores import StrokeScores

pytest.importorskip("skimage")
pytest.importorskip("sklearn")


def image_of(*squares, shape=(60, 100)):
    """Bright squares (rows, columns, colour) on a dark, noisy ground."""
    image = 0.2 + 0.02 * np.random.default_rng(0).random((*shape, 3))
    for rows, columns, color in squares:
        image[rows, columns] += np.array(color)
    return image


LEFT = (slice(20, 40), slice(15, 35), (0.5, 0.5, 0.5))
RIGHT = (slice(20, 40), slice(65, 85), (0.5, 0.5, 0.5))
RED = (slice(20, 40), slice(65, 85), (0.6, 0.0, 0.0))


def given(image, *marks, n_segments=200):
    strokes = np.zeros(image.shape[:2], int)
    for rows, columns, number in marks:
        strokes[rows, columns] = number
    return StrokeScores(Scene(image, n_segments), strokes)


OBJECT, GROUND = (slice(28, 32), slice(20, 30), 2), (slice(3, 5), slice(5, 95), 1)


def test_weights_are_small_plain_arrays():
    path = files("hedgehop.segmentation.strokes").joinpath("combiner.npz")
    assert len(path.read_bytes()) <= 20_000
    with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
        assert set(kept) == {"mean", "scale", "inner", "inner_bias", "outer", "outer_bias"}
        assert kept["inner"].dtype == np.float16


def test_nets_compute_what_a_loop_computes():
    random = np.random.default_rng(0)
    shapes = {"inner": (INPUTS, 2, 3), "inner_bias": (2, 3), "outer": (2, 3), "outer_bias": (2,)}
    arrays = {name: 0.3 * random.normal(size=shape) for name, shape in shapes.items()}
    nets = Combiner({"mean": np.zeros(len(NAMES)), "scale": np.ones(len(NAMES)), **arrays})
    cues = random.normal(size=(5, len(NAMES))).astype(np.float32)
    cues[0, 3] = np.nan
    clean = np.nan_to_num(cues)
    wide = np.zeros((5, INPUTS))
    wide[:, : len(NAMES)] = clean
    # The products with the amount of background come last; a cue that is zero there must not matter.
    wide[:, len(NAMES) :] = _products(clean)
    each = []
    for k in range(2):
        hidden = np.tanh(wide @ arrays["inner"][:, k] + arrays["inner_bias"][k])
        each.append(hidden @ arrays["outer"][k] + arrays["outer_bias"][k])
    assert nets.log_odds(cues) == pytest.approx(np.mean(each, axis=0), abs=1e-4)


def _products(rows):
    names = [*list(NAMES[:15]), "path to object", "path to frame", "color of object", "color of frame"]
    names += ["place of object", "place of frame"]
    return rows[:, [NAMES.index(n) for n in names]] * rows[:, [NAMES.index("background drawn")]]


def test_nets_of_other_signs_are_refused():
    arrays = {name: array[:-1] if name == "inner" else array for name, array in shipped().arrays.items()}
    with pytest.raises(ValueError, match="must have"):
        Combiner(arrays)


def test_signs_know_what_was_drawn_and_how_far_it_is():
    image = image_of(LEFT, RIGHT)
    strokes = given(image, OBJECT, GROUND)
    table = dict(zip(NAMES, cues_of(strokes, 1).T, strict=True))
    assert all(np.isfinite(column).all() for column in table.values())
    assert (table["place of object"][strokes.seeds == 1] == 0).all()
    assert (table["path to background"][strokes.seeds == 0] == 0).all()
    assert (table["object strokes"] == 1).all()
    assert (table["background strokes"] == 1).all()
    right = strokes.scene.superpixels.segments[30, 75]
    left = strokes.scene.superpixels.segments[22, 17]
    assert table["bottleneck to object"][right] > 3 * table["bottleneck to object"][left]
    assert table["color of object"][right] < 3.0
    alone = dict(zip(NAMES, cues_of(given(image, OBJECT), 1).T, strict=True))
    assert np.isnan(alone["path to background"]).all()
    assert (alone["no background"] == 1).all()


def test_the_frame_teaches_once_more():
    """What looks like nothing that was marked is not the object if the frame looks like it."""
    image = image_of(LEFT)
    image[:, 50:] = (0.1, 0.6, 0.1)
    table = dict(zip(NAMES, cues_of(given(image, OBJECT, (slice(50, 54), slice(5, 30), 1)), 1).T, strict=True))
    green = given(image, OBJECT).scene.superpixels.segments[30, 75]
    assert table["framed trees"][green] < table["trees"][green]
    assert table["framed trees"][green] < -1


def test_bottlenecks_and_paths_of_a_chain():
    from hedgehop.segmentation.superpixels import Graph

    edges = np.array([[0, 1], [1, 2], [2, 3]], np.int32)
    steps = np.array([1.0, 3.0, 2.0])
    graph = Graph(edges, steps, steps, steps)
    seeds = np.array([0, -1, -1, -1])
    assert color_paths(graph, seeds, 1)[:, 0] == pytest.approx([0.0, 1.2, 4.4, 6.6], abs=1e-3)
    assert bottlenecks(graph, seeds, 1)[:, 0] == pytest.approx([0.0, 1.0, 82**0.25, 98**0.25], abs=1e-3)


def test_several_objects_are_each_against_the_rest():
    image = image_of(LEFT, RED)
    strokes = given(image, OBJECT, GROUND, (slice(28, 32), slice(70, 80), 3))
    scores = learned_scores(strokes, shipped())
    assert scores.shape[1] == 3
    assert scores.max(axis=1) == pytest.approx(np.zeros(len(scores)))
    labels = scores.argmax(axis=1)[strokes.scene.superpixels.segments]
    assert labels[30, 17] == 1
    assert labels[30, 83] == 2
    assert labels[50, 50] == 0
    found = hh.Segmenter(image, 200).suggest(strokes.drawn + 1, m=2).labelings[0]
    assert (found[20:40, 15:35] == 1).mean() > 0.95
    assert (found[20:40, 65:85] == 2).mean() > 0.95


def test_the_gate_opens_with_much_background_and_closes_with_a_box():
    seeds = np.full(1000, -1)
    seeds[:10] = 0
    assert gate_of(seeds) == 0.0
    seeds[:100] = 0
    assert gate_of(seeds) == pytest.approx(0.35)
    seeds[:25] = 0
    seeds[25:] = -1
    assert gate_of(seeds) == pytest.approx(0.175)
    seeds[:700] = 0
    assert gate_of(seeds) == 0.0


def test_clicks_and_boxes_become_strokes():
    drawn = scribbles_of((50, 80), None, [(10, 20, 2), (40, 70, 1)], (5, 5, 30, 60))
    assert drawn[10, 20] == 2
    assert drawn[40, 70] == 1
    assert drawn[4, 5] == 1
    assert drawn[5, 60] == 1
    assert drawn[29, 59] == 0
    assert (drawn == 2).sum() == disc((50, 80), 10, 20).sum() == 13
    middle = scribbles_of((50, 80), None, None, (5, 5, 30, 60))
    assert middle[17, 32] == 2
    assert middle[0, 0] == 1
    strokes = np.zeros((50, 80), int)
    strokes[0, 0] = 2
    assert scribbles_of((50, 80), strokes, None, (5, 5, 30, 60))[0, 0] == 2
    mixed = scribbles_of((50, 80), None, [(10, 20), (40, 70, 1)])
    np.testing.assert_array_equal(mixed, scribbles_of((50, 80), None, [(10, 20, 2), (40, 70, 1)]))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"points": [(60, 5)]}, "must lie in the image"),
        ({"points": [(1, 2, 3, 4)]}, "points must be rows"),
        ({"points": [(1, 2, 0)]}, "numbers 1"),
        ({"box": (5, 5, 5, 9)}, "box must hold pixels"),
        ({"box": (1, 2, 3)}, "top, left, bottom, right"),
    ],
)
def test_wrong_clicks_and_boxes_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        scribbles_of((50, 80), None, **wrong)


def test_nothing_at_all_is_refused():
    with pytest.raises(TypeError, match="must be given"):
        hh.Segmenter(image_of(LEFT), 100).suggest()


def test_a_click_and_a_box_find_a_square():
    segmenter = hh.Segmenter(image_of(LEFT, RIGHT), 200)
    truth = np.zeros((60, 100), bool)
    truth[20:40, 15:35] = True
    for marks in ({"points": [(30, 25)]}, {"box": (15, 10, 45, 40)}):
        found = segmenter.suggest(m=6, **marks)
        assert max((mask == truth).mean() for mask in found.masks) > 0.98, marks


def test_scores_of_the_caller_are_used_as_before():
    image, marks = image_of(LEFT, RIGHT), (OBJECT, GROUND)
    strokes = given(image, *marks).drawn + 1
    walks = hh.Segmenter(image, 200, scores={"walker": 1.0}).model(strokes).unary
    nets = hh.Segmenter(image, 200).model(strokes).unary
    assert not np.array_equal(walks, nets)
    framed = hh.Segmenter(image, 200, scores={"walker": 1.0}, frame=0.6).model(strokes).unary
    np.testing.assert_array_equal(walks, framed)


def test_the_past_is_blended_if_labels_are_the_same():
    old, new = np.ones((4, 2)), np.zeros((4, 2))
    assert (Prior(scores=old, memory=0.25).blend(new) == 0.25).all()
    assert Prior(scores=old, memory=0.25).blend(np.zeros((4, 3))).shape == (4, 3)


def test_in_a_dialogue_a_stroke_far_away_keeps_what_was_chosen():
    image = image_of(LEFT, RIGHT)
    session = hh.Segmenter(image, 200).dialogue(m=6)
    found = session.stroke(points=[(30, 25)])
    both = np.zeros((60, 100), bool)
    both[20:40, 15:35] = both[20:40, 65:85] = True
    overlap = [(mask & both).sum() / (mask | both).sum() for mask in found.masks]
    chosen = session.choose(int(np.argmax(overlap)))
    again = session.stroke(points=[(5, 50, 1)])
    assert (again.labelings[0] == chosen).mean() > 0.97
    assert session.rounds == 2
    assert (session.scribbles > 0).sum() == 2 * disc((60, 100), 30, 25).sum()


def test_a_box_in_a_dialogue_keeps_earlier_strokes():
    session = hh.Segmenter(image_of(LEFT, RIGHT), 200).dialogue(m=2)
    session.stroke(points=[(30, 25), (30, 60, 1)])
    earlier = session.scribbles
    session.stroke(box=(10, 40, 50, 80))
    np.testing.assert_array_equal(session.scribbles[earlier > 0], earlier[earlier > 0])
    assert (session.scribbles == 2).sum() == (earlier == 2).sum()  # an object is marked: not the middle of the box
    assert session.scribbles[0, 0] == 1


def test_late_strokes_reach_less_far_and_what_was_shown_counts_more():
    """A background stroke on a plain object frees what is in reach: late in a dialogue little."""
    shown = np.zeros((60, 100), int)
    shown[20:40, 15:85] = 1
    drawn = np.zeros((60, 100), int)
    drawn[28:32, 20:30], drawn[28:32, 70:74] = 2, 1
    strokes = StrokeScores(Scene(image_of(LEFT, RIGHT), 200), drawn)
    rounds = [PreviousRound(shown, False, k) for k in (1, 3, 9, 99)]
    gains = [earlier.prior(strokes).anchor for earlier in rounds]
    held = [float(gain.sum()) for gain in gains]
    assert held == sorted(held)
    assert held[0] < held[2] == held[3]  # the reach has its least value
    assert all(gain[strokes.seeds == 0].max() < 1.0 for gain in gains)
    pulls = [earlier.pull for earlier in rounds]
    assert pulls[0] < pulls[1] < pulls[2] < pulls[3] == PreviousRound(shown, True, 1).pull


def test_a_stroke_that_fails_changes_nothing_in_a_dialogue():
    session = hh.Segmenter(image_of(LEFT), 200).dialogue(m=2)
    with pytest.raises(ValueError, match="choose must come after"):
        session.choose(0)
    session.stroke(points=[(30, 25)])
    before = session.scribbles.copy()
    with pytest.raises(ValueError, match="every number"):
        session.stroke(points=[(30, 25, 9)])
    with pytest.raises(ValueError, match="candidate"):
        session.choose(2)
    for wrong in (True, 0.5):
        with pytest.raises(TypeError, match="k must be a whole number"):
            session.choose(wrong)
    np.testing.assert_array_equal(session.scribbles, before)
    assert session.rounds == 1
