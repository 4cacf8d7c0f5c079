# SPDX-License-Identifier: BSD-3-Clause
"""The robot marks what is wrong, games are summed up rightly, and nets learn."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("skimage")
pytest.importorskip("sklearn")
sys.path.insert(0, str(Path(__file__).parents[2]))  # experiments are no part of the installed library

from experiments.strokes import report
from experiments.strokes.drawing import click, correction, kinds, stroke
from experiments.strokes.examples import Rows
from experiments.strokes.judging import BEFORE, NETS, Judged
from experiments.strokes.robot import after, iou, losing_share, marks_to, play
from experiments.strokes.tasks import Task, fold_of
from experiments.strokes.training import log_loss, save, train

from hedgehop.segmentation.strokes.combiner import Combiner
from hedgehop.segmentation.strokes.cues import NAMES


def a_task():
    truth = np.zeros((60, 100), int)
    truth[20:40, 15:60] = 1
    truth[20:40, 60:62] = 255
    image = np.full((60, 100, 3), 60, np.uint8)
    image[truth == 1] = 200
    return Task("made", image, truth)


@pytest.mark.parametrize("mark", [stroke, click])
def test_marks_are_correct_and_at_the_largest_error(mark):
    task, random = a_task(), np.random.default_rng(0)
    answer = np.where(task.truth == 1, 1, 0)
    answer[20:40, 15:25] = 0  # a large error
    answer[50:55, 80:85] = 1  # a small one
    label, pixels = correction(task, answer, mark, random)
    assert label == 1
    assert pixels.any()
    assert not pixels[:, 25:].any()
    assert (task.truth[pixels] == 1).all()
    assert correction(task, np.where(task.truth == 1, 1, 0), mark, random) is None


def test_all_kinds_of_strokes_are_correct():
    task = a_task()
    for kind, drawn in kinds(task).items():
        known = (drawn > 0) & (task.truth <= 1)
        assert (drawn == 2).any(), kind
        assert (drawn[known] == task.truth[known] + 1).all(), kind


class Stubborn:
    """Shows nothing but the object of the first mark; the second candidate is the truth."""

    def __init__(self, task):
        self.task, self.chosen = task, []

    def mark(self, label, pixels):
        return np.stack([np.zeros(self.task.truth.shape, int), self.task.truth])

    def choose(self, k):
        self.chosen.append(k)


def test_a_robot_that_chooses_is_happy_with_the_second_candidate():
    task = a_task()
    alone = play(task, Stubborn, click, 4, choosing=False, goal=0.95)
    assert alone.first == [0.0] * 4
    assert alone.best == [1.0] * 4
    players = []
    chosen = play(task, lambda t: players.append(Stubborn(t)) or players[0], click, 4, choosing=True, goal=0.95)
    assert chosen.best == [1.0]
    assert players[0].chosen == [1]


def test_games_are_summed_up():
    games = [[0.5, 0.9, 0.8], [0.96]]
    assert after(games, 3).tolist() == [0.8, 0.96]
    assert losing_share(games) == 0.5
    assert marks_to(games, 0.85, 9).tolist() == [2, 1]
    assert marks_to(games, 0.95, 9).tolist() == [9, 1]
    assert iou(np.array([[1, 1, 0]]), np.array([[1, 0, 255]])) == 0.5


def test_folds_cover_all_images():
    names = [f"{k}" for k in range(7)]
    assert sorted({fold_of(name, names) for name in names}) == [0, 1, 2]


def some_rows(name, random):
    cues = random.normal(size=(300, len(NAMES))).astype(np.float32)
    cues[::7, 5] = np.nan
    likely = cues[:, 0] + cues[:, 1] - cues[:, 2] > 0  # no single cue tells
    return Rows(name, cues, likely.astype(np.float32), np.ones(300, np.float32), np.array("o"))


def test_nets_learn_what_a_single_sign_does_not_tell_and_survive_the_file(tmp_path):
    random = np.random.default_rng(0)
    rows = [some_rows(f"image {k}", random) for k in range(30)]
    nets = train(rows[:25])
    assert log_loss(nets, rows[25:]) < 0.62 < np.log(2.0)
    save(nets, tmp_path / "nets.npz")
    with np.load(tmp_path / "nets.npz", allow_pickle=False) as kept:
        again = Combiner(dict(kept))
    np.testing.assert_array_equal(again.log_odds(rows[0].cues), nets.log_odds(rows[0].cues))


def test_the_report_has_a_row_per_player(tmp_path):
    games = {"clicks": {BEFORE: [[0.5, 0.4], [0.5, 0.4]], f"{NETS}, choosing among 6": [[0.6], [0.96]]}}
    people = {"people 1": {BEFORE: [0.9, 0.95], NETS: [0.92, 0.94]}}
    text = report.write([], [Judged("made", "one", games, people)], tmp_path)
    assert f"| {BEFORE} | 0.500 | 0.400 | 0.400 | 0.400 | 0.400 | 100.0 % | 3.00 | 3.00 | 3.00 |" in text
    assert "choosing among 6 | 0.960" in text
    assert "| people 1 | nets, no memory | 0.9200 ± 0.0000 | 0.9400 ± 0.0000 |" in text
    assert (tmp_path / "results.csv").read_text(encoding="utf-8").count("\n") == 4
