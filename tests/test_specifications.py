# SPDX-License-Identifier: BSD-3-Clause
"""Diversities and tradeoffs in words mean what the classes mean."""

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.specifications import parse_diversity, parse_tradeoff

MEANINGS = {
    "hamming:0.01": hh.HammingBall(gamma=0.01),
    "hamming:1e-2:steer=sum": hh.HammingBall(gamma=0.01, steer="sum"),
    "ball:20": hh.HammingBall(radius=20),
    "ball:radius=3": hh.HammingBall(radius=3),
    "labels": hh.LabelCoverage(),
    "labels:sqrt": hh.LabelCoverage(h="sqrt"),
    "labels:log:parsimony=0": hh.LabelCoverage(parsimony=0.0),
    "labels:parsimony=auto:ignore=": hh.LabelCoverage(ignore=()),
    "labels:ignore=1,2:min-share=.01,.1": hh.LabelCoverage(ignore=(1, 2), min_share=(0.01, 0.1)),
    "transitions:count:ordered=yes": hh.TransitionCoverage(h="count", ordered=True),
    "variables": hh.VariableCoverage(),
    "linear": hh.LinearHamming(),
    "0.5*labels+hamming:0.01": 0.5 * hh.LabelCoverage() + hh.HammingBall(gamma=0.01),
    " 2 * linear + 1e+1*ball:2 + variables ": 2 * hh.LinearHamming()
    + 10 * hh.HammingBall(radius=2)
    + hh.VariableCoverage(),
}


@pytest.mark.parametrize("text", MEANINGS)
def test_words_mean_what_the_classes_mean(text):
    assert repr(parse_diversity(text)) == repr(MEANINGS[text])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "unknown diversity ''"),
        ("hummingbird:3", "unknown diversity 'hummingbird'; known are hamming:0.01"),
        ("hamming", "hamming needs a gamma, as in hamming:0.01"),
        ("hamming:steer=sum", "hamming needs a gamma"),
        ("hamming:much", "gamma of hamming: expected a number; got 'much'"),
        ("hamming:0.1:0.2", "hamming has no option '0.2'; its options are: gamma, steer"),
        ("hamming:0.1:gamma=0.2", "an option occurs twice"),
        ("hamming:-1", "gamma must be > 0"),
        ("ball:2.5", "expected a whole number"),
        ("linear:2", "linear has no option '2'; its options are: none"),
        ("labels:exp", 'h must be "count", "sqrt", "log"'),
        ("transitions:ordered=perhaps", "expected yes or no"),
        ("x*linear", "expected a number; got 'x'"),
        ("-1*linear", "coefficient must be >= 0"),
        ("linear+", "unknown diversity ''"),
    ],
)
def test_what_cannot_be_understood_is_explained(text, sentence):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        parse_diversity(text)
    assert sentence in str(error.value)


def test_tradeoffs():
    assert parse_tradeoff(" 2.5 ") == 2.5
    assert parse_tradeoff("target:0.05") == hh.target(distance=0.05)
    assert parse_tradeoff("per-variable:0.4") == hh.per_variable(0.4)


@pytest.mark.parametrize("text", ["", "much", "-1", "nan", "inf", "target", "target:2", "target:0", "rule:3"])
def test_wrong_tradeoffs(text):
    with pytest.raises(ValueError, match=r"expected a number|must be"):
        parse_tradeoff(text)


def test_regions_are_read_from_a_map(tmp_path):
    regions = np.array([[0, 0, 1], [2, 2, 1]])
    np.save(tmp_path / "map.npy", regions)
    made = parse_diversity(f"regions:{tmp_path / 'map.npy'}:h=sqrt:robust=2")
    assert made == hh.RegionCoverage(regions, h="sqrt", robust=2)
    with pytest.raises(ValueError, match=r"absent.png of regions cannot be read: No such file or directory\."):
        parse_diversity(f"regions:{tmp_path / 'absent.png'}")
    with pytest.raises(ValueError, match="regions needs a regions"):
        parse_diversity("regions")
