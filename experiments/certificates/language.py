# SPDX-License-Identifier: BSD-3-Clause
"""Models of real sentences: chunks as chains, parses as arborescences, by counts of parts of speech."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import hedgehop as hh

LEARNT = 1000  # sentences that are counted; later ones are solved
WORDS = range(8, 31)
SMOOTHING = 0.5
FAR = 6  # distances from head to word that are told apart
ROOT = "ROOT"
Sentence = list[tuple[str, ...]]


def chains(data: Path, limit: int) -> Iterator[hh.Chain]:
    """One variable per word: its chunk, given its part of speech and the chunk before."""
    sentences = _sentences(data / "conll2000/train.txt", (1, 2))
    tags, chunks = (sorted({word[k] for words in sentences for word in words}) for k in (0, 1))
    emissions, transitions = (np.full((k, len(chunks)), SMOOTHING) for k in (len(tags), len(chunks)))
    for words in sentences[:LEARNT]:
        known = [chunks.index(chunk) for _, chunk in words]
        np.add.at(emissions, ([tags.index(tag) for tag, _ in words], known), 1.0)
        np.add.at(transitions, (known[:-1], known[1:]), 1.0)
    scores = np.log(emissions / emissions.sum(axis=0)), np.log(transitions / transitions.sum(axis=1, keepdims=True))
    for words in _fitting(sentences, limit):
        yield hh.Chain(scores[0][[tags.index(tag) for tag, _ in words]], scores[1])


def parses(data: Path, limit: int) -> Iterator[hh.Arborescence]:
    """One variable per word: its head, by both parts of speech, direction and distance."""
    trees = _sentences(data / "ud_english_ewt/en_ewt-ud-dev.conllu", (3, 6))
    tags = [ROOT, *sorted({tag for words in trees for tag, _ in words})]
    counts = np.full((len(tags), len(tags), 2 * FAR + 1), SMOOTHING)
    for words in trees[:LEARNT]:
        known = [0, *(tags.index(tag) for tag, _ in words)]
        for k, (_, head) in enumerate(words, start=1):
            counts[known[k], known[int(head)], _distance(k, int(head))] += 1.0
    scores = np.log(counts / counts.sum(axis=(1, 2), keepdims=True))
    for words in _fitting(trees, limit):
        known, places = [0, *(tags.index(tag) for tag, _ in words)], range(len(words) + 1)
        rows = [[scores[known[k], known[h], _distance(k, h)] for h in places] for k in places[1:]]
        yield hh.Arborescence(rows, single_root=True)


def _distance(word: int, head: int) -> int:
    return int(np.clip(word - head, -FAR, FAR)) + FAR


def _fitting(sentences: list[Sentence], limit: int) -> list[Sentence]:
    return [words for words in sentences[LEARNT:] if len(words) in WORDS][:limit]


def _sentences(path: Path, columns: tuple[int, ...]) -> list[Sentence]:
    """Read words as rows of columns, sentences parted by empty lines; words outside of the tree are left out."""
    found: list[Sentence] = [[]]
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = line.split("\t" if "\t" in line else " ")
        if not line.strip():
            found.append([])
        elif not line.startswith("# ") and max(columns) < len(fields) and "_" not in (fields[k] for k in columns):
            found[-1].append(tuple(fields[k] for k in columns))
    return [words for words in found if words]
