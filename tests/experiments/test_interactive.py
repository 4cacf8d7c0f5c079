# SPDX-License-Identifier: BSD-3-Clause
"""The experiment runs from end to end on a few images, and again at once."""

from __future__ import annotations

import csv
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import hedgehop as hh

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # experiments are no part of the installed library


def run(data, output):
    command = [sys.executable, "-W", "error", "-m", "experiments.interactive", "--data", data, "--limit", "2"]
    command += ["--part", "table"]
    start = time.perf_counter()
    ran = subprocess.run(
        [*command, "--output", output], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout, time.perf_counter() - start


def test_it_writes_table_csv_and_plot_and_repeats_itself_from_its_cache(data, thorough, tmp_path):
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    first, spent = run(data, tmp_path)
    again, less = run(data, tmp_path)
    assert first[first.index("# Interactive") :] == again[again.index("# Interactive") :]
    assert less < spent
    assert (tmp_path / "oracle.png").read_bytes().startswith(b"\x89PNG")
    with (tmp_path / "results.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["part"][:3] for row in rows} == {"(a)", "(b)", "(c)", "(d)"}
    (published,) = [row for row in rows if row["part"].startswith("(d)") and row["list"] == "DivMBest"]
    assert float(published["M=1"]) == pytest.approx(81.7, abs=0.05)  # as published with the data


def test_pixel_accuracy_of_superpixels_is_that_of_their_image():
    from experiments.interactive.problems import count_pixels, share_right

    random = np.random.default_rng(0)
    segments, truth = random.integers(0, 5, (8, 9)), random.choice([0, 1, 255], (8, 9))
    segments.flat[:5] = range(5)
    labelings = random.integers(0, 2, (3, 5))
    expected = hh.metrics.accuracy(labelings[:, segments], truth, ignore=255)
    assert share_right(labelings, count_pixels(segments, truth)) == pytest.approx(expected)


def test_side_by_side_is_the_portfolio_of_two_lists():
    from experiments.interactive.methods import side_by_side
    from experiments.interactive.problems import share_right

    random = np.random.default_rng(1)
    model = hh.FactorGraph(random.normal(size=(30, 2)), [[i, i + 1] for i in range(29)], 0.3)
    counts = np.eye(2, dtype=int)[random.integers(0, 2, 30)]
    parts = [hh.LinearHamming(), hh.VariableCoverage()]
    reached = [
        hh.metrics.best_so_far(share_right(hh.diverse(model, d, 10, 0.4, distinct=True).labelings, counts))
        for d in parts
    ]
    for m in (1, 2, 5, 6, 9):
        found = hh.portfolio(model, parts, m=m, tradeoff=0.4)
        assert (
            side_by_side(*reached)[m - 1] <= share_right(found.labelings, counts).max() + 1e-12
        )  # it may look further


def test_the_robot_plays_without_training_and_options_are_checked(tmp_path):
    pytest.importorskip("skimage")
    pytest.importorskip("sklearn")
    from experiments.interactive import reproduce
    from PIL import Image

    folder = tmp_path / "voc2012"
    truth = np.zeros((60, 100), np.uint8)
    truth[20:40, 30:70] = 8
    for part, pixels in (("JPEGImages/made.jpg", 60 + 20 * truth), ("SegmentationClass/made.png", truth)):
        (folder / part).parent.mkdir(parents=True)
        Image.fromarray(pixels).save(folder / part)
    (folder / "val.txt").write_text("made\n", encoding="utf-8")
    text = reproduce(tmp_path, tmp_path / "out", 1, ["robot"], ["nets, dialogue", "choosing among 3"])
    assert "VOC val, nets as shipped: a robot with strokes, 1 images" in text
    rows = [line for line in text.splitlines() if line.startswith("| nets, dialogue")]
    assert len(rows) == 4
    assert all(line.endswith("| 1.00 | 1.00 | 1.00 |") for line in rows)  # one mark is enough here
    assert (tmp_path / "out" / "robot" / "results.csv").exists()
    for options, message in (
        ({"parts": ["tables"]}, "parts must be among"),
        ({"parts": ["table"], "only": ["dialogue"]}, "only must come with"),
        ({"parts": ["robot"], "only": ["nobody"]}, "only must name a player"),
    ):
        with pytest.raises(ValueError, match=message):
            reproduce(tmp_path, tmp_path / "out", **options)
