# SPDX-License-Identifier: BSD-3-Clause
"""What "exact" and a bound mean at awkward scales: huge costs, constants added to all scores, tiny scores, ties."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.oracles.exactness import meets, stake
from hedgehop.potentials import LabelWeights

NAMES = ("trws", "expansion", "swap", "auto")


def all_scores(model):
    rows = np.array(list(itertools.product(*map(range, model.label_counts))))
    return np.asarray(model.score(rows.reshape(-1, *model.shape)))


@pytest.mark.parametrize("cost", [1e6, 1e9, 1e12])
def test_huge_costs_of_wrong_labels_take_no_digits_from_the_others(cost):
    """Strokes held by huge scores are ordinary input; a bound must not fall below what another oracle reaches."""
    random = np.random.default_rng(0)
    scores = 0.5 * random.normal(size=(60, 60, 2))
    scores[random.random((60, 60)) < 0.01, 0] -= cost
    model = hh.Grid(scores, smoothness=0.3)
    cut = hh.best(model, oracle="graphcut")
    swap = hh.best(model, [LabelWeights([-1.0, -1.0])], "swap")
    assert swap.value == pytest.approx(cut.value - 2, abs=1e-6)
    assert swap.upper_bound >= cut.value - 2
    assert swap.upper_bound - swap.value < 1e-4


@pytest.mark.parametrize("scale", [1.0, 1e-12])
@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("name", NAMES)
def test_steps_called_exact_are_whatever_is_added_to_the_scores(name, offset, scale):
    for seed in range(20):
        random = np.random.default_rng(seed)
        edges = list(itertools.combinations(range(5), 2))
        unary, pairs = random.normal(size=(5, 3)), random.normal(size=(len(edges), 3, 3))
        model = hh.FactorGraph(scale * (unary + offset), edges, scale * pairs)
        step, best = hh.best(model, oracle=name), all_scores(model).max()
        assert step.upper_bound >= best - 1e-13 * abs(best)
        if step.exact:
            assert best - step.value <= 1e-6 * scale


@pytest.mark.parametrize("name", ["graphcut", "qpbo", "trws", "expansion", "swap", "auto"])
def test_ties_go_to_the_lowest_label(name):
    assert not hh.best(hh.Grid(np.zeros((3, 3, 2))), oracle=name).labeling.any()
    tables = np.zeros((2, 2, 2))
    assert not hh.best(hh.FactorGraph(np.zeros((3, 2)), [[0, 1], [1, 2]], tables), oracle=name).labeling.any()


def test_enumeration_calls_nothing_a_tie_that_it_can_tell_apart():
    """Large scores that decide nothing leave enough digits to see that label 1 is the better one."""
    model = hh.FactorGraph([[0.0, 4e-6, -1e7]] * 6)
    step = hh.best(model, oracle="exhaustive")
    assert stake(model) > 1e7
    assert step.labeling.tolist() == [1] * 6
    assert step.value == step.upper_bound == pytest.approx(2.4e-5)


def test_forbidden_pairs_of_two_labels_are_one_cut():
    barred = hh.FactorGraph(np.eye(2)[[0, 1, 0]], [(0, 1), (1, 2), (0, 2)], [[0.0, -np.inf], [0.0, 0.0]])
    assert hh.best(barred).value == 2.0
    step = hh.best(barred, oracle="graphcut")
    assert (step.value, step.exact) == (2.0, True)


def test_cuts_of_ordinary_images_count_as_exact():
    scores = np.random.default_rng(0).normal(size=(128, 128, 2)).astype(np.float32)
    assert hh.best(hh.Grid(scores, smoothness=2.0)).exact


def test_spread_ignores_constants_and_a_few_huge_scores():
    scores = np.random.default_rng(0).normal(size=(50, 3))
    plain = hh.FactorGraph(scores, [[0, 1]], 2.0)
    shifted = hh.FactorGraph(scores + 1000.0, [[0, 1]], 2.0)
    assert shifted.spread == pytest.approx(plain.spread)
    scores[7, 1] = -1e9
    assert hh.FactorGraph(scores, [[0, 1]], 2.0).spread < 1.5 * plain.spread
    assert hh.FactorGraph(np.zeros((3, 2))).spread == 0.0


def test_huge_scores_that_are_the_rule_buy_no_room() -> None:
    """Most ranges are huge, but the best labelings differ by 1: gaps are measured against that."""
    table = [[2.0, 0.0, 1.0], [-3e8, -1.0, 1.0], [1.0, 1.0, -2.0]]
    chain = hh.Chain([[0.0, 0.0, 0.0], [-1.0, -2.0, -2.0], [-2.0, 1.0, -2.0], [-3.0, 1.0, 0.0]], table)
    step = hh.best(chain, oracle="trws")
    assert step.exact
    assert step.value == 3.0  # by enumeration
    strong = hh.Grid(np.array([[[1.0, 1.0], [2.0, 2.0]], [[3.0, 1.0], [0.0, 1.5]]]), smoothness=1e9)
    assert chain.spread < 1e3
    assert strong.spread < 1e3


@pytest.mark.parametrize("power", [-300, 200, 300])
def test_other_labelings_are_found_at_any_scale(power: int) -> None:
    """Label bounds are in single precision, which 2^200 is beyond."""
    unary, edges = np.array([[1.0, 0.0], [0.0, 0.5], [0.3, 0.0], [0.0, 0.7]]), [[0, 1], [1, 2], [2, 3], [3, 0]]
    lists = []
    for scale in (1.0, 2.0**power):
        model = hh.FactorGraph(unary * scale, edges=edges, pairwise=0.4 * scale)
        lists.append(hh.diverse(model, hh.VariableCoverage(), m=3, tradeoff=0.0, distinct=True).labelings)
    assert np.array_equal(*lists)


def test_a_huge_weight_that_decides_nothing_buys_no_room_in_matchings():
    """Every row has its best column to itself: nothing is at stake but the ordinary weights."""
    weights = [[-0.2, -0.5, -6e9], [-5e3, -4.1, 5.3], [-4.5, 5.2, 4e10]]
    model = hh.Matching(np.array(weights)[:, :2], unmatched=np.array(weights)[:, 2])
    assert stake(model) < 2e5
    assert not meets(model, 4e10, 4e10 + 8.0)
    assert stake(hh.Matching([[2.0, -np.inf], [-2e8, 3.0], [-2.0, -2.0]], unmatched=[-3.0, 2.0, -2.0])) < 100.0


def test_what_is_forbidden_is_never_exact_beside_a_bound():
    """Huge strengths leave a first cut too few digits to respect -inf; a finer one does."""
    model = hh.Grid(
        [[[-np.inf, -2.5e6], [0.33, 0.18], [1.9e6, -3.6]], [[-5.0, -5.3], [-np.inf, 4.5], [0.44, -0.1]]],
        [[[1.5, 1.2e10], [1.5, 2.8e10]], [[2.3, 1.8, 1.6]]],
    )
    assert not meets(model, -np.inf, 5.0)
    assert meets(model, -np.inf, -np.inf)
    step = hh.best(model, oracle="graphcut")
    assert step.exact
    assert step.value == pytest.approx(all_scores(model).max(), abs=1e-6)


def test_a_huge_score_that_decides_nothing_buys_no_room_in_parses():
    """The best heads of all words are a parse but for one: nothing huge is at stake."""
    model = hh.Arborescence([[-3.7, 0.0, -1.8e9, 2.2], [1.3, 3.4, 0.0, 2.3], [5.5, 4.3, 9.8e8, 0.0]], single_root=True)
    assert stake(model) < 100.0
    assert not meets(model, 9.8e8, 9.8e8 + 3.0)
    related = hh.Arborescence([[[1.0, 0.5], [0, 0], [-2e9, 0.1]], [[2.0, 1.0], [1.5, 1.0], [0, 0]]])
    assert stake(related) < 100.0


def test_models_that_do_not_say_what_is_at_stake_get_the_last_digits_only():
    class Own:
        n_variables, shape, label_counts = 2, (2,), np.array([2, 2], np.int32)

        def score(self, labelings):
            return 1e9 + np.asarray(labelings).sum(axis=-1)

    assert not meets(Own(), 1e9, 1e9 + 0.4)
    assert meets(Own(), 1e9, 1e9 + 1e-4)
    assert hh.best(Own()).exact


@pytest.mark.parametrize("shift", [0.0, 2.0**20, -(2.0**40)])
def test_a_shift_allows_gaps_of_a_few_last_digits_and_no_share_of_itself(shift):
    model = hh.Grid(np.random.default_rng(0).normal(size=(3, 4, 2)) + shift, 0.5)
    value = hh.best(model).value
    digits, share = np.spacing(abs(value)), 1e-8 * stake(model)
    assert meets(model, value, value + 40 * digits + 0.9 * share)
    assert not meets(model, value, value + 100 * digits + 1.1 * share)
    assert stake(model) < 100


def test_a_shift_turns_no_gap_that_it_leaves_to_see_into_rounding():
    """Steps of labelings that must differ leave gaps of a tenth here: no step becomes exact by a constant."""
    scores = np.random.default_rng(1).normal(size=(3, 3, 2))
    plain, shifted = (
        hh.diverse(hh.Grid(scores + s, 0.5), hh.HammingBall(gamma=0.4), 3, 1.0, min_distance=2, certify=False)
        for s in (0.0, 2.0**30)
    )
    assert np.array_equal(plain.labelings, shifted.labelings)
    assert plain.exact.tolist() == shifted.exact.tolist()
