# SPDX-License-Identifier: BSD-3-Clause
"""A user's own solver as a model: what it must return, and what is proven with and without its bound."""

from __future__ import annotations

import numpy as np
import pytest

import hedgehop as hh

EMISSIONS = np.random.default_rng(0).normal(size=(12, 3))
TRANSITIONS = np.eye(3)


def viterbi(added: np.ndarray) -> np.ndarray:
    """Somebody else's decoder of a chain."""
    best, back = EMISSIONS[0] + added[0], []
    for scores, more in zip(EMISSIONS[1:], added[1:], strict=True):
        through = best[:, None] + TRANSITIONS
        back.append(through.argmax(axis=0))
        best = through.max(axis=0) + scores + more
    labels = [int(best.argmax())]
    for links in reversed(back):
        labels.append(int(links[labels[-1]]))
    return np.array(labels[::-1])


def chain_score(y: np.ndarray) -> float:
    return float(EMISSIONS[np.arange(12), y].sum() + TRANSITIONS[y[:-1], y[1:]].sum())


@pytest.mark.parametrize("diversity", [hh.VariableCoverage(), hh.UseCoverage(), hh.HammingBall(gamma=0.3)], ids=repr)
def test_a_decoder_gives_the_lists_of_the_chain(diversity):
    theirs = hh.Structure(viterbi, chain_score, [3] * 12)
    ours = hh.Chain(EMISSIONS, TRANSITIONS)
    a, b = (hh.diverse(m, diversity, m=3, tradeoff=1.5, distinct=False) for m in (theirs, ours))
    assert a.objective <= a.upper_bound
    assert a.upper_bound >= b.objective - 1e-9
    if isinstance(diversity, hh.HammingBall):  # by slopes, with a bound
        assert a.objective >= 0.99 * b.objective
    else:
        assert a.objective == pytest.approx(b.objective)


def test_labelings_that_must_differ_are_found_with_forbidden_labels():
    theirs = hh.Structure(viterbi, chain_score, [3] * 12)
    best = hh.baselines.m_best(hh.Chain(EMISSIONS, TRANSITIONS), m=4)
    assert theirs.score(hh.baselines.m_best(theirs, m=4)) == pytest.approx(theirs.score(best))


def test_without_a_bound_nothing_is_proven_unless_the_solver_is_exact():
    hopeful = hh.Structure(viterbi, chain_score, [3] * 12, exact=False)
    assert hh.best(hopeful).upper_bound == np.inf
    assert not hh.best(hopeful).exact
    bounded = hh.Structure(lambda added: (viterbi(added), 99.0), chain_score, [3] * 12)
    assert hh.best(bounded).upper_bound == 99.0
    assert hh.best(hh.Structure(viterbi, chain_score, [3] * 12)).exact


@pytest.mark.parametrize(
    ("solve", "score", "counts", "words"),
    [
        (lambda added: [0, 5], lambda y: 0.0, [2, 2], "labels 0..1"),
        (lambda added: [0, 0], lambda y: -np.inf, [2, 2], "not allowed"),
        (lambda added: [0, 0], lambda y: np.nan, [2, 2], "finite number"),
        (lambda added: ([0, 0], np.nan), lambda y: 0.0, [2, 2], "upper bound"),
        (lambda added: ([0, 0], "x"), lambda y: 0.0, [2, 2], "upper bound .* got 'x'"),
        (lambda added: ([0, 0], 2.5), lambda y: 3.0, [2, 2], r"at least what its labeling reaches.*\(3\); got 2.5"),
        (lambda added: None, lambda y: 0.0, [2, 2], "no allowed labeling"),
        (lambda added: [0, 0], lambda y: 0.0, [2, 0], "at least 1"),
    ],
)
def test_solvers_that_break_their_promise_are_named(solve, score, counts, words):
    with pytest.raises(ValueError, match=words):
        hh.Structure(solve, score, counts)


def test_bounds_that_leave_out_what_was_added_are_refused():
    forgetful = hh.Structure(lambda added: (added.argmax(axis=1), 0.0), lambda y: 0.0, [2, 2])
    assert hh.best(forgetful).exact
    with pytest.raises(ValueError, match="Count the added scores"):
        hh.best(forgetful, hh.potentials.Linear([[0.0, 1.0], [2.0, 0.0]]))


@pytest.mark.parametrize(("answer", "shape"), [((1, 0), (2,)), (((1, 0), (0, 1)), (2, 2))])
def test_two_labels_in_a_tuple_are_a_labeling_and_not_a_bound(answer, shape):
    model = hh.Structure(lambda added: answer, lambda y: float(y.sum()), [2] * np.prod(shape), shape=shape)
    step = hh.best(model)
    assert step.labeling.tolist() == np.array(answer).tolist()
    assert step.upper_bound == step.value


def test_functions_are_needed():
    with pytest.raises(TypeError, match="solve must be a function"):
        hh.Structure([1, 0], chain_score, [3] * 12)
