# SPDX-License-Identifier: BSD-3-Clause
"""Slopes by message passing: where the list dual begins on pairwise models."""

from __future__ import annotations

import numpy as np
import pytest

import hedgehop as hh
from hedgehop import _core
from hedgehop.diversity import lines

LOG = np.log1p(np.arange(4.0))  # h of lists of three labelings
HAMMING = -(np.arange(4.0) ** 2) / 2.0


def _slopes(model: hh.FactorGraph, h: np.ndarray, tradeoff: float = 1.0, iterations: int = 4) -> np.ndarray:
    """One row of slopes per variable."""
    weights = np.full((model.n_variables, 1), tradeoff)
    cells, slopes = _core.counts.list_slopes(model.unary, model.pairs, weights, h, tradeoff, iterations)
    return slopes[cells]


def _worth(h: np.ndarray, slopes: np.ndarray) -> float:
    """Sum of h*."""
    counts = np.arange(h.size)
    return float((h - slopes[..., None] * counts).max(axis=-1).sum())


def _grid(seed: int, labels: int = 3) -> hh.Grid:
    return hh.Grid(np.random.default_rng(seed).normal(size=(7, 7, labels)), smoothness=0.4)


@pytest.mark.parametrize("h", [LOG, HAMMING], ids=["log", "hamming"])
@pytest.mark.parametrize("seed", range(5))
def test_slopes_of_one_variable_prove_the_best_list(h: np.ndarray, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(1, 4))
    slopes = _slopes(hh.FactorGraph(scores, np.zeros((0, 2), int), np.zeros(0)), h)
    units = (scores[0][:, None] + np.diff(h)).ravel()  # one for each label and number of labelings that have it
    best = np.sort(units)[-3:].sum() + 4 * h[0]
    assert _worth(h, slopes) + 3 * (scores + slopes).max() == pytest.approx(best, abs=1e-12)


def test_the_first_bounds_are_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    def bounds() -> np.ndarray:
        lists = [
            hh.diverse(_grid(seed), hh.LinearHamming(), 4, 1.0, certify=False, distinct=False) for seed in range(6)
        ]
        return np.array([found.certify(2).upper_bound for found in lists])

    begun = bounds()
    monkeypatch.setattr(lines.VariableLines, "begin", lambda self, factor: False)
    assert (begun < bounds()).sum() >= 5


def test_units_of_the_scores_change_nothing() -> None:
    rng = np.random.default_rng(3)
    scores, edges, strengths = rng.normal(size=(6, 3)), [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5]], rng.random(5)
    plain = _slopes(hh.FactorGraph(scores, edges, strengths), LOG)
    assert np.ptp(plain) > 0.1
    for unit in (2.0**-900, 2.0**40):
        scaled = hh.FactorGraph(unit * scores, edges, unit * strengths)
        np.testing.assert_array_equal(_slopes(scaled, LOG, unit), plain)
    shifted = hh.FactorGraph(np.round(scores, 2) * 64 + 2.0**30, edges, 64 * strengths)
    unshifted = hh.FactorGraph(np.round(scores, 2) * 64, edges, 64 * strengths)
    np.testing.assert_allclose(_slopes(shifted, LOG, 64.0), _slopes(unshifted, LOG, 64.0), atol=1e-5)


def test_slopes_touch_h_whatever_is_forbidden() -> None:
    scores = [np.array([0.0, -np.inf, 1.0]), np.array([1e9, 0.0]), np.array([0.5])]
    tables = [np.array([[0.0, 1.0], [2.0, -np.inf], [-np.inf, 0.0]]), np.array([[0.0], [-1e12]])]
    slopes = _slopes(hh.FactorGraph(scores, [[0, 1], [1, 2]], tables), LOG)
    rises = np.diff(LOG)
    assert slopes.shape == (3, 3)
    assert ((slopes >= rises[-1]) & (slopes <= rises[0])).all()
    assert slopes[2, 0] == rises[-1]  # the only label of a variable has it in every labeling
    assert slopes[0, 1] == rises[0]  # a forbidden one in none


def test_variables_with_like_slopes_form_a_cell() -> None:
    model = hh.Grid(np.zeros((5, 5, 2)), smoothness=1.0)
    cells, slopes = _core.counts.list_slopes(model.unary, model.pairs, np.ones((25, 1)), LOG, 1.0, 4)
    assert slopes.shape == (1, 2)
    assert (cells == 0).all()


def test_large_models_and_cliques_begin_at_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    def begins(model: hh.Model) -> bool:
        families = hh.VariableCoverage().lines(model, 3)
        assert families is not None
        [(factor, slopes)] = families
        return slopes.begin(factor)

    table = np.zeros((2, 2, 2))
    scores, edges = np.zeros((3, 2)), [[0, 1], [1, 2]]
    assert begins(hh.FactorGraph(scores, edges, [1.0, 1.0]))
    assert not begins(hh.FactorGraph(scores, edges, [1.0, 1.0], cliques=[((0, 1, 2), table)]))
    assert not begins(hh.Matching(np.zeros((3, 3))))
    monkeypatch.setattr(lines, "_MOST_MESSAGE_SCORES", 5)
    assert not begins(hh.FactorGraph(scores, edges, [1.0, 1.0]))
