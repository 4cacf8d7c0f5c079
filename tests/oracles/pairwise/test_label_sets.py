# SPDX-License-Identifier: BSD-3-Clause
"""Messages with fewer and fewer labels where labels cost."""

import itertools

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.oracles.pairwise.kernels import message_solver, pass_messages
from hedgehop.oracles.pairwise.label_sets import LabelSets
from hedgehop.potentials import LabelWeights


def searched(model, costs, theta=None):
    messages = message_solver(model)
    labeling = pass_messages(messages, model, theta, 10)[0]
    sets = LabelSets(messages, model, theta, [LabelWeights(-costs)], labeling)
    sets.shrink(costs)
    return sets


def image(seed, labels=4):
    random = np.random.default_rng(seed)
    return hh.Grid(random.normal(size=(7, 6, labels)), smoothness=0.6), random


def best_of_sets(model, costs):
    """The best labeling with each set of labels, by messages."""
    values = []
    for size in range(1, costs.size + 1):
        for kept in itertools.combinations(range(costs.size), size):
            theta = np.full(model.unary.shape, -np.inf)
            theta[:, kept] = 0.0
            labeling = pass_messages(message_solver(model), model, theta, 50)[0].reshape(model.shape)
            values.append(model.score(labeling) + LabelWeights(-costs).value(model, labeling))
    return max(values)


@pytest.mark.parametrize("seed", range(8))
def test_search_comes_close_to_the_best_set(seed):
    model, random = image(seed)
    costs = np.full(4, 8.0 * random.random())
    sets = searched(model, costs)
    assert sets.value >= best_of_sets(model, costs) - 0.02 * model.spread


def test_value_is_that_of_the_labeling():
    model, random = image(9)
    theta, costs = random.normal(size=model.unary.shape), 9.0 * random.random(4)
    sets = searched(model, costs, theta)
    labeling = sets.labeling.reshape(model.shape)
    linear = theta[np.arange(labeling.size), sets.labeling].sum()
    assert sets.value == pytest.approx(model.score(labeling) + linear + LabelWeights(-costs).value(model, labeling))
    assert not np.isin(sets.labeling, np.flatnonzero(~sets.kept)).any()
    assert np.isneginf(sets.theta[:, ~sets.kept]).all()


def test_a_label_left_out_at_no_loss_is_used_no_longer():
    """All labelings but one are worth 0: of equals the one without the label stays, or moves start from it in vain."""
    model = hh.FactorGraph([[1.0, 0.0], [0.0, 1.0]], [[0, 1]], [[0.0, 0.0], [-1.0, 0.0]])
    sets = searched(model, np.ones(2))
    assert sets.kept.tolist() in ([True, False], [False, True])
    assert np.isfinite(sets.theta[[0, 1], sets.labeling]).all()
    assert sets.value == 0.0


def test_dear_labels_are_left_out_and_needed_ones_kept():
    model, _ = image(3)
    assert searched(model, np.full(4, 1e3)).kept.sum() == 1
    assert searched(model, np.zeros(4)).kept.all()
    needed = np.array(model.unary.reshape(-1, 4), float)
    needed[0, 1:] = -np.inf  # the first variable has one label only
    assert searched(hh.FactorGraph(needed, model.edges, 0.6), np.full(4, 1e3)).kept[0]


def test_large_models_with_costs_get_a_labeling_and_a_bound():
    random = np.random.default_rng(1)
    model = hh.Grid(random.normal(size=(60, 60, 8)), smoothness=0.8)
    step = hh.best(model, LabelWeights(np.full(8, -40.0)), oracle="expansion")
    assert step.value <= step.upper_bound
    plain = hh.best(model)
    paid = plain.value + LabelWeights(np.full(8, -40.0)).value(model, plain.labeling)
    assert step.value > paid  # labels were left out
