# SPDX-License-Identifier: BSD-3-Clause
"""Threads that share lists, streams, models or oracles get what one thread gets."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

import hedgehop as hh

RANDOM = np.random.default_rng(0)
LABELS = hh.Grid(RANDOM.normal(size=(24, 24, 4)), smoothness=0.7)
BINARY = hh.Grid(RANDOM.normal(size=(40, 40, 2)), smoothness=0.7)
CHAIN = hh.Chain(RANDOM.normal(size=(60, 4)), RANDOM.normal(size=(4, 4)))
THREADS = 8
CASES = [
    (LABELS, hh.LinearHamming(), {}),
    (LABELS, hh.LabelCoverage(parsimony=0.0), {}),
    (BINARY, hh.VariableCoverage(), {"distinct": True}),
    (CHAIN, hh.HammingBall(gamma=0.1), {"min_distance": 3}),
]
cases = pytest.mark.parametrize(("model", "diversity", "limits"), CASES, ids=lambda c: type(c).__name__)


def at_once(work, count=THREADS):
    """Call work(0), work(1), ... in threads that begin together."""
    barrier = Barrier(count)

    def begin(k):
        barrier.wait()
        return work(k)

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(begin, range(count)))


def assert_same(found, expected):
    for name in ("labelings", "relevance", "gains", "bounds", "exact"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))
    assert found.certificate == expected.certificate


class Counting(hh.Oracle):
    """Counts its calls, and is interrupted in one of them."""

    name, summary = "counting", "counts"

    def __init__(self, interrupted=0):
        self.calls, self.interrupted = 0, interrupted

    def refusal(self, model, potentials):
        return None

    def maximize(self, model, potentials):
        self.calls += 1
        if self.calls == self.interrupted:
            raise KeyboardInterrupt
        return hh.oracles.get("auto").maximize(model, potentials)


@cases
def test_threads_that_extend_one_list(model, diversity, limits):
    lengths = [1 + k % 4 for k in range(THREADS)]
    alone = hh.diverse(model, diversity, 2, 2.0, **limits)
    expected = {k: alone.more(k) for k in sorted(set(lengths))}
    shared = hh.diverse(model, diversity, 2, 2.0, **limits)
    for k, found in zip(lengths, at_once(lambda t: shared.more(lengths[t])), strict=True):
        assert_same(found, expected[k])
        assert_same(found.more(1), alone.more(k + 1))


@cases
def test_threads_that_share_a_model_and_an_oracle(model, diversity, limits):
    oracle = hh.oracles.get("auto")
    expected = hh.diverse(model, diversity, 4, 2.0, oracle=oracle, **limits)
    for found in at_once(lambda _: hh.diverse(model, diversity, 4, 2.0, oracle=oracle, **limits)):
        assert_same(found, expected)


def test_threads_solve_nothing_twice():
    oracle = Counting()
    found = hh.diverse(BINARY, hh.VariableCoverage(), 2, 2.0, oracle=oracle)
    at_once(lambda k: found.more(1 + k))
    assert oracle.calls == 2 + THREADS + 1  # one for each labeling, and the bound after the last


def test_threads_that_share_a_stream_get_every_step_once():
    expected = hh.diverse(LABELS, hh.LinearHamming(), THREADS, 2.0).labelings
    steps = hh.stream(LABELS, hh.LinearHamming(), 2.0)
    given = at_once(lambda _: next(steps).labeling.tobytes())
    assert sorted(given) == sorted(y.tobytes() for y in expected)


@pytest.mark.parametrize("interrupted", range(4, 7))
def test_interrupted_lists_and_streams_can_go_on(interrupted):
    expected = hh.diverse(CHAIN, hh.VariableCoverage(), 6, 2.0, certify=False)
    found = hh.diverse(CHAIN, hh.VariableCoverage(), 2, 2.0, oracle=Counting(interrupted), certify=False)
    with pytest.raises(KeyboardInterrupt):
        found.more(4)
    assert_same(found.more(4), expected)
    steps = hh.stream(CHAIN, hh.VariableCoverage(), 2.0, oracle=Counting(interrupted))
    begun = [next(steps).labeling for _ in range(interrupted - 1)]
    with pytest.raises(KeyboardInterrupt):
        next(steps)
    begun += [next(steps).labeling for _ in range(6)]
    assert np.array_equal(begun[:6], expected.labelings)
