# SPDX-License-Identifier: BSD-3-Clause
"""Marginals, log partitions and exact samples against enumeration."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import logsumexp, softmax
from tests.conformance.structures import STRUCTURES, dice, examples

import hedgehop as hh
from hedgehop import _core
from hedgehop.models import PairwiseModel
from hedgehop.probabilities.bounds import forests_of, mean_field, tree_reweighted
from hedgehop.probabilities.elimination import Eliminated
from hedgehop.probabilities.exact import _every, exact_method
from hedgehop.testing import all_labelings

TEMPERATURES = st.sampled_from([1.0, 0.3, 5.0])


def enumerated(model, temperature):
    """Log partition and marginals by their definitions."""
    every = all_labelings(model)
    scores = np.asarray(model.score(every), np.float64).reshape(-1) / temperature
    chances = softmax(scores)
    width = int(model.label_counts.max())
    table = np.array([[chances[every[:, i] == label].sum() for label in range(width)] for i in range(every.shape[1])])
    return logsumexp(scores), table


@pytest.mark.parametrize("structure", STRUCTURES)
@examples(6)
@given(d=dice(), temperature=TEMPERATURES)
def test_marginals_are_those_of_enumeration(structure, d, temperature):
    model = STRUCTURES[structure](d)
    total, table = enumerated(model, temperature)
    found = hh.marginals(model, temperature)
    assert found.exact
    assert found.lower == found.upper == found.log_partition == pytest.approx(total, rel=1e-10, abs=1e-9)
    assert found.probabilities.shape == (*model.shape, table.shape[1])
    assert np.asarray(found).reshape(table.shape) == pytest.approx(table, abs=1e-9)


@pytest.mark.parametrize("structure", ["forest", "potts_tree", "chain", "arborescence", "relations", "spanning_tree"])
@examples(4)
@given(d=dice(), factor=st.sampled_from([40.0, 1000.0]))
def test_wide_scores_lose_no_digit(structure, d, factor):
    model = STRUCTURES[structure](d)
    total, table = enumerated(model, 1.0 / factor)
    found = hh.marginals(model, 1.0 / factor)
    assert found.method in ("sum-product", "matrix-tree")
    assert found.log_partition == pytest.approx(total, rel=1e-10, abs=1e-9)
    assert np.asarray(found).reshape(table.shape) == pytest.approx(table, abs=1e-9)


@pytest.mark.parametrize("structure", ["potts", "binary", "shared_table", "edge_tables", "ragged", "grid4", "grid8",
                                       "parallel_edges"])  # fmt: skip
@examples(6)
@given(d=dice(), temperature=TEMPERATURES)
def test_bounds_of_models_with_cycles_hold(structure, d, temperature):
    model = STRUCTURES[structure](d)
    assume(len(model.edges))
    total, _ = enumerated(model, temperature)
    upper, chances = tree_reweighted(model, 1.0 / temperature)
    assert upper >= total - 1e-9 * max(1.0, abs(total))
    assert chances.sum(axis=1) == pytest.approx(1.0)
    if not model.forbids_pairs:
        assert mean_field(model, 1.0 / temperature, chances) <= total + 1e-9 * max(1.0, abs(total))


def test_enumeration_agrees_with_sum_product():
    chain = hh.Chain(np.random.default_rng(0).normal(size=(5, 3)), np.random.default_rng(1).normal(size=(3, 3)))
    total, table = _every(chain, 1.0)
    found = hh.marginals(chain)
    assert (found.method, found.log_partition) == ("sum-product", pytest.approx(total))
    assert found.probabilities == pytest.approx(table)


def test_forests_hold_every_edge_once():
    model = hh.Grid(np.zeros((5, 6, 2)), smoothness=1.0)
    forests = forests_of(model.n_variables, model.edges)
    assert sorted(np.concatenate(forests).tolist()) == list(range(len(model.edges)))
    assert all(_core.graphs.is_forest(30, np.ascontiguousarray(model.edges[f])) for f in forests)
    assert len(forests) == 2


def test_large_models_with_cycles_have_bounds_that_are_close():
    random = np.random.default_rng(3)
    found = hh.marginals(hh.Grid(random.normal(size=(12, 12, 3)), smoothness=0.3))
    assert (found.method, found.exact) == ("tree-reweighted", False)
    assert 0 < found.upper - found.lower < 0.05 * 144
    assert found.lower < found.log_partition < found.upper
    assert "between" in repr(found)


def test_models_without_pairs_are_sampled():
    random = np.random.default_rng(4)
    found = hh.marginals(hh.Matching(random.normal(size=(30, 30))))
    assert found.method == "samples"
    assert found.lower < found.upper
    assert found.probabilities.sum(axis=1) == pytest.approx(1.0)


def test_a_chain_of_many_variables_keeps_its_digits():
    random = np.random.default_rng(5)
    emissions, transitions = random.normal(size=(3000, 3)), random.normal(size=(3, 3))
    found = hh.marginals(hh.Chain(emissions, transitions))
    log, seen = emissions[0], []
    for row in emissions[1:]:
        log = row + logsumexp(log[:, None] + transitions, axis=0)
        seen.append(log)
    assert found.log_partition == pytest.approx(logsumexp(log), rel=1e-12)
    assert found.probabilities[-1] == pytest.approx(softmax(log), abs=1e-9)


def test_entropy_and_labeling():
    found = hh.marginals(hh.Grid([[[0.0, 0.0], [0.0, 50.0]]], smoothness=0.0))
    assert found.entropy == pytest.approx(np.array([[np.log(2.0), 0.0]]), abs=1e-12)
    assert found.labeling.tolist() == [[0, 1]]


def test_log_partition_is_a_pair_of_bounds():
    lower, upper = hh.log_partition(hh.Grid(np.zeros((2, 3, 2)), smoothness=0.0))
    assert lower == upper == pytest.approx(6 * np.log(2.0))


@pytest.mark.parametrize("temperature", [0.0, -1.0, np.inf, np.nan])
def test_temperatures_that_are_none_are_refused(temperature):
    with pytest.raises(ValueError, match="temperature must be > 0 and finite"):
        hh.marginals(hh.Grid(np.zeros((2, 2, 2))), temperature)


def test_hot_models_are_uniform_and_cold_ones_sure():
    model = hh.Chain([[1.0, 0.0], [0.0, 3.0]])
    assert hh.marginals(model, 1e9).probabilities == pytest.approx(0.5)
    assert hh.marginals(model, 1e-9).probabilities == pytest.approx(np.array([[1.0, 0.0], [0.0, 1.0]]))


def test_pairwise_structures_that_are_forests_need_no_enumeration():
    forest = hh.FactorGraph(np.zeros((60, 2)), [[k, k + 1] for k in range(59)], 1.0)
    assert isinstance(forest, PairwiseModel)
    assert exact_method(forest) == "sum-product"


@pytest.mark.parametrize("structure", ["potts", "shared_table", "edge_tables", "ragged", "grid4", "grid8", "chain",
                                       "parallel_edges", "with_cliques"])  # fmt: skip
@examples(6)
@given(d=dice(), temperature=TEMPERATURES)
def test_elimination_is_exact(structure, d, temperature):
    model = STRUCTURES[structure](d)
    total, table = enumerated(model, temperature)
    eliminated = Eliminated.of(model, 1.0 / temperature)
    assert eliminated.log_partition == pytest.approx(total, rel=1e-10, abs=1e-9)
    assert eliminated.marginals() == pytest.approx(table, abs=1e-9)


def test_narrow_grids_of_many_pixels_are_exact():
    random = np.random.default_rng(6)
    found = hh.marginals(hh.Grid(random.normal(size=(3, 60, 2)), smoothness=0.4))
    assert (found.method, found.exact) == ("elimination", True)
    lower, upper = hh.log_partition(hh.Grid(np.zeros((3, 60, 2)), smoothness=0.0))
    assert lower == upper == pytest.approx(180 * np.log(2.0))


def test_a_strip_of_two_rows_is_a_chain_of_columns():
    random = np.random.default_rng(7)
    unary, strength = random.normal(size=(2, 30, 2)), 0.7
    pairs = np.array([(a, b) for a in range(2) for b in range(2)])
    emissions = unary[0][:, pairs[:, 0]] + unary[1][:, pairs[:, 1]] - strength * (pairs[:, 0] != pairs[:, 1])
    chain = hh.Chain(emissions, -strength * (pairs[:, None] != pairs[None]).sum(axis=2))
    strip, columns = hh.marginals(hh.Grid(unary, smoothness=strength)), hh.marginals(chain)
    assert (strip.method, columns.method) == ("elimination", "sum-product")
    assert strip.log_partition == pytest.approx(columns.log_partition, rel=1e-12)
    top = columns.probabilities @ (pairs[:, 0][:, None] == np.arange(2))
    assert strip.probabilities[0] == pytest.approx(top, abs=1e-10)


@pytest.mark.parametrize("strength", [0.0, 0.5, 3.0])
def test_plain_numbers_and_logarithms_agree(strength):
    """Scores that fit into doubles are summed without logarithms; a label that is hardly allowed forces them."""
    random = np.random.default_rng(8)
    unary = random.normal(size=(40, 3))
    edges = [[k // 3, k] for k in range(1, 40)]
    narrow = hh.marginals(hh.FactorGraph(unary, edges, strength))
    wide = np.hstack([unary, np.full((40, 1), -2000.0)])
    logs = hh.marginals(hh.FactorGraph(wide, edges, strength))
    assert narrow.log_partition == pytest.approx(logs.log_partition, rel=1e-12)
    assert narrow.probabilities == pytest.approx(logs.probabilities[:, :3], abs=1e-12)


def test_models_without_any_labeling_are_refused():
    forbidden = np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    chain = hh.Chain([[0.0, -np.inf], [-np.inf, 0.0]], transitions=forbidden)
    ring = hh.FactorGraph(chain.unary, [[0, 1], [0, 1]], np.array([forbidden] * 2))
    for model in (chain, ring):
        with pytest.raises(hh.InfeasibleError, match="no labeling is allowed"):
            hh.marginals(model)
        with pytest.raises(hh.InfeasibleError, match="no labeling is allowed"):
            hh.samples(model, method="exact")


def test_scores_that_a_temperature_makes_infinite_are_refused():
    with pytest.raises(ValueError, match="Use a larger temperature"):
        hh.marginals(hh.Chain([[1e10, 0.0]]), 1e-290)
    assert hh.marginals(hh.Chain([[1e10, 0.0]]), 1e-200).probabilities.tolist() == [[1.0, 0.0]]
