# SPDX-License-Identifier: BSD-3-Clause
"""Which labeling to take: every row of the table, on made-up lists."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("skimage")
sys.path.insert(0, str(Path(__file__).parents[2]))  # experiments are no part of the installed library

import hedgehop as hh

pytestmark = pytest.mark.slow  # trees are grown for every fold
TAGS = ("O", "B-NP", "I-NP")


@pytest.fixture(scope="module")
def cases():
    from experiments.which.cases import Case

    random = np.random.default_rng(0)
    found = []
    for k in range(12):
        truth = random.integers(0, 3, 6)
        model = hh.Chain(np.eye(3)[truth] + random.normal(size=(6, 3)), np.zeros((3, 3)))
        listed = hh.weigh(hh.diverse(model, m=4))
        quality = 100.0 * hh.metrics.accuracy(listed.labelings, truth)
        consensus = 100.0 * float(hh.metrics.accuracy(hh.consensus(listed), truth))
        found.append(Case(f"{k // 2}", listed, quality, consensus, truth, TAGS))
    return found


def test_rows_are_of_the_labelings_they_take(cases):
    from experiments.which.rows import paired, rows

    table = rows(cases, "accuracy", (2, 4))
    names = [row.name for row in table]
    assert names[0] == "the first one (MAP)"
    assert {"consensus", "best of 2", "best of 4", "re-ranker, pairwise, list of 4"} <= set(names)
    by_name = dict(zip(names, table, strict=True))
    for row in table:
        if row.taken is not None:
            assert row.quality.tolist() == [case.quality[k] for case, k in zip(cases, row.taken, strict=True)]
    best, first = by_name["best of 4"], table[0]
    assert (best.quality >= first.quality).all()
    change, error = paired(best, first, cases)
    groups = (best.quality - first.quality).reshape(-1, 2).mean(axis=1)
    assert (change, error) == pytest.approx((groups.mean(), groups.std(ddof=1) / np.sqrt(6)))


def test_folds_keep_groups_together(cases):
    from experiments.which.rows import folds

    seen = []
    for train, test in folds(cases):
        assert not {cases[k].group for k in train} & {cases[k].group for k in test}
        seen += test
    assert sorted(seen) == list(range(12))


def test_a_common_re_ranker_is_not_judged_on_images_that_it_learned_from(cases, monkeypatch):
    from experiments.which import together

    asked, known = [], []

    class Spy:
        def __init__(self, kind):
            assert kind == "pairwise"

        def fit(self, lists, losses):
            assert [len(found) for found in lists] == [len(loss) for loss in losses]
            known[:] = lists
            return self

        def predict(self, lists):
            (found,) = lists
            group = groups[id(found)]
            assert group not in {groups.get(id(other)) for other in known}
            assert id(cases[0].found) in {id(other) for other in known}  # learned from in all folds
            asked.append(id(found))
            return [1]

    monkeypatch.setattr(together, "Remembering", Spy)
    groups = {id(case.found): case.group for case in cases[2:]}
    sets = {"one": cases[2:8], "two": cases[4:]}
    taken = together.reranked(sets, cases[:2], "pairwise")
    assert taken["one"].tolist() == [1] * 6
    assert taken["two"].tolist() == [1] * 8
    assert len(asked) == 14
    assert together._difference(cases[:4], np.array([0, 0, 0, 0])) == "+0.00 ± 0.00"


def test_sections_are_tables(cases):
    from experiments.which.rows import none_of_these, rows, sureness, variables
    from experiments.which.run import _told, reproduce

    kinds = {sure.name: sure for sure in sureness(cases, 4)}
    assert 0.0 <= kinds["default"].error <= 1.0
    assert kinds["default"].log_loss > 0.0
    assert 0.0 <= variables(cases) <= 1.0
    far = none_of_these(cases, 1)
    wrong = [(case.found.labelings[0] != case.truth).any() for case in cases]  # one of six is more than a tenth
    assert np.nansum(far.true * far.counts) == pytest.approx(sum(wrong))
    assert "None of these: says" in _told("chunks", cases, rows(cases, "accuracy", (4,)), 4)
    text = _told("chunks", cases, rows(cases, "accuracy", (4,)), 4)
    assert "| best of 4 |" in text
    assert "F1" in text
    with pytest.raises(ValueError, match="parts must be among network"):
        reproduce("nowhere", parts=["nothing"])
