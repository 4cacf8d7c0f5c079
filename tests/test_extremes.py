# SPDX-License-Identifier: BSD-3-Clause
"""Inputs at the edge: nothing crashes, memory follows what is there, and every refusal is a sentence."""

import tracemalloc
from itertools import pairwise, product

import numpy as np
import pytest

import hedgehop as hh

MODEL = hh.FactorGraph([[1.0, 0.0, 0.5]] * 3)
DIVERSITIES = [
    hh.LabelCoverage(),
    hh.HammingBall(gamma=1.0),
    hh.VariableCoverage(),
    hh.LinearHamming(),
    hh.RegionCoverage([[0, 1]]),
    hh.GroupCoverage(lambda y: [int(y.sum())]),
]


def peak(work):
    """Bytes that numpy and Python hold at most while work() runs."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("method", ["greedy", "distorted"])
@pytest.mark.parametrize("diversity", DIVERSITIES, ids=lambda d: type(d).__name__)
def test_no_diversity_at_all(diversity, method):
    found = hh.diverse(MODEL, 0 * diversity, m=3, tradeoff=2.0, method=method, distinct=False)
    assert (found.labelings == 0).all()
    assert found.objective == found.upper_bound == 9.0
    assert found.guarantee == 1.0


def test_a_term_without_weight_changes_nothing():
    mixed = hh.diverse(MODEL, 0 * hh.LinearHamming() + hh.HammingBall(gamma=1.0), m=3, tradeoff=3.0, certify=False)
    plain = hh.diverse(MODEL, hh.HammingBall(gamma=1.0), m=3, tradeoff=3.0, certify=False)
    assert np.array_equal(mixed.labelings, plain.labelings)
    assert mixed.upper_bound == pytest.approx(plain.upper_bound)


def test_a_portfolio_without_tradeoffs_is_the_best_labelings():
    found = hh.portfolio(MODEL, [hh.VariableCoverage(), hh.HammingBall(gamma=1.0)], m=4, tradeoff=0.0)
    assert found.relevance.tolist() == [3.0, 2.5, 2.5, 2.5]
    assert found.upper_bound == pytest.approx(12.0)


@pytest.mark.parametrize("oracle", ["auto", "exhaustive"])
@pytest.mark.parametrize("diversity", [*DIVERSITIES, hh.TransitionCoverage()], ids=lambda d: type(d).__name__)
def test_one_row_with_one_labeling(diversity, oracle):
    scores = np.full((1, 3, 2), -np.inf)
    scores[..., 0] = 1.0
    found = hh.diverse(hh.Grid(scores), diversity, m=2, oracle=oracle, distinct=False)
    assert found.labelings.tolist() == [[[0, 0, 0]]] * 2
    with pytest.warns(UserWarning, match="only 1 of 2"):
        assert len(hh.diverse(hh.Grid(scores), diversity, m=2, oracle=oracle, distinct=True)) == 1


@pytest.mark.parametrize("shape", [(1, 9, 3), (9, 1, 3), (1, 1, 9, 3)])
@pytest.mark.parametrize("further", [{}, {"tradeoff": 1.0}, {"distinct": True, "tradeoff": 0.3}])
def test_a_strip_of_pixels_is_a_chain(shape, further):
    """A row of labels is one labeling of a one-row grid, and many labelings of no other."""
    scores = np.random.default_rng(0).normal(size=(9, 3))
    chain = hh.Chain(scores, 0.3 * np.eye(3) - 0.3)
    expected = hh.diverse(chain, m=3, **{"distinct": False, **further})
    found = hh.diverse(hh.Grid(scores.reshape(shape), 0.3), m=3, **{"distinct": False, **further})
    assert np.array_equal(found.labelings.reshape(3, 9), expected.labelings)
    assert found.certify(4).upper_bound == pytest.approx(expected.certify(4).upper_bound)
    assert found.improve(4).objective == pytest.approx(expected.improve(4).objective)


def test_numpy_copies_no_scores_again():
    scores, n, labels = np.zeros((64, 64, 20)), 64 * 64, 20  # the one copy is made by the core, which is not counted
    right, down = np.ones((64, 63)), np.ones((63, 64))
    assert peak(lambda: hh.Grid(scores, [right, down])) < 0.1 * scores.nbytes
    models = []
    assert peak(lambda: models.append(hh.FactorGraph(scores.reshape(n, labels)))) < 0.1 * scores.nbytes
    rows = np.zeros((3, n), np.int32)
    assert peak(lambda: hh.LinearHamming().potentials(models[0], rows)) < 0.1 * scores.nbytes


def test_memory_follows_the_kinds_that_are_there():
    far, near = hh.KindCoverage([[0, 10**9], [5, -1]]), hh.KindCoverage([[0, 2], [1, -1]])
    model = hh.FactorGraph([[1.0, 0.5], [0.3, 0.0]])
    lists = []
    assert peak(lambda: lists.append(hh.diverse(model, far, m=3, tradeoff=2.0))) < 5e7
    assert far.n_kinds == near.n_kinds == 3
    assert np.array_equal(lists[0].labelings, hh.diverse(model, near, m=3, tradeoff=2.0).labelings)
    with pytest.raises(ValueError, match="kinds must be below 2\\^31; got 1099511627776"):
        hh.KindCoverage([0, 2**40])


@pytest.mark.parametrize(
    ("arcs", "finals", "start"), [([(0, 10**9, 0)], [10**9], 0), ([(0, 1, 10**9)], [1], 0), ([(0, 1, 0)], [1], 10**9)]
)
def test_automata_do_not_make_room_for_numbers_nobody_uses(arcs, finals, start):
    with pytest.raises(
        ValueError, match=r"must be numbered 0, 1, 2, \.\.\.; got 1000000001 (states|symbols) for [12] arcs"
    ):
        hh.Automaton(arcs, [1.0], finals, start)


@pytest.mark.parametrize("node", [2, 10**9])
def test_nodes_that_nobody_names(node):
    edges, weights = [[0, 1], [1, node]], [1.0, 2.0]
    if node > 2:
        with pytest.raises(hh.InfeasibleError, match="node 2 cannot be reached"):
            hh.SpanningTree(edges, weights)
        with pytest.raises(hh.InfeasibleError, match="node 2 has no allowed edge"):
            hh.GraphMatching(edges, weights, perfect=True)
    matching = hh.GraphMatching(edges, weights)
    assert peak(lambda: matching.score([[0, 1], [1, 0]])) < 1e6
    assert matching.score([1, 1]) == -np.inf
    assert hh.best(matching).labeling.tolist() == [0, 1]
    assert hh.best(matching, oracle="exhaustive").value == 2.0


def test_node_numbers_beyond_all_arrays():
    for structure in (hh.SpanningTree, hh.GraphMatching):
        with pytest.raises(ValueError, match="nodes must be below 2\\^31; got 1099511627776"):
            structure([[0, 2**40]], [1.0])
    with pytest.raises(hh.InfeasibleError, match="node 0 cannot be joined"):
        hh.SpanningTree([[1, 2]], [1.0], n_nodes=10**9)


def test_transitions_of_very_many_labels():
    random = np.random.default_rng(0)
    model = hh.FactorGraph(random.random((3, 150)), [[0, 1], [1, 2]], 0.1)
    for ordered in (False, True):
        diversity = hh.TransitionCoverage(ordered=ordered)
        lists = []
        assert (
            peak(lambda d=diversity, to=lists: to.append(hh.diverse(model, d, m=2, tradeoff=1.0, certify=False))) < 1e8
        )
        assert lists[0].distinct == 2


@pytest.mark.parametrize("ordered", [False, True])
def test_few_and_many_edges_value_transitions_alike(ordered):
    """Pairs are sorted where there are more pairs than edges, else counted."""
    random = np.random.default_rng(1)
    w = random.normal(size=(4, 4))
    for n, equal in product((4, 40), (False, True)):
        weights = hh.potentials.TransitionWeights(w if ordered else w + w.T, ordered, equal)
        chain = hh.Chain(np.zeros((n, 4)), np.zeros((4, 4)))
        labelings = random.integers(0, 4, (20, n))
        for y, value in zip(labelings, weights.value(chain, labelings), strict=True):
            pairs = {(a, b) if ordered else (min(a, b), max(a, b)) for a, b in pairwise(y) if equal or a != b}
            assert value == pytest.approx(sum(weights.w[p] for p in pairs))


@pytest.mark.parametrize("scale", [1e-300, 1e-15, 1.0, 1e300])
def test_convex_h_is_refused_at_every_scale(scale):
    with pytest.raises(ValueError, match="h must be concave"):
        hh.VariableCoverage(h=lambda k: scale * k * (1.0 + 1e-13 * k))
    with pytest.raises(ValueError, match="h must be nondecreasing"):
        hh.VariableCoverage(h=lambda k: scale * k * (1.0 - 0.04 * k))
    for h in (lambda k: scale * k, lambda k: scale * 0.1 * k * 0.3, lambda k: scale * np.log1p(k) / np.log(2.0)):
        hh.VariableCoverage(h=h)


@pytest.mark.parametrize("tradeoff", [np.inf, np.nan, -1.0])
def test_a_tradeoff_that_is_no_factor(tradeoff):
    with pytest.raises(ValueError, match="tradeoff must be >= 0 and finite"):
        hh.diverse(MODEL, hh.HammingBall(gamma=1.0), tradeoff=tradeoff)


@pytest.mark.parametrize("diversity", DIVERSITIES[1:4], ids=lambda d: type(d).__name__)
def test_an_enormous_tradeoff(diversity):
    found = hh.diverse(MODEL, diversity, m=3, tradeoff=1e300)
    assert np.isfinite(found.objective)
    assert found.objective <= found.upper_bound
    with pytest.raises(ValueError, match="or F overflows; got 1e\\+308"):
        hh.diverse(MODEL, diversity, m=3, tradeoff=1e308)


def test_a_list_whose_value_overflows_is_refused_in_words():
    weighted = hh.VariableCoverage(weights=np.full(MODEL.n_variables, 1.9e8 / MODEL.n_variables))
    with pytest.raises(ValueError, match=r"relevance \+ 1e\+300 \* diversity is too large for floating-point numbers"):
        hh.diverse(MODEL, weighted, m=2, tradeoff=1e300)


@pytest.mark.parametrize(
    "name", ["accuracy", "oracle_accuracy", "iou", "mean_iou", "oracle_iou", "confusion", "coverage"]
)
def test_metrics_of_nothing(name):
    metric = getattr(hh.metrics, name)
    with pytest.raises(ValueError, match="truth must hold at least one variable"):
        metric([[]], [])
    with pytest.raises(ValueError, match="labelings must hold at least one labeling"):
        metric(np.zeros((0, 2), int), [0, 1])


def test_metrics_of_odd_shapes():
    with pytest.raises(ValueError, match="labelings must hold at least one labeling of one variable"):
        hh.metrics.distances(np.zeros((0, 2), int))
    with pytest.raises(ValueError, match="counts must have shape"):
        hh.metrics.iou_of([])
    with pytest.raises(ValueError, match="few enough for a table of all pairs; got label 1000000000"):
        hh.metrics.iou([[0, 10**9]], [0, 1])


def test_labels_that_cannot_be_learned():
    svm, x = hh.learning.StructuredSVM(), [np.ones((3, 2))]
    with pytest.raises(ValueError, match=r"y must hold labels 0, 1, 2, \.\.\.; got -1"):
        svm.fit(x, [[0, -1, 1]])
    with pytest.raises(ValueError, match="y must hold labels below 65536; got 1000000000"):
        svm.fit(x, [[0, 10**9, 1]])


def test_strokes_that_would_be_ignored():
    check = pytest.importorskip("hedgehop.segmentation.scribbles").check_scribbles
    with pytest.raises(ValueError, match="0, unknown, or name labels"):
        check([[0, 1, 2, -1]], (1, 4))
    with pytest.raises(ValueError, match="must leave pixels to label"):
        check([[1, 1, 2, 2]], (1, 4))


@pytest.mark.parametrize("scale", [1e-323, 1e-315, 1e-309])
def test_scores_next_to_nothing_do_no_harm(scale):
    """Below 2^-1022 numbers lose their digits, and the factor that would make them ordinary is beyond all numbers."""
    model = hh.FactorGraph(scale * np.array([[3.0, 0.0], [0.0, 5.0], [4.0, 0.0]]), [[0, 1], [1, 2]], scale)
    found = hh.diverse(model, hh.VariableCoverage(), 2, tradeoff=2.0 * scale)
    assert found.labelings[0].tolist() == [0, 1, 0]
    assert found.objective <= found.upper_bound


@pytest.mark.parametrize("tradeoff", [1e-320, 1e-300, 1e300])
@pytest.mark.parametrize(
    "diversity", [hh.VariableCoverage(), hh.HammingBall(gamma=0.5), hh.LabelCoverage(), hh.TransitionCoverage()]
)
def test_tradeoffs_at_the_ends_of_the_doubles(diversity, tradeoff):
    random = np.random.default_rng(0)
    found = hh.diverse(hh.Chain(random.normal(size=(6, 3)), np.eye(3)), diversity, 3, tradeoff)
    assert found.distinct == 3
    assert np.isfinite(found.objective)
    assert found.objective <= found.upper_bound
