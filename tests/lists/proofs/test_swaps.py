# SPDX-License-Identifier: BSD-3-Clause
"""Lists from a pool, against trying every list of it."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.swaps import Swaps
from hedgehop.lists.separation import Separation

MODEL = hh.FactorGraph([[3.0, 2.0, 0.0], [1.0, 0.8, 0.9], [0.0, 0.5, 0.1]])
POOL = np.ascontiguousarray(hh.testing.all_labelings(MODEL), np.int32)


def swaps(distance=0, tradeoff=1.0, m=3):
    return Swaps(Objective(MODEL, hh.VariableCoverage(), tradeoff), Separation(distance), m, POOL)


def test_places_leave_out_what_is_too_close_to_earlier_ones():
    rows = POOL[[5, 6, 5, 18]]  # 5 and 6 differ in two variables
    assert swaps().places(rows) == [5, 6, 5, 18]
    assert swaps(1).places(rows) == [5, 6, 18]
    assert swaps(3).places(rows) == [5, 18]


@pytest.mark.parametrize("distance", [0, 1, 2, 3])
def test_filled_is_greedy(distance):
    objective, chosen = swaps(distance).objective, [4]
    for _ in range(2):
        apart = [k for k in range(len(POOL)) if all((POOL[k] != POOL[c]).sum() >= distance for c in chosen)]
        chosen.append(max(apart, key=lambda k: objective.value(POOL[[*chosen, k]])))
    assert swaps(distance).filled([4]) == chosen


def test_filled_repeats_what_is_best():
    assert swaps(tradeoff=0.0).filled([]) == [int(MODEL.score(POOL).argmax())] * 3


@pytest.mark.parametrize("tradeoff", [0.0, 1.0])  # without a diversity there are no groups
def test_filled_ends_if_nothing_fits(tradeoff):
    assert swaps(3, tradeoff, m=4).filled([]) is None  # three labels: only three labelings differ everywhere


@pytest.mark.parametrize(("distance", "lists"), [(0, combinations_with_replacement), (1, combinations)])
def test_settled_lists_are_better_and_no_swap_improves_them(distance, lists):
    tried = swaps(distance)
    value = tried.objective.value
    settled = tried.settled([26, 25, 24])  # poor ones
    assert value(POOL[settled]) > value(POOL[[26, 25, 24]])
    for t in range(3):
        others = settled[:t] + settled[t + 1 :]
        free = [k for k in range(len(POOL)) if distance == 0 or k not in others]
        assert value(POOL[settled]) >= max(value(POOL[[*others, k]]) for k in free) - 1e-9
    best = max(value(POOL[list(t)]) for t in lists(range(len(POOL)), 3))
    assert value(POOL[settled]) == pytest.approx(best)  # here, single swaps lead to the best list of all
    assert tried.settled(settled) == settled


DIVERSITIES = {
    "balls": lambda: hh.HammingBall(gamma=0.5),
    "linear Hamming": hh.LinearHamming,
    "labels": lambda: hh.LabelCoverage(ignore=()),
    "unique variables": lambda: hh.UniqueItems(hh.VariableCoverage()),
    "samples": lambda: hh.ExpectedBest(POOL[[1, 5, 20]]),
    "sum": lambda: hh.VariableCoverage() + 2.0 * hh.LabelCoverage(parsimony=0.0),
}


@pytest.mark.parametrize("diversity", DIVERSITIES.values(), ids=DIVERSITIES)
@pytest.mark.parametrize("seed", range(4))
def test_no_swap_improves_a_settled_list_of_any_model(seed, diversity):
    random = np.random.default_rng(seed)
    model = hh.FactorGraph(random.normal(size=(3, 3)), [[0, 1], [1, 2]], random.normal(size=(2, 3, 3)))
    objective = Objective(model, diversity(), 3.0)
    start = random.integers(0, len(POOL), 4).tolist()
    settled = Swaps(objective, Separation(), 4, POOL).settled(start)
    for t in range(4):
        others = settled[:t] + settled[t + 1 :]
        best = max(objective.value(POOL[[*others, k]]) for k in range(len(POOL)))
        assert objective.value(POOL[settled]) >= best - 1e-9
    assert objective.value(POOL[settled]) >= objective.value(POOL[start])


def test_a_pool_that_grows_is_the_same_as_one_given_whole():
    grown = Swaps(Objective(MODEL, hh.VariableCoverage(), 1.0), Separation(2), 3, POOL[:4])
    for k in range(4, len(POOL), 5):
        grown.add(POOL[k - 2 : k + 5])
    assert (grown.pool == POOL).all()
    assert grown.settled([0, 4, 8]) == swaps(2).settled([0, 4, 8])
