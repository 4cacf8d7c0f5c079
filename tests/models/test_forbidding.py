# SPDX-License-Identifier: BSD-3-Clause
"""Forbidden pairs added to models of every kind of scores."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import hedgehop as hh

RANDOM = np.random.default_rng(0)
MODELS = [
    hh.Grid(RANDOM.normal(size=(2, 2, 3)), 0.5),
    hh.Chain(RANDOM.normal(size=(4, 3)), RANDOM.normal(size=(3, 3))),
    hh.FactorGraph(RANDOM.normal(size=(4, 3)), [[1, 0], [2, 3]], RANDOM.normal(size=(2, 3, 3))),
    hh.FactorGraph([[0.0, 1.0, 2.0], [1.0, 0.0], [0.5, 0.2, 0.1], [3.0, 1.0, 0.0]], [[1, 0]], [RANDOM.random((2, 3))]),
    hh.FactorGraph(RANDOM.normal(size=(4, 3)), cliques=[([0, 1, 2], RANDOM.normal(size=(3, 3, 3)))]),
]
PAIRS = [(0, 2, 1, 1), (3, 0, 0, 1), (3, 0, 0, 1), (1, 0, 2, 2)]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_scores_change_only_where_a_pair_is_forbidden(model: hh.models.PairwiseModel) -> None:
    forbidding = model.forbid(PAIRS)
    assert forbidding.shape == model.shape
    for labels in product(*(range(c) for c in model.label_counts)):
        gone = any(labels[i] == a and labels[j] == b for i, a, j, b in PAIRS)
        y = np.reshape(labels, model.shape)
        assert forbidding.score(y) == (-np.inf if gone else pytest.approx(model.score(y)))


def test_no_pairs_change_nothing() -> None:
    assert MODELS[0].forbid([]).score(np.ones((2, 2), int)) == MODELS[0].score(np.ones((2, 2), int))


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([(0, 1, 2)], "rows"),
        ([(0, 1, 4, 1)], "0..3"),
        ([(0, 1, -1, 1)], "0..3"),
        ([(2, 1, 2, 0)], "different"),
        ([(0, 3, 1, 0)], "0..2"),
        ([(0, 0.5, 1, 0)], "whole"),
    ],
)
def test_what_is_no_pair_is_refused(pairs: list[tuple[float, ...]], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        MODELS[0].forbid(pairs)


@pytest.mark.parametrize("suffix", ["uai", "LG", "wcsp", "cfn", "npz"])
def test_files_keep_forbidden_pairs_which_cuts_then_solve(tmp_path: Path, suffix: str) -> None:
    """A zero in a .uai file, the top in a .wcsp file: label 1 at a pixel requires it at the next."""
    grid = hh.Grid(np.array([[[-4.0, 0.0], [0.0, -1.0], [0.0, -1.0]]]), 0.0)
    path = tmp_path / f"model.{suffix}"
    hh.io.write(grid.forbid([(0, 1, 1, 0), (1, 1, 2, 0)]), path)
    step = hh.best(hh.io.read(path), oracle="graphcut")
    assert step.labeling.reshape(-1).tolist() == [1, 1, 1]
    assert step.exact
