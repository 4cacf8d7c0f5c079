# SPDX-License-Identifier: BSD-3-Clause
"""Potentials of other packages: each oracle solves them by what their methods say, or refuses with a sentence."""

from __future__ import annotations

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.oracles.registry import built_in_and_installed
from hedgehop.potentials import (
    CountFunction,
    Distances,
    LabelClasses,
    LabelWeights,
    Linear,
    Lines,
    PairClasses,
    Potential,
    Table,
)


class CutLength(Potential):
    """``-price * |k - wanted|``, k = number of edges between the labels 0 and 1 of a model that has no others."""

    scaled_fields = ("price",)

    def __init__(self, price, wanted):
        self._set(price=float(price), wanted=wanted)

    def worth(self, counts):
        return -self.price * np.abs(counts - self.wanted)

    def values(self, model, flat):
        ends = flat[:, model.edges]
        return self.worth((ends[:, :, 0] != ends[:, :, 1]).sum(axis=1))

    def counts(self, model):
        codes, edges = PairClasses(model.edges, model.n_labels, ordered=False), np.arange(len(model.edges))
        return [CountFunction(codes, 1, edges, Table(1.0, self.worth(np.arange(edges.size + 1))))]


class Far(Potential):
    """The number of variables that are not 0, said to be a distance without telling of which terms."""

    scaled_fields = ("weight",)

    def __init__(self, weight, relaxed_as="distances"):
        self._set(weight=float(weight), relaxed_as=relaxed_as)

    def values(self, model, flat):
        return self.weight * (flat != 0).sum(axis=1)

    def counts(self, model):
        n, labels = model.n_variables, int(model.label_counts.max())
        codes = LabelClasses((np.arange(labels) > 0).astype(np.int32), 2)
        return [CountFunction(codes, 1, np.arange(n), Table(1.0, self.weight * np.arange(n + 1.0)))]


class Either(Potential):
    """The larger of two sums of scores of single labels."""

    relaxed_as = "lines"
    scaled_fields = ("scores",)

    def __init__(self, scores):
        self._set(scores=np.array(scores, float))

    def sums(self, flat):
        return np.stack([np.take_along_axis(theta, flat.T, axis=1).sum(axis=0) for theta in self.scores])

    def values(self, model, flat):
        return self.sums(flat).max(axis=0)

    def lines(self, model):
        larger = self.scores.max(axis=0)  # label by label: no less than either sum
        return Lines(lambda _: (larger, 0.0), lambda y: self.scores[self.sums(y[None]).argmax()])


def grid(size, labels=2, seed=0):
    return hh.Grid(np.random.default_rng(seed).normal(size=(size, size, labels)), smoothness=0.3)


@pytest.mark.parametrize("edges", [[(0, 1), (1, 2), (0, 2), (2, 3)], []])
def test_counts_of_edges_are_rows_of_a_program(edges):
    scores = np.random.default_rng(1).normal(size=(4, 2))
    model = hh.FactorGraph(scores, edges, 0.3) if edges else hh.FactorGraph(scores)
    for oracle in ("ilp", "auto"):
        hh.testing.check_oracle(hh.oracles.get(oracle), model, [CutLength(0.7, 2)])


def test_counts_of_edges_on_a_larger_grid():
    """More labelings than can be listed, so that the program has to write the pairs of a Potts model."""
    model, cut = grid(6), CutLength(5.0, 4)
    step = hh.best(model, cut)
    assert step.exact
    assert cut.value(model, step.labeling) == 0.0


@pytest.mark.parametrize("relaxed_as", ["distances", "lines"])
def test_what_a_potential_does_not_tell_is_refused(relaxed_as):
    model, far = grid(12), Far(0.4, relaxed_as)
    with pytest.raises(hh.UnsupportedError, match="Far does not say"):
        hh.best(model, far, "lagrangian")
    with pytest.raises(hh.UnsupportedError, match="Far"):
        hh.best(model, far, "messages")
    linear = np.where(np.arange(2) > 0, 0.4, 0.0) * np.ones((144, 1))
    assert hh.best(model, far).value == pytest.approx(hh.best(model, Linear(linear)).value)


def test_lines_of_its_own_bound_a_potential_and_lead_to_the_larger_sum():
    rng = np.random.default_rng(2)
    model = grid(3)
    hh.testing.check_oracle(hh.oracles.get("lagrangian"), model, [Either(rng.normal(size=(2, 9, 2)))])
    large, scores = grid(12), rng.normal(size=(2, 144, 2))
    step = hh.best(large, Either(scores))
    assert step.oracle == "lagrangian"
    assert step.value == pytest.approx(max(hh.best(large, Linear(theta)).value for theta in scores))
    assert step.upper_bound == pytest.approx(hh.best(large, Linear(scores.max(axis=0))).value)


def test_every_oracle_solves_or_refuses():
    model = grid(3)
    for oracle in built_in_and_installed().values():
        for potential in (CutLength(1.0, 3), Far(0.5), Far(0.5, "lines"), Far(0.5, "counts")):
            if oracle.refusal(model, [potential]) is None:
                hh.testing.check_oracle(oracle, model, [potential])


def test_solvers_of_quick_bounds_are_kept_apart():
    """Where labelings only have to differ, moves spend little on their bounds; other steps are not to inherit that."""
    model, costs = grid(10, labels=3), LabelWeights([-3.0, -4.0, 2.0])
    solver = hh.oracles.Lagrangian().on(model)
    quick, patient = solver.linear_steps([costs], quick=True), solver.linear_steps([costs])
    none = np.zeros((100, 3))
    fresh = hh.oracles.Lagrangian().on(model).linear_steps([costs])(none)
    assert patient(none).upper_bound == pytest.approx(fresh.upper_bound)
    assert quick(none).upper_bound > fresh.upper_bound


class Flips(Potential):
    """``worth[k]``, k = number of variables that differ from a labeling: what Cardinality is, but not of its class."""

    relaxed_as = "distances"
    scaled_fields = ("worth",)

    def __init__(self, reference, worth):
        self._set(reference=np.array(reference, np.int32), worth=np.array(worth, float))

    def values(self, model, flat):
        return self.worth[(flat != self.reference).sum(axis=1)]

    def distances(self):
        return Distances(self.reference[None], None, Table(1.0, self.worth))


@pytest.mark.parametrize("oracle", ["tree", "chain", "spanning_tree", "lagrangian"])
def test_distances_of_its_own_are_understood(oracle):
    rng = np.random.default_rng(3)
    trees = hh.SpanningTree([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]], rng.normal(size=5))
    model = trees if oracle == "spanning_tree" else hh.Chain(rng.normal(size=(5, 2)), rng.normal(size=(2, 2)))
    near = Flips([1, 0, 1, 1, 0], -np.abs(np.arange(6) - 3.0))
    hh.testing.check_oracle(hh.oracles.get(oracle), model, [near, near])
    if oracle == "chain":
        hh.testing.check_oracle(hh.oracles.get(oracle), model, [near, Flips([0, 0, 0, 0, 0], rng.normal(size=6))])


class Larger(Potential):
    """The larger of two potentials."""

    def __init__(self, *parts):
        self._set(parts=parts)

    def values(self, model, flat):
        return np.max([p.values(model, flat) for p in self.parts], axis=0)

    def choices(self):
        return [[p] for p in self.parts]


class Taken(Potential):
    """A cost of one labeling."""

    def __init__(self, labeling, cost):
        self._set(labeling=np.array(labeling, np.int32), cost=float(cost))

    def values(self, model, flat):
        return -self.cost * (flat == self.labeling).all(axis=1)

    def penalised(self):
        return self.labeling[None]


@pytest.mark.parametrize("oracle", ["exhaustive", "graphcut", "ilp", "tree"])
def test_every_oracle_solves_maxima_and_costs_of_single_labelings(oracle):
    rng = np.random.default_rng(4)
    model = hh.Chain(rng.normal(size=(5, 2)), 0.5 * np.eye(2)) if oracle == "tree" else grid(3)
    n = model.n_variables
    every = hh.testing.all_labelings(model).reshape(-1, n)
    larger, best = Larger(*(Linear(rng.normal(size=(n, 2))) for _ in range(2))), hh.best(model).labeling.reshape(-1)
    for potentials in ([larger], [Taken(best, 0.01)], [Taken(best, 9.0)], [larger, Taken(best, 9.0)]):
        step = hh.best(model, potentials, oracle)
        values = model.score(every.reshape(-1, *model.shape)) + sum(p.values(model, every) for p in potentials)
        assert step.exact
        assert step.value == pytest.approx(values.max())
