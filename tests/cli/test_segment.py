# SPDX-License-Identifier: BSD-3-Clause
"""``hedgehop segment`` and ``hedgehop reproduce`` as a new user meets them."""

import json
import sys

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import hedgehop as hh
from hedgehop.cli.app import app
from hedgehop.io import read_strokes


def run(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert isinstance(done.exception, (SystemExit, type(None))), done.exception
    return done


@pytest.fixture
def photo(tmp_path):
    pixels = np.zeros((40, 60, 3), np.uint8)
    pixels[10:30, 20:40] = 255
    Image.fromarray(pixels).save(tmp_path / "photo.png")
    strokes = np.zeros((40, 60), np.uint8)
    strokes[18:22, 28:32], strokes[2:4, 5:50] = 2, 1
    Image.fromarray(strokes).save(tmp_path / "strokes.png")
    return tmp_path / "photo.png"


def test_segment_writes_masks_a_sheet_and_the_list(photo):
    out = photo.with_name("out")
    words = ("segment", photo, "-s", photo.with_name("strokes.png"), "-m", 3, "-o", out, "--segments", 150)
    done = run(*words)
    assert done.exit_code == 0, done.stderr
    assert "wrote 3 cut-outs and masks" in done.stdout
    with Image.open(out / "cutout_1.png") as cut:
        assert (np.asarray(cut)[..., 3] == 255).sum() == 400
    with Image.open(out / "candidate_1.png") as mask:
        first = np.asarray(mask)
    assert (first == 255).sum() == 400
    assert set(np.unique(first)) == {0, 255}
    with Image.open(out / "sheet.png") as sheet:
        assert sheet.size[0] > 100
    assert hh.load(out / "list.npz").labelings.shape == (3, 40, 60)
    answer = json.loads(run(*words, "-d", "variables", "-t", "target:0.1", "--json", "--force").stdout)
    assert len(answer["masks"]) == 3
    assert answer["diversity"].startswith("VariableCoverage")


def test_strokes_are_read_from_numbers_colours_and_arrays(tmp_path):
    numbers = np.array([[0, 1, 2], [2, 0, 3]], np.uint8)
    Image.fromarray(numbers).save(tmp_path / "grey.png")
    palette = Image.frombytes("P", (3, 2), numbers.tobytes())
    palette.putpalette([0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255])
    palette.save(tmp_path / "indexed.png")
    np.save(tmp_path / "array.npy", numbers)
    for name in ("grey.png", "indexed.png", "array.npy"):
        assert read_strokes(tmp_path / name).tolist() == numbers.tolist()
    assert read_strokes(tmp_path / "array.npy", swap=True).tolist() == [[0, 2, 1], [1, 0, 3]]
    painted = np.array([[[255, 0, 0], [9, 9, 9], [0, 0, 255]]], np.uint8)
    Image.fromarray(painted).save(tmp_path / "painted.png")
    assert read_strokes(tmp_path / "painted.png").tolist() == [[2, 0, 1]]


def test_mistakes_get_sentences(photo, monkeypatch):
    blank = photo.with_name("blank.png")
    Image.fromarray(np.zeros((40, 60), np.uint8)).save(blank)
    done = run("segment", photo, "-s", blank, "-o", photo.with_name("out"))
    assert done.exit_code == 1
    assert "got no stroke" in done.stderr
    done = run("segment", photo, "-s", blank, "-o", photo)
    assert done.exit_code == 1
    assert "is a file, not a folder" in done.stderr
    assert run("segment", photo, "-s", photo.with_name("missing.png")).exit_code == 2
    monkeypatch.chdir(photo.parent)
    for name in ("experiments", "experiments.interactive"):  # also if another test has imported it
        monkeypatch.setitem(sys.modules, name, None)
    done = run("reproduce", "interactive", "--data", photo.parent)
    assert done.exit_code == 1
    assert "in a checkout" in done.stderr
