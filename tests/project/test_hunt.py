# SPDX-License-Identifier: BSD-3-Clause
"""The hunt finds nothing in a few rounds, and notices what is broken on purpose."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from hunt.checks import Round
from hunt.tally import Tally

import hedgehop as hh
from hedgehop.lists.certificate import Certificate
from hedgehop.oracles.base import Oracle


def faults(wanted, most=25):
    """Kinds of faults until a wanted one comes, in rounds of plain scores, where nobody doubts the digits."""
    tally, seeds, kinds = Tally(), count(), set()
    while wanted not in kinds and tally.rounds < most:
        this = Round(next(seeds), tally)
        if this.d.scale == "plain":
            this.run()
        kinds = {fault.kind for fault in tally.faults}
    return kinds


def test_a_wrong_bound_is_noticed(monkeypatch):
    true = Oracle.step
    monkeypatch.setattr(Oracle, "step", lambda *given: replace(true(*given), upper_bound=true(*given).value - 0.5))
    assert "bound of a step below the truth" in faults("bound of a step below the truth")


def test_a_wrong_value_is_noticed(monkeypatch):
    for kind in (hh.VariableCoverage, hh.diversity.Coverage, hh.HammingBall, hh.ExpectedBest, hh.LinearHamming):
        true = kind.coverage
        monkeypatch.setattr(kind, "coverage", lambda *given, true=true: 1.01 * true(*given))
    assert "wrong objective" in faults("wrong objective")


def test_a_wrong_claim_is_noticed(monkeypatch):
    """The worst labeling, called exact."""
    every = hh.oracles.get("exhaustive")

    def worst(model, potentials):
        scores = np.asarray(model.score(hh.testing.all_labelings(model)), float)
        place = int(np.argmin(np.where(np.isfinite(scores), scores, np.inf)))
        labeling = hh.testing.all_labelings(model)[place]
        return replace(every.step(model, labeling, potentials, np.inf), exact=True)

    monkeypatch.setattr(every, "maximize", worst)
    monkeypatch.setattr(every, "on", lambda model: hh.oracles.Solver(every, model), raising=False)
    assert "exact and wrong" in faults("exact and wrong")


def test_a_guarantee_that_is_too_good_is_noticed(monkeypatch):
    monkeypatch.setattr(Certificate, "guarantee", property(lambda _: 1.0))
    assert "guarantee not kept" in faults("guarantee not kept", 80)


@pytest.mark.parametrize("seed", [100, 101, 102, 8010346, 8061218])  # the last two found something
def test_the_library_passes(seed):
    tally = Tally()
    Round(seed, tally).run()
    assert tally.faults == []
