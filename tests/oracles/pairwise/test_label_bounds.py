# SPDX-License-Identifier: BSD-3-Clause
"""No labeling with a label at a variable is better than the bound says, and Lawler's partition solves few cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests.draws import draws

import hedgehop as hh
from hedgehop.oracles import Auto, GraphCut, Tree
from hedgehop.oracles.lawler import best_excluding
from hedgehop.oracles.pairwise.label_bounds import LabelBounds
from hedgehop.potentials import Cardinality, Constant, Linear


def model_and_change(random: Any) -> tuple[hh.FactorGraph, np.ndarray]:
    """A small model with ties and forbidden labels and pairs, and a change of its scores that forbids some."""
    n, labels = int(random.integers(1, 6)), int(random.integers(1, 4))
    edges = [[i, j] for i in range(n) for j in range(i) if random.random() < 0.6]
    unary = random.integers(-3, 4, (n, labels)) if random.integers(2) else 4.0 * random.normal(size=(n, labels))
    if random.integers(3):
        pairwise = random.choice([0.0, 1.0, 1e4]) * random.random(len(edges))
    else:
        pairwise = random.normal(size=(len(edges), labels, labels))
        pairwise[random.random(pairwise.shape) < 0.1] = -np.inf
    theta = random.normal(size=(n, labels))
    theta[:, 1:][random.random((n, labels - 1)) < 0.2] = -np.inf
    return hh.FactorGraph(unary.astype(float), np.array(edges, int).reshape(-1, 2), pairwise), theta


@settings(deadline=None, max_examples=300)
@given(draws())
def test_bounds_hold(random: Any) -> None:
    model, theta = model_and_change(random)
    rows = np.stack(np.meshgrid(*map(np.arange, model.label_counts), indexing="ij"), -1).reshape(-1, model.n_variables)
    bounds = LabelBounds(model, Auto())
    for change in (theta, -np.where(np.isinf(theta), 0.0, theta)):  # again, from kept messages
        values = np.asarray(model.score(rows)) + change[np.arange(model.n_variables), rows].sum(axis=1) + 1.5
        if values.max() > -np.inf:
            found = bounds([Linear(change), Constant(1.5)])
            assert (values[:, None] <= found[np.arange(model.n_variables), rows] + 1e-9 * abs(values.max())).all()
            assert np.isneginf(found[np.isneginf(change)]).all()


def test_trees_have_exact_ones_and_what_is_not_linear_none() -> None:
    chain = hh.Chain(np.random.default_rng(0).normal(size=(5, 3)), np.eye(3))
    assert (LabelBounds(chain, Tree())([]) == Tree().max_marginals(chain, [])).all()
    counts = Cardinality(np.zeros(4, np.int32), np.arange(5.0))
    grid = hh.Grid(np.zeros((2, 2, 2)))
    assert LabelBounds(grid, GraphCut())([counts]) is None
    cliques = hh.FactorGraph(np.zeros((3, 2)), cliques=[([0, 1, 2], np.zeros((2, 2, 2)))])
    assert LabelBounds(cliques, Auto())([]) is None


@pytest.mark.parametrize("labels", [2, 4])
def test_few_cells_are_solved(labels: int) -> None:
    model = hh.Grid(np.random.default_rng(1).normal(size=(12, 12, labels)), smoothness=0.4)
    oracle, count = Auto(), []
    solver = oracle.on(model)

    def inside(mask: Linear | None) -> hh.Step:
        count.append(mask)
        return solver.step(() if mask is None else (mask,))

    bounds = LabelBounds(model, oracle)
    first = inside(None)
    other = best_excluding(
        model, {first.labeling.tobytes()}, inside, lambda mask, best: bounds(() if mask is None else (mask,), best)
    )
    assert other.value <= first.value
    assert (other.labeling != first.labeling).any()
    assert len(count) < 20  # of 144
