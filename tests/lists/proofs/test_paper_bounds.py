# SPDX-License-Identifier: BSD-3-Clause
"""The paper's Lemma 2 with errors, and its relative measure, against enumeration (docs/theory.md 5)."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.paper_bounds import by_factors, factor, least_known, paper_bounds
from hedgehop.lists.state import ListState

DIVERSITIES = [
    hh.VariableCoverage("count"),
    hh.VariableCoverage("sqrt"),
    hh.LabelCoverage("log", parsimony=-0.5, ignore=()),
    hh.HammingBall(gamma=0.4),
    hh.UniqueItems(hh.VariableCoverage("sqrt")),
]


def values_of_all_lists(model, diversity, tradeoff, m):
    every = hh.testing.all_labelings(model)
    objective = Objective(model, diversity, tradeoff)
    return [objective.value(every[list(p)]) for p in itertools.combinations_with_replacement(range(len(every)), m)]


@pytest.mark.parametrize("diversity", DIVERSITIES, ids=repr)
@pytest.mark.parametrize("shift", [-6.0, -1.0, 2.0])
def test_lemma_2_holds_for_scores_of_any_sign(diversity, shift):
    """The shift is taken from the list's own labelings; other lists have lower ones, and the lemma holds for them."""
    random = np.random.default_rng(3)
    smaller = 0
    for _ in range(4):
        model = hh.FactorGraph(random.normal(size=(3, 2)) * 2 + shift, [[0, 1], [1, 2]], 0.5)
        found = hh.diverse(model, diversity, 3, 2.0, distinct=False)
        lemma, values = found.certificate.paper, values_of_all_lists(model, diversity, 2.0, 3)
        assert min(lemma.multiplicative, lemma.additive) >= max(values) - 1e-9
        assert found.objective + 3 * lemma.shift >= lemma.share * (max(values) + 3 * lemma.shift) - 1e-9
        assert lemma.share >= 1 - (1 - 1 / 3) ** 3 - 1e-9  # exact steps
        assert lemma.factors == pytest.approx([1.0] * 3, abs=1e-6)
        assert lemma.errors == pytest.approx([0.0] * 3, abs=1e-6)
        assert found.upper_bound <= min(lemma.multiplicative, lemma.additive) + 1e-9  # B1 is never weaker
        every = Objective(model, diversity, 2.0).modular(hh.testing.all_labelings(model))
        smaller += lemma.shift < -every.min() - 1e-9
    if shift <= 0:
        assert smaller > 0  # a shift for all labelings would be larger


def test_lemma_2_with_errors_of_both_kinds():
    """Steps that are not the best ones: what is missed is an error, absolute or as a factor."""
    random = np.random.default_rng(5)
    tighter = {"multiplicative": 0, "additive": 0}
    for _ in range(30):
        model = hh.FactorGraph(random.normal(size=(3, 2)) * 2 + random.choice([-3.0, 0.0, 4.0]))
        objective = Objective(model, hh.VariableCoverage("sqrt"), float(random.choice([0.3, 2.0])))
        every = hh.testing.all_labelings(model)
        state, scores = ListState(np.zeros((0, 3), np.int32)), np.asarray(model.score(every))
        template = hh.best(model)
        for _step in range(3):
            gains = np.asarray(objective.gain(every, scores, state.rows))
            pick = int(np.argsort(-gains)[random.integers(4)])  # one of the four best
            state = state.append(replace(template, labeling=every[pick], value=gains[pick], upper_bound=gains.max()))
        lemma = paper_bounds(objective, state, objective.values(state.rows))
        best = max(values_of_all_lists(model, objective.diversity, objective.tradeoff, 3))
        assert min(lemma.multiplicative, lemma.additive) >= best - 1e-9
        assert objective.value(state.rows) + 3 * lemma.shift >= lemma.share * (best + 3 * lemma.shift) - 1e-9
        tighter["additive" if lemma.additive < lemma.multiplicative - 1e-9 else "multiplicative"] += 1
    assert min(tighter.values()) > 0  # neither is always the better one


def test_one_exact_step_is_proven_to_be_the_best_list():
    model = hh.FactorGraph([[2.0, 1.0], [0.5, 3.0]])
    lemma = hh.diverse(model, hh.VariableCoverage("count"), m=1, tradeoff=1.0).certificate.paper
    assert lemma.share == 1.0
    assert lemma.multiplicative == lemma.additive == pytest.approx(7.0)


def test_relative_measure_is_proven():
    random = np.random.default_rng(7)
    for shift in (-5.0, 0.0, 3.0):
        model = hh.FactorGraph(random.normal(size=(3, 2)) + shift, [[0, 1], [1, 2]], 0.5)
        found = hh.diverse(model, hh.VariableCoverage("log"), 2, 3.0)
        values = values_of_all_lists(model, hh.VariableCoverage("log"), 3.0, 2)
        least = min(0.0, *values)  # of the empty list, too
        true = (found.objective - least) / (max(values) - least)
        assert found.certificate.least >= least - 1e-9
        assert 0 < found.certificate.relative <= true + 1e-9
        assert "relative measure" in found.report(verbose=True)


def test_conditions_that_fail_are_named():
    model = hh.FactorGraph(np.eye(4, 3), [[0, 1]], 0.5)
    linear = hh.diverse(model, hh.LinearHamming(), 2)
    assert linear.certificate.paper.share is None
    assert "Lemma 2 with the errors of the steps: not applicable; the diversity is not submodular" in linear.report(
        verbose=True
    )
    wide = hh.FactorGraph(np.random.default_rng(0).normal(size=(40, 3)))
    balls = hh.diverse(wide, hh.HammingBall(radius=15), 3, 30.0)
    assert balls.certificate.paper.condition == "only a lower bound on the diversity of this list is known"
    assert balls.certificate.monotone is None
    starts = hh.portfolio(model, [hh.LinearHamming(), hh.VariableCoverage()], m=3)
    assert starts.certificate.paper.share is None


def test_saved_lists_keep_the_lemma(tmp_path):
    found = hh.diverse(hh.FactorGraph(np.eye(4, 3) - 2), hh.VariableCoverage(), 3)
    found.save(tmp_path / "list.npz")
    again = hh.load(tmp_path / "list.npz")
    assert again.certificate == found.certificate
    assert math.isclose(again.certificate.relative, found.certificate.relative)


def test_lemma_2_by_hand():
    """Two steps that reach 3 of 4 and 1 of 2; the second labeling is worth -1 alone, so that both count one more."""
    model, diversity = hh.FactorGraph([[3.0, -1.0]]), hh.VariableCoverage("count")
    objective, template = Objective(model, diversity, 1.0), hh.best(model)
    state = ListState(np.zeros((0, 1), np.int32))
    for label, bound in ((0, 5.0), (1, 2.0)):
        state = state.append(replace(template, labeling=np.array([label], np.int32), upper_bound=bound))
    assert objective.values(state.rows) == [0.0, 4.0, 4.0]
    lemma = paper_bounds(objective, state, [0.0, 4.0, 4.0])
    assert lemma.shift == 1.0
    assert lemma.factors == pytest.approx((5 / 6, 1 / 3))
    assert lemma.errors == (1.0, 2.0)
    reached = 4.0 + 2 * 1.0
    factors, errors = reached / (1 - (1 - 5 / 12) * (1 - 1 / 6)), (reached + 1.0 / 2 + 2.0) / (1 - 1 / 4)
    assert lemma.multiplicative == pytest.approx(factors - 2.0)
    assert lemma.additive == pytest.approx(errors - 2.0)
    assert lemma.share == pytest.approx(reached / min(factors, errors))
    assert "plus 1 per labeling" in lemma.condition


@pytest.mark.parametrize(
    ("gain", "bound", "share"), [(1.0, 2.0, 0.5), (3.0, 2.0, 1.0), (-1.0, 2.0, 0.0), (1.0, 0.0, 1.0), (-2.0, -1.0, 1.0)]
)
def test_factors_are_shares(gain, bound, share):
    assert factor(gain, bound) == share


def test_nothing_reached_proves_nothing():
    assert by_factors(2, 3.0, [0.0, 0.0]) == math.inf
    assert by_factors(2, 3.0, [1.0, 0.5]) == pytest.approx(3.0 / (1 - 0.5 * 0.75))


def test_the_smallest_f_that_is_known():
    model = hh.FactorGraph([[3.0, -1.0]])
    objective = Objective(model, hh.VariableCoverage("count"), 0.5)
    both = np.array([[0], [1]], np.int32)
    worst = objective.value(both[[1, 1]])
    assert worst == -1.5  # -1 twice, and one label
    assert least_known(objective, both, 7.0) == worst
    assert least_known(objective, both, -2.0) == -2.0
    assert least_known(objective, both[:1], math.nan) == 0.0  # the empty list
    assert least_known(objective, both[:0], 7.0) == 0.0
