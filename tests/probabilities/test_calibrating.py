# SPDX-License-Identifier: BSD-3-Clause
"""Temperatures are found again, on models, parses and lists."""

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.probabilities.calibrating import fitted, nearest_to


def chains(count, seed=0):
    random = np.random.default_rng(seed)
    models = [hh.Chain(random.normal(size=(30, 3)), 0.5 * np.eye(3)) for _ in range(count)]
    return models, [hh.samples(model, 1, seed=k)[0] for k, model in enumerate(models)]


@pytest.mark.parametrize("factor", [0.3, 4.0])
def test_the_temperature_of_models_is_found(factor):
    models, truths = chains(25)
    louder = [hh.Chain(factor * model.unary, factor * 0.5 * np.eye(3)) for model in models]
    found = hh.calibrate(louder, truths)
    assert found.temperature == pytest.approx(factor, rel=0.25)
    assert found.after.log_loss < found.before.log_loss
    assert found.after.reliability.error < found.before.reliability.error
    assert "temperature" in repr(found)


def test_models_that_are_right_stay_so():
    models, truths = chains(25, seed=1)
    assert hh.calibrate(models, truths).temperature == pytest.approx(1.0, rel=0.25)
    unknown = [np.where(np.arange(30) % 3, truth, -1) for truth in truths]
    assert hh.calibrate(models, unknown, by="error").temperature == pytest.approx(1.0, rel=0.8)


def test_the_temperature_of_lists_is_found():
    random = np.random.default_rng(2)
    models = [hh.Chain(2.0 * random.normal(size=(4, 2))) for _ in range(40)]
    lists = [hh.diverse(hh.Chain(4.0 * model.unary), hh.LinearHamming(), m=3, tradeoff=1.0) for model in models]
    truths = [hh.samples(model, 1, seed=k, method="exact")[0] for k, model in enumerate(models)]
    found = hh.calibrate(lists, truths)
    assert 2.0 < found.temperature < 8.0
    assert found.after.log_loss < found.before.log_loss
    assert hh.calibrate(lists[:1], truths[:1]).temperature == pytest.approx(1.0, rel=2.0)  # one list says little


class Vote:
    """A distribution that is nearly right; if it is very flat, it says nothing, and is right."""

    shrinks = False

    def __init__(self, right):
        self.came = np.eye(4)[[0 if right else 1]]

    def at(self, temperature):
        powers = np.array([[0.7, 0.1, 0.1, 0.1]]) ** (1.0 / temperature)
        flat = temperature > 50.0
        return (np.full((1, 4), 0.25),) * 2 if flat else (powers / powers.sum(), self.came)


def test_probabilities_that_say_nothing_are_not_the_aim():
    found = fitted([Vote(k < 73) for k in range(100)], by="error")
    assert found.after.reliability.error < 0.02
    assert 0.5 < found.temperature < 2.0


def test_nearest_shares_ties():
    found = hh.weigh(hh.diverse(hh.Chain([[1.0, 0.0], [0.2, 0.0]]), hh.LinearHamming(), m=2, tradeoff=5.0), k=5)
    assert found.labelings.tolist() == [[0, 0], [1, 1]]
    assert nearest_to(found, [0, 1]).tolist() == [0.5, 0.5]
    assert nearest_to(found, [-1, 1]).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(("subjects", "truths", "text"), [
    ([], [], "at least 1"),
    ([hh.Chain([[0.0, 0.0]])], [[0], [1]], "the same length"),
    ([hh.Chain([[0.0, 0.0]])], [[-1]], "at least one known label"),
    ([hh.Chain([[0.0, 0.0]])], [[2]], "labels below 2"),
    ([hh.Chain([[0.0, 0.0]])], [[0, 1]], "must have shape"),
    ([3], [[0]], "model must be a model"),
])  # fmt: skip
def test_wrong_examples_are_refused(subjects, truths, text):
    with pytest.raises((ValueError, TypeError), match=text):
        hh.calibrate(subjects, truths)


def test_diagrams_show_both_curves():
    pytest.importorskip("matplotlib")
    models, truths = chains(4)
    from hedgehop.plotting import plot_reliability

    figure = plot_reliability(hh.calibrate(models, truths), title="chains")
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert len(labels) == 2
    assert labels[0].startswith("temperature 1: error ")
