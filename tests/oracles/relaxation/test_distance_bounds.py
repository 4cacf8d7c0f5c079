# SPDX-License-Identifier: BSD-3-Clause
"""Slopes for Hamming distances: bounds, minorants and searches against enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from scipy.optimize import linprog
from tests.draws import draws, random_model

import hedgehop as hh
from hedgehop import _core
from hedgehop.oracles import Exhaustive, GraphCut, Lagrangian, Tree, Trws
from hedgehop.oracles.relaxation.distance_terms import DistanceTerms
from hedgehop.oracles.relaxation.local_search import moves_of
from hedgehop.potentials import BallCoverage, BallUnion, Cardinality, LabelWeights, Linear, total_value
from hedgehop.potentials.count_functions import Table

few = settings(max_examples=40, deadline=None, derandomize=True)


def random_potentials(random, n, labels):
    chosen = np.unique(random.integers(0, labels, (int(random.integers(1, 6)), n)), axis=0)
    decay = random.random(n) * 0.6 if random.random() < 0.4 else np.full(n, 0.3)
    whole = random.integers(0, 3, n)
    menu = [
        BallCoverage(chosen, decay, 5.0),
        BallUnion(chosen, int(random.integers(1, 3)), labels, 5.0),
        Cardinality(chosen[0], random.normal(size=n + 1) * 3),
        Cardinality(chosen[-1], -6.0 * np.exp(-0.5 * np.arange(n + 1))),
        Cardinality(chosen[-1], 3.0 * np.sqrt(np.arange(whole.sum() + 1.0)), whole),
        BallCoverage(chosen, decay, 2.0).pair(chosen[0]),
    ]
    picked = random.choice(len(menu), size=int(random.integers(1, 4)), replace=False)
    return [*(menu[k] for k in picked), Linear(random.normal(size=(n, labels)))]


@pytest.mark.parametrize("inner", [None, Exhaustive(), Trws(), Trws(iterations=2), Tree(), GraphCut()])
@few
@given(random=draws())
def test_step_is_bounded_and_says_what_it_is(inner, random):
    labels = 2 if isinstance(inner, GraphCut) else int(random.integers(1, 4))
    n = int(random.integers(1, 6))
    model = random_model(random, n, labels, tree=isinstance(inner, Tree))
    hh.testing.check_oracle(
        Lagrangian(calls=int(random.integers(1, 12)), inner=inner), model, random_potentials(random, n, labels)
    )


@few
@given(random=draws())
def test_bound_of_one_distance_is_the_concave_closure(random):
    """Scalar slopes lose nothing: the bound is the best mixture of labelings under the concave envelope."""
    n = 5
    model = hh.FactorGraph(random.normal(size=(n, 2)), [[0, 1], [1, 2], [3, 4]], random.random(3))
    table = -4.0 * np.exp(-0.7 * np.arange(n + 1)) if random.integers(2) else random.normal(size=n + 1) * 2
    potential = Cardinality(random.integers(0, 2, n), table)
    step = hh.best(model, potential, Lagrangian(calls=40, tolerance=0.0, inner=Exhaustive()))
    every = hh.testing.all_labelings(model)
    distances = (every != potential.reference).sum(axis=1)
    lines = [(b - a, a - (b - a) * k) for k, (a, b) in enumerate(itertools.pairwise(Table(1.0, table).envelope))]
    rows = [np.append(-slope * distances, 1.0) for slope, _ in lines]  # value <= offset + slope * mean distance
    best = linprog(
        -np.append(model.score(every), 1.0), A_ub=rows, b_ub=[offset for _, offset in lines],
        A_eq=[np.append(np.ones(len(every)), 0.0)], b_eq=[1.0], bounds=[(0, None)] * len(every) + [(None, None)],
    )  # fmt: skip
    assert step.upper_bound >= -best.fun - 1e-7
    assert step.upper_bound == pytest.approx(-best.fun, abs=0.02)


@few
@given(random=draws())
def test_slopes_at_the_own_distances_prove_the_optimum(random):
    """The optimality test: a maximiser of the linear model whose slopes support the curves at its own distances."""
    n = 6
    model = hh.FactorGraph(random.normal(size=(n, 2)))
    references = random.integers(0, 2, (2, n))
    table = -3.0 * np.exp(-0.5 * np.arange(n + 1))
    every = hh.testing.all_labelings(model)
    values = model.score(every) + sum(Cardinality(r, table).value(model, every) for r in references)
    for k in random.integers(0, len(every), 8):
        d = (every[k] != references).sum(axis=1)
        steps = np.concatenate([[np.inf], np.diff(table), [-np.inf]])
        slopes = np.clip(random.random(2), np.maximum(steps[d + 1], -9), np.minimum(steps[d], 9))
        linear = model.score(every) + (every[:, None] != references).sum(axis=2) @ slopes
        if linear[k] >= linear.max():
            assert values[k] >= values.max() - 1e-9


@few
@given(random=draws())
def test_minorant_is_below_and_tight(random):
    n = 6
    whole = random.integers(0, 3, n).astype(float)
    which = random.integers(3)
    weights = [np.ones(n), whole, random.random(n)][which]
    size = int(weights.sum()) + 1
    if which == 2:
        ball = BallCoverage(np.zeros((1, n), int), weights).pair(np.zeros(n, np.int32))
        curve, function = DistanceTerms([ball]).functions[0], lambda d: -np.expm1(-d)
    else:
        table = random.normal(size=size) if random.random() < 0.5 else np.sqrt(np.arange(size))
        curve, function = Table(1.0, table), lambda d: table[np.round(d).astype(int)]
    differs = random.random(n) < 0.5
    order = np.argsort(~differs, kind="stable")
    bonus = np.empty(n)
    bonus[order] = curve.minorant(weights[order], float(weights[differs].sum()))
    sets = np.array(list(itertools.product([False, True], repeat=n)))
    above = function(sets @ weights) - function(np.zeros(1)) - sets @ bonus
    now = float(function(np.array([weights[differs].sum()]))[0] - function(np.zeros(1))[0] - bonus[differs].sum())
    assert now == pytest.approx(above.min(), abs=1e-9)  # touches where it was made, up to one constant


@few
@given(random=draws())
def test_ascent_never_loses(random):
    n, labels = 7, int(random.integers(2, 4))
    model = random_model(random, n, labels)
    moves = moves_of(model)
    references = random.integers(0, labels, (2, n)).astype(np.int32)
    curves = [Cardinality(r, random.normal(size=n + 1) * 2) for r in references]
    core, one = DistanceTerms(curves).core, np.ones(2)
    every = hh.testing.all_labelings(model)
    allowed = every[np.isfinite(model.score(every))]
    unary = np.ascontiguousarray(model.unary, float)
    x, y = allowed[random.integers(0, len(allowed), 2)]

    def value(z):
        return float(model.score(z)) + float(total_value(model, curves, z[None])[0])

    assert value(moves.improve(unary, core, one, x, 10)) >= value(x) - 1e-9
    mixed = moves.mix(unary, core, one, x, y)
    assert value(mixed) >= max(value(x), value(y) if (x != y).sum() == 1 else -np.inf) - 1e-9
    assert ((mixed == x) | (mixed == y)).all()


@pytest.mark.parametrize("labels", [2, 3, 4])
@few
@given(random=draws())
def test_union_views_are_above_the_gain(labels, random):
    """Every view, and the plane at any mixture's mean distances, is an upper bound at every labeling."""
    n = 5
    model = hh.FactorGraph(np.zeros((n, labels)))
    every = hh.testing.all_labelings(model)
    base = every[random.integers(len(every))]
    flips = random.random((int(random.integers(1, 7)), n)) < 0.4
    chosen = np.unique(np.where(flips, random.integers(0, labels, flips.shape), base), axis=0)
    decay = random.random(n) if random.integers(2) else np.full(n, float(random.choice([0.05, 0.4])))
    ball = BallCoverage(chosen, decay, 2.0)
    terms = DistanceTerms([ball])
    met = every[random.integers(0, len(every), 5)]
    scores = random.normal(size=5)
    gains, distances = ball.value(model, every), terms.core.distances(every)
    mixture = random.dirichlet(np.ones(3)) @ terms.core.distances(every[random.integers(0, len(every), 3)])
    for view in (terms.bounding(scores, terms.core.distances(met)), terms.steering(met[0], distances[0])):
        slopes, offset = terms.lines(view, np.ascontiguousarray(mixture))
        assert (view.constant + offset + distances @ slopes >= gains - 1e-9).all()
        theta = terms.core.linear(slopes, labels)
        assert Linear(theta).value(model, every) == pytest.approx(distances @ slopes)


def test_two_balls_and_two_labels_have_no_gap_but_that_of_slopes():
    """For two labels the bound on a union of two is the gain itself, at every labeling."""
    random = np.random.default_rng(0)
    for _ in range(20):
        model = hh.FactorGraph(np.zeros((6, 2)))
        every = hh.testing.all_labelings(model)
        chosen = every[random.choice(len(every), 2, replace=False)]
        ball = BallCoverage(chosen, random.random(6), 3.0)
        terms = DistanceTerms([ball])
        met = every[[k for k in range(len(every)) if (every[k] != chosen).any(axis=1).all()]]
        k = random.integers(len(met))
        view = terms.bounding(np.where(np.arange(len(met)) == k, 9.0, 0.0), terms.core.distances(met))
        distances = terms.core.distances(met[k : k + 1])
        slopes, offset = terms.lines(view, distances[0])
        assert view.constant + offset + distances[0] @ slopes == pytest.approx(ball.value(model, met[k]), abs=1e-2)


@few
@given(random=draws())
def test_shares_are_tight_where_they_are_made(random):
    n = 6
    model = hh.FactorGraph(np.zeros((n, 3)))
    y = random.integers(0, 3, n).astype(np.int32)
    for members in (4, 23):
        chosen = np.unique(random.integers(0, 3, (members, n)), axis=0).astype(np.int32)
        chosen = chosen[(chosen != y).any(axis=1)]
        assume(len(chosen) > 0)
        ball = BallCoverage(chosen, np.full(n, 0.4))
        terms = DistanceTerms([ball]).by_potential[0]
        distances = (chosen != y).sum(axis=1).astype(float)
        shares = terms.shares(y, distances)
        assert ((shares >= 0) & (shares <= 1)).all()
        assert 1.0 - shares @ terms.overlaps(distances) == pytest.approx(ball.value(model, y), abs=1e-9)


def test_common_part_of_three_balls():
    """The decay of the union of two differences, and the bound on what three balls share."""
    random = np.random.default_rng(1)
    for _ in range(300):
        n, labels = 7, int(random.integers(2, 4))
        y, a, b = random.integers(0, labels, (3, n))
        decay = random.random(n)
        d, e, h = decay @ (y != a), decay @ (y != b), decay @ (a != b)
        f = decay @ ((a != b) & (y != a) & (y != b))
        common = np.exp(-decay @ ((y != a) | (y != b)))
        assert common == pytest.approx(np.exp(-(d + e + h - f) / 2))
        limit = np.exp(-(d + e + h) / 2) + np.exp(-h) * (1 - np.exp(-f / 2))
        assert common - 1e-12 <= limit <= np.exp(-h) + 1e-12
        if labels == 2:
            assert limit == pytest.approx(common)


def test_second_step_contains_minimum_bisection():
    """Why the step is hard. The best second labeling is a minimum bisection."""
    random = np.random.default_rng(2)
    n = 6
    for _ in range(5):
        edges = [(i, j) for i in range(n) for j in range(i + 1, n) if random.random() < 0.6]
        far = 4.0 * n**2 * len(edges)
        cost = far / n * np.exp(-0.5)
        model = hh.FactorGraph(np.tile([0.0, -cost], (n, 1)), edges, np.ones(len(edges)))
        step = hh.best(model, Cardinality([0] * n, -far * np.exp(-np.arange(n + 1) / n)), "exhaustive")
        every = hh.testing.all_labelings(model)
        cut = (every[:, [i for i, _ in edges]] != every[:, [j for _, j in edges]]).sum(axis=1)
        assert step.labeling.sum() == n // 2
        here = (step.labeling[[i for i, _ in edges]] != step.labeling[[j for _, j in edges]]).sum()
        assert here == cut[every.sum(axis=1) == n // 2].min()


@pytest.mark.parametrize("ball", [
    hh.HammingBall(gamma=0.02), hh.HammingBall(gamma=0.02, steer="sum"), hh.HammingBall(radius=20),
    hh.HammingBall(gamma=0.02, weights=np.linspace(0.5, 1.5, 400)),
], ids=["smooth", "sum", "exact", "weighted"])  # fmt: skip
@pytest.mark.parametrize("labels", [2, 4])
def test_lists_on_a_large_grid(ball, labels):
    random = np.random.default_rng(3)
    grid = hh.Grid(random.normal(size=(20, 20, labels)), 0.6)
    found = hh.diverse(grid, ball, m=4, tradeoff=60.0)
    assert found.objective <= found.upper_bound
    assert (found.gains <= found.bounds).all()
    assert set(found.oracles[1:]) == {"lagrangian"}
    assert found.distinct == 4
    again = hh.diverse(grid, ball, m=4, tradeoff=60.0)
    assert np.array_equal(found.labelings, again.labelings)
    if ball.gamma and ball.steer == "exact":
        assert found.bounds[1] - found.gains[1] <= 0.02 * 60.0
        assert found.bounds[2] - found.gains[2] <= 0.1 * 60.0


@few
@given(random=draws())
def test_never_worse_than_messages(random):
    """Where the gap is wide, the labelings that messages decode to are among the candidates."""
    n, labels = int(random.integers(2, 9)), int(random.integers(2, 4))
    model = random_model(random, n, labels)
    chosen = np.unique(random.integers(0, labels, (3, n)), axis=0)
    potentials = [BallCoverage(chosen, np.full(n, 0.3), 5.0), Linear(random.normal(size=(n, labels)))]
    slopes, messages = (hh.best(model, potentials, oracle) for oracle in ("slopes", "messages"))
    assert slopes.value >= messages.value - 0.01 * 5.0


def test_balls_beside_label_costs():
    """What is no distance goes to the inner oracle: expansion moves here."""
    random = np.random.default_rng(4)
    grid = hh.Grid(random.normal(size=(15, 15, 4)), 0.4)
    reference = hh.best(grid).labeling.reshape(-1)
    costs = LabelWeights([0.0, -5.0, -5.0, -5.0])
    step = hh.best(grid, [costs, Cardinality(reference, -40.0 * np.exp(-0.03 * np.arange(226)))])
    assert step.oracle == "lagrangian"
    assert step.value <= step.upper_bound
    found = hh.diverse(grid, hh.HammingBall(gamma=0.03) + hh.LabelCoverage(), m=3, tradeoff=20.0)
    assert found.objective <= found.upper_bound


def test_refusals():
    model = hh.FactorGraph(np.zeros((3, 2)))
    slopes = Lagrangian()
    assert "no potential is a function of distances" in slopes.refusal(model, [])
    assert "every count" in slopes.refusal(model, [Cardinality([0, 0, 0], [-np.inf] * 4)])
    assert "slope" in slopes.refusal(model, [Cardinality([0, 0, 0], np.sqrt, weights=[0.1, 0.2, 0.3])])
    assert "positive" in slopes.refusal(model, [BallCoverage([[0, 0, 0]], np.ones(3), -1.0)])
    with pytest.raises(ValueError, match="calls must be at least 1"):
        Lagrangian(calls=0)


def test_kernels_refuse_what_does_not_fit():
    reference = np.zeros((1, 3), np.int32)
    terms = _core.counts.DistanceTerms(reference, [None], [None], [np.zeros(4)], np.ones(1))
    with pytest.raises(ValueError, match="columns"):
        terms.distances(np.zeros((1, 2), np.int32))
    with pytest.raises(ValueError, match="slopes"):
        terms.linear(np.zeros(2), 2)
    with pytest.raises(ValueError, match="units"):
        _core.counts.DistanceTerms(reference, [None], [None], [np.zeros(4)], np.zeros(1))
    moves = _core.local.DistanceMoves(_core.Pairs.potts((3, 2), np.array([[0, 1]], np.int32), np.ones(1)))
    with pytest.raises(ValueError, match="labeling"):
        moves.improve(np.zeros((3, 2)), terms, np.ones(1), np.array([0, 0, 2], np.int32), 1)
    with pytest.raises(ValueError, match="labeling"):
        moves.explore(np.zeros((3, 2)), terms, np.ones(1), np.array([0, 0, 2], np.int32), 1)
    with pytest.raises(ValueError, match="unary"):
        moves.mix(np.zeros((2, 2)), terms, np.ones(1), np.zeros(3, np.int32), np.zeros(3, np.int32))
    with pytest.raises(ValueError, match="between"):
        _core.counts.union_weights(np.zeros(1), np.zeros((1, 2)), np.zeros((1, 2)), np.zeros((0, 4)))
