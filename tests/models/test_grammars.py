# SPDX-License-Identifier: BSD-3-Clause
"""Parses of weighted grammars, against enumeration."""

import itertools
import pickle

import numpy as np
import pytest

import hedgehop as hh

SENTENCE = ["she", "saw", "stars", "with", "telescopes"]
RULES = {
    "S -> NP VP": 0.0, "VP -> V NP": -0.7, "VP -> VP PP": -1.0, "NP -> NP PP": -1.4, "PP -> P NP": 0.0,
    "NP -> she": -1.0, "NP -> stars": -1.0, "NP -> telescopes": -1.0, "V -> saw": 0.0,
    "NP -> saw": -3.0, "P -> with": 0.0,
}  # fmt: skip


def parses(model):
    """All parses with the scores of their rules, from the definition."""
    rules = list(zip(model.rules.tolist(), model.scores.tolist(), strict=True))
    place = {tuple(span): k for k, span in enumerate(model.spans.tolist())}

    def below(i, j, symbol):
        if j - i == 1:
            if model.unary[i, symbol + 1] > -np.inf:
                yield {(i, j): symbol}, float(model.unary[i, symbol + 1])
            return
        for (parent, left, right), score in rules:
            for k in range(i + 1, j) if parent == symbol else ():
                for (a, s), (b, t) in itertools.product(below(i, k, left), list(below(k, j, right))):
                    yield {(i, j): symbol} | a | b, score + s + t

    found = {}
    for spans, score in below(0, model.n_words, model.start):
        labeling = np.zeros(model.n_variables, np.int32)
        for span, symbol in spans.items():
            labeling[place[span]] = symbol + 1
        found[tuple(labeling.tolist())] = score
    return found


def random_grammar(seed, n=5):
    random = np.random.default_rng(seed)
    rules = [r for r in itertools.product(range(2), repeat=3) if random.random() < 0.7 or r == (0, 0, 0)]
    return hh.Cfg(random.normal(size=(n, 2)), rules, random.normal(size=len(rules)))


def test_an_ambiguous_sentence_has_both_parses():
    model = hh.Cfg.from_rules(SENTENCE, RULES)
    texts = [model.brackets(y, SENTENCE) for y in hh.baselines.m_best(model, m=5)]
    inner = "(PP (P with) (NP telescopes))"
    assert texts == [
        f"(S (NP she) (VP (VP (V saw) (NP stars)) {inner}))",
        f"(S (NP she) (VP (V saw) (NP (NP stars) {inner})))",
    ]
    assert hh.best(model).value == pytest.approx(-0.7 - 1.0 - 3.0)


@pytest.mark.parametrize("seed", range(4))
def test_the_m_best_parses_are_those_of_enumeration(seed):
    model = random_grammar(seed)
    every = parses(model)
    found = hh.baselines.m_best(model, m=10)
    assert model.score(found).tolist() == pytest.approx(sorted(every.values(), reverse=True)[:10])
    assert all(tuple(y) in every for y in found.tolist())
    assert model.score(np.array(list(every))).tolist() == pytest.approx(list(every.values()))
    assert model.floor() <= min(every.values())


@pytest.mark.parametrize("diversity", [hh.VariableCoverage(), hh.LinearHamming(), hh.HammingBall(gamma=0.3)])
def test_diverse_parses_are_bounded_by_enumeration(diversity):
    model = random_grammar(7, n=4)
    every = np.array(list(parses(model)), np.int32)
    first = hh.best(model).labeling
    found = hh.diverse(model, diversity, m=2, tradeoff=0.5)
    assert found.labelings[0].tolist() == first.tolist()
    gains = [diversity.value(model, np.stack([first, y])) for y in every]
    best = max(model.score(every) + 0.5 * (np.array(gains) - diversity.value(model, first[None])))
    step = model.score(found.labelings[1]) + 0.5 * (
        diversity.value(model, found.labelings) - diversity.value(model, first[None])
    )
    assert step <= best + 1e-9
    if found.exact[1]:
        assert step == pytest.approx(best)


def test_spans_that_must_be_constituents_are():
    model = hh.Cfg.from_rules(SENTENCE, RULES)
    held = np.zeros(model.unary.shape)
    place = model.spans.tolist().index([2, 5])  # stars with telescopes
    held[place, 0] = -np.inf
    step = hh.best(model, hh.potentials.Linear(held))
    assert step.labeling[place] > 0
    assert step.exact


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"words": np.zeros((0, 2)), "rules": [], "scores": []}, "at least one word"),
        ({"words": np.zeros((2, 1)), "rules": [(0, 0, 1)], "scores": [0.0]}, "0..0"),
        ({"words": np.zeros((2, 1)), "rules": [], "scores": []}, "no parse"),
        ({"words": np.zeros((2, 1)), "rules": [(0, 0, 0)], "scores": []}, "one entry per rule"),
        ({"words": np.zeros((2, 1)), "rules": [(0, 0, 0)], "scores": [0.0], "start": 1}, "start"),
        ({"words": np.zeros((2, 1)), "rules": [(0, 0, 0)], "scores": [0.0], "symbols": "ab"}, "one name per column"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        hh.Cfg(**arguments)


def test_wrong_rules_and_labelings():
    with pytest.raises(ValueError, match="normal form"):
        hh.Cfg.from_rules(["a"], {"S -> a b c": 0.0})
    model = hh.Cfg.from_rules(SENTENCE, RULES)
    with pytest.raises(ValueError, match="must be a parse"):
        model.brackets(np.ones(model.n_variables, int))


def test_a_pickled_grammar_is_the_same():
    model = hh.Cfg.from_rules(SENTENCE, RULES)
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert hh.best(again).value == hh.best(model).value
