# SPDX-License-Identifier: BSD-3-Clause
"""The partition dual of lists: never below the best list of all, and nearly tight."""

from __future__ import annotations

import os
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from tests.draws import random_model

import hedgehop as hh
from hedgehop.diversity.base import parsimony_rate
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.partition import applies, descended, evaluated
from hedgehop.oracles.relaxation.partition import Prices

MODELS = 2000 if os.environ.get("HEDGEHOP_THOROUGH") else 60
PARSIMONIES = (0.0, "auto", -1.0, 0.5)


def graph_or_grid(random):
    n, labels = int(random.integers(1, 5)), int(random.integers(1, 4))
    if n == 4 and random.random() < 0.4:
        return hh.Grid(2 * random.normal(size=(2, 2, labels)), smoothness=float(2 * random.random()))
    return random_model(random, n, labels, scale=2.0)  # often not connected


def random_diversity(random, model, loose):
    n = model.n_variables
    h, parsimony = str(random.choice(["log", "sqrt", "count"])), PARSIMONIES[random.integers(4)]
    ignore = () if random.random() < 0.5 else (0,)
    shares = (0.0, 0.5, [0.0, 0.6])[random.integers(3)] if loose else 0.0
    regions = [random.permutation(n)[: random.integers(1, n + 1)] for _ in range(random.integers(1, 4))]
    labels = hh.LabelCoverage(h, parsimony, ignore, shares)
    whole = hh.RegionCoverage(regions, h, parsimony if loose else 0.0)
    return (labels, whole, 0.7 * labels + 1.3 * whole)[random.integers(3)]


def best_list(objective, m):
    """The best list of all, by its definition; None if there are too many."""
    model, terms = objective.model, getattr(objective.diversity, "terms", ((1.0, objective.diversity),))
    rows = np.array(list(product(*map(range, model.label_counts))), np.int32)
    rows = rows[np.isfinite(model.score(rows.reshape(-1, *model.shape)))]
    lists = np.array(list(combinations_with_replacement(range(len(rows)), m)))
    if len(lists) > 5000:
        return None
    total = np.asarray(model.score(rows.reshape(-1, *model.shape)))[lists].sum(axis=1)
    for factor, term in terms:
        counts = term.incidence(model, rows)[lists].sum(axis=1)
        worth = term.h(counts) + parsimony_rate(term.parsimony, term.h) * counts
        total = total + objective.tradeoff * factor * worth @ term.group_weights(model)
    best = int(np.argmax(total))
    assert total[best] == pytest.approx(objective.value(rows[lists[best]]))
    return rows[lists[best]], float(total[best])


def tries(seed, count, loose=False):
    """Random lists; `loose`: with sizes of labels and costs of regions, of which parts know little."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        model, m = graph_or_grid(random), int(random.integers(1, 4))
        objective = Objective(model, random_diversity(random, model, loose), float(3 * random.random()))
        known = best_list(objective, m)
        if known is not None:
            yield random, objective, m, known


def after(calls, objective, m, start=None, rows=None):
    """The descent after so many evaluations."""
    descent = descended(objective, m, start, rows)
    descent.run(calls)
    return descent


@pytest.mark.parametrize("seed", range(6))
def test_no_multipliers_prove_less_than_the_best_list(seed):
    for random, objective, m, (_, best) in tries(seed, MODELS, loose=True):
        assert applies(objective)
        slopes = after(1, objective, m).prices.slopes.shape
        for _ in range(3):
            prices = Prices(2 * random.normal(size=objective.model.n_variables), 3 * random.random(slopes))
            assert evaluated(objective, m, prices) >= best


def test_steps_make_the_bound_nearly_tight():
    gaps = []
    for _, objective, m, (rows, best) in tries(11, 150):
        proven = after(40, objective, m, rows=rows)
        assert proven.bound >= best
        assert evaluated(objective, m, proven.prices) == pytest.approx(proven.bound, rel=1e-12, abs=1e-11)
        gaps.append((proven.bound - best) / max(1.0, abs(best)))
    assert np.mean(np.array(gaps) < 1e-6) > 0.5
    assert np.mean(gaps) < 0.03


def test_more_calls_go_on_from_the_multipliers():
    random = np.random.default_rng(3)
    model = hh.Grid(3 * random.normal(size=(8, 8, 4)), smoothness=1.0)
    objective = Objective(model, hh.LabelCoverage(parsimony=0.0, ignore=()), 20.0)
    rows = hh.diverse(model, objective.diversity, m=3, tradeoff=20.0, oracle="expansion").labelings.reshape(3, -1)
    first = after(5, objective, 3, rows=rows)
    second = after(20, objective, 3, first.prices, rows)
    assert objective.value(rows) <= second.bound < first.bound


def test_a_list_that_its_steps_leave_open_is_proven_the_best():
    model = hh.Grid(np.random.default_rng(0).normal(size=(12, 12, 6)), smoothness=0.7)
    diversity = hh.LabelCoverage(parsimony=0.0, ignore=())
    found = hh.diverse(model, diversity, m=4, tradeoff=30.0, oracle="expansion", distinct=False, certify=False)
    proven = after(60, Objective(model, diversity, 30.0), 4, rows=found.labelings.reshape(4, -1))
    assert found.objective <= proven.bound < found.objective + 1e-6
    assert found.upper_bound > found.objective + 50


@pytest.mark.parametrize(
    ("model", "diversity"),
    [
        (hh.Chain(np.zeros((3, 2)), np.eye(2)), hh.LabelCoverage(ignore=())),
        (hh.FactorGraph(np.zeros((3, 2))), hh.VariableCoverage()),
        (hh.FactorGraph(np.zeros((3, 2))), hh.LabelCoverage(ignore=()) + hh.LinearHamming()),
        (hh.FactorGraph(np.zeros((4, 2))), hh.RegionCoverage([[0, 1, 2, 3]], robust=2)),
    ],
    ids=["tables", "variables", "a sum", "robust regions"],
)
def test_what_is_no_partition_is_left_to_others(model, diversity):
    assert not applies(Objective(model, diversity, 1.0))


def test_multipliers_of_another_model_are_refused():
    objective = Objective(hh.FactorGraph(np.zeros((3, 2))), hh.LabelCoverage(ignore=()), 1.0)
    with pytest.raises(ValueError, match="shapes"):
        evaluated(objective, 2, Prices(np.zeros(4), np.zeros((0, 2))))


def test_lists_of_labels_are_certified_by_parts_and_verified():
    model = hh.Grid(3 * np.random.default_rng(3).normal(size=(8, 8, 4)), smoothness=1.0)
    diversity = hh.LabelCoverage(parsimony=0.0, ignore=())
    plain = hh.diverse(model, diversity, m=3, tradeoff=20.0, oracle="expansion", distinct=False, certify=False)
    found = hh.diverse(model, diversity, m=3, tradeoff=20.0, oracle="expansion", distinct=False, certify=1)
    assert found.certificate.proof.source == "parts"
    assert found.upper_bound < plain.upper_bound
    again = hh.verify(found, model, diversity, oracle="expansion")
    assert again.upper_bound == pytest.approx(found.upper_bound, rel=1e-9)


def test_parts_end_by_what_is_at_stake() -> None:
    """A search that ends by an absolute gap leaves tiny scores to another argument, with another guarantee."""
    unary, edges = (
        np.array([[0.0, 1.0], [-3.0, 2.0], [2.0, -1.0], [-2.0, 3.0]]),
        [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]],
    )
    diversity, proven = hh.RegionCoverage([[0, 1], [1, 2, 3]], h="sqrt", robust=1), []
    for scale in (1.0, 2.0**-60):
        model = hh.FactorGraph(unary * scale, edges=edges, pairwise=np.array([3.0, 3.0, 2.0, 0.0, 3.0]) * scale)
        proven.append(hh.diverse(model, diversity, m=2, tradeoff=5.0 * scale).guarantee)
    assert proven[0] == pytest.approx(proven[1])


class OwnLabels(hh.LabelCoverage):
    """What another package could add: one group per label, in a class that the library does not know."""

    def list_weights(self, model, m):
        return hh.LabelCoverage(self.h, self.parsimony, self.ignore).list_weights(model, m)


class MoreThanLabels(hh.LabelCoverage):
    """Twice the value of a label: what the library knows of labels does not bound it."""

    def group_weights(self, model):
        return 2.0 * super().group_weights(model)


def test_diversities_of_others_say_themselves_what_labels_add():
    model = hh.Grid(np.random.default_rng(5).normal(size=(4, 4, 4)), smoothness=0.7)
    known, own, more = (
        Objective(model, kind(parsimony=0.0, ignore=()), 8.0) for kind in (hh.LabelCoverage, OwnLabels, MoreThanLabels)
    )
    assert applies(own)
    assert not applies(more)
    prices = after(20, known, 3).prices
    assert evaluated(own, 3, prices) == evaluated(known, 3, prices)
