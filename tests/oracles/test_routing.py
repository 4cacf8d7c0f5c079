# SPDX-License-Identifier: BSD-3-Clause
"""The choice among oracles: the table, what explains it, and the page made from it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.oracles.registry import built_in_and_installed
from hedgehop.oracles.routing import ROUTES, Auto, choose, is_small, last_resort, routes
from hedgehop.potentials import BallCoverage, Cardinality, KindWeights, LabelWeights, Linear, TransitionWeights

DOCS = Path(__file__).parents[2] / "docs"
RANDOM = np.random.default_rng(0)
CHAIN = hh.Chain(RANDOM.normal(size=(200, 3)), RANDOM.normal(size=(3, 3)))
BINARY = hh.Grid(RANDOM.normal(size=(40, 40, 2)), 0.5)
FRUSTRATED = hh.FactorGraph(
    RANDOM.normal(size=(400, 2)), [(i, i + 1) for i in range(399)] + [(0, 399)], RANDOM.normal(size=(400, 2, 2))
)
IMAGE = hh.Grid(RANDOM.normal(size=(40, 40, 3)), 0.5)
TINY = hh.Grid(RANDOM.normal(size=(3, 3, 2)), 0.5)
TREE = hh.SpanningTree([(i, j) for i in range(30) for j in range(i)], RANDOM.random(435))
WHOLE = hh.Program(np.arange(6.0), constraints=(np.ones((1, 6)), 1, 4))
MIXED = hh.Program(np.arange(6.0), integrality=[1, 1, 1, 1, 1, 0], constraints=(np.ones((1, 6)), 1, 4))
TERNARY = hh.FactorGraph(np.zeros((40, 2)), cliques=[((0, 1, 2), RANDOM.normal(size=(2, 2, 2)))])


def ball(model):
    return Cardinality(np.zeros(model.n_variables, int), -np.exp(-0.1 * np.arange(model.n_variables + 1)))


@pytest.mark.parametrize(("model", "potentials", "oracle"), [
    (CHAIN, [], "tree"),
    (CHAIN, [ball(CHAIN)], "tree"),
    (BINARY, [], "graphcut"),
    (BINARY, [ball(BINARY)], "lagrangian"),
    (BINARY, [LabelWeights([-1.0, -1.0])], "swap"),
    (BINARY, [LabelWeights([1.0, -1.0])], "expansion"),
    (FRUSTRATED, [], "qpbo"),
    (IMAGE, [], "trws"),
    (IMAGE, [TransitionWeights(1.0 - np.eye(3))], "swap"),
    (IMAGE, [KindWeights([0, 1, 1], [1.0, 2.0])], "lagrangian"),
    (TINY, [ball(TINY)], "exhaustive"),
    (TREE, [], "spanning_tree"),
    (TREE, [KindWeights([-1, 0], [3.0])], "lagrangian"),
    (TERNARY, [], "elimination"),
    (WHOLE, [], "exhaustive"),
    (MIXED, [], "milp"),
    (WHOLE, [ball(WHOLE)], "exhaustive"),
    (MIXED, [ball(MIXED)], "milp"),
])  # fmt: skip
def test_the_first_row_that_can(model, potentials, oracle):
    assert choose(built_in_and_installed(), model, potentials).oracle == oracle
    told = hh.oracles.explain(model, potentials)
    assert told.startswith(f"{oracle}: ")
    assert all(line.startswith("  not ") for line in told.splitlines()[1:])


def test_it_is_told_where_a_program_closes_the_gap():
    random = np.random.default_rng(3)
    frustrated = hh.FactorGraph(random.normal(size=(20, 3)), [(i, i + 1) for i in range(19)] + [(0, 19)], 0.5)
    assert hh.oracles.explain(frustrated).splitlines()[0].endswith("so elimination closes any gap that remains")
    assert "closes" not in hh.oracles.explain(IMAGE) + hh.oracles.explain(CHAIN)


def test_every_oracle_has_a_row():
    assert {route.oracle for route in ROUTES} == set(built_in_and_installed())


def test_every_oracle_says_what_it_does():
    for name in hh.oracles.available():
        assert hh.oracles.get(name).summary, name


def test_the_page_shows_the_table():
    text = (DOCS / "solvers.md").read_text()
    assert runpy.run_path(str(DOCS / "write_routes.py"))["with_routes"](text) == text, "run python docs/write_routes.py"
    for name in built_in_and_installed():
        assert re.search(rf"(### |, )`{name}`", text), name


def test_programs_close_the_gaps_of_small_models():
    """Nothing that was proven before goes unproven because a quick oracle is asked first."""
    random = np.random.default_rng(3)
    edges = [(i, j) for i in range(15) for j in range(i)]
    frustrated = hh.FactorGraph(random.normal(size=(15, 3)), edges, random.normal(size=(len(edges), 3, 3)))
    quick, whole = hh.best(frustrated, oracle="trws"), hh.best(frustrated)
    assert not quick.exact
    assert whole.exact
    assert whole.oracle == "ilp"


def test_a_program_without_time_leaves_the_better_answer_and_the_lower_bound():
    random = np.random.default_rng(3)
    edges = [(i, j) for i in range(15) for j in range(i)]
    frustrated = hh.FactorGraph(random.normal(size=(15, 3)), edges, random.normal(size=(len(edges), 3, 3)))
    quick = hh.best(frustrated, oracle="trws")
    hurried = hh.best(frustrated, oracle=hh.oracles.Auto(hh.oracles.Ilp(time_limit=1e-6)))
    assert not hurried.exact
    assert quick.value <= hurried.value < hurried.upper_bound <= quick.upper_bound


def test_unions_of_many_balls_are_left_to_bounds_whatever_the_size():
    few, many = (BallCoverage(np.zeros((k, TINY.n_variables), int), np.ones(TINY.n_variables)) for k in (1, 40))
    assert is_small(TINY, [few])
    assert not is_small(TINY, [many])


def test_programs_of_structures_grow_with_the_subsets_of_balls():
    tree = hh.SpanningTree([(i, j) for i in range(5) for j in range(i)], np.ones(10))
    few, many = (BallCoverage(np.zeros((k, 10), int), np.ones(10)) for k in (2, 10))
    assert is_small(tree, [few])
    assert not is_small(tree, [many])


def test_old_names_of_the_relaxation():
    for name in ("slopes", "biases", "agreement"):
        assert hh.oracles.get(name).name == "lagrangian"
        assert name not in hh.oracles.available()


def test_marginals_are_those_of_the_chosen_oracle():
    given = (hh.potentials.Linear(np.arange(float(CHAIN.unary.size)).reshape(CHAIN.unary.shape)),)
    found, expected = (hh.oracles.get(name).max_marginals(CHAIN, given) for name in ("auto", "tree"))
    assert expected is not None
    assert np.array_equal(found, expected)


class Plugin(hh.Oracle):
    """An oracle of another package, which can do everything."""

    name, summary = "plugin", "does it all"

    def __init__(self, wish):
        self.wish = wish

    def refusal(self, model, potentials):
        return None

    def preference(self, model, potentials):
        return self.wish if model.n_variables > 1 else 0.0

    def maximize(self, model, potentials):
        raise NotImplementedError


@pytest.mark.parametrize(("wish", "chosen"), [(1.0, "plugin"), (0.0, "graphcut"), (-1.0, "graphcut")])
def test_plugins_come_first_where_they_wish_to_and_last_elsewhere(wish, chosen):
    oracles = {**built_in_and_installed(), "plugin": Plugin(wish)}
    assert choose(oracles, BINARY, []).oracle == chosen
    order = [route.oracle for route in routes(oracles, BINARY, [])]
    assert order.index("plugin") == (0 if wish > 0 else len(order) - 1)


def test_a_plugin_that_is_chosen_is_explained(monkeypatch):
    oracles = {**built_in_and_installed(), "plugin": Plugin(1.0)}
    monkeypatch.setattr("hedgehop.oracles.routing.built_in_and_installed", lambda: oracles)
    assert hh.oracles.explain(BINARY) == "plugin: what it accepts; the same (any). A plug-in"


def test_several_plugins_come_in_the_order_of_their_wishes():
    oracles = {**built_in_and_installed(), "a": Plugin(1.0), "b": Plugin(2.0)}
    assert [route.oracle for route in routes(oracles, BINARY, [])][:2] == ["b", "a"]


def test_programs_decide_whether_anything_is_allowed_on_small_models_only():
    assert last_resort(TINY, [ball(TINY)]).name == "ilp"
    assert last_resort(IMAGE, [ball(IMAGE)]) is None
    assert last_resort(TINY, [hh.potentials.Function(lambda y: float(y.sum()))]) is None


def test_an_oracle_to_avoid_is_the_last_resort():
    oracles = built_in_and_installed()
    assert choose(oracles, BINARY, [], avoid=["graphcut"]).oracle == "swap"
    assert choose(oracles, BINARY, [], avoid=list(oracles)).oracle == "graphcut"


def test_what_no_oracle_can_do_is_said_with_every_reason():
    own = hh.potentials.Function(lambda y: float(y.sum()))
    with pytest.raises(hh.UnsupportedError, match=r"no oracle can solve this step \(Function\): .*Function"):
        choose(built_in_and_installed(), BINARY, [own])


class Flat:
    """A structure of someone else: scores of single variables, and no oracle of its own."""

    n_variables, shape = 40, (40,)
    label_counts = np.full(40, 2, np.int32)

    def score(self, labelings):
        return np.asarray(labelings).sum(axis=-1) * 1.0


def test_auto_refuses_what_all_refuse():
    auto = hh.oracles.get("auto")
    assert auto.refusal(BINARY, []) is None
    assert "exhaustive" in str(auto.refusal(Flat(), []))


def test_blossoms_are_tried_first_on_small_graphs_only():
    pairs = [(i, j) for i in range(8) for j in range(i)]
    small = hh.GraphMatching(pairs, RANDOM.random(len(pairs)))
    assert choose(built_in_and_installed(), small, []).oracle == "graph_matching"
    assert not is_small(Flat())


@pytest.mark.parametrize(("side", "labels", "small"), [(10, 3, True), (15, 3, True), (40, 3, False)])
def test_small_models_are_those_whose_programs_have_few_columns(side, labels, small):
    potts = hh.Grid(np.zeros((side, side, labels)), 0.5)
    assert is_small(potts) is small
    tables = hh.FactorGraph(np.zeros((side * side, labels)), potts.edges, RANDOM.normal(size=(labels, labels)))
    assert not is_small(tables)  # their programs need many branches
    assert is_small(hh.FactorGraph(np.zeros((20, 3)), [(0, 1)], RANDOM.normal(size=(3, 3))))


def test_one_program_keeps_distances_where_linear_steps_are_programs():
    """A relaxation solved a program in each of its rounds; on narrow graphs, where it does not, it stays."""
    random = np.random.default_rng(0)
    limit = hh.potentials.Cardinality(np.zeros(600, np.int32), np.where(np.arange(601) < 30, -np.inf, 0.0))
    far = [([i, *random.choice(600, 2, replace=False).tolist()], np.zeros((2, 2, 2))) for i in range(600)]
    near = [([i, i + 1, i + 2], np.zeros((2, 2, 2))) for i in range(598)]
    oracles = hh.oracles.get("auto").oracles
    for cliques, wanted in ((far, "ilp"), (near, "lagrangian")):
        cliques = [(v, t) for v, t in cliques if len(set(v)) == 3]
        model = hh.FactorGraph(np.zeros((600, 2)), cliques=cliques)
        assert choose(oracles, model, [limit]).oracle == wanted


def test_solvers_remember_who_solves_changed_scores(monkeypatch):
    """But labels that are forbidden may leave so few labelings that another oracle is the choice."""
    asked, choice = [], Auto.choice
    monkeypatch.setattr(Auto, "choice", lambda *given: asked.append(given) or choice(*given))
    solver = Auto().on(IMAGE)
    for scale in (1.0, 0.0, -5.0):
        changed = [Linear(scale * RANDOM.normal(size=IMAGE.unary.shape))]
        assert solver.maximize(changed).oracle == choice(solver.oracle, IMAGE, changed).name == "trws"
    assert len(asked) == 1
    forbidden = np.zeros(IMAGE.unary.shape)
    forbidden[2:, 1:] = -np.inf
    assert solver.maximize([Linear(forbidden)]).oracle == "exhaustive"
    assert solver.maximize([Linear(np.zeros(IMAGE.unary.shape))]).oracle == "trws"
    assert solver.maximize([LabelWeights([0.0, 1.0, -1.0])]).oracle == "expansion"


def test_oracles_of_others_are_asked_at_every_step():
    class Fickle(hh.oracles.Trws):
        def refusal(self, model, potentials):
            return "no" if potentials[0].theta.max() > 1.0 else super().refusal(model, potentials)

    solver = Auto(Fickle()).on(IMAGE)
    small, large = ([Linear(np.full(IMAGE.unary.shape, t))] for t in (0.5, 2.0))
    assert [solver.maximize(p).oracle for p in (small, large, small)] == ["trws", "expansion", "trws"]
