# SPDX-License-Identifier: BSD-3-Clause
"""Spanning trees, matchings and arborescences: which labelings they allow, and what these score."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest

import hedgehop as hh

RANDOM = np.random.default_rng(0)
K4 = list(itertools.combinations(range(4), 2))


def is_tree(n_nodes, edges, y):
    """By the definition: n - 1 edges that reach every node."""
    taken = [tuple(e) for e, label in zip(edges, y, strict=True) if label]
    reached = {0}
    for _ in range(n_nodes):
        reached |= {b for a, b in taken if a in reached} | {a for a, b in taken if b in reached}
    return len(taken) == n_nodes - 1 and len(reached) == n_nodes


def ends_at_root(heads):
    for word in range(1, len(heads) + 1):
        for _ in heads:
            word = heads[word - 1] if word else 0
        if word:
            return False
    return True


def finite(model):
    every = hh.testing.all_labelings(model)
    return every[np.isfinite(model.score(every))]


@pytest.mark.parametrize(("edges", "n_nodes", "count"), [
    (K4, 4, 16), ([(0, 1)], 2, 1), ([(0, 1), (1, 0), (0, 1)], 2, 3), ([(0, 1), (1, 2), (2, 3), (3, 0)], 4, 4),
])  # fmt: skip
def test_spanning_trees_are_those_of_the_definition(edges, n_nodes, count):
    weights = RANDOM.normal(size=len(edges))
    model = hh.SpanningTree(edges, weights)
    every = hh.testing.all_labelings(model)
    expected = [y @ weights if is_tree(n_nodes, edges, y) else -np.inf for y in every]
    assert model.score(every) == pytest.approx(expected)
    assert len(finite(model)) == count
    assert model.n_nodes == n_nodes
    assert model.weights == pytest.approx(weights)


@pytest.mark.parametrize(("perfect", "count"), [(False, 10), (True, 3)])
def test_matchings_of_graphs_are_those_of_the_definition(perfect, count):
    weights = RANDOM.normal(size=6)
    model = hh.GraphMatching(K4, weights, perfect)
    every = hh.testing.all_labelings(model)
    ends = [[node for e, label in zip(K4, y, strict=True) for node in e if label] for y in every]
    fits = [len(set(nodes)) == len(nodes) and (not perfect or len(nodes) == 4) for nodes in ends]
    assert model.score(every) == pytest.approx(np.where(fits, every @ weights, -np.inf))
    assert len(finite(model)) == count
    assert model.pairs([1, 0, 0, 0, 0, 1]).tolist() == [[0, 1], [2, 3]]


def test_matchings_are_those_of_the_definition():
    weights = RANDOM.normal(size=(3, 4))
    model = hh.Matching(weights)
    found = finite(model)
    assert found.tolist() == [list(p) for p in itertools.permutations(range(4), 3)]
    assert model.score(found) == pytest.approx([sum(weights[i, k] for i, k in enumerate(p)) for p in found])


def test_any_number_of_rows_may_stay_unmatched():
    model = hh.Matching(RANDOM.normal(size=(3, 1)), unmatched=[1.0, 2.0, -np.inf])
    assert finite(model).tolist() == [[1, 1, 0]]  # the third row may not, so it takes the only column
    assert model.score([1, 1, 0]) == pytest.approx(3.0 + model.unary[2, 0])
    assert model.score([0, 1, 0]) == -np.inf


@pytest.mark.parametrize(("n", "many", "single"), [(1, 1, 1), (2, 3, 2), (3, 16, 9), (4, 125, 64)])
def test_arborescences_are_those_of_the_definition(n, many, single):
    """Cayley: (n + 1)^(n - 1) of them, n^(n - 1) with a single root."""
    scores = RANDOM.normal(size=(n, n + 1))
    model = hh.Arborescence(scores)
    every = hh.testing.all_labelings(model)
    expected = [scores[np.arange(n), y].sum() if ends_at_root(y.tolist()) else -np.inf for y in every]
    assert model.score(every) == pytest.approx(expected)
    assert len(finite(model)) == many
    alone = finite(hh.Arborescence(scores, single_root=True))
    assert len(alone) == single
    assert ((alone == 0).sum(axis=1) == 1).all()


def test_arc_scores_with_a_row_for_the_root():
    square = RANDOM.normal(size=(4, 4))
    assert hh.Arborescence(square) == hh.Arborescence(square[1:])
    cube = RANDOM.normal(size=(4, 4, 3))
    assert hh.Arborescence(cube) == hh.Arborescence(cube[1:])


def test_relations_are_part_of_the_label():
    scores = RANDOM.normal(size=(2, 3, 2))
    model = hh.Arborescence(scores, single_root=True)
    labeling = [0 * 2 + 1, 1 * 2 + 0]
    assert model.score(labeling) == pytest.approx(scores[0, 0, 1] + scores[1, 1, 0])
    heads, relations = model.split(labeling)
    assert (heads.tolist(), relations.tolist()) == ([0, 1], [1, 0])
    assert model.split([labeling, labeling])[0].shape == (2, 2)
    assert len(finite(model)) == 2 * 2**2


MODELS = [
    hh.SpanningTree(K4, np.arange(6.0)),
    hh.GraphMatching(K4, np.arange(6.0)),
    hh.GraphMatching(K4, np.arange(6.0), perfect=True),
    hh.Matching(np.eye(3)),
    hh.Matching(np.eye(3), unmatched=0.5),
    hh.Arborescence(np.zeros((3, 4))),
    hh.Arborescence(np.zeros((3, 4, 2)), single_root=True),
]


def test_reprs_are_short():
    assert [repr(m) for m in MODELS] == [
        "SpanningTree(4 nodes, 6 edges)",
        "GraphMatching(4 nodes, 6 edges)",
        "GraphMatching(4 nodes, 6 edges, perfect)",
        "Matching(3 rows, 3 columns)",
        "Matching(3 rows, 3 columns, unmatched rows allowed)",
        "Arborescence(3 words)",
        "Arborescence(3 words, 2 relations, single root)",
    ]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_structures_are_frozen_and_survive_pickle_and_files(model, tmp_path):
    assert pickle.loads(pickle.dumps(model)) == model
    assert not model.unary.flags.writeable
    with pytest.raises(AttributeError, match="is frozen"):
        model.unary = None
    found = hh.diverse(model, hh.VariableCoverage(), m=2)
    found.save(tmp_path / "list.npz")
    assert hh.load(tmp_path / "list.npz").labelings.tolist() == found.labelings.tolist()


def test_floors_are_below_every_score():
    for model in MODELS:
        assert model.floor() <= model.score(finite(model)).min()


def test_float32_scores_are_kept_and_summed_in_doubles():
    weights = np.full((2, 2), 0.1, np.float32)
    assert hh.Matching(weights).unary.dtype == np.float32
    assert hh.Matching(weights).score([0, 1]) == 2 * float(np.float32(0.1))
    assert hh.best(hh.Matching(weights)).exact


def test_a_chain_needs_emissions_only():
    chain = hh.Chain([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]])
    assert chain.score([0, 1, 0]) == 6.0
    assert hh.best(chain).labeling.tolist() == [0, 1, 0]


@pytest.mark.parametrize("shape", ["tree", "perfect matching", "matching"])
def test_what_every_labeling_scores_is_not_at_stake(shape):
    random = np.random.default_rng(3)
    edges, weights, square = (
        list(itertools.combinations(range(4), 2)),
        random.normal(size=6),
        random.normal(size=(4, 4)),
    )
    models = {
        "tree": lambda add: hh.SpanningTree(edges, weights + add),
        "perfect matching": lambda add: hh.GraphMatching(edges, weights + add, perfect=True),
        "matching": lambda add: hh.Matching(square + add * np.arange(4)),
    }
    plain, shifted = models[shape](0.0).spread, models[shape](1e6).spread
    assert shifted == pytest.approx(plain, rel=1e-6)
    assert plain > 0.1


def test_what_sizes_decide_is_at_stake():
    """A matching may take more edges or fewer, and leave columns free: there a constant counts."""
    edges, weights = [[0, 1], [1, 2], [2, 3]], np.array([1.0, 2.0, 3.0])
    assert hh.GraphMatching(edges, weights + 1e6).spread > 1e6
    assert hh.Matching([[0.0, 0.0, 1e6]]).spread == 1e6
    assert hh.Matching([[0.0, 1e6], [0.0, 1e6]], unmatched=0.0).spread > 1e6
