# SPDX-License-Identifier: BSD-3-Clause
"""What labelings add to scores, kept by cell: the same as a table, in every kernel that takes it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import hedgehop as hh
from hedgehop import _core
from hedgehop.oracles.folding import fold, fold_change
from hedgehop.potentials import cells as module
from hedgehop.potentials.cells import CellLinear, Cells

LABELS = 5


def rows_of(seed: int, n: int = 63, count: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, LABELS, (count, n)).astype(np.int32)


def grid_of(seed: int, dtype: type = np.float32) -> hh.Grid:
    return hh.Grid(np.random.default_rng(seed).normal(size=(7, 9, LABELS)).astype(dtype), smoothness=0.4)


def cell_linear(seed: int) -> CellLinear:
    random, cells = np.random.default_rng(seed), Cells.of(rows_of(seed), LABELS)
    return cells.linear(LABELS, random.normal(size=cells.labels.size), 0.7, random.random(63))


@pytest.mark.parametrize("seed", range(4))
def test_cells_are_the_variables_with_the_same_labels(seed: int) -> None:
    rows = rows_of(seed, 500, 3)
    cells = Cells.of(rows, LABELS)
    _, wanted = np.unique(rows, axis=1, return_inverse=True)
    assert np.array_equal(cells.cell, wanted.reshape(-1))  # in the order of their labels
    for k, row in enumerate(rows):
        assert np.array_equal(cells.labels[cells.rows[k][cells.cell]], row)
    for c, (a, b) in enumerate(zip(cells.starts[:-1], cells.starts[1:], strict=True)):
        assert sorted(cells.labels[a:b]) == sorted(set(rows[:, np.argmax(cells.cell == c)]))
    weights = np.random.default_rng(seed).random((500, LABELS))
    owner = np.repeat(np.arange(cells.starts.size - 1), np.diff(cells.starts))
    sums = [weights[cells.cell == c, label].sum() for c, label in zip(owner, cells.labels, strict=True)]
    np.testing.assert_allclose(cells.weighed(weights), sums)


def test_a_split_says_what_entries_were_before() -> None:
    rows = rows_of(1)
    before = Cells.of(rows[:3], LABELS)
    after, origin = before.split(rows[3], LABELS)
    known = origin >= 0
    assert np.array_equal(after.labels[known], before.labels[origin[known]])
    assert 0 < (~known).sum() <= after.starts.size - 1


@pytest.mark.parametrize("diversity", [hh.VariableCoverage("sqrt"), hh.LinearHamming(np.arange(63) / 9.0)], ids=repr)
def test_lists_add_the_same_by_cell(monkeypatch: pytest.MonkeyPatch, diversity: hh.Diversity) -> None:
    model, rows = grid_of(0), rows_of(5)
    (table,) = diversity.scaled_potentials(model, rows, 1.7)
    monkeypatch.setattr(module, "_TABLE_SCORES", 0)
    (by_cell,) = diversity.scaled_potentials(model, rows, 1.7)
    assert isinstance(by_cell, CellLinear)
    assert not isinstance(table, CellLinear)
    np.testing.assert_allclose(by_cell.theta, table.theta, rtol=1e-14)
    np.testing.assert_allclose(by_cell.value(model, rows), table.value(model, rows), rtol=1e-13)
    again = pickle.loads(pickle.dumps(by_cell))
    assert again == by_cell
    assert np.array_equal(again.scaled(2.0).theta, 2.0 * by_cell.theta)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(3))
def test_kernels_take_cells_for_tables(seed: int, dtype: type) -> None:
    model, linear = grid_of(seed, dtype), cell_linear(seed)
    scores, table = linear.scores, linear.theta
    theta, constant = fold_change(model, [linear, hh.potentials.Constant(2.0)])
    assert theta is scores
    assert constant == 2.0
    assert np.array_equal(fold(model, [linear])[0], table)
    found = []
    for change in (scores, table):
        messages = _core.trws.Trws.grid(model.unary.reshape(7, 9, LABELS), 4, model.strengths)
        messages.add_linear(change)
        labeling, value, bound, _ = messages.run(20)
        moves = _core.moves.Moves(model.unary, model.pairs)
        moves.set_linear(change)
        moved, moved_value = moves.expand(np.zeros(63, np.int32), None, 3)
        sure = _core.scores.grid_sure_labels(model.unary, change, model.reaches, (7, 9), 4, model.strengths)
        found.append([labeling, value, bound, moved, moved_value, sure])
    for by_cell, by_table in zip(*found, strict=True):
        np.testing.assert_array_equal(by_cell, by_table)


def test_arrays_that_do_not_fit_are_refused() -> None:
    ints = np.array([0, 1], np.int32)
    good = {"n_labels": 2, "cell": ints, "starts": np.array([0, 1, 2], np.int32), "labels": ints,
            "amounts": np.ones(2), "base": 0.0, "weights": None}  # fmt: skip
    _core.scores.CellScores(**good)
    for name, wrong in {
        "cell": np.array([0, 2], np.int32),
        "starts": np.array([0, 2, 1], np.int32),
        "labels": np.array([0, 2], np.int32),
        "amounts": np.array([1.0, np.nan]),
        "weights": np.ones(3),
    }.items():
        with pytest.raises(ValueError, match=name):
            _core.scores.CellScores(**{**good, name: wrong})
    with pytest.raises(ValueError, match="labeling"):
        _core.scores.split_cells(ints, good["starts"], ints, np.zeros((0, 2), np.int32), np.array([0, 7], np.int32), 2)
