# SPDX-License-Identifier: BSD-3-Clause
"""The checks for authors catch what they say they catch."""

from __future__ import annotations

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.potentials import Constant, LabelWeights

MODEL = hh.FactorGraph(np.random.default_rng(0).normal(size=(3, 3)), [[0, 1]], 1.0)


class Plain:
    """A correct little model, to be broken below."""

    n_variables, shape = 2, (2,)
    label_counts = np.array([2, 2], np.int32)

    def score(self, labelings):
        rows = np.asarray(labelings)
        total = rows.reshape(-1, 2).sum(axis=1).astype(float)
        return float(total[0]) if rows.ndim == 1 else total


class NanScores(Plain):
    def score(self, labelings):
        return super().score(labelings) * np.nan


class AloneDiffers(Plain):
    def score(self, labelings):
        return super().score(labelings) + (1.0 if np.ndim(labelings) == 1 else 0.0)


class WrongShape(Plain):
    shape = (3,)


class NothingAllowed(Plain):
    def score(self, labelings):
        return super().score(labelings) * 0.0 - np.inf


class NoScore:
    n_variables, shape, label_counts = 2, (2,), np.array([2, 2])


def test_plain_model_passes():
    hh.testing.check_model(Plain())


@pytest.mark.parametrize(("broken", "promise"), [
    (NanScores, "scores must be finite or -inf"),
    (AloneDiffers, "must equal its score among many"),
    (WrongShape, "shape must hold as many entries"),
    (NothingAllowed, "at least one labeling must be allowed"),
    (NoScore, "a model needs n_variables"),
])  # fmt: skip
def test_broken_models_are_caught(broken, promise):
    with pytest.raises(AssertionError, match=promise):
        hh.testing.check_model(broken())


class WrongGain(hh.LabelCoverage):
    def _gains(self, model, flat, chosen):
        return super()._gains(model, flat, chosen) * 0.5


class WrongPotentials(hh.LabelCoverage):
    def potentials(self, model, chosen=()):
        return [LabelWeights(np.ones(3))]


class WrongFunction(hh.Diversity):
    def groups(self, labeling):
        return [int(labeling[0])]

    def potentials(self, model, chosen=()):
        return [hh.potentials.Function(lambda y: 100.0 + float(y[1]))]


class NotEmpty(hh.VariableCoverage):
    def coverage(self, model, labelings):
        return super().coverage(model, labelings) + 1.0


class OrderMatters(hh.Diversity):
    submodular = False

    def coverage(self, model, labelings):
        rows = np.asarray(labelings).reshape(-1, 3)
        return float(rows[0].sum()) if len(rows) else 0.0


class Supermodular(hh.LinearHamming):
    submodular = True


class TightOffset(hh.LinearHamming):
    def offset(self, model, chosen, m):
        return 0.0


class OtherBeginnings(hh.VariableCoverage):
    def coverages(self, model, labelings):
        return 2.0 * super().coverages(model, labelings)


class OtherOffsets(hh.VariableCoverage):
    def offsets(self, model, labelings, m):
        return super().offsets(model, labelings, m) - 1.0


class LowBound(hh.HammingBall):
    def bounding(self, model, chosen=()):
        return [Constant(0.0)]


@pytest.mark.parametrize(("broken", "promise"), [
    (WrongGain(ignore=(), parsimony=0.0), "gain must be the difference of values"),
    (WrongPotentials(ignore=(), parsimony=0.0), "potentials must add up to the gain"),
    (WrongFunction(), "potentials must add up to the gain"),
        (NotEmpty(), "D of the empty list must be 0"),
    (OrderMatters(), "D must not depend on the order"),
    (Supermodular(), "submodularity"),
    (TightOffset(), "D of a list exceeds offset plus gains"),
    (OtherBeginnings(), "values must be D of every beginning"),
    (OtherOffsets(), "offsets must be those of every beginning"),
    (LowBound(gamma=0.5), "bounding potentials must not be below the gain"),
])  # fmt: skip
def test_broken_diversities_are_caught(broken, promise):
    with pytest.raises(AssertionError, match=promise):
        hh.testing.check_diversity(broken, MODEL)


class Guess(hh.Oracle):
    """Returns the same labeling whatever it is asked; `claims` says how it lies about it."""

    name, summary = "guess", "guesses"

    def __init__(self, claims):
        self.claims = claims

    def refusal(self, model, potentials):
        return None

    def maximize(self, model, potentials):
        worst = hh.testing.all_labelings(model)[int(np.argmin(model.score(hh.testing.all_labelings(model))))]
        value = float(model.score(worst))
        facts = {"labeling": worst, "value": value, "upper_bound": 1e3, "exact": False, "oracle": "guess"}
        return hh.Step(**(facts | self.claims))


@pytest.mark.parametrize(("claims", "promise"), [
    ({"value": 77.0}, "must be that of its labeling"),
    ({"upper_bound": -50.0}, "is below the best labeling's value"),
    ({"exact": True}, "called exact at"),
    ({"labeling": np.zeros((1, 3), np.int32)}, "must have the model's shape"),
])  # fmt: skip
def test_broken_oracles_are_caught(claims, promise):
    with pytest.raises(AssertionError, match=promise):
        hh.testing.check_oracle(Guess(claims), MODEL)


def test_checks_take_grids_of_one_row():
    hh.testing.check_oracle(hh.oracles.get("exhaustive"), hh.Grid(np.zeros((1, 3, 2))))


def test_honest_guess_passes():
    hh.testing.check_oracle(Guess({}), MODEL)


def test_large_models_are_refused():
    with pytest.raises(ValueError, match="checks try all of them, up to 16384"):
        hh.testing.all_labelings(hh.FactorGraph(np.zeros((15, 2))))
