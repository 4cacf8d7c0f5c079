# SPDX-License-Identifier: BSD-3-Clause
"""Functions of counts, which relaxations and programs take apart: each promise against all subsets of a few members."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.potentials import (
    AgreementGains,
    BallCoverage,
    Cardinality,
    Clamped,
    Constant,
    CountFunction,
    KindWeights,
    LabelClasses,
    LabelWeights,
    Linear,
    RegionWeights,
    Table,
    Threshold,
    TransitionWeights,
)

SUBSETS = np.array(list(product([False, True], repeat=4)))
RANDOM = np.random.default_rng(0)
MODEL = hh.FactorGraph(np.zeros((4, 3)), [[0, 1], [1, 2], [2, 3], [0, 3]], 0.5)


class Root:
    """A concave function with a derivative."""

    def __call__(self, d):
        return np.sqrt(1.0 + d)

    def slope(self, d):
        return 0.5 / np.sqrt(1.0 + d)


def check_minorants(function, weights):
    """At each subset, what the members add is nowhere above the function, and as much as it there."""
    for now in SUBSETS:
        order, count = np.argsort(~now, kind="stable"), float(weights[now].sum())
        adds = np.empty(4)
        adds[order] = function.minorant(weights[order], count)
        constant = function.at(count) - adds[now].sum()
        assert (constant + SUBSETS @ adds <= function.at(SUBSETS @ weights) + 1e-9).all(), now


@pytest.mark.parametrize("weights", [np.ones(4), np.array([1.0, 2.0, 0.5, 1.5])])
@pytest.mark.parametrize("weight", [3.0, -3.0])
@pytest.mark.parametrize(("start", "width"), [(0, 1), (1, 1), (0, 3), (1, 2), (2, 4), (0.5, 0.25)])
def test_thresholds_have_tight_minorants(weight, start, width, weights):
    check_minorants(Threshold(weight, start, width), weights)


TABLES = {
    "concave": [0.0, 3.0, 5.0, 6.0, 6.5],
    "convex": [0.0, 0.5, 1.5, 3.0, 6.0],
    "falling": [2.0, 1.0, -1.0, -1.5, -6.0],
    "mixed": [0.0, 2.0, 1.0, 5.0, 4.0],
}


@pytest.mark.parametrize("unit", [1.0, 0.5])
@pytest.mark.parametrize("values", TABLES.values(), ids=TABLES)
def test_tables_have_tight_minorants(values, unit):
    check_minorants(Table(unit, np.array(values)), np.full(4, unit))


def test_smooth_functions_have_tight_minorants():
    _, function = Cardinality(np.zeros(4, int), Root(), weights=[1.0, 2.0, 0.5, 1.5], factor=2.0).function
    check_minorants(function, np.array([1.0, 2.0, 0.5, 1.5]))


@pytest.mark.parametrize("unit", [1.0, 0.5])
@pytest.mark.parametrize("values", TABLES.values(), ids=TABLES)
def test_lines_support_the_least_concave_function_above(values, unit):
    table, points = Table(unit, np.array(values)), unit * np.arange(5)
    above = table.above(points)
    assert (above >= values).all()
    assert (np.diff(above, n=2) <= 1e-12).all()
    assert set(np.flatnonzero(np.isclose(above, values))) >= {0, 4}
    slopes, offsets = table.lines(points)
    assert (slopes[:, None] * points + offsets[:, None] >= above - 1e-9).all()
    assert slopes * points + offsets == pytest.approx(above)
    concave, convex = table.convex_split
    assert concave + convex == pytest.approx(values)
    assert (np.diff(concave, n=2) <= 1e-12).all()
    assert (np.diff(convex, n=2) >= -1e-12).all()


def test_a_table_of_one_point_is_its_own_line():
    slopes, offsets = Table(1.0, np.array([7.0])).lines(np.zeros(2))
    assert slopes.tolist() == [0.0, 0.0]
    assert offsets.tolist() == [7.0, 7.0]


def test_a_concave_function_is_itself_between_the_points_of_its_table():
    weights, function = Cardinality(np.zeros(4, int), Root(), weights=[0.3, 0.2, 0.4, 0.1], factor=2.0).function
    places = np.array([0.0, 0.123456, 0.777])
    assert weights.tolist() == [0.3, 0.2, 0.4, 0.1]
    assert function.at(places) == pytest.approx(2.0 * np.sqrt(1.0 + places), rel=1e-14)
    assert function.above(places) == pytest.approx(2.0 * np.sqrt(1.0 + places), rel=1e-14)
    slopes, offsets = function.lines(places)
    assert slopes == pytest.approx(1.0 / np.sqrt(1.0 + places))
    assert slopes * places + offsets == pytest.approx(function.at(places))
    assert not function.has_all(np.ones(4))
    assert Cardinality(np.zeros(4, int), Root(), weights=[0.3, 0.2, 0.4, 0.1], factor=-2.0).function is None


def test_a_table_has_all_counts_of_whole_weights():
    table = Table(1.0, np.zeros(5))
    assert table.has_all(None)
    assert table.has_all(np.array([1.0, 2.0]))
    assert not table.has_all(np.array([1.0, 0.5]))
    assert not Table(0.5, np.zeros(5)).has_all(None)


POTENTIALS = [
    LabelWeights([1.0, -2.0, 0.0]),
    LabelWeights([1.0, -2.0, 3.0], min_share=0.5),
    KindWeights([-1, 0, 0], [1.5]),
    KindWeights([[0, 1, 2], [0, -1, 2], [2, 1, 0], [1, 1, 0]], [1.0, -2.0, 3.0], min_share=0.5),
    TransitionWeights([[0, 1.0, -2.0], [1.0, 0, 0], [-2.0, 0, 0]]),
    TransitionWeights(RANDOM.normal(size=(3, 3)), ordered=True),
    TransitionWeights(np.eye(3) + np.ones((3, 3)), equal=True),
    RegionWeights([[0, 1, 2, 3]], [[1.0, -2.0, 0.0]], robust=2),
    RegionWeights([[0, 1], [1, 2, 3]], [[1.0, 2.0, 0.5], [-1.0, 3.0, 0.0]]),
    Cardinality([0, 1, 2, 0], [0.0, 2.0, 1.0, 5.0, 4.0]),
    Cardinality([0, 1, 2, 0], [0.0, 2.0, 1.0, 5.0, 4.0, 1.0], weights=[2, 1, 1, 1], factor=-2.0),
    Cardinality([0, 1, 2, 0], Root(), weights=[0.5, 1.0, 0.2, 0.3]),
    AgreementGains(np.array([[0, 1, 2, 0], [1, 1, 0, 2]], np.int32), np.array([0.25, 1.0]), np.ones(4), 3.0),
    AgreementGains(np.array([[0, 1, 2, 0], [1, 1, 0, 2]], np.int32), np.array([0.0, 0.6]), np.arange(1.0, 5.0), -1.0),
]


@pytest.mark.parametrize("potential", POTENTIALS, ids=lambda p: type(p).__name__)
def test_functions_of_counts_add_up_to_the_potential(potential):
    every = hh.testing.all_labelings(MODEL)
    counts = potential.counts(MODEL)
    totals = [sum(float(c.function.at(c.count(c.codes.of(y)))) for c in counts) for y in every]
    assert totals == pytest.approx(potential.value(MODEL, every))
    assert np.ptp(totals) > 0


@pytest.mark.parametrize("potential", POTENTIALS, ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("factor", [2.0, -0.5])
def test_scaled_potentials_have_scaled_values(potential, factor):
    every = hh.testing.all_labelings(MODEL)
    assert potential.scaled(factor).value(MODEL, every) == pytest.approx(factor * potential.value(MODEL, every))


@pytest.mark.parametrize("potential", POTENTIALS, ids=lambda p: type(p).__name__)
def test_no_two_labelings_differ_by_more_than_the_span(potential):
    assert np.ptp(potential.value(MODEL, hh.testing.all_labelings(MODEL))) <= potential.span() + 1e-9


@pytest.mark.parametrize("held", [0, 2])
def test_agreements_lie_between_their_lines_on_the_labels_that_are_allowed(held):
    samples = np.array([[0, 1, 2, 0], [1, 1, 0, 2], [2, 2, 2, 2]], np.int32)
    gains = AgreementGains(samples, np.array([0.2, 0.5, 0.9]), np.array([1.0, 2.0, 3.0, 4.0]), 2.0)
    allowed = np.ones((4, 3), bool)
    allowed[:held] = [True, False, False]
    every = hh.testing.all_labelings(MODEL)
    every = every[allowed[np.arange(4), every].all(axis=1)]
    values, lines = gains.value(MODEL, every), gains.lines(MODEL)
    scores, constant = lines.above(allowed)
    above = scores[np.arange(4), every].sum(axis=1) + constant
    assert (above >= values - 1e-9).all()
    assert above.min() < values.max()
    for y, value in zip(every, values, strict=True):
        scores = lines.below(y)
        below = scores[np.arange(4), every].sum(axis=1)
        assert (below - scores[np.arange(4), y].sum() + value <= values + 1e-9).all()
    assert gains.scaled(-1.0).lines(MODEL) is None


def test_what_labels_leave_possible_bounds_agreements():
    gains = AgreementGains(np.array([[0, 1], [0, 0]], np.int32), np.zeros(2), np.array([1.0, 3.0]))
    for allowed, low, high in (
        ([[True, True], [True, True]], [0.0, 0.0], [1.0, 1.0]),
        ([[True, False], [True, True]], [0.25, 0.25], [1.0, 1.0]),
        ([[False, True], [False, True]], [0.75, 0.0], [0.75, 0.0]),
    ):
        found = gains.reachable(np.array(allowed))
        assert (found[0].tolist(), found[1].tolist()) == (low, high)
    alone = AgreementGains(np.array([[0, 0]], np.int32), np.zeros(1), np.ones(2))
    assert [x.tolist() for x in alone.reachable(np.ones((2, 1), bool))] == [[1.0], [1.0]]


CLASSES = LabelClasses(np.array([0, 1], np.int32), 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: RegionWeights([], np.zeros((0, 2))), "at least one region"),
        (lambda: RegionWeights([[0], []], np.zeros((2, 2))), "none may be empty"),
        (lambda: RegionWeights([[0, 0]], np.zeros((1, 2))), "names a variable twice"),
        (lambda: RegionWeights([[0.5]], np.zeros((1, 2))), "a region must be whole numbers"),
        (lambda: RegionWeights([[0]], np.zeros((2, 2))), r"mu must have shape \(1 regions, labels\); got \(2, 2\)"),
        (lambda: RegionWeights([[0]], [1.0, 2.0]), "mu must have shape"),
        (lambda: RegionWeights([[0]], [[np.inf, 2.0]]), "mu must be finite"),
        (lambda: RegionWeights([[0]], [[1.0, 2.0]], robust=0), "robust must be at least 1"),
        (lambda: RegionWeights([[0]], [[1.0, 2.0]]).value(MODEL, [0] * 4), r"one column per label \(3\)"),
        (lambda: RegionWeights([[0], [4]], np.zeros((2, 3))).value(MODEL, [0] * 4), r"region 1 .* outside 0\.\.3"),
        (lambda: RegionWeights([[-1]], np.zeros((1, 3))).value(MODEL, [0] * 4), "region 0 .* outside"),
        (lambda: KindWeights([[[0]]], [1.0]), "kinds must have shape"),
        (lambda: KindWeights([-2, 0], [1.0]), "kinds must be at least 0, or -1 for none; got -2"),
        (lambda: KindWeights([0, 2**31], [1.0]), r"kinds must be below 2\^31; got 2147483648"),
        (lambda: KindWeights([0, 1], [1.0]), r"kinds must be -1\.\.0, one weight each; got 1"),
        (lambda: KindWeights([0, 0], [1.0]).value(MODEL, [0] * 4), r"kinds must have shape \(3,\) or \(4, 3\)"),
        (lambda: LabelWeights([[1.0]]), "w must be one-dimensional"),
        (lambda: LabelWeights([1.0]).value(MODEL, [0] * 4), r"w must have one weight per label \(3\); got 1"),
        (lambda: TransitionWeights([1.0]), r"w must have shape \(L, L\)"),
        (lambda: TransitionWeights([[0.0, 1.0], [2.0, 0.0]]), "w must be symmetric"),
        (lambda: Threshold(np.inf, 0, 1), "a threshold needs a finite weight"),
        (lambda: Threshold(1.0, -1, 1), "start >= 0"),
        (lambda: Threshold(1.0, 0, 0), "width > 0"),
        (lambda: CountFunction(CLASSES, 0, np.array([1, 0, 1]), Threshold(1.0, 0, 1)), "one is named twice"),
        (lambda: CountFunction(CLASSES, 0, np.arange(2), Threshold(1.0, 0, 1), -np.ones(2)), "nonnegative"),
        (lambda: CountFunction(CLASSES, 0, np.arange(2), Threshold(1.0, 0, 1), np.ones(3)), "one per member"),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_transitions_are_counted_on_the_edges_of_each_model():
    weights, y = TransitionWeights([[0, 1.0], [1.0, 0]]), np.array([0, 1, 1])
    for edges, carried in (([[0, 1], [1, 2]], 1.0), ([[1, 2]], 0.0), ([[0, 2]], 1.0)):
        model = hh.FactorGraph(np.zeros((3, 2)), edges, 0.5)
        (count,) = weights.counts(model)
        assert count.count(count.codes.of(y)) == carried
        assert weights.counts(model) is weights.counts(model)


def test_a_small_factor_leaves_a_function_concave():
    (weights, table) = Cardinality(np.zeros(2, int), Root(), weights=[0.5, 0.25], factor=0.5).function
    assert weights.tolist() == [0.5, 0.25]
    assert table.at(np.array([0.75])) == pytest.approx(0.5 * np.sqrt(1.75))


def test_a_clamped_sum_of_bounds_is_a_bound():
    many = np.random.default_rng(1).integers(0, 3, (24, 4))  # too many balls to be counted exactly
    union = BallCoverage(many, np.full(4, 0.05), 9.0)
    clamped, every = Clamped([union, Constant(-0.3)]), hh.testing.all_labelings(MODEL)
    values, upper = clamped.values(MODEL, every), clamped.upper(MODEL, every)
    assert upper == pytest.approx(np.maximum(0.0, union.upper(MODEL, every) - 0.3))
    assert (values < upper).any()
    assert (values <= upper).all()


def test_potentials_are_multiplied_by_factors_that_are_not_negative():
    assert (2.0 * LabelWeights([1.0, 2.0])).w.tolist() == [2.0, 4.0]
    with pytest.raises(ValueError, match="a potential's factor must be >= 0 and finite; got -1"):
        -1.0 * LabelWeights([1.0, 2.0])
    with pytest.raises(ValueError, match=r"times 1e\+300 overflows"):
        1e300 * LabelWeights([1.0, 1e10])


def test_what_is_forbidden_stays_forbidden_whatever_the_factor():
    for factor in (0.0, 2.0):
        assert (factor * Linear([[1.0, -np.inf]])).theta.tolist() == [[factor, -np.inf]]


def test_members_may_come_in_any_order():
    count = CountFunction(CLASSES, 1, np.array([2, 0]), Threshold(1.0, 0, 1), np.array([2.0, 3.0]))
    assert count.count(np.array([1, 1, 0])) == 3.0
    assert count.total == 5.0


def test_reach_of_functions_of_a_distance():
    reference, falling = [0, 1, 0], lambda d: -np.sqrt(d)
    table = Cardinality(reference, falling)
    assert table.span() == np.inf
    assert table.reach() == pytest.approx(np.sqrt(3.0))
    assert Cardinality(reference, lambda d: np.abs(d - 2.0)).reach() == 2.0  # at 0 and at 2
    assert Cardinality(reference, falling, weights=[1.0, 2.0, 0.5]).reach() == np.inf  # nobody knows what is between
    decay = hh.HammingBall(gamma=0.3, weights=[1.0, 2.0, 0.5], steer="sum")
    [smooth] = decay.potentials(hh.FactorGraph(np.zeros((3, 2))), np.array([reference]))
    assert smooth.reach() == pytest.approx(1.0 - np.exp(-0.3 * 3.5))
