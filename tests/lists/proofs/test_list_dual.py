# SPDX-License-Identifier: BSD-3-Clause
"""The list dual against enumeration: bounds that hold, are tight, can be checked again, and lists they improve."""

from __future__ import annotations

import itertools
import os
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

import hedgehop as hh
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.bounds import Problem, Proof
from hedgehop.lists.proofs.list_dual import RELAXED
from hedgehop.lists.proofs.search import BOUND_METHODS

ROUNDS = 200 if os.environ.get("HEDGEHOP_THOROUGH") else 1
H = ["log", "sqrt", "count"]


def tree(random):
    edges = [(i, int(random.integers(i))) for i in range(1, 4)]
    return hh.FactorGraph(2 * random.normal(size=(4, 2)), edges, 2 * random.random(3))


def potts(random):
    edges = [(0, 1), (1, 2), (0, 2)]
    return hh.FactorGraph(2 * random.normal(size=(3, 3)), edges, 2 * random.random(3))


def binary(random):
    return hh.FactorGraph(2 * random.normal(size=(4, 2)), [(0, 1), (1, 2), (2, 3), (3, 0)], 2 * random.random(4))


def chain(random):
    return hh.Chain(random.normal(size=(3, 3)), random.normal(size=(3, 3)))


def matching(random):
    return hh.Matching(random.normal(size=(3, 3)))


def spanning(random):
    return hh.SpanningTree([[0, 1], [1, 2], [0, 2], [2, 3], [1, 3]], random.normal(size=5))


def parse(random):
    return hh.Arborescence(random.normal(size=(3, 4)))


STRUCTURES = [tree, potts, binary, chain, matching, spanning, parse]
DIVERSITIES = {
    "variables": lambda d, model: hh.VariableCoverage(str(d.choice(H)), d.random(model.n_variables)),
    "hamming": lambda d, model: hh.LinearHamming(steer=str(d.choice(["exact", "half"]))),
    "labels": lambda d, model: hh.LabelCoverage(str(d.choice(H)), [0.0, -1.0, "auto"][d.integers(3)], ignore=()),
    "sizes": lambda d, model: hh.LabelCoverage("sqrt", 0.0, ignore=(), min_share=(0.0, 0.5)),
    "kinds": lambda d, model: hh.KindCoverage(np.arange(model.label_counts.max()) % 2, parsimony=-0.5),
    "transitions": lambda d, model: hh.TransitionCoverage("log", [0.0, "auto"][d.integers(2)]),
    "regions": lambda d, model: hh.RegionCoverage(
        [[0, 1], [1, 2]][: model.n_variables - 1], "sqrt", robust=int(d.integers(1, 3))
    ),
    "expected": lambda d, model: hh.ExpectedBest(labelings(model)[d.integers(0, len(labelings(model)), 4)]),
    "named": lambda d, model: hh.GroupCoverage(
        lambda y: [int(y.sum()), f"first {y[0]}"], "sqrt", -0.3, {"first 1": 0.5}
    ),
    "sum": lambda d, model: 0.5 * hh.VariableCoverage() + hh.LabelCoverage(parsimony=-0.2),
}


def labelings(model):
    every = hh.testing.all_labelings(model)
    return every[np.isfinite(np.asarray(model.score(every)))]


def best_list(model, diversity, tradeoff, m, distance=0):
    every = labelings(model)
    score = np.asarray(model.score(every))
    lists = itertools.combinations_with_replacement(range(len(every)), m)
    apart = (every[:, None] != every).sum(axis=2) >= distance
    allowed = (t for t in lists if all(apart[a, b] for a, b in itertools.combinations(t, 2)))
    return max(score[list(t)].sum() + tradeoff * diversity.value(model, every[list(t)]) for t in allowed)


def cases(structure, name, seed):
    random = np.random.default_rng([seed, STRUCTURES.index(structure), list(DIVERSITIES).index(name)])
    for _ in range(ROUNDS):
        model = structure(random)
        if name == "transitions" and not hasattr(model, "edges"):
            return
        if name == "transitions" and structure in (spanning,):
            return
        yield model, DIVERSITIES[name](random, model), float(3 * random.random()), random


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("name", DIVERSITIES)
def test_no_bound_is_below_the_best_list_and_most_are_tight(structure, name):
    for model, diversity, tradeoff, _ in cases(structure, name, 0):
        best = best_list(model, diversity, tradeoff, 2)
        oracle = "auto" if structure is tree else "exhaustive"
        found = hh.diverse(model, diversity, 2, tradeoff, distinct=False, oracle=oracle)
        better = found.improve(20)
        slack = 1e-9 * max(1.0, abs(best))
        assert min(found.upper_bound, better.upper_bound) >= best - slack
        assert found.objective <= better.objective <= best + slack
        assert better.upper_bound <= found.upper_bound
        room = best - better.certificate.baseline
        gap = better.upper_bound - best  # the search ends where value and bound meet, to 1e-8 of what is at stake
        assert gap <= 0.25 * max(room, 0.0) + 1000 * slack, "small models leave hardly any gap"


@pytest.mark.parametrize("name", DIVERSITIES)
def test_any_slopes_at_all_are_a_bound(name):
    """Slopes from nowhere, as an adversary would give them: still no list above."""
    for model, diversity, tradeoff, random in cases(potts, name, 1):
        found = hh.diverse(model, diversity, 2, tradeoff, distinct=False, certify=4, oracle="exhaustive")
        if found.certificate.proof.source != "slopes":
            continue
        best = best_list(model, diversity, tradeoff, 2)
        for _ in range(3):
            arrays = {k: a if a.dtype.kind == "i" else a + random.normal(size=a.shape)
                      for k, a in found.certificate.proof.arrays.items()}  # fmt: skip
            arrays = {k: np.clip(a, 0, 1) if k.startswith("best") else a for k, a in arrays.items()}
            changed = replace(
                found, certificate=replace(found.certificate, upper_bound=np.inf, proof=Proof("slopes", arrays))
            )
            assert hh.verify(changed, model, diversity, "exhaustive").upper_bound >= best - 1e-9 * max(1.0, abs(best))


MIXED = {
    "variables": (lambda: hh.VariableCoverage("sqrt"), "sqrt", lambda y: set(enumerate(y))),
    "hamming": (lambda: hh.LinearHamming(), "hamming", lambda y: set(enumerate(y))),
    "labels": (lambda: hh.LabelCoverage("log", 0.0, ignore=()), "log", set),
    "transitions": (lambda: hh.TransitionCoverage("log", 0.0), "log", lambda y: {tuple(sorted(p)) for p in
                    ((y[0], y[1]), (y[1], y[2]), (y[0], y[2])) if p[0] != p[1]}),
}  # fmt: skip


def best_mixture(score, inside, h, tradeoff, m):
    """Maximise ``m E[r] + tradeoff * sum_g h(m P(g))`` over distributions of labelings, h interpolated: a program."""
    many, groups = inside.shape
    rises = np.diff(h)
    rows = np.vstack([np.hstack([-rise * m * inside.T, np.eye(groups)]) for rise in rises])
    right = np.concatenate([np.full(groups, h[c] - rises[c] * c) for c in range(m)])
    found = linprog(-np.r_[m * score, np.full(groups, tradeoff)], rows, right, [np.r_[np.ones(many), np.zeros(groups)]],
                    [1.0], [(0, 1)] * many + [(None, None)] * groups)  # fmt: skip
    return -found.fun


@pytest.mark.parametrize("name", MIXED)
def test_the_smallest_bound_is_the_value_of_the_best_mixture(name):
    made, h, groups = MIXED[name]
    c, m = np.arange(4.0), 3
    values = {"sqrt": np.sqrt(c), "log": np.log1p(c), "hamming": -c * c / 2}[h]
    for seed in range(3):
        random = np.random.default_rng(seed)
        model, tradeoff = potts(random), float(0.5 + 2 * random.random())
        every = labelings(model)
        named = [groups(y) for y in every.tolist()]
        inside = np.array([[g in own for g in sorted(set().union(*named))] for own in named], float)
        mixture = best_mixture(np.asarray(model.score(every)), inside, values, tradeoff, m)
        mixture += tradeoff * 0.5 * m * m * model.n_variables if h == "hamming" else 0.0
        found = hh.diverse(model, made(), m, tradeoff, distinct=False, oracle="exhaustive", certify=False)
        dual = next(p for p in BOUND_METHODS if p.source == "slopes")
        rows = found.labelings.reshape(m, -1).astype(np.int32)
        problem = Problem(Objective(model, made(), tradeoff), hh.oracles.get("exhaustive").on(model), rows)
        bound = min(found.bound for found in itertools.islice(dual.find(problem), 80))
        assert best_list(model, made(), tradeoff, m) <= mixture + 1e-7
        assert mixture - 1e-7 <= bound <= mixture + 1e-3 * abs(mixture)


@pytest.mark.parametrize("distance", [0, 1])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_any_relaxed_slopes_are_a_bound_on_agreement_with_samples(structure, distance):
    for plain, samples, tradeoff, random in cases(structure, "expected", 7):
        weighted = hh.ExpectedBest(samples.samples, random.random(plain.n_variables))
        for diversity in (weighted, 0.5 * hh.VariableCoverage() + weighted, hh.UniqueItems(weighted)):
            objective, best = Objective(plain, diversity, tradeoff), best_list(plain, diversity, tradeoff, 2, distance)
            rows = labelings(plain)[random.integers(0, len(labelings(plain)), 2)].astype(np.int32)
            rows = rows if distance == 0 else labelings(plain)[:2].astype(np.int32)
            problem = Problem(objective, hh.oracles.get("exhaustive").on(plain), rows, distance)
            for found in itertools.islice(RELAXED.find(problem), 4):
                assert found.bound >= best - 1e-9 * max(1.0, abs(best))
                arrays = {k: a + random.normal(size=a.shape) if a.dtype.kind == "f" else a
                          for k, a in found.arrays.items()}  # fmt: skip
                assert RELAXED.check(problem, arrays) >= best - 1e-9 * max(1.0, abs(best))
                assert RELAXED.check(problem, found.arrays) == pytest.approx(found.bound)


def test_samples_of_large_models_are_bounded_variable_by_variable():
    """Chords of single samples prove next to nothing here."""
    model = hh.Grid(np.random.default_rng(9).normal(size=(12, 12, 3)), smoothness=0.4)
    diversity = hh.ExpectedBest(hh.samples(model, 8, seed=0))
    found = hh.diverse(model, diversity, 4, 100.0, distinct=False, certify=False)
    better = found.improve(20)
    assert better.guarantee > 5 * found.guarantee
    assert better.certificate.proof.source == "relaxed slopes"
    assert "list dual" in better.report(verbose=True)
    assert hh.verify(better, model, diversity).upper_bound == pytest.approx(better.upper_bound, rel=0.01)


@pytest.mark.parametrize("distance", [1, 2])
@pytest.mark.parametrize("name", ["variables", "hamming", "labels", "expected", "named"])
def test_lists_that_must_differ_stay_so_and_are_bounded(name, distance):
    for model, diversity, tradeoff, _ in cases(potts, name, 2):
        found = hh.diverse(model, diversity, 3, tradeoff, distinct=True, min_distance=distance, oracle="exhaustive")
        better = found.improve(9)
        best = best_list(model, diversity, tradeoff, 3, distance)
        assert (better.distances + 99 * np.eye(3, dtype=int)).min() >= distance
        assert found.objective <= better.objective + 1e-9
        assert better.objective <= best + 1e-9 <= better.upper_bound + 1e-8


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("name", DIVERSITIES)
def test_bounds_of_different_labelings_hold_and_are_tight(structure, name):
    for model, diversity, tradeoff, _ in cases(structure, name, 4):
        m = 3 if len(labelings(model)) <= 16 else 2
        found = hh.diverse(model, diversity, m, tradeoff, distinct=True, oracle="exhaustive").improve(20)
        best = best_list(model, diversity, tradeoff, m, 1)
        slack = 1e-9 * max(1.0, abs(best))
        assert found.objective - slack <= best <= found.upper_bound + slack
        room = best - found.certificate.baseline
        assert found.upper_bound - best <= 0.25 * max(room, 0.0) + 1000 * slack
        again = hh.verify(found, model, diversity, "exhaustive")
        assert again.upper_bound == pytest.approx(found.upper_bound, abs=1e-7)
        assert again.baseline == pytest.approx(found.certificate.baseline, abs=1e-7)


@pytest.mark.parametrize("distance", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["variables", "hamming", "named"])
def test_any_labelings_taken_away_leave_a_bound_of_lists_that_keep_their_distance(name, distance):
    for structure in (tree, binary):
        for model, diversity, tradeoff, random in cases(structure, name, 5):
            found = hh.diverse(model, diversity, 2, tradeoff, min_distance=distance, certify=6, oracle="exhaustive")
            best, every = best_list(model, diversity, tradeoff, 2, distance), labelings(model)
            assert found.upper_bound >= best - 1e-9 * max(1.0, abs(best))
            arrays = {k: a for k, a in found.certificate.proof.arrays.items() if k != "apart"}
            for count in (1, 2, 5, len(every) - 1):
                rows = every[random.permutation(len(every))[:count]].astype(np.int32)
                changed = Proof(found.certificate.proof.source, arrays | {"apart": rows})
                claim = replace(found.certificate, upper_bound=np.inf, proof=changed)
                changed = replace(found, certificate=claim)
                proven = hh.verify(changed, model, diversity, "exhaustive").upper_bound
                assert proven >= best - 1e-9 * max(1.0, abs(best))


@pytest.mark.parametrize("name", [*DIVERSITIES, "ball", "exact ball"])
def test_lists_of_all_labelings_are_optimal(name):
    """No list is better because there is hardly another one, though bounds on single labelings leave a gap."""
    random = np.random.default_rng(11)
    made = {**DIVERSITIES, "ball": lambda d, model: hh.HammingBall(gamma=0.3),
            "exact ball": lambda d, model: hh.HammingBall(radius=1)}[name]  # fmt: skip
    small = hh.FactorGraph(random.normal(size=(2, 2)), [(0, 1)], [0.3])
    for model in (small, hh.Matching(random.normal(size=(3, 3)))):
        if name == "transitions" and not hasattr(model, "edges"):
            continue
        diversity, count = made(random, model), len(labelings(model))
        for m, distance in ((count, 1), (count - 1, 1), (2, 2)):
            found = hh.diverse(model, diversity, m, 1.0, distinct=True, min_distance=distance).improve(10)
            best = best_list(model, diversity, 1.0, len(found), distance)
            assert found.upper_bound >= best - 1e-9
            if m >= count - 1:
                assert found.objective == pytest.approx(best)
                assert found.guarantee == 1.0
                assert hh.verify(found, model, diversity).optimal


def test_menus_of_different_labelings_are_proven_optimal():
    """Repeating the best labeling would be better, so that bounds on all lists say nothing about those allowed."""
    for seed in range(3):
        model = words(seed)
        found = hh.diverse(model, hh.VariableCoverage(), 4, 0.02, distinct=True)
        assert found.exact.all()
        repeated = hh.diverse(model, hh.VariableCoverage(), 4, 0.02, distinct=False)
        assert found.objective < repeated.objective
        assert found.improve(20).guarantee > 0.99
    loose = hh.diverse(words(0), hh.VariableCoverage(), 4, 0.02, distinct=True, certify=False)
    assert loose.guarantee < 0.5


@pytest.mark.parametrize("name", DIVERSITIES)
def test_saved_proofs_can_be_checked_with_another_oracle(name, tmp_path):
    for model, diversity, tradeoff, _ in cases(tree, name, 3):
        found = hh.diverse(model, diversity, 3, tradeoff)
        found.save(tmp_path / "list.npz")
        again = hh.load(tmp_path / "list.npz")
        assert again.certificate == found.certificate
        assert again.certificate.proof.calls == found.certificate.proof.calls
        proven = hh.verify(again, model, diversity, oracle="exhaustive")
        assert proven.upper_bound == pytest.approx(found.upper_bound, abs=1e-7)
        assert proven.baseline == pytest.approx(found.certificate.baseline)
        assert proven.guarantee == pytest.approx(found.guarantee, abs=1e-5)


def test_verify_refuses_another_model_and_another_proof():
    model = potts(np.random.default_rng(4))
    found = hh.diverse(model, hh.VariableCoverage(), 3, 2.0)
    other = potts(np.random.default_rng(5))
    with pytest.raises(hh.BoundError, match="another model"):
        hh.verify(found, other, hh.VariableCoverage())
    unknown = replace(found, certificate=replace(found.certificate, proof=Proof("magic")))
    with pytest.raises(ValueError, match="magic"):
        hh.verify(unknown, model, hh.VariableCoverage())
    none = replace(found, certificate=replace(found.certificate, proof=None))
    with pytest.raises(ValueError, match="no proof"):
        hh.verify(none, model, hh.VariableCoverage())


def words(seed=0):
    random = np.random.default_rng(seed)
    return hh.Chain(random.normal(size=(40, 4)), random.normal(size=(4, 4)))


def grid(seed=0):
    return hh.Grid(np.random.default_rng(seed).normal(size=(8, 8, 2)), smoothness=0.8)


def test_certify_goes_on_and_changes_nothing_but_the_bound():
    found = hh.diverse(words(), hh.VariableCoverage(), 4, 1.0, certify=False)
    first = found.certify(3)
    second = first.certify(15)
    assert found.upper_bound >= first.upper_bound >= second.upper_bound >= found.objective
    assert second.upper_bound < found.upper_bound
    for name in ("labelings", "gains", "bounds", "exact"):
        assert np.array_equal(getattr(second, name), getattr(found, name))
    assert 0 < first.certificate.proof.calls <= 3 < second.certificate.proof.calls <= 18


def test_certifying_leaves_further_labelings_as_they_were():
    plain = hh.diverse(words(), hh.VariableCoverage(), 5, 1.0, certify=False)
    begun = hh.diverse(words(), hh.VariableCoverage(), 3, 1.0)
    assert np.array_equal(begun.certify(5).more(2).labelings, plain.labelings)
    assert begun.more(2).upper_bound <= plain.upper_bound


def test_same_calls_same_answer():
    first, second = (hh.diverse(words(), hh.LinearHamming(), 4, 0.4).improve(12) for _ in range(2))
    assert np.array_equal(first.labelings, second.labelings)
    assert first.upper_bound == second.upper_bound


def test_improve_never_lowers_and_keeps_the_greedy_order():
    found = hh.diverse(words(1), hh.VariableCoverage(), 5, 1.5)
    better = found.improve(20)
    assert better.objective > found.objective
    assert better.gains.sum() == pytest.approx(better.objective)
    assert (better.bounds >= better.gains).all()
    assert better.method == "greedy, improved" == better.improve(5).method
    with pytest.raises(ValueError, match="cannot be extended"):
        better.more(1)


def test_improved_lists_keep_the_bounds_of_the_steps():
    """Steps that no oracle bounds well: the dual proves nothing, the steps of the first list still do."""
    model = hh.Grid(np.random.default_rng(8).normal(size=(6, 6, 3)), smoothness=0.5)
    ball = hh.HammingBall(gamma=0.1)
    found = hh.diverse(model, ball, 4, 15.0, oracle="lagrangian")
    for _ in range(2):
        better = found.improve(8)
        assert better.upper_bound <= found.upper_bound
        found = better


def test_balls_are_improved_from_exchanges():
    found = hh.diverse(words(2), hh.HammingBall(gamma=0.05), 4, 20.0)
    assert found.certificate.proof.source == "balls"
    assert found.improve(9).objective >= found.objective


@pytest.mark.parametrize("diversity", [hh.VariableCoverage("sqrt"), hh.LinearHamming()])
def test_two_labels_are_solved_by_cuts(diversity):
    model = grid(3)
    found = hh.diverse(model, diversity, 5, 0.4)
    assert found.certificate.proof.source == "joint"
    joint = hh.diverse(model, diversity, 5, 0.4, method="joint")
    assert found.upper_bound == pytest.approx(joint.objective)
    assert joint.optimal
    better = found.improve(20)
    assert better.optimal
    assert better.certificate.proof.calls == 5, "the cuts say all there is to say"
    assert better.objective == pytest.approx(joint.objective)
    assert hh.verify(better, model, diversity).optimal


def test_an_own_diversity_that_values_lists_otherwise_has_no_lines():
    class Odd(hh.VariableCoverage):
        def coverage(self, model, labelings):
            return 2.0 * super().coverage(model, labelings)

    model = potts(np.random.default_rng(6))
    assert Odd().lines(model, 3) is None
    assert hh.VariableCoverage().lines(model, 3) is not None


def test_interrupted_certificates_keep_what_was_found(monkeypatch):
    found = hh.diverse(words(), hh.VariableCoverage(), 4, 1.0, certify=False)
    certified = found.certify(4)
    solver = type(found._improver.greedy.solver)

    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(solver, "step", stop)
    monkeypatch.setattr("hedgehop.lists.proofs.list_dual.forest_round", stop)
    with pytest.raises(hh.Interrupted) as stopped:
        certified.certify(4)
    assert stopped.value.found.upper_bound == certified.upper_bound
    with pytest.raises(hh.Interrupted) as stopped:
        certified.improve(4)
    assert np.array_equal(stopped.value.found.labelings, found.labelings)


def test_certify_is_checked():
    model = potts(np.random.default_rng(7))
    for wrong in (True, "yes", 0, -3, 2.5):
        with pytest.raises((ValueError, TypeError), match="certify"):
            hh.diverse(model, hh.VariableCoverage(), 2, certify=wrong)
    found = hh.select(labelings(model), model, hh.VariableCoverage(), 2)
    with pytest.raises(ValueError, match="cannot be certified"):
        found.certify()


def test_reports_say_what_is_proven(capsys):
    found = hh.diverse(words(), hh.VariableCoverage(), 4, 1.0, progress=True)
    assert "further steps" in capsys.readouterr().err
    text = found.report(verbose=True)
    assert "list dual" in text
    assert "proven: no list of 4" in text
    assert "proven: no list of 5 is better" in hh.diverse(grid(3), hh.LinearHamming(), 5, 0.4, "joint").report(
        verbose=True
    )
