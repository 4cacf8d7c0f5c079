# SPDX-License-Identifier: BSD-3-Clause
"""The transductive machine: finds gaps, keeps the balance, behaves like an estimator."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone

from hedgehop.learning import TransductiveSVM


def clouds(seed=0, n=60, apart=3.0):
    """Two clouds, of which one example each is labelled, at its edge."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(2 * n, 2)) * [0.4, 0.6]
    rows[n:, 0] += apart
    truth = np.repeat([0, 1], n)
    labels = np.full(2 * n, -1)
    labels[rows[:n, 1].argmin()] = 0
    labels[n + rows[n:, 1].argmax()] = 1
    return rows, labels, truth


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_it_finds_the_gap_that_two_examples_do_not_show(kernel):
    rows, labels, truth = clouds()
    plain = TransductiveSVM(kernel=kernel, gamma=0.1, C=10.0).fit(rows[labels >= 0], labels[labels >= 0])
    machine = TransductiveSVM(kernel=kernel, gamma=0.1, C=10.0, unlabelled_weight=20.0, balance=0.5)
    assert machine.fit(rows, labels).score(rows, truth) > max(0.97, plain.score(rows, truth))


def test_it_is_the_plain_machine_when_everything_is_labelled():
    rows, _, truth = clouds()
    machine = TransductiveSVM(kernel="linear").fit(rows, truth)
    assert (machine.transduction_ == truth).all()
    assert (machine.predict(rows) == truth).mean() > 0.98


def test_the_balance_is_kept():
    rows, labels, _ = clouds(apart=0.0)
    for share in (0.3, 0.6):
        machine = TransductiveSVM(kernel="linear", C=1.0, unlabelled_weight=50.0, balance=share).fit(rows, labels)
        assert abs((machine.predict(rows) == 1).mean() - share) < 0.2


def test_several_classes():
    random = np.random.default_rng(1)
    truth = np.repeat([3, 5, 9], 30)
    rows = random.normal(size=(90, 2)) * 0.3 + np.array([[0, 0], [3, 0], [0, 3]])[np.repeat([0, 1, 2], 30)]
    labels = np.where(np.arange(90) % 10 == 0, truth, -1)
    machine = TransductiveSVM().fit(rows, labels)
    assert machine.classes_.tolist() == [3, 5, 9]
    assert machine.decision_function(rows).shape == (90, 3)
    assert machine.score(rows, truth) > 0.95


def test_it_can_be_cloned_pickled_and_repeated():
    rows, labels, _ = clouds()
    machine = TransductiveSVM(C=2.0).fit(rows, labels)
    values = machine.decision_function(rows)
    assert (clone(machine).fit(rows, labels).decision_function(rows) == values).all()
    assert (pickle.loads(pickle.dumps(machine)).decision_function(rows) == values).all()


@pytest.mark.parametrize(
    ("machine", "labels", "message"),
    [
        (TransductiveSVM(kernel="cubic"), [0, 1, -1], "kernel must be"),
        (TransductiveSVM(), [0, 0, -1], "two classes"),
        (TransductiveSVM(balance=2.0), [0, 1, -1], "balance must be"),
    ],
)
def test_wrong_input_is_named(machine, labels, message):
    with pytest.raises(ValueError, match=message):
        machine.fit([[0.0], [1.0], [2.0]], labels)
