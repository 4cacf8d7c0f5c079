# SPDX-License-Identifier: BSD-3-Clause
"""What exact oracles refuse, what they answer to models of others, and how they choose among equals."""

from __future__ import annotations

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.potentials import Cardinality, Constant, Linear

ROUND = hh.Path([[0, 1], [1, 0], [1, 2], [0, 2]], [1.0, 1.0, 1.0, 3.0], 0, 2)  # 0 and 1 form a cycle
ONWARD = hh.Path([[0, 1], [1, 2], [0, 2], [2, 3]], [1.0, 1.0, 3.0, 1.0], 0, 3)
WORD = hh.Automaton.from_slots([{"a": -1.0, "b": 0.25}, {"c": 0.5, "d": -1.0}, {"a": 0.0, "d": 0.125}])


def counted(model: hh.Model) -> Cardinality:
    """A function of a distance: no oracle of linear steps may take it."""
    n = model.n_variables
    return Cardinality(np.zeros(n, np.int32), np.sqrt(np.arange(n + 1.0)))


@pytest.mark.parametrize("model", [ROUND, ONWARD], ids=["cyclic", "acyclic"])
def test_shortest_paths_refuse_what_is_not_linear(model):
    oracle = hh.oracles.get("path")
    assert "linear" in oracle.refusal(model, [counted(model)])
    assert oracle.refusal(model, [Linear(np.ones((model.n_variables, 2)))]) is None
    assert oracle.refusal(WORD, []) is not None


def test_edges_that_must_be_used_may_be_anywhere_where_no_route_goes_in_circles():
    needed = np.zeros((4, 2))
    needed[3, 0] = -np.inf
    oracle = hh.oracles.get("path")
    assert oracle.refusal(ONWARD, [Linear(needed)]) is None
    needed = np.zeros((4, 2))
    needed[2, 0] = -np.inf  # from 1 to 2, which is not the first edge of a route
    assert "first ones" in oracle.refusal(ROUND, [Linear(needed)])


def test_max_marginals_of_words():
    linear = Linear(np.random.default_rng(0).normal(size=WORD.unary.shape))
    words = hh.testing.all_labelings(WORD)
    words = words[np.isfinite(WORD.score(words))]
    values = WORD.score(words) + linear.value(WORD, words) + 1.5
    marginals = hh.oracles.get("viterbi").max_marginals(WORD, [linear, Constant(1.5)])
    for i in range(WORD.n_variables):
        for label in range(WORD.unary.shape[1]):
            assert marginals[i, label] == pytest.approx(values[words[:, i] == label].max(initial=-np.inf))


def test_max_marginals_are_not_for_what_viterbi_refuses():
    oracle = hh.oracles.get("viterbi")
    assert oracle.max_marginals(WORD, [counted(WORD)]) is None
    assert oracle.max_marginals(hh.Chain(np.zeros((3, 2)), np.eye(2)), []) is None


def test_the_first_of_equal_labelings_is_chosen_whatever_the_last_digits_say():
    """0.1 + 0.2 - 0.3 is 5.6e-17, which is as much as 0 beside scores of that size, although not beside its own."""
    unary = np.array([[0.0, 0.1], [0.0, 0.2], [0.0, -0.3]])
    model = hh.Chain(unary, 9.0 * np.eye(2) - 9.0)
    zero, one = model.score([[0, 0, 0], [1, 1, 1]])
    assert zero == 0.0
    assert 0.0 < one < 1e-15
    assert hh.best(model, oracle="exhaustive").labeling.tolist() == [0, 0, 0]
