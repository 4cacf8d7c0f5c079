# SPDX-License-Identifier: BSD-3-Clause
"""Exact samples: frequencies against probabilities (chi-square, fixed seeds)."""

from itertools import product

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import chisquare

import hedgehop as hh
from hedgehop import _core
from hedgehop.testing import all_labelings

COUNT = 20000


def agrees(model, drawn):
    """Whether the frequencies of all labelings are those of the model."""
    every = all_labelings(model)
    chances = softmax(np.asarray(model.score(every), np.float64))
    places = {tuple(row): k for k, row in enumerate(every.tolist())}
    counts = np.bincount([places[tuple(row)] for row in drawn.tolist()], minlength=len(every))
    assert not counts[chances == 0].any()
    some = chances * len(drawn) >= 5
    rest = [counts[~some].sum()], [len(drawn) * chances[~some].sum()]
    seen, wanted = np.append(counts[some], rest[0]), np.append(len(drawn) * chances[some], rest[1])
    kept = wanted > 0
    if kept.sum() == 1:  # nothing else is possible, and nothing else was seen
        return True
    return chisquare(seen[kept], wanted[kept] * seen.sum() / wanted.sum()).pvalue > 1e-3


@pytest.mark.parametrize("pairwise", ["potts", "tables"])
def test_forests(pairwise):
    random = np.random.default_rng(0)
    scores = 0.7 if pairwise == "potts" else random.normal(size=(3, 3, 3))
    model = hh.FactorGraph(random.normal(size=(5, 3)), [[0, 1], [1, 2], [1, 3]], scores)
    drawn = _core.probabilities.forest_samples(np.asarray(model.unary), model.pairs, random.random((COUNT, 5)))
    assert agrees(model, drawn)
    flatter = _core.probabilities.forest_samples(0.7 * model.unary, model.pairs, random.random((COUNT, 5)))
    assert not agrees(model, flatter)


@pytest.mark.parametrize(("single_root", "scale"), [*product([False, True], [1.0, 4.0, 1000.0])])
def test_arborescences(single_root, scale):
    """With scores that differ by thousands walks give up, and arcs are drawn one by one."""
    random = np.random.default_rng(1)
    model = hh.Arborescence(scale * random.normal(size=(4, 5)), single_root=single_root)
    count = COUNT if scale < 100 else 200
    drawn = _core.probabilities.arborescence_samples(np.asarray(model.unary), single_root, count, 7)
    assert agrees(model, drawn)


def test_a_walk_that_gives_up_is_no_bias():
    """Two words that like each other a million times better than the root."""
    model = hh.Arborescence([[0.0, 0.0, 14.0], [0.5, 14.0, 0.0]])
    drawn = _core.probabilities.arborescence_samples(np.asarray(model.unary), False, COUNT, 3)
    assert agrees(model, drawn)


@pytest.mark.parametrize("single_root", [False, True])
def test_trees_are_drawn_backwards_where_walks_never_end(single_root):
    """Two pairs of words like each other a million times better than anything else; what is between them varies."""
    random = np.random.default_rng(5)
    scores = random.normal(size=(5, 6))
    for a, b in ((0, 1), (2, 3)):
        scores[a, b + 1] += 16.0
        scores[b, a + 1] += 16.0
    model = hh.Arborescence(scores, single_root=single_root)
    drawn = _core.probabilities.arborescence_samples(np.asarray(model.unary), single_root, COUNT, 11)
    assert len(np.unique(drawn, axis=0)) > 20
    assert agrees(model, drawn)


def test_sharp_parses_of_many_words_are_drawn():
    """Arc by arc from marginals, this would take an hour."""
    model = hh.Arborescence(30.0 * np.random.default_rng(0).normal(size=(120, 121)), single_root=True)
    drawn = hh.samples(model, 500)
    assert np.isfinite(model.score(drawn)).all()
    shares = (drawn[:, :, None] == np.arange(121)).mean(axis=0)
    assert np.abs(shares - hh.marginals(model).probabilities).max() < 0.12  # five standard errors
