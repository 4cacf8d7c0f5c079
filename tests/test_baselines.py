# SPDX-License-Identifier: BSD-3-Clause
"""Baselines: M-best in order, perturbed models, blind draws; and samples of what the truth might be."""

from __future__ import annotations

import numpy as np
import pytest

import hedgehop as hh


def all_labelings(model):
    counts = [range(int(k)) for k in model.label_counts]
    return np.stack(np.meshgrid(*counts, indexing="ij"), -1).reshape(-1, model.n_variables)


@pytest.mark.parametrize("oracle", ["auto", "tree", "ilp", "exhaustive"])
@pytest.mark.parametrize("seed", range(3))
def test_m_best_is_the_order_of_all_labelings(oracle, seed):
    random = np.random.default_rng(seed)
    emissions = random.normal(size=(4, 3))
    emissions[1, 2] = -np.inf
    model = hh.Chain(emissions, random.normal(size=(3, 3)))
    best = hh.baselines.m_best(model, m=10, oracle=oracle)
    scores = np.sort(np.asarray(model.score(all_labelings(model))))[::-1]
    assert np.asarray(model.score(best)) == pytest.approx(scores[:10])
    assert len(np.unique(best, axis=0)) == 10


@pytest.mark.filterwarnings("ignore:better labelings may be missing")
@pytest.mark.parametrize("oracle", ["auto", "graphcut", "trws", "ilp"])
@pytest.mark.parametrize("seed", range(4))
def test_m_best_of_a_loopy_model(oracle, seed):
    random = np.random.default_rng(seed)
    scores = random.integers(-3, 4, (3, 3, 2)) if seed % 2 else random.normal(size=(3, 3, 2))
    model = hh.Grid(scores.astype(float), smoothness=0.6)
    best = hh.baselines.m_best(model, m=30, oracle=oracle)
    scores = np.sort(np.asarray(model.score(all_labelings(model).reshape(-1, 3, 3))))[::-1]
    assert np.asarray(model.score(best)) == pytest.approx(scores[:30])
    assert len(np.unique(best.reshape(30, -1), axis=0)) == 30


def test_m_best_ends_with_the_last_labeling():
    assert hh.baselines.m_best(hh.FactorGraph([[0.0, 1.0]] * 2), m=9).tolist() == [[1, 1], [0, 1], [1, 0], [0, 0]]


def test_blind_draws_rarely_meet_the_few_good_labelings():
    """The paper's Lemma 1: where only a handful of exponentially many labelings matter, chance does not find them."""
    n, m = 20, 10
    model = hh.FactorGraph(np.zeros((n, 2)))
    good = hh.baselines.random_labelings(model, m, seed=7)
    diversity = hh.GroupCoverage(lambda y: [k for k, g in enumerate(good) if np.array_equal(g, y)])
    assert diversity.value(model, good) == m
    lucky = sum(diversity.value(model, hh.baselines.random_labelings(model, m, seed)) > 0 for seed in range(200))
    assert lucky <= 2  # each list of m meets one with probability below m * m / 2^n


def test_no_choice_from_blind_draws_helps():
    """Lemma 1 again, for lists selected from a pool of draws, however well: what was not drawn cannot be selected."""
    n, m = 40, 5
    model = hh.FactorGraph(np.zeros((n, 2)))
    good = hh.baselines.random_labelings(model, m, seed=7)
    diversity = hh.GroupCoverage(lambda y: [k for k, g in enumerate(good) if np.array_equal(g, y)])
    pool = hh.baselines.random_labelings(model, 500, seed=1)
    assert hh.select(pool, model, diversity, m).objective == 0.0
    assert hh.select(np.concatenate([pool, good]), model, diversity, m).objective == m


def test_blind_draws_use_every_label_evenly():
    model = hh.FactorGraph([[0.0, 0.0, 0.0], [0.0, 0.0, -np.inf]] * 50)
    drawn = hh.baselines.random_labelings(model, 200)
    assert np.bincount(drawn.ravel(), minlength=3) / drawn.size == pytest.approx([1 / 3] * 3, abs=0.03)
    assert (drawn == hh.baselines.random_labelings(model, 200)).all()


def test_perturbed_models_follow_the_scores():
    """One variable: Gumbel noise makes perturb-and-MAP a draw from the softmax of the scores."""
    model = hh.FactorGraph([[0.0, 1.0, 2.0]])
    drawn = hh.baselines.perturb_and_map(model, 2000)
    shares = np.exp([0.0, 1.0, 2.0]) / np.exp([0.0, 1.0, 2.0]).sum()
    assert np.bincount(drawn.ravel()) / 2000 == pytest.approx(shares, abs=0.03)
    even = hh.samples(model, 512, label=1.0, region=0.0)  # the design is much evener than chance
    assert np.bincount(even.ravel()) / 512 == pytest.approx(shares, abs=0.01)


def test_samples_move_whole_regions_and_repeat_themselves():
    scores = np.zeros((6, 8, 3))
    scores[:, :4, 0] = scores[:, 4:, 1] = 0.5
    model = hh.Grid(scores, smoothness=0.2)
    drawn = hh.samples(model, 40, label=0.0, region=2.0)
    left, right = drawn[:, :, :4].reshape(40, -1), drawn[:, :, 4:].reshape(40, -1)
    assert (left == left[:, :1]).all()
    assert (right == right[:, :1]).all()
    assert len(np.unique(drawn.reshape(40, -1), axis=0)) >= 6
    assert (drawn == hh.samples(model, 40, label=0.0, region=2.0)).all()
    assert (drawn != hh.samples(model, 40, label=0.0, region=2.0, seed=1)).any()
    halves = np.arange(6).repeat(8).reshape(6, 8) // 3
    rows = hh.samples(hh.Grid(np.zeros((6, 8, 2)), smoothness=0.2), 8, label=0.0, regions=halves)
    assert all(len(np.unique(y[:3])) == 1 and len(np.unique(y[3:])) == 1 for y in rows)


@pytest.mark.parametrize("model", [
    hh.SpanningTree([[0, 1], [1, 2], [0, 2], [2, 3], [1, 3]], np.arange(5) / 5),
    hh.GraphMatching([[0, 1], [1, 2], [2, 3], [3, 0]], np.ones(4), perfect=True),
    hh.Matching(np.eye(3)),
    hh.Arborescence(np.zeros((3, 4))),
], ids=repr)  # fmt: skip
def test_samples_of_structures_vary(model):
    """Noise on whole labels is the same for all trees, so that single variables get noise unless told otherwise."""
    drawn = hh.samples(model, 30)
    assert len(np.unique(drawn, axis=0)) >= 2
    assert np.isfinite(model.score(drawn)).all()
    if isinstance(model, hh.SpanningTree):
        assert len(np.unique(hh.samples(model, 30, variable=0.0), axis=0)) == 1


def test_samples_feed_expected_best():
    model = hh.Chain(np.zeros((4, 3)), 0.3 * np.eye(3))
    found = hh.diverse(model, hh.ExpectedBest(hh.samples(model, 20)), m=3, tradeoff=5.0)
    assert found.distinct == 3
    assert found.objective <= found.upper_bound


def test_noise_follows_the_structure():
    """On chains, where it is on single variables, samples are those of the distribution; regions are for images."""
    scores = np.random.default_rng(0).normal(size=(6, 3))
    chain = hh.Chain(scores, np.zeros((3, 3)))  # independent: perturb-and-MAP is exact
    drawn = hh.samples(chain, 2000, method="noise")
    shares = np.stack([(drawn == label).mean(axis=0) for label in range(3)], axis=1)
    assert shares == pytest.approx(np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True), abs=0.05)
    assert np.array_equal(drawn, hh.samples(chain, 2000, 1.0, 0.0, 0.0))
    grid = hh.Grid(scores.reshape(2, 3, 3), 0.5)
    assert np.array_equal(hh.samples(grid, 20), hh.samples(grid, 20, 0.0, 1.0, 1.0))
    parse = hh.Arborescence(np.random.default_rng(0).normal(size=(4, 5)))
    assert np.array_equal(hh.samples(parse, 20, method="noise"), hh.samples(parse, 20, 1.0, 0.0, 0.0))
    whole = [np.arange(6)]
    assert np.array_equal(hh.samples(chain, 20, regions=whole), hh.samples(chain, 20, 0.0, 1.0, 1.0, regions=whole))


def test_diverse_beams_are_strings_and_wide_ones_begin_with_the_best():
    random = np.random.default_rng(5)
    slots = [dict(zip("abcd", random.normal(size=4).tolist(), strict=True)) for _ in range(5)]
    slots[2][""] = 0.3
    model = hh.Automaton.from_slots(slots)
    found = hh.baselines.diverse_beams(model, m=4, penalty=2.0, width=100)
    assert np.isfinite(model.score(found)).all()
    assert found[0].tolist() == hh.best(model).labeling.tolist()
    assert len({tuple(y) for y in found.tolist()}) > 1
    narrow = hh.baselines.diverse_beams(model, m=2, penalty=0.0, width=1)
    assert narrow[0].tolist() == narrow[1].tolist()
    assert model.score(narrow[0]) <= hh.best(model).value


def test_diverse_beams_need_an_automaton():
    with pytest.raises(TypeError, match=r"hh\.Automaton"):
        hh.baselines.diverse_beams(hh.FactorGraph([[0.0, 1.0]]))
