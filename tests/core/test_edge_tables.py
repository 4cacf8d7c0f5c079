# SPDX-License-Identifier: BSD-3-Clause
"""One solver of messages whose tables are replaced again and again."""

import itertools

import numpy as np
import pytest

import hedgehop as hh
from hedgehop import _core
from hedgehop.oracles.pairwise.kernels import pair_tables, table_pairs

LABELS = 3


def model_of(random):
    return hh.Grid(random.normal(size=(2, 4, LABELS)), smoothness=0.5)


def optimum(model, tables):
    every = np.array(list(itertools.product(range(LABELS), repeat=model.n_variables)))
    i, j = model.edges.T
    pairs = tables[np.arange(len(tables)), every[:, i], every[:, j]].sum(axis=1)
    return (model.unary[np.arange(model.n_variables), every].sum(axis=1) + pairs).max()


def changed(random, tables, symmetric, size):
    """Tables of which a few differ from the given ones."""
    tables = tables.copy()
    for e in random.choice(len(tables), 4, replace=False):
        change = size * random.normal(size=(LABELS, LABELS))
        tables[e] += change + change.T if symmetric else change
    return tables


@pytest.mark.parametrize("seed", range(6))
def test_bounds_hold_after_every_change(seed):
    random = np.random.default_rng(seed)
    model = model_of(random)
    tables = pair_tables(model)
    solver = _core.trws.Trws(model.unary, table_pairs(model, tables))
    solver.run(5)
    for k, size in enumerate([0.1, 1.0, 50.0, 1e-3, 0.0, 1e4, 1.0]):  # scales get coarser, and finer
        tables = changed(random, tables, symmetric=k < 3, size=size)
        solver.set_tables(tables.reshape(len(tables), -1))
        labeling, value, bound, _ = solver.run(100)
        best, spread = optimum(model, tables), np.ptp(tables)
        assert value <= best + 1e-9 * spread <= bound + 2e-9 * spread
        fresh = _core.trws.Trws(model.unary, table_pairs(model, tables))
        assert bound == pytest.approx(fresh.run(100)[2], abs=0.02 * spread)
        assert value == pytest.approx(fresh.value(labeling))


def test_refuses_other_sizes_and_solvers_without_tables():
    model = model_of(np.random.default_rng(0))
    tables = pair_tables(model)
    flat = tables.reshape(len(tables), -1)
    plain = _core.trws.Trws(model.unary, model.pairs)
    with pytest.raises(ValueError, match="must be one of tables"):
        plain.set_tables(flat)
    solver = _core.trws.Trws(model.unary, table_pairs(model, tables))
    with pytest.raises(ValueError, match="one per edge"):
        solver.set_tables(flat[1:])
    with pytest.raises(ValueError, match="columns"):
        solver.set_tables(np.ascontiguousarray(flat[:, 1:]))
    with pytest.raises(ValueError, match="finite"):
        solver.set_tables(flat - np.inf)
    assert solver.run(5)[1] <= solver.run(5)[2]
