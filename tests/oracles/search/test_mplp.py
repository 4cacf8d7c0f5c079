# SPDX-License-Identifier: BSD-3-Clause
"""Messages of all factors bound all labelings, whatever the scores; where `auto` uses them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.draws import draws

import hedgehop as hh
from hedgehop import _core
from hedgehop.oracles import routing
from hedgehop.potentials import Linear


@given(draws(), st.integers(1, 50), st.sampled_from([1e-6, 1.0, 1e9]))
def test_nothing_exceeds_the_bound(random, sweeps, scale):
    model = cliques(5, 4, int(random.integers(2**31)), 0.3)
    change = Linear(scale * random.normal(size=model.unary.shape))
    best = hh.best(model, change, "exhaustive").value
    found = hh.best(model, change, hh.oracles.Mplp(sweeps, starts=1))
    assert found.value <= best + 1e-9 * (1.0 + scale)
    assert found.upper_bound >= best - 1e-14 * (1.0 + abs(best))
    if found.exact:
        assert found.value == pytest.approx(best, abs=1e-6 * (1.0 + scale))


def cliques(n, n_cliques, seed=0, forbidden=0.0):
    """Random scores, of which some are forbidden, but never label 0 everywhere."""
    random = np.random.default_rng(seed)
    triples = [(random.choice(n, 3, replace=False), random.normal(size=(3, 3, 3))) for _ in range(n_cliques)]
    for _, table in triples:
        table.flat[1:][random.random(26) < forbidden] = -np.inf
    return hh.FactorGraph(random.normal(size=(n, 3)), cliques=triples)


def test_more_sweeps_lower_the_bound():
    model = cliques(30, 40)
    bounds = [hh.best(model, oracle=hh.oracles.Mplp(k, starts=1)).upper_bound for k in (1, 5, 50)]
    assert bounds[0] > bounds[1] > bounds[2]


def test_cliques_that_agree_are_proven():
    random = np.random.default_rng(2)
    pulls = [((i, i + 1, i + 2), 2.0 * np.eye(3)[:, :, None] * np.eye(3)) for i in range(40)]
    found = hh.best(hh.FactorGraph(random.normal(size=(42, 3)), cliques=pulls), oracle="mplp")
    assert found.exact


def test_wide_graphs_of_many_cliques_need_no_program():
    small, large = cliques(60, 200), cliques(200, 900)
    oracles = routing.built_in_and_installed()
    without = {name: oracle for name, oracle in oracles.items() if name != "toulbar2"}
    without["toulbar2"] = _Missing()
    assert routing.choose(without, small, ()).oracle == "ilp"
    assert routing.choose(without, large, ()).oracle == "mplp"
    loose = hh.best(large, oracle=hh.oracles.Mplp(20, starts=1))
    assert routing.closer(without, "mplp", large, (), loose) is None
    tight = hh.oracles.Mplp().step(large, loose.labeling, (), loose.value + 1e-3)
    assert routing.closer(without, "mplp", large, (), tight) == "ilp"


class _Missing(hh.oracles.Toulbar2):
    def refusal(self, model, potentials):
        return "not installed"


def test_others_are_refused():
    oracle = hh.oracles.Mplp()
    assert "Matching" in oracle.refusal(hh.Matching(np.zeros((2, 2))), [])
    assert "LabelWeights" in oracle.refusal(cliques(5, 1), [hh.potentials.LabelWeights([1.0, 0.0, 0.0])])


def test_the_kernel_checks_its_tables():
    scopes = np.array([2], np.int32), np.array([0], np.int32), np.array([0, 1])
    with pytest.raises(ValueError, match="cell"):
        _core.graphs.FactorMessages(*scopes, np.zeros(3))
    with pytest.raises(ValueError, match="tables"):
        _core.graphs.FactorMessages(*scopes, np.array([0.0, -np.inf]))
    messages = _core.graphs.FactorMessages(*scopes, np.array([0.0, 1.0]))
    with pytest.raises(ValueError, match="label"):
        messages.set_unary(np.zeros(3))
    with pytest.raises(ValueError, match="scores"):
        messages.set_unary(np.array([0.0, np.nan]))
    with pytest.raises(ValueError, match="edge"):
        messages.tighten(np.array([[0, 1]], np.int32), 0.0, 1e6)
