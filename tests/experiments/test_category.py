# SPDX-License-Identifier: BSD-3-Clause
"""The pieces of the category experiment against their definitions, every row on a small model, a run and its cache."""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import hedgehop as hh

pytest.importorskip("sklearn")
pytest.importorskip("PIL")
ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # experiments are no part of the installed library


def problem(background=True):
    from experiments.category.problems import Problem

    random = np.random.default_rng(3)
    edges = [[i, j] for i in range(60) for j in (i + 1, i + 10) if j < 60]
    model = hh.FactorGraph(2 * random.normal(size=(60, 4)), edges, 0.5)
    counts = 20 * np.eye(4)[random.integers(0, 4, 60)]
    weights = random.uniform(0.5, 1.5, 60)
    learned = hh.FactorGraph(2 * random.normal(size=(60, 4)), edges, 0.8)
    return Problem("small", model, weights, counts, np.arange(60) // 6, background, learned)


def names():
    """The quick rows: swaps and balls take seconds on scores that are noise."""
    from experiments.category.methods import RECIPES

    return [r.name for r in RECIPES if "⊕ LC" not in r.name and not r.name.startswith(("LT", "HB", "DivMBest ⊕"))]


@pytest.mark.parametrize("name", names())
def test_every_row_makes_a_list(name):
    from experiments.category.methods import LONGEST, RECIPES

    (recipe,) = [r for r in RECIPES if r.name == name]
    small = problem(background="LC" in name)
    found = recipe.make(small, *recipe.grid[-1])
    assert 1 <= len(found.labelings) <= LONGEST
    assert found.labelings.shape[1:] == (60,)
    if not np.isnan(found.guarantee):
        assert 0 <= found.guarantee <= 1 + 1e-9


def test_all_lists_that_begin_with_the_best_labeling_do_so():
    from experiments.category.methods import RECIPES

    small = problem()
    for recipe in RECIPES:
        if recipe.block in ("ours", "without diversity"):
            assert (recipe.make(small, *recipe.grid[0]).labelings[0] == small.best).all(), recipe.name


def test_a_list_that_is_stuck_is_the_list_that_was_not_cut():
    from experiments.category.methods import greedy, transitions

    model = hh.FactorGraph([[0.0, 1.0, 0.0], [0.0, 0.0, 0.4], [2.0, 0.0, 0.0]], [[0, 1], [1, 2], [0, 2]], 0.1)
    small = replace(problem(), model=model)
    short = greedy(transitions("log", -1.0), False)(small, 5.0).labelings
    whole = hh.diverse(
        small.model, hh.TransitionCoverage("log", -1.0, (0,)), 6, 5.0 * small.model.n_variables, distinct=False
    ).labelings
    assert {y.tobytes() for y in short} == {y.tobytes() for y in whole}


def test_the_papers_ball_steers_as_the_library_does():
    from experiments.category.methods import PaperBall

    small = problem()
    lists = []
    for kind in (PaperBall, hh.HammingBall):
        steps = hh.stream(small.model, kind(gamma=0.2, weights=small.weights, steer="sum"), 8.0)
        lists.append([next(steps).labeling.tolist() for _ in range(3)])
    assert lists[0] == lists[1]


def test_learned_weights_are_scaled_to_the_logits_and_kept_beside_the_model(tmp_path):
    from experiments.category.problems import _learned, _reweigh, _save, read

    small = problem()
    segments = np.repeat(np.arange(60), 2).reshape(12, 10)
    arrays = {name: getattr(small, name) for name in ("weights", "counts", "regions", "background")}
    arrays |= {"unary": small.model.unary, "edges": small.model.edges, "strengths": small.model.pairwise.strengths}
    _save(tmp_path / "small.npz", arrays | {"segments": segments})

    class Machine:
        def models(self, examples):
            return [hh.FactorGraph(4.0 * small.model.unary + 7.0, small.model.edges, 8.0) for _ in examples]

    assert read(tmp_path / "small.npz").learned is None
    _reweigh([tmp_path / "small.npz"], Machine())
    found = read(tmp_path / "small.npz").reweighed.model
    assert found.pairwise.strengths == pytest.approx(2.0)
    assert found.unary - 7.0 / 4.0 == pytest.approx(small.model.unary)
    assert (found.unary == _learned(Machine(), small, segments).unary).all()


def test_side_by_side_takes_turns_and_replaces_repeats():
    from experiments.category.methods import side_by_side

    a = np.array([[0], [1], [2], [3]])
    b = np.array([[0], [2], [5]])
    assert side_by_side([a, b]).ravel().tolist() == [0, 2, 1, 5, 3]


def test_scores_are_those_of_the_label_maps():
    from experiments.category.scoring import Judged, confusions, image_iou

    from hedgehop.segmentation.regressor import count_labels

    random = np.random.default_rng(0)
    segments = random.integers(0, 6, (9, 8)).astype(np.int32)
    segments.flat[:6] = range(6)
    truth, rows = random.choice([0, 1, 2, 255], (9, 8)), random.integers(0, 3, (4, 6)).astype(np.int32)
    counts = count_labels(segments, truth, 3)
    maps = rows[:, segments]
    assert (confusions(rows, counts) == hh.metrics.confusion(maps, truth, 3, ignore=255)).all()
    assert image_iou(rows, counts) == pytest.approx(hh.metrics.mean_iou(maps, truth, 3, ignore=255))
    judged = Judged(confusions(rows, counts)[None], image_iou(rows, counts)[None], 0.0, np.nan)
    assert judged.img(4)[0] == pytest.approx(100 * hh.metrics.oracle_iou(maps, truth, 3, ignore=255))
    assert judged.corpus(4) == pytest.approx(100 * np.mean(hh.metrics.corpus_iou([maps], [truth], 3, ignore=255)))
    assert judged.corpus_error(4) == pytest.approx(0.0)


def test_objects_of_the_wrong_class_and_missed_ones():
    from experiments.category.scoring import mistakes

    table = np.array([[50, 0, 0, 0], [1, 0, 9, 0], [8, 0, 1, 0], [0, 0, 0, 5]])
    wrong, missed = mistakes(table[None].astype(float), background=True)
    assert np.flatnonzero(wrong[0]).tolist() == [1]
    assert np.flatnonzero(missed[0]).tolist() == [2]


def test_covering_by_hand():
    from experiments.category.humans import _covering, _overlaps, _parts

    segments = np.array([[0, 0, 1, 2]], np.int32)
    person = _overlaps(segments, np.array([[0, 0, 0, 1]]))
    model = hh.FactorGraph(np.zeros((3, 2)), [[0, 1], [1, 2]], 0.1)
    assert _covering(_parts(model, np.array([0, 0, 1])), person) == pytest.approx(1.0)
    assert _covering(_parts(model, np.array([1, 0, 0])), person) == pytest.approx((3 * (2 / 3) + 1 * (1 / 2)) / 4)


def test_a_list_in_the_cache_comes_back_as_it_was():
    from experiments.category.lists import _packed, _unpacked

    rows = np.array([[0, 20, 3], [1, 1, 1]], np.int32)
    kept = _unpacked([0.5, 0.25, [0.1, 0.4], _packed(rows)])
    assert (kept.labelings == rows).all()
    assert kept.iou[-1] == 0.4


def test_a_run_writes_everything_and_goes_on_where_it_was_stopped(data, thorough, tmp_path):
    pytest.importorskip("matplotlib")
    from experiments.category import reproduce

    options = {"limit": 2, "only": ["regions", "expected overlap", "learned"], "parts": ["network"]}
    text = reproduce(data, tmp_path, **options)
    assert "| DivMBest |" in text
    (folder,) = (tmp_path / "lists").iterdir()
    for path in folder.iterdir():
        lines = path.read_text().splitlines()
        path.write_text("\n".join(lines[:3]) + "\n" + lines[3][:40])  # killed while it wrote
    again = reproduce(data, tmp_path, **options)
    untimed = [line.rsplit("|", 3)[0] for line in text.splitlines()]
    assert [line.rsplit("|", 3)[0] for line in again.splitlines()] == untimed
    with (tmp_path / "results.csv").open(encoding="utf-8") as file:
        rows = {row["list"] for row in csv.DictReader(file)}
    assert rows >= {"DivMBest", "regions", "expected overlap ⊗ regions", "learned: expected overlap"}
    assert (tmp_path / "oracle-voc-network.png").read_bytes().startswith(b"\x89PNG")
    assert list((tmp_path / "sheets" / "voc-network").glob("*.png"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"only": ["nonsense"]}, "only must name rows"),
        ({"parts": ["nonsense"]}, "parts must be among network"),
        ({"parts": ["camvid"]}, "camvid.*images must hold at least two images"),
        ({"parts": ["humans"]}, "bsds500_val.*images must hold at least two images"),
    ],
)
def test_what_is_not_there_is_refused(tmp_path, options, message):
    from experiments.category import reproduce

    with pytest.raises(ValueError, match=message):
        reproduce(tmp_path, tmp_path, **options)


def test_rows_are_wanted_by_their_beginning_and_side_by_side_by_name():
    from experiments.category.run import _wanted

    assert [r.name for r in _wanted(["HB"])] == ["DivMBest", "HB", "HB, distinct", "HB exact"]
    assert [r.name for r in _wanted(["expected overlap ⊗ regions"])] == ["DivMBest", "regions", "expected overlap"]


def test_every_list_is_charged_for_what_it_shares():
    from experiments.category.shared import Shared

    shared = Shared()
    made = shared.get("a", lambda: np.sort(np.arange(10**6)[::-1]))
    assert shared.owed == 0.0  # its own clock has run
    for _ in range(2):
        shared.begin()
        assert shared.get("a", None) is made
        assert shared.get("a", None) is made
        assert shared.owed == shared._made["a"][1] > 0.0


def test_mistakes_are_those_of_the_map_whatever_comes_first():
    from experiments.category.report import Section, _table
    from experiments.category.scoring import Judged

    def row(labels):
        tables = np.zeros((2, 20, 3, 3))
        tables[..., 1, labels] = 5.0
        return Judged(tables, np.ones((2, 20)), 0.0, np.nan)

    class Named:
        title, examples, background = "t", [0, 0], True

    text = _table(Section(Named, {"LC log": row(1), "DivMBest": row(2)}, {}))
    assert "wrong class (2)" in text
    assert "missed (0)" in text
