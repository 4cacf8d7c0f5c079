# SPDX-License-Identifier: BSD-3-Clause
"""The oracle toulbar2: what it writes for the other process is tested without it, the rest where it is installed."""

from __future__ import annotations

import sys
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.oracles.exact import toulbar2
from hedgehop.oracles.exact.toulbar2_process import solved
from hedgehop.oracles.routing import choose

LABELS = (2, 3, 2, 3)


def network(seed: int, forbid: bool = True) -> hh.FactorGraph:
    """Four variables in a ring whose pairs contradict each other, and a clique of all."""
    random = np.random.default_rng(seed)
    unary = [random.normal(size=count) for count in LABELS]
    edges = [(i, (i + 1) % 4) for i in range(4)]
    tables = [3.0 * random.normal(size=(LABELS[i], LABELS[j])) for i, j in edges]
    if forbid:
        unary[1][0], tables[2][0, 0] = -np.inf, -np.inf
    return hh.FactorGraph(unary, edges, tables, cliques=[([0, 1, 2, 3], random.normal(size=LABELS))])


def cheapest(arrays: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Do what the other process does, by trying everything."""
    starts, cells = arrays["starts"], arrays["cells"]

    def cost(labels: tuple[int, ...]) -> float:
        total = 0.0
        for f in range(len(starts) - 1):
            scope = arrays["variables"][starts[f] : starts[f + 1]]
            table = arrays["costs"][cells[f] : cells[f + 1]].reshape(arrays["label_counts"][scope])
            total += table[tuple(labels[i] for i in scope)]
        return total

    best = min(product(*map(range, arrays["label_counts"])), key=cost)
    return {"labels": list(best), "bound": cost(best), "backtracks": 0}


@pytest.fixture
def by_enumeration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toulbar2, "is_installed", lambda: True)
    monkeypatch.setattr(toulbar2, "_answer", cheapest)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("scale", [1e-7, 1.0, 1e9])
def test_costs_and_bounds_are_those_of_the_model(by_enumeration: None, seed: int, scale: float) -> None:
    model = network(seed)
    theta = hh.potentials.Linear(scale * np.random.default_rng(seed).normal(size=(4, 3)))
    step = hh.oracles.Toulbar2().maximize(model, [theta, hh.potentials.Constant(2.0)])
    best = hh.best(model, [theta, hh.potentials.Constant(2.0)], oracle="exhaustive")
    np.testing.assert_allclose(step.value, best.value, rtol=1e-9)
    assert best.value <= step.upper_bound <= best.value + 1e-8 * (1.0 + scale)
    assert step.exact == (scale <= 1.0)  # what is at stake in the model is nothing to such potentials


def test_a_search_that_ends_early_keeps_a_valid_bound(by_enumeration: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toulbar2, "_answer", lambda arrays, s: {"labels": None, "bound": 0.0, "backtracks": 2000})
    model = network(1, forbid=False)
    step, best = hh.best(model, oracle="toulbar2"), hh.best(model, oracle="exhaustive")
    assert step.value <= best.value < step.upper_bound
    assert not step.exact


def test_nothing_is_allowed(by_enumeration: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toulbar2, "_answer", lambda arrays, s: {"labels": None, "bound": 0.0, "backtracks": 7})
    with pytest.raises(hh.InfeasibleError, match="no labeling is allowed"):
        hh.best(network(0), oracle="toulbar2")
    with pytest.raises(hh.InfeasibleError, match="no labeling is allowed"):
        hh.best(hh.FactorGraph([[0.0, 1.0]] * 2, [[0, 1]], np.full((2, 2), -np.inf)), oracle="toulbar2")


def test_refusals(by_enumeration: None, monkeypatch: pytest.MonkeyPatch) -> None:
    model, oracle = network(0), hh.oracles.Toulbar2()
    assert oracle.refusal(model, []) is None
    assert "linear potentials only" in str(oracle.refusal(model, [hh.potentials.LabelWeights([1.0, 0.0, 0.0])]))
    assert "no unary and pairwise" in str(oracle.refusal(hh.Matching(np.eye(3)), []))
    monkeypatch.setattr(toulbar2, "_MOST_NETWORK_SCORES", 20)
    assert "cells" in str(oracle.refusal(model, []))
    with pytest.raises(ValueError, match="backtracks must be at least 1"):
        hh.oracles.Toulbar2(backtracks=0)


def test_without_it_other_oracles_are_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    oracles = hh.oracles.Auto().oracles
    table = np.random.default_rng(0).normal(size=(9, 9))
    wide = hh.FactorGraph(np.zeros((30, 9)), list(zip(*np.triu_indices(30, 1), strict=True)), table)
    clique = hh.FactorGraph(wide.unary, wide.edges, table, cliques=[([0, 1, 2], np.zeros((9, 9, 9)))])
    for installed, expected in ((False, "mplp"), (True, "toulbar2")):
        monkeypatch.setattr(toulbar2, "is_installed", lambda installed=installed: installed)
        assert choose(oracles, clique, []).oracle == expected
        assert choose(oracles, wide, []).oracle == "trws"
        assert ("toulbar2 closes" in hh.oracles.explain(wide)) is installed


@pytest.mark.parametrize("seed", range(2))
def test_the_real_one_agrees_with_enumeration(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    pytest.importorskip("pytoulbar2")
    monkeypatch.setattr(toulbar2, "is_installed", lambda: True)
    model = network(seed)
    hh.testing.check_oracle(hh.oracles.Toulbar2(), model, [])
    assert hh.best(model, oracle="toulbar2", time_limit=20.0).exact


class Stand:
    """Stands in for pytoulbar2.CFN: tries everything, and keeps what it was asked."""

    def __init__(self, verbose: int) -> None:
        self.labels: list[list[int]] = []
        self.functions: list[tuple[list[int], list[float]]] = []
        self.Option = SimpleNamespace()

    def AddVariable(self, name: str, values: Any) -> None:
        self.labels.append(list(values))

    def AddFunction(self, scope: list[int], costs: list[float]) -> None:
        self.functions.append((scope, costs))

    def Solve(self, timeLimit: int) -> None:
        self.seconds = timeLimit

    def _cost(self, labels: tuple[int, ...]) -> float:
        places = [
            np.ravel_multi_index([labels[i] for i in s], [len(self.labels[i]) for i in s]) for s, _ in self.functions
        ]
        return sum(costs[k] for k, (_, costs) in zip(places, self.functions, strict=True))

    def GetSolutions(self) -> list[Any]:
        if self.seconds == 1:
            return []  # as if no time had been left
        every = sorted(product(*self.labels), key=self._cost)
        return [(self._cost(every[1]), list(every[1]), 1), (self._cost(every[0]), list(every[0]), 1)]

    def GetDDualBound(self) -> float:
        return min(map(self._cost, product(*self.labels)))

    def GetNbBacktracks(self) -> int:
        return int(self.Option.backtrackLimit)


@pytest.mark.parametrize("seed", range(2))
def test_the_other_process_writes_the_network_and_reads_the_last_solution(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    asked: list[dict[str, Any]] = []

    def answer(arrays: dict[str, Any], seconds: float) -> dict[str, Any]:
        asked.append(solved({**arrays, "seconds": 0}))
        assert asked[-1]["backtracks"] == 300
        return {**asked[-1], "backtracks": 0}

    monkeypatch.setitem(sys.modules, "pytoulbar2", SimpleNamespace(CFN=Stand))
    monkeypatch.setattr(toulbar2, "is_installed", lambda: True)
    monkeypatch.setattr(toulbar2, "_answer", answer)
    model = network(seed)
    step = hh.best(model, oracle=hh.oracles.Toulbar2(backtracks=300))
    assert step.exact
    assert np.array_equal(asked[0]["labels"], hh.best(model, oracle="exhaustive").labeling)


def test_the_other_process_says_so_if_it_has_found_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pytoulbar2", SimpleNamespace(CFN=Stand))
    model = network(0, forbid=False)
    arrays = toulbar2._Network(model, model.unary).arrays(backtracks=5)
    assert solved({**arrays, "seconds": 1})["labels"] is None


@pytest.mark.parametrize(("seconds", "passed"), [(np.inf, 0), (0.2, 1), (2.5, 3)])
def test_the_other_process_knows_how_many_whole_seconds_it_has(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, seconds: float, passed: int
) -> None:
    echo = tmp_path / "echo.py"
    echo.write_text(
        "import io, json, sys, numpy as np\n"
        "task = np.load(io.BytesIO(sys.stdin.buffer.read()))\n"
        "print('a line of the solver')\n"
        "print(json.dumps({name: task[name].tolist() for name in task}))\n"
    )
    monkeypatch.setattr(toulbar2, "_PROCESS", echo)
    assert toulbar2._answer({"costs": np.arange(3)}, seconds) == {"seconds": passed, "costs": [0, 1, 2]}


def test_a_crash_costs_no_session(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("raise SystemExit('the network is too strange')")
    monkeypatch.setattr(toulbar2, "is_installed", lambda: True)
    monkeypatch.setattr(toulbar2, "_PROCESS", broken)
    with pytest.raises(hh.UnsupportedError, match="the network is too strange"):
        hh.best(network(0), oracle="toulbar2")
