# SPDX-License-Identifier: BSD-3-Clause
"""Messages of short cycles bound all labelings, whatever the scores; where `auto` uses them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.draws import draws

import hedgehop as hh
from hedgehop.oracles import routing
from hedgehop.oracles.search.cycles import CyclesSolver
from hedgehop.potentials import Linear


def network(random, n, density=0.8, forbidden=0.0):
    """Variables of one to four labels, many of whose pairs have a table; label 0 is allowed everywhere."""
    counts = np.asarray(random.integers(1, 5, size=n)).reshape(-1)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    edges = [
        pair for pair, u in zip(pairs, np.asarray(random.random(len(pairs))).reshape(-1), strict=True) if u < density
    ]
    tables = [random.normal(size=(counts[i], counts[j])) for i, j in edges]
    for table in tables:
        holes = np.asarray(random.random(table.size)) < forbidden
        table.flat[1:][holes[1:]] = -np.inf
    return hh.FactorGraph([random.normal(size=c) for c in counts], *((edges, tables) if edges else ()))


def spins(n, seed=0, scale=1.0):
    """A grid of two labels whose pairs agree or differ at random: a spin glass."""
    random, image = np.random.default_rng(seed), hh.Grid(np.zeros((n, n, 2)), 1.0)
    signs = random.choice([-scale, scale], len(image.edges))
    return hh.FactorGraph(0.1 * random.normal(size=(n * n, 2)), image.edges, signs[:, None, None] * (np.eye(2) - 0.5))


@given(draws(), st.sampled_from([0.0, 0.3]), st.sampled_from([1e-6, 1.0, 1e9]))
def test_nothing_exceeds_the_bound(random, forbidden, scale):
    model = network(random, 5, forbidden=forbidden)
    solver = hh.oracles.Cycles().on(model)
    for _ in range(3):  # later steps begin with the messages of earlier ones
        change = Linear(scale * random.normal(size=model.unary.shape))
        best, found = hh.best(model, change, "exhaustive").value, solver.step([change])
        assert found.value <= best + 1e-9 * (1.0 + scale)
        assert found.upper_bound >= best - 1e-14 * (1.0 + abs(best))
        if found.exact:
            assert found.value == pytest.approx(best, abs=1e-6 * (1.0 + scale))


@given(draws(), st.sampled_from(["trws", "qpbo"]))
def test_the_bound_of_another_oracle_is_tightened(random, other):
    model = network(random, 5)
    if model.n_labels != 2 and other == "qpbo":
        model = spins(3, int(random.integers(2**31)))
    step = hh.best(model, oracle=other)
    better = hh.oracles.Cycles().on(model).tightened([], step)
    best = hh.best(model, oracle="exhaustive").value
    assert step.value - 1e-9 <= better.value <= best + 1e-9 <= better.upper_bound + 2e-9


def test_forbidden_labels_of_a_step_stay_forbidden():
    model = spins(4)
    mask = np.zeros(model.unary.shape)
    mask[:6, 1] = -np.inf
    solver = hh.oracles.Cycles().on(model)
    solver.step([])
    found, best = solver.step([Linear(mask)]), hh.best(model, Linear(mask), "exhaustive")
    assert found.value == pytest.approx(best.value)
    assert best.value - 1e-12 <= found.upper_bound <= best.value + 0.5
    assert solver.step([]).upper_bound >= hh.best(model, oracle="exhaustive").value


def test_cycles_close_gaps_that_pairs_leave():
    """On spin glasses the linear program leaves a tenth and more; elimination knows the best value."""
    for seed in range(3):
        model = spins(12, seed)
        best = hh.best(model, oracle="elimination").value
        pairs, cycles = (hh.best(model, oracle=name).upper_bound - best for name in ("qpbo", "cycles"))
        assert pairs > 0.1 * best
        assert -1e-9 < cycles < 0.05 * pairs


def test_more_work_proves_more(monkeypatch):
    bounds = []
    for cells in (1e5, 1e6, 1e8):
        monkeypatch.setattr("hedgehop.oracles.search.cycles._WIDE_CELLS", cells)
        bounds.append(hh.best(spins(20), oracle=hh.oracles.Cycles(anneal=False)).upper_bound)
    assert bounds[0] > bounds[1] > bounds[2]


def test_they_follow_other_oracles_where_pairs_contradict_each_other():
    wide = spins(30)
    found, pairs = hh.best(wide), hh.best(wide, oracle="qpbo")
    assert found.upper_bound - found.value < 0.1 * (pairs.upper_bound - pairs.value)
    oracles = routing.built_in_and_installed()
    assert routing.tightens(oracles, "qpbo", wide, [])
    assert not routing.tightens(oracles, "qpbo", wide, [hh.potentials.LabelWeights([1.0, 0.0])])
    assert not routing.tightens(oracles, "trws", hh.Chain(np.zeros((3, 2)), np.eye(2)), [])
    assert "short cycles" in hh.oracles.explain(wide)


def test_pairs_that_prefer_to_agree_do_not_pay_for_them(monkeypatch):
    monkeypatch.setattr(CyclesSolver, "tightened", lambda *_: pytest.fail("messages of cycles were passed"))
    random, labels = np.random.default_rng(0), np.arange(5)
    image = hh.Grid(random.normal(size=(40, 40, 5)), 0.8)
    near = -0.8 * np.minimum(np.abs(labels[:, None] - labels), 2.0)
    truncated = hh.FactorGraph(image.unary, image.edges, near)
    for model in (image, truncated):
        assert not hh.best(model, oracle="trws").exact
        hh.best(model, oracle=hh.oracles.Auto(_Missing()))
    assert hh.oracles.Cycles().on(spins(3)).contradicts


class _Missing(hh.oracles.Toulbar2):
    def refusal(self, model, potentials):
        return "not installed"


def test_lists_of_spin_glasses_are_nearly_proven():
    """Their guarantee was .02: bounds of pairs are a fifth above every labeling."""
    found = hh.diverse(spins(20), hh.VariableCoverage(), m=3, tradeoff=1.0, oracle=hh.oracles.Auto(_Missing()))
    assert found.objective <= found.upper_bound
    assert found.guarantee > 0.6


def test_others_are_refused():
    oracle = hh.oracles.Cycles()
    assert "Matching" in oracle.refusal(hh.Matching(np.zeros((2, 2))), [])
    assert "LabelWeights" in oracle.refusal(spins(3), [hh.potentials.LabelWeights([1.0, 0.0])])
