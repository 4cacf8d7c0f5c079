# SPDX-License-Identifier: BSD-3-Clause
"""Bounds of steps that go on from those of earlier steps: as valid as the first."""

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.potentials import RegionWeights, TransitionWeights


def model_of(random):
    return hh.Grid(random.normal(size=(2, 4, 3)), smoothness=float(random.random()))


def steps(random, kind):
    """Potentials of several steps on one model, as in a list."""
    for _ in range(4):
        if kind == "regions":
            yield RegionWeights([[0, 1, 4, 5], [2, 3]], 2.0 * random.normal(size=(2, 3)))
        else:
            w = 2.0 * random.normal(size=(3, 3)) - 1.0
            yield TransitionWeights(w + w.T if kind == "unordered" else w, ordered=kind == "ordered")


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["regions", "unordered", "ordered"])
def test_bounds_of_later_steps_hold(kind, seed):
    random = np.random.default_rng(seed)
    model = model_of(random)
    solver = hh.oracles.get("expansion" if kind == "regions" else "swap").on(model)
    for potential in steps(random, kind):
        step = solver.maximize([potential])
        best = hh.best(model, potential, oracle="exhaustive").value
        assert step.value <= best + 1e-9
        assert step.upper_bound >= best - 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_costs_of_equal_pairs_are_bounded(seed):
    random = np.random.default_rng(seed)
    model = model_of(random)
    w = -1.5 * random.random((3, 3))
    costs = TransitionWeights(w + w.T, equal=True)
    best = hh.best(model, costs, oracle="exhaustive").value
    assert hh.best(model, costs, oracle="swap").upper_bound >= best - 1e-9
