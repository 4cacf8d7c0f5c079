# SPDX-License-Identifier: BSD-3-Clause
"""The grid search: finds the best setting, goes on from its cache, says what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import hedgehop as hh

MODELS = [hh.FactorGraph([[0.2, 0.0], [1.0, 0.0]]), hh.FactorGraph([[0.0, 0.3], [0.0, 2.0]])]
TRUTHS = [np.array([1, 0]), np.array([0, 1])]


def search(**options):
    grid = {"linear": hh.LinearHamming(), "by weight": lambda model: hh.LinearHamming([0.1] * model.n_variables)}
    return hh.tune(MODELS, TRUTHS, grid, tradeoffs=[0.01, 0.5], m=2, **options)


def test_it_finds_what_trying_all_finds():
    found = search()
    assert (found.name, found.tradeoff, found.score) == ("linear", 0.5, 1.0)
    assert found.oracle.shape == (4, 2, 2)
    for (name, tradeoff), row in zip(found.settings, found.oracle, strict=True):
        for model, truth, values in zip(MODELS, TRUTHS, row, strict=True):
            diversity = hh.LinearHamming() if name == "linear" else hh.LinearHamming([0.1, 0.1])
            labelings = hh.diverse(model, diversity, 2, tradeoff).labelings
            assert values[-1] == hh.metrics.oracle_accuracy(labelings, truth)


def test_it_goes_on_from_its_cache(tmp_path):
    path = tmp_path / "tuned.jsonl"
    calls = []

    def score(labelings, truth):
        calls.append(1)
        return hh.metrics.accuracy(labelings, truth)

    first = search(cache=path, score=score, workers=1)
    assert len(calls) == 8
    path.write_text("\n".join([*path.read_text().splitlines()[:5], '["half a li']))
    assert (search(cache=path, score=score).oracle == first.oracle).all()
    assert len(calls) == 11


def test_a_bar_is_shown_when_asked(capsys):
    search(progress=True)
    assert "8/8" in capsys.readouterr().err


def test_wrong_input_is_named():
    with pytest.raises(ValueError, match="same length"):
        hh.tune(MODELS, TRUTHS[:1], [hh.LinearHamming()])
    with pytest.raises(ValueError, match="must not be empty"):
        hh.tune(MODELS, TRUTHS, [])


def tuned_alone(model, diversity, cache, truth=(1, 1, 1)):
    return hh.tune([model], [truth], {"mine": diversity}, [1.0], m=2, cache=cache).oracle


def test_models_that_differ_in_a_clique_only_do_not_share_a_cache_entry(tmp_path):
    """The cache is named by content, all of it: the repr of both models is the same."""
    tables = np.zeros((2, 2, 2, 2))
    tables[0, 0, 0, 0] = tables[1, 1, 1, 1] = 9.0
    models = [hh.FactorGraph(np.zeros((3, 2)), cliques=[([0, 1, 2], table)]) for table in tables]
    kept = [tuned_alone(model, hh.LinearHamming(), tmp_path / "tuned.jsonl") for model in models]
    assert [row[0, 0, 0] for row in kept] == [0.0, 1.0]


@pytest.mark.parametrize("by_function", [False, True])
def test_diversities_that_differ_in_weights_only_do_not_share_a_cache_entry(tmp_path, by_function):
    model, path = hh.FactorGraph([[0.5, 0.0]] * 3), tmp_path / "tuned.jsonl"
    for weights in ([1.0, 0.0, 0.0], [0.0, 1.0, 1.0]):
        diversity = hh.LinearHamming(weights)
        choice = (lambda _, made=diversity: made) if by_function else diversity
        assert (tuned_alone(model, choice, path) == tuned_alone(model, diversity, None)).all()
    assert len(path.read_text().splitlines()) == 2
    tuned_alone(model, diversity, path)
    assert len(path.read_text().splitlines()) == 2


def test_settings_of_one_name_are_refused():
    weighted = [hh.LinearHamming(weights) for weights in ([1.0, 2.0], [2.0, 1.0])]
    with pytest.raises(ValueError, match=r"two settings have the name 'LinearHamming.*with tradeoff 0.1"):
        hh.tune(MODELS, TRUTHS, weighted, [0.1, 0.2])
    with pytest.raises(ValueError, match=r"two settings have the name 'a' with tradeoff 0.1"):
        hh.tune(MODELS, TRUTHS, {"a": hh.LinearHamming()}, [0.1, 0.1])
    with pytest.raises(ValueError, match=r"two settings have the name 'gamma=0.1'"):
        hh.tune(MODELS, TRUTHS, lambda gamma: hh.HammingBall(gamma=gamma), [0.1], parameters={"gamma": (0.1, 0.1)})


RANDOM = np.random.default_rng(0)
NOISY = [hh.FactorGraph(RANDOM.normal(size=(6, 2)), [[i, i + 1] for i in range(5)], 0.3) for _ in range(6)]
NOISY_TRUTHS = [RANDOM.integers(0, 2, 6) for _ in NOISY]


def sums(members=range(6), **options):
    def make(mix, gamma):
        return mix * hh.LinearHamming() + hh.HammingBall(gamma=gamma)

    space = {"mix": (0.1, 1.0, 3.0), "gamma": (0.1, 1.0)}
    models, truths = [NOISY[i] for i in members], [NOISY_TRUTHS[i] for i in members]
    return hh.tune(models, truths, make, (0.1, 0.5, 2.0), 3, parameters=space, **options)


def test_coefficients_of_a_sum_are_parameters_and_coordinates_of_a_search():
    """No change of one coordinate improves what coordinate search finds."""
    whole, found = sums(), sums(search="coordinates")
    assert len(whole.settings) == 18
    assert {"mix=0.1, gamma=0.1", "mix=3.0, gamma=1.0"} <= {name for name, _ in whole.settings}
    assert whole.score == whole.oracle[:, :, -1].mean(axis=1).max()
    assert len(found.settings) < len(whole.settings)
    scores = dict(zip(whole.settings, whole.oracle[:, :, -1].mean(axis=1), strict=True))
    mine = (found.name, found.tradeoff)
    assert found.score == scores[mine] <= whole.score
    for name, tradeoff in whole.settings:
        parts = zip((*name.split(", "), tradeoff), (*mine[0].split(", "), mine[1]), strict=True)
        if sum(a != b for a, b in parts) == 1:
            assert scores[name, tradeoff] <= scores[mine]


@pytest.mark.slow
@pytest.mark.parametrize("search", ["grid", "coordinates"])
def test_held_out_scores_are_of_settings_chosen_on_other_models(search):
    found = sums(search=search, folds=3)
    assert found.held_out.shape == (6, 3)
    assert found.held_out_score <= sums().oracle[:, :, -1].max(axis=0).mean()
    for k in range(3):
        out = np.arange(6) % 3 == k
        rest = sums(np.flatnonzero(~out), search=search)
        row = found.settings.index((rest.name, rest.tradeoff))
        assert (found.held_out[out] == found.oracle[row][out]).all()


def test_one_function_of_a_model_is_a_grid():
    by_function = hh.tune(MODELS, TRUTHS, lambda model: hh.LinearHamming(np.ones(model.n_variables)), (0.5,), 2)
    assert (by_function.oracle == hh.tune(MODELS, TRUTHS, hh.LinearHamming(), (0.5,), 2).oracle).all()
    with pytest.raises(ValueError, match="workers must be at least 1"):
        search(workers=0)


def test_wrong_searches_are_named():
    with pytest.raises(ValueError, match="search must be"):
        sums(search="random")
    with pytest.raises(ValueError, match="folds must be"):
        sums(folds=7)
    with pytest.raises(TypeError, match="function of them"):
        hh.tune(MODELS, TRUTHS, [hh.LinearHamming()], parameters={"mix": (1,)})
    with pytest.raises(ValueError, match="needs folds"):
        _ = search().held_out_score


def test_what_follows_a_line_that_was_cut_off_is_kept(tmp_path):
    from hedgehop.tuning.cache import ScoreCache

    path = tmp_path / "kept.jsonl"
    ScoreCache(path).put("whole", [1.0])
    path.write_text(path.read_text() + '["torn", [2.')
    ScoreCache(path).put("next", [3.0])
    again = ScoreCache(path)
    assert [again.get(key) for key in ("whole", "torn", "next")] == [[1.0], None, [3.0]]
