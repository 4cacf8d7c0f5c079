# SPDX-License-Identifier: BSD-3-Clause
"""UAI files: what they mean, round trips, and what is refused, with the line."""

from __future__ import annotations

import gzip
import lzma
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgehop as hh
from tests.io.strategies import assert_same, labelings, models

SMALL = """MARKOV
3
2 2 3
4
1 0
2 0 1
3 2 1 0
0

2
 0.25 0.75
4
 1 0
 .5 2e0
12
 1 2 3 4
 5 6 7 8
 9 10 11 12
1
 3
"""


def slow_score(text, labeling):
    """Sum of logarithms straight from the text, word by word."""
    words = iter(text.split()[1:])
    counts = [int(next(words)) for _ in range(int(next(words)))]
    scopes = [[int(next(words)) for _ in range(int(next(words)))] for _ in range(int(next(words)))]
    total = 0.0
    for scope in scopes:
        table = [float(next(words)) for _ in range(int(next(words)))]
        place = 0
        for v in scope:
            place = place * counts[v] + int(labeling[v])
        total += math.log(table[place]) if table[place] > 0 else -math.inf
    return total


def saved(folder, text, name="small.uai"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_scores_are_logarithms_of_the_tables(tmp_path):
    for text in (SMALL, SMALL.replace("MARKOV", "BAYES"), SMALL.replace("\n", "\r\n")):
        model = hh.read(saved(tmp_path, text))
        assert model.label_counts.tolist() == [2, 2, 3]
        rows = labelings(model)
        assert model.score(rows) == pytest.approx([slow_score(SMALL, y) for y in rows])
    assert np.isneginf(model.score([0, 1, 0]))


def test_log_tables_are_taken_as_they_are(tmp_path):
    model = hh.read(saved(tmp_path, "MARKOV 1 2 1 1 0 2 -inf -1.5", "one.LG"))
    assert model.unary.tolist() == [[-np.inf, -1.5]]


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_compressed_files_and_evidence_beside_them(tmp_path, suffix):
    pack = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}[suffix]
    path = saved(tmp_path, pack(SMALL.encode()), f"small.uai{suffix}")
    free = hh.read(path)
    saved(tmp_path, "2 0 1 2 0\n", "small.uai.evid")
    fixed = hh.read(path)
    assert fixed.n_variables == 3
    allowed = [y for y in labelings(free) if y[0] == 1 and y[2] == 0]
    assert np.array_equal(fixed.score(allowed), free.score(allowed))
    assert np.isneginf(fixed.score([0, 0, 0]))
    assert_same(hh.read(path, evidence={0: 1, 2: 0}), fixed)
    assert_same(hh.read(path, evidence=tmp_path / "small.uai.evid"), fixed)
    assert_same(hh.read(path, evidence=None), free)
    saved(tmp_path, "1\n2 0 1 2 0\n", "small.uai.evid")  # with the number of samples first
    assert_same(hh.read(path), fixed)


@settings(max_examples=50, deadline=None)
@given(models())
def test_logarithms_round_trip_exactly(tmp_path_factory, model):
    path = tmp_path_factory.mktemp("lg") / "model.LG"
    hh.write(model, path)
    assert_same(hh.read(path), model)


@settings(max_examples=50, deadline=None)
@given(models((st.just(0.0) | st.floats(1e-60, 1e6)).map(lambda p: math.log(p) if p > 0 else -math.inf)))
def test_probabilities_round_trip_exactly(tmp_path_factory, model):
    """Scores that are logarithms of doubles come back bit for bit, unless sums of several made them."""
    folder = tmp_path_factory.mktemp("uai")
    hh.write(model, folder / "model.uai.gz")
    first = hh.read(folder / "model.uai.gz")
    hh.write(first, folder / "again.uai.xz")
    assert_same(hh.read(folder / "again.uai.xz"), first)
    rows = labelings(model)
    assert first.score(rows) == pytest.approx(model.score(rows), abs=1e-9)


def test_grids_and_chains_are_written_too(tmp_path):
    for model in (hh.Grid(np.arange(12.0).reshape(2, 3, 2) / 8), hh.Chain(np.eye(3), np.eye(3))):
        hh.write(model, tmp_path / "model.LG")
        again = hh.read(tmp_path / "model.LG")
        rows = labelings(again)
        assert np.array_equal(again.score(rows), model.score(rows))


def test_scores_beyond_probabilities_need_logarithms(tmp_path):
    for score in (800.0, -800.0):
        with pytest.raises(ValueError, match=r"beyond the logarithms of doubles\. Write an \.LG file instead"):
            hh.write(hh.FactorGraph([[0.0, score]]), tmp_path / "far.uai")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("text", "problem"), [
    ("", "the file ends where the kind of network is expected"),
    ("GRAPH 1", "line 1: a UAI file must start with MARKOV or BAYES; got 'GRAPH'"),
    ("MARKOV\n0", r"line 2: the number of variables must be a whole number 1\.\.2147483647; got 0"),
    ("MARKOV\n1.5", "got 1.5"),
    ("MARKOV\n2\n2 x", "line 3: the number of labels of a variable must be a number in the range of doubles; got 'x'"),
    ("MARKOV\n2\n2 0", "line 3: the number of labels of a variable must be"),
    ("MARKOV\n2\n2 2\n1\n1 2\n2 1 1", r"line 5: variables are 0\.\.1; a factor names 2"),
    ("MARKOV\n2\n2 2\n2\n1 0\n2 1 1\n2 1 1\n4 1 1 1 1", "line 6: a factor names variable 1 twice"),
    ("MARKOV\n1\n2\n1\n1 0\n3\n1 1 1", "line 6: the table of factor 0 must have 2 entries; the file says 3"),
    ("MARKOV\n1\n2\n1\n1 0\n2\n1\n-1", "line 8: an entry of a table must be a finite number >= 0; got -1"),
    ("MARKOV\n1\n2\n1\n1 0\n2\n1 nan", "line 7: an entry of a table must be a finite number >= 0; got nan"),
    ("MARKOV\n1\n2\n1\n1 0\n2\n1 1e999", "line 7: .* must be a number in the range of doubles; got '1e999'"),
    ("MARKOV\n1\n2\n1\n1 0\n2\n1", "line 7: the file ends where an entry of a table is expected"),
    ("MARKOV\n1\n2\n1\n1 0\n2\n1 1\n7", "line 8: the file must end here; got '7'"),
    ("MARKOV\n1\n2\n1\n1 0\n2\n0 0", "variable 0 has no allowed label"),
    ("MARKOV\n9999999\n2", "the file ends where the number of labels of a variable is expected"),
    ("MARKOV\n2\n1000000000 2\n0", "would need 1\\.6e.10 bytes; a file of"),
    ("MARKOV\n9\n99 99 99 99 99 99 99 99 99\n1\n9 0 1 2 3 4 5 6 7 8\n1", r"line 5: the tables have 9\.14e\+17 entries"),
    ("MARKOV\n1\n2\n1\n99999999999999 0", "the file ends where a variable of a factor is expected"),
    ("x" * 100_000, "is not a text file: a word has more than 65536 characters"),
])  # fmt: skip
def test_wrong_files_are_refused_with_the_line(tmp_path, text, problem):
    with pytest.raises(ValueError, match=problem):
        hh.read(saved(tmp_path, text))


def test_lines_are_counted_across_blocks(tmp_path):
    entries = 200_000
    text = f"MARKOV\n1\n{entries}\n1\n1 0\n{entries}\n" + "0.12345\n" * (entries - 1) + "bad\n"
    with pytest.raises(ValueError, match=f"line {6 + entries}: .* got 'bad'"):
        hh.read(saved(tmp_path, text))


def test_bombs_are_bounded(tmp_path, monkeypatch):
    bomb = saved(tmp_path, lzma.compress(b"MARKOV 1 2 1 1 0 2 1 1" + b" " * 5_000_000), "bomb.uai.xz")
    with pytest.raises(ValueError, match=r"holds more than 1000000 bytes of text\. Pass a larger max_bytes="):
        hh.read(bomb, max_bytes=1_000_000)
    monkeypatch.setattr("hedgehop.io.file_access._XZ_MEMORY", 2**20)  # the window this file asks for is larger
    with pytest.raises(ValueError, match="cannot be decompressed"):
        hh.read(bomb)


@pytest.mark.parametrize("name", ["cut.uai.gz", "cut.uai.xz"])
def test_damaged_archives_are_refused(tmp_path, name):
    whole = (gzip if name.endswith("gz") else lzma).compress(SMALL.encode())
    for content in (whole[: len(whole) // 2], b"no archive at all", whole[:20] + b"\0" + whole[21:]):
        with pytest.raises(ValueError, match="is damaged and cannot be decompressed"):
            hh.read(saved(tmp_path, content, name))


@pytest.mark.parametrize("evidence", [{3: 0}, {-1: 0}, {2: 3}, {0: -1}])
def test_impossible_evidence_is_refused(tmp_path, evidence):
    with pytest.raises(ValueError, match="evidence"):
        hh.read(saved(tmp_path, SMALL), evidence=evidence)
    with pytest.raises(ValueError, match=r"must hold a number k, then k pairs of variable and label; got 2 numbers"):
        hh.read(saved(tmp_path, SMALL), evidence=saved(tmp_path, "2 1", "bad.evid"))


def test_labelings_round_trip(tmp_path):
    path = tmp_path / "x.MAP"
    hh.io.write_labeling(np.array([[1, 0], [2, 3]]), path)
    assert hh.io.read_labeling(path).tolist() == [1, 0, 2, 3]
    assert hh.io.read_labeling(saved(tmp_path, "MPE\n1\n2 0 1\n", "old.MPE")).tolist() == [0, 1]
    for text in ("MAP\n3 0 1", "MAR\n1 0", "MAP\n2 0 x", ""):
        with pytest.raises(ValueError, match=r"x\.MAP"):
            hh.io.read_labeling(saved(tmp_path, text, "x.MAP"))


def test_unknown_suffixes_and_models_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"the suffix must be one of .* got 'model\.xyz'"):
        hh.read(tmp_path / "model.xyz")
    with pytest.raises(TypeError, match="model must have unary and pairwise scores"):
        hh.write("no model", tmp_path / "model.uai")
    with pytest.raises(FileNotFoundError):
        hh.read(tmp_path / "absent.uai")
