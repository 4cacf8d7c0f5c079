# SPDX-License-Identifier: BSD-3-Clause
"""Integer programs: no clock unless asked for, and not a word from the solver."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
import scipy.optimize

import hedgehop as hh
from hedgehop.oracles.program.fixing import RowLimits
from hedgehop.oracles.program.program import _BranchAndBound
from hedgehop.oracles.program.quiet import _streams

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


def test_a_search_that_stops_early_keeps_a_finite_and_valid_bound(monkeypatch):
    real, random, n = scipy.optimize.milp, np.random.default_rng(0), 24

    def hurried(*args, **kwargs):
        return real(*args, **{**kwargs, "options": {**kwargs["options"], "node_limit": 1}})

    monkeypatch.setattr(scipy.optimize, "milp", hurried)
    edges = [(i, j) for i in range(n) for j in range(i)]
    model = hh.FactorGraph(random.normal(size=(n, 2)), edges, random.normal(size=(len(edges), 2, 2)))
    step = hh.best(model, oracle="ilp")
    assert not step.exact
    assert step.value <= step.upper_bound < np.inf
    assert model.score(random.integers(0, 2, (2000, n))).max() <= step.upper_bound


def test_a_time_limit_is_passed_on(options):
    hh.best(GRID, oracle=hh.oracles.Ilp(time_limit=30.0))
    assert all(0 < given["time_limit"] <= 30.0 for given in options)
    assert options


def test_a_budget_of_nodes_gives_the_same_answer_twice_and_a_bound(monkeypatch):
    monkeypatch.setattr("hedgehop.oracles.program.program._SEARCH_WORK", 0)
    monkeypatch.setattr("hedgehop.oracles.program.program._FEWEST_NODES", 1)
    random = np.random.default_rng(0)
    edges = [(i, j) for i in range(26) for j in range(i)]
    model = hh.FactorGraph(random.normal(size=(26, 2)), edges, random.normal(size=(len(edges), 2, 2)))
    first, second = (hh.best(model, oracle="ilp") for _ in range(2))
    assert not first.exact
    assert first.value <= first.upper_bound < np.inf
    assert model.score(random.integers(0, 2, (2000, 26))).max() <= first.upper_bound
    assert (first.value, first.upper_bound) == (second.value, second.upper_bound)


@pytest.mark.skipif(_streams()[0] is None, reason="this C library keeps its standard output to itself")
def test_what_the_solver_prints_by_itself_is_dropped(capfd, monkeypatch):
    """HiGHS prints a line of its own in one solve of hundreds; Python's output at the same time stays."""
    library, real = ctypes.CDLL(None), scipy.optimize.milp

    def milp(*args, **kwargs):
        library.puts(b"a word of the solver")
        print("ours", flush=True)
        return real(*args, **kwargs)

    monkeypatch.setattr(scipy.optimize, "milp", milp)
    assert hh.best(GRID, oracle="ilp").exact
    library.puts(b"after it")
    library.fflush(None)
    lines = capfd.readouterr().out.split("\n")
    assert lines[:-2] == ["ours"] * (len(lines) - 2)
    assert lines[-2:] == ["after it", ""]
    assert len(lines) > 2


@pytest.mark.parametrize("seed", range(3))
def test_a_constant_in_all_weights_of_trees_costs_no_digit(seed):
    """Every tree has as many edges, so that HiGHS need not see the constant."""
    edges = [[1, 0], [2, 1], [3, 1], [1, 0], [2, 0], [3, 1]]
    weights = np.round(2.0 * np.random.default_rng(seed).normal(size=6)) + 1e6
    model, ball = hh.SpanningTree(edges, weights), hh.HammingBall(gamma=0.05)
    lists = [hh.diverse(model, ball, 3, 0.3, oracle=name, min_distance=2) for name in ("ilp", "exhaustive")]
    assert lists[0].exact.all()
    assert lists[0].gains == pytest.approx(lists[1].gains, rel=1e-13)


@pytest.mark.parametrize("size", [1e-16, 1e-30, 1e-200])
def test_balls_are_written_if_scores_are_tiny_beside_them(size):
    model = hh.Grid(size * np.array([[[6.0, -5.0], [-1.0, 0.0]]]), 0.0)
    found = hh.diverse(model, hh.HammingBall(gamma=0.4), 2, 1.0, oracle="ilp", certify=False, distinct=False)
    assert found.labelings.reshape(2, 2).tolist() == [[0, 1], [1, 0]]


def test_a_program_that_calls_everything_forbidden_is_not_believed(monkeypatch):
    def mistaken(*_, **__):
        raise hh.InfeasibleError("no labeling is allowed")

    monkeypatch.setattr(hh.oracles.Ilp, "_by_program", mistaken)
    model = hh.FactorGraph([[0.0, 1.0], [0.5, 0.2]], [[0, 1]], [0.1])
    step = hh.best(model, oracle="ilp")
    assert step.value == model.score(step.labeling) > -np.inf
    assert step.value <= hh.best(model, oracle="exhaustive").value <= step.upper_bound  # by messages
    with pytest.raises(hh.InfeasibleError):
        hh.best(hh.SpanningTree([[0, 1], [1, 2]], [1.0, -1.0]), oracle="ilp")  # the best labels are no tree


def test_bounds_allow_for_what_huge_gains_of_inexact_columns_hide():
    def doubt(gain):
        rows = RowLimits(np.zeros((0, len(gain))), np.zeros(0), np.zeros(0))
        return _BranchAndBound(np.array(gain), rows, np.ones(len(gain), bool), np.inf).doubt

    assert doubt([1.0, -2.0, 0.0, 900.0]) == 0.0
    assert doubt([1.0, -1.0, 0.0, 1.0, -2e6]) == pytest.approx(2.0)
    assert doubt([0.0, 0.0]) == 0.0


class Renamed(hh.Matching):
    """The same rules under another name."""


class Stricter(hh.Matching):
    """A rule more: row 0 does not take column 1."""

    def _allows(self, flat):
        return super()._allows(flat) & (flat[:, 0] != 1)


def test_subclasses_are_written_by_the_rules_they_share_and_refused_if_these_change():
    weights = np.random.default_rng(0).normal(size=(4, 5))
    weights[0, 1] = 9.0
    rewards = hh.potentials.LabelWeights([0.0, 3.0, 0.0, 2.0, 0.0])
    expected = hh.best(hh.Matching(weights), rewards, oracle="ilp")
    found = hh.best(Renamed(weights), rewards, oracle="ilp")
    assert found.exact
    assert found.value == pytest.approx(expected.value)
    with pytest.raises(hh.UnsupportedError, match="cannot write the rules of Stricter"):
        hh.best(Stricter(weights), rewards, oracle="ilp")
    assert hh.best(Stricter(weights), rewards).labeling[0] != 1
