# SPDX-License-Identifier: BSD-3-Clause
"""Labelings that keep a distance: multipliers, cheapest changes and lists against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.draws import draws, random_model

import hedgehop as hh
from hedgehop.oracles import Exhaustive, GraphCut, Ilp, Lagrangian, Tree, Trws
from hedgehop.oracles.pairwise.graphcut import CutSolver
from hedgehop.oracles.relaxation.distance_terms import DistanceTerms
from hedgehop.oracles.relaxation.local_search import moves_of
from hedgehop.potentials import AgreementGains, BallCoverage, Cardinality, Linear, total_value
from hedgehop.potentials.count_functions import Table, with_limit

few = settings(max_examples=40, deadline=None, derandomize=True)


def at_least(distance, reference):
    table = np.zeros(reference.size + 1)
    table[:distance] = -np.inf
    return Cardinality(reference.reshape(-1), table)


def structures(random):
    triangle_pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    return [
        hh.SpanningTree(triangle_pairs, random.normal(size=len(triangle_pairs))),
        hh.Matching(random.normal(size=(4, 5))),
        hh.Arborescence(random.normal(size=(5, 5))),
        hh.Chain(random.normal(size=(6, 3)), random.normal(size=(3, 3))),
        hh.FactorGraph(random.normal(size=(7, 2)), [[0, 1], [1, 2], [2, 0]], [[0.0, 1.0], [1.0, 0.0]]),
    ]


@pytest.mark.parametrize("inner", [None, Exhaustive(), Trws(), Tree(), GraphCut()])
@few
@given(random=draws())
def test_step_is_bounded_and_keeps_the_distance(inner, random):
    labels = 2 if isinstance(inner, GraphCut) else int(random.integers(2, 4))
    n = int(random.integers(1, 8))
    model = random_model(random, n, labels, tree=isinstance(inner, Tree), forbid=labels > 2)
    references = [hh.best(model).labeling, *random.integers(0, labels, (int(random.integers(0, 3)), n))]
    potentials = [at_least(int(random.integers(1, n // 2 + 2)), y) for y in references]
    if random.random() < 0.5:
        potentials += [BallCoverage(np.unique(references, axis=0), np.full(n, 0.3), 3.0)]
    if random.random() < 0.5:
        potentials += [Linear(random.normal(size=(n, labels)))]
    try:
        truth = hh.best(model, potentials, "exhaustive")
    except hh.InfeasibleError:
        with pytest.raises(hh.InfeasibleError):
            hh.best(model, potentials, Lagrangian(inner=inner))
        return
    try:
        step = hh.best(model, potentials, Lagrangian(inner=inner))
    except hh.InfeasibleError:  # none was found, which proves nothing
        assert len(references) > 1
        return
    assert step.value <= truth.value + 1e-9
    assert step.upper_bound >= truth.value - 1e-7
    assert np.isfinite(total_value(model, potentials, step.labeling[None])).all()


@few
@given(random=draws())
def test_one_limit_is_nearly_always_kept_at_the_least_loss(random):
    n = int(random.integers(2, 8))
    model = random_model(random, n, 2, forbid=False)
    best = hh.best(model)
    potential = at_least(int(random.integers(1, n + 1)), best.labeling)
    truth, step = hh.best(model, potential, "exhaustive"), hh.best(model, potential, "slopes")
    assert best.value - step.value <= 1.6 * (best.value - truth.value) + 1e-9


@few
@given(random=draws())
def test_every_slope_of_a_limit_is_a_bound(random):
    n = int(random.integers(1, 9))
    table = np.where(random.random(n + 1) < 0.4, -np.inf, random.normal(size=n + 1) * random.integers(2))
    table[random.integers(n + 1)] = 0.0
    curve = with_limit(Table(1.0, table), steep=5.0)
    if np.isinf(table).any():
        curve = curve.around(float(random.normal()), float(random.random()))
    slopes, offsets = curve.lines(random.random(5) * n)
    assert (offsets[:, None] + slopes[:, None] * np.arange(n + 1) >= table - 1e-9).all()
    assert np.isfinite(curve.values).all()
    assert np.isfinite(curve.above(np.arange(n + 1.0))).all()


@few
@given(random=draws())
def test_cheapest_changes_never_lose_and_reach_one_limit(random):
    n, labels = int(random.integers(1, 8)), int(random.integers(2, 4))
    model = random_model(random, n, labels, forbid=labels > 2)
    distance = int(random.integers(1, n + 1))
    start = hh.best(model).labeling.astype(np.int32)
    terms, one = DistanceTerms([at_least(distance, start)], 1e4), np.ones(1)
    unary = np.ascontiguousarray(model.unary, float)
    found = moves_of(model).ascend(unary, terms.core, one, start, n)
    free = (np.isfinite(unary).sum(axis=1) > 1).sum()
    assert (found != start).sum() >= min(distance, free)
    if distance == 1 and free:
        others = np.repeat(start[None], n * labels, axis=0)
        others[np.arange(n * labels), np.repeat(np.arange(n), labels)] = np.tile(np.arange(labels), n)
        others = others[(others != start).any(axis=1)]
        assert model.score(found) >= model.score(others).max() - 1e-9


@pytest.mark.parametrize("which", range(5))
@pytest.mark.parametrize("distance", [1, 2, 3])
def test_lists_of_every_structure(which, distance):
    for seed in range(3):
        model = structures(np.random.default_rng(seed))[which]
        found = hh.diverse(model, hh.LinearHamming(), m=3, tradeoff=0.01, min_distance=distance)
        assert found.objective <= found.upper_bound + 1e-9
        rows = found.labelings.reshape(3, -1)
        assert min((rows[i] != rows[j]).sum() for i in range(3) for j in range(i)) >= distance


def test_oracles_without_limits_keep_distances_by_multipliers():
    random = np.random.default_rng(5)
    grid = hh.Grid(random.normal(size=(6, 7, 2)), 0.5)
    truth = hh.diverse(grid, hh.VariableCoverage(), m=3, tradeoff=0.0, oracle=Ilp(), min_distance=5)
    for oracle in ("graphcut", "trws", "qpbo"):
        found = hh.diverse(grid, hh.VariableCoverage(), m=3, tradeoff=0.0, oracle=oracle, min_distance=5)
        assert found.relevance[1] >= truth.relevance[1] - 0.2 * (truth.relevance[0] - truth.relevance[1])
        assert np.min(found.distances + 99 * np.eye(3)) >= 5


@pytest.mark.parametrize("labels", [2, 4])
@pytest.mark.parametrize("diversity", [hh.LinearHamming(), hh.HammingBall(gamma=0.005)], ids=["linear", "balls"])
def test_distances_on_a_large_grid(labels, diversity):
    random = np.random.default_rng(6)
    grid = hh.Grid(random.normal(size=(40, 40, labels)), 0.7)
    found = hh.diverse(grid, diversity, m=4, tradeoff=1e-3, min_distance=90)
    assert found.objective <= found.upper_bound
    assert np.min(found.distances + 9999 * np.eye(4)) >= 90
    again = hh.diverse(grid, diversity, m=4, tradeoff=1e-3, min_distance=90)
    assert np.array_equal(found.labelings, again.labelings)


def test_distinct_lists_of_many_variables_take_few_calls():
    calls = []

    class CountedSolver(CutSolver):
        def maximize(self, potentials):
            calls.append(1)
            return super().maximize(potentials)

    class Counted(GraphCut):
        def on(self, model):
            return CountedSolver(self, model)

    grid = hh.Grid(np.random.default_rng(7).normal(size=(40, 40, 2)), 0.7)
    found = hh.diverse(grid, hh.VariableCoverage(), m=4, tradeoff=0.0, oracle=Counted(), distinct=True, certify=False)
    assert found.distinct == 4
    assert len(calls) <= 4 + 3 * 12
    assert (found.relevance[0] - found.relevance[1:] <= 0.05).all()


@few
@given(random=draws())
def test_agreement_keeps_the_distance(random):
    """Limits go to the inner oracle, which is slopes."""
    n = int(random.integers(2, 8))
    model = random_model(random, n, 2, forbid=False)
    samples = random.integers(0, 2, (4, n)).astype(np.int32)
    gain = AgreementGains(samples, np.full(4, 0.3), np.ones(n), 5.0)
    near = hh.best(model, gain, "exhaustive").labeling
    potentials = [gain, at_least(int(random.integers(1, n // 2 + 1)), near)]
    truth, step = (hh.best(model, potentials, oracle) for oracle in ("exhaustive", "agreement"))
    assert step.value <= truth.value + 1e-9 <= step.upper_bound + 1e-6


def test_distinct_by_cells_where_nobody_knows_limits():
    class OnlyLinear(Exhaustive):
        def refusal(self, model, potentials):
            return "no" if any(isinstance(p, Cardinality) for p in potentials) else None

    model = hh.FactorGraph(np.zeros((2, 2)))
    found = hh.diverse(model, hh.VariableCoverage(), m=4, tradeoff=0.0, oracle=OnlyLinear(), distinct=True)
    assert found.distinct == 4


def test_too_far_is_said():
    grid = hh.Grid(np.zeros((40, 40, 2)), 0.5)
    with pytest.warns(UserWarning, match="only 2 of 3 labelings"):
        hh.diverse(grid, hh.LinearHamming(), m=3, tradeoff=0.0, min_distance=1600)


@pytest.mark.parametrize("seed", range(6))
def test_small_lists_are_those_of_enumeration(seed):
    """Pairs of changes that keep a distance: no slope supports these labelings, and no single change finds them."""
    random = np.random.default_rng(seed)
    model = hh.Grid(random.normal(size=(4, 4, 2)), smoothness=0.4)
    found, truth = (
        hh.diverse(model, hh.LinearHamming(), 4, tradeoff=0.0, min_distance=6, certify=False, oracle=oracle)
        for oracle in (GraphCut(), Exhaustive())
    )
    assert found.objective == pytest.approx(truth.objective)
