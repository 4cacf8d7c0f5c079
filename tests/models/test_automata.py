# SPDX-License-Identifier: BSD-3-Clause
"""Automata: their strings, and models made from slots, chains of higher order and segments, against enumeration."""

import itertools
import pickle

import numpy as np
import pytest

import hedgehop as hh


def strings(model):
    """All strings of an automaton with their scores, by trying all labelings."""
    every = np.array(list(itertools.product(*map(range, model.label_counts))), np.int32)
    scores = model.score(every)
    return {tuple(y): s for y, s in zip(every.tolist(), scores, strict=True) if s > -np.inf}


def reading(seed):
    """Words that some recogniser is not sure about."""
    random = np.random.default_rng(seed)
    slots = [dict(zip("abc", random.normal(size=3).tolist(), strict=True)) for _ in range(4)]
    slots[1][""] = -0.5
    return hh.Automaton.from_slots(slots)


def test_a_string_that_can_be_read_in_two_ways_counts_once_and_with_the_better_score():
    model = hh.Automaton([(0, 1, 0), (0, 2, 0), (1, 3, 1), (2, 3, 1), (2, 3, 0)], [1.0, 2.0, 5.0, 1.0, 0.0], [3])
    assert strings(model) == {(0, 1): 6.0, (0, 0): 2.0}
    assert [model.words(y) for y in hh.baselines.m_best(model, m=9)] == [["0", "1"], ["0", "0"]]


def test_shorter_strings_end_with_the_label_end():
    model = hh.Automaton([(0, 1, 0), (1, 2, 1)], [0.0, -1.0], {1: 0.5, 2: 0.0}, symbols="ab")
    assert model.end == 2
    assert strings(model) == {(0, 2): 0.5, (0, 1): -1.0}
    assert [model.text(y) for y in ((0, 2), (0, 1))] == ["a", "ab"]


def test_cycles_need_a_length():
    arcs = [(0, 0, 0), (0, 1, 1)]
    with pytest.raises(ValueError, match="max_length"):
        hh.Automaton(arcs, [0.0, 0.0], [1])
    model = hh.Automaton(arcs, [-1.0, 0.0], [1], max_length=3)
    assert strings(model) == {(1, 2, 2): 0.0, (0, 1, 2): -1.0, (0, 0, 1): -2.0}


@pytest.mark.parametrize(
    ("arcs", "scores", "finals", "max_length"),
    [
        ([(0, 1, 0)], [-np.inf], [1], None),
        ([(0, 1, 0)], [0.0], [2], None),
        ([], [], [1], None),
        ([(0, 1, 0), (1, 2, 0), (2, 0, 0)], [0.0] * 3, [2], 1),
    ],
)
def test_an_empty_language_is_infeasible(arcs, scores, finals, max_length):
    with pytest.raises(hh.InfeasibleError, match="leads from the start to a final state"):
        hh.Automaton(arcs, scores, finals, max_length=max_length)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"arcs": [(0, 1)], "scores": [0.0], "finals": [1]}, "shape"),
        ({"arcs": [(0, 1, 0)], "scores": [0.0, 1.0], "finals": [1]}, "one entry per arc"),
        ({"arcs": [(0, 1, 0)], "scores": [0.0], "finals": []}, "at least one state"),
        ({"arcs": [(0, 1, -1)], "scores": [0.0], "finals": [1]}, "only the empty one"),
        ({"arcs": [(0, 1, 1)], "scores": [0.0], "finals": [1], "symbols": "a"}, "at least 2 different names"),
        ({"arcs": [(-1, 1, 1)], "scores": [0.0], "finals": [1]}, "states from 0 on"),
        ({"arcs": [(0, 1, -1), (1, 0, -1), (1, 2, 0)], "scores": [0.0] * 3, "finals": [2]}, "without a symbol"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        hh.Automaton(**arguments)


def test_a_pickled_automaton_is_the_same():
    model = reading(0)
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert hh.best(again).value == hh.best(model).value


def test_the_m_best_strings_are_those_of_enumeration():
    model = reading(1)
    wanted = sorted(strings(model).values(), reverse=True)[:12]
    found = hh.baselines.m_best(model, m=12)
    assert model.score(found).tolist() == pytest.approx(wanted)
    assert len({tuple(y) for y in found.tolist()}) == 12


def test_the_floor_is_below_all_strings():
    for seed in range(5):
        model = reading(seed)
        assert model.floor() <= min(strings(model).values()) + 1e-12


@pytest.mark.parametrize("n", [1, 2, 3])
def test_ngrams_keep_strings_and_scores(n):
    model = reading(2)
    grams = model.ngrams(n)
    every = hh.baselines.m_best(grams, m=40)
    assert grams.score(every).tolist() == pytest.approx(model.score(hh.baselines.m_best(model, m=40)).tolist())
    for y in every:
        text = "".join(word[-1] for word in grams.words(y))
        expected = [("^" if k < n - 1 else "") + text[max(0, k + 1 - n) : k + 1] for k in range(len(text))]
        assert grams.words(y) == expected


def test_ngrams_are_covered_by_label_coverage():
    grams = reading(3).ngrams(2)
    diversity = hh.LabelCoverage(h="count", parsimony=0.0, ignore=() if grams.end is None else (grams.end,))
    found = hh.diverse(grams, diversity, m=2, tradeoff=2.0)
    every = hh.baselines.m_best(grams, m=1000)
    known = set(grams.words(found.labelings[0]))
    values = [float(grams.score(y)) + 2.0 * len(set(grams.words(y)) - known) for y in every]
    second = float(grams.score(found.labelings[1])) + 2.0 * len(set(grams.words(found.labelings[1])) - known)
    assert second == pytest.approx(max(values))
    assert found.objective <= found.upper_bound


@pytest.mark.parametrize("order", [1, 2, 3])
def test_chains_of_higher_order_score_as_defined(order):
    random = np.random.default_rng(order)
    emissions, steps = random.normal(size=(5, 2)), random.normal(size=(2,) * (order + 1))
    model = hh.Automaton.from_chain(emissions, steps)
    for y, score in strings(model).items():
        own = sum(emissions[t, k] for t, k in enumerate(y))
        assert score == pytest.approx(own + sum(steps[y[t - order : t + 1]] for t in range(order, 5)))
    assert len(strings(model)) == 2**5
    if order == 1:
        assert hh.best(model).value == pytest.approx(hh.best(hh.Chain(emissions, steps)).value)


def test_segments_score_as_defined():
    random = np.random.default_rng(0)
    table, steps = random.normal(size=(4, 3, 2)), random.normal(size=(2, 2))
    model = hh.Automaton.from_segments(table, steps, symbols=["x", "y"])

    def segmentations(t, before):
        if t == 4:
            yield (), 0.0
        for width, kind in itertools.product(range(1, min(3, 4 - t) + 1), range(2)):
            own = table[t, width - 1, kind] + (0.0 if before is None else steps[before, kind])
            for rest, score in segmentations(t + width, kind):
                yield (kind, *[2 + kind] * (width - 1), *rest), own + score

    wanted = dict(segmentations(0, None))
    assert strings(model) == pytest.approx(wanted)
    assert model.words((0, 2, 1, 3)) == ["B-x", "I-x", "B-y", "I-y"]


def test_balls_and_distances_on_strings_are_bounded_and_apart():
    model = reading(4)
    for diversity in (hh.HammingBall(gamma=0.5), hh.VariableCoverage(), hh.LinearHamming()):
        found = hh.diverse(model, diversity, m=3, tradeoff=1.0, min_distance=2)
        assert found.objective <= found.upper_bound + 1e-9
        pairs = itertools.combinations(found.labelings, 2)
        assert all((a != b).sum() >= 2 for a, b in pairs)
