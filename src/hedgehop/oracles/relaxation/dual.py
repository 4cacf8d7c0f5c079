# SPDX-License-Identifier: BSD-3-Clause
"""Upper bounds for steps with weights of labels, transitions and regions: TRW-S under multipliers (docs/theory.md 11).

Every choice of multipliers gives a bound; they are improved by Polyak's steps, halved where they fail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.pairwise.kernels import pair_tables, pass_messages
from hedgehop.oracles.relaxation.multipliers import Multipliers
from hedgehop.oracles.relaxation.ramps import edge_codes, edge_ramps, label_ramps, relaxed_transitions
from hedgehop.potentials import Potential, TransitionWeights

_WARM = 8  # passes for each choice of multipliers, messages kept
_COLD = 25  # the same where pairs change and messages start anew
_LARGEST_TABLES = 4_000_000  # entries of all pairs' tables, up to which transitions get multipliers of their own


def dual_bound(
    solver: _core.Trws,
    model: PairwiseModel,
    theta: Doubles | None,
    potentials: Sequence[Potential],
    labeling: Labels,
    reached: float,
    rounds: int,
) -> tuple[float, list[Labels]]:
    """Return a bound on ``max_y r(y) + theta(y) + sum of the potentials``, and labelings met on the way.

    `reached` is a value that is known to be possible, and `labeling` reaches it.
    """
    if not potentials:
        return pass_messages(solver, theta, 50)[2], []
    return descend(_Dual(solver, model, theta, potentials, labeling.reshape(-1)), lambda: reached, rounds)


class Dual(Protocol):
    """Multipliers, each choice of which gives a bound."""

    def evaluate(self) -> tuple[Labels, float]:
        """Return a labeling that is good for the present multipliers, and the bound they give."""

    def improve(self, labeling: Labels, length: float) -> bool:
        """Step against the subgradient; False where it vanishes."""


def descend(dual: Dual, reached: Callable[[], float], rounds: int) -> tuple[float, list[Labels]]:
    """Return the best bound of Polyak's steps towards what is `reached`, and labelings met on the way."""
    step, best, met = 1.0, np.inf, []
    for _ in range(rounds):
        other, bound = dual.evaluate()
        met.append(other)
        step, known = step if bound < best else step / 2, reached()
        best = min(best, bound)
        if best - known <= 1e-7 * max(1.0, abs(known)) or not dual.improve(other, step * (bound - known)):
            break
    return best, met


class _Dual:
    """Multipliers of all potentials, and the solver they change the scores of."""

    def __init__(
        self,
        solver: _core.Trws,
        model: PairwiseModel,
        theta: Doubles | None,
        potentials: Sequence[Potential],
        labeling: Labels,
    ) -> None:
        self.solver, self.model, self.theta = solver, model, theta
        self.constant = 0.0
        ramps = label_ramps(model, potentials)
        self.pairs: list[tuple[Multipliers, bool]] = []
        unary = model.unary if theta is None else model.unary + theta
        gaps = np.maximum(0.0, unary[np.arange(labeling.size), labeling][:, None] - unary)
        if self._has_tables(potentials):
            self.tables = pair_tables(model)
            for ordered in (False, True):
                edges = edge_ramps(model, potentials, ordered)
                if edges:
                    start = _edge_gaps(model, self.tables, labeling, gaps)
                    self.pairs.append((Multipliers(edges, edge_codes(model, labeling, ordered), start), ordered))
        else:
            relaxed, self.constant = relaxed_transitions(model, potentials, labeling)
            ramps += relaxed
        self.variables = Multipliers(ramps, labeling.astype(np.int64), gaps)

    def evaluate(self) -> tuple[Labels, float]:
        """Return a labeling that is good for the present multipliers, and the bound they give."""
        scores = self.variables.scores()
        theta = scores if self.theta is None else self.theta + scores
        rest = self.constant + self.variables.rest() + sum(pairs.rest() for pairs, _ in self.pairs)
        solver, passes = (self._with_tables(), _COLD) if self.pairs else (self.solver, _WARM)
        labeling, _, bound = pass_messages(solver, theta, passes)
        return labeling.reshape(-1), bound + rest

    def improve(self, labeling: Labels, length: float) -> bool:
        """Step against the subgradient; False where it vanishes."""
        parts = [(self.variables, labeling.astype(np.int64))]
        parts += [(pairs, edge_codes(self.model, labeling, ordered)) for pairs, ordered in self.pairs]
        norm = sum(multipliers.slope(codes) for multipliers, codes in parts)
        for multipliers, _ in parts if norm else ():
            multipliers.step(length / norm)
        return norm > 0

    def _has_tables(self, potentials: Sequence[Potential]) -> bool:
        """Whether transitions can have multipliers of their own."""
        model = self.model
        same = bool((model.label_counts == model.n_labels).all())
        small = len(model.edges) * model.n_labels**2 <= _LARGEST_TABLES
        return same and small and any(isinstance(p, TransitionWeights) for p in potentials)

    def _with_tables(self) -> _core.Trws:
        model, labels = self.model, self.model.n_labels
        tables = self.tables.copy()
        for multipliers, ordered in self.pairs:
            scores = multipliers.scores().reshape(tables.shape)
            tables += scores if ordered else scores + scores.transpose(0, 2, 1)
        offsets = np.arange(len(tables), dtype=np.int64) * labels**2
        columns = np.full(len(tables), labels, np.int32)
        return _core.Trws.tables(model.unary, model.label_counts, model.edges, tables.ravel(), offsets, columns)


def _edge_gaps(model: PairwiseModel, tables: Doubles, labeling: Labels, gaps: Doubles) -> Doubles:
    """What the labeling loses, at first sight, by each edge carrying each pair, (E, L * L)."""
    i, j = model.edges.T
    now = tables[np.arange(len(tables)), labeling[i], labeling[j]]
    lost = gaps[i][:, :, None] + gaps[j][:, None, :] + now[:, None, None] - tables
    return np.asarray(np.maximum(0.0, lost).reshape(len(tables), -1))
