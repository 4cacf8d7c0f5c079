# SPDX-License-Identifier: BSD-3-Clause
"""Everything the package adds, found by its entry points and compared with enumeration."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hedgehop as hh

SMALL = Path(__file__).with_name("small.scores")
CHAIN = hh.Chain(emissions=[[1.0, 0.0, 0.2], [0.0, 0.4, 0.0], [0.3, 0.0, 1.0], [0.1, 0.9, 0.0]], transitions=np.eye(3))


def test_the_model():
    ranking = hh.plugins("models")["ranking"]([[0, 2, 1, 3], [1, 0, 3, 0], [2, 1, 0, 2], [0, 3, 1, 0]])
    hh.testing.check_model(ranking)
    assert hh.diverse(ranking, hh.HammingBall(gamma=0.5), m=3, tradeoff=4.0).distinct == 3


def test_the_potential():
    balance = hh.plugins("potentials")["balance"](2.0)
    for oracle in ("exhaustive", "ilp", "lagrangian"):
        hh.testing.check_oracle(hh.oracles.get(oracle), CHAIN, [balance])


def test_the_diversity():
    hh.testing.check_diversity(hh.plugins("diversities")["watched"]([0, 2]), CHAIN)


def test_the_oracle():
    assert "ascent" in hh.oracles.available()
    for potentials in ([], [hh.potentials.Linear(np.ones((4, 3)))]):
        hh.testing.check_oracle(hh.oracles.get("ascent"), CHAIN, potentials)


def test_the_format(tmp_path):
    model = hh.read(SMALL)
    hh.write(model, tmp_path / "again.scores")
    assert hh.read(tmp_path / "again.scores") == model
    (tmp_path / "wrong.scores").write_text("1 2\n3 x\n")
    with pytest.raises(ValueError, match="line 2"):
        hh.read(tmp_path / "wrong.scores")


def run(*words):
    return subprocess.run([sys.executable, "-m", "hedgehop", *map(str, words)], capture_output=True, text=True)


def test_the_command():
    assert run("size", SMALL).stdout == "3 variables, up to 3 labels\n"


def test_the_command_line_knows_the_diversity_and_the_oracle():
    done = run("solve", SMALL, "-d", "watched:0,2", "-m", 3, "-t", 2, "--oracle", "ascent")
    assert done.returncode == 0, done.stderr
    assert "WatchedCoverage" in done.stdout
