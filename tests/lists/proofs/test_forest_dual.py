# SPDX-License-Identifier: BSD-3-Clause
"""The kernel of the list dual on forests: the rounds of the search in Python, and where it hands over."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

import hedgehop as hh
from hedgehop import _core
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.bounds import Problem
from hedgehop.lists.proofs.list_dual import SLOPES, ListDual, _families


def chain(random):
    return hh.Chain(random.normal(size=(12, 4)), random.normal(size=(4, 4)))


def tree(random):
    edges = [(i, int(random.integers(i))) for i in range(1, 9)]
    return hh.FactorGraph([random.normal(size=random.integers(1, 5)) for _ in range(9)], edges, 0.5)


def forbidding(random):
    emissions = random.normal(size=(8, 3))
    emissions[2, 1] = emissions[5, 0] = -np.inf
    return hh.Chain(emissions, random.normal(size=(3, 3)))


def problem_of(model, diversity, tradeoff, m=3, **options):
    found = hh.diverse(model, diversity, m, tradeoff, certify=False, **options)
    distance = found.certificate.apart
    rows = np.ascontiguousarray(found.labelings.reshape(m, -1), np.int32)
    return Problem(Objective(model, diversity, tradeoff), hh.oracles.get("auto").on(model), rows, distance)


@pytest.mark.parametrize("make", [chain, tree, forbidding])
@pytest.mark.parametrize("name", ["log", "sqrt", "hamming"])
def test_the_kernel_does_the_rounds_of_the_search(make, name):
    random = np.random.default_rng(7)
    model = make(random)
    weights = random.random(model.n_variables) + 0.1
    diversity = hh.LinearHamming(weights) if name == "hamming" else hh.VariableCoverage(name, weights)
    problem = problem_of(model, diversity, 0.7, distinct=False)
    known = [each.bound for each in islice(ListDual(problem, _families(problem)).bounds(), 6)]
    found = list(islice(SLOPES.find(problem), 6))
    open_gap = known[0] - problem.objective.value(problem.rows)
    assert found[0].bound == pytest.approx(known[0], abs=1e-3 * open_gap)
    assert min(each.bound for each in found) == pytest.approx(min(known), abs=0.05 * open_gap)
    for each in found:
        assert SLOPES.check(problem, each.arrays) == pytest.approx(each.bound, rel=1e-9)
        assert each.bound >= problem.objective.value(problem.rows) - 1e-9


def test_lists_that_must_differ_get_bounds_that_know_it():
    """One labeling is far ahead: a list that repeats it is worth more than any that must not."""
    model = hh.Chain([[3.0, 0.0]] * 4, np.zeros((2, 2)))
    problem = problem_of(model, hh.VariableCoverage(), 0.1, distinct=True)
    free = problem_of(model, hh.VariableCoverage(), 0.1, distinct=False)
    bounds = [min(found.bound for found in islice(SLOPES.find(each), 8)) for each in (problem, free)]
    assert bounds[0] < bounds[1] - 1.0
    every = np.array(list(np.ndindex(2, 2, 2, 2)), np.int32)
    best = max(problem.objective.value(every[[a, b, c]]) for a in range(16) for b in range(a) for c in range(b))
    assert best - 1e-9 <= bounds[0]


def test_what_is_no_problem_is_refused():
    model = hh.Chain(np.zeros((3, 2)), np.zeros((2, 2)))
    ones, h, rows = np.ones(3), np.array([0.0, 1.0, 1.5]), np.zeros((2, 3), np.int32)

    def made(weights=ones, h=h, rows=rows, scores=(0.0, 0.0), stake=1.0, unit=1.0):
        return _core.counts.ForestDual(
            model.unary, model.pairs, weights, h, rows, np.array(scores), stake, unit, 0.0, 1
        )

    made().round()
    for wrong in (
        {"weights": np.zeros(3)}, {"weights": np.ones(2)}, {"h": np.array([0.0, 1.0])}, {"h": np.array([0, np.nan, 1])},
        {"rows": rows[:1]}, {"rows": rows + 2}, {"scores": (0.0, np.inf)}, {"stake": 0.0}, {"unit": np.nan},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"must|label"):
            made(**wrong)
