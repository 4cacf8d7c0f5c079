# SPDX-License-Identifier: BSD-3-Clause
"""Every diversity with random settings, and D of lists straight from its definition.

A new diversity is one function in DIVERSITIES: it returns a diversity of the library and a `Measure`, which gives D of
many lists at once. Nothing here asks the library for a value, a gain or a group.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

import hedgehop as hh
from hunt.dice import Dice
from hunt.structures import Problem

H: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "count": lambda c: np.minimum(c, 1.0), "sqrt": np.sqrt, "log": lambda c: np.log(1.0 + c),
}  # fmt: skip
Measure = Callable[[np.ndarray], np.ndarray]  # (N, m) places of labelings -> (N,) values of D


@dataclass
class Column:
    """A diversity and its definition; `exact` says whether its steps maximise its gain."""

    diversity: Any
    measure: Measure
    submodular: bool = True


def covered(inside: np.ndarray, weights: np.ndarray, h: Callable[[np.ndarray], np.ndarray], rate: float) -> Measure:
    """``sum_g a_g (h(c_g) + rate c_g)``, c_g = labelings of the list in group g; `inside` is (K, G)."""

    def measure(lists: np.ndarray) -> np.ndarray:
        values = []
        for part in np.array_split(lists, max(1, lists.size * inside.shape[1] // 2_000_000 + 1)):
            counts = inside[part].sum(axis=1, dtype=float)
            values.append((h(counts) + rate * counts) @ weights)
        return np.concatenate(values)

    return measure


def by_names(p: Problem, groups: Callable[[np.ndarray], Iterable[Hashable]], h: Any, rate: float, weight: Any = None):
    """Groups by name: their incidence, then as above."""
    named = [set(groups(y)) for y in p.rows]
    every = sorted(set().union(*named), key=repr)
    inside = np.array([[g in names for g in every] for names in named], bool).reshape(len(named), len(every))
    weights = np.array([1.0 if weight is None else weight(g) for g in every])
    return covered(inside, weights, h, rate)


def _h(d: Dice) -> tuple[str, Any]:
    name = str(d.random.choice(list(H)))
    return name, H[name]


def _rate(d: Dice, h: Any) -> tuple[Any, float]:
    """Parsimony as it is given, and as a number."""
    kind = d.random.choice(["auto", "none", "minus", "odd"])
    first = float(h(np.array([1.0]))[0])
    number = {"auto": -first, "none": 0.0, "minus": -1.0, "odd": float(np.round(d.random.normal(), 2))}[kind]
    return ("auto" if kind == "auto" else number), number


def _used(y: np.ndarray, shares: tuple[float, ...], kind: Callable[[int, int], int]) -> set[Hashable]:
    counts: dict[int, int] = {}
    for i, k in enumerate(y.tolist()):
        counts[kind(i, k)] = counts.get(kind(i, k), 0) + 1
    return {(s, k) for s in shares for k, c in counts.items() if c / len(y) >= s - 1e-12}


def label_coverage(d: Dice, p: Problem) -> Column:
    (name, h), ignore = _h(d), (0,) if d.ties else ()
    given, rate = _rate(d, h)
    diversity = hh.LabelCoverage(h=name, parsimony=given, ignore=ignore)
    return Column(diversity, by_names(p, lambda y: set(y.tolist()) - set(ignore), h, rate))


def label_levels(d: Dice, p: Problem) -> Column:
    (name, h), shares = _h(d), (0.0, 0.3, 0.5, 0.9)
    given, rate = _rate(d, h)
    diversity = hh.LabelCoverage(h=name, parsimony=given, ignore=(), min_share=shares)
    return Column(diversity, by_names(p, lambda y: _used(y, shares, lambda i, k: k), h, rate))


def kinds(d: Dice, p: Problem) -> Column:
    n, labels = len(p.counts), max(p.counts)
    table = d.random.integers(-1, 3, (n, labels) if d.ties else labels)
    table.flat[0] = 2
    (name, h), shares = _h(d), (0.0, 0.6) if d.forbid else (0.0,)
    given, rate = _rate(d, h)
    whole = np.broadcast_to(table, (n, labels))

    def groups(y: np.ndarray) -> set[Hashable]:
        return {g for g in _used(y, shares, lambda i, k: int(whole[i, k])) if g[1] >= 0}  # type: ignore[index]

    diversity = hh.KindCoverage(table, h=name, parsimony=given, min_share=shares)
    return Column(diversity, by_names(p, groups, h, rate))


def transitions(d: Dice, p: Problem) -> Column:
    (name, h), ordered = _h(d), bool(d.random.random() < 0.5)
    given, rate = _rate(d, h)
    ignore = (0,) if d.random.random() < 0.3 else ()

    def groups(y: np.ndarray) -> set[Hashable]:
        pairs = [(int(y[i]), int(y[j])) for i, j in p.edges if y[i] != y[j]]
        return {q if ordered else tuple(sorted(q)) for q in pairs if not set(q) & set(ignore)}

    diversity = hh.TransitionCoverage(h=name, parsimony=given, ordered=ordered, ignore=ignore)
    return Column(diversity, by_names(p, groups, h, rate))


def uses(d: Dice, p: Problem) -> Column:
    name, h = _h(d)
    given, rate = _rate(d, h)
    weights = d.random.random(len(p.counts)) if d.random.random() < 0.5 else np.ones(len(p.counts))
    diversity = hh.UseCoverage(weights, h=name, parsimony=given)
    return Column(diversity, covered(p.rows != 0, weights, h, rate))


def variables(d: Dice, p: Problem) -> Column:
    name, h = _h(d)
    weights = d.random.random(len(p.counts)) if d.random.random() < 0.5 else None
    weight = (lambda g: 1.0) if weights is None else (lambda g: float(weights[g[0]]))
    diversity = hh.VariableCoverage(h=name, weights=weights)
    return Column(diversity, by_names(p, lambda y: set(enumerate(y.tolist())), h, 0.0, weight))


def regions(d: Dice, p: Problem) -> Column:
    n, robust = len(p.counts), int(d.random.integers(1, 4))
    sets = [np.sort(d.random.choice(n, size=int(k), replace=False)) for k in d.random.integers(1, n + 1, size=2)]
    slack = [max(1, min(robust, r.size // 2)) for r in sets]
    name, h = _h(d)
    given, rate = _rate(d, h)

    def groups(y: np.ndarray) -> set[Hashable]:
        misses = {(c, k): int((y[r] != k).sum()) for c, r in enumerate(sets) for k in range(max(p.counts))}
        return {(c, k, j) for (c, k), miss in misses.items() for j in range(slack[c]) if miss <= j}

    diversity = hh.RegionCoverage(sets, h=name, parsimony=given, robust=robust)
    return Column(diversity, by_names(p, groups, h, rate, lambda g: 1.0 / slack[g[0]]))


def _smooth(p: Problem, decay: np.ndarray) -> Measure:
    """Expected number of labelings that differ on the variables kept, i with probability ``1 - exp(-decay_i)``."""
    keep, inside, weights = 1.0 - np.exp(-decay), [], []
    for kept in itertools.product((False, True), repeat=len(decay)):
        chance = float(np.prod(np.where(kept, keep, 1.0 - keep)))
        _, pattern = np.unique(p.rows[:, list(kept)], axis=0, return_inverse=True)
        inside.append(pattern.reshape(-1)[:, None] == np.arange(pattern.max() + 1))
        weights += [chance] * inside[-1].shape[1]
    return covered(np.concatenate(inside, axis=1), np.array(weights), H["count"], 0.0)


def smooth_ball(d: Dice, p: Problem) -> Column:
    gamma = float(d.random.choice([0.05, 0.4, 2.0]))
    weights = d.random.random(len(p.counts)) if d.ties else None
    decay = gamma * (np.ones(len(p.counts)) if weights is None else weights)
    return Column(hh.HammingBall(gamma=gamma, weights=weights), _smooth(p, decay))


def ball_by_sum(d: Dice, p: Problem) -> Column:
    column = smooth_ball(d, p)
    ball = column.diversity
    return Column(hh.HammingBall(gamma=ball.gamma, weights=ball.weights, steer="sum"), column.measure)


def exact_ball(d: Dice, p: Problem) -> Column:
    if len(set(p.counts)) > 1:
        return smooth_ball(d, p)  # refused there
    radius, steer = int(d.random.integers(1, 4)), "sum" if d.random.random() < 0.3 else "exact"
    every = np.array(list(itertools.product(*map(range, p.counts))))
    near = (p.rows[:, None] != every).sum(axis=2) <= radius
    size = int(near[0].sum())
    diversity = hh.HammingBall(radius=radius, steer=steer)
    return Column(diversity, covered(near, np.full(len(every), 1.0 / size), H["count"], 0.0))


def hamming(d: Dice, p: Problem) -> Column:
    weights = d.random.random(len(p.counts)) if d.random.random() < 0.5 else None
    each = np.ones(len(p.counts)) if weights is None else weights
    apart = (p.rows[:, None] != p.rows) @ each

    def measure(lists: np.ndarray) -> np.ndarray:
        pairs = itertools.combinations(range(lists.shape[1]), 2)
        return sum((apart[lists[:, a], lists[:, b]] for a, b in pairs), np.zeros(len(lists)))

    steer = "half" if d.ties else "exact"
    return Column(hh.LinearHamming(weights, steer=steer), measure, submodular=False)


def expected_best(d: Dice, p: Problem) -> Column:
    samples = np.array([[d.random.integers(c) for c in p.counts] for _ in range(4)])
    weights = d.random.random(len(p.counts)) + 0.1
    agree = (p.rows[:, None] == samples) @ weights / weights.sum()  # (K, samples)

    def measure(lists: np.ndarray) -> np.ndarray:
        return agree[lists].max(axis=1, initial=0.0).mean(axis=1)

    return Column(hh.ExpectedBest(samples, weights), measure)


def own_groups(d: Dice, p: Problem) -> Column:
    def groups(y: np.ndarray) -> set[Hashable]:
        return {int(y.sum()), ("first", int(y.reshape(-1)[0]))}

    weights = {("first", 0): 0.5}
    name, h = _h(d)
    diversity = hh.GroupCoverage(groups, h=name, parsimony=-0.5, weights=weights)
    return Column(diversity, by_names(p, groups, h, -0.5, lambda g: weights.get(g, 1.0)))


def sums(d: Dice, p: Problem) -> Column:
    makers = [label_coverage, smooth_ball, hamming, variables, kinds, *([transitions] if p.edges is not None else [])]
    first, second = (makers[k](d, p) for k in d.random.choice(len(makers), size=2, replace=False))
    factor = float(d.random.choice([0.5, 3.0, 1e-3]))
    total = factor * first.diversity + second.diversity

    def measure(lists: np.ndarray) -> np.ndarray:
        return factor * first.measure(lists) + second.measure(lists)

    return Column(total, measure, first.submodular and second.submodular)


DIVERSITIES: dict[str, Callable[[Dice, Problem], Column]] = {
    f.__name__: f
    for f in (
        label_coverage, label_levels, kinds, transitions, variables, regions, smooth_ball, ball_by_sum, exact_ball,
        hamming, expected_best, own_groups, uses, sums,
    )
}  # fmt: skip
