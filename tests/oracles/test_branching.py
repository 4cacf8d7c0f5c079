# SPDX-License-Identifier: BSD-3-Clause
"""Branches on what is paid for: bounds against enumeration, and tight where linear steps are exact."""

from __future__ import annotations

import os

import numpy as np
import pytest

import hedgehop as hh
from hedgehop._errors import InfeasibleError
from hedgehop.oracles.branching import CostBranches, can_branch
from hedgehop.oracles.separator import Separator
from hedgehop.potentials import total_value

ROUNDS = 300 if os.environ.get("HEDGEHOP_THOROUGH") else 10


def costs(random, n_labels):
    labels = hh.potentials.LabelWeights(-3 * random.random(n_labels))
    table = -3 * random.random((n_labels, n_labels))
    ordered, equal = bool(random.integers(2)), bool(random.integers(2))
    pairs = hh.potentials.TransitionWeights(table if ordered else (table + table.T) / 2, ordered=ordered, equal=equal)
    return [[labels], [pairs], [labels, pairs]][random.integers(3)]


def models(random):
    n, n_labels = int(random.integers(2, 6)), int(random.integers(2, 4))
    yield hh.Chain(2 * random.normal(size=(n, n_labels)), random.normal(size=(n_labels, n_labels)))
    edges = [(i, j) for i in range(n) for j in range(i)]
    yield hh.FactorGraph(2 * random.normal(size=(n, n_labels)), edges, 2 * random.random(len(edges)))


@pytest.mark.parametrize("seed", range(4))
def test_branches_bound_steps_with_costs_and_close_the_gap(seed):
    random = np.random.default_rng(seed)
    for _ in range(ROUNDS):
        for model in models(random):
            potentials = costs(random, model.n_labels)
            every = hh.testing.all_labelings(model)
            values = np.asarray(model.score(every)) + total_value(model, potentials, every.reshape(len(every), -1))
            step = hh.best(model, potentials, oracle=hh.oracles.Swap())
            assert step.upper_bound >= values.max() - 1e-9
            assert step.value <= values.max() + 1e-9
            if isinstance(model, hh.Chain):
                assert step.upper_bound == pytest.approx(values.max(), abs=1e-4)


@pytest.mark.parametrize("distance", [1, 2, 3])
def test_steps_at_a_distance_are_bounded_where_labels_cost(distance):
    random, found = np.random.default_rng(distance), 0
    for _ in range(ROUNDS):
        for model in models(random):
            kinds = hh.potentials.KindWeights(np.arange(model.n_labels) % 2, -2 * random.random(2))
            linear = hh.potentials.Linear(random.normal(size=model.unary.shape))
            for costs in ([hh.potentials.LabelWeights(-3 * random.random(model.n_labels))], [kinds, linear]):
                every = hh.testing.all_labelings(model).reshape(-1, model.n_variables).astype(np.int32)
                values = np.asarray(model.score(every)) + total_value(model, costs, every)
                earlier = every[np.argsort(-values)[: random.integers(1, 4)]]
                apart = ((every[:, None] != earlier).sum(axis=2) >= distance).all(axis=1)
                if not apart.any():
                    continue
                oracle = "expansion" if len(costs) == 1 else "lagrangian"
                solver = hh.oracles.get(oracle).on(model)
                try:
                    step = solver.step_apart(costs, list(earlier), distance)
                except InfeasibleError:  # multipliers found nothing, which they may
                    assert oracle == "lagrangian"
                    continue
                found += 1
                assert step.upper_bound >= values[apart].max() - 1e-9
                assert step.value <= values[apart].max() + 1e-9
                assert ((step.labeling.reshape(-1) != earlier).sum(axis=1) >= distance).all()
                if distance == 1 and isinstance(model, hh.Chain) and oracle == "expansion":
                    assert step.exact
    assert found >= ROUNDS


def test_a_branch_in_which_nothing_is_found_proves_nothing(monkeypatch):
    """Multipliers may find no labeling at a distance where there is one: the branch must stay open."""
    random = np.random.default_rng(5)
    for _ in range(ROUNDS):
        model = hh.Chain(2 * random.normal(size=(5, 3)), random.normal(size=(3, 3)))
        costs = [hh.potentials.LabelWeights(-6 * random.random(3))]
        every = hh.testing.all_labelings(model).reshape(-1, 5).astype(np.int32)
        values = np.asarray(model.score(every)) + total_value(model, costs, every)
        solver = hh.oracles.get("expansion").on(model)
        nearest = solver.step(costs)
        apart = (every != nearest.labeling.reshape(-1)).any(axis=1)
        linear = type(solver).step_apart

        def lost(potentials, earlier, distance, nearest=None, solver=solver, linear=linear):
            if any(isinstance(p, hh.potentials.Linear) for p in potentials):
                raise InfeasibleError("nothing was found.")
            return linear(solver, potentials, earlier, distance, nearest)

        monkeypatch.setattr(solver, "step_apart", lost)
        step = Separator(solver).step(costs, [nearest.labeling], 1, nearest)
        assert step.upper_bound >= values[apart].max() - 1e-9


@pytest.mark.parametrize("most", [1, 2, 3, 5, 1000])
def test_every_number_of_branches_is_a_bound(most):
    """Linear steps by enumeration, their bounds too large on purpose, some of them impossible."""
    random = np.random.default_rng(most)
    for _ in range(ROUNDS):
        for model in models(random):
            counts = [c for p in costs(random, model.n_labels) for c in p.counts(model)]
            every = hh.testing.all_labelings(model).reshape(-1, model.n_variables)
            scores, loose = np.asarray(model.score(every)), float(random.choice([0.0, 0.3]))
            carried = np.array([[c.count(c.codes.of(y)) > 0 for c in counts] for y in every])
            best = (scores + carried @ [c.function.weight for c in counts]).max()

            def relaxed(avoided, every=every, carried=carried, counts=counts, scores=scores, loose=loose):
                allowed = ~carried[:, [counts.index(c) for c in avoided]].any(axis=1)
                if not allowed.any():
                    raise InfeasibleError("nothing is left.")
                found = np.flatnonzero(allowed)[scores[allowed].argmax()]
                return every[found], scores[found] + loose

            assert can_branch(counts) == bool(counts)
            bound = CostBranches(counts, relaxed).run(lambda: -np.inf, 0.0, most)
            assert bound >= best - 1e-9
            if most == 1000:
                assert bound <= best + loose + 1e-9


def test_rewards_and_sizes_are_left_to_multipliers():
    model = hh.Chain(np.zeros((4, 2)), np.eye(2))
    assert not can_branch(hh.potentials.LabelWeights([1.0, -1.0]).counts(model))
    assert not can_branch(hh.potentials.LabelWeights([-1.0, -1.0], min_share=0.5).counts(model))
    assert not can_branch([])


def test_transitions_of_images_are_bounded_to_rounding():
    """Fractions of labels along a border would evade a cost that is spread over its edges."""
    random = np.random.default_rng(3)
    scores = random.normal(size=(14, 14, 4))
    scores[:7, :, 0] += 1.0
    scores[7:, :7, 1] += 1.0
    scores[7:, 7:, 2] += 1.0
    image = hh.Grid(scores, smoothness=1.0)
    found = hh.diverse(image, hh.TransitionCoverage(), 4, 12.0, distinct=False).improve(10)
    assert found.guarantee > 0.95
