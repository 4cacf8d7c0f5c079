# SPDX-License-Identifier: BSD-3-Clause
"""What the paper defines otherwise than hedgehop by default: repeats, coefficients, equal labels, clamped balls."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.potentials import TransitionWeights


def test_repeats_count_or_not():
    """A labeling far better than all others: counted again it is chosen again, for its own sake either way."""
    model = hh.FactorGraph([[9.0, 0.0], [9.0, 0.0]])
    counted, ignored = hh.VariableCoverage("sqrt"), hh.UniqueItems(hh.VariableCoverage("sqrt"))
    repeated = hh.diverse(model, counted, 2, tradeoff=10.0)
    assert repeated.distinct == 1
    different = hh.diverse(model, ignored, 2, tradeoff=10.0)
    assert different.distinct == 2  # a repeat adds 18, another labeling 9 + 10 + 0.41 * 10
    assert different.gains[1] == pytest.approx(9 + 10 + 10 * (np.sqrt(2) - 1))
    assert hh.diverse(model, ignored, 2, tradeoff=1.0).gains[1] == 18.0  # the best member of the list, at its relevance


@pytest.mark.parametrize("method", ["greedy", "distorted", "refine"])
def test_repeats_on_a_model_too_large_to_list(method):
    random = np.random.default_rng(0)
    model = hh.Grid(random.normal(size=(6, 6, 3)), smoothness=0.4)
    diversity = hh.UniqueItems(hh.LabelCoverage("sqrt", parsimony=-0.2, ignore=()))
    options = {"refine": True} if method == "refine" else {"method": method}
    found = hh.diverse(model, diversity, 4, tradeoff=2.0, distinct=False, **options)
    assert found.objective <= found.upper_bound
    rows = found.labelings.reshape(4, -1)
    assert found.objective == pytest.approx(model.score(found.labelings).sum() + 2.0 * diversity.value(model, rows))
    if method == "greedy":
        best = hh.best(model).value  # repeating the best labeling is worth its relevance and its parsimony
        assert found.gains.min() >= best - 2.0 * 0.2 * 3 - 1e-9


def test_what_ignores_repeats_already_stays_as_it_is():
    random = np.random.default_rng(1)
    model = hh.FactorGraph(random.normal(size=(5, 3)), [[0, 1], [1, 2], [2, 3]], 0.3)
    for diversity in (hh.HammingBall(gamma=0.4), hh.VariableCoverage("count"), hh.ExpectedBest([[0] * 5, [1] * 5])):
        with_repeats, without = (hh.diverse(model, d, 4, 2.0) for d in (diversity, hh.UniqueItems(diversity)))
        assert np.array_equal(with_repeats.labelings, without.labelings)
        assert without.upper_bound == pytest.approx(with_repeats.upper_bound)
        assert without.objective == pytest.approx(with_repeats.objective)


def test_offsets_without_repeats_bound_all_lists():
    """Also of a diversity that grows: members of the list lose what they would gain if repeats counted."""
    model = hh.FactorGraph(np.zeros((3, 2)))
    every = hh.testing.all_labelings(model)
    for inner in (hh.LinearHamming(), hh.VariableCoverage("sqrt")):
        diversity = hh.UniqueItems(inner)
        for chosen in (every[:0], every[[0, 3]], every[[0, 0, 7]]):
            offset, gains = diversity.offset(model, chosen, 3), diversity.gain(model, every, chosen)
            for t in itertools.combinations_with_replacement(range(8), 3):
                assert diversity.value(model, every[list(t)]) <= offset + gains[list(t)].sum() + 1e-9
            assert diversity.offsets(model, chosen, 3)[-1] == pytest.approx(offset)


def test_portfolio_as_plain_concatenation():
    random = np.random.default_rng(2)
    model = hh.FactorGraph(random.normal(size=(5, 3)))
    parts = [hh.VariableCoverage(), hh.LabelCoverage(ignore=())]
    found = hh.portfolio(model, parts, m=5, tradeoff=2.0, replace_repeats=False)
    alone = [hh.diverse(model, d, k, 2.0, distinct=True).labelings for d, k in zip(parts, (3, 2), strict=True)]
    assert np.array_equal(found.labelings, np.concatenate(alone))
    assert found.distinct < 5  # both begin with the best labeling
    assert found.sources == (repr(parts[0]),) * 3 + (repr(parts[1]),) * 2
    total = model.score(found.labelings).sum() + 2.0 * sum(d.value(model, found.labelings) for d in parts)
    assert found.objective == pytest.approx(total)
    assert found.objective <= found.upper_bound


def test_pairs_of_equal_labels_on_larger_models():
    """Moves know nothing of equal pairs: their answers are valued truly, and bounded."""
    random = np.random.default_rng(3)
    missed = 0
    for sign in (1.0, -1.0):
        model = hh.Grid(random.normal(size=(3, 3, 3)), smoothness=0.3)
        for ordered in (False, True):
            w = sign * random.random((3, 3)) * 2
            weights = TransitionWeights(w if ordered else w + w.T, ordered, equal=True)
            truth, moved = hh.best(model, weights, "exhaustive"), hh.best(model, weights, "swap")
            assert moved.value <= truth.value + 1e-9 <= moved.upper_bound + 1e-6
            if moved.exact:
                assert moved.value >= truth.value - 1e-6
            missed += moved.value < truth.value - 1e-6
            assert hh.best(model, weights, "ilp").value == pytest.approx(truth.value, abs=1e-5)
    assert missed <= 2
    two = hh.Grid(random.normal(size=(3, 3, 2)), smoothness=0.3)  # with two labels a cut is exact for different ones
    costs = TransitionWeights([[-3.0, -0.5], [-0.5, -3.0]], equal=True)
    assert hh.best(two, costs).value == pytest.approx(hh.best(two, costs, "exhaustive").value)


def test_wrong_weights():
    model = hh.FactorGraph(np.zeros((3, 2)), [[0, 1]], 0.5)
    with pytest.raises(ValueError, match=r"weights must have one entry per label \(2\); got 3"):
        hh.LabelCoverage(weights=[1, 2, 3]).value(model, [])
    with pytest.raises(ValueError, match=r"weights must have shape \(L, L\)"):
        hh.TransitionCoverage(weights=[1, 2])
    with pytest.raises(ValueError, match="weights must be symmetric"):
        hh.TransitionCoverage(weights=[[0, 1], [2, 0]])
    with pytest.raises(ValueError, match="weights must be at least 0"):
        hh.TransitionCoverage(weights=[[0, -1], [-1, 0]])
    with pytest.raises(ValueError, match=r"weights must have shape \(2, 2\)"):
        hh.diverse(model, hh.TransitionCoverage(weights=np.ones((3, 3))))
    with pytest.raises(TypeError, match="UniqueItems needs a diversity"):
        hh.UniqueItems(3)
    with pytest.raises(ValueError, match='steer must be "exact", "sum" or "clamped"'):
        hh.HammingBall(gamma=1.0, steer="half")


class Agreeing(hh.LinearHamming):
    """Steers towards labelings that agree."""

    def potentials(self, model, chosen=()):
        return [hh.potentials.Linear(-p.theta) for p in super().potentials(model, chosen)]


@pytest.mark.parametrize("weights", [None, [0.5, 1.0, 2.0, 3.0, 0.0]])
@pytest.mark.parametrize("kind", [hh.LinearHamming, Agreeing])
@pytest.mark.parametrize("steer", ["exact", "half"])
@pytest.mark.parametrize("labels", [2, 3])
def test_scaled_potentials_are_potentials_scaled(kind, steer, labels, weights):
    random = np.random.default_rng(0)
    model, chosen = hh.FactorGraph(random.normal(size=(5, labels))), random.integers(0, labels, (3, 5))
    diversity = kind(weights, steer=steer)
    [fast], [slow] = diversity.scaled_potentials(model, chosen, 0.7), diversity.potentials(model, chosen)
    np.testing.assert_allclose(fast.theta, 0.7 * slow.theta, rtol=1e-15)
    assert not fast.theta.flags.writeable
    assert diversity.scaled_potentials(model, [], 0.7) == []


def test_scaled_potentials_do_not_overflow():
    model = hh.FactorGraph(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="overflows"):
        hh.LinearHamming([1e300, 1.0]).scaled_potentials(model, [[0, 0], [0, 1]], 1e200)
