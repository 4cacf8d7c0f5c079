# SPDX-License-Identifier: BSD-3-Clause
"""The guarantee: the same at every scale, 1 within rounding of the bound, and plain about lists that fall behind."""

from dataclasses import replace

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.lists.certificate import Certificate


def models(scale=1.0, shift=0.0):
    random = np.random.default_rng(8)
    scores, pairs = random.normal(size=(4, 3)), random.normal(size=(3, 3))
    yield hh.Chain(scale * (scores + shift), scale * pairs)
    yield hh.Matching(scale * (random.normal(size=(3, 3)) + shift))


def lists(scale=1.0, shift=0.0, **options):
    for model in models(scale, shift):
        for diversity in (hh.HammingBall(gamma=0.4), hh.VariableCoverage(), hh.LinearHamming()):
            yield hh.diverse(model, diversity, 3, 2.0 * scale, oracle="exhaustive", certify=False, **options)


@pytest.mark.parametrize("scale", [2.0**-990, 2.0**-43, 2.0**-20, 2.0**20, 2.0**43, 2.0**990])
def test_scale_does_not_change_the_guarantee(scale):
    for plain, scaled in zip(lists(), lists(scale), strict=True):
        assert np.array_equal(plain.labelings, scaled.labelings)
        assert scaled.guarantee == pytest.approx(plain.guarantee, rel=1e-12)


@pytest.mark.parametrize(("shift", "rel"), [(100.0, 1e-11), (1e6, 1e-7)])
def test_shift_does_not_change_the_guarantee(shift, rel):
    for plain, shifted in zip(lists(), lists(shift=shift), strict=True):
        assert np.array_equal(plain.labelings, shifted.labelings)
        assert shifted.guarantee == pytest.approx(plain.guarantee, rel=rel)
        assert plain.guarantee > 0.05


def test_a_shift_that_leaves_few_digits_does_not_change_the_guarantee():
    for diversity in (hh.VariableCoverage(), hh.LinearHamming()):
        found = [hh.diverse(next(models(shift=shift)), diversity, 3, 2.0, certify=False) for shift in (0.0, 1e12)]
        assert np.array_equal(found[0].labelings, found[1].labelings)
        assert found[1].guarantee == pytest.approx(found[0].guarantee, rel=0.02)
        assert found[0].guarantee < 0.9  # 1 as soon as a tolerance follows the shift


@pytest.mark.parametrize("seed", [1, 3, 5])
def test_a_shift_does_not_turn_a_gap_into_rounding(seed):
    """Labelings that must differ: bounds by balls leave a gap, which 1e-14 of the shifted sums would cover."""
    scores = np.random.default_rng(seed).normal(size=(3, 3, 2))
    for shift in (0.0, 2.0**40):
        found = hh.diverse(hh.Grid(scores + shift, 0.5), hh.HammingBall(gamma=0.4), 3, 1.0, min_distance=2)
        assert found.upper_bound - found.objective > 0.1
        assert found.guarantee < 0.25


@pytest.mark.parametrize("scale", [1e-13, 1.0, 1e13])
@pytest.mark.parametrize("oracle", ["auto", "graphcut", "qpbo", "swap", "trws", "lagrangian", "exhaustive"])
def test_a_list_within_rounding_of_its_bound_has_all(oracle, scale):
    """Without diversity the best labeling, repeated, is the best list: F and bound differ by roundings at most."""
    for seed in range(3):
        grid = hh.Grid(scale * np.random.default_rng(seed).normal(size=(3, 3, 2)), smoothness=scale)
        found = hh.diverse(grid, hh.HammingBall(gamma=0.5), m=3, tradeoff=0.0, oracle=oracle)
        if found.exact.all():
            assert found.guarantee == 1.0


def test_rounding_is_no_excuse_for_a_real_gap():
    """A gap of a millionth of a millionth of the scores is told."""
    models = (hh.FactorGraph([[1e6, 1e6 - 1e-6]] * 3), hh.FactorGraph([[1.0, 0.0]] * 3))
    small, large = (
        hh.diverse(m, hh.VariableCoverage(), 3, t, certify=False) for m, t in zip(models, (5e-6, 5.0), strict=True)
    )
    assert 0.0 < large.guarantee < 0.99
    assert small.guarantee == pytest.approx(large.guarantee, abs=1e-3)


def test_a_list_that_falls_behind_says_so():
    found = hh.diverse(hh.FactorGraph([[5.0, 0.0]] * 2), hh.HammingBall(gamma=1.0), m=3, tradeoff=20.0)
    assert not found.certificate.falls_behind
    assert "worse than" not in found.report(verbose=True)
    behind = replace(found, certificate=replace(found.certificate, baseline=found.objective + 1.0, upper_bound=1e3))
    assert behind.certificate.falls_behind
    assert behind.guarantee == 0.0
    assert "worse than repeating the single best labeling, by" in behind.report(verbose=True)


def test_lists_that_must_differ_are_compared_with_lists_that_may():
    """Repeating the best labeling would be better, but is not allowed."""
    model = hh.FactorGraph([[5.0, 0.0], [5.0, 0.0]])
    found = hh.diverse(model, hh.HammingBall(gamma=1.0), m=3, tradeoff=0.1, distinct=True)
    assert found.objective < hh.diverse(model, hh.HammingBall(gamma=1.0), m=3, tradeoff=0.1).objective
    assert found.certificate.allowed
    assert found.objective == pytest.approx(found.certificate.baseline)
    assert found.guarantee == 1.0
    assert found.optimal
    assert "no list of 3 that keeps the limits is better" in found.report(verbose=True)


class Careless(hh.Oracle):
    """Returns the labeling of a given rank among all, with a bound that is 1 too high."""

    name = "careless"
    summary = "for tests"

    def __init__(self, rank):
        self.rank = rank

    def refusal(self, model, potentials):
        return None

    def maximize(self, model, potentials):
        every = np.array(list(np.ndindex(*model.label_counts)), np.int32)
        values = model.score(every) + hh.potentials.total_value(model, potentials, every)
        order = np.argsort(-values, kind="stable")
        return self.step(model, every[order[self.rank]], potentials, float(values[order[0]]) + 1.0)


def test_a_best_labeling_without_proof_is_called_the_best_one_found(tmp_path):
    model = next(iter(models()))
    found = hh.diverse(model, hh.VariableCoverage(), 3, 0.01, oracle=Careless(5), distinct=False, certify=False)
    first, best = hh.baselines.m_best(model, 6)[5], hh.best(model)
    assert found.certificate.baseline == pytest.approx(_repeated(model, first, 3))
    assert found.certificate.baseline_gap == pytest.approx(3 * (best.value + 1.0 - model.score(first)))
    assert "over repeating the most relevant labeling found" in found.report(verbose=True)
    assert f"up to {found.certificate.baseline_gap:.5g} more relevance" in found.report(verbose=True)
    found.save(tmp_path / "list.npz")
    assert hh.load(tmp_path / "list.npz").certificate.baseline_gap == found.certificate.baseline_gap
    hh.verify(found, model, oracle=Careless(5))
    proven = replace(found, certificate=replace(found.certificate, baseline_gap=0.0))
    with pytest.raises(hh.BoundError, match="baseline_gap of the list"):
        hh.verify(proven, model, oracle=Careless(5))


def test_the_most_relevant_labeling_of_a_list_is_what_it_is_compared_with():
    model = next(iter(models()))
    found = hh.diverse(model, hh.VariableCoverage(), 3, 2.0, oracle=Careless(1), distinct=False, certify=False)
    best = int(np.argmax(found.relevance))
    assert best > 0  # the step by relevance alone missed it
    assert " of the best possible improvement over the most relevant labeling found" in found.report()
    assert found.certificate.baseline == pytest.approx(_repeated(model, found.labelings[best], 3, 2.0))
    assert found.certificate.baseline_gap == pytest.approx(3 * (hh.best(model).value + 1.0 - found.relevance[best]))


def test_a_best_labeling_with_proof_leaves_no_gap():
    for found in lists():
        assert found.certificate.baseline_gap == 0.0
        assert "single best labeling" in found.report(verbose=True)
    model = next(iter(models()))
    assert hh.select(hh.baselines.m_best(model, 5), model, hh.VariableCoverage(), 2).certificate.baseline_gap == 0.0


def _repeated(model, labeling, m, tradeoff=0.01):
    return m * model.score(labeling) + tradeoff * hh.VariableCoverage().value(model, [labeling] * m)


def test_rounding_alone_is_not_behind():
    proof = Certificate(3.0 - 1e-15, 3.0, (3.0,), 3.0, None, None, "x", rounding=1e-14)
    assert not proof.falls_behind
    assert proof.guarantee == 1.0
    assert Certificate(2.0, 3.0, (3.0,), 2.5, None, None, "x", rounding=1e-14).falls_behind


@pytest.mark.parametrize("limits", [{"distinct": True}, {"min_distance": 1}])
def test_the_report_tells_what_lists_apart_are_compared_with(limits, tmp_path):
    model = hh.FactorGraph([[1.0, 0.0], [1.0, 0.0]])
    text = "the bound also holds for lists that repeat labelings"
    found = hh.diverse(model, hh.HammingBall(gamma=1.0), m=2, tradeoff=1.0, certify=False, **limits)
    assert found.certificate.apart == 1
    assert text in found.report(verbose=True)
    found.save(tmp_path / "list.npz")
    assert text in hh.load(tmp_path / "list.npz").report(verbose=True)
    assert text not in found.certify(10).report(verbose=True)
    assert text not in hh.diverse(model, hh.HammingBall(gamma=1.0), m=2, tradeoff=1.0, distinct=False).report(
        verbose=True
    )


def test_a_bound_below_the_list_is_noticed_at_every_scale():
    class Wrong(hh.HammingBall):
        def offset(self, model, chosen, m):
            return super().offset(model, chosen, m) - 0.5

    for scale in (1e-13, 1.0, 1e13):
        model = hh.FactorGraph(scale * np.array([[1.0, 0.0], [1.0, 0.0]]))
        with pytest.raises(hh.BoundError):
            hh.diverse(model, Wrong(gamma=1.0), m=2, tradeoff=scale)


def test_the_report_does_not_deny_a_bound():
    """A list that is not ahead of what it is compared with has a guarantee of 0, but its bound is a proof."""
    found = hh.diverse(hh.Chain(np.eye(4, 3), np.zeros((3, 3))), hh.VariableCoverage(), m=3, tradeoff=1.0)
    even = replace(found.certificate, baseline=found.objective, upper_bound=found.objective + 0.25)
    told = replace(found, certificate=even)
    assert told.guarantee == 0.0
    assert "no list that keeps the limits is better by more than 0.25" in told.report()
    assert "nothing is proven" not in told.report()
    unknown = replace(found, certificate=replace(even, upper_bound=np.inf))
    assert "nothing is proven about the list as a whole" in unknown.report()
