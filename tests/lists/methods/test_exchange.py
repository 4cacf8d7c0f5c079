# SPDX-License-Identifier: BSD-3-Clause
"""Refined lists: each labeling is the best one, given the others."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import hedgehop as hh

RANDOM = np.random.default_rng(0)
MODEL = hh.FactorGraph(RANDOM.normal(size=(5, 3)), [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]], 0.5)
BALL = hh.HammingBall(gamma=0.3)


def test_refine_never_loses():
    for seed in range(10):
        random = np.random.default_rng(seed)
        model = hh.FactorGraph(random.normal(size=(4, 3)))
        diversity = hh.ExpectedBest(random.integers(0, 3, (5, 4)))
        plain = hh.diverse(model, diversity, 3, 10.0, certify=False)
        refined = hh.diverse(model, diversity, 3, 10.0, refine=True, certify=False)
        assert refined.objective >= plain.objective - 1e-9
        assert refined.objective <= refined.upper_bound <= plain.upper_bound + 1e-9
        assert (refined.bounds >= refined.gains - 1e-9).all()


def best_list(model, diversity, m, tradeoff):
    every = hh.testing.all_labelings(model)
    relevance = model.score(every)
    lists = map(list, itertools.combinations_with_replacement(range(len(every)), m))
    return max(relevance[k].sum() + tradeoff * diversity.value(model, every[k]) for k in lists)


@pytest.mark.parametrize(
    ("diversity", "tradeoff"), [(hh.VariableCoverage(), 3.0), (hh.LinearHamming(), 1.0), (BALL, 3.0)], ids=repr
)
def test_refinement_improves_lists_and_keeps_its_promises(diversity, tradeoff):
    improved = 0
    for seed in range(12):
        model = hh.FactorGraph(np.random.default_rng(seed).normal(size=(4, 2)), [[0, 1], [1, 2], [2, 3]], 0.3)
        best = best_list(model, diversity, 3, tradeoff)
        for apart, limits in ((0, {}), (1, {"distinct": True}), (2, {"min_distance": 2})):
            plain = hh.diverse(model, diversity, 3, tradeoff, certify=False, **limits)
            refined = hh.diverse(model, diversity, 3, tradeoff, refine=True, certify=False, **limits)
            rows = refined.labelings
            value = model.score(rows).sum() + tradeoff * diversity.value(model, rows)
            assert refined.objective == pytest.approx(value)
            assert refined.gains.sum() == pytest.approx(value)
            assert refined.objective >= plain.objective - 1e-9
            assert best - 1e-9 <= refined.upper_bound <= plain.upper_bound + 1e-9
            assert refined.distances[np.triu_indices(3, 1)].min() >= apart
            improved += refined.objective > plain.objective + 1e-6
    assert improved >= 4


def test_no_single_exchange_improves_a_refined_list():
    random = np.random.default_rng(2)
    for _ in range(10):
        model = hh.FactorGraph(random.normal(size=(4, 3)))
        found = hh.diverse(model, BALL, 3, 4.0, refine=True)
        every = hh.testing.all_labelings(model)
        for t in range(3):
            others = np.delete(found.labelings, t, axis=0)
            gains = model.score(every) + 4.0 * np.asarray(BALL.gain(model, every, others))
            alone = model.score(others).sum() + 4.0 * BALL.value(model, others)
            assert alone + gains.max() <= found.objective + 1e-6


def test_refined_lists_can_go_on():
    found = hh.diverse(MODEL, BALL, 3, 4.0, refine=True)
    longer = found.more(2)
    assert np.array_equal(longer.labelings[:3], found.labelings)
    assert longer.objective <= longer.upper_bound


def test_a_list_that_cannot_be_improved_is_solved_no_further():
    """Exact greedy steps, all alike: the bound after the last labeling, one exchange for each, and nothing more."""
    calls = []

    class Counting(hh.Oracle):
        name, summary = "counting", "counts"

        def refusal(self, model, potentials):
            return None

        def maximize(self, model, potentials):
            calls.append(potentials)
            return hh.oracles.Exhaustive().maximize(model, potentials)

    hh.diverse(hh.FactorGraph(np.zeros((4, 2))), hh.LinearHamming(), 2, 1.0, refine=True, oracle=Counting())
    assert len(calls) == 2 + 1 + 2


def test_refined_list_is_measured_against_the_best_labeling_too():
    """Refinement may replace the best labeling itself; the baseline stays."""
    model = hh.FactorGraph([[1.0, 0.9]] * 4)
    spread = hh.VariableCoverage(h="count")
    found = hh.diverse(model, spread, 3, 0.05, refine=True)
    top = np.zeros((3, 4), int)
    assert found.certificate.baseline == pytest.approx(model.score(top).sum() + 0.05 * spread.value(model, top))


def test_interrupted_refinement_leaves_the_list_as_it_was():
    calls = []

    class Stopping(hh.Oracle):
        name, summary = "stopping", "is interrupted in a late call"

        def refusal(self, model, potentials):
            return None

        def maximize(self, model, potentials):
            calls.append(len(potentials))
            if len(calls) == 6:
                raise KeyboardInterrupt
            return hh.oracles.Exhaustive().maximize(model, potentials)

    with pytest.raises(hh.Interrupted) as stopped:
        hh.diverse(MODEL, BALL, 3, 4.0, refine=True, oracle=Stopping())
    found = stopped.value.found
    assert len(found) == 3
    assert found.relevance == pytest.approx(MODEL.score(found.labelings))
