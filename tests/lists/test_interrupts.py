# SPDX-License-Identifier: BSD-3-Clause
"""Interrupted runs keep what they found."""

from __future__ import annotations

import pickle
from itertools import chain, repeat

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.lists.methods.greedy import Greedy
from hedgehop.lists.proofs.search import Search
from hedgehop.lists.proofs.swaps import Swaps

RANDOM = np.random.default_rng(0)
MODEL = hh.FactorGraph(RANDOM.normal(size=(5, 3)), [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]], 0.5)
BALL = hh.HammingBall(gamma=0.3)


def test_interruption_solves_nothing_more():
    """Label rewards: the single best labeling is not the first one, so its F is unknown when stopped early."""

    def stop(step):
        raise KeyboardInterrupt

    with pytest.raises(hh.Interrupted) as stopped:
        hh.diverse(MODEL, hh.LabelCoverage(parsimony=0.0), 5, callback=stop)
    assert np.isnan(stopped.value.found.certificate.baseline)
    assert stopped.value.found.guarantee == 0.0


def test_interruption_keeps_what_was_found():
    def stop_after_two(step, seen=[]):  # noqa: B006
        seen.append(step)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(hh.Interrupted) as stopped:
        hh.diverse(MODEL, BALL, 5, callback=stop_after_two)
    found = stopped.value.found
    assert len(found) == 2
    assert found.objective <= found.upper_bound
    whole = hh.diverse(MODEL, BALL, 5)
    assert np.array_equal(found.labelings, whole.labelings[:2])
    assert np.array_equal(found.more(3).labelings, whole.labelings)
    assert isinstance(stopped.value, KeyboardInterrupt)


def interrupt(monkeypatch, owner, name, after):
    """Let one call of a method be interrupted at its end, when it has changed what it changes."""
    method, when = getattr(owner, name), chain(repeat(False, after), [True], repeat(False))

    def stopped(*args, **options):
        answer = method(*args, **options)
        if next(when):
            raise KeyboardInterrupt
        return answer

    monkeypatch.setattr(owner, name, stopped)


def noise():
    return hh.Grid(np.random.default_rng(3).normal(size=(9, 10, 4)), smoothness=0.5)


def test_longer_lists_keep_what_was_found(monkeypatch):
    found = hh.diverse(noise(), hh.VariableCoverage(), 2, 2.0, distinct=False)
    whole = hh.diverse(noise(), hh.VariableCoverage(), 6, 2.0, distinct=False)
    interrupt(monkeypatch, Greedy, "foreseen", after=3)
    with pytest.raises(hh.Interrupted) as stopped:
        found.more(4)
    kept = stopped.value.found
    assert 2 < len(kept) < 6
    assert kept.objective <= kept.upper_bound
    assert np.array_equal(kept.labelings, whole.labelings[: len(kept)])
    assert np.array_equal(kept.more(6 - len(kept)).labelings, whole.labelings)


def test_interrupted_improvements_keep_the_better_list(monkeypatch):
    found = hh.diverse(noise(), hh.VariableCoverage(), 4, 2.0, distinct=False, certify=False)
    interrupt(monkeypatch, Search, "_looked", after=6)
    with pytest.raises(hh.Interrupted) as stopped:
        found.improve(20)
    kept = stopped.value.found
    assert kept.objective > found.objective
    assert kept.objective <= kept.upper_bound < found.upper_bound
    assert kept.method == "greedy, improved"
    assert kept.improve(10).objective >= kept.objective


@pytest.mark.parametrize("after", [0, 1, 3])
def test_interrupted_swaps_can_go_on(monkeypatch, after):
    """Swaps know the groups of their labelings; they must not go on with half of them."""
    found = hh.diverse(noise(), hh.VariableCoverage(), 4, 2.0, distinct=False, certify=False)
    add, when = Swaps.add, chain(repeat(False, after), [True], repeat(False))

    def halfway(swaps, rows):
        centres, size = [lines._centre for _, lines in swaps._families], len(swaps.pool)
        add(swaps, rows)
        if len(swaps.pool) > size and next(when):
            for (_, lines), centre in zip(swaps._families, centres, strict=True):
                lines._centre = centre
            raise KeyboardInterrupt

    monkeypatch.setattr(Swaps, "add", halfway)
    with pytest.raises(hh.Interrupted) as stopped:
        found.improve(20)
    better = found.improve(20)
    assert better.objective >= stopped.value.found.objective
    assert better.objective <= better.upper_bound < found.upper_bound
    assert better.guarantee > 0.8


def test_interruptions_come_from_other_processes():
    found = hh.diverse(hh.FactorGraph([[1.0, 0.0]] * 3), m=2, tradeoff=0.5, certify=False)
    for error in (hh.Interrupted(found), hh.Interrupted(None)):
        again = pickle.loads(pickle.dumps(error))
        assert (again.found is None) == (error.found is None)
    assert np.array_equal(pickle.loads(pickle.dumps(hh.Interrupted(found))).found.labelings, found.labelings)
