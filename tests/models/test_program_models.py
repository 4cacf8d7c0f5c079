# SPDX-License-Identifier: BSD-3-Clause
"""Mixed-integer programs: labels, completions, limits, files, and lists of 200 columns, known group by group."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

import hedgehop as hh
from hedgehop.potentials import total_value


def test_arguments_are_those_of_scipy():
    random = np.random.default_rng(0)
    c, a = random.normal(size=6), random.normal(size=(3, 6))
    bounds, rows = Bounds(np.zeros(6), np.array([1, 1, 2, 5.5, 1, 9])), LinearConstraint(a, -2, 2)
    whole = np.array([1, 1, 1, 0, 1, 0])
    model = hh.Program(c, whole, bounds, rows)
    best = milp(c, integrality=whole, bounds=bounds, constraints=rows)
    step = hh.best(model)
    assert step.exact
    assert step.value == pytest.approx(-best.fun)
    assert model.solution(step.labeling) @ c == pytest.approx(best.fun)
    assert model.label_counts.tolist() == [2, 2, 3, 2]


def test_labels_count_from_the_lower_bound_and_maxima_are_not_negated():
    model = hh.Program([1.0, 1.0], bounds=([-2, 0], [1, 1]), constraints=([[1, 1]], -np.inf, 1), maximize=True)
    assert model.label_counts.tolist() == [4, 2]
    assert model.score([[3, 0], [0, 0], [3, 1]]).tolist() == [1.0, -2.0, -np.inf]


def test_wide_integers_are_completed_in_whole_numbers():
    model = hh.Program([0.0, -1.0], bounds=([0, 0], [1, 100]), constraints=([[-25.5, 1]], -np.inf, 0))
    assert model.n_variables == 1
    assert model.score([[0], [1]]).tolist() == [0.0, 25.0]
    assert model.solution([1]).tolist() == pytest.approx([1.0, 25.0])


def partition_of_projects(groups: int, size: int) -> tuple[hh.Program, np.ndarray]:
    """One project of each group: the best lists are known group by group."""
    worth = np.random.default_rng(3).random((groups, size)) * 3
    rows = np.kron(np.eye(groups), np.ones(size))
    return hh.Program(worth.ravel(), constraints=(rows, 1, 1), maximize=True), worth


def test_lists_of_200_columns_are_those_of_their_groups():
    model, worth = partition_of_projects(40, 5)
    found = hh.diverse(model, hh.UseCoverage(h="count"), m=3, tradeoff=1.0, certify=False)
    assert model.n_variables == 200
    assert found.exact.all()
    uses = np.zeros(worth.shape)
    for labeling, gain in zip(found.labelings, found.gains, strict=True):  # a used column costs 1 more
        values = worth - (uses > 0)
        assert gain == pytest.approx(values.max(axis=1).sum(), abs=1e-4)
        uses += labeling.reshape(worth.shape)


def test_distances_are_kept_as_rows():
    model, _ = partition_of_projects(6, 3)
    found = hh.diverse(model, hh.UseCoverage(), m=3, tradeoff=0.0, min_distance=8)
    for a, b in itertools.combinations(found.labelings, 2):
        assert (a != b).sum() >= 8
    pool = hh.diverse(model, hh.UseCoverage(), m=4, tradeoff=0.0, distinct=True)
    every = hh.testing.all_labelings(hh.FactorGraph(np.zeros((6, 3))))
    scores = np.sort(np.random.default_rng(3).random((6, 3))[np.arange(6), every].sum(axis=1) * 3)[::-1]
    assert pool.relevance == pytest.approx(scores[:4], abs=1e-5)


@pytest.mark.parametrize(
    "bounds", [([0, 0, 0], [1, 2, 3]), [[0, 1], [0, 2], [0, 3]], np.array([[0, 1], [0, 2], [0, 3]])]
)
def test_bounds_are_two_sides_or_pairs(bounds):
    assert hh.Program([1.0, 1.0, 1.0], bounds=bounds).label_counts.tolist() == [2, 3, 4]
    assert hh.Program([1.0, 1.0, 1.0], bounds=[0, 2]).label_counts.tolist() == [3, 3, 3]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"c": []}, "at least one entry"),
        ({"c": [1.0], "bounds": ([0], [np.inf])}, "finite bounds"),
        ({"c": [1.0], "integrality": [0]}, "at least one column"),
        ({"c": [1.0], "integrality": [2]}, "0 .real. or 1"),
        ({"c": [1.0], "bounds": ([1], [0])}, "low <= high"),
        ({"c": [1.0] * 4, "bounds": [[0] * 4, [1] * 4]}, r"shape \(4, 2\); got shape \(2, 4\)"),
        ({"c": [1.0] * 4, "bounds": [[0, 1], [1]]}, "rectangular"),
        ({"c": [1.0], "constraints": ([[1.0, 2.0]], 0, 1)}, "one column per entry"),
        ({"c": [1.0], "constraints": ([[1.0]], 2, 3)}, "contradict"),
        ({"c": [1.0, -1.0], "integrality": [1, 0], "bounds": ([0, 0], [1, np.inf])}, "unbounded"),
        ({"c": [1.0], "names": ["a", "b"]}, "one entry per column"),
    ],
)
def test_invalid_programs_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        hh.Program(**arguments)


LP = """Maximize
 obj: 3 soup + 2 bread + 2 cheese + 0.5 wine + 7
Subject To
 table: 2 soup + bread + cheese + wine <= 3
Bounds
 0 <= wine <= 4
Binaries
 soup bread cheese
End
"""


def test_files_are_read_by_highs(tmp_path):
    pytest.importorskip("highspy")
    (tmp_path / "lunch.lp").write_text(LP)
    model = hh.read(tmp_path / "lunch.lp")
    assert [model.names[k] for k in model.columns] == ["soup", "bread", "cheese"]
    best = max(
        3 * a + 2 * b + 2 * c + 0.5 * (3 - 2 * a - b - c) + 7
        for a, b, c in itertools.product((0, 1), repeat=3)
        if 2 * a + b + c <= 3
    )
    assert hh.best(model).value == pytest.approx(best)
    (tmp_path / "torn.mps").write_text("not a program")
    with pytest.raises(ValueError, match="HiGHS"):
        hh.read(tmp_path / "torn.mps")
    with pytest.raises(ValueError, match="max_bytes"):
        hh.read(tmp_path / "lunch.lp", max_bytes=10)
    with pytest.raises(ValueError, match="read, not written"):
        hh.write(model, tmp_path / "again.mps")


@pytest.mark.parametrize("first", ["MINIMIZE", "\\ lunch: minimise\n\nmin"])
def test_senses_are_found_behind_comments(tmp_path, first):
    pytest.importorskip("highspy")
    (tmp_path / "lunch.lp").write_text(LP.replace("Maximize", first))
    assert hh.best(hh.read(tmp_path / "lunch.lp")).value == -7.0


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Maximize", "maximise", "must begin with Minimize or Maximize.*got 'maximise'"),  # HiGHS would skip it
        (LP, "", "must begin with Minimize or Maximize.*got ''"),
        ("0.5 wine", "[ 2 soup * bread ] / 2", "linear objective; it has a quadratic one"),
        ("<= 3", "<= three", "not a program that HiGHS can read"),
    ],
)
def test_files_that_would_be_misread_are_refused(tmp_path, old, new, words):
    pytest.importorskip("highspy")
    (tmp_path / "lunch.lp").write_text(LP.replace(old, new))
    with pytest.raises(ValueError, match=words):
        hh.read(tmp_path / "lunch.lp")


def test_problems_of_other_libraries_need_a_writer():
    with pytest.raises(TypeError, match="PuLP"):
        hh.io.program_of(3)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of PuLP itself
def test_problems_of_pulp_keep_their_sense():
    pulp = pytest.importorskip("pulp")
    for sense, best in ((pulp.LpMaximize, 3.0), (pulp.LpMinimize, -1.0)):
        problem = pulp.LpProblem("lunch", sense)
        soup, bread, wine = (pulp.LpVariable(name, cat="Binary") for name in ("soup", "bread", "wine"))
        problem += 2 * soup + bread + wine
        problem += soup + bread <= 1
        problem += soup + bread + wine >= 1
        assert hh.best(hh.io.program_of(problem)).value == pytest.approx(best)


@pytest.mark.parametrize("seed", range(8))
def test_steps_are_right_in_tiny_units(seed):
    """Rows that hold the value of a ball are kept to absolute tolerances only."""
    random, unit = np.random.default_rng(seed), 2.0**-24
    limits = (random.integers(0, 4, (2, 6)).astype(float), -np.inf, random.integers(4, 8, 2).astype(float))
    model = hh.Program(unit * random.integers(-3, 4, 6), [1, 1, 1, 1, 0, 0], (0, 1.5), limits, maximize=True)
    every = hh.testing.all_labelings(model)
    allowed = every[np.isfinite(model.score(every))]
    balls = [p.scaled(9.0 * unit) for p in hh.HammingBall(gamma=0.5).potentials(model, allowed[:2])]
    worth = model.score(allowed) + total_value(model, balls, allowed)
    step = hh.best(model, balls, oracle="milp")
    assert step.exact
    assert step.value == pytest.approx(worth.max(), rel=1e-9, abs=0.0)
    assert step.upper_bound >= worth.max() * (1.0 - 1e-9)


def test_huge_gains_make_nothing_exact():
    """HiGHS does not see differences of 1 beside gains of 1e10, and what it cannot see is not called exact."""
    random, wrong = np.random.default_rng(0), 0
    for _ in range(40):
        gains = random.integers(-3, 4, 6) * np.where(random.random(6) < 0.3, 1e10, 1.0)
        limits = (random.integers(0, 4, (2, 6)).astype(float), -np.inf, random.integers(4, 8, 2).astype(float))
        model = hh.Program(gains, constraints=limits, maximize=True)
        step, best = hh.best(model, oracle="milp"), model.score(hh.testing.all_labelings(model)).max()
        assert step.upper_bound >= best
        assert not (step.exact and step.value < best)
        wrong += step.value < best
    assert wrong > 0


def test_a_constant_in_all_gains_costs_completions_no_digits():
    rows = ([[1.0, 1.0, 1.0], [0.0, 1.0, -1.0]], [-np.inf, -0.5], [1.75, 0.5])
    gains, kinds = np.array([1.0, 0.28, 0.3]), [1, 0, 0]
    small, large = (hh.Program(gains + k, kinds, (0, 1), rows, maximize=True) for k in (0.0, 1e6))
    for labeling in ([0], [1]):
        assert large.solution(labeling) == pytest.approx(small.solution(labeling), abs=1e-9)
