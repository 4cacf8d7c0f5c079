# SPDX-License-Identifier: BSD-3-Clause
"""Errors name the right line: of a file with one word per line, each word in turn is spoilt."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hedgehop as hh

MODEL = hh.FactorGraph(
    [[0.0, -1.0], [-2.0, 0.0], [0.0, -3.0]],
    [[0, 1]],
    [[[0.0, -2.0], [-4.0, 0.0]]],
    [([0, 1, 2], -np.arange(8.0).reshape(2, 2, 2))],
)
FREE = {".wcsp": 1}  # words that may be anything: the name of the problem


@pytest.mark.parametrize("suffix", [".uai", ".LG", ".wcsp"])
@pytest.mark.parametrize("junk", ["?", "1e400", "nan"])
def test_a_spoilt_word_is_found_on_its_line(tmp_path, suffix, junk):
    path = tmp_path / f"model{suffix}"
    hh.write(MODEL, path)
    words = path.read_text().split()
    for place in range(FREE.get(suffix, 0), len(words)):
        path.write_text("\n".join([*words[:place], junk, *words[place + 1 :]]) + "\n")
        with pytest.raises(ValueError, match="line") as caught:
            hh.read(path)
        assert int(re.search(r", line (\d+):", str(caught.value))[1]) == place + 1, words[place]


def test_lines_of_networks_with_names(tmp_path):
    path = tmp_path / "model.cfn"
    text = '{\n{x\n"<9"}\n{a:\n[l\nm]\nb:\n2}\n{{\n[a\nb]\n0.5\n[l\n1\n3\nm\n0\n4]}}}\n'
    path.write_text(text)
    assert hh.read(path).n_variables == 2
    lines = text.split("\n")
    for number, junk in ((10, "[z"), (11, "z]"), (13, "[z"), (14, "7"), (15, "z"), (16, "z"), (18, "z]}}}")):
        path.write_text("\n".join([*lines[: number - 1], junk, *lines[number:]]))
        with pytest.raises(ValueError, match=rf", line {number}:"):
            hh.read(path)
