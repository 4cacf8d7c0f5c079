# SPDX-License-Identifier: BSD-3-Clause
"""The claims of docs/theory.md about diversities, each against enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.diversity import Concave
from hedgehop.potentials import Cardinality, Function, total_value
from hedgehop.potentials.ball_sizes import _drop, _log_drop, _log_size, ball_size, overlap_shares


def count_overlap(n, labels, radius, distance):
    other = [1] * distance + [0] * (n - distance)
    every = itertools.product(range(labels), repeat=n)
    return sum(1 for z in every if sum(map(bool, z)) <= radius and sum(map(int.__ne__, z, other)) <= radius)


def overlap_size(n, labels, radius, distance):
    return ball_size(n, labels, radius) - sum(_drop(n, labels, radius, d) for d in range(distance))


BALLS = [(5, 2, 1), (5, 2, 2), (6, 2, 3), (4, 3, 1), (4, 3, 2), (5, 3, 3), (4, 4, 2), (3, 5, 2), (4, 2, 9), (3, 1, 2)]


@pytest.mark.parametrize(("n", "labels", "radius"), BALLS)
def test_overlaps_are_the_closed_form(n, labels, radius):
    most = n if labels > 1 else 0
    sizes = [count_overlap(n, labels, radius, d) for d in range(most + 1)]
    assert [overlap_size(n, labels, radius, d) for d in range(most + 1)] == sizes
    assert ball_size(n, labels, radius) == sizes[0]
    assert overlap_shares(n, labels, radius)[: most + 1] == pytest.approx(np.array(sizes) / sizes[0])
    for d, (size, fewer) in enumerate(itertools.pairwise(sizes)):
        log = _log_drop(n, labels, min(radius, n), d)
        assert log == pytest.approx(math.log(size - fewer)) if size > fewer else log == -np.inf
    assert _log_size(n, labels, min(radius, n)) == pytest.approx(math.log(sizes[0]))


def test_overlap_facts():
    n, labels, radius = 30, 4, 3
    lost = math.comb(n - 1, radius) * (labels - 1) ** radius
    assert overlap_size(n, labels, radius, 1) == ball_size(n, labels, radius) - lost
    assert overlap_size(n, labels, radius, 2 * radius + 1) == 0
    for k in (1, 2, 3):
        assert overlap_size(14, 2, k, 1) == overlap_size(14, 2, k, 2)  # binary: I(2j-1) = I(2j), so not convex
    assert 0.005 < overlap_shares(2000, 21, 20)[1] < 0.02  # the exact ball acts like "different or not"


def test_large_balls_agree_with_exact_arithmetic():
    for labels, radius in ((3, 10), (2, 10), (5, 250)):
        drops = [_drop(400, labels, radius, d) / ball_size(400, labels, radius) for d in range(min(399, 2 * radius))]
        logs = [_log_drop(400, labels, radius, d) - _log_size(400, labels, radius) for d in range(len(drops))]
        assert np.exp(logs) == pytest.approx(drops, rel=1e-8)
    wide = overlap_shares(401, 3, 250)  # by logarithms
    assert wide[[1, 200, 401]] == pytest.approx(
        [overlap_size(401, 3, 250, d) / ball_size(401, 3, 250) for d in (1, 200, 401)], rel=1e-8
    )
    assert overlap_shares(100_000, 2, 5_000)[10_001] == 0.0


def test_union_of_exact_balls_lies_between_its_bounds():
    random = np.random.default_rng(1)
    model = hh.FactorGraph(np.zeros((5, 2)))
    ball = hh.HammingBall(radius=1)
    for _ in range(20):
        rows = random.integers(0, 2, (4, 5))
        overlaps = [overlap_shares(5, 2, 1)[(rows[3] != y).sum()] for y in rows[:3]]
        gain = ball.gain(model, rows[3], rows[:3])
        assert 1 - sum(overlaps) - 1e-12 <= gain <= 1 - max(overlaps) + 1e-12


def test_smooth_ball_bounds():
    """1 - sum I <= prod (1 - I) <= gain <= 1 - max I, and D(S) <= |S| - weight of a maximum spanning tree."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    random = np.random.default_rng(2)
    model = hh.FactorGraph(np.zeros((6, 3)))
    ball = hh.HammingBall(gamma=0.3)
    for _ in range(50):
        rows = np.unique(random.integers(0, 3, (4, 6)), axis=0)
        overlaps = np.exp(-0.3 * (rows[:, None] != rows[None]).sum(axis=2))
        last = overlaps[-1, :-1]
        gain = ball.gain(model, rows[-1], rows[:-1])
        assert 1 - last.sum() - 1e-12 <= np.prod(1 - last) <= gain + 1e-12
        assert gain <= 1 - last.max() + 1e-12
        tree = -minimum_spanning_tree(-np.triu(overlaps, 1)).sum()
        assert ball.value(model, rows) <= len(rows) - tree + 1e-9


def test_sum_of_overlaps_falls_where_the_coverage_grows():
    """The paper's |S| - sum of overlaps is not monotone; the coverage it approximates is."""
    model, ball = hh.FactorGraph(np.zeros((6, 2))), hh.HammingBall(gamma=0.1)
    rows = np.tril(np.ones((4, 6), int))
    overlaps = np.exp(-0.1 * (rows[:, None] != rows[None]).sum(axis=2))
    surrogate = [k - np.triu(overlaps[:k, :k], 1).sum() for k in range(1, 5)]
    assert surrogate[3] < surrogate[0]
    values = [ball.value(model, rows[:k]) for k in range(1, 5)]
    assert values == sorted(values)


def test_the_best_clamped_step_is_the_plain_one_or_the_best_labeling():
    """max r + max(0, g) is the better of max r + g and max r, so that clamping needs no solver."""
    random = np.random.default_rng(6)
    for _ in range(50):
        r, g = random.normal(size=(2, 30))
        clamped = r + np.maximum(0.0, g)
        assert clamped.max() == pytest.approx(max(clamped[np.argmax(r + g)], clamped[np.argmax(r)]))


def test_smooth_ball_of_one_and_two():
    model = hh.FactorGraph(np.zeros((6, 3)))
    ball = hh.HammingBall(gamma=0.3)
    y, z = np.zeros(6, int), np.array([1, 2, 0, 0, 1, 0])
    assert ball.value(model, [y]) == 1.0
    assert ball.value(model, [y, z]) == pytest.approx(2 - math.exp(-0.9))
    assert ball.value(model, [y, y, y]) == 1.0


def test_more_than_twenty_labelings_fall_back_to_bounds():
    random = np.random.default_rng(3)
    model = hh.FactorGraph(np.zeros((30, 3)))
    rows = random.integers(0, 3, (24, 30))
    ball = hh.HammingBall(gamma=0.05)
    low, high = ball.value(model, rows), ball.coverage_bound(model, rows)
    assert ball.value(model, rows[:21]) == pytest.approx(ball.coverage_bound(model, rows[:21]))
    assert low < high <= 24


def test_exact_ball_on_a_large_model_gives_bounds():
    model = hh.FactorGraph(np.zeros((60, 3)))
    random = np.random.default_rng(4)
    rows = np.zeros((4, 60), int)
    for k in range(1, 4):
        rows[k, random.choice(60, 2, replace=False)] = 1
    ball = hh.HammingBall(radius=3)
    assert 1.0 <= ball.value(model, rows) <= ball.coverage_bound(model, rows) <= 4.0
    pair = ball.value(model, rows[:2])
    assert pair == pytest.approx(2 - overlap_shares(60, 3, 3)[(rows[0] != rows[1]).sum()])


def test_list_semantics_counts_repetitions():
    model = hh.FactorGraph(np.zeros((2, 3)))
    labels = hh.LabelCoverage(h="sqrt", parsimony=0.0, ignore=())
    assert labels.value(model, [[0, 1]] * 4) == pytest.approx(2 * 2.0)


@pytest.mark.parametrize(("h", "weights"), [
    ("count", [0.0, -1.0, -1.0]), ("sqrt", [0.0, 2**0.5 - 2, 3**0.5 - 2**0.5 - 1]),
    ("log", [math.log(2) - 1, math.log(1.5) - 1, math.log(4 / 3) - 1]),
])  # fmt: skip
def test_sign_rule_of_the_papers_parsimony(h, weights):
    """With parsimony -1 no label is ever rewarded, whatever h."""
    model = hh.FactorGraph(np.zeros((2, 2)))
    labels = hh.LabelCoverage(h=h, parsimony=-1.0, ignore=(0,))
    nets = [labels.net_weights(model, [[1, 1]] * k)[1] for k in range(3)]
    assert nets == pytest.approx(weights)
    assert max(nets) <= 0
    assert hh.LabelCoverage(h=h, ignore=()).net_weights(model, [])[1] == pytest.approx(0.0)  # "auto": unseen is free


def test_printed_region_envelope_is_wrong_and_ours_is_right():
    """The printed potential is -inf everywhere; with the zero function and the right -inf it is exact."""
    n, labels, region = 4, 3, [0, 1]
    model = hh.FactorGraph(np.zeros((n, labels)))
    every = hh.testing.all_labelings(model)
    mu = np.array([0.0, 1.0, 1.0])  # label 0 is covered already
    printed = np.full((labels, n, labels), -np.inf)
    corrected = np.zeros((labels, n, labels))
    for q in range(labels):
        for i in region:
            printed[q, i, q] = 0.0
            corrected[q, i, :] = -np.inf
            corrected[q, i, q] = 0.0
    gains = hh.RegionCoverage([region]).gain(model, every, [[0, 0, 1, 2]])
    assert np.isneginf(hh.potentials.Envelope(mu, printed).value(model, every)).all()
    assert hh.potentials.Envelope(mu, corrected, zero=True).value(model, every) == pytest.approx(gains)


def test_region_weights_never_hold_a_region_twice():
    model = hh.FactorGraph(np.zeros((6, 3)))
    every = hh.testing.all_labelings(model)
    weights = hh.potentials.RegionWeights([[0, 1, 2, 3, 4]], [[5.0, 3.0, 4.0]], robust=9)
    assert weights.slack(0) == 2
    counts = np.stack([(every[:, :5] == k).sum(axis=1) for k in range(3)], axis=1)
    shares = np.maximum(0, 1 - (5 - counts) / 2)
    assert ((shares > 0).sum(axis=1) <= 1).all()
    assert weights.value(model, every) == pytest.approx((shares * [5.0, 3.0, 4.0]).max(axis=1))


def test_regions_from_a_map():
    grid = hh.Grid(np.zeros((2, 2, 2)))
    regions = hh.RegionCoverage(np.array([[0, 0], [7, -1]])).regions
    assert [r.tolist() for r in regions] == [[0, 1], [2]]
    assert hh.RegionCoverage(np.array([[0, 0], [7, -1]])).value(grid, [[[0, 0], [1, 0]]]) == 2.0


def test_facility_gain_chord_and_minorant():
    """The chord lies above the gain, the active samples' linear part below, tight at its labeling."""
    random = np.random.default_rng(5)
    model = hh.FactorGraph(np.zeros((5, 3)))
    every = hh.testing.all_labelings(model)
    samples = every[random.integers(0, len(every), 6)]
    best = hh.ExpectedBest(samples)
    agree = (every[:, None] == samples[None]).mean(axis=2)
    for _ in range(20):
        chosen = every[random.integers(0, len(every), 2)]
        reached = (chosen[:, None] == samples[None]).mean(axis=2).max(axis=0)
        gain = best.gain(model, every, chosen)
        assert (((1 - reached) * agree).mean(axis=1) >= gain - 1e-12).all()
        k = int(random.integers(len(every)))
        minorant = ((agree - reached) * (agree[k] > reached)).mean(axis=1)
        assert (minorant <= gain + 1e-12).all()
        assert minorant[k] == pytest.approx(gain[k])


@pytest.mark.parametrize(("diversity", "itself"), [
    (hh.LabelCoverage(), True), (hh.VariableCoverage(), True), (hh.HammingBall(gamma=0.3), True),
    (hh.HammingBall(gamma=0.3, steer="sum"), False),
    (hh.LinearHamming(), True), (hh.LinearHamming(steer="half"), False),
    (hh.LabelCoverage() + hh.LinearHamming(), True), (hh.LabelCoverage() + hh.LinearHamming(steer="half"), False),
], ids=repr)  # fmt: skip
def test_steps_that_maximise_the_gain_itself_are_their_own_bound(diversity, itself):
    assert diversity.steers_exactly is itself
    model, chosen = hh.FactorGraph(np.zeros((3, 2))), [[0, 0, 1], [1, 0, 1]]
    every = hh.testing.all_labelings(model)
    steered, bounding = (
        total_value(model, terms, every)
        for terms in (diversity.potentials(model, chosen), diversity.bounding(model, chosen))
    )
    assert np.allclose(steered, bounding) is itself
    assert (bounding >= diversity.gain(model, every, chosen) - 1e-9).all()


def test_linear_hamming_is_not_submodular():
    model = hh.FactorGraph(np.zeros((3, 2)))
    linear = hh.LinearHamming()
    assert linear.gain(model, [1, 0, 1], [[0, 0, 0]]) < linear.gain(model, [1, 0, 1], [[0, 0, 0], [1, 1, 1]])
    assert not linear.submodular


def test_callable_h_is_checked_where_it_is_used():
    late = Concave(lambda k: float(min(k, 30)) if k < 40 else 99.0)  # fine at first
    with pytest.raises(ValueError, match="h must be concave"):
        late.upto(50)
    doubled = hh.VariableCoverage(h=lambda k: 2.0 * min(k, 2))
    assert doubled.value(hh.FactorGraph([[0.0, 0.0]]), [[0], [0], [0]]) == 4.0


def test_sums_and_factors():
    model = hh.FactorGraph(np.zeros((3, 3)))
    a, b = hh.LabelCoverage(h="count", parsimony=0.0, ignore=()), hh.LinearHamming()
    rows = [[0, 1, 2], [0, 0, 0]]
    assert (2 * (0.5 * a + b)).value(model, rows) == pytest.approx(a.value(model, rows) + 2 * b.value(model, rows))
    assert repr(0.5 * a + b).startswith("0.5 * LabelCoverage")
    assert (a + b).distinct
    assert not (a + b).submodular


def test_own_diversity_gives_potentials_only_enumeration_takes():
    class Corners(hh.Diversity):
        h = "sqrt"
        parsimony = "auto"

        def groups(self, labeling):
            return [(int(labeling[0, 0]), int(labeling[-1, -1]))]

    grid = hh.Grid(np.zeros((2, 2, 2)))
    corners = Corners()
    (potential,) = corners.potentials(grid, np.zeros((1, 2, 2), int))
    assert isinstance(potential, Function)
    every = hh.testing.all_labelings(grid)
    assert total_value(grid, [potential], every) == pytest.approx(corners.gain(grid, every, np.zeros((1, 2, 2), int)))
    hh.testing.check_diversity(corners, grid)
    found = hh.diverse(grid, corners, m=4, tradeoff=20.0)
    assert len({(y[0, 0], y[-1, -1]) for y in found.labelings}) == 4


def test_cardinality_with_weights():
    table = Cardinality([0, 0, 0], [0.0, 1.0, 4.0, 9.0, 16.0], weights=[1, 2, 1])
    model = hh.FactorGraph(np.zeros((3, 2)))
    assert table.value(model, [[0, 1, 1], [1, 0, 0]]).tolist() == [9.0, 1.0]
    smooth = Cardinality([0, 0, 0], np.sqrt, weights=[0.5, 1.5, 2.0])
    assert smooth.value(model, [1, 1, 1]) == 2.0


def test_half_of_the_relevance_reaches_half_of_the_best():
    """Max-sum diversification (docs/theory.md 8): greedy on r/2 + tradeoff * gain, relevance >= 0."""
    random = np.random.default_rng(99)
    half = hh.LinearHamming(steer="half")
    for trial in range(60):
        unary = random.random((3, 2)) * random.choice([1, 5, 20])
        model = hh.FactorGraph(unary, [[0, 1], [1, 2]], random.random((2, 2)))
        tradeoff, distinct = float(random.choice([0.1, 1.0, 5.0])), bool(trial % 2)
        every = hh.testing.all_labelings(model)
        lists = itertools.combinations if distinct else itertools.combinations_with_replacement
        best = max(
            float(np.sum(model.score(every[list(k)]))) + tradeoff * half.value(model, every[list(k)])
            for k in lists(range(len(every)), 4)
        )
        found = hh.diverse(model, half, 4, tradeoff, distinct=distinct)
        assert best / 2 - 1e-9 <= found.objective <= best + 1e-9 <= found.upper_bound + 2e-9


def test_half_steps_maximise_half_of_the_relevance():
    random = np.random.default_rng(5)
    model = hh.FactorGraph(random.normal(size=(4, 3)))
    every = hh.testing.all_labelings(model)
    half, plain = hh.LinearHamming(steer="half"), hh.LinearHamming()
    chosen = every[random.integers(0, len(every), 3)]
    steered = total_value(model, half.potentials(model, chosen), every)
    gains = plain.gain(model, every, chosen)
    assert np.argmax(model.score(every) + steered) == np.argmax(model.score(every) / 2 + gains)
    assert half.bounding(model, chosen) == plain.potentials(model, chosen) == plain.bounding(model, chosen)
    assert repr(half) == 'LinearHamming(steer="half")'
