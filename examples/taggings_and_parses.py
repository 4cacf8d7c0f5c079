# SPDX-License-Identifier: BSD-3-Clause
"""Diverse taggings and parses of real sentences: ``python examples/taggings_and_parses.py --data FOLDER``.

A chunker (linear chain, ``conll2000/train.txt``) and a dependency parser (arcs,
``ud_english_ewt/en_ewt-ud-dev.conllu``) are trained as averaged perceptrons on one part of the sentences. On another
part, lists of ten by ``VariableCoverage`` and ``HammingBall`` are compared with the ten best labelings: how many words
are right in the best labeling of the first m? The tradeoffs are chosen on a third part. Prints a table and draws
``taggings_and_parses.png``; takes a few minutes.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

import hedgehop as hh

M = 10
GAMMA = 0.3  # half of a ball's neighbourhood is left at about two words
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)  # tradeoffs tried, times the typical margin between two labels
SIZE = 1 << 18  # hashed features of arcs
WORDS = 1 << 14  # hashed features of words

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]
Maker = Callable[[hh.Model], NDArray[np.int32]]  # from a model to a list


@dataclass
class Sentence:
    """Features of each word, or of each pair of word and head; and the true labels."""

    features: Ints
    truth: Ints


class Task(Protocol):
    """What the perceptron needs to know of a structure."""

    size: int

    def model(self, weights: Reals, sentence: Sentence) -> hh.Model:
        """Scores of a sentence."""

    def active(self, sentence: Sentence, labeling: Ints) -> Ints:
        """Places of the weights that add up to the score of a labeling."""


class Tagger:
    """A chain: weights for each (feature of a word, tag), then for each pair of tags."""

    def __init__(self, n_tags: int) -> None:
        self.n_tags, self.size = n_tags, WORDS * n_tags + n_tags**2

    def model(self, weights: Reals, sentence: Sentence) -> hh.Chain:
        """Scores of a sentence."""
        places = sentence.features[:, :, None] * self.n_tags + np.arange(self.n_tags)
        return hh.Chain(weights[places].sum(axis=1), weights[-(self.n_tags**2) :].reshape(self.n_tags, -1))

    def active(self, sentence: Sentence, labeling: Ints) -> Ints:
        """Places of the weights that add up to the score of a labeling."""
        words = sentence.features * self.n_tags + labeling[:, None]
        pairs = WORDS * self.n_tags + labeling[:-1] * self.n_tags + labeling[1:]
        return np.concatenate([words.ravel(), pairs])


class Parser:
    """Arcs: weights for each feature of (word, head)."""

    size = SIZE

    def model(self, weights: Reals, sentence: Sentence) -> hh.Arborescence:
        """Scores of a sentence."""
        return hh.Arborescence(weights[sentence.features].sum(axis=2), single_root=True)

    def active(self, sentence: Sentence, labeling: Ints) -> Ints:
        """Places of the weights that add up to the score of a labeling."""
        return sentence.features[np.arange(labeling.size), labeling].ravel()


def place(text: str, size: int) -> int:
    """Hash a feature, the same in every run."""
    return zlib.crc32(text.encode()) % size


def chunks(path: Path, count: int) -> tuple[Tagger, list[Sentence]]:
    """Read sentences with their chunk tags (B-NP, I-NP, ...)."""
    blocks = [block.splitlines() for block in path.read_text().strip().split("\n\n")]
    rows = [[line.split() for line in block] for block in blocks if len(block) > 1][:count]
    tags = {tag: k for k, tag in enumerate(sorted({tag for row in rows for _, _, tag in row}))}
    sentences = []
    for row in rows:
        parts = ["<s>", *(pos for _, pos, _ in row), "</s>"]
        named = [
            ("bias", f"w {word.lower()}", f"e {word[-3:]}", f"p {pos}", f"l {parts[i]}", f"r {parts[i + 2]}")
            for i, (word, pos, _) in enumerate(row)
        ]
        features = np.array([[place(name, WORDS) for name in names] for names in named])
        sentences.append(Sentence(features, np.array([tags[tag] for _, _, tag in row])))
    return Tagger(len(tags)), sentences


def parses(path: Path, count: int, longest: int = 30) -> tuple[Parser, list[Sentence]]:
    """Read sentences with the head of every word (0: the root)."""
    sentences = []
    for block in path.read_text().strip().split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line[:1] != "#"]
        rows = [row for row in rows if row[0].isdigit()]
        if 1 < len(rows) <= longest:
            sentences.append(Sentence(arc_features(rows), np.array([int(row[6]) for row in rows])))
    return Parser(), sentences[:count]


def arc_features(rows: Sequence[Sequence[str]]) -> Ints:
    """Parts of speech and words of both ends, of what is next to them and between them, and how far apart they are."""
    words, parts = ["<root>", *(row[1].lower() for row in rows)], ["<root>", *(row[3] for row in rows), "<end>"]
    result = []
    for i in range(1, len(words)):
        for h in range(len(words)):
            way = f"{np.sign(i - h)} {min(abs(i - h), 6)}"
            pair, between = f"{parts[h]} {parts[i]}", " ".join(sorted(set(parts[min(i, h) + 1 : max(i, h)])))
            names = (
                f"a {pair} {way}", f"b {pair} {np.sign(i - h)}", f"c {parts[h]} {words[i]}", f"d {words[h]} {parts[i]}",
                f"e {words[h]} {words[i]}", f"f {pair} {between}", f"g {pair} {parts[h + 1]} {parts[i + 1]}",
                f"h {pair} {parts[h - 1] if h else ''} {parts[i - 1]}", f"i {words[i]} {way}",
            )  # fmt: skip
            result.append([place(name, SIZE) for name in names])
    return np.array(result).reshape(len(words) - 1, len(words), -1)


def train(task: Task, sentences: Sequence[Sentence], epochs: int) -> Reals:
    """Averaged perceptron (Collins 2002)."""
    weights, late = np.zeros(task.size), np.zeros(task.size)
    for step in range(epochs * len(sentences)):
        sentence = sentences[step % len(sentences)]
        guess = hh.best(task.model(weights, sentence)).labeling.astype(np.int64)
        if (guess != sentence.truth).any():
            for labeling, sign in ((sentence.truth, 1.0), (guess, -1.0)):
                np.add.at(weights, task.active(sentence, labeling), sign)
                np.add.at(late, task.active(sentence, labeling), sign * step)
    return weights - late / (epochs * len(sentences))


def oracle_curve(models: Sequence[hh.Model], sentences: Sequence[Sentence], make: Maker) -> Reals:
    """Share of words that are right in the best of the first 1..M labelings."""
    right, words = np.zeros(M), 0
    for model, sentence in zip(models, sentences, strict=True):
        best = hh.metrics.best_so_far(hh.metrics.accuracy(make(model), sentence.truth, ignore=None))
        right += sentence.truth.size * np.append(best, np.full(M - best.size, best[-1]))  # short sentences have fewer
        words += sentence.truth.size
    return right / words


class Quick(hh.oracles.Slopes):
    """Slopes instead of integer programs: nearly as good and much faster."""

    def preference(self, model: hh.Model, potentials: Sequence[hh.potentials.Potential]) -> float:
        """Before the integer program."""
        return 50.0


def diverse(diversity: hh.Diversity, tradeoff: float) -> Maker:
    """Lists by a diversity."""
    oracle = hh.oracles.Auto(Quick())
    return lambda model: hh.diverse(model, diversity, M, tradeoff, oracle=oracle).labelings


def typical_margin(models: Sequence[hh.models.UnaryModel]) -> float:
    """By how much the best label of a word is better than the second, as a median."""
    tops = [np.sort(model.unary, axis=1)[:, -2:] for model in models]
    return float(np.median(np.concatenate([top[:, 1] - top[:, 0] for top in tops if np.isfinite(top).all()])))


def compare(task: Task, sentences: list[Sentence], epochs: int, held: int) -> dict[str, Reals]:
    """Train on all but the last, tune on the last but `held`, and return the curves on the last `held` sentences."""
    weights = train(task, sentences[: -held - held // 3], epochs)
    tuning, testing = sentences[-held - held // 3 : -held], sentences[-held:]
    tuned, tested = ([task.model(weights, s) for s in part] for part in (tuning, testing))
    margin = typical_margin(tuned)
    curves = {"m best": oracle_curve(tested, testing, lambda model: hh.baselines.m_best(model, M))}
    for name, diversity, unit in (
        ("VariableCoverage", hh.VariableCoverage(), margin),
        ("HammingBall", hh.HammingBall(gamma=GAMMA), margin / GAMMA),
    ):
        scores = [oracle_curve(tuned, tuning, diverse(diversity, f * unit)).mean() for f in FACTORS]
        best = FACTORS[int(np.argmax(scores))]
        curves[name] = oracle_curve(tested, testing, diverse(diversity, best * unit))
    return curves


def report(title: str, curves: dict[str, Reals]) -> None:
    """Print the curves as a table."""
    print(f"{title}: % of words right in the best of the first m")
    print(f"{'m':>18}" + "".join(f"{m:7}" for m in range(1, M + 1)))
    for name, curve in curves.items():
        print(f"{name:>18}" + "".join(f"{100 * share:7.1f}" for share in curve), flush=True)


def draw(results: dict[str, dict[str, Reals]], path: Path) -> None:
    """Draw one panel per task."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    for axes, (title, curves) in zip(figure.subplots(1, len(results)), results.items(), strict=True):
        for name, curve in curves.items():
            axes.plot(range(1, M + 1), 100 * curve, marker="o", markersize=3, label=name)
        axes.set(title=title, xlabel="labelings in the list", ylabel="% of words right in the best")
        axes.legend()
    figure.savefig(path)


def main() -> None:
    """Train, compare, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=800)
    parser.add_argument("--held", type=int, default=48, help="sentences to compare on")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--picture", type=Path, default=Path("taggings_and_parses.png"))
    options = parser.parse_args()
    results = {}
    for title, (task, sentences) in {
        "chunks": chunks(options.data / "conll2000" / "train.txt", options.sentences),
        "parses": parses(options.data / "ud_english_ewt" / "en_ewt-ud-dev.conllu", options.sentences),
    }.items():
        results[title] = compare(task, sentences, options.epochs, options.held)
        report(title, results[title])
    draw(results, options.picture)


if __name__ == "__main__":
    main()
