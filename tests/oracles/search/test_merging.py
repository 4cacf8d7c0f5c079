# SPDX-License-Identifier: BSD-3-Clause
"""Merged variables: the same scores, and a map there and back."""

import itertools

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.oracles.search.merging import Merged


def tied(seed, n=3, labels=3):
    """Variables 2k and 2k + 1 tied, in either order, and scores between all others."""
    random = np.random.default_rng(seed)
    edges, tables = [], []
    for i, j in itertools.combinations(range(2 * n), 2):
        table = random.normal(size=(labels, labels))
        if i // 2 == j // 2:
            table[np.eye(labels)[random.permutation(labels)] == 0] = -np.inf
        swapped = random.random() < 0.5
        edges.append((j, i) if swapped else (i, j))
        tables.append(table.T if swapped else table)
    return hh.FactorGraph(random.normal(size=(2 * n, labels)), edges, tables)


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_the_model(seed):
    model = tied(seed)
    theta = np.random.default_rng(seed).normal(size=model.unary.shape)
    merged = Merged.of(model, theta)
    assert merged.model.n_variables == 3
    for labels in itertools.product(*(range(c) for c in merged.model.label_counts)):
        labeling = merged.back(np.array(labels))
        value = model.score(labeling) + theta[np.arange(6), labeling].sum()
        assert merged.model.score(np.array(labels)) == pytest.approx(value)
        assert merged.front(labeling).tolist() == list(labels)


def test_what_is_not_allowed_has_a_neighbour_that_is():
    model = tied(1)
    merged = Merged.of(model, None)
    for labeling in itertools.product(range(3), repeat=6):
        assert np.isfinite(model.score(merged.back(merged.front(np.array(labeling)))))


def test_nothing_to_merge():
    free = hh.FactorGraph(np.zeros((2, 2)), [(0, 1)], np.array([[0.0, 0.0], [0.0, -np.inf]]))
    impossible = hh.FactorGraph(np.zeros((2, 2)), [(0, 1)], np.full((2, 2), -np.inf))
    assert Merged.of(free, None) is None
    assert Merged.of(impossible, None) is None
