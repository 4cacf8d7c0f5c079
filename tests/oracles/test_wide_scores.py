# SPDX-License-Identifier: BSD-3-Clause
"""Steps on scores of very different sizes, and of very small or large ones: exact is never wrong, answers are right.

The truth is found by enumeration in exact arithmetic, because sums of doubles are part of what is tested.
"""

from __future__ import annotations

import itertools
import os
from fractions import Fraction

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.oracles.conditioning import conditioned

ROUNDS = 40 if os.environ.get("HEDGEHOP_THOROUGH") else 4
PAIRWISE = ("graphcut", "qpbo", "swap", "expansion", "trws", "ilp", "exhaustive", "auto")


def true_scores(model) -> dict[tuple[int, ...], Fraction]:
    """Scores of all allowed labelings, without rounding."""
    unary = [[None if s == -np.inf else Fraction(float(s)) for s in row] for row in model.unary]
    tables = [
        [[Fraction(float(p)) for p in row] for row in model.pairwise.table(e, *model.label_counts[list(ends)])]
        for e, ends in enumerate(model.edges)
    ]
    scores = {}
    for y in itertools.product(*map(range, model.label_counts)):
        own = [row[k] for row, k in zip(unary, y, strict=True)]
        if None not in own:
            pairs = (table[y[i]][y[j]] for table, (i, j) in zip(tables, model.edges, strict=True))
            scores[y] = sum(own, Fraction()) + sum(pairs, Fraction())
    return scores


def stake(model) -> float:
    """What an ordinary variable or pair decides about."""
    ranges = np.concatenate([np.ptp(model.unary, axis=1), model.pairwise.spans(len(model.edges))])
    return float(np.median(ranges[ranges > 0]))


def check(model, oracle: str, right: bool = False) -> hh.Step:
    """Check a step's claims against the truth; where it must be right, that it is, and says so."""
    step, scores = hh.best(model, oracle=oracle), true_scores(model)
    top = max(scores.values())
    lost = float(top - scores[tuple(step.labeling.tolist())])
    assert step.upper_bound >= float(top) - 1e-12 * abs(float(top))
    if step.exact:
        assert lost <= 1e-6 * stake(model), f"{oracle} calls a loss of {lost} exact"
    if right:
        assert step.exact, f"{oracle}: {lost} lost and not called exact"
    return step


def random_edges(random, n: int) -> np.ndarray:
    edges = [p for p in itertools.combinations(range(n), 2) if random.random() < 0.6]
    return np.array(edges or [(0, 1)])


def can(oracle: str, model) -> bool:
    return hh.oracles.get(oracle).refusal(model, ()) is None


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("huge", [1e6, 1e8, 1e12])
@pytest.mark.parametrize("oracle", ["ilp", "auto", "graphcut", "swap", "qpbo"])
def test_a_huge_strength_decides_and_costs_no_digits(oracle, huge, labels):
    for seed in range(ROUNDS):
        random = np.random.default_rng(seed)
        edges = random_edges(random, 5)
        strengths = 2 * random.random(len(edges))
        strengths[random.integers(len(edges))] = huge
        model = hh.FactorGraph(random.normal(size=(5, labels)), edges, strengths)
        if can(oracle, model):
            check(model, oracle, right=oracle != "qpbo" and (labels == 2 or oracle in ("ilp", "auto")))


@pytest.mark.parametrize("huge", [1e7, 1e9, 1e13])
@pytest.mark.parametrize("oracle", ["graphcut", "swap", "qpbo", "ilp", "auto"])
def test_huge_terminals_beside_ordinary_ones(oracle, huge):
    """By unaries, and by tables of pairs that prefer to agree."""
    for seed in range(ROUNDS):
        random = np.random.default_rng(seed)
        unary, edges = random.normal(size=(5, 2)), random_edges(random, 5)
        unary[random.integers(5, size=2), random.integers(2, size=2)] -= huge
        tables = random.normal(size=(len(edges), 2, 2))
        tables[tables[:, 0, 0] + tables[:, 1, 1] < tables[:, 0, 1] + tables[:, 1, 0]] *= -1
        check(hh.FactorGraph(unary, edges, tables), oracle, right=True)
        tables[0, :, 1] -= huge
        check(hh.FactorGraph(random.normal(size=(5, 2)), edges, tables), oracle, right=oracle in ("ilp", "auto"))


@pytest.mark.parametrize("scale", [1e-300, 1e-13, 1e-7, 1e7, 1e200, 1e290])
@pytest.mark.parametrize("oracle", PAIRWISE)
def test_small_and_large_scores_are_solved_as_ordinary_ones(oracle, scale):
    for seed in range(ROUNDS // 2):
        random = np.random.default_rng(seed)
        edges = random_edges(random, 4)
        unary, strengths = random.normal(size=(4, 2)), random.random(len(edges))
        step = check(hh.FactorGraph(scale * unary, edges, scale * strengths), oracle)
        plain = hh.best(hh.FactorGraph(unary, edges, strengths), oracle=oracle)
        assert np.array_equal(step.labeling, plain.labeling)
        assert step.exact == plain.exact
        assert step.value == pytest.approx(scale * plain.value, rel=1e-9, abs=0)


@pytest.mark.parametrize("pairs", ["strengths", "agreeing", "any"])
@pytest.mark.parametrize("oracle", PAIRWISE)
def test_mixed_sizes_are_never_called_exact_when_wrong(oracle, pairs):
    """Every score of a size of its own, from 1e-12 to 1e12."""
    for seed in range(2 * ROUNDS):
        random = np.random.default_rng(seed)
        labels = 2 if seed % 2 or pairs == "agreeing" else 3
        edges = random_edges(random, 4)
        shape = (len(edges),) if pairs == "strengths" else (len(edges), labels, labels)
        unary, scores = mixed(random, (4, labels)), mixed(random, shape)
        if pairs == "strengths":
            scores = np.abs(scores)
        elif pairs == "agreeing":
            scores[scores[:, 0, 0] + scores[:, 1, 1] < scores[:, 0, 1] + scores[:, 1, 0]] *= -1
        model = hh.FactorGraph(unary, edges, scores)
        if can(oracle, model):
            check(model, oracle)


def mixed(random, shape) -> np.ndarray:
    return random.normal(size=shape) * 10.0 ** random.uniform(-12, 12, size=shape)


@pytest.mark.parametrize("offset", [1e4, 1e9, 2.0**45])
@pytest.mark.parametrize("oracle", ["tree", "chain", "exhaustive", "ilp", "auto"])
def test_constants_added_to_all_scores_change_nothing_on_chains(oracle, offset):
    """Whole numbers times 2^-6, so that the sums are exact and only what solvers do with them is tested."""
    for seed in range(ROUNDS):
        random = np.random.default_rng(seed)
        unary, steps = (random.integers(-200, 200, shape) / 64 for shape in ((5, 3), (3, 3)))
        step = check(hh.Chain(unary + offset, steps), oracle, right=True)
        assert step.labeling.tolist() == hh.best(hh.Chain(unary, steps), oracle=oracle).labeling.tolist()


@pytest.mark.parametrize("potential", ["labels", "distance", "region"])
def test_programs_with_tiny_scores_and_potentials(potential):
    random = np.random.default_rng(0)
    edges = random_edges(random, 4)
    unary, strengths = random.normal(size=(4, 3)), random.random(len(edges))
    term = {
        "labels": hh.potentials.LabelWeights([-0.7, 0.4, 0.9]),
        "distance": hh.potentials.Cardinality([0, 1, 2, 0], [0.0, 1.0, 1.5, 1.7, 1.8]),
        "region": hh.potentials.RegionWeights([[0, 1, 2]], [[0.9, 0.8, 0.3]]),
    }[potential]
    plain = hh.best(hh.FactorGraph(unary, edges, strengths), term, "ilp")
    for scale in (2.0**-40, 2.0**-400, 2.0**60):
        model = hh.FactorGraph(scale * unary, edges, scale * strengths)
        step = hh.best(model, scale * term, "ilp")
        assert step.labeling.tolist() == plain.labeling.tolist()
        assert step.exact
        assert step.value == pytest.approx(scale * plain.value, rel=1e-12, abs=0)


@pytest.mark.parametrize("seed", range(12))
def test_raised_tables_still_prefer_to_agree_and_have_the_same_best_labelings(seed):
    random = np.random.default_rng(seed)
    edges, unary = random_edges(random, 4), random.normal(size=(4, 2))
    tables = random.normal(size=(len(edges), 2, 2)) * 10.0 ** random.uniform(-1, 4, size=(len(edges), 1, 1))
    tables[tables[:, 0, 0] + tables[:, 1, 1] < tables[:, 0, 1] + tables[:, 1, 0]] *= -1
    model, every = hh.FactorGraph(unary, edges, tables), np.array(list(itertools.product((0, 1), repeat=4)))
    centred = conditioned(model, None, -np.inf, 0)
    loss = -float(np.max(centred.score(every)))
    narrow = conditioned(model, None, -1.001 * loss, 3)
    assert centred.prefers_agreement
    assert narrow.prefers_agreement
    assert np.argmax(narrow.score(every)) == np.argmax(model.score(every))
    assert np.max(narrow.score(every)) == pytest.approx(-8.0 * loss, rel=1e-9, abs=0)


def test_swaps_keep_the_digits_of_small_strengths_beside_huge_leads():
    """Leads are cut down to what strengths can pay: the difference to the scores must not swallow them."""
    for seed in range(8):
        random = np.random.default_rng(seed)
        edges = random_edges(random, 5)
        model = hh.FactorGraph(1e12 * random.normal(size=(5, 2)), edges, np.full(len(edges), 1e-9))
        check(model, "swap", right=True)


@pytest.mark.parametrize("huge", [1e6, 1e9, 1e12])
@pytest.mark.parametrize("tables", [False, True])
def test_cuts_keep_their_digits_where_every_labeling_loses_something_huge(huge, tables):
    """Two variables want to differ as much as their edge wants them to agree: what is typical is huge, too."""
    for seed in range(5):
        random = np.random.default_rng(seed)
        edges = list(itertools.combinations(range(6), 2))
        unary, strengths = random.normal(size=(6, 2)), random.random(len(edges))
        unary[:2] = [[0.0, -huge], [-huge, 0.0]]
        strengths[0] = huge
        pairs = strengths if not tables else -strengths[:, None, None] * (1.0 - np.eye(2))
        model = hh.FactorGraph(unary, edges, pairs)
        cut, best = hh.best(model, oracle="graphcut"), hh.best(model, oracle="exhaustive")
        assert cut.value == pytest.approx(best.value, rel=1e-14, abs=1e-9)
        assert cut.upper_bound >= best.value


SQUARE = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


@pytest.mark.parametrize("huge", [1e20, 1e40, 1e300])
@pytest.mark.parametrize("perfect", [False, True])
def test_losses_that_no_matching_needs_take_no_digits_from_the_others(huge, perfect):
    """Weights become whole numbers of 100 bits: beside 1e300, edges of 1 were nothing, and the answer was "exact"."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        weights = random.normal(size=6)
        weights[random.integers(6)] = -huge
        weights[random.integers(6)] = -(huge**0.75)
        model = hh.GraphMatching(SQUARE, weights, perfect=perfect)
        step = hh.best(model, oracle="graph_matching")
        truth = hh.best(model, oracle="exhaustive")
        assert np.array_equal(step.labeling, truth.labeling)
        assert step.exact
