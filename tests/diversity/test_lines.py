# SPDX-License-Identifier: BSD-3-Clause
"""Lines above diversities (docs/list_dual.md): any slopes bound all lists, and a list's own slopes are tight there."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.potentials import total_value

MODEL = hh.FactorGraph(np.zeros((3, 3)), [[0, 1], [1, 2]], 0.5)
EVERY = hh.testing.all_labelings(MODEL)
LISTS = np.array(list(combinations_with_replacement(range(len(EVERY)), 3)))[::7]
OWN = EVERY[[0, 5, 14]]
DIVERSITIES = {
    "variables": hh.VariableCoverage("log"),
    "weighted variables": hh.VariableCoverage("sqrt", weights=[1.0, 2.0, 0.5]),
    "labels": hh.LabelCoverage("sqrt", parsimony=-0.3, ignore=()),
    "weighted labels": hh.LabelCoverage("log", parsimony="auto", weights=[1.0, 2.0, 3.0]),
    "uses": hh.UseCoverage(),
    "weighted uses": hh.UseCoverage([1.0, 2.0, 0.5], "sqrt", parsimony=-0.2),
    "kinds": hh.KindCoverage([0, 1, 1], "count", parsimony=0.0),
    "transitions": hh.TransitionCoverage("sqrt"),
    "regions": hh.RegionCoverage([[0, 1], [2]]),
    "named": hh.GroupCoverage(lambda y: [int(y.sum()), "first" if y[0] else "none"], "sqrt", 0.2, {"first": 3.0}),
    "samples": hh.ExpectedBest(EVERY[[1, 8, 20, 25]]),
    "linear": hh.LinearHamming(),
    "both": 0.5 * hh.VariableCoverage("sqrt") + 2.0 * hh.LabelCoverage("log", ignore=()),
    "without repeats": hh.UniqueItems(hh.VariableCoverage("log")),
}


def noted(diversity, rows=OWN):
    """Families of lines that know some labelings, with their factors."""
    found = diversity.lines(MODEL, 3)
    for _, lines in found:
        for row in rows:
            lines.add(row)
        lines.start(rows)
    return found


def bounds(families, chosen, lists):
    """What the slopes chosen for each family prove about lists."""
    total = np.zeros(len(lists))
    for (factor, lines), slopes in zip(families, chosen, strict=True):
        each = total_value(MODEL, lines.potentials(slopes, 1.0), EVERY)
        assert total_value(MODEL, lines.potentials(slopes, factor), EVERY) == pytest.approx(factor * each)
        total += factor * (lines.worth(slopes) + each[lists].sum(axis=1))
    return total


def test_balls_have_no_lines():
    assert hh.HammingBall(gamma=0.3).lines(MODEL, 3) is None


@pytest.mark.parametrize("name", DIVERSITIES)
@pytest.mark.parametrize("seed", range(3))
def test_any_slopes_bound_all_lists(name, seed):
    diversity, random = DIVERSITIES[name], np.random.default_rng(seed)
    families = noted(diversity)
    chosen = [f.spread(random.uniform(-0.5, f.rises[0], f.columns().weights.size)) for _, f in families]
    values = [diversity.value(MODEL, EVERY[t]) for t in LISTS]
    assert (bounds(families, chosen, LISTS) >= np.array(values) - 1e-9).all()


@pytest.mark.parametrize("name", DIVERSITIES)
@pytest.mark.parametrize("rows", [[0, 5, 14], [3, 3, 26], [7, 7, 7]], ids=str)
def test_the_slopes_of_a_list_are_tight_there(name, rows):
    diversity = DIVERSITIES[name]
    families = noted(diversity, EVERY[rows])
    chosen = [f.spread(f.columns().centre) for _, f in families]
    counted = diversity.diversity if name == "without repeats" else diversity  # its lines count them
    assert bounds(families, chosen, np.array([rows])) == pytest.approx(counted.value(MODEL, EVERY[rows]))


@pytest.mark.parametrize("name", DIVERSITIES)
def test_columns_say_what_slopes_give_to_the_labelings_met(name):
    diversity = DIVERSITIES[name]
    for _, lines in noted(diversity):
        columns = lines.columns()
        slopes = np.random.default_rng(1).uniform(0.0, 1.0, columns.weights.size)
        theirs = [columns.groups[a:b] for a, b in zip(columns.starts[:-1], columns.starts[1:], strict=True)]
        given = [float(columns.weights[g] @ slopes[g]) for g in theirs]
        full = lines.spread(slopes)
        none = lines.spread(np.zeros(slopes.size))
        by, parsimony = (total_value(MODEL, lines.potentials(s, 1.0), OWN) for s in (full, none))
        if name == "samples":
            assert (given >= by - 1e-12).all()
        else:
            assert given == pytest.approx(by - parsimony)


@pytest.mark.parametrize("name", [k for k in DIVERSITIES if k != "samples"])
def test_slopes_are_held_where_they_were(name):
    for _, lines in noted(DIVERSITIES[name]):
        slopes = np.random.default_rng(2).uniform(0.0, 1.0, lines.columns().weights.size)
        lines.hold(lines.spread(slopes))
        assert lines.columns().centre == pytest.approx(slopes)


def test_thresholds_of_samples_are_midway_and_held():
    ((_, lines),) = noted(DIVERSITIES["samples"])
    agree = np.sort((OWN[:, None] == EVERY[[1, 8, 20, 25]][None]).mean(axis=2), axis=0)
    found = lines.spread(lines.columns().centre)["best"]
    assert found == pytest.approx((agree[-1] + agree[-2]) / 2)
    lines.hold({"best": np.array([0.1, 0.2, 0.3, 0.0])})
    assert lines.spread(lines.columns().centre)["best"] == pytest.approx([0.1, 0.2, 0.3, 0.0])


def test_the_conjugate_is_the_best_of_all_counts():
    ((_, lines),) = hh.VariableCoverage("sqrt").lines(MODEL, 3)
    slopes = np.array([-1.0, 0.2, 0.4, 1.0, 2.0])
    wanted = [max(np.sqrt(c) - s * c for c in range(4)) for s in slopes]
    assert lines.conjugate(slopes) == pytest.approx(wanted)
    rises = np.diff(np.sqrt(np.arange(4)))
    assert lines.between(np.arange(4)) == pytest.approx([rises[0], rises[:2].mean(), rises[1:].mean(), rises[2]])


@pytest.mark.parametrize("name", ["variables", "weighted variables", "linear"])
def test_slopes_of_older_files_prove_the_same(name):
    for _, lines in noted(DIVERSITIES[name]):
        slopes = lines.spread(
            np.random.default_rng(3).uniform(lines.rises[-1], lines.rises[0], lines.columns().weights.size)
        )
        table = np.full((slopes["starts"].size - 1, 3), lines.rises[0])
        table[np.repeat(np.arange(len(table)), np.diff(slopes["starts"])), slopes["labels"]] = slopes["slopes"]
        older = {"cells": slopes["cells"], "slopes": table}
        assert lines.worth(older) == pytest.approx(lines.worth(slopes), abs=1e-12)
        both = [total_value(MODEL, lines.potentials(s, 1.3), EVERY) for s in (older, slopes)]
        np.testing.assert_allclose(*both, atol=1e-12)
