# SPDX-License-Identifier: BSD-3-Clause
"""Steps after the first one of oracles that search: less work, and bounds that hold."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.oracles.effort import without_bounds
from hedgehop.oracles.exact import toulbar2
from hedgehop.oracles.search import later
from hedgehop.potentials import Linear


def network(seed=0, n=7, forbidden=0.2):
    """Cliques of contradicting scores, some of which are forbidden, but never label 0 everywhere."""
    random = np.random.default_rng(seed)
    triples = [(random.choice(n, 3, replace=False), random.normal(size=(3, 3, 3))) for _ in range(2 * n)]
    for _, table in triples:
        table.flat[1:][random.random(26) < forbidden] = -np.inf
    return hh.FactorGraph(random.normal(size=(n, 3)), cliques=triples)


def changes(model, number=4):
    return [Linear(np.random.default_rng(k).normal(size=model.unary.shape)) for k in range(number)]


@pytest.fixture
def always_large(monkeypatch):
    """As if no program ended soon."""
    monkeypatch.setattr(later, "is_small", lambda model: False)


@pytest.fixture
def asked(monkeypatch):
    """Let toulbar2 find a poor labeling and prove nothing; return how many backtracks it was given."""
    given = []

    def answer(arrays, seconds):
        given.append(arrays["backtracks"])
        return {"labels": [0] * arrays["label_counts"].size, "bound": 0.0, "backtracks": arrays["backtracks"]}

    monkeypatch.setattr(toulbar2, "is_installed", lambda: True)
    monkeypatch.setattr(toulbar2, "_answer", answer)
    return given


@pytest.mark.parametrize("seed", range(5))
def test_later_programs_are_as_exact(always_large, seed):
    model = network(seed)
    solver = hh.oracles.Ilp().on(model)
    for change in changes(model):
        best = hh.best(model, change, "exhaustive")
        for known in (solver, solver.for_bounds()):
            found = known.step([change])
            assert found.value == pytest.approx(best.value)
            assert found.upper_bound >= best.value - 1e-9
            assert found.exact


def test_later_searches_take_fewer_backtracks_and_begin_with_what_is_known(always_large, asked):
    model = network(1)
    solver = hh.oracles.Toulbar2(backtracks=400).on(model)
    for change in changes(model):
        best, found = hh.best(model, change, "exhaustive"), solver.step([change])
        assert best.value - 1e-9 <= found.upper_bound
        assert found.value == pytest.approx(best.value)  # annealing finds it
        with without_bounds():
            assert solver.step([change]).upper_bound >= best.value - 1e-9
    assert asked == [400, *[100] * 7]


def test_steps_for_bounds_do_not_anneal(always_large, asked, monkeypatch):
    model = network(1)
    solver = hh.oracles.Toulbar2().on(model)
    first = solver.step([])
    monkeypatch.setattr(later, "annealed", lambda *_: pytest.fail("it has annealed"))
    found = solver.for_bounds().step([])
    assert np.array_equal(found.labeling, first.labeling)
    assert found.upper_bound >= first.value


def test_bounds_of_lists_are_left_to_messages_once_searches_prove_nothing(asked):
    random = np.random.default_rng(0)
    every = list(product(range(3), repeat=3))
    triples = [(random.choice(200, 3, replace=False), random.normal(size=(3, 3, 3))) for _ in range(900)]
    model = hh.FactorGraph(random.normal(size=(200, 3)), cliques=triples)
    assert len(every) * len(triples) > 20_000
    solver = hh.oracles.Auto().on(model)
    solver.step([])
    many = len(asked)
    assert many > 0
    assert solver.for_bounds().step([]).oracle in ("mplp", "cycles")
    assert solver.for_bounds().for_bounds().step([]).oracle in ("mplp", "cycles")
    assert len(asked) == many


def test_time_is_up_with_the_labeling_of_the_first_step(always_large, monkeypatch):
    model = network(2)
    solver = hh.oracles.Ilp().on(model)
    first = solver.step([])

    def late(*_, **__):
        raise TimeoutError("no labeling was found")

    monkeypatch.setattr(hh.oracles.Ilp, "solved", late)
    found = solver.step([])
    assert found.value >= first.value
    forbidden = np.zeros(model.unary.shape)
    forbidden[0, first.labeling[0]] = -np.inf
    with pytest.raises(TimeoutError):
        solver.step([Linear(forbidden)])
