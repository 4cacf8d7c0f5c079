# SPDX-License-Identifier: BSD-3-Clause
"""What must not change an answer: units, constants, names of variables and labels, idle variables, how arrays lie.

Every structure, oracle and diversity, on models without ties (random scores).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import hedgehop as hh
from tests.conformance.diversities import DIVERSITIES, NEED_EDGES
from tests.conformance.structures import STRUCTURES, Dice

THOROUGH = bool(os.environ.get("HEDGEHOP_THOROUGH"))
SCALES = (1e-300, 2.0**-60, 1e-7, 1e9, 1e290) if THOROUGH else (1e-300, 1e-7, 1e290)
SEEDS = range(8) if THOROUGH else range(1)
IN_UNITS = sorted(set(STRUCTURES) - {"grid8"})  # strengths by contrast have a scale of their own
ORACLES = sorted(hh.oracles.available())
SURE = {"tree", "exhaustive", "graphcut", "ilp", "chain", "auto", "matching", "spanning_tree", "arborescence"}


class ScaledDice(Dice):
    """The same random model, all scores times a factor."""

    factor = 1.0

    def scores(self, *shape: int) -> np.ndarray:
        return self.factor * super().scores(*shape)

    def strengths(self, count: int) -> np.ndarray:
        return self.factor * super().strengths(count)


def dice(seed: int, factor: float = 1.0, shift: float = 0.0) -> ScaledDice:
    d = ScaledDice(np.random.default_rng(seed), ties=False, forbid=seed % 2 == 1, shift=shift)
    d.factor = factor
    return d


def able(model: hh.Model) -> list[str]:
    return [name for name in ORACLES if hh.oracles.get(name).refusal(model, ()) is None]


@pytest.mark.parametrize("structure", IN_UNITS)
def test_units_of_scores_change_no_step(structure):
    for seed in SEEDS:
        model = STRUCTURES[structure](dice(seed))
        for oracle in (*able(model), "auto"):
            plain = hh.best(model, oracle=oracle)
            for scale in SCALES:
                step = hh.best(STRUCTURES[structure](dice(seed, scale)), oracle=oracle)
                same = step.exact == plain.exact
                if oracle not in SURE:  # narrower scores may help, and messages are integers of 32 bits
                    same = same or step.exact or step.upper_bound - step.value <= 1e-6 * abs(step.value)
                assert same, (oracle, scale)
                if plain.exact or oracle in SURE:
                    assert np.array_equal(step.labeling, plain.labeling), (oracle, scale)
                    assert step.value == pytest.approx(scale * plain.value, rel=1e-9, abs=0), (oracle, scale)


@pytest.mark.parametrize("diversity", DIVERSITIES)
def test_units_of_scores_and_tradeoff_change_no_list(diversity):
    structures = ["potts", "grid4"] if not THOROUGH else [s for s in IN_UNITS if STRUCTURES[s](dice(0)).n_variables > 2]
    for structure in structures:
        for seed in SEEDS:
            d = dice(seed)
            model = STRUCTURES[structure](d)
            if diversity in NEED_EDGES and not isinstance(model, hh.models.PairwiseModel):
                continue
            column = DIVERSITIES[diversity](d, model)
            plain = hh.diverse(model, column.diversity, 2, tradeoff=1.7, distinct=False, certify=False)
            for scale in SCALES:
                scaled = STRUCTURES[structure](dice(seed, scale))
                found = hh.diverse(scaled, column.diversity, 2, tradeoff=1.7 * scale, distinct=False, certify=False)
                assert np.array_equal(found.labelings, plain.labelings), (structure, scale)
                assert found.exact.tolist() == plain.exact.tolist(), (structure, scale)
                assert found.objective == pytest.approx(scale * plain.objective, rel=1e-9, abs=0)
                assert found.upper_bound == pytest.approx(scale * plain.upper_bound, rel=1e-4, abs=0)


def test_rounding_of_messages_is_no_gap_in_any_units():
    """Every other label is proven to do worse, so that about 1e-8 of what is at stake, left by integers, is nothing."""
    for scale in (1.0, 1e-7, 1e9):
        step = hh.best(STRUCTURES["binary"](dice(7, scale)), oracle="expansion")
        assert step.exact, scale
        assert step.upper_bound == step.value


@pytest.mark.parametrize("scale", [1.0, 1e-300])
def test_steps_that_reach_what_is_bounded_are_exact_in_any_units(scale):
    """Nothing is chosen yet, so that the sum steers exactly, whatever the rounding of a cut leaves."""
    d = dice(2)
    diversity = DIVERSITIES["sum_steered_ball"](d, STRUCTURES["binary"](d)).diversity
    found = hh.diverse(STRUCTURES["binary"](dice(2, scale)), diversity, 2, 1.7 * scale, distinct=False, certify=False)
    assert found.exact.tolist() == [True, True]


POWERS = (2.0**-500, 2.0**-40, 2.0**-7, 2.0**9, 2.0**60, 2.0**500) if THOROUGH else (2.0**-40, 2.0**9)
SHIFTS = (-3.0, 2.0**10) if THOROUGH else (2.0**10,)  # scores keep their digits
# Where labelings differ in how many scores they add up, a constant decides.
OF_ANY_SIZE = {
    "partial_matching", "graph_matching", "directed_path", "undirected_path", "acyclic_path", "automaton", "own_solver",
    "program", "mixed_program",
}  # fmt: skip
SHIFTED = sorted(set(STRUCTURES) - OF_ANY_SIZE)


def test_constants_shift_all_labelings_alike_where_they_may_change_no_proof():
    for structure in SHIFTED:
        model, moved = (STRUCTURES[structure](dice(0, shift=shift)) for shift in (0.0, 1024.0))
        every = hh.testing.all_labelings(model)
        every = every[np.isfinite(model.score(every))]
        change = moved.score(every) - model.score(every)
        assert np.ptp(change) < 1e-6, structure


def is_proven_alike(found: hh.DiverseList, plain: hh.DiverseList) -> bool:
    """Whether two lists have the same guarantee: last digits may steer the search for a bound a little differently.

    Where a list is no better than repeating its best labeling, the guarantee is 1 or 0, depending on whether what is
    left counts as rounding.
    """
    gaps = [1 - lists.objective / lists.upper_bound for lists in (found, plain)]
    return abs(found.guarantee - plain.guarantee) < 1e-2 or max(map(abs, gaps)) < 1e-5


def proven_list(structure: str, diversity: str, seed: int, factor: float = 1.0, shift: float = 0.0):
    """A list with its proof, searched for as by default; None where the diversity needs edges."""
    d = dice(seed)
    plain, model = STRUCTURES[structure](d), STRUCTURES[structure](dice(seed, factor, shift))
    if diversity in NEED_EDGES and not isinstance(model, hh.models.PairwiseModel):
        return None
    column = DIVERSITIES[diversity](d, plain)
    return hh.diverse(model, column.diversity, 3, tradeoff=1.7 * factor, distinct=False)


@pytest.mark.parametrize("diversity", DIVERSITIES)
def test_powers_of_two_change_not_a_digit_of_a_proof(diversity):
    for structure in IN_UNITS if THOROUGH else ["binary", "matching"]:
        for seed in SEEDS:
            plain = proven_list(structure, diversity, seed)
            for scale in POWERS if plain is not None else ():
                found = proven_list(structure, diversity, seed, scale)
                assert np.array_equal(found.labelings, plain.labelings), (structure, scale)
                assert found.exact.tolist() == plain.exact.tolist(), (structure, scale)
                if structure == "implications":  # penalties of forbidden pairs round at another digit
                    assert found.upper_bound == pytest.approx(scale * plain.upper_bound, rel=1e-7, abs=0), scale
                    continue
                assert found.upper_bound == scale * plain.upper_bound, (structure, scale)
                assert found.guarantee == plain.guarantee, (structure, scale)


@pytest.mark.parametrize("diversity", DIVERSITIES)
def test_units_of_scores_change_no_guarantee(diversity):
    """Units that are no powers of two cost last digits; these must not steer the search for a bound."""
    for structure in IN_UNITS if THOROUGH else ["binary", "matching"]:
        for seed in SEEDS:
            plain = proven_list(structure, diversity, seed)
            for scale in SCALES if plain is not None else ():
                found = proven_list(structure, diversity, seed, scale)
                assert np.array_equal(found.labelings, plain.labelings), (structure, scale)
                assert is_proven_alike(found, plain), (structure, scale)


@pytest.mark.parametrize("diversity", DIVERSITIES)
def test_constants_in_the_scores_change_no_proof(diversity):
    for structure in SHIFTED if THOROUGH else ["binary", "matching"]:
        for seed in SEEDS:
            plain = proven_list(structure, diversity, seed)
            for shift in SHIFTS if plain is not None else ():
                found = proven_list(structure, diversity, seed, shift=shift)
                assert np.array_equal(found.labelings, plain.labelings), (structure, shift)
                assert found.exact.tolist() == plain.exact.tolist(), (structure, shift)
                assert is_proven_alike(found, plain), (structure, shift)


@pytest.mark.parametrize("scale", SCALES)
def test_targets_are_found_in_any_units(scale):
    plain, scaled = (STRUCTURES["grid4"](dice(0, factor)) for factor in (1.0, scale))
    wanted = hh.target(distance=0.5)
    first = hh.diverse(plain, hh.LinearHamming(), 2, tradeoff=wanted)
    found = hh.diverse(scaled, hh.LinearHamming(), 2, tradeoff=wanted)
    assert found.tradeoff == pytest.approx(scale * first.tradeoff, rel=0.1, abs=0)
    assert found.distances[0, 1] >= 3


@dataclass
class Parts:
    """A pairwise model of tables in pieces."""

    unary: np.ndarray
    edges: np.ndarray
    tables: np.ndarray

    def model(self) -> hh.FactorGraph:
        return hh.FactorGraph(self.unary, self.edges, self.tables)


def random_parts(seed: int, labels: int) -> Parts:
    """Whole multiples of 2^-20, which sums of a few and float32 copies keep exactly."""
    random = np.random.default_rng(seed)
    edges = np.array([(0, 1), (1, 2), (2, 3), (3, 0)][: 4 - seed % 2])
    unary, tables = (random.integers(-(2**22), 2**22, s) / 2.0**20 for s in ((4, labels), (len(edges), labels, labels)))
    if labels == 2:
        tables[tables[:, 0, 0] + tables[:, 1, 1] < tables[:, 0, 1] + tables[:, 1, 0]] *= -1
    return Parts(unary, edges, tables)


Changed = tuple[hh.FactorGraph, Callable[[np.ndarray], np.ndarray]]  # a model, and how to read its labelings


def shifted(p: Parts) -> Changed:
    shift = 2.0**20 * np.arange(1, 5)[:, None]
    return Parts(p.unary + shift, p.edges, p.tables - 2.0**18).model(), lambda y: y


def variables_renamed(p: Parts) -> Changed:
    order = np.array([2, 0, 3, 1])  # new variable order[i] is old variable i
    return Parts(p.unary[np.argsort(order)], order[p.edges], p.tables).model(), lambda y: y[order]


def labels_renamed(p: Parts) -> Changed:
    order = np.arange(p.unary.shape[1])[::-1]
    return Parts(p.unary[:, order], p.edges, p.tables[:, order][:, :, order]).model(), lambda y: order[y]


def edges_turned(p: Parts) -> Changed:
    return Parts(p.unary, p.edges[::-1, ::-1], p.tables[::-1].transpose(0, 2, 1)).model(), lambda y: y


def two_copies(p: Parts) -> Changed:
    twice = Parts(np.tile(p.unary, (2, 1)), np.concatenate([p.edges, p.edges + 4]), np.tile(p.tables, (2, 1, 1)))
    return twice.model(), lambda y: y[4:] if np.array_equal(y[:4], y[4:]) else y


def idle_variable(p: Parts) -> Changed:
    rows = [*p.unary, np.array([0.25])]
    return hh.FactorGraph(rows, p.edges, list(p.tables)), lambda y: y[:4]


def single_precision(p: Parts) -> Changed:
    return Parts(p.unary.astype(np.float32), p.edges, p.tables.astype(np.float32)).model(), lambda y: y


def other_strides(p: Parts) -> Changed:
    wide = np.repeat(p.unary, 2, axis=1)[:, ::2]
    return Parts(wide[::-1][::-1], np.asfortranarray(p.edges), np.asfortranarray(p.tables)).model(), lambda y: y


CHANGES = (
    shifted, variables_renamed, labels_renamed, edges_turned, two_copies, idle_variable, single_precision,
    other_strides,
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda c: c.__name__)
@pytest.mark.parametrize("labels", [2, 3])
def test_names_constants_and_idle_variables_change_no_step(labels, change):
    for seed in range(8 if THOROUGH else 2):
        parts = random_parts(seed, labels)
        plain, (other, read) = parts.model(), change(parts)
        for oracle in (*able(plain), "auto"):
            if oracle != "auto" and hh.oracles.get(oracle).refusal(other, ()) is not None:
                continue
            first, step = hh.best(plain, oracle=oracle), hh.best(other, oracle=oracle)
            if oracle in SURE:
                assert first.exact, oracle
                assert step.exact, oracle
            if first.exact and step.exact:
                assert read(step.labeling).tolist() == first.labeling.tolist(), oracle
