# SPDX-License-Identifier: BSD-3-Clause
"""Forbidden pairs as penalties, for solvers that need finite scores.

A model that charges a penalty for each forbidden pair scores no labeling lower than the true one does, so a bound on
it is a bound on the true model. Where its best labeling uses no forbidden pair, both models agree on it. Otherwise the
penalty grows; it need not exceed what all other scores together can decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Floats, own
from hedgehop.models.base import Model
from hedgehop.models.factor_graph import FactorGraph
from hedgehop.models.pairwise import EdgeTables, PairwiseModel, PairwiseScores, SharedTable
from hedgehop.models.unary import least
from hedgehop.oracles.base import Oracle, Solver, Step
from hedgehop.oracles.folding import changed_unary, fold
from hedgehop.potentials import Potential

OnFinite = Callable[[PairwiseModel], Solver]
_FIRST_PENALTY = 16.0  # times what is at stake at one variable
_PENALTY_GROWTH = 32.0


class PenaltySolver(Solver):
    """Solves steps of a model with forbidden pairs by a solver of finite ones, which is kept.

    Parameters
    ----------
    oracle : Oracle
        Whose steps these are.
    model : PairwiseModel
        Without cliques.
    build : function of a model
        Makes the solver of a model whose pairs are all allowed.
    """

    model: PairwiseModel

    def __init__(self, oracle: Oracle, model: PairwiseModel, build: OnFinite) -> None:
        super().__init__(oracle, model)
        self._build = build
        self._penalty = _FIRST_PENALTY * model.spread / model.n_variables or 1.0
        self._solver: Solver | None = None

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Raise the penalty until the labeling found is allowed, or nothing could make up for it."""
        while True:
            if self._solver is None:
                self._solver = self._build(penalised(self.model, self._penalty))
            found = self._solver.maximize(potentials)
            rounding = found.upper_bound - found.value if found.exact else 0.0
            step = self.oracle.step(self.model, found.labeling, potentials, found.upper_bound, rounding)
            if step.value > -np.inf or self._penalty > decided_by(self.model, potentials):
                return step
            self._penalty, self._solver = _PENALTY_GROWTH * self._penalty, None

    def for_bounds(self) -> PenaltySolver:
        """Return a solver with the same penalty, which begins with what this one has learned."""
        other = PenaltySolver(self.oracle, self.model, self._build)
        other._penalty = self._penalty
        other._solver = None if self._solver is None else self._solver.for_bounds()
        return other

    def pause(self) -> None:
        """Let the solver of the finite model let go of what is large."""
        if self._solver is not None:
            self._solver.pause()


def decided_by(model: PairwiseModel, potentials: Sequence[Potential] = ()) -> float:
    """Return a number that no two allowed labelings differ by."""
    theta, _, rest = fold(model, potentials)
    unary = changed_unary(model, theta)
    ranges = np.maximum(unary.max(axis=1), -1e300) - least(unary, axis=1)
    count, pairs = len(model.edges), model.pairwise
    joint = max(0.0, pairs.ceiling(count) - pairs.floor(count))
    spans = [p.span() for p in rest]
    return float(np.maximum(ranges, 0.0).sum()) + joint + sum(s for s in spans if np.isfinite(s))


def on_finite_pairs(oracle: Oracle, model: Model, build: OnFinite) -> Solver:
    """Return ``build(model)``, or, if the model forbids pairs, a solver that builds it for finite ones."""
    assert isinstance(model, PairwiseModel)
    return PenaltySolver(oracle, model, build) if model.forbids_pairs else build(model)


def penalised(model: PairwiseModel, penalty: float) -> FactorGraph:
    """Return the model with finite pairs: forbidden ones are `penalty` below all others, or farther.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> chain = hh.Chain(np.zeros((2, 2)), [[0.0, -np.inf], [1.0, 2.0]])
    >>> penalised(chain, 10.0).pairwise.table(0, 2, 2)
    array([[  0., -12.],
           [  1.,   2.]])
    """
    other = object.__new__(FactorGraph)
    other._set(unary=model.unary, label_counts=model.label_counts, shape=(model.n_variables,), cliques=())
    other._set(_edges=model.edges, _pairwise=_finite(model.pairwise, penalty))
    return other


def _finite(pairs: PairwiseScores, penalty: float) -> PairwiseScores:
    if isinstance(pairs, SharedTable):
        flat = _charged(pairs.values.reshape(-1), np.zeros(1, np.int64), penalty)
        if flat.size == 4:
            flat = _straight(flat, pairs.values, penalty)
        return SharedTable(own(flat.reshape(pairs.values.shape)))
    assert isinstance(pairs, EdgeTables)  # Potts strengths are finite
    flat = _charged(pairs.flat, pairs.starts, penalty)
    if (pairs.columns == 2).all() and (pairs.sizes == 4).all():
        flat = _straight(flat, pairs.flat, penalty)
    return pairs.like(own(flat))


def _charged(flat: Floats, starts: NDArray[np.int64], penalty: float) -> Doubles:
    """Tables end to end; a forbidden pair is as far below the lowest allowed one as that is below the best, and more.

    So tables of two labels that preferred to agree still do.
    """
    gone = np.isneginf(flat)
    allowed = np.where(gone, np.nan, flat.astype(np.float64))
    lowest, best = (np.nan_to_num(f.reduceat(allowed, starts)) for f in (np.fmin, np.fmax))
    sizes = np.diff(np.append(starts, flat.size))
    return np.where(gone, np.repeat(2.0 * lowest - best - penalty, sizes), allowed)


def _straight(flat: Doubles, before: Floats, penalty: float) -> Doubles:
    """Tables of two labels, in which a label without any allowed pair loses the same whatever the other end does."""
    tables: Doubles = flat.reshape(-1, 2, 2)
    gone = np.asarray(np.isneginf(before)).reshape(-1, 2, 2)
    for axis in (1, 2):
        dead: NDArray[np.bool_] = np.all(gone, axis=axis, keepdims=True)
        other = np.flip(tables, 3 - axis) - penalty
        tables = np.where(dead & ~dead.all(axis=3 - axis, keepdims=True), other, tables)
    return np.asarray(tables.reshape(-1))
