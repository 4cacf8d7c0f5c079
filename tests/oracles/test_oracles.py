# SPDX-License-Identifier: BSD-3-Clause
"""Oracles beyond the table: every potential at once, bounds in time, choice, third parties."""

from __future__ import annotations

import itertools
import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from tests.draws import random_model

import hedgehop as hh
from hedgehop import _plugins
from hedgehop.potentials import (
    BallCoverage,
    BallUnion,
    Cardinality,
    Constant,
    Envelope,
    LabelWeights,
    Linear,
    RegionWeights,
    TransitionWeights,
)
from hedgehop.potentials.count_functions import concave_envelope

THOROUGH = bool(os.environ.get("HEDGEHOP_THOROUGH"))


@pytest.mark.parametrize("seed", range(12) if THOROUGH else (0, 4, 5, 9, 11))
def test_ilp_with_all_potentials_of_any_sign(seed):
    """Label, transition, Hamming (concave and not), region and envelope together equal enumeration."""
    random = np.random.default_rng(seed)
    model = random_model(random, scale=3.0, forbid=False)
    n, labels = model.unary.shape
    pairs = random.normal(size=(labels, labels)) * 4
    references = random.integers(0, labels, (2, n))
    table = -9 * np.exp(-0.5 * np.arange(n + 1)) if seed % 2 else random.normal(size=n + 1) * 4
    potentials = [
        LabelWeights(random.normal(size=labels) * 4),
        LabelWeights(random.normal(size=labels) * 4, min_share=0.5),
        TransitionWeights(pairs + pairs.T),
        TransitionWeights(pairs, ordered=True),
        Cardinality(references[0], table),
        Cardinality(references[1], random.normal(size=2 * n + 1), weights=np.full(n, 2)),
        RegionWeights([[0, 1, 3], [2, 4, 5, 1]], random.normal(size=(2, labels)) * 4, robust=1 + seed % 2),
        Envelope(random.normal(size=2), random.normal(size=(2, n, labels)), zero=bool(seed % 3)),
        Linear(random.normal(size=(n, labels))),
        Constant(-2.5),
    ]
    hh.testing.check_oracle(hh.oracles.get("ilp"), model, potentials)
    assert hh.best(model, potentials, "ilp").exact


@pytest.mark.parametrize("seed", range(8) if THOROUGH else (0, 2, 3, 5))
def test_ilp_with_balls_bounds_and_closes(seed):
    random = np.random.default_rng(seed)
    model = random_model(random, scale=3.0, forbid=False)
    chosen = np.unique(random.integers(0, 3, (3, 6)), axis=0)
    decay = random.random(6) if seed % 2 else np.full(6, 0.4)
    for potential in (BallCoverage(chosen, decay, 6.0), BallUnion(chosen, 2, 3, 6.0)):
        hh.testing.check_oracle(hh.oracles.get("ilp"), model, [potential])


def test_ilp_is_exact_for_a_union_of_four_balls():
    """By inclusion-exclusion; cuts alone left a gap here."""
    random = np.random.default_rng(3)
    model = hh.FactorGraph(random.normal(size=(8, 4)), [[i, i + 1] for i in range(7)], random.random(7))
    chosen = random.integers(0, 4, (4, 8))
    ball = BallCoverage(chosen, np.full(8, 0.2), 9.0)
    step = hh.best(model, [ball], "ilp")
    assert step.exact
    assert step.value == pytest.approx(hh.best(model, [ball], "exhaustive").value, abs=1e-5)


@pytest.mark.parametrize("seconds", [1e-3, 1.0])
def test_ilp_respects_its_time_limit_and_keeps_a_valid_bound(seconds):
    random = np.random.default_rng(0)
    n = 60
    edges = [(i, j) for i in range(n) for j in range(i + 1, n)]
    model = hh.FactorGraph(random.normal(size=(n, 2)), edges, random.normal(size=(len(edges), 2, 2)))
    step = hh.best(model, oracle=hh.oracles.Ilp(time_limit=seconds))
    assert not step.exact
    assert step.value <= step.upper_bound  # infinite if the machine is busy; test_programs.py has a limit on nodes
    tries = random.integers(0, 2, (2000, n))
    assert model.score(tries).max() <= step.upper_bound


def test_ilp_with_one_huge_score():
    """-1e9 as a soft "never" must not drown the rest in the solver's tolerances."""
    random = np.random.default_rng(3)
    unary = random.normal(size=(10, 4))
    edges = [(i, j) for i in range(10) for j in range(i + 1, 10) if random.random() < 0.4]
    tables = random.normal(size=(len(edges), 4, 4))
    answers = []
    for never in (-np.inf, -1e9, -1e6):
        unary[0, 1] = never
        answers.append(hh.best(hh.FactorGraph(unary, edges, tables), oracle="ilp"))
    for step in answers:
        assert step.exact
        assert step.value == pytest.approx(answers[0].value, abs=1e-6)
        assert step.upper_bound == pytest.approx(step.value, abs=1e-3)


def test_forbidden_counts_are_kept():
    model = hh.FactorGraph(np.tile([1.0, 0.0], (5, 1)))
    far = Cardinality([0] * 5, [-np.inf, -np.inf, -np.inf, 0.0, 0.0, 0.0])
    odd = Cardinality([0] * 5, [-np.inf, 0.0, -np.inf, 0.0, -np.inf, 0.0])
    for oracle in ("ilp", "exhaustive"):
        assert hh.best(model, [far], oracle).labeling.sum() == 3
        assert hh.best(model, [odd], oracle).labeling.sum() == 1
    none = Cardinality([0] * 5, [-np.inf] * 5 + [0.0])
    with pytest.raises(hh.InfeasibleError):
        hh.best(model, [none, Cardinality([1] * 5, [-np.inf] * 5 + [0.0])], "ilp")


def test_concave_envelope_is_the_least_concave_above():
    random = np.random.default_rng(0)
    for _ in range(50):
        table = random.normal(size=7)
        hull = concave_envelope(table)
        assert (hull >= table - 1e-12).all()
        assert (np.diff(hull, 2) <= 1e-12).all()
        touch = np.isclose(hull, table)
        bends = np.diff(hull, 2) < -1e-9
        assert touch[1:-1][bends].all()  # it bends only where it touches


def test_auto_chooses_well():
    chain = hh.Chain(np.zeros((5000, 3)), np.eye(3))
    assert hh.best(chain).oracle == "tree"
    cycle = hh.FactorGraph(np.zeros((3, 2)), [[0, 1], [1, 2], [0, 2]], 1.0)
    assert hh.best(cycle).oracle == "graphcut"
    frustrated = hh.FactorGraph(np.zeros((3, 2)), [[0, 1], [1, 2], [0, 2]], -np.eye(2))
    assert hh.best(frustrated).oracle == "exhaustive"
    random = np.random.default_rng(0)
    pairs = list(itertools.combinations(range(11), 2))
    loose = hh.FactorGraph(random.normal(size=(11, 3)), pairs, random.normal(size=(len(pairs), 3, 3)))
    assert hh.best(loose).oracle == "elimination"  # small: proven
    big = hh.Grid(random.normal(size=(40, 40, 3)))
    assert hh.best(big).oracle == "trws"
    assert hh.best(big, hh.potentials.LabelWeights([1.0, -2.0, 0.0])).oracle == "expansion"


def test_tree_on_a_long_chain_equals_viterbi():
    random = np.random.default_rng(1)
    chain = hh.Chain(random.normal(size=(2000, 5)), random.normal(size=(5, 5)))
    best = chain.unary[0].copy()
    for row in chain.unary[1:]:
        best = (best[:, None] + chain.transitions).max(axis=0) + row
    step = hh.best(chain)
    assert step.value == pytest.approx(best.max())
    assert step.exact
    assert not step.labeling.flags.writeable


def test_tables_of_counts_that_would_not_fit_into_memory_are_refused():
    chain = hh.Chain(np.zeros((20_000, 2)), np.zeros((2, 2)))
    few, many = (np.arange(20_000) < size for size in (500, 1500))
    ball = [Cardinality(np.zeros(20_000, int), np.sqrt(np.arange(w.sum() + 1.0)), weights=w * 1) for w in (few, many)]
    assert hh.oracles.get("tree").refusal(chain, ball[:1]) is None
    assert hh.oracles.get("tree").refusal(chain, ball[1:]) == "1501 counts of 20000 variables are too many"


def test_labels_that_potentials_forbid_are_not_tried():
    model = hh.FactorGraph(np.zeros((40, 2)))
    held = np.zeros((40, 2))
    held[3:, 1] = -np.inf
    held[:3, 1] = [1.0, -1.0, 1.0]
    assert "more than 2^22" in hh.oracles.get("exhaustive").refusal(model, [])
    step = hh.best(model, [Linear(held)], oracle="exhaustive")
    assert np.flatnonzero(step.labeling).tolist() == [0, 2]


def test_trying_everything_bounds_what_is_not_valued_exactly():
    """Of more than 20 balls the potential is a lower bound, beside which there is an upper one."""
    random = np.random.default_rng(2)
    model = hh.FactorGraph(random.normal(size=(5, 3)))
    union = BallCoverage(random.integers(0, 3, (24, 5)), np.full(5, 0.4), 90.0)
    step, every = hh.best(model, [union], oracle="exhaustive"), hh.testing.all_labelings(model)
    assert step.value == pytest.approx((model.score(every) + union.values(model, every)).max())
    assert step.upper_bound == pytest.approx((model.score(every) + union.upper(model, every)).max())
    assert step.value < step.upper_bound


def test_ties_go_to_the_lowest_label():
    for oracle in ("tree", "exhaustive"):
        assert hh.best(hh.FactorGraph(np.zeros((4, 3)), [[0, 1]], 1.0), oracle=oracle).labeling.tolist() == [0] * 4


def test_available_and_third_parties(monkeypatch):
    from hedgehop.oracles import registry

    class Psychic(hh.Oracle):
        name = "psychic"
        summary = "knows"

        def refusal(self, model, potentials):
            return None

        def preference(self, model, potentials):
            return 1e6

        def maximize(self, model, potentials):
            return self.step(model, np.zeros(model.n_variables, np.int32), potentials, 1e9)

    class Entry:
        name, group, dist = "psychic", "hedgehop.oracles", None

        def load(self):
            return Psychic

    before = list(hh.oracles.available())
    monkeypatch.setattr(_plugins, "entry_points", lambda group: [Entry()] if group == "hedgehop.oracles" else [])
    _plugins._installed.cache_clear()
    registry.built_in_and_installed.cache_clear()
    try:
        assert list(hh.oracles.available()) == [*before, "psychic"]
        assert hh.best(hh.FactorGraph([[0.0, 1.0]])).oracle == "psychic"
        with pytest.raises(AssertionError, match=r"called exact at|below the best"):
            hh.testing.check_oracle(Liar(), hh.FactorGraph([[0.0, 1.0]]))
    finally:
        monkeypatch.undo()
        _plugins._installed.cache_clear()
        registry.built_in_and_installed.cache_clear()


class Liar(hh.Oracle):
    name = "liar"
    summary = "claims its first guess is optimal"

    def refusal(self, model, potentials):
        return None

    def maximize(self, model, potentials):
        step = self.step(model, np.zeros(model.n_variables, np.int32), potentials, -1e9)
        return hh.Step(step.labeling, step.value, step.value, True, self.name)


def test_max_marginals_of_the_tree_oracle():
    random = np.random.default_rng(2)
    chain = hh.Chain(random.normal(size=(4, 3)), random.normal(size=(3, 3)))
    linear = Linear(random.normal(size=(4, 3)))
    every = hh.testing.all_labelings(chain)
    values = chain.score(every) + linear.value(chain, every) + 1.5
    marginals = hh.oracles.get("auto").max_marginals(chain, [linear, Constant(1.5)])
    for i in range(4):
        for label in range(3):
            assert marginals[i, label] == pytest.approx(values[every[:, i] == label].max())


STUBBORN = """
import os, numpy as np, hedgehop as hh
hh.best(hh.FactorGraph(np.zeros((3, 2)), [[0, 1], [1, 2], [0, 2]], np.eye(2)), oracle="ilp")  # imports are done
random = np.random.default_rng(0)
edges = [(i, j) for i in range(60) for j in range(i + 1, 60)]
model = hh.FactorGraph(random.normal(size=(60, 2)), edges, random.normal(size=(len(edges), 2, 2)))
print("solving", flush=True)
try:
    hh.diverse(model, hh.VariableCoverage(), m=3, oracle="ilp")
except hh.Interrupted as stop:
    print("interrupted", stop.found, flush=True)
    os._exit(0)  # not waiting for the solver's thread
"""


def test_ctrl_c_ends_a_long_ilp_long_before_its_budget():
    child = subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "solving\n"
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=30)  # its nodes take minutes
    assert out == "interrupted None\n"
    assert child.returncode == 0


@pytest.mark.parametrize("strength", [0.0, 1.0, 1e-6, 1e6])
def test_graphcut_is_exact_whatever_the_scale_of_the_first_step(strength):
    """The scale of the integers inside must fit the terminals of every step, not only the capacities."""
    random = np.random.default_rng(0)
    for seed in range(20):
        grid = hh.Grid(random.normal(size=(2, 3, 2)), strength, connectivity=8 if seed % 2 else 4)
        oracle, every = hh.oracles.GraphCut(), hh.testing.all_labelings(grid)
        solver = oracle.on(grid)
        for size in (1.0, 1e-5, 1e5):
            linear = Linear(random.normal(size=(6, 2)) * size)
            step = solver.maximize([linear])
            top = float((grid.score(every) + linear.value(grid, every)).max())
            assert step.value == pytest.approx(top, rel=1e-6, abs=1e-6)
            assert step.upper_bound >= top - 1e-9 * max(1.0, abs(top))


@pytest.mark.parametrize("name", sorted(hh.oracles.available()))
def test_every_oracle_says_when_no_label_is_left(name):
    model = hh.FactorGraph([[0.0, 1.0], [1.0, 0.0]], [[0, 1]], 0.5)
    if hh.oracles.get(name).refusal(model, ()) is not None:
        pytest.skip("of another structure")
    theta = np.array([[-np.inf, -np.inf], [0.0, 0.0]])
    with pytest.raises(hh.InfeasibleError):
        hh.best(model, [Linear(theta)], name)


@pytest.mark.parametrize("name", ["auto", *hh.oracles.available()])
def test_oracles_are_shown_with_their_settings(name):
    oracle = hh.oracles.get(name)
    assert repr(oracle) == repr(pickle.loads(pickle.dumps(oracle)))
    assert repr(oracle).startswith(type(oracle).__name__ + "(")
    assert repr(hh.oracles.Ilp(time_limit=2.0)) == "Ilp(time_limit=2.0)"
