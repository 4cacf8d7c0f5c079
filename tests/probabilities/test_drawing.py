# SPDX-License-Identifier: BSD-3-Clause
"""``hh.samples``: frequencies of exact samples against probabilities (chi-square, fixed seeds), and which are exact."""

import numpy as np
import pytest
from tests.probabilities.test_exact_samples import agrees

import hedgehop as hh
from hedgehop.probabilities.elimination import falls_on

COUNT = 4000


MODELS = {
    "chain": lambda r: hh.Chain(r.normal(size=(4, 3)), r.normal(size=(3, 3))),
    "tree": lambda r: hh.FactorGraph(r.normal(size=(4, 3)), [[0, 1], [1, 2], [1, 3]], 0.8),
    "wide tree": lambda r: hh.FactorGraph(800.0 * r.normal(size=(4, 2)), [[0, 1], [1, 2], [1, 3]], 500.0),
    "ring": lambda r: hh.FactorGraph(r.normal(size=(4, 2)), [[0, 1], [1, 2], [2, 3], [3, 0]], r.normal(size=(4, 2, 2))),
    "grid": lambda r: hh.Grid(r.normal(size=(2, 3, 2)), smoothness=0.6),
    "parse": lambda r: hh.Arborescence(r.normal(size=(3, 4))),
    "single root": lambda r: hh.Arborescence(r.normal(size=(3, 4)), single_root=True),
    "relations": lambda r: hh.Arborescence(r.normal(size=(2, 3, 2))),
    "spanning tree": lambda r: hh.SpanningTree([[0, 1], [1, 2], [0, 2], [2, 3], [3, 1]], r.normal(size=5)),
    "parallel edges": lambda r: hh.SpanningTree([[0, 1], [1, 0], [1, 2], [0, 2], [2, 1]], r.normal(size=5)),
    "matching": lambda r: hh.Matching(r.normal(size=(3, 3))),
    "one label": lambda r: hh.Grid(np.dstack([r.normal(size=(2, 2)), np.full((2, 2), -np.inf)]), smoothness=1.0),
}


@pytest.mark.parametrize("name", MODELS)
def test_frequencies_are_the_probabilities(name):
    model = MODELS[name](np.random.default_rng(2))
    drawn = hh.samples(model, COUNT, seed=3, method="exact")
    assert drawn.shape == (COUNT, *model.shape)
    assert agrees(model, drawn.reshape(COUNT, -1))


@pytest.mark.parametrize("name", ["chain", "ring", "parse", "spanning tree", "matching"])
def test_the_temperature_counts(name):
    model = MODELS[name](np.random.default_rng(2))
    assert not agrees(model, hh.samples(model, COUNT, method="exact", temperature=3.0).reshape(COUNT, -1))
    share = hh.marginals(model, 3.0).probabilities
    drawn = hh.samples(model, COUNT, method="exact", temperature=3.0)
    seen = (drawn[..., None] == np.arange(share.shape[-1])).mean(axis=0)
    assert seen == pytest.approx(share, abs=0.04)


def test_chains_and_trees_are_exact_by_default_and_grids_are_not():
    chain, grid = (MODELS[name](np.random.default_rng(0)) for name in ("chain", "grid"))
    assert np.array_equal(hh.samples(chain, 20), hh.samples(chain, 20, method="exact"))
    assert np.array_equal(hh.samples(grid, 20), hh.samples(grid, 20, method="noise"))
    assert np.array_equal(hh.samples(chain, 20, 1.0), hh.samples(chain, 20, method="noise"))
    assert not np.array_equal(hh.samples(chain, 20), hh.samples(chain, 20, seed=1))


def test_large_samples_come_in_blocks(monkeypatch):
    chain = MODELS["chain"](np.random.default_rng(0))
    whole = hh.samples(chain, 50)
    monkeypatch.setattr("hedgehop.probabilities.exact_samples._MOST_NUMBERS", 12)
    assert np.array_equal(hh.samples(chain, 50), whole)


def test_what_has_no_exact_samples_says_so():
    with pytest.raises(hh.UnsupportedError, match="no exact samples"):
        hh.samples(hh.Matching(np.zeros((30, 30))), method="exact")
    with pytest.raises(ValueError, match="method must be 'auto', 'exact' or 'noise'"):
        hh.samples(hh.Matching(np.zeros((3, 3))), method="best")


@pytest.mark.parametrize("temperature", [0.0, -1.0, np.inf, np.nan, 1e-305])
def test_temperatures_that_are_none_are_refused(temperature):
    with pytest.raises(ValueError, match="temperature"):
        hh.samples(hh.Chain([[1.0, 0.0]]), temperature=temperature)


def test_a_number_never_falls_on_a_label_of_chance_0():
    chances = np.array([[0.0, 0.5, 0.5, 0.0]] * 3)
    assert falls_on(chances, np.array([0.0, 0.5, 1.0 - 1e-16])).tolist() == [1, 2, 2]
