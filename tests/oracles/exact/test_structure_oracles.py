# SPDX-License-Identifier: BSD-3-Clause
"""Trees, matchings and parses: the solvers against enumeration, and the claims of docs/theory.md 10."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
import time

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree
from tests.conformance.structures import STRUCTURES, Dice, dice

import hedgehop as hh
from hedgehop.potentials import Cardinality, Constant, Linear

few = settings(max_examples=25, deadline=None, derandomize=True)
NAMES = {
    "spanning_tree": "spanning_tree", "graph_matching": "graph_matching", "perfect_matching": "graph_matching",
    "matching": "matching", "partial_matching": "matching",
}  # fmt: skip
K5 = list(itertools.combinations(range(5), 2))


def own_oracle(structure):
    return hh.oracles.get(NAMES.get(structure, "arborescence"))


def change(d: Dice, model: hh.Model, gaps: float) -> Linear:
    theta = d.scores(model.n_variables, int(model.label_counts.max()))
    theta[d.random.random(theta.shape) < gaps] = -np.inf
    return Linear(theta)


def feasible(model):
    every = hh.testing.all_labelings(model)
    return every[np.isfinite(model.score(every))]


@pytest.mark.parametrize("structure", [*NAMES, "arborescence", "relations"])
@few
@given(d=dice(), gaps=st.sampled_from([0.0, 0.2, 0.5]))
def test_forbidden_and_forced_labels(structure, d, gaps):
    """What Lawler's partition asks for: any labels forbidden, perhaps all of a variable's."""
    model, oracle = STRUCTURES[structure](d), own_oracle(structure)
    linear = change(d, model, gaps)
    values = model.score(feasible(model)) + linear.value(model, feasible(model))
    if np.isneginf(values).all():
        for solver in (oracle, hh.oracles.get("ilp")):
            with pytest.raises(hh.InfeasibleError):
                hh.best(model, [linear], solver)
        return
    step = hh.best(model, [linear, Constant(2.0)], oracle)
    assert step.exact
    assert step.value == pytest.approx(values.max() + 2.0)
    assert hh.best(model, [linear]).oracle == oracle.name


@few
@given(d=dice(), gaps=st.sampled_from([0.0, 0.2]))
def test_max_marginals_of_spanning_trees(d, gaps):
    model = STRUCTURES["spanning_tree"](d)
    linear = change(d, model, gaps)
    trees = feasible(model)
    values = model.score(trees) + linear.value(model, trees) + 1.5
    marginals = hh.oracles.get("auto").max_marginals(model, [linear, Constant(1.5)])
    for e in range(model.n_variables):
        for label in (0, 1):
            best = values[trees[:, e] == label].max(initial=-np.inf)
            assert marginals[e, label] == pytest.approx(best)


@few
@given(d=dice(), weight=st.sampled_from([None, 3.0]), gaps=st.sampled_from([0.0, 0.2]))
def test_any_function_of_one_distance_on_spanning_trees(d, weight, gaps):
    """Swaps are exact for tables of any shape, any reference, and several tables at once."""
    model = STRUCTURES["spanning_tree"](d)
    reference = d.random.integers(0, 2, 6)
    table = d.scores(6 * int(weight or 1) + 1)
    table[d.random.random(table.size) < gaps] = -np.inf
    weights = None if weight is None else np.full(6, weight)
    counts = [Cardinality(reference, table, weights, 2.0), Cardinality(reference, d.scores(7)), change(d, model, 0.0)]
    trees = feasible(model)
    values = model.score(trees) + sum(p.value(model, trees) for p in counts)
    if np.isneginf(values).all():
        with pytest.raises(hh.InfeasibleError):
            hh.best(model, counts, "spanning_tree")
        return
    step = hh.best(model, counts)
    assert step.oracle == "spanning_tree"
    assert step.exact
    assert step.value == pytest.approx(values.max())


def test_distances_that_differ_by_variable_are_left_to_others():
    model = hh.SpanningTree(K5, np.zeros(10))
    oracle = hh.oracles.get("spanning_tree")
    here, there = np.zeros(10, int), np.ones(10, int)
    uneven = Cardinality(here, np.zeros(12), [2, *[1] * 9])
    two = [Cardinality(here, np.zeros(11)), Cardinality(there, np.zeros(11))]
    for potentials in ([uneven], two):
        assert oracle.refusal(model, potentials) == "it handles linear potentials only, not Cardinality"
    assert oracle.refusal(hh.Matching([[0.0]]), []) == "it solves SpanningTree models, not Matching"


def test_matchings_of_graphs_with_two_sides_are_those_of_rows_and_columns():
    random = np.random.default_rng(8)
    weights = random.normal(size=(6, 7))
    edges = [(i, 6 + k) for i in range(6) for k in range(7)]
    both = hh.GraphMatching(edges, weights.ravel())
    assert hh.best(both).value == pytest.approx(hh.best(hh.Matching(weights, unmatched=0.0)).value)
    assert both.pairs(hh.best(both).labeling).shape[1] == 2


def test_perfect_matchings_that_do_not_exist_are_said():
    star = [(0, 1), (0, 2), (0, 3)]
    for oracle in ("auto", "graph_matching", "ilp"):
        with pytest.raises(hh.InfeasibleError):
            hh.best(hh.GraphMatching(star, np.ones(3), perfect=True), oracle=oracle)
    assert hh.best(hh.GraphMatching(star, np.ones(3))).value == 1.0


@pytest.mark.parametrize("scale", [1e-250, 1e-40, 1e40, 1e250])
def test_blossoms_do_not_depend_on_the_scale(scale):
    weights, blossoms = np.random.default_rng(4).normal(size=10), hh.oracles.get("graph_matching")
    plain, scaled = (blossoms.maximize(hh.GraphMatching(K5, w), []) for w in (weights, scale * weights))
    assert scaled.labeling.tolist() == plain.labeling.tolist()
    assert scaled.exact


@pytest.mark.parametrize("perfect", [False, True])
def test_blossoms_agree_with_networkx(perfect):
    random, blossoms = np.random.default_rng(9), hh.oracles.get("graph_matching")
    for n in (6, 9, 16, 30, 60):
        for share in (0.1, 0.3, 0.8):
            edges = np.array([p for p in itertools.combinations(range(n), 2) if random.random() < share] or [(0, 1)])
            weights = random.integers(-3, 20, len(edges)).astype(float)
            graph = networkx.Graph()
            graph.add_weighted_edges_from((*e, int(w)) for e, w in zip(edges.tolist(), weights, strict=True))
            pairs = networkx.max_weight_matching(graph, maxcardinality=perfect)
            if perfect and 2 * len(pairs) < n:
                with pytest.raises(hh.InfeasibleError):
                    blossoms.maximize(hh.GraphMatching(edges, weights, perfect, n_nodes=n), [])
                continue
            step = blossoms.maximize(hh.GraphMatching(edges, weights, perfect, n_nodes=n), [])
            assert step.value == sum(graph[i][j]["weight"] for i, j in pairs)
            assert step.exact


def test_small_weights_count_beside_huge_ones():
    """An odd cycle of huge weights next to tiny differences elsewhere."""
    edges = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5)]
    model = hh.GraphMatching(edges, [1e15, 1e15, 1e15, 1.0, 1.0 + 2.0**-50])
    assert hh.best(model, oracle="graph_matching").labeling[3:].tolist() == [0, 1]


def complete_graph(random, n):
    edges = np.array(list(itertools.combinations(range(n), 2)))
    return hh.SpanningTree(edges, random.random(len(edges)) + 0.5)


def test_large_spanning_trees_equal_those_of_scipy():
    random = np.random.default_rng(1)
    model = complete_graph(random, 120)
    costs = csr_array((10.0 - model.weights, tuple(model.edges.T)), shape=(120, 120))
    assert hh.best(model).value == pytest.approx(119 * 10.0 - minimum_spanning_tree(costs).sum())


def test_large_max_marginals_equal_constrained_solutions():
    random = np.random.default_rng(2)
    model = complete_graph(random, 40)
    marginals = hh.oracles.get("spanning_tree").max_marginals(model, [])
    for e in random.choice(model.n_variables, 30, replace=False):
        for label in (0, 1):
            theta = np.zeros((model.n_variables, 2))
            theta[e, 1 - label] = -np.inf
            assert marginals[e, label] == pytest.approx(hh.best(model, [Linear(theta)]).value)


@pytest.mark.parametrize("seed", range(3))
def test_solvers_agree_with_the_integer_program(seed):
    random = np.random.default_rng(seed)
    models = [
        hh.SpanningTree(K5 + K5, random.normal(size=20)),
        hh.GraphMatching(K5 + K5, random.normal(size=20)),
        hh.GraphMatching(list(itertools.combinations(range(10), 2)), random.normal(size=45), perfect=True),
        hh.Matching(random.normal(size=(8, 10))),
        hh.Matching(random.normal(size=(9, 5)), unmatched=0.3),
        hh.Arborescence(random.normal(size=(9, 10)), single_root=True),
        hh.Arborescence(random.normal(size=(7, 8, 3))),
    ]
    for model in models:
        exact, program = hh.best(model), hh.best(model, oracle="ilp")
        assert exact.exact
        assert program.exact
        assert exact.value == pytest.approx(program.value, abs=1e-5)


@pytest.mark.parametrize(("model", "oracle"), [
    (hh.SpanningTree(K5, np.random.default_rng(0).integers(0, 4, 10)), "spanning_tree"),
    (hh.GraphMatching(K5, np.random.default_rng(0).integers(0, 4, 10)), "graph_matching"),
    (hh.Matching(np.random.default_rng(1).integers(0, 4, (4, 4))), "matching"),
    (hh.Matching(np.random.default_rng(1).normal(size=(4, 2)), unmatched=0.0), "matching"),
    (hh.Arborescence(np.random.default_rng(2).integers(0, 4, (4, 5)), single_root=True), "arborescence"),
], ids=repr)  # fmt: skip
def test_distinct_lists_are_the_m_best(model, oracle):
    """Murty 1968, Gabow 1977, Camerini et al. 1980: here all are Lawler's partition."""
    scores = np.sort(model.score(feasible(model)))[::-1][:12]
    found = hh.diverse(model, hh.LinearHamming(), 12, tradeoff=0.0, distinct=True)
    assert found.relevance == pytest.approx(scores)
    assert found.distinct == 12
    assert found.exact.all()
    assert set(found.oracles) == {oracle}


def test_a_list_longer_than_there_are_labelings():
    with pytest.warns(UserWarning, match="2"):
        found = hh.diverse(hh.SpanningTree([[0, 1], [1, 0]], [1.0, 2.0]), hh.VariableCoverage(), 3, distinct=True)
    assert found.labelings.tolist() == [[0, 1], [1, 0]]


def test_ties_give_the_lexicographically_first_spanning_tree():
    model = hh.SpanningTree(K5, np.zeros(10))
    assert hh.best(model).labeling.tolist() == feasible(model)[0].tolist()


def test_linear_hamming_is_one_reweighted_call():
    """Weight minus 2 * tradeoff * (earlier trees that contain the edge), for the symmetric difference."""
    random = np.random.default_rng(4)
    model = hh.SpanningTree(K5, random.normal(size=10))
    trees = feasible(model)
    chosen = trees[random.integers(0, len(trees), 3)]
    linear = hh.LinearHamming().potentials(model, chosen)[0].scaled(1.7)
    reweighted = hh.SpanningTree(K5, model.weights - 2 * 1.7 * chosen.sum(axis=0))
    assert hh.best(model, [linear]).labeling.tolist() == hh.best(reweighted).labeling.tolist()
    values = model.score(trees) + linear.value(model, trees)
    assert hh.best(model, [linear]).value == pytest.approx(values.max())


@pytest.mark.parametrize("structure", ["matching", "arborescence"])
def test_linear_hamming_lowers_what_earlier_labelings_chose(structure):
    """Score minus tradeoff * (earlier labelings with this column or head), and a constant."""
    random = np.random.default_rng(4)
    scores = random.normal(size=(4, 5))
    make = hh.Matching if structure == "matching" else hh.Arborescence
    model = make(scores)
    chosen = feasible(model)[random.integers(0, len(feasible(model)), 3)]
    counts = (chosen[:, :, None] == np.arange(5)).sum(axis=0)
    linear = hh.LinearHamming().potentials(model, chosen)[0].scaled(1.7)
    reweighted = hh.best(make(scores - 1.7 * counts))
    step = hh.best(model, [linear])
    assert step.labeling.tolist() == reweighted.labeling.tolist()
    assert step.value == pytest.approx(reweighted.value + 1.7 * 3 * 4)


def best_by_shared(model, reference):
    """g(k): the most that a labeling scores that agrees with a reference in k places."""
    every = feasible(model)
    shared = ((every == reference) & ((every == 1) | (not isinstance(model, hh.SpanningTree)))).sum(axis=1)
    counts = np.unique(shared)
    return counts, np.array([model.score(every[shared == k]).max() for k in counts])


def is_concave(counts, values):
    slopes = np.diff(values) / np.diff(counts)
    return bool((np.diff(slopes) <= 1e-9).all())


def some_labeling(random, model):
    every = feasible(model)
    return every[random.integers(len(every))]


def test_spanning_trees_are_concave_in_what_they_share():
    random = np.random.default_rng(5)
    for _ in range(30):
        model = hh.SpanningTree(K5, random.normal(size=10))
        counts, values = best_by_shared(model, some_labeling(random, model))
        assert np.diff(counts).tolist() == [1] * (counts.size - 1)
        assert is_concave(counts, values)


@pytest.mark.parametrize("structure", ["matching", "arborescence"])
def test_matchings_and_arborescences_are_not(structure):
    """So slopes may leave a gap there, and balls need the integer program."""
    random = np.random.default_rng(6)
    concave = []
    for _ in range(30):
        scores = random.normal(size=(4, 5))
        model = hh.Matching(scores[:, :4]) if structure == "matching" else hh.Arborescence(scores)
        concave.append(is_concave(*best_by_shared(model, some_labeling(random, model))))
    assert not all(concave)
    assert any(concave)


@pytest.mark.parametrize("diversity", [
    hh.HammingBall(gamma=0.2), hh.LabelCoverage(), hh.VariableCoverage(), hh.LinearHamming(),
    hh.RegionCoverage([[0, 1], [2, 3]]),
], ids=repr)  # fmt: skip
def test_lists_on_models_too_large_to_enumerate(diversity):
    random = np.random.default_rng(7)
    models = [
        hh.SpanningTree(list(itertools.combinations(range(8), 2)), random.random(28)),
        hh.GraphMatching(list(itertools.combinations(range(8), 2)), random.random(28), perfect=True),
        hh.Matching(random.random((9, 9))),
        hh.Arborescence(random.random((8, 9)), single_root=True),
    ]
    for model in models:
        found = hh.diverse(model, diversity, m=3, tradeoff=2.0, distinct=True)
        assert "exhaustive" not in found.oracles
        assert found.distinct == 3
        assert np.isfinite(found.relevance).all()
        assert found.objective <= found.upper_bound
        assert found.exact.all()


LARGE = """
import numpy as np, hedgehop as hh
random = np.random.default_rng(0)
hh.best(hh.Matching(random.random((2, 2))))  # imports are done
model = hh.Matching(random.integers(0, 5, (3000, 3000)).astype(float) * random.random((3000, 1)))
print("solving", flush=True)
try:
    hh.diverse(model, hh.VariableCoverage(), m=20)
except hh.Interrupted as stop:
    print("interrupted", flush=True)
"""


def test_ctrl_c_ends_a_large_matching():
    child = subprocess.Popen([sys.executable, "-c", LARGE], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "solving\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "interrupted\n"
    child.kill()
    child.communicate()
