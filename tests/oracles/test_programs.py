# SPDX-License-Identifier: BSD-3-Clause
"""Integer programs: no clock unless asked for, and not a word from the solver."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

import hedgehop as hh

GRID = hh.Grid(np.random.default_rng(0).normal(size=(2, 2, 3)), smoothness=0.3)


@pytest.fixture
def options(monkeypatch):
    seen, real = [], scipy.optimize.milp

    def milp(*args, **kwargs):
        seen.append(dict(kwargs["options"]))
        return real(*args, **kwargs)

    monkeypatch.setattr(scipy.optimize, "milp", milp)
    return seen


def test_no_clock_is_asked_by_default(options):
    assert hh.best(GRID, oracle="ilp").exact
    assert options
    assert all("time_limit" not in given for given in options)
    assert all(given["node_limit"] >= 20 for given in options)


def test_a_time_limit_is_passed_on(options):
    hh.best(GRID, oracle=hh.oracles.Ilp(time_limit=30.0))
    assert all(0 < given["time_limit"] <= 30.0 for given in options)
    assert options


def test_a_budget_of_nodes_gives_the_same_answer_twice_and_a_bound(monkeypatch):
    monkeypatch.setattr("hedgehop.oracles.program.program._WORK", 0)
    monkeypatch.setattr("hedgehop.oracles.program.program._FEWEST_NODES", 1)
    random = np.random.default_rng(0)
    edges = [(i, j) for i in range(26) for j in range(i)]
    model = hh.FactorGraph(random.normal(size=(26, 2)), edges, random.normal(size=(len(edges), 2, 2)))
    first, second = (hh.best(model, oracle="ilp") for _ in range(2))
    assert not first.exact
    assert first.value <= first.upper_bound < np.inf
    assert model.score(random.integers(0, 2, (2000, 26))).max() <= first.upper_bound
    assert (first.value, first.upper_bound) == (second.value, second.upper_bound)
