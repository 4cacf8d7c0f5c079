# SPDX-License-Identifier: BSD-3-Clause
"""Damaged files of every format: a ValueError or a model, nothing else. The same damage at every run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgehop as hh

MODEL = hh.FactorGraph(
    [[0.0, -1.0], [-2.0, 0.0], [0.0, -3.0]],
    [[0, 1]],
    [[[0.0, -2.0], [-np.inf, 0.0]]],
    [([0, 1, 2], -np.ones((2, 2, 2)))],
)
FLOW = hh.FactorGraph([[0.0, -1.0], [-2.0, 0.0]], [[0, 1]], [[[0.0, -2.0], [-1.0, 0.0]]])
STRINGS = hh.Automaton([(0, 1, 0), (1, 2, -1), (1, 2, 1)], [0.0, -1.5, -2.0], {2: -1.0}, symbols=["a", "bb"])
NAMES = ["x.uai", "x.LG", "x.wcsp", "x.cfn", "x.max", "x.npz", "x.uai.gz", "x.uai.xz", "x.att"]
PIECES = [b"-1", b"0", b"99999999999", b"1e308", b"nan", b"-inf", b" ", b"\n", b"{", b"]", b'"', b"\0", b"\xff", b"x"]


@st.composite
def damage(draw, content):
    """Replace, remove and insert a few pieces."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        stop = min(len(content), start + draw(st.integers(0, 6)))
        piece = draw(st.sampled_from(PIECES) | st.binary(max_size=3))
        content = content[:start] + piece + content[stop:]
    return content


@pytest.mark.parametrize("name", NAMES)
def test_damaged_files_are_refused_or_read(tmp_path, name):
    path = tmp_path / name
    hh.write(STRINGS if name == "x.att" else FLOW if name == "x.max" else MODEL, path)
    content = path.read_bytes()

    @settings(max_examples=100, deadline=5000, derandomize=True)
    @given(damage(content))
    def check(damaged):
        path.write_bytes(damaged)
        try:
            model = hh.read(path, max_bytes=2**20)
        except ValueError as error:
            assert name in str(error)  # noqa: PT017
        else:
            assert model.n_variables >= 1

    check()


@pytest.mark.parametrize("name", NAMES)
def test_any_bytes_are_refused_or_read(tmp_path, name):
    @settings(max_examples=50, deadline=5000, derandomize=True)
    @given(st.binary(max_size=60))
    def check(content):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=name):
            hh.read(tmp_path / name, max_bytes=2**20)

    check()
