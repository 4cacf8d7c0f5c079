# SPDX-License-Identifier: BSD-3-Clause
"""Limits of steps: good enough is told and still proven, time is kept, and without a limit nobody asks for it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.oracles.branching import CostBranches
from hedgehop.oracles.effort import Effort


def frustrated(seed: int, shape: tuple[int, int] = (3, 3), n_labels: int = 3) -> hh.Grid:
    """A grid on which messages leave a gap for a while."""
    random = np.random.default_rng(seed)
    right, down = random.random((shape[0], shape[1] - 1)), random.random((shape[0] - 1, shape[1]))
    return hh.Grid(0.7 * random.normal(size=(*shape, n_labels)), [2 * right, 2 * down])


class Clock:
    """Every look at it takes a second."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._seconds = itertools.count()
        monkeypatch.setattr(Effort, "now", staticmethod(lambda: float(next(self._seconds))))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> float:
        raise AssertionError("somebody looked at the clock")

    monkeypatch.setattr(Effort, "now", staticmethod(refuse))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("tolerance", [1e-3, 0.05, 1.0])
def test_a_step_that_is_good_enough_is_proven_to_be(seed: int, tolerance: float, no_clock: None) -> None:
    model = frustrated(seed)
    truth = hh.best(model, oracle="exhaustive").value
    step = hh.best(model, oracle="trws", tolerance=tolerance)
    assert step.value <= truth + 1e-9
    assert truth <= step.upper_bound + 1e-6 * abs(truth)
    if step.stopped:
        assert step.stopped == "tolerance"
        assert not step.exact
        assert step.upper_bound - step.value <= tolerance * model.spread


def test_a_tolerance_saves_passes(no_clock: None) -> None:
    model = frustrated(1, (40, 40), 5)
    loose, close = (hh.best(model, oracle="trws", tolerance=tolerance) for tolerance in (0.2, 1e-4))
    assert loose.stopped == "tolerance"
    assert loose.upper_bound > close.upper_bound  # it did not go on
    assert close.upper_bound - close.value < loose.upper_bound - loose.value


def test_a_step_without_time_returns_what_it_has(clock: Clock) -> None:
    model = frustrated(1, (40, 40), 5)
    step = hh.best(model, oracle="trws", time_limit=1.0)
    whole = hh.best(model, oracle="trws")
    assert step.stopped == "time"
    assert not step.exact
    assert step.upper_bound > whole.upper_bound
    assert step.value <= whole.upper_bound
    assert not whole.stopped


def test_a_small_step_without_time_is_not_closed_by_a_program(clock: Clock) -> None:
    random = np.random.default_rng(0)
    model = hh.FactorGraph(random.normal(size=(20, 3)), _all_pairs(20), _tables(random, 190))
    late, patient = hh.best(model, time_limit=0.5), hh.best(model, time_limit=1e9)
    assert late.oracle == "trws"
    assert late.stopped == "time"
    assert late.value <= patient.upper_bound
    assert patient.value <= late.upper_bound


def _all_pairs(n: int) -> np.ndarray:
    return np.stack(np.triu_indices(n, 1), axis=1)


def _tables(random: np.random.Generator, n: int) -> np.ndarray:
    return random.normal(size=(n, 3, 3))


def test_a_step_with_costs_of_transitions_branches_no_further_without_time(clock: Clock, monkeypatch) -> None:
    made, branch = [], CostBranches._branch
    monkeypatch.setattr(CostBranches, "_branch", lambda *parts: (made.append(1), branch(*parts)))
    model = frustrated(2, (12, 12), 4)
    costs = hh.potentials.TransitionWeights(-3.0 * (1.0 - np.eye(4)))
    late, before = hh.best(model, costs, time_limit=1.0), len(made)
    patient = hh.best(model, costs)
    assert before <= 1 < len(made) - before
    assert late.value <= patient.upper_bound
    assert patient.value <= late.upper_bound


def test_lists_keep_their_time_and_say_so(clock: Clock) -> None:
    model = frustrated(2, (12, 12), 4)
    with pytest.warns(UserWarning, match="the time limit is over"):
        found = hh.diverse(model, hh.LinearHamming(), 6, 0.3, distinct=False, time_limit=8.0)
    assert 1 <= len(found) < 6
    assert found.objective <= found.upper_bound


def test_the_first_labeling_is_found_in_no_time(clock: Clock) -> None:
    with pytest.warns(UserWarning, match="only 1 of 4 labelings"):
        found = hh.diverse(frustrated(3), hh.LinearHamming(), 4, 0.3, distinct=False, time_limit=1e-6)
    assert len(found) == 1
    assert found.objective <= found.upper_bound


def test_lists_with_a_tolerance_are_certified(no_clock: None) -> None:
    model = frustrated(4, (12, 12), 4)
    found = hh.diverse(model, hh.VariableCoverage(), 4, 0.5, distinct=False, tolerance=0.01)
    whole = hh.diverse(model, hh.VariableCoverage(), 4, 0.5, distinct=False)
    assert len(found.more(1)) == 5
    assert found.objective <= found.upper_bound
    assert found.objective <= whole.upper_bound
    assert whole.objective <= found.upper_bound


def test_steps_of_a_stream_have_the_limit_each(clock: Clock) -> None:
    steps = hh.stream(frustrated(1, (40, 40), 5), hh.LinearHamming(), 0.3, distinct=False, time_limit=1.0)
    assert [next(steps).stopped for _ in range(3)] == ["time"] * 3


def test_limits_that_are_none_are_refused() -> None:
    model = frustrated(0)
    with pytest.raises(ValueError, match="tolerance must be >= 0"):
        hh.best(model, tolerance=-0.1)
    with pytest.raises(ValueError, match="time_limit must be > 0"):
        hh.diverse(model, hh.LinearHamming(), 2, 1.0, time_limit=0.0)
    with pytest.raises(TypeError, match="tolerance must be a number"):
        hh.stream(model, hh.LinearHamming(), 1.0, tolerance="much")


def test_a_program_that_finds_nothing_in_time_leaves_distances_to_the_relaxation(monkeypatch):
    """Wide graphs of cliques: even a linear step is a program."""
    random = np.random.default_rng(0)
    cliques = [(random.choice(12, 3, replace=False), random.normal(size=(2, 2, 2))) for _ in range(60)]
    model = hh.FactorGraph(np.zeros((12, 2)), cliques=cliques)
    solver = hh.oracles.get("ilp").on(model)
    first = solver.step([])
    maximize = hh.oracles.Ilp.maximize

    def too_late(self, model, potentials):
        if any(p.distances() is not None for p in potentials):
            raise TimeoutError("no labeling was found.")
        return maximize(self, model, potentials)

    monkeypatch.setattr(hh.oracles.Ilp, "maximize", too_late)
    step = solver.step_apart([], [first.labeling], distance=3, nearest=first)
    assert (step.labeling != first.labeling).sum() >= 3
    assert step.upper_bound >= step.value
