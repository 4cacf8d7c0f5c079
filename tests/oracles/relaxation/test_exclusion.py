# SPDX-License-Identifier: BSD-3-Clause
"""Labelings at a distance on structures, where slopes for distances miss the best ones."""

from __future__ import annotations

import itertools

import numpy as np

import hedgehop as hh
from hedgehop.oracles import Lagrangian

PAIRS = list(itertools.combinations(range(6), 2))
CUBE = np.array(list(itertools.product((0, 1), repeat=13)), np.int32)
STRUCTURES = {  # a random one, all labelings that it may allow, and a distance
    "matching": (
        lambda random: hh.Matching(random.normal(size=(7, 7))),
        np.array(list(itertools.permutations(range(7))), np.int32),
        3,
    ),
    "graph_matching": (lambda random: hh.GraphMatching(PAIRS[:13], random.normal(size=13)), CUBE, 4),
    "spanning_tree": (lambda random: hh.SpanningTree(PAIRS[:13], random.normal(size=13)), CUBE, 4),
    "arborescence": (
        lambda random: hh.Arborescence(random.normal(size=(6, 6))),
        np.array(list(itertools.product(range(6), repeat=5)), np.int32),
        2,
    ),
}


def missed(make, labelings, distance):
    """In how many of twenty steps after two labelings the best one at a distance is not found."""
    count = 0
    for seed in range(20):
        model = make(np.random.default_rng(seed))
        scores = model.score(labelings)
        earlier = labelings[np.argsort(-scores, kind="stable")[:2]]
        apart = ((labelings[:, None] != earlier).sum(axis=2) >= distance).all(axis=1)
        step = Lagrangian().on(model).step_apart((), list(earlier), distance)
        assert (step.labeling.reshape(-1) != earlier).sum(axis=1).min() >= distance
        assert step.value <= scores[apart].max() + 1e-9 <= step.upper_bound + 2e-9
        count += step.value < scores[apart].max() - 1e-9
    return count


def test_steps_at_a_distance_find_the_best_labelings():
    """Slopes alone miss 16 of these 80, and 4 are missed with labels forbidden."""
    assert sum(missed(*structure) for structure in STRUCTURES.values()) <= 5


def test_long_detours_are_not_taken_where_short_ones_keep_the_distance():
    """Of this matching of sixty rows, slopes alone find a list whose last labeling loses 1.76 instead of 0.23."""
    model = hh.Matching(np.random.default_rng(8).normal(size=(60, 60)))
    found = hh.diverse(model, m=5)
    assert found.relevance.min() > found.relevance[0] - 0.3
