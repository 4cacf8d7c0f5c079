# SPDX-License-Identifier: BSD-3-Clause
"""Variable elimination against enumeration, and where it closes gaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.draws import draws, random_factor_graph

import hedgehop as hh
from hedgehop import _core
from hedgehop.potentials import Linear

few = settings(max_examples=100, deadline=None, derandomize=True)


def solved(model, potentials, oracle):
    try:
        return hh.best(model, potentials, oracle)
    except hh.InfeasibleError:
        return None


@few
@given(random=draws())
def test_it_finds_what_enumeration_finds(random):
    model = random_factor_graph(random)
    change = Linear(random.normal(size=model.unary.shape))
    found, expected = (solved(model, change, name) for name in ("elimination", "exhaustive"))
    assert (found is None) == (expected is None)
    if found is not None:
        assert found.value == pytest.approx(expected.value, abs=1e-9)
        assert found.exact


def frustrated(shape, seed=0):
    random = np.random.default_rng(seed)
    grid = hh.Grid(random.normal(size=(*shape, 3)), 1.0)
    return hh.FactorGraph(grid.unary, grid.edges, 2.0 * random.normal(size=(len(grid.edges), 3, 3)))


def test_it_closes_the_gaps_of_messages_on_narrow_graphs():
    model = frustrated((5, 60))
    messages, found = hh.best(model, oracle="trws"), hh.best(model)
    assert not messages.exact
    assert found.exact
    assert found.oracle == "elimination"
    assert messages.value <= found.value <= messages.upper_bound + 1e-9


def test_wide_graphs_and_other_potentials_are_refused():
    oracle = hh.oracles.Elimination()
    assert "too wide" in oracle.refusal(frustrated((20, 20)), [])
    assert "LabelWeights" in oracle.refusal(frustrated((2, 2)), [hh.potentials.LabelWeights([1.0, 0.0, 0.0])])
    assert "Matching" in oracle.refusal(hh.Matching(np.zeros((2, 2))), [])
    assert frustrated((60, 80)).elimination_order is None


@pytest.mark.parametrize(("arguments", "error"), [
    ({"order": np.zeros(2, np.int32)}, "order must name every variable"),
    ({"tables": np.zeros(5)}, "tables must have 4 entries"),
    ({"variables": np.array([0, 7], np.int32)}, "variables"),
])  # fmt: skip
def test_arrays_that_do_not_fit_are_refused(arguments, error):
    given = {
        "label_counts": np.array([2, 2], np.int32), "variables": np.array([0, 1], np.int32),
        "starts": np.array([0, 2]), "tables": np.arange(4.0), "order": np.array([1, 0], np.int32),
    }  # fmt: skip
    assert _core.graphs.eliminate(**given)[1] == 3.0
    with pytest.raises(ValueError, match=error):
        _core.graphs.eliminate(**(given | arguments))
