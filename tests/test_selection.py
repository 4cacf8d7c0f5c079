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

    found = hh.diverse(MODEL, hh.VariableCoverage(), 3, 1.0, oracle=Counting())
    assert calls == ["start"] + ["step"] * 4  # three labelings, and the bound after the last
    found.more(1)
    assert calls == ["start"] + ["step"] * 5  # the fourth labeling was known already, only its bound is new


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


def test_distinct_and_what_auto_means():
    quiet = hh.LabelCoverage(h="count", parsimony=-1.0, ignore=())  # nothing is ever rewarded: repeats
    assert hh.diverse(MODEL, quiet, 3, 1e-3, distinct=False).distinct == 1
    assert hh.diverse(MODEL, quiet, 3, 1e-3).distinct == 3
    assert hh.diverse(MODEL, hh.VariableCoverage(), 3, 0.0).distinct == 1
    report = hh.diverse(MODEL, quiet, 3, 1e-3, distinct=False).report()
    assert "only 1 of 3 labelings are different: pass distinct=True" in report


def test_too_few_labelings_are_said():
    small = hh.FactorGraph(np.zeros((1, 3)))
    with pytest.warns(UserWarning, match="only 3 of 5 labelings: no other one is allowed"):
        found = hh.diverse(small, hh.VariableCoverage(), 5, distinct=True)
    assert len(found) == 3


def test_share_as_minimum_distance():
    found = hh.diverse(MODEL, BALL, 3, 0.1, min_distance=0.5)
    apart = found.distances[np.triu_indices(3, 1)]
    assert apart.min() >= 3  # half of five, rounded up


def test_refine_never_loses():
    for seed in range(10):
        random = np.random.default_rng(seed)
        model = hh.FactorGraph(random.normal(size=(4, 3)))
        diversity = hh.ExpectedBest(random.integers(0, 3, (5, 4)))
        plain = hh.diverse(model, diversity, 3, 10.0)
        refined = hh.diverse(model, diversity, 3, 10.0, refine=True)
        assert refined.objective >= plain.objective - 1e-9
        assert refined.upper_bound <= plain.upper_bound + 1e-9 or refined.upper_bound >= refined.objective
        assert (refined.bounds >= refined.gains - 1e-9).all()


def test_refined_list_is_measured_against_the_best_labeling_too():
    """Refinement may replace the best labeling itself; the baseline stays."""
    model = hh.FactorGraph([[1.0, 0.9]] * 4)
    spread = hh.VariableCoverage(h="count")
    found = hh.diverse(model, spread, 3, 0.05, refine=True)
    top = np.zeros((3, 4), int)
    assert found.certificate.baseline == pytest.approx(model.score(top).sum() + 0.05 * spread.value(model, top))


def test_distorted_says_when_nothing_is_left():
    small = hh.FactorGraph(np.zeros((1, 2)))
    with pytest.warns(UserWarning, match="only 2 of 4 labelings"):
        assert len(hh.diverse(small, hh.VariableCoverage(), 4, method="distorted", distinct=True)) == 2


def test_interruption_solves_nothing_more():
    """Label rewards: the single best labeling is not the first one, so its F is unknown when stopped early."""

    def stop(step):
        raise KeyboardInterrupt

    with pytest.raises(hh.Interrupted) as stopped:
        hh.diverse(MODEL, hh.LabelCoverage(parsimony=0.0), 5, callback=stop)
    assert np.isnan(stopped.value.found.certificate.baseline)
    assert stopped.value.found.guarantee == 0.0


def test_per_variable_scales_with_the_model():
    found = hh.diverse(MODEL, BALL, 2, tradeoff=hh.per_variable(0.4))
    assert found.tradeoff == pytest.approx(2.0)
    assert np.array_equal(found.labelings, hh.diverse(MODEL, BALL, 2, tradeoff=2.0).labelings)


def test_interrupted_refinement_leaves_the_list_as_it_was():
    calls = []

    class Stopping(hh.Oracle):
        name, summary = "stopping", "is interrupted in a late call"

        def refusal(self, model, potentials):
            return None

        def maximize(self, model, potentials):
            calls.append(len(potentials))
            if len(calls) == 6:
                raise KeyboardInterrupt
            return hh.oracles.Exhaustive().maximize(model, potentials)

    with pytest.raises(hh.Interrupted) as stopped:
        hh.diverse(MODEL, BALL, 3, 4.0, refine=True, oracle=Stopping())
    found = stopped.value.found
    assert len(found) == 3
    assert found.relevance == pytest.approx(MODEL.score(found.labelings))


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
                assert not exact or found.gains[t] >= gains.max() - 1e-5


@pytest.mark.parametrize("diversity", [BALL, hh.LabelCoverage(), hh.LinearHamming()], ids=repr)
def test_a_list_from_a_pool_may_begin_with_any_member(diversity):
    pool = np.random.default_rng(3).integers(0, 3, (12, 5))
    free = hh.select(pool, MODEL, diversity, m=4, tradeoff=2.0)
    for first in (int(free.indices[0]), 7):
        found = hh.select(pool, MODEL, diversity, m=4, tradeoff=2.0, first=first)
        chosen = [first]
        for _ in range(3):
            left = [k for k in range(12) if k not in chosen]
            gains = MODEL.score(pool[left]) + 2.0 * diversity.gain(MODEL, pool[left], pool[chosen])
            chosen.append(left[int(np.argmax(gains))])
        assert found.indices.tolist() == chosen
        assert found.objective <= found.upper_bound
        assert found.exact.tolist() == [first == free.indices[0], True, True, True]
    with pytest.raises(ValueError, match="first must be the place"):
        hh.select(pool, MODEL, diversity, m=4, first=12)


def test_forbidden_members_of_a_pool_are_never_selected():
    model = hh.FactorGraph([[1.0, -np.inf], [0.0, 0.0]])
    found = hh.select([[1, 0], [0, 0], [0, 1], [1, 1]], model, BALL, m=2)
    assert sorted(found.indices.tolist()) == [1, 2]


def test_sums_of_diversities_in_every_spelling():
    assert sum([BALL, hh.LinearHamming()]) == BALL + hh.LinearHamming()
    assert BALL * 2 == 2 * BALL
    with pytest.raises(TypeError):
        np.ones(2) * BALL


def test_progress_and_callback(capsys):
    seen = []
    hh.diverse(MODEL, BALL, 3, progress=True, callback=seen.append)
    assert len(seen) == 3
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("labeling 1/3: gain ")


def test_interruption_keeps_what_was_found():
    def stop_after_two(step, seen=[]):  # noqa: B006
        seen.append(step)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(hh.Interrupted) as stopped:
        hh.diverse(MODEL, BALL, 5, callback=stop_after_two)
    found = stopped.value.found
    assert len(found) == 2
    assert found.objective <= found.upper_bound
    whole = hh.diverse(MODEL, BALL, 5)
    assert np.array_equal(found.labelings, whole.labelings[:2])
    assert np.array_equal(found.more(3).labelings, whole.labelings)
    assert isinstance(stopped.value, KeyboardInterrupt)


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
    with pytest.raises(ValueError, match="this list cannot go on"):
        again.more(1)


def test_report_shows_steps_and_proof():
    report = hh.diverse(MODEL, BALL, 3, 2.0).report()
    assert report.count("exhaustive") == 4  # once a step, and what it does
    for word in ("relevance", "gain", "bound", "to first", "guarantee", "no list of 3 has more than"):
        assert word in report
    print(report)


def test_grid_labelings_are_images():
    grid = hh.Grid(RANDOM.normal(size=(2, 3, 2)))
    found = hh.diverse(grid, hh.VariableCoverage(), 2, 1.0)
    assert found.labelings.shape == (2, 2, 3)
    assert hh.best(grid).labeling.shape == (2, 3)


def test_distinct_on_a_long_chain_by_lawler():
    """Max-marginals spare most cells: ten best taggings of a chain of 300 without 300 calls each."""
    random = np.random.default_rng(5)
    chain = hh.Chain(random.normal(size=(300, 4)), random.normal(size=(4, 4)))
    found = hh.diverse(chain, hh.VariableCoverage(), 10, tradeoff=0.0, distinct=True)
    assert found.distinct == 10
    assert (np.diff(found.relevance) <= 1e-9).all()
    assert set(found.oracles) == {"tree"}


def test_lemma_bounds_of_a_pool():
    random = np.random.default_rng(6)
    model = hh.FactorGraph(random.random((4, 3)))
    pool = random.integers(0, 3, (12, 4))
    found = hh.select(pool, model, BALL, 3, 4.0)
    best = max(
        model.score(pool[list(p)]).sum() + 4.0 * BALL.value(model, pool[list(p)])
        for p in itertools.combinations(range(12), 3)
    )
    assert found.objective >= (1 - 1 / np.e) * best
    assert found.upper_bound >= best - 1e-9
    assert found.certificate.monotone >= best - 1e-9
    assert np.array_equal(found.labelings, pool[found.indices])
    everything = hh.select(pool, model, BALL, 12, 4.0)
    assert sorted(everything.indices.tolist()) == list(range(12))


def test_portfolio_replaces_repetitions_and_names_sources():
    parts = [hh.VariableCoverage(), hh.LabelCoverage(ignore=()), hh.VariableCoverage(h="sqrt")]
    found = hh.portfolio(MODEL, parts, m=7, tradeoff=[1.0, 2.0, hh.per_variable(0.5)])
    assert len(found) == found.distinct == 7
    assert [found.sources.count(repr(p)) for p in parts] == [3, 2, 2]
    assert found.objective <= found.upper_bound
    assert "VariableCoverage" in found.report()
    with pytest.raises(ValueError, match="cannot go on"):
        found.more(1)


def test_portfolio_without_a_common_oracle_has_no_bound():
    big = hh.Chain(RANDOM.normal(size=(40, 3)), np.zeros((3, 3)))
    starts = hh.GroupCoverage(lambda y: [int(y[0])])
    with pytest.raises(hh.UnsupportedError):
        hh.portfolio(big, [starts], m=2)


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


def test_distinct_structures_lose_next_to_nothing():
    """Multipliers without moves to mend must find it."""
    random = np.random.default_rng(0)
    model = hh.Matching(random.normal(size=(600, 620)))
    found = hh.diverse(model, hh.VariableCoverage(), m=2, tradeoff=0.0, distinct=True)
    assert found.relevance[0] - found.relevance[1] < 0.01
