# SPDX-License-Identifier: BSD-3-Clause
"""Minimum cut: exact for two labels when every pair prefers to agree."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property, partial

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.base import Model
from hedgehop.models.grid import Grid
from hedgehop.models.pairwise import PairwiseModel, Potts
from hedgehop.oracles.base import Oracle, Solver, Step, better
from hedgehop.oracles.folding import fold, not_linear
from hedgehop.oracles.pairwise.cuts import Build, KeptFlow, Terminals, in_64_bits, straightened
from hedgehop.oracles.pairwise.kernels import pair_tables
from hedgehop.oracles.penalties import PenaltySolver
from hedgehop.potentials import Linear, Potential

_FINE = 1e-6  # of what is at stake: a larger error of rounding may hide the best labeling


class GraphCut(Oracle):
    """One minimum cut per step, on a graph that is built once and keeps its flow (C++).

    Examples
    --------
    >>> import hedgehop as hh
    >>> image = hh.Grid([[[0.0, 1.0], [0.2, 0.0]]], smoothness=0.5)
    >>> hh.best(image, oracle=hh.oracles.GraphCut()).labeling
    array([[1, 1]], dtype=int32)
    """

    name = "graphcut"
    summary = "minimum cut for two labels whose pairs prefer to agree (supermodular); exact, with linear potentials"

    def on(self, model: Model) -> CutSolver:
        """Return a solver that keeps its graph and flow."""
        return CutSolver(self, model)

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse more than two labels, pairs that prefer to differ, cliques, and potentials that are not linear."""
        if not isinstance(model, PairwiseModel):
            return f"{type(model).__name__} has no unary and pairwise scores"
        if model.n_labels != 2 or model.cliques:
            return f"it needs two labels and no cliques; the model has {model.n_labels} labels" + (
                f" and {len(model.cliques)} cliques" if model.cliques else ""
            )
        reason = not_linear(model, potentials)
        if reason is not None or isinstance(model, Grid) or isinstance(model.pairwise, Potts):
            return reason
        return None if model.prefers_agreement else "some pair prefers to differ (its scores are not supermodular)"


class CutSolver(Solver):
    """Keeps the graph of a model, and its last flow."""

    model: PairwiseModel

    def __init__(self, oracle: Oracle, model: Model, fine: float | None = None) -> None:
        super().__init__(oracle, model)
        self._fine = fine  # errors of rounding up to this are small; by default a share of what is at stake

    @cached_property
    def _cut(self) -> _Cut:
        return _Cut(self.model)

    @cached_property
    def _penalised(self) -> PenaltySolver | None:
        """What solves steps with forbidden pairs; None if there are none."""
        if not self.model.forbids_pairs:
            return None
        fine = _FINE * self.model.spread
        return PenaltySolver(self.oracle, self.model, lambda finite: CutSolver(self.oracle, finite, fine))

    def for_bounds(self) -> CutSolver:
        """Return a solver that begins with the same flow."""
        other = CutSolver(self.oracle, self.model, self._fine)
        if "_cut" in self.__dict__:
            other.__dict__["_cut"] = self._cut.copy()
        if self._penalised is not None:
            other.__dict__["_penalised"] = self._penalised.for_bounds()
        return other

    def best_and_bound(self, theta: Doubles) -> tuple[Labels, float]:
        """Return a best labeling of the changed scores and a bound on its score, which is not summed up."""
        if self._ordinary is None and self._penalised is None:
            labeling, bound, error = self._cut.solve(theta)
            if error <= _FINE * self.model.spread:
                return labeling, bound + error
        step = self.step([Linear(theta)])
        return step.labeling.reshape(-1), step.upper_bound

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Set the terminals, solve on from the last flow."""
        if self._penalised is not None:
            return self._penalised.maximize(potentials)
        theta, constant, _ = fold(self.model, potentials)
        labeling, bound, error = self._cut.solve(theta)
        step = self.oracle.step(self.model, labeling, potentials, bound + constant + error, error)
        if error <= self._fine if self._fine is not None else step.exact or error <= _FINE * self.model.spread:
            return step
        labeling, bound, error = self._cut.solve_widely(theta)
        return better(
            self.model, step, self.oracle.step(self.model, labeling, potentials, bound + constant + error, error)
        )


class _Cut:
    """A model's graph, in the normal form of one terminal per variable and one capacity per direction of an edge."""

    def __init__(self, model: PairwiseModel) -> None:
        base: Doubles | None = None  # what pairs add to the unaries
        self.constant = 0.0
        if isinstance(model, Grid):
            build: Build = partial(_core.flow.GridFlow, model.shape, model.connectivity, model.strengths, None)
            around = model.reaches
        elif isinstance(model.pairwise, Potts):
            capacities = np.ascontiguousarray(model.pairwise.strengths, np.float64)
            build = partial(_core.flow.Flow, model.n_variables, model.edges, capacities, None)
            around = model.reaches
        else:
            base, self.constant = straightened(model, pair_tables(model))
            capacities = np.maximum(0.0, model.pairwise.bends(len(model.edges)))
            none = np.zeros_like(capacities)  # [x_i = 0, x_j = 1] is the way back where sides are exchanged
            build = partial(_core.flow.Flow, model.n_variables, model.edges, none, capacities)
            around = _core.scores.reaches(model.n_variables, model.edges, capacities)
        self.flow = KeptFlow(build)
        self.terminals = Terminals(model, around, 1, base)  # of label 0 against 1: ties go to label 0
        self._model, self._is_potts = model, base is None

    def copy(self) -> _Cut:
        """The same graph with a flow of its own."""
        other = copy(self)
        other.flow = self.flow.copy()
        return other

    def solve_widely(self, theta: Doubles | None) -> tuple[Labels, float, float]:
        """Return the same in 64 bits."""
        costs, constant, _ = self.terminals.of(theta)
        bends = np.maximum(0.0, self._model.pairwise.bends(len(self._model.edges)))
        capacities = bends / 2.0 if self._is_potts else bends  # an edge that counts both ways counts half each way
        labels, minimum, error = in_64_bits(self._model, capacities, self._is_potts, costs)
        return 1 - labels, self.constant + constant - minimum, error

    def solve(self, theta: Doubles | None) -> tuple[Labels, float, float]:
        """Return the labeling, the maximum of the rounded problem, and what rounding may have changed."""
        costs, constant, size = self.terminals.of(theta)
        flow = self.flow.solved(costs, size)
        labels = flow.labels(sink=False)
        return labels, self.constant + constant - float(flow.minimum), float(flow.error)
