# SPDX-License-Identifier: BSD-3-Clause
"""Bounds by multipliers: never below the best value, tight where theory says so."""

from __future__ import annotations

import numpy as np
import pytest
from tests.draws import random_model

import hedgehop as hh
from hedgehop.oracles.pairwise.kernels import MessageSolvers
from hedgehop.oracles.pairwise.move_weights import MoveWeights
from hedgehop.oracles.pairwise.part_bounds import PartBounds
from hedgehop.oracles.relaxation import subgradient
from hedgehop.potentials import LabelWeights, Linear, RegionWeights, TransitionWeights


def bound_of(model, potentials, theta=None, rounds=20):
    best = hh.best(model, [*potentials, *([Linear(theta)] if theta is not None else [])], "exhaustive")
    counts = [count for p in potentials for count in p.counts(model)]
    bound, _ = subgradient.bound_by_messages(
        MessageSolvers(model), model, theta, counts, best.labeling, best.value, rounds
    )
    return best.value, bound


def weights(random, labels, kind):
    pairs = 3 * random.normal(size=(labels, labels))
    regions = [[0, 1, 3], [2, 4, 5, 1], [3]]
    return {
        "labels": [LabelWeights(3 * random.normal(size=labels))],
        "sizes": [LabelWeights(3 * random.normal(size=labels), min_share=0.4)],
        "transitions": [TransitionWeights(pairs + pairs.T)],
        "ordered": [TransitionWeights(pairs, ordered=True)],
        "regions": [RegionWeights(regions, 3 * random.normal(size=(3, labels)))],
        "robust": [RegionWeights(regions, 3 * random.normal(size=(3, labels)), robust=2)],
    }[kind]


KINDS = ("labels", "sizes", "transitions", "ordered", "regions", "robust")


@pytest.mark.parametrize("tables", [True, False])
@pytest.mark.parametrize("seed", range(25))
def test_bounds_are_valid_for_weights_of_any_sign(seed, tables, monkeypatch):
    if not tables:
        monkeypatch.setattr(subgradient, "_LARGEST_TABLES", 0)
    random = np.random.default_rng(seed)
    model = random_model(random, scale=3.0, forbid=False)
    chosen = random.permutation(KINDS)[: random.integers(1, 4)]
    potentials = [p for kind in chosen for p in weights(random, 3, kind)]
    theta = random.normal(size=(6, 3)) if seed % 2 else None
    if theta is not None and seed % 4 == 1:
        theta[2, 1] = -np.inf
    best, bound = bound_of(model, potentials, theta, rounds=6)
    assert bound >= best - 1e-7


@pytest.mark.parametrize("kind", KINDS)
def test_multipliers_beat_the_sum_of_maxima(kind):
    """Multipliers close most of what adding up the parts' maxima leaves open."""
    gaps, plain = 0.0, 0.0
    for seed in range(12):
        random = np.random.default_rng(seed)
        model = random_model(random, scale=3.0, forbid=False)
        potentials = weights(random, 3, kind)
        best, bound = bound_of(model, potentials)
        gaps += bound - best
        alone = hh.best(model).value
        plain += alone + sum(hh.best(hh.FactorGraph(np.zeros((6, 3)), model.edges, 0.0), [p], "exhaustive").value
                             for p in potentials) - best  # fmt: skip
    assert gaps < 0.6 * plain, (kind, gaps, plain)


def test_costs_of_labels_are_bounded_tightly_on_a_tree():
    """Costs are the easy direction: spread over those who pay, they are exact here."""
    chain = hh.Chain([[2.0, 0.0]] * 3 + [[0.0, 2.0]] * 3, [[0.5, 0.0], [0.0, 0.5]])
    best, bound = bound_of(chain, [LabelWeights([-1.0, -2.0])], rounds=40)
    assert bound == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize("seed", range(40))
def test_parts_of_labels_bound_weights_of_any_sign(seed):
    random = np.random.default_rng(seed)
    model = random_model(random)
    bounds = PartBounds(model)
    for _ in range(3):  # flows and prices are kept
        chosen = random.permutation(["labels", "sizes", "regions", "robust"])[: random.integers(1, 4)]
        potentials = [p for kind in chosen for p in weights(random, 3, kind)]
        theta = random.normal(size=(6, 3)) if seed % 2 else None
        if theta is not None and seed % 4 == 1:
            theta[2, 1] = -np.inf
        best = hh.best(model, [*potentials, *([Linear(theta)] if theta is not None else [])], "exhaustive").value
        assert bounds(theta, MoveWeights(model, potentials), best, 6) >= best - 1e-9


def test_parts_of_labels_bound_rewards_better_than_multipliers():
    model = hh.Grid(np.random.default_rng(1).normal(size=(10, 10, 5)), smoothness=2.0)
    rewards = [LabelWeights(np.full(5, 12.0))]
    step = hh.best(model, rewards, hh.oracles.Expansion())
    spread, _ = subgradient.bound_by_messages(
        MessageSolvers(model), model, None, rewards[0].counts(model), step.labeling, step.value, 20
    )
    assert step.value <= step.upper_bound
    assert step.upper_bound - step.value < 0.5 * (spread - step.value)


def test_parts_of_labels_leave_costs_and_tables_to_multipliers():
    costs, rewards = [LabelWeights([-1.0, -2.0])], [LabelWeights([1.0, 2.0])]
    potts = hh.FactorGraph(np.zeros((3, 2)), [[0, 1]], [1.0])
    tables = hh.Chain(np.zeros((3, 2)), np.eye(2))
    for model, potentials in (
        (potts, costs),
        (tables, rewards),
        (potts, [*rewards, TransitionWeights(np.ones((2, 2)))]),
    ):
        assert PartBounds(model)(None, MoveWeights(model, potentials), 0.0, 5) == np.inf
