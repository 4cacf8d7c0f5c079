# SPDX-License-Identifier: BSD-3-Clause
"""Which slopes of smooth balls prove most, if no labeling but those found were better: a linear program.

Its unknowns are shares beta, slopes of single variables t, steepnesses s, constants c of planes, and the best value v:

    min  sum_j beta_j . P_j + t . weights + m (sum_j c_j + v)
    c_j >= -sum_r beta_j(r) taken_r(d) - s_j . d      for some distances d, more as they turn out to matter
    v   >= r(y) / tradeoff + sum_j s_j . d_j(y) - t(y)  for the labelings y found

New names come from its multipliers, a mixture of the labelings found: each variable allows the labels that have a fair
part of the mixture. Where m times the part of a label is more than the chance of a further variable to agree, allowing
it lowers the bound; that depends on how many variables are kept, so several parts are tried.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels, own
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.ball_slopes import BallSlopes, Counts, Packed, SubsetProbabilities, outside, packed

_MOST_NAMES = 60  # that the program weighs
_TOUCHING = 14  # distances of the first planes
_FAIR_PARTS = (1.0, 1.5, 2.5)  # of 1 / m: parts of the mixture from which names allow a label
_MOST_LOST = 1e100  # tradeoffs: more than any diversity gains, and finite
_NAMING_SHARE = 1e-4  # share below which a name is left out


class BallMaster:
    """Labelings found and names, the slopes that proved most, and those that are to be asked next."""

    def __init__(self, objective: Objective, m: int, kept: SubsetProbabilities) -> None:
        self._objective, self._m, self._kept = objective, m, kept
        n, self._labels = kept.n, int(objective.model.label_counts.max())
        self.rows: Labels = np.zeros((0, n), np.int32)
        self._scores, self._taken = np.zeros(0), np.zeros((0, 0))
        self._cells: Labels = np.zeros(n, np.int32)
        self._columns, self._weights = np.zeros(0, np.int64), np.zeros(0)
        self._sets: list[Packed] = []
        self._costs: list[Doubles] = []
        self._touching: list[set[tuple[int, int]]] = []
        self._apart = np.zeros((0, 0, 2), np.int64)  # of labelings from names
        self._first = _first_distances(kept.most)
        self._last: list[Doubles] = []  # shares, singles and steepnesses that were asked last,
        self._centre: list[Doubles] = []  # and those that proved most
        self._turn = 0

    def add(self, rows: Labels) -> bool:
        """Take in labelings that are new, each of them also a name; return whether there were any."""
        seen = {row.tobytes() for row in self.rows}
        new = np.array([row for row in np.ascontiguousarray(rows, np.int32) if row.tobytes() not in seen], np.int32)
        if not len(new):
            return False
        if not len(self.rows):
            self._tell_apart(new)
        before, self.rows = len(self.rows), np.concatenate([self.rows, new])
        self._scores = np.append(self._scores, np.asarray(self._objective.model.score(new)).reshape(-1))
        self._taken = np.concatenate([self._taken.reshape(-1, self._columns.size), self._of_singles(new)])
        further = np.array([self._outside(sets, new) for sets in self._sets], np.int64)
        further = further.reshape(len(self._sets), len(new), 2).swapaxes(0, 1)
        self._apart = np.concatenate([self._apart.reshape(before, len(self._sets), 2), further])
        for row in new:
            self._name(np.arange(self._labels) == row[:, None])
        return True

    def slopes(self) -> BallSlopes:
        """Return the next slopes: those of the program, or two times of three halfway to the best ones so far."""
        shares, singles, steepness, mixture = self._solved()
        if self._centre and self._turn % 3:
            old = self._centre
            shares[: len(old[0])] += old[0]
            steepness[: len(old[2])] += old[2]
            shares, singles, steepness = shares / 2, (singles + old[1]) / 2, steepness / 2
        self._turn += 1
        shares /= np.maximum(1.0, shares.sum(axis=0))  # at most 1 in each range
        self._last = [shares, singles, steepness]
        for known, d in zip(self._touching, self._kept.touching(shares, steepness).tolist(), strict=True):
            known.add((d[0], d[1]))
        made = self._as_slopes(shares, singles, steepness)
        self._name_mixture(mixture)
        return made

    def hold(self) -> None:
        """Take note that the last slopes proved most."""
        self._centre = list(self._last)

    def _tell_apart(self, rows: Labels) -> None:
        """Variables with equal labels in the whole list share their slopes where one variable is kept."""
        _, cells = np.unique(rows, axis=1, return_inverse=True)
        self._cells = np.asarray(cells.reshape(-1), np.int32)
        self._columns = np.unique(self._cells * np.int64(self._labels) + rows)
        sizes = np.bincount(self._cells)[self._columns // self._labels]
        self._weights = self._kept.single / self._kept.n * sizes.astype(np.float64)

    def _of_singles(self, rows: Labels) -> Doubles:
        """What labelings take of the groups of single variables, (rows, columns)."""
        keys, size = self._cells * np.int64(self._labels) + rows, (int(self._cells.max()) + 1) * self._labels
        taken = [np.bincount(row, minlength=size)[self._columns] for row in keys]
        return np.array(taken, np.float64) * (self._kept.single / self._kept.n)

    def _name(self, inside: NDArray[np.bool_]) -> None:
        """Let sets of labels name slopes, if they are new and there is room."""
        sets = packed(inside)
        if any(np.array_equal(sets, known) for known in self._sets):
            return
        if len(self._sets) >= _MOST_NAMES:
            self._forget()
        self._sets.append(sets)
        self._costs.append(self._kept.costs([inside])[0])
        self._touching.append(set(self._first))
        further = self._outside(sets, self.rows)[:, None]
        self._apart = np.concatenate([self._apart.reshape(len(self.rows), -1, 2), further], axis=1)

    def _outside(self, sets: Packed, rows: Labels) -> Counts:
        return outside(sets, rows, self._kept.counted)

    def _forget(self) -> None:
        """Leave names out that have no share, those of the list and the last ones excepted."""
        names = len(self._sets)
        used = np.arange(names) >= names - _MOST_NAMES // 4
        used[: self._m] = True
        for shares in (known[0] for known in (self._last, self._centre) if known):
            used[: len(shares)] |= shares.sum(axis=1) > _NAMING_SHARE
        kept = np.flatnonzero(used)
        self._sets = [self._sets[k] for k in kept]
        self._costs = [self._costs[k] for k in kept]
        self._touching = [self._touching[k] for k in kept]
        self._apart = self._apart[:, kept]
        for known in (self._last, self._centre):
            if known:
                known[0], known[2] = (values[kept[kept < len(values)]] for values in (known[0], known[2]))

    def _name_mixture(self, mixture: Doubles) -> None:
        """Allow every variable the labels that have a fair part of the mixture, and the one that has most."""
        parts = np.zeros((self._kept.n, self._labels))
        variables = np.arange(self._kept.n)
        for k in np.flatnonzero(mixture):
            parts[variables, self.rows[k]] += mixture[k]
        for fair in _FAIR_PARTS:
            inside = parts >= fair / self._m
            inside[variables, parts.argmax(axis=1)] = True
            self._name(inside)

    def _as_slopes(self, shares: Doubles, singles: Doubles, steepness: Doubles) -> BallSlopes:
        """Leave out names that hardly have a share."""
        used = np.flatnonzero(shares.sum(axis=1) > _NAMING_SHARE)
        table = np.zeros((int(self._cells.max()) + 1, self._labels))
        table.reshape(-1)[self._columns] = singles
        sets = np.array([self._sets[k] for k in used], np.uint8).reshape(used.size, *self._sets[0].shape)
        counted, cells = own(self._kept.counted.copy()), own(self._cells.copy())
        return BallSlopes(own(sets), own(shares[used]), own(steepness[used]), counted, cells, own(table))

    def _solved(self) -> tuple[Doubles, Doubles, Doubles, Doubles]:
        """Return shares, slopes of single variables, steepnesses, and the mixture of labelings they are best for."""
        from scipy.optimize import linprog

        names, ranges, singles = len(self._sets), self._kept.ranges, self._weights.size
        costs = np.concatenate([*self._costs, self._weights, np.zeros(2 * names), np.full(names + 1, float(self._m))])
        rows, right = self._rows_of_program()
        limits = [(0.0, 1.0)] * (names * ranges + singles) + [(0.0, None)] * 2 * names + [(None, None)] * (names + 1)
        found = linprog(costs, A_ub=rows, b_ub=right, bounds=limits)
        if found.x is None:  # which leaves all slopes at 1
            zeros = np.zeros((names, ranges)), np.zeros(singles), np.zeros((names, 2))
            return *zeros, np.eye(1, len(self.rows))[0]
        shares, alone, steep = np.split(found.x, np.cumsum([names * ranges, singles, 2 * names]))[:3]
        mixture = np.maximum(0.0, -found.ineqlin.marginals[: len(self.rows)])
        steep = np.maximum(0.0, steep).reshape(names, 2) / self._kept.n
        return np.maximum(0.0, shares).reshape(names, ranges), np.clip(alone, 0.0, 1.0), steep, mixture / self._m

    def _rows_of_program(self) -> tuple[object, Doubles]:
        """Return A and b of ``A x <= b``: labelings found, planes, shares. Distances are shares of all variables."""
        from scipy import sparse

        names, n, ranges = len(self._sets), self._kept.n, self._kept.ranges
        many, planes = len(self.rows), [(j, *d) for j, known in enumerate(self._touching) for d in sorted(known)]
        place, far = np.array(planes)[:, 0], np.array(planes)[:, 1:]
        count, taken = np.arange(len(planes)), self._kept.taken(far)
        named = (place[:, None] * ranges + np.arange(ranges)).reshape(-1)
        steepest = (place[:, None] * 2 + np.arange(2)).reshape(-1)
        above = sparse.csr_matrix((-taken.reshape(-1), (np.repeat(count, ranges), named)), (count.size, names * ranges))
        steep = sparse.csr_matrix((-far.reshape(-1) / n, (np.repeat(count, 2), steepest)), (count.size, 2 * names))
        constant = sparse.csr_matrix((-np.ones(count.size), (count, place)), (count.size, names))
        rows = sparse.bmat([
            [None, -self._taken, self._apart.reshape(many, -1) / n, None, -np.ones((many, 1))],
            [above, None, steep, constant, None],
            [np.tile(np.eye(ranges), names), None, None, None, None],
        ], format="csr")  # fmt: skip
        with np.errstate(over="ignore"):
            lost = (self._scores - self._scores.max()) / self._objective.tradeoff
        lost = _without_last_digits(np.maximum(lost, -_MOST_LOST))
        return rows, np.concatenate([-lost, np.zeros(count.size), np.ones(ranges)])


def _first_distances(most: Counts) -> list[tuple[int, int]]:
    """Distances of the first planes: many of the counted variables, alone and with few of the others."""
    counted, others = (sorted({0, *np.geomspace(1, max(1, k), _TOUCHING).astype(int).tolist()}) for k in most.tolist())
    near = [(a, 0) for a in counted if a <= most[0]]
    return near + [(a, b) for a in counted[::4] for b in others[1::4] if a <= most[0] and b <= most[1]]


def _without_last_digits(lost: Doubles) -> Doubles:
    """Round to 2^-16 of the range: constants added to all scores must not decide which of several optima is found."""
    unit = 2.0 ** (np.frexp(np.abs(lost).max(initial=1e-300))[1] - 16)
    return np.asarray(np.rint(lost / unit) * unit)
