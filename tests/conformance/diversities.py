# SPDX-License-Identifier: BSD-3-Clause
"""The columns of the conformance table: every diversity, with its value by definition. A new one is one line.

Each entry gives a diversity for a model, and a plain, slow function that says what D of a list must be.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import hedgehop as hh
from tests.conformance.structures import Dice

H = {"count": lambda k: min(1, k), "sqrt": math.sqrt, "log": math.log1p}
Value = Callable[[hh.Model, np.ndarray], float]


@dataclass
class Column:
    diversity: hh.Diversity
    value: Value


def by_groups(groups: Callable[[hh.Model, np.ndarray], set], h: Callable, parsimony: float = 0.0, weight=lambda g: 1.0):
    """D by counting labelings per group, straight from the definition."""

    def value(model: hh.Model, rows: np.ndarray) -> float:
        counts: dict = {}
        for y in rows:
            for g in groups(model, y):
                counts[g] = counts.get(g, 0) + 1
        return sum(weight(g) * (h(c) + parsimony * c) for g, c in counts.items())

    return value


def label_coverage(d: Dice, model: hh.Model) -> Column:
    name = d.random.choice(list(H))
    parsimony = d.random.choice(["auto", "0", "-1"])
    ignore = (0,) if d.ties else ()
    rate = -H[name](1) if parsimony == "auto" else float(parsimony)
    shown = "auto" if parsimony == "auto" else rate
    diversity = hh.LabelCoverage(h=str(name), parsimony=shown, ignore=ignore)
    return Column(diversity, by_groups(lambda _, y: set(y.tolist()) - set(ignore), H[name], rate))


def weighted_labels(d: Dice, model: hh.Model) -> Column:
    weights = d.random.random(int(model.label_counts.max())) * (d.random.random(int(model.label_counts.max())) < 0.8)
    rate = float(d.random.choice([0.0, -1.0]))
    diversity = hh.LabelCoverage(h="log", parsimony=rate, ignore=(0,) if d.ties else (), weights=weights)
    seen = by_groups(lambda _, y: set(y.tolist()) - set(diversity.ignore), math.log1p, rate, lambda g: weights[g])
    return Column(diversity, seen)


def size_levels(d: Dice, model: hh.Model) -> Column:
    shares = (0.0, 0.3, 0.5, 0.9)
    diversity = hh.LabelCoverage(h="sqrt", parsimony=0.0, ignore=(), min_share=shares)

    def groups(_: hh.Model, y: np.ndarray) -> set:
        labels, counts = np.unique(y, return_counts=True)
        return {(s, k) for s in shares for k, c in zip(labels, counts, strict=True) if c / y.size >= s - 1e-12}

    return Column(diversity, by_groups(groups, math.sqrt))


def kind_coverage(d: Dice, model: hh.Model) -> Column:
    n, labels = model.n_variables, int(model.label_counts.max())
    kinds = d.random.integers(-1, 3, (n, labels) if d.ties else labels)
    kinds.flat[0] = 2  # three kinds
    shares = (0.0, 0.6) if d.forbid else (0.0,)
    rate = float(d.random.choice([0.0, -1.0]))
    table = np.broadcast_to(kinds, (n, labels))

    def groups(_: hh.Model, y: np.ndarray) -> set:
        used = table[np.arange(n), y]
        counts = {k: int((used == k).sum()) for k in range(3)}
        return {(s, k) for s in shares for k, c in counts.items() if c and c / n >= s - 1e-12}

    diversity = hh.KindCoverage(kinds, h="log", parsimony=rate, min_share=shares)
    return Column(diversity, by_groups(groups, math.log1p, rate))


def transitions(model: hh.Model, y: np.ndarray, ordered: bool) -> set:
    pairs = {(int(y[i]), int(y[j])) for i, j in model.edges if y[i] != y[j]}
    return pairs if ordered else {tuple(sorted(p)) for p in pairs}


def transition_coverage(d: Dice, model: hh.Model) -> Column:
    ordered = bool(d.random.random() < 0.5)
    rate = float(d.random.choice([0.0, -1.0]))
    diversity = hh.TransitionCoverage(h="log", parsimony=rate, ordered=ordered)
    return Column(diversity, by_groups(lambda m, y: transitions(m, y, ordered), math.log1p, rate))


def transitions_ignoring(d: Dice, model: hh.Model) -> Column:
    diversity = hh.TransitionCoverage(h="sqrt", ignore=(0,))
    return Column(
        diversity,
        by_groups(lambda m, y: {g for g in transitions(m, y, False) if 0 not in g}, math.sqrt, -1.0),
    )


def all_pairs(d: Dice, model: hh.Model) -> Column:
    """Weights c(l, l') of pairs, those of equal labels included."""
    ordered, labels = bool(d.random.random() < 0.5), int(model.label_counts.max())
    table = d.random.random((labels, labels))
    weights = table if ordered else table + table.T
    rate = float(d.random.choice([0.0, -1.0]))

    def groups(m: hh.Model, y: np.ndarray) -> set:
        pairs = {(int(y[i]), int(y[j])) for i, j in m.edges}
        return pairs if ordered else {tuple(sorted(p)) for p in pairs}

    diversity = hh.TransitionCoverage("sqrt", rate, ordered=ordered, weights=weights, include_equal=True)
    return Column(diversity, by_groups(groups, math.sqrt, rate, lambda g: weights[g]))


def variable_coverage(d: Dice, model: hh.Model) -> Column:
    name = str(d.random.choice(list(H)))
    weights = d.random.random(model.n_variables)
    return Column(
        hh.VariableCoverage(h=name, weights=weights),
        by_groups(lambda _, y: {(i, int(k)) for i, k in enumerate(y)}, H[name], weight=lambda g: weights[g[0]]),
    )


def use_coverage(d: Dice, model: hh.Model) -> Column:
    name = str(d.random.choice(list(H)))
    weights = d.random.random(model.n_variables)
    parsimony = d.random.choice(["auto", "0"])
    rate = -H[name](1) if parsimony == "auto" else 0.0
    diversity = hh.UseCoverage(weights, h=name, parsimony="auto" if parsimony == "auto" else rate)
    return Column(
        diversity, by_groups(lambda _, y: set(np.flatnonzero(y).tolist()), H[name], rate, lambda g: weights[g])
    )


def smooth_ball(d: Dice, model: hh.Model) -> Column:
    gamma = float(d.random.choice([0.05, 0.4, 2.0]))
    weights = d.random.random(model.n_variables) if d.ties else None
    keep = 1 - np.exp(-gamma * (np.ones(model.n_variables) if weights is None else weights))

    def value(model: hh.Model, rows: np.ndarray) -> float:
        """Expected number of labelings that still differ on a random subset of the variables."""
        total = 0.0
        for kept in itertools.product((False, True), repeat=model.n_variables):
            chance = np.prod(np.where(kept, keep, 1 - keep))
            total += chance * len({tuple(y[list(kept)]) for y in rows})
        return total

    return Column(hh.HammingBall(gamma=gamma, weights=weights), value)


def exact_ball(d: Dice, model: hh.Model) -> Column:
    radius = int(d.random.integers(1, 3))
    if model.label_counts.min() < model.label_counts.max():
        return smooth_ball(d, model)  # exact balls are refused there

    def value(model: hh.Model, rows: np.ndarray) -> float:
        every = hh.testing.all_labelings(model)
        near = [set(np.flatnonzero((every != y).sum(axis=1) <= radius)) for y in rows]
        return len(set().union(*near)) / len(near[0]) if near else 0.0

    return Column(hh.HammingBall(radius=radius), value)


def sum_steered_ball(d: Dice, model: hh.Model) -> Column:
    column = smooth_ball(d, model)
    ball = column.diversity
    return Column(hh.HammingBall(gamma=ball.gamma, weights=ball.weights, steer="sum"), column.value)


def clamped_ball(d: Dice, model: hh.Model) -> Column:
    column = exact_ball(d, model) if d.ties else smooth_ball(d, model)
    ball = column.diversity
    options = {"gamma": ball.gamma, "radius": ball.radius, "weights": ball.weights}
    return Column(hh.HammingBall(**options, steer="clamped"), column.value)


def linear_hamming(d: Dice, model: hh.Model) -> Column:
    weights = d.random.random(model.n_variables)

    def value(_: hh.Model, rows: np.ndarray) -> float:
        return float(sum(weights @ (a != b) for a, b in itertools.combinations(rows, 2)))

    return Column(hh.LinearHamming(weights, steer="half" if d.ties else "exact"), value)


def random_regions(d: Dice, n: int) -> list[np.ndarray]:
    sizes = [int(k) for k in d.random.integers(1, n + 1, size=2)]
    return [np.sort(d.random.choice(n, size=k, replace=False)) for k in sizes]


def region_coverage(d: Dice, model: hh.Model) -> Column:
    regions = random_regions(d, model.n_variables)
    rate = float(d.random.choice([0.0, -1.0]))

    def groups(_: hh.Model, y: np.ndarray) -> set:
        return {(c, int(y[r[0]])) for c, r in enumerate(regions) if len(set(y[r].tolist())) == 1}

    return Column(hh.RegionCoverage(regions, h="sqrt", parsimony=rate), by_groups(groups, math.sqrt, rate))


def robust_regions(d: Dice, model: hh.Model) -> Column:
    regions = random_regions(d, model.n_variables)
    slack = [max(1, min(2, r.size // 2)) for r in regions]
    labels = int(model.label_counts.max())

    def groups(_: hh.Model, y: np.ndarray) -> set:
        misses = {(c, k): int((y[r] != k).sum()) for c, r in enumerate(regions) for k in range(labels)}
        return {(c, k, j) for (c, k), miss in misses.items() for j in range(slack[c]) if miss <= j}

    value = by_groups(groups, math.log1p, weight=lambda g: 1 / slack[g[0]])
    return Column(hh.RegionCoverage(regions, h="log", robust=2), value)


def expected_best(d: Dice, model: hh.Model) -> Column:
    samples = np.array([[d.random.integers(c) for c in model.label_counts] for _ in range(4)])
    weights = d.random.random(model.n_variables) + 0.1

    def value(_: hh.Model, rows: np.ndarray) -> float:
        agree = [[weights @ (y == z) / weights.sum() for y in rows] for z in samples]
        return float(np.mean([max(a, default=0.0) for a in agree]))

    return Column(hh.ExpectedBest(samples, weights), value)


def own_groups(d: Dice, model: hh.Model) -> Column:
    def groups(_: hh.Model, y: np.ndarray) -> set:
        return {int(y.sum()), ("first", int(y.reshape(-1)[0]))}

    weights = {("first", 0): 0.5}
    diversity = hh.GroupCoverage(lambda y: groups(model, y), h="sqrt", parsimony=-0.5, weights=weights)
    return Column(diversity, by_groups(groups, math.sqrt, -0.5, lambda g: weights.get(g, 1.0)))


def unique_items(d: Dice, model: hh.Model) -> Column:
    """The paper's counts: coverage of the different labelings, parsimony of all."""
    parts = [label_coverage, variable_coverage, linear_hamming, region_coverage, own_groups, sum_steered_ball]
    parts += [transition_coverage] if isinstance(model, hh.models.PairwiseModel) else []
    column = parts[int(d.random.integers(len(parts)))](d, model)

    def value(m: hh.Model, rows: np.ndarray) -> float:
        places = {y.tobytes(): k for k, y in enumerate(rows)}  # the last of equal ones
        repeats = np.delete(rows, list(places.values()), axis=0)
        return column.value(m, rows[sorted(places.values())]) + float(column.diversity.parsimony_of(m, repeats).sum())

    return Column(hh.UniqueItems(column.diversity), value)


def plus(d: Dice, model: hh.Model) -> Column:
    parts = [label_coverage(d, model), smooth_ball(d, model), linear_hamming(d, model)]
    if isinstance(model, hh.models.PairwiseModel):
        parts.append(transition_coverage(d, model))
    picked = [parts[k] for k in d.random.choice(len(parts), size=2, replace=False)]
    total = 0.5 * picked[0].diversity + picked[1].diversity
    return Column(total, lambda m, rows: 0.5 * picked[0].value(m, rows) + picked[1].value(m, rows))


DIVERSITIES: dict[str, Callable[[Dice, hh.Model], Column]] = {
    f.__name__: f
    for f in (
        label_coverage, weighted_labels, size_levels, kind_coverage, transition_coverage, transitions_ignoring,
        all_pairs, variable_coverage, use_coverage, smooth_ball, exact_ball, sum_steered_ball, clamped_ball,
        linear_hamming, region_coverage, robust_regions, expected_best, own_groups, unique_items, plus,
    )
}  # fmt: skip
NEED_EDGES = {"transition_coverage", "transitions_ignoring", "all_pairs"}
