# SPDX-License-Identifier: BSD-3-Clause
"""Small models that took many seconds: what was done about it, checked by counting work, never by the clock."""

from itertools import combinations

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.lists.methods.nearby import best_nearby
from hedgehop.oracles.program.program import LinearProgram
from hedgehop.oracles.routing import choose, is_small
from hedgehop.potentials import BallCoverage, Potential

RANDOM = np.random.default_rng(0)
COMPLETE = list(combinations(range(8), 2))


class Sloppy(hh.Oracle):
    """Misses the best labeling in its first call."""

    name, summary = "sloppy", "misses"

    def __init__(self):
        self.calls, self.inner = 0, hh.oracles.get("exhaustive")

    def refusal(self, model, potentials):
        return None

    def maximize(self, model, potentials):
        self.calls += 1
        best = self.inner.maximize(model, potentials)
        if self.calls > 1:
            return best
        return self.step(model, 1 - best.labeling, potentials, best.upper_bound)


def test_m_best_is_in_order_where_a_step_is_missed():
    model = hh.FactorGraph([[3.0, 0.0], [2.0, 0.0]])
    with pytest.warns(UserWarning, match="better labelings may be missing"):
        scores = model.score(hh.baselines.m_best(model, m=3, oracle=Sloppy()))
    assert (np.diff(scores) <= 0).all()


def counted(name):
    """An oracle of that name, and a list that grows by one with every step it solves."""
    solved = []

    class Counted(type(hh.oracles.get(name))):
        def on(self, model):
            solver = super().on(model)
            inner = solver.maximize
            solver.maximize = lambda potentials: solved.append(1) or inner(potentials)
            return solver

    return Counted(), solved


@pytest.mark.parametrize(("size", "m", "most"), [(64, 2, 100), (128, 5, 300)])
def test_m_best_of_a_binary_grid_solves_few_cells(size, m, most):
    """Bounds that have converged leave few cells of Lawler's partition to solve: before, it was up to a thousand."""
    grid = hh.Grid(np.random.default_rng(0).normal(size=(size, size, 2)), smoothness=1.0)
    oracle, solved = counted("graphcut")
    scores = grid.score(hh.baselines.m_best(grid, m=m, oracle=oracle))
    assert (np.diff(scores) <= 0).all()
    assert len(solved) < most


def test_m_best_solves_few_cells_where_nothing_can_be_proven():
    """A gap of the first step leaves a cell per variable open: 4096 of them for each labeling."""
    grid = hh.Grid(np.random.default_rng(0).normal(size=(64, 64, 4)), smoothness=1.0)
    oracle, solved = counted("trws")
    with pytest.warns(UserWarning, match="better labelings may be missing"):
        best = hh.baselines.m_best(grid, m=5, oracle=oracle)
    scores = grid.score(best)
    assert len(solved) <= 300
    assert len(np.unique(best.reshape(5, -1), axis=0)) == 5
    assert (np.diff(scores) <= 0).all()
    assert scores[-1] > hh.best(grid, oracle="trws").value + 2.0  # mixtures are better than what any step finds


def test_labelings_nearby_are_surrounded_by_worse_ones():
    """All that differ in one variable from those that are returned are returned, too, or no better than the last."""
    random = np.random.default_rng(3)
    edges = np.array(list(combinations(range(6), 2)))
    model = hh.FactorGraph(random.normal(size=(6, 3)), edges=edges, pairwise=random.normal(size=(15, 3, 3)))
    rows = best_nearby(model, np.zeros((2, 6), np.int32), 7)
    scores, found = model.score(rows), {row.tobytes() for row in rows}
    assert len(found) == 7
    assert (np.diff(scores) <= 0).all()
    for row in rows:
        for i in range(6):
            for label in range(3):
                other = row.copy()
                other[i] = label
                if other.tobytes() not in found:
                    assert model.score(other) <= scores[-1] + 1e-9


def test_one_change_is_as_good_as_its_pairs_make_it():
    """Pairs decide, and single scores say the opposite: of 40 changes, the best two are tried."""
    unary = np.tile([0.0, 0.01, -0.01], (20, 1))
    tables = np.zeros((19, 3, 3))
    tables[7, :, 2] = tables[12, 2, :] = 5.0
    model = hh.FactorGraph(unary, [(i, i + 1) for i in range(19)], tables)
    scores = model.score(best_nearby(model, np.zeros((1, 20), np.int32), 2))
    assert scores == pytest.approx([10.0 - 0.02 + 0.18, 10.0 - 0.02 + 0.17])


def test_programs_are_left_alone_where_unions_have_many_terms():
    parse, tree = hh.Arborescence(RANDOM.normal(size=(12, 13))), hh.SpanningTree(COMPLETE, RANDOM.random(28))
    for model, most in ((parse, 2), (tree, 3)):
        for k in (2, 3, 4, 5):
            rows = RANDOM.integers(0, 2, (k, model.n_variables))
            union = BallCoverage(rows, np.full(model.n_variables, 0.3))
            assert is_small(model, [union]) == (k <= most)
            wanted = "ilp" if k <= most else "lagrangian"
            assert choose(hh.oracles.get("auto").oracles, model, [union]).oracle == wanted


def test_whole_labelings_are_few_only_if_they_are_short():
    """Cells of long models with few labelings left are not listed one by one."""
    mask = np.full((200, 3), -np.inf)
    mask[:, 0] = 0.0
    mask[:14, 1] = 0.0  # 2^14 labelings of 200 variables
    forbids, costs = hh.potentials.Linear(mask), hh.potentials.LabelWeights([0.0, -1.0, -1.0])
    chain = hh.Chain(np.zeros((200, 3)), np.zeros((3, 3)))
    oracles = hh.oracles.get("auto").oracles
    assert choose(oracles, chain, [forbids, costs]).oracle != "exhaustive"
    short = hh.Chain(np.zeros((14, 3)), np.zeros((3, 3)))
    assert choose(oracles, short, [hh.potentials.Linear(mask[:14]), costs]).oracle == "exhaustive"


def test_groups_of_a_labeling_are_asked_for_once_per_step():
    asked = []
    diversity = hh.GroupCoverage(
        lambda y: asked.append(1) or [int(y.sum()), ("first", int(y[0]))], h="sqrt", parsimony=-0.2
    )
    model = hh.FactorGraph(RANDOM.random((5, 3)))
    chosen = [[0, 0, 0, 0, 0], [1, 1, 0, 0, 0], [2, 0, 0, 0, 0]]
    every = np.stack(np.meshgrid(*[range(3)] * 5, indexing="ij"), axis=-1).reshape(-1, 5)
    (potential,) = diversity.potentials(model, chosen)
    values = potential.value(model, every)
    assert len(asked) == len(every) + len(chosen)
    for y, value in zip(every[::40], values[::40], strict=True):
        assert value == pytest.approx(diversity.value(model, [*chosen, y]) - diversity.value(model, chosen))


def test_a_value_of_your_own_is_not_bypassed():
    class Twice(hh.GroupCoverage):
        def value(self, model, labelings):
            return 2.0 * super().value(model, labelings)

    model = hh.FactorGraph(np.zeros((2, 2)))
    gain = Twice(lambda y: [int(y[0])]).potentials(model, [[0, 0]])[0]
    assert isinstance(gain, Potential)
    assert gain.value(model, [[0, 1], [1, 0]]).tolist() == [0.0, 2.0]


@pytest.mark.parametrize("n", [3, 6, 9])
def test_gains_of_balls_agree_however_they_are_summed(n):
    """Over subsets of few members or over kept sets of few variables: D does not depend on the order of a list."""
    rows = np.unique(RANDOM.integers(0, 3, (9, n)), axis=0)
    model, ball = hh.FactorGraph(np.zeros((n, 3))), hh.HammingBall(gamma=0.7)
    keeps = -np.expm1(-0.7)
    expected = 0.0
    for kept in range(2**n):
        inside = np.array([kept >> i & 1 for i in range(n)], bool)
        probability = keeps ** inside.sum() * (1 - keeps) ** (n - inside.sum())
        expected += probability * len(np.unique(rows[:, inside], axis=0)) if inside.any() else probability
    assert ball.value(model, rows) == pytest.approx(expected)
    assert ball.value(model, rows[::-1]) == pytest.approx(expected)


def test_swaps_of_many_labels_find_the_best_transitions():
    """Prices are set only for pairs the edges of a move may carry: against enumeration."""
    for seed in range(6):
        random = np.random.default_rng(seed)
        w = random.normal(size=(12, 12))
        weights = hh.potentials.TransitionWeights(w + w.T)
        model = hh.Chain(random.normal(size=(3, 12)), np.zeros((12, 12)))
        found = hh.best(model, weights, oracle="swap")
        truth = hh.best(model, weights, oracle="exhaustive")
        assert found.value <= truth.value + 1e-9 <= found.upper_bound + 2e-9
        assert found.value >= truth.value - 0.2 * abs(truth.value)


def test_pairs_of_labels_are_counted_once_per_step():
    """A list of 45,000 functions for 300 labels, which every oracle asked for anew."""
    model, other = (hh.Chain(np.zeros((n, 3)), np.zeros((3, 3))) for n in (4, 5))
    weights = hh.potentials.TransitionWeights([[0.0, 2.0, 0.0], [2.0, 0.0, -1.0], [0.0, -1.0, 0.0]])
    counts = weights.counts(model)
    assert [(c.code, c.function.weight, c.members.size) for c in counts] == [(1, 2.0, 3), (5, -1.0, 3)]
    assert weights.counts(model) is counts
    assert [c.members.size for c in weights.counts(other)] == [4, 4]
    assert [c.members.size for c in weights.counts(model)] == [3, 3]
    assert weights == hh.potentials.TransitionWeights(weights.w)
    assert (2.0 * weights).counts(model)[0].function.weight == 4.0


def test_few_edges_of_a_tree_are_left_to_programs(monkeypatch):
    """Steps at a distance of 4 from several trees took two seconds each: a program of 9,600 columns."""
    sizes = []
    solve = LinearProgram.solve
    monkeypatch.setattr(LinearProgram, "solve", lambda self, limit: sizes.append(_open(self)) or solve(self, limit))
    random = np.random.default_rng(0)
    edges = {(i, i + 1) for i in range(39)}
    while len(edges) < 120:
        edges.add(tuple(sorted(random.choice(40, 2, replace=False).tolist())))
    model = hh.SpanningTree(sorted(edges), random.normal(size=120))
    found = hh.diverse(model, hh.LabelCoverage(), m=4, tradeoff=1.0, min_distance=4, certify=False)
    assert found.exact.all()
    assert 0 < max(sizes) < 0.5 * 9600


def _open(program):
    return sum(int((high > low).sum()) for low, high in zip(program._low, program._high, strict=True))


def test_branches_close_the_gap_of_transitions_on_trees(monkeypatch):
    """Messages in whole numbers left a hair, and integer programs of seconds closed it."""
    monkeypatch.setattr(hh.oracles.Ilp, "maximize", lambda *_: pytest.fail("a program was solved"))
    random = np.random.default_rng(0)
    tree = [(i, int(random.integers(i))) for i in range(1, 60)]
    model = hh.FactorGraph(random.normal(size=(60, 4)), tree, random.random(59))
    assert hh.diverse(model, hh.TransitionCoverage(), m=3, tradeoff=4.0, distinct=False, certify=False).exact.all()


def listed(model, diversity, monkeypatch, **options):
    """A list by "auto" and the numbers of columns of the programs it solved, and the list by relaxations alone."""
    sizes, solve = [], LinearProgram.solve
    monkeypatch.setattr(LinearProgram, "solve", lambda self, limit: sizes.append(_open(self)) or solve(self, limit))
    found = hh.diverse(model, diversity, certify=False, **options)
    return found, sizes, hh.diverse(model, diversity, certify=False, oracle="lagrangian", **options)


def answers(model, number):
    """Labelings that are best under random scores."""
    changes = (np.random.default_rng(s).normal(size=model.unary.shape) for s in range(number))
    return [hh.best(model, hh.potentials.Linear(np.where(np.isfinite(model.unary), c, 0.0))).labeling for c in changes]


def test_samples_are_left_to_programs_only_on_small_trees_and_matchings(monkeypatch):
    """A step took three seconds and more: thirty samples of trees of 40 nodes, or of matchings of 20 nodes."""
    random = np.random.default_rng(0)
    edges = {(i, i + 1) for i in range(39)}
    while len(edges) < 120:
        edges.add(tuple(sorted(random.choice(40, 2, replace=False).tolist())))
    pairs = list(combinations(range(20), 2))
    for model in (hh.SpanningTree(sorted(edges), random.normal(size=120)), hh.GraphMatching(pairs, random.random(190))):
        diversity = hh.ExpectedBest(answers(model, 30))
        found, sizes, relaxed = listed(model, diversity, monkeypatch, m=3, tradeoff=5.0, distinct=False)
        assert sizes == []
        assert found.objective == pytest.approx(relaxed.objective)
        assert found.objective <= found.upper_bound
    for model in (hh.SpanningTree(COMPLETE, random.random(28)), hh.GraphMatching(COMPLETE, random.random(28))):
        diversity = hh.ExpectedBest(answers(model, 6))
        assert hh.diverse(model, diversity, m=2, tradeoff=5.0, distinct=False, certify=False).exact.all()


def test_balls_around_many_matchings_of_a_complete_graph_are_not_left_to_programs(monkeypatch):
    """The terms of three balls and more took three seconds a step: 20 nodes, of which any two may be matched."""
    model = hh.GraphMatching(list(combinations(range(20), 2)), np.random.default_rng(0).normal(size=190))
    options = {"m": 5, "tradeoff": 20.0, "distinct": False}
    found, sizes, relaxed = listed(model, hh.HammingBall(gamma=0.3), monkeypatch, **options)
    assert len(sizes) <= 2
    assert max(sizes, default=0) < 1000
    assert found.objective == pytest.approx(relaxed.objective)
    union = [BallCoverage(RANDOM.integers(0, 2, (k, 190)), np.full(190, 0.3)) for k in (2, 3)]
    assert [is_small(model, [potential]) for potential in union] == [True, False]


def test_ties_of_a_small_image_ask_no_program(monkeypatch):
    asked = []
    monkeypatch.setattr(hh.oracles.Ilp, "on", lambda self, model: asked.append(model))
    found = hh.diverse(hh.Grid(np.zeros((6, 6, 3))))
    assert found.distinct == 5
    assert not asked
