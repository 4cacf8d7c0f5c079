# SPDX-License-Identifier: BSD-3-Clause
"""Best agreement by ascent: minorants, chords and whole lists against enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.draws import draws, random_model

import hedgehop as hh
from hedgehop.oracles import Exhaustive, GraphCut, Lagrangian, Trws
from hedgehop.potentials import AgreementGains, Cardinality, LabelWeights, Linear, total_value

few = settings(max_examples=40, deadline=None, derandomize=True)


def random_gain(random, n, labels, scale=5.0):
    samples = random.integers(0, labels, (int(random.integers(1, 6)), n)).astype(np.int32)
    weights = random.random(n) + 0.01 if random.random() < 0.5 else np.ones(n)
    best = random.choice([0.0, 0.25, 0.5, 1.0], size=len(samples))
    return AgreementGains(samples, best, weights, scale)


@pytest.mark.parametrize("inner", [None, Exhaustive(), Trws(), GraphCut()])
@few
@given(random=draws())
def test_step_is_bounded_and_says_what_it_is(inner, random):
    labels = 2 if isinstance(inner, GraphCut) else int(random.integers(1, 4))
    n = int(random.integers(1, 6))
    model = random_model(random, n, labels)
    gains = [random_gain(random, n, labels) for _ in range(int(random.integers(1, 3)))]
    others = [Linear(random.normal(size=(n, labels)))] if random.integers(2) else []
    oracle = Lagrangian(starts=int(random.integers(1, 9)), inner=inner)
    hh.testing.check_oracle(oracle, model, [*gains, *others])


@few
@given(random=draws())
def test_other_potentials_go_to_the_inner_oracle(random):
    n, labels = 5, 3
    model = random_model(random, n, labels)
    menu = [
        LabelWeights(random.normal(size=labels)),
        Cardinality(random.integers(0, labels, n), -4.0 * np.exp(-0.5 * np.arange(n + 1))),
    ]
    hh.testing.check_oracle(Lagrangian(), model, [random_gain(random, n, labels), menu[random.integers(2)]])


@few
@given(random=draws())
def test_chords_are_above_and_minorants_below(random):
    n, labels = 5, int(random.integers(1, 4))
    model = random_model(random, n, labels)
    gain = random_gain(random, n, labels)
    every = hh.testing.all_labelings(model)
    allowed = every[np.isfinite(model.score(every))]
    values = gain.value(model, allowed)
    lines = gain.lines(model)
    scores, constant = lines.above(np.isfinite(model.unary))
    above = constant + Linear(scores).value(model, allowed)
    assert (above >= values - 1e-9).all()
    k = int(random.integers(len(allowed)))
    below = Linear(lines.below(allowed[k])).value(model, allowed)
    assert (below - below[k] + values[k] <= values + 1e-9).all()


@few
@given(random=draws())
def test_reachable_agreements_are_those_of_allowed_labels(random):
    n, labels = 4, 3
    unary = np.where(random.random((n, labels)) < 0.5, -np.inf, 0.0)
    unary[np.arange(n), random.integers(0, labels, n)] = 0.0
    model = hh.FactorGraph(unary)
    gain = random_gain(random, n, labels)
    every = hh.testing.all_labelings(model)
    agreements = (gain.excess(every) + gain.best)[np.isfinite(model.score(every))]
    low, high = gain.reachable(np.isfinite(model.unary))
    assert low == pytest.approx(agreements.min(axis=0))
    assert high == pytest.approx(agreements.max(axis=0))


@few
@given(random=draws())
def test_never_worse_than_a_sample_or_the_best_labeling(random):
    """Ascent from the samples, so that no sample is better; often the optimum."""
    n, labels = 7, 3
    model = random_model(random, n, labels)
    gain = random_gain(random, n, labels)
    step = hh.best(model, gain, "agreement")
    values = model.score(gain.samples) + total_value(model, [gain], gain.samples)
    assert step.value >= values.max() - 1e-9


def test_ascent_is_nearly_always_optimal_on_small_models():
    random = np.random.default_rng(0)
    hits = 0
    for _ in range(100):
        model, gain = random_model(random, 6, 3), random_gain(random, 6, 3)
        best = hh.best(model, gain, "exhaustive")
        hits += hh.best(model, gain, "agreement").value >= best.value - 1e-9
    assert hits >= 95


def test_images_are_solved_by_ascent():
    row, column = np.mgrid[:24, :32]
    scores = np.stack([np.sin(row / 4), np.cos(column / 5), np.sin((row + column) / 6)], axis=-1)
    grid = hh.Grid(scores, smoothness=0.4)
    diversity = hh.ExpectedBest(hh.samples(grid, 12))
    found = hh.diverse(grid, diversity, m=4, tradeoff=200.0)
    assert set(found.oracles[1:]) == {"lagrangian"}
    assert found.distinct == 4
    assert found.objective <= found.upper_bound
    pool = hh.select(diversity.samples.reshape(-1, *grid.shape), grid, diversity, m=4, tradeoff=200.0)
    assert found.objective >= pool.objective - 1e-9


def test_refuses_what_it_is_not_for():
    model = hh.FactorGraph(np.zeros((3, 2)), [[0, 1]], 1.0)
    gain = AgreementGains(np.zeros((1, 3), np.int32), np.zeros(1), np.ones(3))
    with pytest.raises(hh.UnsupportedError, match="no potential is a function of distances, counts or samples"):
        hh.best(model, oracle="agreement")
    with pytest.raises(hh.UnsupportedError, match="must be rewarded, not punished"):
        hh.best(model, AgreementGains(gain.samples, gain.best, gain.weights, -1.0), "agreement")
    with pytest.raises(hh.UnsupportedError, match="forbids every count"):
        hh.best(model, [gain, Cardinality([0, 0, 0], [-np.inf] * 4)], "agreement")
    with pytest.raises(ValueError, match="starts must be"):
        Lagrangian(starts=0)
    with pytest.raises(ValueError, match="labels"):
        hh.best(model, AgreementGains(np.full((1, 3), 7, np.int32), gain.best, gain.weights))
