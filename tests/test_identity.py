# SPDX-License-Identifier: BSD-3-Clause
"""Names by content: equal objects share one, different ones never do."""

from __future__ import annotations

import functools
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgehop as hh
from hedgehop._frozen import digest

UNARY = np.arange(6.0).reshape(3, 2)
PARITY = np.arange(8.0).reshape(2, 2, 2)


def with_clique(table):
    return hh.FactorGraph(UNARY, [[0, 1]], 0.5, cliques=[([0, 1, 2], table)])


def bent(power):
    return lambda k: float(k) ** power


DIFFERENT = [
    hh.FactorGraph(UNARY, [[0, 1]], 0.5),
    hh.FactorGraph(UNARY, [[0, 1]], 0.25),
    hh.FactorGraph(UNARY, [[1, 2]], 0.5),
    with_clique(PARITY),
    with_clique(PARITY[::-1]),
    hh.Chain(UNARY, np.eye(2)),
    hh.SpanningTree([[0, 1], [1, 2], [0, 2]], [1.0, 2.0, 3.0]),
    hh.GraphMatching([[0, 1], [1, 2], [0, 2]], [1.0, 2.0, 3.0]),
    hh.LinearHamming(),
    hh.LinearHamming([1.0, 2.0, 3.0]),
    hh.LinearHamming([1.0, 2.0, 4.0]),
    hh.HammingBall(gamma=0.5),
    hh.HammingBall(gamma=0.5, weights=[1.0, 2.0, 3.0]),
    hh.HammingBall(gamma=0.5, weights=[3.0, 2.0, 1.0]),
    hh.HammingBall(radius=1),
    hh.VariableCoverage("sqrt"),
    hh.VariableCoverage(bent(0.5)),
    hh.VariableCoverage(bent(0.25)),
    hh.VariableCoverage(lambda k: min(k, 1)),
    hh.VariableCoverage(lambda k: min(k, 2)),
    hh.LinearHamming() + hh.HammingBall(gamma=0.5),
    hh.LinearHamming() + 2.0 * hh.HammingBall(gamma=0.5),
    hh.RegionCoverage([[0, 1], [2]]),
    hh.RegionCoverage([[0], [1, 2]]),
    hh.GroupCoverage(lambda y: [int(y[0])], weights={0: 1.0, 1: 2.0}),
    hh.GroupCoverage(lambda y: [int(y[0])], weights={0: 2.0, 1: 1.0}),
    hh.GroupCoverage(lambda y: [int(y[1])], weights={0: 2.0, 1: 1.0}),
    hh.potentials.Constant(1.0),
    hh.potentials.BallCoverage([[0, 0, 0]], [0.5, 0.5, 0.5]).pairs()[0],
]


def test_different_objects_have_different_digests():
    names = [thing.digest() for thing in DIFFERENT]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("thing", [d for d in DIFFERENT if "lambda" not in repr(d)], ids=repr)
def test_copies_share_a_digest(thing):
    again = pickle.loads(pickle.dumps(thing))
    assert again == thing
    assert again.digest() == thing.digest()


def test_what_is_cached_on_the_way_does_not_change_a_digest():
    model, cover = with_clique(PARITY), hh.VariableCoverage("log")
    before = model.digest(), cover.digest()
    hh.diverse(model, cover, m=30, tradeoff=2.0)
    assert (model.digest(), cover.digest()) == before


def test_equal_objects_of_other_types_inside_share_a_digest():
    pairs = [
        (hh.Grid(np.ones((2, 3, 2), np.float32)), hh.Grid(np.ones((2, 3, 2)))),
        (hh.potentials.Linear(np.zeros((2, 2))), hh.potentials.Linear(-np.zeros((2, 2)))),
        (hh.HammingBall(radius=1), hh.HammingBall(radius=np.int64(1))),
        (
            hh.GroupCoverage(len, weights={"a": 1, "b": 2.5}),
            hh.GroupCoverage(len, weights={"b": np.float32(2.5), "a": True}),
        ),
    ]
    for a, b in pairs:
        assert a == b
        assert a.digest() == b.digest()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=1), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=40)
@given(VALUES, VALUES)
def test_values_are_equal_exactly_if_their_digests_are(a, b):
    assert (digest(a) == digest(b)) == (a == b)
    assert digest(a) == digest(pickle.loads(pickle.dumps(a)))


def test_digests_mean_the_same_in_another_process():
    code = "import hedgehop as hh; print(hh.HammingBall(gamma=0.5, weights=[3.0, 2.0, 1.0]).digest())"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.strip() == hh.HammingBall(gamma=0.5, weights=[3.0, 2.0, 1.0]).digest()


def test_functions_are_known_by_what_they_do():
    """Names in memory change from run to run; code and what it holds do not."""
    assert digest(bent(0.5)) == digest(bent(0.5)) != digest(bent(0.25))
    assert digest(functools.partial(pow, 2)) == digest(functools.partial(pow, 2)) != digest(functools.partial(pow, 3))
    assert digest(np.sqrt) == digest(np.sqrt) != digest(np.log1p)
    assert digest("ab".join) == digest("ab".join) != digest("abc".join)

    def deep(k):
        return deep(k - 1) if k else 0.0

    assert digest(deep) == digest(deep)


def test_what_cannot_be_looked_into_is_only_itself():
    one, other = threading.Lock(), threading.Lock()
    assert digest(one) == digest(one) != digest(other)
