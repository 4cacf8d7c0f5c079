# SPDX-License-Identifier: BSD-3-Clause
"""The claims of docs/theory.md 5: which bound holds when."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.lists.certificate import Certificate, _ends_searches, certify

EVERY = np.array(list(itertools.product(range(3), repeat=3)))


class Scored:
    """Any relevance at all over the 27 labelings of three variables."""

    n_variables, shape = 3, (3,)
    label_counts = np.full(3, 3, np.int32)

    def __init__(self, scores):
        self.scores = np.asarray(scores)

    def score(self, labelings):
        rows = np.asarray(labelings)
        values = self.scores[rows.reshape(-1, 3) @ [9, 3, 1]]
        return float(values[0]) if rows.ndim == 1 else values


def lists_of(m):
    return itertools.combinations_with_replacement(range(27), m)


def run(scores, tradeoff, h, parsimony, m=3):
    model = Scored(scores)
    labels = hh.LabelCoverage(h=h, parsimony=parsimony, ignore=())
    found = hh.diverse(model, labels, m, tradeoff, distinct=False, certify=False)
    used = np.array([[k in y for k in range(3)] for y in EVERY])
    worth = {"count": lambda c: min(1, c), "sqrt": math.sqrt, "log": math.log1p}[h]
    table = np.array([worth(c) for c in range(m + 1)])
    own = scores + tradeoff * parsimony * used.sum(axis=1)
    best = max(own[list(p)].sum() + tradeoff * table[used[list(p)].sum(axis=0)].sum() for p in lists_of(m))
    return found, own, best


def bounds(found, m=3):
    """B1 and B0 of a run (B0 needs monotone F), from the public numbers."""
    objectives = np.concatenate([[0.0], np.cumsum(found.gains)])
    gains = np.array([*found.bounds, found.more(1).bounds[-1]])
    return min(found.certificate.online), float((objectives + m * gains).min())


def test_b1_always_holds_and_b0_only_where_f_is_monotone():
    random = np.random.default_rng(9)
    broken = 0
    for k in range(36):
        h = ["count", "sqrt", "log"][k % 3]
        tradeoff, parsimony = float(random.choice([1, 3, 8])), float(random.choice([0.0, -1.0]))
        scores = random.normal(size=27) * 2 + float(random.choice([-2, 0, 12]))
        found, own, best = run(scores, tradeoff, h, parsimony)
        online, monotone = bounds(found)
        assert found.upper_bound == pytest.approx(online)
        assert online >= best - 1e-9
        assert found.objective <= best + 1e-9
        if own.min() >= 0:
            assert monotone >= best - 1e-9
            assert online <= monotone + 1e-9
        else:
            broken += monotone < best - 1e-9
    assert broken > 0  # the reason why B1 is the one we report


def test_b1_is_tighter_than_b0_and_lemma_2():
    random = np.random.default_rng(1)
    tighter = 0
    for _ in range(10):
        model = hh.FactorGraph(random.random((3, 3)) * 4)  # nonnegative: F is monotone, and we know it
        found = hh.diverse(model, hh.LabelCoverage(h="sqrt", parsimony=0.0, ignore=()), 3, 2.0, distinct=False)
        proof = found.certificate
        assert proof.condition == "relevance plus parsimony is nowhere negative, so F is monotone"
        assert proof.upper_bound <= proof.monotone + 1e-9 <= proof.product + 2e-9
        tighter += proof.upper_bound < proof.product - 1e-6
    assert tighter > 0


@pytest.mark.parametrize(("diversity", "text"), [
    (hh.LinearHamming(), "the diversity is not submodular"),
    (hh.LabelCoverage(parsimony=-1.0), "relevance plus parsimony may be negative (lower bound"),
])  # fmt: skip
def test_report_names_the_failed_condition(diversity, text):
    found = hh.diverse(hh.FactorGraph([[0.0, 1.0]] * 3), diversity, 2)
    assert found.certificate.monotone is None
    assert found.certificate.product is None
    assert f"not applicable, {text}" in found.report(verbose=True)


def test_shift_changes_neither_list_nor_guarantee():
    random = np.random.default_rng(3)
    unary = random.normal(size=(4, 3))
    ball = hh.HammingBall(gamma=0.4)
    plain = hh.diverse(hh.FactorGraph(unary), ball, 3, 5.0)
    shifted = hh.diverse(hh.FactorGraph(unary + 100.0), ball, 3, 5.0)
    assert np.array_equal(plain.labelings, shifted.labelings)
    assert plain.guarantee == pytest.approx(shifted.guarantee)
    assert plain.ratio < shifted.ratio  # the paper's ratio flatters whoever adds a constant


@pytest.mark.parametrize("seed", [3, 4, 26])
@pytest.mark.parametrize("shift", [1e6, 1e7])
def test_a_shift_that_costs_digits_does_not_change_the_proof_of_balls(seed, shift):
    """The search for slopes ends where it would without the constant, which decides which solver works."""
    random = np.random.default_rng(seed)
    unary = random.normal(size=(random.integers(3, 7), random.integers(2, 4)))
    plain, far = (hh.diverse(hh.FactorGraph(unary + s), hh.HammingBall(gamma=0.4), 3, 5.0) for s in (0.0, shift))
    assert far.certificate.proof.source == "balls"
    assert far.guarantee == pytest.approx(plain.guarantee, rel=1e-4)


def test_balls_on_trees_are_bounded_by_slopes():
    """Whose weights are not centred by centring them: the solver of narrower scores is asked for what it met."""
    edges = [(i, j) for j in range(5) for i in range(j)]
    found = hh.diverse(hh.SpanningTree(edges, np.random.default_rng(0).random(10)), hh.HammingBall(gamma=0.3), 3, 3.0)
    assert found.certificate.proof.source == "balls"
    assert found.objective <= found.upper_bound


def test_guarantee_and_ratio_by_definition():
    random = np.random.default_rng(4)
    model = hh.FactorGraph(random.normal(size=(4, 3)))
    labels = hh.LabelCoverage(h="log", parsimony=0.0, ignore=())  # rewards: the first labeling is not the best one
    found = hh.diverse(model, labels, 3, 2.0, distinct=False, certify=False)
    top = hh.best(model).labeling
    repeated = 3 * model.score(top) + 2.0 * labels.value(model, [top] * 3)
    assert found.certificate.baseline == pytest.approx(repeated)
    expected = (found.objective - repeated) / (found.upper_bound - repeated)
    assert found.guarantee == pytest.approx(expected)
    if found.objective >= 0:
        assert found.ratio == pytest.approx(found.objective / found.upper_bound)


def test_guarantee_at_the_edges():
    exact = certify([0.0, 5.0], [5.0], [5.0], baseline=5.0, failed="x")
    assert exact.guarantee == 1.0
    worse = certify([0.0, 5.0, 8.0], [10.0], [5.0], baseline=10.0, failed="x")
    assert worse.guarantee == 0.0
    unknown = certify([0.0, 5.0], [math.inf], [5.0], baseline=4.0, failed="x")
    assert unknown.upper_bound == math.inf
    assert unknown.guarantee == 0.0
    assert unknown.ratio == 0.0
    assert math.isnan(certify([0.0, -5.0], [-5.0], [-5.0], -5.0, "x").ratio)


def test_linear_hamming_bound_closes_on_an_easy_list():
    """Two opposite labelings of equal scores are the best pair: the offset bound proves it."""
    model = hh.FactorGraph(np.zeros((4, 2)))
    found = hh.diverse(model, hh.LinearHamming(), 2, 1.0)
    assert found.objective == 4.0
    assert found.upper_bound == pytest.approx(4.0)
    assert found.guarantee == pytest.approx(1.0)


def known(objective, upper_bound, **others):
    """A certificate with nothing but these figures."""
    fields = {"online": (), "baseline": 0.0, "monotone": None, "product": None, "condition": ""}
    return Certificate(objective, upper_bound, **(fields | others))


def test_optimal_means_within_rounding_of_the_bound():
    assert known(5.0, 5.0).optimal
    assert known(100_005.0, 100_005.9).optimal  # 1e-5 of what it is ahead
    assert not known(5.0, 5.9).optimal
    assert not known(100_005.0, 100_005.9, baseline=100_000.0).optimal
    assert not known(100_005.0, 100_005.9, baseline=math.nan).optimal
    assert known(5.0, 5.9, baseline=math.nan, rounding=1.0).optimal


def test_the_papers_relative_measure_by_definition():
    assert known(5.0, 8.0, least=2.0).relative == 0.5
    assert known(5.0, 8.0, least=-1.0).relative == pytest.approx(6 / 9)
    assert known(2.0, 8.0, least=2.0).relative == 0.0
    assert known(2.0, 2.0, least=2.0).relative == 1.0  # all lists have the same F
    assert known(5.0, math.inf, least=2.0).relative == 0.0
    assert math.isnan(known(5.0, 8.0).relative)


def test_ratio_by_definition():
    assert known(6.0, 8.0).ratio == 0.75
    assert known(0.0, 8.0).ratio == 0.0
    assert known(0.0, 0.0).ratio == 1.0
    assert known(6.0, math.inf).ratio == 0.0
    assert math.isnan(known(-1.0, 8.0).ratio)


def test_guarantee_and_falls_behind_allow_for_rounding():
    assert known(6.0, 8.0, baseline=4.0).guarantee == 0.5
    assert known(6.0, 8.0, baseline=4.0, rounding=2.0).guarantee == 1.0
    assert known(6.0, 8.0, baseline=4.0, rounding=1.9).guarantee == 0.5
    assert known(4.0, 8.0, baseline=4.0).guarantee == known(3.0, 8.0, baseline=4.0).guarantee == 0.0
    assert known(4.0 + 1e-12, 8.0, baseline=4.0, rounding=1e-11).guarantee == 0.0  # a rounding over a real gap
    assert known(6.0, 8.0, baseline=math.nan).guarantee == 0.0
    assert known(3.0, 8.0, baseline=4.0).falls_behind
    assert not known(3.0, 8.0, baseline=4.0, rounding=1.0).falls_behind


def test_certified_by_hand():
    """F of the beginnings of a list of two, and the bounds that follow."""
    proven = certify([0.0, 5.0, 8.0], [11.0, 10.0], [6.0, 2.5], baseline=4.0, failed=None, further=[10.5])
    assert (proven.objective, proven.upper_bound, proven.online) == (8.0, 10.0, (11.0, 10.0))
    assert proven.monotone == 5.0 + 2 * 2.5  # of 0 + 2 * 6 and this
    assert proven.product == pytest.approx(8.0 / (1 - (1 - 5 / 6 / 2) * (1 - 1 / 2)))  # gains of 5 of 6, and 3 of 2.5
    assert proven.rounding == 8.0 * 2.0**-49
    assert certify([0.0, 5.0], [9.0], [9.0], 4.0, None, further=[7.0]).upper_bound == 7.0
    assert certify([0.0, 5.0], [], [], 4.0, "x").upper_bound == math.inf
    assert certify([0.0, -5.0], [9.0], [9.0], 4.0, "x", size=16.0).rounding == 2.0**-45
    failed = certify([0.0, 5.0], [9.0], [9.0], 4.0, "it may fall")
    assert (failed.monotone, failed.product, failed.condition) == (None, None, "it may fall")


def test_bounds_are_lifted_over_rounding_but_not_over_mistakes():
    assert certify([0.0, 5.0], [5.0 - 4e-6], [9.0], 4.0, "x").upper_bound == 5.0
    with pytest.raises(hh.BoundError, match=r"scores 5.0, above its upper bound 4.99999"):
        certify([0.0, 5.0], [5.0 - 6e-6], [9.0], 4.0, "x")


@pytest.mark.parametrize(
    ("baseline", "ends"), [(4.0, False), (10.0, True), (-1e5, True), (11.0, False), (math.nan, True)]
)
def test_a_gap_as_large_as_the_improvement_is_not_rounding(baseline, ends):
    model = hh.FactorGraph([[0.0, -1e9]] * 4)  # 1e-8 of what is at stake is more than the gap of 6
    proven = certify([0.0, 10.0], [16.0], [16.0], baseline, "not monotone")
    assert model.spread > 1e9
    assert _ends_searches(model, proven) is ends
