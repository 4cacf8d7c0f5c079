# SPDX-License-Identifier: BSD-3-Clause
"""Lists as users meet them: going on, streaming, constraints, refinement, interruption."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest

import hedgehop as hh

RANDOM = np.random.default_rng(0)
MODEL = hh.FactorGraph(RANDOM.normal(size=(5, 3)), [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]], 0.5)
BALL = hh.HammingBall(gamma=0.3)


@pytest.mark.parametrize("diversity", [BALL, hh.LabelCoverage(), hh.LinearHamming(), hh.VariableCoverage()], ids=repr)
def test_greedy_is_a_prefix(diversity):
    long = hh.diverse(MODEL, diversity, 5, 3.0)
    short = hh.diverse(MODEL, diversity, 2, 3.0)
    longer = short.more(2).more(1)
    assert np.array_equal(longer.labelings, long.labelings)
    assert longer.objective == pytest.approx(long.objective)
    assert longer.upper_bound == pytest.approx(long.upper_bound)
    assert len(short) == 2  # what was found stays as it was
    assert np.array_equal(short.more(3).labelings, long.labelings)
    streamed = itertools.islice(hh.stream(MODEL, diversity, 3.0), 5)
    assert np.array_equal([s.labeling for s in streamed], long.labelings)


def test_more_solves_nothing_twice():
    calls = []

    class Counting(hh.Oracle):
        name = "counting"
        summary = "counts"

        def refusal(self, model, potentials):
            return None

        def on(self, model):
            calls.append("start")
            return super().on(model)

        def maximize(self, model, potentials):
            calls.append("step")
            return hh.oracles.Exhaustive().maximize(model, potentials)

    found = hh.diverse(MODEL, hh.VariableCoverage(), 3, 1.0, oracle=Counting(), certify=False)
    assert calls == ["start"] + ["step"] * 3  # a labeling each, and nothing for a bound alone
    assert len(found.certificate.online) == 3
    longer = found.more(1)
    assert calls == ["start"] + ["step"] * 4
    found.more(1)
    assert calls == ["start"] + ["step"] * 4
    assert len(longer.more(1).certificate.online) == 5
    longer.certify(1)
    assert len(longer.more(2).certificate.online) == 7  # who asks for bounds gets that after the last labeling, too


def test_stream_is_lazy():
    steps = hh.stream(hh.FactorGraph(np.zeros((2, 2))), BALL, distinct=True)
    assert len({s.labeling.tobytes() for s in steps}) == 4  # and it ends when nothing is left


def test_steps_add_up():
    found = hh.diverse(MODEL, BALL, 4, 2.0)
    rows = found.labelings
    assert found.gains.sum() == pytest.approx(found.objective)
    assert found.objective == pytest.approx(MODEL.score(rows).sum() + 2.0 * BALL.value(MODEL, rows))
    assert found.relevance == pytest.approx(MODEL.score(rows))
    assert found.exact.all()
    assert found.bounds == pytest.approx(found.gains)
    assert found.distances[0].tolist() == [(rows[0] != y).sum() for y in rows]


def test_per_variable_scales_with_the_model():
    found = hh.diverse(MODEL, BALL, 2, tradeoff=hh.per_variable(0.4))
    assert found.tradeoff == pytest.approx(2.0)
    assert np.array_equal(found.labelings, hh.diverse(MODEL, BALL, 2, tradeoff=2.0).labelings)


def test_only_steps_with_the_largest_gain_are_called_exact():
    """Distorted, refined and portfolio steps solve other problems; "exact" is about the gain in F."""
    random = np.random.default_rng(1)
    for _ in range(20):
        model = hh.FactorGraph(random.normal(size=(4, 3)))
        every = hh.testing.all_labelings(model)
        labels = hh.LabelCoverage(parsimony=0.0, ignore=())
        for found, total in (
            (hh.diverse(model, labels, 3, 2.0, method="distorted", distinct=False), 2.0 * labels),
            (hh.diverse(model, labels, 3, 2.0, refine=True, distinct=False), 2.0 * labels),
            (hh.portfolio(model, [labels, BALL], 4, 2.0), 2.0 * labels + 2.0 * BALL),
        ):
            for t, exact in enumerate(found.exact):
                gains = model.score(every) + np.asarray(total.gain(model, every, found.labelings[:t]))
                if exact:
                    assert found.gains[t] >= gains.max() - 1e-5


def test_sums_of_diversities_in_every_spelling():
    assert sum([BALL, hh.LinearHamming()]) == BALL + hh.LinearHamming()
    assert BALL * 2 == 2 * BALL
    with pytest.raises(TypeError):
        np.ones(2) * BALL


def test_progress_and_callback(capsys):
    seen = []
    hh.diverse(MODEL, BALL, 3, progress=True, callback=seen.append, certify=False)
    assert len(seen) == 3
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("labeling 1/3: gain ")


def test_steering_by_the_sum_is_not_called_exact():
    """The paper's sum of overlaps is solved exactly, but its answer is not proven to have the largest gain."""
    found = hh.diverse(MODEL, hh.HammingBall(gamma=0.1, steer="sum"), 5, 20.0, distinct=False)
    short = found.gains < found.bounds - 1e-6
    assert short.any()
    assert not found.exact[short].any()


def test_report_asks_nothing_of_lists_that_differ():
    for options in ({"tradeoff": hh.target(0.5)}, {"distinct": True}, {"min_distance": 2}):
        report = hh.diverse(MODEL, hh.HammingBall(radius=1), 3, **options).report()
        assert "pass" not in report
        assert "raise" not in report


def test_same_input_same_list():
    once, again = (hh.diverse(MODEL, BALL + hh.LabelCoverage(), 4, 2.0) for _ in range(2))
    assert np.array_equal(once.labelings, again.labelings)
    assert once.objective == again.objective


def test_results_are_read_only_and_picklable():
    found = hh.diverse(MODEL, BALL, 2)
    with pytest.raises(ValueError, match="read-only"):
        found.labelings[0, 0] = 1
    again = pickle.loads(pickle.dumps(found))
    assert again.objective == found.objective
    with pytest.raises(ValueError, match="this list cannot be extended"):
        again.more(1)


def test_report_shows_steps_and_proof():
    found = hh.diverse(MODEL, BALL, 3, 2.0)
    report = found.report()
    assert report.startswith("3 of 3 labelings different, any two in at least 40.0% of the variables;\n3 of 3 steps")
    assert report.count("exhaustive") == 3
    for word in ("relevance", "gain", "bound", "to first", "no list of 3 has more than"):
        assert word in report
    assert "Lemma 2" not in report
    for word in ("Lemma 2", "guarantee", "ratio", "exhaustive: "):
        assert word in found.report(verbose=True)


def test_grid_labelings_are_images():
    grid = hh.Grid(RANDOM.normal(size=(2, 3, 2)))
    found = hh.diverse(grid, hh.VariableCoverage(), 2, 1.0)
    assert found.labelings.shape == (2, 2, 3)
    assert hh.best(grid).labeling.shape == (2, 3)


@pytest.mark.parametrize("oracle", ["slopes", "biases", "agreement"])
def test_oracles_around_others_can_be_named_for_a_whole_list(oracle):
    model = hh.Chain(np.random.default_rng(0).normal(size=(6, 3)), np.eye(3))
    diversity = {
        "slopes": hh.HammingBall(gamma=0.5),
        "biases": hh.LabelCoverage(parsimony=0.0),
        "agreement": hh.ExpectedBest(hh.samples(model, 5)),
    }[oracle]
    found = hh.diverse(model, diversity, m=3, tradeoff=3.0, oracle=oracle)
    assert found.objective <= found.upper_bound
    assert "lagrangian" in found.oracles


def test_report_says_what_a_low_guarantee_means():
    model = hh.Grid(np.random.default_rng(0).normal(size=(12, 12, 3)), smoothness=0.4)
    low = next(
        found for found in (hh.diverse(model, m=m, certify=False) for m in (3, 4, 5, 6)) if 0 < found.guarantee < 0.9
    )
    assert "are loose);\nfound.improve(calls=20), or --certify 20" in low.report()
    assert low.improve(calls=20).guarantee > low.guarantee
    kept = pickle.loads(pickle.dumps(low))
    assert "this much is proven; the list may be closer to the best one" in kept.report()
    assert "found.improve" not in kept.report()
    high = hh.diverse(hh.Chain(np.eye(3)), m=3, distinct=True)
    assert high.guarantee > 0.9
    assert "this much is proven" not in high.report()


def test_a_list_is_read_by_place_and_in_a_loop():
    found = hh.diverse(hh.FactorGraph([[1.0, 0.0]] * 3), hh.VariableCoverage(), m=2, tradeoff=4.0)
    assert found[1].tolist() == [1, 1, 1]
    assert found[-2:].shape == (2, 3)
    assert [labeling.sum() for labeling in found] == [0, 3]
