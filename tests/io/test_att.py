# SPDX-License-Identifier: BSD-3-Clause
"""Automata in the text format of AT&T and OpenFst."""

import gzip

import numpy as np
import pytest

import hedgehop as hh

WORD = "0 1 c\n1 2 a 0.1\n1 2 u 0.4\n2 3 t\n1 3 t 2\n3 0.5\n"


def texts(model, m=9):
    return [(model.text(y), round(float(model.score(y)), 6)) for y in hh.baselines.m_best(model, m=m)]


def read(tmp_path, text, name="word.att"):
    file = tmp_path / name
    file.write_bytes(gzip.compress(text.encode()) if name.lower().endswith(".gz") else text.encode())
    return hh.read(file)


@pytest.mark.parametrize("name", ["word.att", "word.fst", "word.fst.txt", "word.att.gz", "WORD.FST.TXT.GZ"])
def test_costs_become_scores(tmp_path, name):
    model = read(tmp_path, WORD, name)
    assert texts(model) == [("cat", -0.6), ("cut", -0.9), ("ct", -2.5)]


def test_outputs_of_transducers_are_read(tmp_path):
    model = read(tmp_path, "5 7 x a 1\n7 9 y <eps> 1\n7 9 y b 2.5\n9\n")
    assert texts(model) == [("a", -2.0), ("ab", -3.5)]
    assert texts(read(tmp_path, "0 1 a a\n1 2 b b\n2\n")) == [("ab", 0.0)]


def test_zero_among_numbers_reads_nothing(tmp_path):
    model = read(tmp_path, "0 1 7 1\n1 2 0 1\n1 2 12 3\n2\n")
    assert model.symbols == ("7", "12")
    assert texts(model) == [("7", -2.0), ("7 12", -4.0)]


def test_symbol_tables_name_numbers(tmp_path):
    (tmp_path / "word.syms").write_text("<eps> 0\nhello 1\nworld 2\n")
    model = read(tmp_path, "0 1 1\n1 2 2 1\n1 2 0 2\n2\n", "word.fst.txt")
    assert texts(model) == [("hello world", -1.0), ("hello", -2.0)]


def test_infinite_costs_close_arcs_and_ends(tmp_path):
    model = read(tmp_path, "0 1 a\n1 2 b Infinity\n1 2 c 1\n2\n1 Infinity\n")
    assert texts(model) == [("ac", -1.0)]


def test_what_is_written_is_read_again(tmp_path):
    arcs = [(1, 2, 0), (2, 0, -1), (2, 3, 1), (0, 3, 2)]
    model = hh.Automaton(arcs, [0.1, 1 / 3, -np.inf, 2.0], {3: -0.25, 2: 1e-300}, start=1, symbols=["x", "yy", "z"])
    for name in ("a.att", "b.fst.txt.xz"):
        hh.write(model, tmp_path / name)
        again = hh.read(tmp_path / name)
        assert texts(again) == texts(model)
        assert hh.best(again).value == hh.best(model).value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no lines"),
        ("0 1 a b c d\n1\n", "line 1"),
        ("0 1 a\n1 x\n", "line 2: costs must be numbers above -inf; got 'x'"),
        ("0 1 a nan\n1\n", "above -inf"),
        ("0 1 a\n", "finals must name"),
        ("0 1 a\n1 0 b\n1\n", "max_length"),
        ("0 1 a\n2\n", "accepts no string"),
    ],
)
def test_damaged_files_are_refused(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read(tmp_path, text)


def test_binary_files_are_named(tmp_path):
    file = tmp_path / "word.fst"
    file.write_bytes(bytes((0xD6, 0xFD, 0xB2, 0x7E, 6, 0, 0, 0)))
    with pytest.raises(ValueError, match="fstprint"):
        hh.read(file)


def test_short_files_of_huge_models_are_refused(tmp_path):
    lines = [f"{k} {k + 1} s{k}" for k in range(5000)]
    file = tmp_path / "long.att"
    file.write_text("\n".join([*lines, "5000"]))
    with pytest.raises(ValueError, match="max_bytes"):
        hh.read(file, max_bytes=2**20)


def test_names_that_would_mean_nothing_are_not_written(tmp_path):
    with pytest.raises(ValueError, match="mean nothing"):
        hh.write(hh.Automaton([(0, 1, 0)], [0.0], [1]), tmp_path / "a.att")
    with pytest.raises(TypeError, match="Automaton"):
        hh.write(hh.FactorGraph([[0.0, 1.0]]), tmp_path / "a.att")
