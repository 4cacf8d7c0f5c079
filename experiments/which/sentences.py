# SPDX-License-Identifier: BSD-3-Clause
"""Chunks and parses of real sentences, by our own structured SVMs; lists with probabilities at a fitted temperature."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

import hedgehop as hh
from experiments.progress import count, tell
from experiments.which.cases import Case
from hedgehop.learning import DependencyParser, StructuredSVM

WORD_SIZE, ARC_SIZE = 1 << 13, 1 << 16  # hashed features
LEARNT = 800  # sentences to learn from
JUDGED = 680  # sentences with lists, in two halves: the temperature of each is fitted on the other
WORDS = range(4, 31)
M = 5
Rows = list[list[str]]


def chunks(data: Path, output: Path, limit: int | None) -> list[Case]:
    """CoNLL-2000: one variable per word, its chunk tag; judged by the share of right words."""
    sentences = list(_sentences(data / "conll2000/train.txt", " "))
    tags = sorted({row[2] for rows in sentences for row in rows})
    learnt, judged = _parts(sentences, limit)
    truths = [[[tags.index(row[2]) for row in rows] for rows in part] for part in (learnt, judged)]
    path = output / f"chunks-{len(learnt)}.npz"
    machine = StructuredSVM(model="chain", C=0.1, n_labels=len(tags), tol=0.02, max_iter=30)
    _fit(machine, path, lambda: [_word_features(rows) for rows in learnt], truths[0])
    models = machine.models([_word_features(rows) for rows in judged])
    return _cases(models, truths[1], tags)


def parses(data: Path, output: Path, limit: int | None) -> list[Case]:
    """UD English EWT: one variable per word, its head; judged by the share of right heads."""
    sentences = list(_sentences(data / "ud_english_ewt/en_ewt-ud-dev.conllu", "\t"))
    learnt, judged = _parts(sentences, limit)
    truths = [[[int(row[6]) for row in rows] for rows in part] for part in (learnt, judged)]
    path = output / f"parses-{len(learnt)}.npz"
    machine = DependencyParser(C=0.1, tol=0.02, max_iter=30)
    _fit(machine, path, lambda: [_arc_features(rows) for rows in learnt], truths[0])
    models = machine.models([_arc_features(rows) for rows in judged])
    return _cases(models, truths[1], None)


def _parts(sentences: Sequence[Rows], limit: int | None) -> tuple[list[Rows], list[Rows]]:
    fit = [rows for rows in sentences if len(rows) in WORDS]
    learnt, judged = (LEARNT, JUDGED) if limit is None else (4 * limit, limit)
    return fit[:learnt], fit[learnt : learnt + judged]


def _fit(machine: StructuredSVM | DependencyParser, path: Path, inputs, truths) -> None:
    """Learn, or read the weights that were learned."""
    if path.exists():
        machine.max_iter = 1
        machine.fit(inputs()[:2], truths[:2])  # sizes; the weights follow
        with np.load(path) as kept:
            machine.coef_ = kept["coef"]
        return
    tell(f"  learning from {len(truths)} sentences")
    machine.fit(inputs(), truths)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, coef=machine.coef_)


def _cases(models: Sequence[hh.Model], truths: list[list[int]], tags: list[str] | None) -> list[Case]:
    labels = [np.array(truth) for truth in truths]
    halves = [hh.calibrate(models[k::2], labels[k::2]).temperature for k in (1, 0)]
    tell(f"  temperatures {halves[0]:.3g} and {halves[1]:.3g}")
    found = []
    for k, (model, truth) in enumerate(zip(models, labels, strict=True)):
        made = hh.weigh(hh.diverse(model, m=M), temperature=halves[k % 2])
        consensus = float(_accuracy(hh.consensus(made)[None], truth)[0])
        found.append(Case(f"{k}", made, _accuracy(made.labelings, truth), consensus, truth, tuple(tags or ())))
        count(k + 1, len(models), "lists")
    return found


def _accuracy(rows: np.ndarray, truth: np.ndarray) -> np.ndarray:
    return 100.0 * (np.asarray(rows) == truth).mean(axis=1)


def _sentences(path: Path, gap: str) -> Iterator[Rows]:
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        rows = [line.split(gap) for line in block.splitlines() if line[:2] != "# "]
        yield [row for row in rows if gap == " " or row[0].isdigit()]


def _hashed(names: Sequence[Sequence[str]], size: int) -> csr_matrix:
    """One row per list of names, one 1 per name."""
    columns = [zlib.crc32(name.encode()) % size for row in names for name in row]
    starts = np.cumsum([0, *(len(row) for row in names)])
    return csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(names), size))


def _word_features(rows: Rows) -> csr_matrix:
    parts = ["<s>", *(row[1] for row in rows), "</s>"]
    names = [
        ("bias", f"w {row[0].lower()}", f"e {row[0][-3:]}", f"p {row[1]}", f"l {parts[i]}", f"r {parts[i + 2]}")
        for i, row in enumerate(rows)
    ]
    return _hashed(names, WORD_SIZE)


def _arc_features(rows: Rows) -> csr_matrix:
    """Parts of speech and words of both ends, what is next to them, and how far apart they are."""
    words, parts = ["<root>", *(row[1].lower() for row in rows)], ["<root>", *(row[3] for row in rows), "<end>"]
    names = []
    for i in range(1, len(words)):
        for h in range(len(words)):
            way, pair = f"{np.sign(i - h)} {min(abs(i - h), 6)}", f"{parts[h]} {parts[i]}"
            names.append((
                f"a {pair} {way}", f"b {pair} {np.sign(i - h)}", f"c {parts[h]} {words[i]}", f"d {words[h]} {parts[i]}",
                f"g {pair} {parts[h + 1]} {parts[i + 1]}", f"h {pair} {parts[h - 1] if h else ''} {parts[i - 1]}",
                f"i {parts[i]} {way}",
            ))  # fmt: skip
    return _hashed(names, ARC_SIZE)
