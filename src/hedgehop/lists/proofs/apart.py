# SPDX-License-Identifier: BSD-3-Clause
"""What labelings that must differ are worth at most together (docs/list_dual.md).

Slopes prove ``F(T) <= constant + sum of v(y) over the labelings y of T``, v = relevance plus potentials. Where any two
labelings of T differ in at least d variables, the sum is less than m times the best v:

- of known labelings that are pairwise nearer than d, T holds one at most, and all others are worth at most u, the
  bound of one step that excludes the known ones; so the sum is at most that of the m largest of the best known
  values, one per clique, and of copies of u;
- of a ball with radius (d - 1) // 2 around any labeling, T also holds one at most. Balls are taken away one by one:
  with u_j the bound of a step outside the first j balls, the sum is at most ``u_0 + u_1 + ... + u_(m - 1)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels, own
from hedgehop._errors import InfeasibleError, UnsupportedError
from hedgehop.lists.proofs.bounds import Arrays
from hedgehop.oracles.base import Solver, Step
from hedgehop.potentials import Potential, total_value

_MOST_VARIABLES = 500  # up to which single labelings are excluded without max-marginals, by a step per cell


@dataclass(frozen=True, eq=False)
class SumBound:
    """No m labelings that keep their distance are worth more than `bound`; how that is proven, and what it cost.

    `exact`: whether the best labeling of all was found, so that other slopes alone prove more.
    """

    bound: float
    arrays: Arrays
    labelings: Labels
    calls: int
    exact: bool


@dataclass(frozen=True, eq=False)
class ListsApart:
    """Lists of m labelings of which any two differ in at least `distance` variables; 0: in none."""

    solver: Solver
    m: int
    distance: int

    @property
    def radius(self) -> int:
        """Of balls that hold one labeling of a list at most."""
        return (self.distance - 1) // 2

    def bound_on_sum(self, potentials: Sequence[Potential], known: Labels, enough: float | None = None) -> SumBound:
        """Bound the sum of relevance plus potentials over a list, by one step and further ones if they may help.

        Further steps are solved if the best labeling is a `known` one, or next to it, and more than `enough` may be
        gained; without `enough` wherever labelings must differ. A best labeling that is new says where to look.
        """
        nearest = self.solver.step(potentials)
        new = enough is not None and self._is_new(nearest, known)
        if not self.distance or new or not self._can_exclude_single_ones(potentials):
            return SumBound(self.m * nearest.upper_bound, {}, _flat(nearest), 1, nearest.exact)
        if self.radius:
            return self._without_balls(potentials, nearest, enough or 0.0)
        pool = np.concatenate([known, _flat(nearest)])
        cliques = self._cliques(pool, self._values(potentials, pool))
        possible = sum(max(clique.values) for clique in cliques) if len(cliques) == self.m else -np.inf
        if self.m * nearest.upper_bound - possible <= (enough or 0.0):
            return SumBound(self.m * nearest.upper_bound, {}, _flat(nearest), 1, nearest.exact)
        rows = own(pool[[k for clique in cliques for k in clique.places]])
        most, other = self._without(potentials, rows, nearest)
        found = [_flat(nearest)] if other is None else [_flat(nearest), _flat(other)]
        return SumBound(most, {"apart": rows}, np.concatenate(found), 2, nearest.exact)

    def proven(self, potentials: Sequence[Potential], arrays: Arrays) -> float:
        """Return what `bound_on_sum` proves with given labelings taken away: the arrays of what it returned."""
        nearest, rows = self.solver.step(potentials), arrays.get("apart")
        if rows is None or not self.distance:
            return self.m * nearest.upper_bound
        if self.radius:
            return self._nested(potentials, nearest, rows)
        return self._without(potentials, rows, nearest)[0]

    def _can_exclude_single_ones(self, potentials: Sequence[Potential]) -> bool:
        """Whether steps outside single labelings may be worth their time: large models have others as good."""
        if self.radius or self.solver.model.n_variables <= _MOST_VARIABLES:
            return True
        return self.solver.oracle.max_marginals(self.solver.model, potentials) is not None

    def _is_new(self, nearest: Step, known: Labels) -> bool:
        return bool(_core.counts.hamming(_flat(nearest), known).min() > self.radius)

    def _without(self, potentials: Sequence[Potential], rows: Labels, nearest: Step) -> tuple[float, Step | None]:
        """Bound the sum, given the values of some labelings: one step that excludes them."""
        other = self._outside(potentials, rows, 1, nearest)
        rest = nearest.upper_bound if other is None else min(nearest.upper_bound, other.upper_bound)
        best = sorted(max(clique.values) for clique in self._cliques(rows, self._values(potentials, rows)))
        return float(sum(sorted([*best, *[rest] * self.m], reverse=True)[: self.m])), other

    def _cliques(self, rows: Labels, values: Doubles) -> list[_Clique]:
        """Group the best labelings, until there are m groups, so that no two of a group keep their distance."""
        cliques: list[_Clique] = []
        near = _core.counts.hamming(rows, rows) < self.distance
        seen: set[bytes] = set()
        for k in np.argsort(-values, kind="stable").tolist():
            if rows[k].tobytes() in seen:
                continue
            own_clique = next((clique for clique in cliques if near[k, clique.places].all()), None)
            if own_clique is None:
                if len(cliques) == self.m:
                    break
                cliques.append(own_clique := _Clique([], []))
            seen.add(rows[k].tobytes())
            own_clique.places.append(k)
            own_clique.values.append(float(values[k]))
        return cliques

    def _without_balls(self, potentials: Sequence[Potential], nearest: Step, enough: float) -> SumBound:
        """Take balls away one by one, around the best labelings that are left."""
        centres, bounds, calls = [nearest.labeling.reshape(-1)], [nearest.upper_bound], 1
        while len(bounds) < self.m:
            step = self._outside(potentials, np.array(centres), self.radius + 1, nearest)
            calls += 1
            bounds.append(bounds[-1] if step is None else min(bounds[-1], step.upper_bound))
            if step is None or (bounds[-2] - bounds[-1]) * (self.m + 1 - len(bounds)) <= enough:
                break
            centres.append(step.labeling.reshape(-1))
        rows = own(np.array(centres, np.int32))
        return SumBound(self._sum(bounds), {"apart": rows[: len(bounds) - 1]}, rows, calls, nearest.exact)

    def _nested(self, potentials: Sequence[Potential], nearest: Step, rows: Labels) -> float:
        bounds = [nearest.upper_bound]
        for k in range(1, min(self.m, len(rows) + 1)):
            step = self._outside(potentials, rows[:k], self.radius + 1, nearest)
            bounds.append(bounds[-1] if step is None else min(bounds[-1], step.upper_bound))
        return self._sum(bounds)

    def _sum(self, bounds: Sequence[float]) -> float:
        return float(sum(bounds)) + (self.m - len(bounds)) * bounds[-1]

    def _outside(self, potentials: Sequence[Potential], rows: Labels, distance: int, nearest: Step) -> Step | None:
        """Solve a step at a distance; None if that finds nothing, which proves nothing."""
        try:
            return self.solver.step_apart(potentials, list(rows), distance, nearest)
        except (InfeasibleError, UnsupportedError):
            return None

    def _values(self, potentials: Sequence[Potential], rows: Labels) -> Doubles:
        scores = np.asarray(self.solver.model.score(rows), np.float64).reshape(len(rows))
        return np.asarray(scores + total_value(self.solver.model, potentials, rows))


@dataclass(frozen=True)
class _Clique:
    """Places and values of known labelings of which a list holds one at most."""

    places: list[int]
    values: list[float]


def _flat(step: Step) -> Labels:
    return np.ascontiguousarray(step.labeling.reshape(1, -1), np.int32)
