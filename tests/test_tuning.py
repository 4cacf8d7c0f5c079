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
    with pytest.raises(ValueError, match="as many"):
        hh.tune(MODELS, TRUTHS[:1], [hh.LinearHamming()])
    with pytest.raises(ValueError, match="must not be empty"):
        hh.tune(MODELS, TRUTHS, [])
