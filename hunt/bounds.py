# SPDX-License-Identifier: BSD-3-Clause
"""``python -m hunt.bounds``: every argument that bounds all lists, at slopes it found and at random ones.

A problem is a model, a diversity, a tradeoff, a number of labelings and how far apart they must be. Its best list is
enumerated by `hunt.truth`; no bound may be below it, whatever slopes, prices or labelings the argument is given.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np

import hedgehop as hh
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.bounds import BoundMethod, Problem
from hedgehop.lists.proofs.search import BOUND_METHODS
from hedgehop.oracles.base import Solver, Step
from hedgehop.potentials import total_value
from hunt.dice import Dice
from hunt.diversities import DIVERSITIES
from hunt.structures import STRUCTURES, problem
from hunt.truth import Truth

_MOST_LISTS_PER_PROBLEM = 4000  # enumerated for one problem
_ROUNDS = (1, 1, 1, 2, 4)  # of each argument
_DISTANCES = (0, 1, 2, 3, 4)
_LABELING_ARRAYS = ("rows", "apart", "labelings")  # arrays of labelings, instead of numbers
_TIGHT = 1e-6  # of the improvement, or of what is at stake


class Listed(Solver):
    """Solves steps by looking at every allowed labeling: exact, and fast on models as small as these."""

    def __init__(self, truth: Truth) -> None:
        super().__init__(hh.oracles.get("exhaustive"), truth.problem.model)
        self._rows, self._relevance = truth.problem.rows, truth.problem.relevance

    def step(self, potentials: Sequence[hh.potentials.Potential]) -> Step:
        """Look at all of them."""
        return self._best(potentials, np.ones(len(self._rows), bool))

    def step_apart(
        self,
        potentials: Sequence[hh.potentials.Potential],
        earlier: Sequence[np.ndarray],
        distance: int,
        nearest: Step | None = None,
    ) -> Step:
        """Look at those that are far enough from all earlier ones."""
        flat = np.array(earlier).reshape(len(earlier), -1)
        apart = (self._rows[:, None] != flat).sum(axis=2)
        return self._best(potentials, (apart >= distance).all(axis=1))

    def _best(self, potentials: Sequence[hh.potentials.Potential], allowed: np.ndarray) -> Step:
        if not allowed.any():
            raise hh.InfeasibleError("no labeling is allowed.")
        values = np.where(allowed, self._relevance + total_value(self.model, potentials, self._rows), -np.inf)
        k = int(values.argmax())
        top = float(values[k])
        return Step(self._rows[k].reshape(self.model.shape), top, top, True, "listed", 0.0, float(self._relevance[k]))


class Bounds:
    """Draws one model and diversity from a seed, and checks the bounds of a few problems about them."""

    def __init__(self, seed: int, counts: Counter[str], faults: list[str]) -> None:
        self.seed, self.counts, self.faults, self.d = seed, counts, faults, Dice.of(seed)
        self.structure = str(self.d.random.choice(list(STRUCTURES)))
        self.problem = problem(self.structure, self.d)
        fitting = [name for name in DIVERSITIES if name != "transitions" or self.problem.edges is not None]
        self.kind = str(self.d.random.choice(fitting))
        column = DIVERSITIES[self.kind](self.d, self.problem)
        factor = float(self.d.random.choice([0.3, 1.0, 3.0, 10.0]))
        self.truth = Truth(self.problem, column, factor * self.d.unit)
        self.objective = Objective(self.problem.model, column.diversity, factor * self.d.unit)

    def run(self) -> None:
        """Check problems of two and three labelings with every limit, as far as all lists can be enumerated."""
        many = len(self.problem.rows)
        for m in (2, 3):
            if comb(many + m - 1, m) <= _MOST_LISTS_PER_PROBLEM:
                for distance in _DISTANCES[: len(self.problem.counts) + 1]:
                    self._check(m, distance)

    def _check(self, m: int, distance: int) -> None:
        best, places = self.truth.best_list(m, distance)
        rows = self._some_list(m, distance)
        if rows is None or not places:
            return
        for kind in ("lists", f"limit {distance}", self.structure, self.kind):
            self.counts[kind] += 1
        slack = self._slack(places)
        exact = self.d.random.random() < 0.8
        solver = Listed(self.truth) if exact else hh.oracles.get("auto").on(self.problem.model)
        given = Problem(self.objective, solver, rows, distance)
        found = [self._bounds(method, given, best, slack) for method in BOUND_METHODS]
        if exact and (least := min(found)) < np.inf:
            self.counts["lists with a bound by exact steps"] += 1
            base = self.truth.value(np.full((1, m), int(self.problem.relevance.argmax())))[0]
            self.counts["of these tight"] += bool(least - best <= _TIGHT * abs(best - base) + 10 * slack)

    def _bounds(self, method: BoundMethod, given: Problem, best: float, slack: float) -> float:
        """Check an argument at what it found, and at random slopes; return the smallest bound it found."""
        least = np.inf
        try:
            for found in itertools.islice(method.find(given) or (), int(self.d.random.choice(_ROUNDS))):
                self._not_below(found.bound, best, slack, given, f"{method.source}, found")
                self._not_below(
                    self._random(method, given, found.arrays), best, slack, given, f"{method.source}, random"
                )
                least = min(least, found.bound)
        except (hh.UnsupportedError, hh.InfeasibleError):
            self.counts[f"refused by {method.source}"] += 1
        return least

    def _random(self, method: BoundMethod, given: Problem, arrays: Any) -> float:
        return method.check(given, {name: self._changed(name, array) for name, array in arrays.items()})

    def _changed(self, name: str, array: np.ndarray) -> np.ndarray:
        """Other labelings, or other numbers that mean something."""
        random, rows = self.d.random, self.problem.rows
        if name in _LABELING_ARRAYS:
            return np.ascontiguousarray(rows[random.integers(0, len(rows), len(array))])
        if name == "sets":
            return np.asarray(random.integers(0, 256, array.shape), np.uint8)
        if name == "counted":
            return np.asarray(random.random(array.shape) < random.choice([0.0, 0.3, 0.7, 1.0]))
        if array.dtype.kind != "f":
            return array
        if name == "shares":
            drawn = random.random(array.shape)
            return np.asarray(drawn / np.maximum(1.0, drawn.sum(axis=0) * (1.0 + 1e-12)))
        if name == "singles" or name.startswith("best"):
            return np.asarray(random.random(array.shape))
        size = float(random.choice([1e-3, 0.3, 3.0])) * (self.d.unit if name == "prices" else 1.0)
        return np.asarray(array + size * random.normal(size=array.shape))

    def _not_below(self, bound: float, best: float, slack: float, given: Problem, how: str) -> None:
        self.counts["bounds"] += 1
        self.counts[f"bounds by {how}"] += 1
        if not bound >= best - slack:
            where = f"{self.structure} x {self.kind}, m = {given.m}, distance {given.distance}, {self.d.scale} scores"
            self.faults.append(f"SEED={self.seed}: {how}: {bound!r} is below {best!r}; {where}")

    def _some_list(self, m: int, distance: int) -> np.ndarray | None:
        """A random list that keeps its distance, chosen one by one; None if that ends too early."""
        chosen: list[int] = []
        for _ in range(m):
            left = np.flatnonzero(self.truth.far(chosen, distance) if chosen else np.ones(len(self.problem.rows), bool))
            if not left.size:
                return None
            chosen.append(int(self.d.random.choice(left)))
        return np.ascontiguousarray(self.problem.rows[chosen])

    def _slack(self, places: list[int]) -> float:
        values = self.problem.relevance
        return len(places) * self.truth.slack(values, places) + 1e-9 * self.truth.tradeoff * len(self.problem.counts)


def main() -> int:
    """Check as many problems as asked for; 1 if a bound is below the best list."""
    parser = argparse.ArgumentParser(prog="python -m hunt.bounds", description=__doc__)
    parser.add_argument("--lists", type=int, default=1000, help="how many problems at least")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="how long at most")
    parser.add_argument("--seed", type=int, default=1, help="of the first model; each model has its own")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    faults: list[str] = []
    seed, end = options.seed, time.monotonic() + options.seconds
    while counts["lists"] < options.lists and time.monotonic() < end:
        Bounds(seed, counts, faults).run()
        seed += 1
    print(json.dumps(dict(sorted(counts.items())), indent=1))
    print("\n".join(faults), file=sys.stderr)
    checked = f"{counts['lists']} lists, {counts['bounds']} bounds"
    print(f"bounds: seeds {options.seed} to {seed - 1}, {checked}; {len(faults)} below the best list")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
