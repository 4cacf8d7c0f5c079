# SPDX-License-Identifier: BSD-3-Clause
"""Forbidden pairs in cuts, roof duality and moves: against enumeration, and kept from step to step."""

from __future__ import annotations

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.oracles import penalties

ORACLES = ("graphcut", "qpbo", "expansion", "swap", "trws")


def drawn(seed: int, agreeing: bool) -> hh.FactorGraph:
    """A small model with forbidden pairs."""
    random = np.random.default_rng(seed)
    n, labels = 5, 2 if agreeing else 3
    edges = np.array([(i, j) if random.random() < 0.5 else (j, i) for i in range(n) for j in range(i)])
    edges = edges[random.random(len(edges)) < 0.6]
    tables = random.integers(-3, 4, (len(edges), labels, labels)).astype(float)
    if agreeing:
        tables = -np.abs(tables) * (1 - np.eye(2))
        tables[(random.random(tables.shape) < 0.3) & ~np.eye(2, dtype=bool)] = -np.inf
        tables[random.random(len(edges)) < 0.1, 1] = -np.inf  # a label without any allowed pair
    else:
        tables[random.random(tables.shape) < 0.2] = -np.inf
    return hh.FactorGraph(random.normal(size=(n, labels)) * 3, edges, tables)


def best_value(model: hh.Model, potentials: list[hh.Potential]) -> float:
    try:
        return hh.best(model, potentials, oracle="exhaustive").value
    except hh.InfeasibleError:
        return -np.inf


@pytest.mark.parametrize("agreeing", [True, False])
def test_steps_against_enumeration(agreeing: bool) -> None:
    exact = dict.fromkeys(ORACLES, 0)
    for seed in range(25):
        model = drawn(seed, agreeing)
        theta = np.random.default_rng(seed).normal(size=model.unary.shape)
        for name in ORACLES:
            oracle = hh.oracles.get(name)
            if oracle.refusal(model, []) is not None:
                continue
            solver = oracle.on(model)
            for potentials in ([], [hh.potentials.Linear(theta)], [hh.potentials.Linear(-9.0 * theta)]):
                truth = best_value(model, potentials)
                if truth == -np.inf:
                    with pytest.raises(hh.InfeasibleError):
                        solver.step(potentials)
                    continue
                step = solver.step(potentials)
                assert step.value <= truth + 1e-9 <= step.upper_bound + 2e-9
                if step.exact:
                    assert step.value == pytest.approx(truth, abs=1e-5)
                exact[name] += step.exact
                if agreeing and name in ("graphcut", "swap"):
                    assert step.exact
    assert exact["graphcut"] > 30 if agreeing else exact["expansion"] > 30


def test_a_long_chain_of_implications_needs_more_than_any_pair_can_pay() -> None:
    """All 400 follow the first, which wants label 1 a little more than they want label 0 together."""
    n = 400
    unary = np.zeros((n, 2))
    unary[0, 1], unary[1:, 0] = n + 1.0, 1.0
    model = hh.FactorGraph(unary).forbid([(i, 1, i + 1, 0) for i in range(n - 1)])
    cut = hh.oracles.get("graphcut").on(model)
    assert cut.step([]).labeling.sum() == n
    less = np.zeros((n, 2))
    less[0, 1] = -3.0
    step = cut.step([hh.potentials.Linear(less)])
    assert step.exact
    assert step.labeling.sum() == 0
    assert step.value == n - 1


def test_a_solver_keeps_its_graph_from_step_to_step(monkeypatch: pytest.MonkeyPatch) -> None:
    built = []
    before = penalties.penalised
    monkeypatch.setattr(penalties, "penalised", lambda *args: built.append(args) or before(*args))
    model = hh.Grid(np.random.default_rng(0).normal(size=(6, 6, 2)), 0.5).forbid([(0, 1, 35, 0), (7, 0, 8, 1)])
    solver = hh.oracles.get("graphcut").on(model)
    for seed in range(5):
        theta = np.random.default_rng(seed).normal(size=(36, 2))
        copy = solver.for_bounds()
        assert solver.step([hh.potentials.Linear(theta)]).exact
        assert copy.step([hh.potentials.Linear(theta)]).exact
    assert len(built) <= 2


def test_lists_of_models_with_implications() -> None:
    random = np.random.default_rng(3)
    model = hh.Grid(random.normal(size=(3, 3, 2)), 0.3).forbid([(i, 1, i + 1, 0) for i in range(8)])
    found = hh.diverse(model, hh.VariableCoverage(), m=3, tradeoff=1.0)
    assert set(found.oracles) == {"graphcut"}
    assert found.labelings.shape == (3, 3, 3)
    assert np.isfinite(found.relevance).all()
    assert (np.diff(found.labelings.reshape(3, -1), axis=1) >= 0).all()  # 1 is followed by 1
    joint = hh.diverse(model, hh.VariableCoverage(), m=3, tradeoff=1.0, method="joint", distinct=False)
    assert joint.objective == pytest.approx(joint.upper_bound)
