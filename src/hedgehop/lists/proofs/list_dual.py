# SPDX-License-Identifier: BSD-3-Clause
"""The list dual, minimised over slopes by a proximal bundle method (docs/list_dual.md).

For any slopes s, with ``l(y)`` = relevance plus tradeoff times parsimony,

    F(T) <= tradeoff * sum_g a_g h*(s_g) + m * max_y [ l(y) + tradeoff * sum of a_g s_g over the groups of y ]

The maximum is an ordinary step, and the upper bound of an inexact one keeps the inequality. The labelings found are the
planes of the bundle; the master problem over their mixtures is solved by ``_core.counts.slope_master``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels, key_of, own
from hedgehop.diversity.lines import MESSAGE_ITERATIONS, GroupLines, Slopes, VariableLines, joined, side_by_side
from hedgehop.lists.proofs.apart import ListsApart
from hedgehop.lists.proofs.bounds import Arrays, BoundMethod, FoundBound, Problem, on_grid
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.exact.tree import Tree
from hedgehop.oracles.exactness import meets, stake
from hedgehop.potentials import Potential

_MOVES = 500  # of the master problem's mixture
_SERIOUS_SHARE = 0.1  # of what was predicted: a smaller gain leaves the slopes where they are held
_NEEDLESS = 0.02  # of what is open: what labelings that must differ have to lower the bound by, to be asked for
_NEGLIGIBLE_STAKE = 1e-12  # of what is at stake: a gap that need not be closed
_LEAST_UNIT = 2.0**-100  # of what is at stake: smaller tradeoffs are no unit
_IDLE_CALLS = 4  # calls in a row that bring neither a new labeling nor a much better bound

Families = Sequence[tuple[float, GroupLines]]


def find(problem: Problem) -> Iterator[FoundBound] | None:
    """Yield a bound per step solved; None where a list is one labeling, or its diversity has no known lines.

    If easier steps bound the diversity as well, harder ones are left as soon as one is not exact.
    """
    families = _families(problem)
    if families is None:
        return None
    if _families(problem, relaxed=True) is not None:
        return _while_exact(ListDual(problem, families))
    return _bounds(problem, families)


def find_relaxed(problem: Problem) -> Iterator[FoundBound] | None:
    """Yield a bound per step solved for a diversity that is nowhere below this one; None if none is known."""
    families = _families(problem, relaxed=True)
    return None if families is None else ListDual(problem, families).bounds()


def check(problem: Problem, arrays: Arrays, relaxed: bool = False) -> float:
    """Return the bound that slopes prove: one step, a few if labelings must differ."""
    families = _families(problem, relaxed)
    if families is None:
        raise ValueError("slopes prove nothing here: no lines of this diversity are known.")
    slopes = [_part(arrays, k) for k in range(len(families))]
    apart = ListsApart(problem.solver, problem.m, problem.distance)
    return _worth(families, slopes) + apart.proven(_potentials(families, slopes), arrays)


SLOPES = BoundMethod("slopes", find, check)
RELAXED = BoundMethod("relaxed slopes", find_relaxed, partial(check, relaxed=True))


def _bounds(problem: Problem, families: Families) -> Iterator[FoundBound]:
    """Yield bounds until nothing is left to gain: by a kernel of whole rounds as long as one serves."""
    (factor, lines), objective = families[0], problem.objective
    dual = None
    if len(families) == 1 and isinstance(lines, VariableLines):
        dual = _forest_dual(problem, factor, lines, _unit(problem))
    if dual is None:
        yield from ListDual(problem, families).bounds()
        return
    settled = False
    while dual.stuck < _IDLE_CALLS and not settled:
        yield forest_round(dual)
        settled = _is_settled(objective.model, dual.lower, dual.best)
        if problem.distance and dual.exceeds and (settled or not dual.found_new):
            yield from ListDual(problem, families, dual).bounds()  # the kernel does not know that labelings must differ
            return


def _forest_dual(problem: Problem, factor: float, lines: VariableLines, unit: float) -> _core.counts.ForestDual | None:
    """Return the kernel's search for slopes of ``factor * D``; None if it does not apply to a problem."""
    model, weights = problem.objective.model, lines.variable_weights
    at_stake = stake(model) or 0.0
    if not isinstance(model, PairwiseModel) or model.cliques or weights is None or not 0.0 < at_stake < np.inf:
        return None
    if not isinstance(problem.solver.linear_oracle, Tree) or problem.distance > 2:
        return None
    weights, scores = factor * weights, problem.objective.modular(problem.rows)
    if not 0.0 < weights.max() < np.inf or not np.isfinite(scores).all():
        return None
    unary = np.ascontiguousarray(model.unary, np.float64)
    constant = factor * lines.constant
    return _core.counts.ForestDual(
        unary, model.pairs, weights, lines.h, problem.rows, scores, at_stake, unit, constant, MESSAGE_ITERATIONS
    )


def forest_round(dual: _core.counts.ForestDual) -> FoundBound:
    """Return what one more round proves."""
    value, (cells, slopes), labeling, beginning = dual.round()
    return FoundBound(value, {"cells_0": own(cells), "slopes_0": own(slopes)}, own(labeling), own(beginning))


class ListDual:
    """Labelings found so far, the slopes that proved most, and how tightly further ones are held near them.

    It may go on from what a kernel has `begun`.
    """

    def __init__(self, problem: Problem, families: Families, begun: _core.counts.ForestDual | None = None) -> None:
        self._problem, self._families = problem, families
        self._apart = ListsApart(problem.solver, problem.m, problem.distance)
        self._rows: dict[bytes, Labels] = {}
        self._scores: list[float] = []
        self._clusters: list[int] = []
        self._mixture = np.zeros(0)
        factor, lines = families[0]
        if begun is not None and isinstance(lines, VariableLines):
            lines.begin_at(*begun.held())
        placed = begun is not None or (len(families) == 1 and lines.begin(factor))
        for row in problem.rows:
            self._add(row)
            self._mixture[list(self._rows).index(key_of(row))] += 1.0 / problem.m
        for row in () if begun is None else begun.known():
            self._add(row)
        if not placed:
            for _, lines in families:
                lines.start(problem.rows)
        self._best, self._lower = (np.inf, -np.inf) if begun is None else (begun.best, begun.lower)
        self._stake = stake(problem.objective.model) or float(np.ptp(self._scores))
        self._hold, self._tolerance, self._stuck = 1.0, 0.02, 0
        self.exact = True  # whether the last step was
        self._capped = False  # only lists that must differ have limits, and only some of these feel them
        if begun is not None and self._settled():
            self._cap()

    def bounds(self) -> Iterator[FoundBound]:
        """Yield bounds until nothing is left to gain."""
        while self._stuck < _IDLE_CALLS and not self._settled():
            slopes, predicted = self._master()
            potentials = _potentials(self._families, slopes)
            apart = self._apart if self._capped or self._exceeds else replace(self._apart, distance=0)
            known = np.array(list(self._rows.values())[: len(self._rows) if apart.distance else 1])
            found = apart.bound_on_sum(potentials, known, _NEEDLESS * self._open)
            value, self.exact = _worth(self._families, slopes) + found.bound, found.exact
            self._learn(slopes, value, predicted, found.labelings)
            if not self._capped and (found.calls > 1 or (self._settled() and self._exceeds)):
                self._cap()
            yield FoundBound(
                value, {**_named(slopes), **found.arrays}, found.labelings, self._whole_part(), found.calls
            )

    def _settled(self) -> bool:
        """Whether the mixture is worth as much as the bound."""
        return _is_settled(self._problem.objective.model, self._lower, self._best)

    @property
    def _open(self) -> float:
        """How far bound and mixture are from each other; 0 as long as that is not known."""
        gap = max(self._best - self._lower, 0.0)
        return gap if isfinite(gap) else 0.0

    @property
    def _exceeds(self) -> bool:
        """Whether the mixture has more of a labeling, or of a ball, than a list that must differ may hold."""
        shares = np.bincount(self._clusters, self._mixture)
        return self._problem.distance > 0 and bool(shares.max() > (1.0 + 1e-6) / self._problem.m)

    def _cap(self) -> None:
        """Allow no more than that from now on, beginning with the list; what mixtures are worth is another question."""
        self._capped, self._lower = True, -np.inf
        self._hold, self._tolerance, self._stuck = 1.0, 0.02, 0
        self._mixture = np.zeros(len(self._rows))
        self._mixture[: self._problem.m] = 1.0 / self._problem.m

    def _master(self) -> tuple[list[Slopes], float]:
        """Return the slopes of the best mixture, and what they would prove if no other labeling were better."""
        columns = [lines.columns() for _, lines in self._families]
        factors = [factor for factor, _ in self._families]
        sizes = [part.weights.size for part in columns]
        unit, top = self._unit, max(self._scores)
        scores = on_grid((np.array(self._scores) - top) / unit, self._stake / unit)
        starts, groups = joined(columns)
        weights = side_by_side([f / unit * part.weights for f, part in zip(factors, columns, strict=True)])
        m, constant = self._problem.m, sum(f * lines.constant for f, lines in self._families)
        mixture, slopes, predicted, worth = _core.counts.slope_master(
            starts, groups, weights, side_by_side([part.centre for part in columns]),
            np.repeat(np.arange(len(sizes), dtype=np.int32), sizes), np.array([lines.h for _, lines in self._families]),
            np.array([self._hold * _stiffness(lines) for _, lines in self._families]),
            scores, self._mixture, self._enough(weights), _MOVES,
            np.array(self._clusters if self._capped else (), np.int32),
        )  # fmt: skip
        self._mixture = mixture
        self._lower = max(self._lower, unit * worth + constant + m * top)
        parts = np.split(slopes, np.cumsum(sizes)[:-1])
        spread = [lines.spread(part) for (_, lines), part in zip(self._families, parts, strict=True)]
        return spread, unit * predicted + constant + m * top

    @property
    def _unit(self) -> float:
        return _unit(self._problem, self._stake)

    def _enough(self, weights: Doubles) -> float:
        """How exactly the master problem is to be solved: a small share of what is open, roughly."""
        gap = self._best - self._lower
        if isfinite(gap):
            open_gap = max(gap, _NEGLIGIBLE_STAKE * self._problem.m * self._stake)
            enough = self._tolerance * (open_gap / self._unit) / self._problem.m
            return float(2.0 ** (np.frexp(enough)[1] - 1))  # the last digits of a gap must not steer the search
        steep = max(float(np.ptp(lines.rises)) for _, lines in self._families)
        return 1e-3 * float(weights.sum()) * steep / self._problem.m

    def _learn(self, slopes: list[Slopes], value: float, predicted: float, labelings: Labels) -> None:
        """Hold later slopes near these if they proved enough; take note of the labelings."""
        hoped = self._best - predicted
        serious = not isfinite(self._best) or value < self._best - _SERIOUS_SHARE * max(hoped, 0.0)
        if serious:
            for (_, lines), part in zip(self._families, slopes, strict=True):
                lines.hold(part)
        if isfinite(hoped) and serious and value < predicted + 0.5 * hoped:
            self._hold = max(self._hold / 2.0, 1.0 / 50.0)
        elif isfinite(hoped) and not serious:
            self._hold = min(self._hold * 1.25, 8.0)
        self._best = min(self._best, value)
        new = sum(self._add(labeling) for labeling in labelings) > 0
        self._stuck = 0 if new or serious else self._stuck + 1
        if self._stuck:  # the master was too coarse, or held too tight
            self._tolerance, self._hold = max(self._tolerance / 10.0, 1e-7), max(self._hold / 3.0, 1.0 / 50.0)

    def _add(self, labeling: Labels) -> bool:
        """Take note of a labeling; return whether it is new."""
        key = key_of(labeling)
        if key in self._rows:
            return False
        objective = self._problem.objective
        parsimony = float(objective.diversity.parsimony_of(objective.model, labeling[None])[0])
        self._clusters.append(self._cluster(labeling))
        self._rows[key] = labeling
        relevance = np.asarray(objective.model.score(labeling[None])).item()  # one row of a one-row grid is a labeling
        self._scores.append(float(relevance) + objective.tradeoff * parsimony)
        self._mixture = np.append(self._mixture, 0.0)
        for _, lines in self._families:
            lines.add(labeling)
        return True

    def _cluster(self, labeling: Labels) -> int:
        """Return the first labeling that no list with limits holds beside this one, or its own place."""
        if self._apart.radius < 1:
            return len(self._rows)
        first = np.unique(self._clusters).astype(int)
        centres = np.array(list(self._rows.values()), np.int32).reshape(-1, labeling.size)[first]
        near = np.flatnonzero(_core.counts.hamming(labeling[None], centres)[0] <= self._apart.radius)
        return int(first[near[0]]) if near.size else len(self._rows)

    def _whole_part(self) -> Labels:
        whole = np.floor(self._problem.m * self._mixture + 1e-9).astype(np.int64)
        none = np.zeros((0, self._problem.rows.shape[1]), np.int32)
        rows = [np.repeat(row[None], k, axis=0) for row, k in zip(self._rows.values(), whole, strict=True) if k]
        return own(np.concatenate([none, *rows]))


def _is_settled(model: Model, lower: float, best: float) -> bool:
    return isfinite(best - lower) and meets(model, lower, best)


def _unit(problem: Problem, at_stake: float | None = None) -> float:
    """What the master problem's numbers are divided by, so that units of the scores cannot steer the search."""
    at_stake = stake(problem.objective.model) if at_stake is None else at_stake
    return max(problem.objective.tradeoff, _LEAST_UNIT * (at_stake or 0.0))


def _while_exact(bundle: ListDual) -> Iterator[FoundBound]:
    for found in bundle.bounds():
        yield found
        if not bundle.exact:
            return


def _families(problem: Problem, relaxed: bool = False) -> Families | None:
    objective, diversity = problem.objective, problem.objective.diversity
    if problem.m < 2 or objective.tradeoff <= 0:
        return None
    families = (diversity.relaxed_lines if relaxed else diversity.lines)(objective.model, problem.m)
    return None if families is None else [(objective.tradeoff * factor, lines) for factor, lines in families]


def _stiffness(lines: GroupLines) -> float:
    steep = float(np.ptp(lines.rises))
    return (lines.h.size - 1) / max(steep, 1e-9 * max(1.0, float(np.abs(lines.rises).max())))


def _worth(families: Families, slopes: Sequence[Slopes]) -> float:
    return sum(factor * lines.worth(part) for (factor, lines), part in zip(families, slopes, strict=True))


def _potentials(families: Families, slopes: Sequence[Slopes]) -> list[Potential]:
    pairs = zip(families, slopes, strict=True)
    return [p for (factor, lines), part in pairs for p in lines.potentials(part, factor)]


def _named(slopes: Sequence[Slopes]) -> Arrays:
    """Slopes of all families in one table of arrays."""
    return {f"{name}_{k}": array for k, part in enumerate(slopes) for name, array in part.items()}


def _part(arrays: Arrays, k: int) -> Slopes:
    """Slopes of one family."""
    return {name.removesuffix(f"_{k}"): array for name, array in arrays.items() if name.endswith(f"_{k}")}
