# SPDX-License-Identifier: BSD-3-Clause
"""What each way to choose reaches, with everything that is fitted fitted on other cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

import hedgehop as hh
from experiments.which.cases import Case
from hedgehop.learning import Reranker
from hedgehop.metrics import Reliability, calibration_error, reliability
from hedgehop.probabilities.calibrating import LabelledList, fitted

FOLDS = 5
MARGIN = 0.03  # with which blurred scores gain as much on 30 images of VOC train
FAR = 0.1  # share of the area, as in found.none_of_these
_LEAST = 1e-6


@dataclass(frozen=True)
class Row:
    """One way to choose: how good its labeling of each case is, in per cent, and which one it is."""

    name: str
    quality: np.ndarray
    taken: np.ndarray | None = None


@dataclass(frozen=True)
class Sure:
    """Probabilities of one kind: calibration error of the most probable labeling, what it says, what is true.

    `noise` is the error that right probabilities would have by chance: mean and standard deviation.
    """

    name: str
    error: float
    noise: tuple[float, float]
    said: float
    true: float
    log_loss: float


def fold_of(cases: Sequence[Case]) -> dict[str, int]:
    """Return the fold of each group; neighbours stay together: streets look alike."""
    groups = list(dict.fromkeys(case.group for case in cases))
    return {group: FOLDS * k // len(groups) for k, group in enumerate(groups)}


def folds(cases: Sequence[Case]) -> Iterator[tuple[list[int], list[int]]]:
    """Training and test cases of each fold; groups stay together."""
    place = fold_of(cases)
    for fold in sorted(set(place.values())):
        test = [k for k, case in enumerate(cases) if place[case.group] == fold]
        yield [k for k in range(len(cases)) if k not in set(test)], test


def rows(cases: Sequence[Case], loss: str, lengths: Sequence[int], more: Sequence[Case] = ()) -> list[Row]:
    """All rows of a table; `more` are further cases that the re-ranker learns from."""
    n = np.arange(len(cases))
    quality = {m: [case.quality[:m] for case in cases] for m in lengths}
    found = [Row("the first one (MAP)", np.array([q[0] for q in quality[lengths[0]]]), 0 * n)]
    for m in lengths:
        lists = [case.first(m).found for case in cases]
        for margin, name in ((0.0, "choice by expected loss"), (MARGIN, f"the same, if better by {MARGIN}")):
            taken = np.array([one.choose(loss, margin=margin).index for one in lists])
            found.append(_row(f"{name}, list of {m}", quality[m], taken))
    found.append(Row("consensus", np.array([case.consensus for case in cases])))
    for m in lengths:
        short, others = [c.first(m) for c in cases], [c.first(m) for c in more]
        for kind in ("regression", "pairwise"):
            taken = _reranked(short, others, kind)
            found.append(_row(f"re-ranker, {kind}, list of {m}", quality[m], taken))
    for m in lengths:
        found.append(Row(f"best of {m}", np.array([q.max() for q in quality[m]])))
    return found


def _row(name: str, quality: Sequence[np.ndarray], taken: np.ndarray) -> Row:
    return Row(name, np.array([q[k] for q, k in zip(quality, taken, strict=True)]), taken)


class Remembering(Reranker):
    """A re-ranker that computes the features of a list only once, however many folds it is in."""

    # The list is kept beside its features: the id of a list that is gone would name another one.
    known: ClassVar[dict[int, tuple[hh.DiverseList, np.ndarray]]] = {}

    def _features(self, found: hh.DiverseList) -> np.ndarray:
        if id(found) not in self.known:
            self.known[id(found)] = found, super()._features(found)
        return self.known[id(found)][1]


def _reranked(cases: Sequence[Case], more: Sequence[Case], kind: str) -> np.ndarray:
    taken = np.zeros(len(cases), int)
    for train, test in folds(cases):
        known = [*(cases[k] for k in train), *more]
        machine = Remembering(kind=kind).fit([c.found for c in known], losses=[1.0 - c.quality / 100.0 for c in known])
        taken[test] = machine.predict([cases[k].found for k in test])
    return taken


def paired(row: Row, base: Row, cases: Sequence[Case]) -> tuple[float, float]:
    """Mean difference and its standard error over groups."""
    groups = np.array([case.group for case in cases])
    change = row.quality - base.quality
    means = np.array([change[groups == group].mean() for group in dict.fromkeys(groups.tolist())])
    return float(means.mean()), float(means.std(ddof=1) / np.sqrt(len(means)))


def sureness(cases: Sequence[Case], m: int, more: Sequence[Case] = ()) -> list[Sure]:
    """How right the probabilities are that a labeling is the best of the first m; `more` are for fitting only."""
    judged, others = ([_labelled(case.first(m)) for case in some] for some in (cases, more))
    named = {"default": [one.found.probabilities for one in judged]}
    for by in ("likelihood", "error"):
        named[f"temperature by {by}, from other folds"] = _out_of_fold(cases, judged, by)
        if others:
            temperature = fitted(others, by).temperature
            named[f"temperature by {by}, from VOC train: {temperature:.2f}"] = [
                one.at(temperature)[0][0] for one in judged
            ]
    named["softmax of the scores"] = [_softmax(one.found) for one in judged]
    halves = [_softmax(one.found, 0.5 * one.found.labelings[0].size) for one in judged]
    named["softmax of the scores, half a nat per variable"] = halves
    return [_sure(name, said, [one.nearest for one in judged]) for name, said in named.items()]


def _labelled(case: Case) -> RememberedList:
    return RememberedList(case.found, _best(case.quality))


@dataclass(frozen=True)
class RememberedList(LabelledList):
    """A list whose probabilities at a temperature are computed only once, however many folds it is in."""

    known: dict[float, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    def at(self, temperature: float) -> tuple[np.ndarray, np.ndarray]:
        if temperature not in self.known:
            self.known[temperature] = super().at(temperature)
        return self.known[temperature]


def _out_of_fold(cases: Sequence[Case], judged: Sequence[LabelledList], by: str) -> list[np.ndarray]:
    """Return probabilities at a temperature that was fitted on other folds."""
    said: list[np.ndarray] = [np.zeros(0)] * len(cases)
    for train, test in folds(cases):
        temperature = fitted([judged[k] for k in train], by).temperature
        for k in test:
            said[k] = judged[k].at(temperature)[0][0]
    return said


def _best(quality: np.ndarray) -> np.ndarray:
    best = quality >= quality.max() - 1e-9
    return best / best.sum()


def _softmax(found: hh.DiverseList, temperature: float = 1.0) -> np.ndarray:
    weights = np.exp((found.relevance - found.relevance.max()) / temperature)
    return weights / weights.sum()


def _sure(name: str, said: Sequence[np.ndarray], targets: Sequence[np.ndarray]) -> Sure:
    top = np.array([p.max() for p in said])
    true = np.array([t[p.argmax()] for p, t in zip(said, targets, strict=True)])
    loss = -np.mean([t @ np.log(np.maximum(p, _LEAST)) for p, t in zip(said, targets, strict=True)])
    found = reliability(top, true)
    return Sure(name, found.error, found.noise, float(top.mean()), float(true.mean()), float(loss))


def none_of_these(cases: Sequence[Case], m: int) -> Reliability | None:
    """How right the probability is that the truth is far from the first m labelings; None if no truth is known."""
    known = [case.first(m) for case in cases if (case.truth >= 0).any()]
    return (
        reliability([case.found.none_of_these for case in known], [_is_far(case) for case in known]) if known else None
    )


def _is_far(case: Case) -> bool:
    """Whether all labelings are wrong in more than a tenth of the area that is known."""
    uncertainty = case.found._live_uncertainty
    there = np.flatnonzero(case.truth >= 0)
    wrong = (uncertainty.members[:, there] != case.truth[there]) * uncertainty.possible.weights[there]
    return bool(wrong.sum(axis=1).min() > FAR * uncertainty.possible.weights[there].sum())


def variables(cases: Sequence[Case]) -> float:
    """Calibration error of the most probable label of each variable whose label is known; nan if none is."""
    said, true = [], []
    for case in cases:
        chances = case.found._live_uncertainty.possible.marginals
        known = case.truth >= 0
        said.append(chances.max(axis=1)[known])
        true.append((chances.argmax(axis=1) == case.truth)[known])
    together = np.concatenate(said)
    return calibration_error(together, np.concatenate(true)) if together.size else float("nan")
