# SPDX-License-Identifier: BSD-3-Clause
"""Roof duality: valid bounds, persistent labels, labelings that never get worse."""

from __future__ import annotations

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.oracles.pairwise.qpbo import Qpbo, _Roof
from hedgehop.oracles.registry import built_in_and_installed
from hedgehop.oracles.routing import choose
from hedgehop.potentials import Linear


def frustrated(random, n=8, density=0.5, whole=False):
    edges = [(i, j) for i in range(n) for j in range(i + 1, n) if random.random() < density]
    unary, tables = random.normal(size=(n, 2)), 2 * random.normal(size=(len(edges), 2, 2))
    if whole:
        unary, tables = np.round(unary), np.round(tables)
    return hh.FactorGraph(unary, edges, tables) if edges else hh.FactorGraph(unary)


@pytest.mark.parametrize("seed", range(60))
def test_roof_dual_is_valid_and_labels_persist(seed):
    """The bound holds, and overwriting any labeling by the labels found never makes it worse."""
    random = np.random.default_rng(seed)
    model = frustrated(random, n=int(random.integers(1, 9)), whole=seed % 2 == 0)
    roof = _Roof(model)
    roof.set(None)
    labels, bound = roof.solve()
    assert bound >= hh.best(model, oracle="exhaustive").value - 1e-9
    others = random.integers(0, 2, (20, model.n_variables)).astype(np.int32)
    assert (model.score(np.where(labels >= 0, labels, others)) >= np.asarray(model.score(others)) - 1e-9).all()


@pytest.mark.parametrize("seed", range(30))
def test_steps_are_as_good_as_they_say_with_a_warm_state(seed):
    random = np.random.default_rng(seed)
    model = frustrated(random, whole=seed % 3 == 0)
    qpbo = Qpbo()
    solver = qpbo.on(model)
    for _ in range(3):
        theta = random.normal(size=(8, 2))
        theta[random.integers(8), random.integers(2)] = -np.inf
        step = solver.maximize([Linear(theta)])
        best = hh.best(model, [Linear(theta)], "exhaustive").value
        assert step.value <= best + 1e-9 <= step.upper_bound + 2e-9
        if step.exact:
            assert step.value == pytest.approx(best)


def test_improving_cuts_do_no_harm_on_a_frustrated_grid():
    random = np.random.default_rng(1)
    grid = hh.Grid(random.normal(size=(40, 40, 2)))
    tables = np.zeros((len(grid.edges), 2, 2))
    tables[:, 0, 1] = tables[:, 1, 0] = 3 * random.normal(size=len(grid.edges))
    model = hh.FactorGraph(grid.unary, grid.edges, tables)
    plain, improved = hh.best(model, oracle=Qpbo(rounds=0)), hh.best(model, oracle="qpbo")
    assert plain.value <= improved.value <= improved.upper_bound <= hh.best(model, oracle="trws").upper_bound + 1e-6
    assert choose(built_in_and_installed(), model, []).oracle == "qpbo"


def test_refusals_name_the_reason():
    three = hh.FactorGraph([[0.0, 1.0, 2.0]])
    with pytest.raises(hh.UnsupportedError, match="needs two labels; the model has 3"):
        hh.best(three, oracle="qpbo")


def test_equal_labels_may_be_forbidden():
    barred = hh.FactorGraph([[0.0, 1.0], [0.0, 1.5]], [[0, 1]], [[0.0, 0.0], [0.0, -np.inf]])
    assert hh.oracles.get("graphcut").refusal(barred, []) is not None
    step = hh.best(barred, oracle="qpbo")
    assert step.labeling.tolist() == [0, 1]
    assert step.upper_bound >= 1.5
