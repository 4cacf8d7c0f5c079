# SPDX-License-Identifier: BSD-3-Clause
"""Measures of text against small truths made by hand, and chunks against a plain definition."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import hedgehop as hh
from hedgehop import metrics

BIO = ["O", "B-NP", "I-NP", "B-VP", "I-VP"]
IOBES = ["O", "B-X", "I-X", "E-X", "S-X"]


def named(words, tags):
    return [tags.index(word) for word in words.split()]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("O B-NP I-NP O B-VP", [(1, 3, "NP"), (4, 5, "VP")]),
        ("B-NP B-NP I-NP", [(0, 1, "NP"), (1, 3, "NP")]),
        ("I-NP I-NP O", [(0, 2, "NP")]),
        ("B-NP I-VP I-VP", [(0, 1, "NP"), (1, 3, "VP")]),
        ("O O", []),
    ],
)
def test_chunks_of_bio_are_those_of_conlleval(words, expected):
    assert metrics.chunks(named(words, BIO), BIO) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("B-X I-X E-X S-X", [(0, 3, "X"), (3, 4, "X")]),
        ("S-X S-X", [(0, 1, "X"), (1, 2, "X")]),
        ("B-X E-X I-X O", [(0, 2, "X"), (2, 3, "X")]),
        ("B-X S-X", [(0, 1, "X"), (1, 2, "X")]),
        ("E-X O B-X", [(0, 1, "X"), (2, 3, "X")]),
    ],
)
def test_chunks_of_iobes_end_where_they_say(words, expected):
    assert metrics.chunks(named(words, IOBES), IOBES) == expected


@pytest.mark.parametrize("tags", [BIO, IOBES])
def test_chunks_are_those_of_the_plain_definition(tags):
    """Chunks begin and end between words as conlleval says, and have the kind of their first word."""

    def begins(before, tag):
        fresh = before[0] in "OES" or before[2:] != tag[2:]
        return tag[0] in "BS" or (tag[0] in "IE" and fresh)

    for labels in product(range(len(tags)), repeat=4):
        words = [tags[k] for k in labels]
        starts = [i for i in range(4) if words[i] != "O" and begins(words[i - 1] if i else "O", words[i])]
        expected = []
        for start in starts:
            stop = start + 1
            while stop < 4 and words[stop] != "O" and stop not in starts:
                stop += 1
            expected.append((start, stop, words[start][2:]))
        assert metrics.chunks(labels, tags) == expected


def test_f1_of_chunks_by_hand():
    truth = named("B-NP I-NP O B-VP", BIO)
    rows = [truth, named("B-NP O O B-VP", BIO), named("B-NP I-NP O O", BIO), named("O O O O", BIO)]
    assert metrics.chunk_counts(rows, truth, BIO).tolist() == [[2, 2, 2], [1, 2, 2], [1, 1, 2], [0, 0, 2]]
    assert metrics.chunk_f1(rows, truth, BIO).tolist() == pytest.approx([1.0, 0.5, 2 / 3, 0.0])
    assert metrics.chunk_f1(rows[1], truth, BIO) == 0.5
    assert np.isnan(metrics.chunk_f1([0], [0], BIO))
    assert metrics.f1_of(metrics.chunk_counts(rows, truth, BIO).sum(axis=0)) == pytest.approx(8 / 13)


def test_attachment_scores_by_hand():
    heads, relations = [[2, 0, 2, 3], [2, 0, 4, 2]], [[1, 0, 1, 2], [1, 0, 2, 2]]
    truth, kinds = [2, 0, 2, 3], [1, 0, 2, 2]
    assert metrics.uas(heads, truth).tolist() == [1.0, 0.5]
    assert metrics.las(heads, relations, truth, kinds).tolist() == [0.75, 0.5]
    assert metrics.uas(heads, truth, count=[True, True, True, False]).tolist() == pytest.approx([1.0, 2 / 3])
    assert metrics.uas(heads[0], truth) == 1.0
    assert np.isnan(metrics.uas(heads[0], truth, count=np.zeros(4)))


def test_attachment_scores_of_a_parse_with_relations():
    model = hh.Arborescence(np.random.default_rng(0).normal(size=(4, 5, 3)))
    heads, relations = model.split(hh.diverse(model, m=3).labelings)
    true_heads, true_relations = heads[0], (relations[0] + [0, 0, 0, 1]) % 3
    assert metrics.uas(heads, true_heads)[0] == 1.0
    assert metrics.las(heads, relations, true_heads, true_relations)[0] == 0.75
    assert (metrics.las(heads, relations, true_heads, true_relations) <= metrics.uas(heads, true_heads)).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.chunks([0], ["X-NP"]), 'must be "O", or begin with B-'),
        (lambda: metrics.chunks([5], BIO), "5 tags and the label 5"),
        (lambda: metrics.chunks([0, 7], BIO), "the label 7"),
        (lambda: metrics.chunks([-1], BIO), "the label -1"),
        (lambda: metrics.chunks([[0]], BIO), "one tagging"),
        (lambda: metrics.chunk_f1([0, 0], [0], BIO), "the truth's shape"),
        (lambda: metrics.f1_of([1, 2]), r"shape \(..., 3\)"),
        (lambda: metrics.uas([1, 0], [1]), "heads must have the truth's shape"),
        (lambda: metrics.uas([0], [0], count=[True, True]), "one entry per word"),
        (lambda: metrics.las([0], [0, 0], [0], [0]), "relations must have the shapes"),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
