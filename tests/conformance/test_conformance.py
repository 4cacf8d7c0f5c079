# SPDX-License-Identifier: BSD-3-Clause
"""Structures x diversities x oracles, each against enumeration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgehop as hh
from hedgehop.potentials import total_value
from tests.conformance.diversities import DIVERSITIES, NEED_EDGES
from tests.conformance.structures import STRUCTURES, THOROUGH, WITHOUT_EDGES, Dice, dice, examples, seeded

TABLE = [
    pytest.param(s, d, id=f"{s}-{d}")
    for s in STRUCTURES
    for d in DIVERSITIES
    if s not in WITHOUT_EDGES or d not in NEED_EDGES
]
close = 1e-7


def for_every_cell(test: Callable[[str, str, Dice], None]) -> Any:
    """Try every structure with every diversity: one model each, or HEDGEHOP_THOROUGH drawn ones, which shrink."""

    def once(structure: str, diversity: str) -> None:
        test(structure, diversity, seeded(f"{test.__name__} {structure} {diversity}"))

    once.__doc__ = test.__doc__
    tried = examples(THOROUGH)(given(d=dice())(test)) if THOROUGH else once
    return pytest.mark.parametrize(("structure", "diversity"), TABLE)(tried)


def some_list(d: Dice, model: hh.Model, most: int) -> np.ndarray:
    every = hh.testing.all_labelings(model)
    allowed = every[np.isfinite(np.asarray(model.score(every)))]
    return allowed[d.random.integers(0, len(allowed), size=int(d.random.integers(0, most + 1)))]


@pytest.mark.parametrize("structure", STRUCTURES)
@examples(8)
@given(dice())
def test_models_keep_their_promises(structure, d):
    hh.testing.check_model(STRUCTURES[structure](d))


@for_every_cell
def test_diversity_equals_its_definition(structure, diversity, d):
    model = STRUCTURES[structure](d)
    column = DIVERSITIES[diversity](d, model)
    for rows in (some_list(d, model, 4), some_list(d, model, 2)):
        assert column.diversity.value(model, rows) == pytest.approx(column.value(model, rows), abs=close)
    hh.testing.check_diversity(column.diversity, model, seed=int(d.random.integers(1000)), lists=5)


@for_every_cell
def test_oracles_solve_the_step(structure, diversity, d):
    """Every oracle that does not refuse: value, bound and exactness against enumeration."""
    model = STRUCTURES[structure](d)
    column, tradeoff = DIVERSITIES[diversity](d, model), d.pick(0.5, 3.0, 10.0)
    chosen = some_list(d, model, 3)
    for potentials in (column.diversity.potentials(model, chosen), column.diversity.bounding(model, chosen)):
        scaled = [p.scaled(tradeoff) for p in potentials]
        for name in hh.oracles.available():
            solver = hh.oracles.get(name)
            if solver.refusal(model, scaled) is None:
                hh.testing.check_oracle(solver, model, scaled)


def objective(model: hh.Model, value, tradeoff: float, rows: np.ndarray) -> float:
    return float(np.sum(model.score(rows))) + tradeoff * value(model, rows)


def every_list(model: hh.Model, m: int, most: int = 150) -> list[np.ndarray]:
    """All lists of m allowed labelings; where these are too many, those of the best labelings."""
    every = hh.testing.all_labelings(model)
    scores = np.asarray(model.score(every))
    order = [k for k in np.argsort(-scores, kind="stable") if np.isfinite(scores[k])]
    while math.comb(len(order) + m - 1, m) > most:
        order.pop()
    return [every[list(p)] for p in itertools.combinations_with_replacement(order, m)]


@for_every_cell
def test_list_is_certified(structure, diversity, d):
    model = STRUCTURES[structure](d)
    column = DIVERSITIES[diversity](d, model)
    m, tradeoff, method = d.pick(1, 2, 3), d.pick(0.0, 1.0, 5.0), d.pick("greedy", "distorted", "refine")
    options = {"refine": True} if method == "refine" else {"method": method}
    found = hh.diverse(model, column.diversity, m, tradeoff, distinct=False, **options)
    rows = found.labelings.reshape(m, -1)
    true = objective(model, column.value, tradeoff, rows)
    assert found.objective == pytest.approx(true, abs=close)
    assert found.gains.sum() == pytest.approx(true, abs=close)
    assert (found.bounds >= found.gains - close).all()
    assert found.objective <= found.upper_bound
    lists = every_list(model, m)
    values = [objective(model, column.value, tradeoff, rows) for rows in lists]
    best = max(*values, true)
    assert found.upper_bound >= best - close * max(1, abs(best))
    for bound in (found.certificate.monotone, found.certificate.product):
        if bound is not None:
            assert bound >= best - close * max(1, abs(best))
    if column.diversity.submodular and found.exact.all():
        check_guarantee(found, column, model, tradeoff, lists, method)


def check_guarantee(found, column, model, tradeoff, lists, method):
    """Greedy: (1 - 1/e) where F is monotone. Distorted: F(S) >= l(T) + (1 - 1/e) tradeoff D(T) for every T."""
    share = 1 - (1 - 1 / len(found)) ** len(found)
    for rows in lists:
        modular = float(np.sum(model.score(rows))) + tradeoff * float(column.diversity.parsimony_of(model, rows).sum())
        covered = tradeoff * column.diversity.coverage(model, rows)
        if method == "distorted":
            assert found.objective >= modular + share * covered - 1e-5
        elif found.certificate.monotone is not None:
            assert found.objective >= share * (modular + covered) - 1e-5


@pytest.mark.parametrize("structure", STRUCTURES)
@examples(8)
@given(d=dice(), oracle=st.sampled_from(["exhaustive", "ilp", "auto"]))
def test_distinct_without_diversity_is_m_best(structure, oracle, d):
    """Lawler's partition (auto, on trees and structures), no-good rows (ilp) and enumeration give the k best."""
    model = STRUCTURES[structure](d)
    if hh.oracles.get(oracle).refusal(model, ()) is not None:
        return
    every = hh.testing.all_labelings(model)
    scores = np.sort(np.asarray(model.score(every)))[::-1]
    m = min(5, int(np.isfinite(scores).sum()))
    found = hh.diverse(model, hh.LinearHamming(), m, tradeoff=0.0, oracle=oracle, distinct=True)
    assert found.distinct == m
    assert found.relevance == pytest.approx(scores[:m], abs=1e-5)


@for_every_cell
def test_distinct_step_is_best_of_the_rest(structure, diversity, d):
    model = STRUCTURES[structure](d)
    column = DIVERSITIES[diversity](d, model)
    every = hh.testing.all_labelings(model)
    allowed = every[np.isfinite(np.asarray(model.score(every)))]
    m = min(3, len(allowed))
    found = hh.diverse(model, column.diversity, m, tradeoff=2.0, distinct=True, oracle="exhaustive")
    assert found.distinct == m
    rows = found.labelings.reshape(m, -1)
    for t in range(m):
        steps = [p.scaled(2.0) for p in column.diversity.potentials(model, rows[:t])]
        values = np.asarray(model.score(allowed)) + total_value(model, steps, allowed)
        fresh = np.array([not any((y == z).all() for z in rows[:t]) for y in allowed])
        reached = values[(allowed == rows[t]).all(axis=1)][0]
        assert reached == pytest.approx(values[fresh].max(), abs=close)


@pytest.mark.parametrize("structure", ["binary", "spanning_tree", "matching", "arborescence", "directed_path"])
@pytest.mark.parametrize("oracle", ["exhaustive", "ilp", "auto"])
@examples(8)
@given(d=dice(), distance=st.integers(1, 3))
def test_minimum_distance_is_kept_and_best(structure, oracle, d, distance):
    model = STRUCTURES[structure](d)
    every = hh.testing.all_labelings(model)
    try:
        found = hh.diverse(model, hh.VariableCoverage(), 2, tradeoff=0.5, oracle=oracle, min_distance=distance)
    except UserWarning:  # raised as an error here: no labeling is far enough from the best one
        scores = np.asarray(model.score(every))
        far = (every != every[scores.argmax()]).sum(axis=1) >= distance
        assert not np.isfinite(scores[far]).any()
        return
    first, second = found.labelings
    assert (first != second).sum() >= distance
    far = every[(every != first).sum(axis=1) >= distance]
    gains = np.asarray(model.score(far)) + 0.5 * np.asarray(hh.VariableCoverage().gain(model, far, first[None]))
    assert found.gains[1] == pytest.approx(gains.max(), abs=1e-5)


@pytest.mark.parametrize("structure", ["potts", "chain", "grid4", "ragged"])
@pytest.mark.parametrize("diversity", DIVERSITIES)
@examples(2)
@given(d=dice())
def test_select_from_a_full_pool_is_greedy(structure, diversity, d):
    model = STRUCTURES[structure](d)
    column = DIVERSITIES[diversity](d, model)
    every = hh.testing.all_labelings(model)
    pool = every[np.isfinite(np.asarray(model.score(every)))]
    m = min(3, len(pool))
    chosen = hh.select(pool, model, column.diversity, m, tradeoff=2.0)
    assert chosen.objective == pytest.approx(objective(model, column.value, 2.0, pool[chosen.indices]), abs=close)
    values = [
        objective(model, column.value, 2.0, pool[list(k)])
        for k in itertools.islice(itertools.combinations(range(len(pool)), m), 300)
    ]
    assert chosen.objective <= chosen.upper_bound
    assert chosen.upper_bound >= max(values) - close
    taken: list[int] = []
    for k in chosen.indices:  # lazy or not, each pick is the best of the rest
        gains = np.asarray(model.score(pool)) + 2.0 * np.asarray(column.diversity.gain(model, pool, pool[taken]))
        gains[taken] = -np.inf
        assert gains[k] == pytest.approx(gains.max(), abs=close)
        taken.append(int(k))


@pytest.mark.parametrize("structure", ["potts", "chain", "grid4"])
@examples(8)
@given(d=dice())
def test_portfolio_concatenates_the_parts(structure, d):
    model = STRUCTURES[structure](d)
    parts = [DIVERSITIES[name](d, model) for name in ("variable_coverage", "label_coverage", "smooth_ball")]
    found = hh.portfolio(model, [p.diversity for p in parts], m=4, tradeoff=2.0)
    rows = found.labelings.reshape(len(found), -1)
    total = float(np.sum(model.score(rows))) + 2.0 * sum(p.value(model, rows) for p in parts)
    assert found.objective == pytest.approx(total, abs=close)
    assert found.objective <= found.upper_bound
    assert found.distinct == len(found)
    best = max(
        float(np.sum(model.score(r))) + 2.0 * sum(p.value(model, r) for p in parts)
        for r in every_list(model, len(found), most=120)
    )
    assert found.upper_bound >= best - close
    alone = hh.diverse(model, parts[0].diversity, 2, tradeoff=2.0)
    assert np.array_equal(found.labelings[0], alone.labelings[0])
