# SPDX-License-Identifier: BSD-3-Clause
"""What a list is like when nothing is said about diversity, tradeoff or distances."""

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.lists import tradeoff_search
from hedgehop.lists.separation import Separation
from hedgehop.lists.tradeoff_search import tradeoff_found
from hedgehop.oracles.conditioning import unit_of
from hedgehop.oracles.pairwise.moves import MoveSolver


def noisy_grid(side: int, labels: int = 3) -> hh.Grid:
    random = np.random.default_rng(side)
    coarse = random.normal(size=(side // 8, side // 8, labels))
    scores = 2.0 * np.kron(coarse, np.ones((8, 8, 1))) + random.normal(size=(side, side, labels))
    return hh.Grid(scores, smoothness=0.7)


@pytest.mark.parametrize("side", [16, 48])
def test_labelings_differ_visibly_and_stay_plausible_at_every_size(side):
    model = noisy_grid(side)
    found = hh.diverse(model)
    n = model.n_variables
    apart = found.distances[np.triu_indices(5, 1)]
    assert found.diversity == "VariableCoverage(h='log')"
    assert apart.min() >= 0.05 * n
    assert found.distances[0, 1] >= 0.1 * n
    assert apart.max() <= 0.5 * n
    random = np.random.default_rng(0).integers(0, 3, model.shape)
    assert found.relevance.min() > 0.6 * found.relevance[0] + 0.4 * model.score(random)


@pytest.mark.filterwarnings("ignore:the second labeling differs")  # in more variables than wanted
def test_a_list_stays_plausible_where_most_variables_change_together():
    row, column = np.mgrid[:32, :32]
    disc = np.where((row - 16) ** 2 + (column - 16) ** 2 < 130, 0.75, -0.75)
    model = hh.Grid(np.stack([-disc, disc], axis=-1), smoothness=1.0)
    found, inverted = hh.diverse(model, m=3), hh.diverse(model, m=3, tradeoff=hh.target(distance=0.1))
    assert inverted.distances[0, 1] > 0.3 * model.n_variables
    assert found.distances[np.triu_indices(3, 1)].min() >= 0.05 * model.n_variables
    assert found.distances.max() < 0.3 * model.n_variables
    assert found.relevance.min() > 0.7 * found.relevance[0]


@pytest.mark.parametrize("unit", [2.0**-40, 2.0**40])
def test_the_unit_of_the_scores_does_not_matter(unit):
    model = noisy_grid(16)
    found, scaled = hh.diverse(model), hh.diverse(hh.Grid(unit * model.unary.reshape(16, 16, 3), 0.7 * unit))
    assert np.array_equal(found.labelings, scaled.labelings)
    assert scaled.tradeoff == unit * found.tradeoff


def test_a_stream_begins_as_the_list():
    model = noisy_grid(16)
    steps = hh.stream(model)
    assert all(np.array_equal(next(steps).labeling, row) for row in hh.diverse(model, m=3).labelings)


def test_words_about_distances_are_the_users():
    model = hh.FactorGraph(np.tile([3.0, 0.0], (40, 1)))
    assert hh.diverse(model).certificate.apart == 2
    assert hh.diverse(model, distinct=True).certificate.apart == 1
    assert hh.diverse(model, min_distance=7, m=2).certificate.apart == 7
    assert hh.diverse(model, tradeoff=9.0).certificate.apart == 0


def complete_graph(nodes: int) -> tuple[np.ndarray, np.ndarray]:
    edges = np.stack(np.triu_indices(nodes, 1), axis=1)
    return edges, np.random.default_rng(nodes).normal(size=len(edges))


@pytest.mark.parametrize(("kind", "chosen"), [(hh.SpanningTree, 15), (hh.GraphMatching, 8)])
def test_trees_and_matchings_of_dense_graphs_exchange_a_few_of_their_edges(kind, chosen):
    """Shares are of what can differ: a tenth of all edges of a dense graph would be nearly the whole tree."""
    model = kind(*complete_graph(16))
    found = hh.diverse(model, m=2, certify=False)
    assert model.n_differing == 2 * chosen
    assert found.certificate.apart == np.ceil(0.05 * 2 * chosen)
    assert 0.1 * 2 * chosen <= found.distances[0, 1] <= 0.7 * 2 * chosen


def test_joint_lists_are_not_kept_apart():
    found = hh.diverse(noisy_grid(16, labels=2), method="joint", m=3)
    assert found.certificate.apart == 0
    assert found.optimal


def test_a_distance_out_of_reach_is_no_error():
    """Nothing but one variable is free: the list does what it can, and says that it is short."""
    scores = np.full((30, 2), -np.inf)
    scores[:, 0] = 0.0
    scores[0, 1] = -1.0
    with pytest.warns(UserWarning, match="only 1 of 3 labelings"):
        assert len(hh.diverse(hh.FactorGraph(scores), m=3)) == 1


def test_repeats_are_told_unless_they_were_asked_for(recwarn):
    model = hh.FactorGraph(np.tile([3.0, 0.0], (4, 1)))
    with pytest.warns(UserWarning, match="only 1 of 3 labelings are different: pass distinct=True"):
        hh.diverse(model, hh.VariableCoverage(), m=3, tradeoff=0.01)
    recwarn.clear()
    hh.diverse(model, hh.VariableCoverage(), m=3, tradeoff=0.01, distinct=False)
    assert not recwarn.list


def test_taggings_and_parses_do_not_repeat():
    chain = hh.Chain(np.tile([3.0, 0.0, 0.5], (6, 1)), np.eye(3))
    assert hh.diverse(chain, hh.VariableCoverage(), m=4, tradeoff=0.01).distinct == 4
    scores = np.random.default_rng(1).normal(size=(5, 6))
    assert hh.diverse(hh.Arborescence(scores), hh.VariableCoverage(), m=4, tradeoff=0.0).distinct == 4


@pytest.mark.parametrize(
    "diversity", [hh.VariableCoverage(), hh.LinearHamming(), hh.UniqueItems(hh.VariableCoverage())]
)
def test_variables_are_not_counted_twice(diversity):
    model = noisy_grid(16)
    with pytest.raises(ValueError, match=r"would count variables twice.*tradeoff=0.4, or tradeoff='auto'"):
        hh.diverse(model, diversity + hh.LabelCoverage(), tradeoff=hh.per_variable(0.4))


def test_other_words_for_a_tradeoff_are_refused():
    with pytest.raises(ValueError, match='tradeoff must be "auto", a number'):
        hh.diverse(noisy_grid(16), tradeoff="big")
    with pytest.raises(TypeError, match='"auto" finds its tradeoff by solving steps'):
        hh.select([[0, 0], [0, 1]], hh.FactorGraph(np.zeros((2, 2))), hh.HammingBall(gamma=1.0), m=1, tradeoff="auto")


def test_joint_lists_are_whole_and_their_arguments_checked():
    """All labelings are found at once, so that no time limit may drop them."""
    model = noisy_grid(16, labels=2)
    assert len(hh.diverse(model, method="joint", m=4, time_limit=1e-9)) == 4
    with pytest.raises(ValueError, match="distinct must be True, False"):
        hh.diverse(model, method="joint", distinct="nonsense")


def test_methods_say_what_was_done():
    model = noisy_grid(16)
    refined = hh.diverse(model, m=2, refine=True)
    assert refined.method == refined.more(1).method == "greedy, refined"
    with pytest.warns(UserWarning, match="time limit is over"):
        assert hh.diverse(model, m=4, refine=True, time_limit=1e-9).method == "greedy"


def test_a_target_without_a_second_labeling_is_told_in_its_words():
    scores = [[0.0, -np.inf]] * 3
    with pytest.raises(hh.InfeasibleError, match="differ in 1 variables; the largest difference was 0"):
        hh.diverse(hh.FactorGraph(scores), tradeoff=hh.target(0.1), distinct=True)


def test_no_bounds_are_sought_while_a_tradeoff_is(monkeypatch):
    asked = []
    monkeypatch.setattr(MoveSolver, "_bound_by_branches", lambda *_: asked.append(1) or np.inf)
    model = hh.Grid(np.random.default_rng(0).normal(size=(6, 6, 3)), smoothness=0.6)
    swap = hh.oracles.get("swap")
    assert tradeoff_found("auto", model, hh.TransitionCoverage(), swap, Separation()) > 0
    assert not asked
    swap.on(model).step([])
    assert asked


def test_a_tradeoff_is_chosen_even_if_nothing_is_found_in_time(monkeypatch):
    model, calls = noisy_grid(8), []

    def late(greedy, state):
        calls.append(len(state))
        raise TimeoutError("no labeling was found")

    monkeypatch.setattr(tradeoff_search, "_extended", late)
    auto = hh.oracles.get("auto")
    assert tradeoff_found("auto", model, hh.VariableCoverage(), auto, Separation()) == unit_of(model)
    assert calls == [0]


def test_routes_differ_in_lengths_not_in_numbers_of_edges():
    """Three short edges count less than one long one."""
    edges = [[0, 1], [1, 2], [2, 3], [0, 3], [0, 4], [4, 3]]
    model = hh.Path(edges, [1.0, 1.0, 1.0, 3.5, 0.25, 4.0], 0, 3)
    plain = hh.diverse(model, m=3, distinct=False)
    named = hh.diverse(model, hh.UseCoverage(weights=model.lengths), m=3, tradeoff=plain.tradeoff, distinct=False)
    assert plain.tradeoff > 0
    assert np.array_equal(plain.labelings, named.labelings)
    assert plain.gains.tolist() == named.gains.tolist()


def test_what_answers_agree_on_is_an_answer_itself():
    """The most probable column of each row need not be a matching."""
    model = hh.Matching(0.5 * np.random.default_rng(0).normal(size=(4, 4)))
    found = hh.diverse(model, m=3, tradeoff=1.0, distinct=True, certify=False)
    alone = found._live_uncertainty.possible.marginals.argmax(axis=1)
    assert np.isneginf(model.score(alone))
    assert np.isfinite(model.score(hh.consensus(found)))
