"""Minimum cut: exact for two labels when every pair prefers to agree (ALGORITHMS 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles
from hedgehop.models.base import Model
from hedgehop.models.grid import Grid
from hedgehop.models.pairwise import PairwiseModel, Potts
from hedgehop.oracles.base import Oracle, Step, fold, not_linear
from hedgehop.oracles.kernels import pair_tables
from hedgehop.potentials import Potential

Build = Callable[[Doubles], _core.AnyFlow]
_COARSE = 1e-7  # error, against the sum of the terminals, from which a flow is built anew


class GraphCut(Oracle):
    """One minimum cut a step, on a graph that is built once and keeps its flow (C++)."""

    name = "graphcut"
    summary = "minimum cut for two labels whose pairs prefer to agree (supermodular); exact, with linear potentials"

    def start(self, model: Model) -> dict[str, Any]:
        """Room for the graph of the first step."""
        return {}

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse more than two labels, pairs that prefer to differ, cliques, and potentials that are not linear."""
        if not isinstance(model, PairwiseModel):
            return f"{type(model).__name__} has no unary and pairwise scores"
        if model.n_labels != 2 or model.cliques:
            return f"it needs two labels and no cliques; the model has {model.n_labels} labels" + (
                f" and {len(model.cliques)} cliques" if model.cliques else ""
            )
        reason = not_linear(model, potentials)
        if reason is not None or isinstance(model.pairwise, Potts):
            return reason
        bend = _bends(pair_tables(model))
        return None if (bend >= 0).all() else "some pair prefers to differ (its scores are not supermodular)"

    def preference(self, model: Model, potentials: Sequence[Potential]) -> float:
        """Exact and fast."""
        return 90.0

    def maximize(self, model: Model, potentials: Sequence[Potential], state: Any = None) -> Step:
        """Set the terminals, solve on from the last flow."""
        assert isinstance(model, PairwiseModel)
        states: dict[str, Any] = state if state is not None else {}
        if "cut" not in states:
            states["cut"] = _Cut(model)
        theta, constant, _ = fold(model, potentials)
        labeling, bound, error = states["cut"].solve(model, theta)
        step = self.step(model, labeling, potentials, bound + constant + error)
        rounding = min(2 * error, 1e-6 * max(1.0, abs(step.value))) + 1e-9 * max(1.0, abs(step.value))
        return replace(step, exact=step.upper_bound - step.value <= rounding)


class _Cut:
    """A model's graph, in the normal form of one terminal a variable and one capacity a direction of an edge."""

    def __init__(self, model: PairwiseModel) -> None:
        self.base = np.zeros((model.n_variables, 2))  # what pairs add to the unaries
        self.constant = 0.0
        self.flow: _core.AnyFlow | None = None
        if isinstance(model, Grid):
            strengths = [s.astype(np.float64) for s in model.strengths]
            self.build: Build = lambda t: _core.GridFlow(model.shape, model.connectivity, strengths, None, t)
            self.around = _around(model, np.concatenate([s.ravel() for s in strengths]))
        elif isinstance(model.pairwise, Potts):
            strengths_of = np.ascontiguousarray(model.pairwise.strengths, np.float64)
            self.build = lambda t: _core.Flow(model.n_variables, model.edges, strengths_of, None, t)
            self.around = _around(model, strengths_of)
        else:
            self._from_tables(model)

    def _from_tables(self, model: PairwiseModel) -> None:
        """``P = P00 + (P10 - P00) x_i + (P11 - P10) x_j - bend [x_i = 0, x_j = 1]`` (Kolmogorov, Zabih 2004)."""
        tables = pair_tables(model)
        i, j = model.edges.T
        self.constant = float(tables[:, 0, 0].sum())
        np.add.at(self.base[:, 1], i, tables[:, 1, 0] - tables[:, 0, 0])
        np.add.at(self.base[:, 1], j, tables[:, 1, 1] - tables[:, 1, 0])
        bend = np.maximum(0.0, _bends(tables))
        none = np.zeros_like(bend)
        self.build = lambda t: _core.Flow(model.n_variables, model.edges, bend, none, t)
        self.around = _around(model, bend)

    def solve(self, model: PairwiseModel, theta: Doubles | None) -> tuple[Any, float, float]:
        """Return the labeling, the maximum of the rounded problem, and what rounding may have changed."""
        unary = model.unary + self.base
        if theta is not None:
            unary = unary + theta
        terminals, constant = self._terminals(unary)
        flow = self._solved(terminals)
        return flow.labels(), self.constant + constant - float(flow.minimum), float(flow.error)

    def _solved(self, terminals: Doubles) -> _core.AnyFlow:
        """Solve on from the last flow; anew if its scale, chosen for other terminals, is too coarse or too fine."""
        if self.flow is not None:
            try:
                self.flow.set_terminals(terminals)
                self.flow.solve()
                if self.flow.error <= _COARSE * float(np.abs(terminals).sum()):
                    return self.flow
            except OverflowError:
                pass
        self.flow = self.build(terminals)
        self.flow.solve()
        return self.flow

    def _terminals(self, unary: Doubles) -> tuple[Doubles, float]:
        """Cost of label 1 against label 0; a forbidden label costs more than all edges around can save."""
        allowed = np.isfinite(unary)
        scores = np.where(allowed, unary, 0.0)
        zero = np.where(allowed[:, 0], scores[:, 0], scores[:, 1] - self.around)
        one = np.where(allowed[:, 1], scores[:, 1], scores[:, 0] - self.around)
        return np.ascontiguousarray(zero - one), float(zero.sum())


def _bends(tables: Doubles) -> Doubles:
    """How much a pair prefers to agree; nan where pairs are forbidden, which no comparison passes."""
    with np.errstate(invalid="ignore"):
        return np.asarray(tables[:, 0, 0] + tables[:, 1, 1] - tables[:, 0, 1] - tables[:, 1, 0])


def _around(model: PairwiseModel, capacities: Doubles) -> Doubles:
    """More than the sum of the capacities at each variable."""
    total = np.ones(model.n_variables)
    for end in model.edges.T:
        total += np.bincount(end, weights=2.0 * capacities, minlength=model.n_variables)
    return total
