"""Max-sum on forests: exact in one pass over the edges, O(n L) for Potts and O(n L^2) for tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles
from hedgehop._errors import InfeasibleError
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel, Potts
from hedgehop.oracles.base import Oracle, Step, changed_unary, fold, not_linear, not_pairwise
from hedgehop.oracles.kernels import edge_tables
from hedgehop.potentials import Potential


class Tree(Oracle):
    """Dynamic programming on models whose edges form a forest (C++)."""

    name = "tree"
    summary = "max-sum on forests (chains, trees, no edges); exact, with linear potentials"

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse cycles, cliques and potentials that are not linear."""
        reason = not_pairwise(model) or not_linear(model, potentials)
        return reason or (None if _is_forest(model) else "the model's edges contain a cycle")

    def preference(self, model: Model, potentials: Sequence[Potential]) -> float:
        """Exact in linear time: nothing is better."""
        return 100.0

    def maximize(self, model: Model, potentials: Sequence[Potential], state: Any = None) -> Step:
        """One pass up, one pass down."""
        assert isinstance(model, PairwiseModel)
        theta, constant, _ = fold(model, potentials)
        labeling, value = _argmax(model, changed_unary(model, theta))
        if value == -np.inf:
            raise InfeasibleError("no labeling is allowed: every one meets a score of -inf.")
        return self.step(model, labeling, potentials, value + constant)

    def max_marginals(self, model: Model, potentials: Sequence[Potential]) -> Doubles | None:
        """One pass up, one pass down."""
        if self.refusal(model, potentials) is not None:
            return None
        assert isinstance(model, PairwiseModel)
        theta, constant, _ = fold(model, potentials)
        return _max_marginals(model, changed_unary(model, theta)) + constant


def _max_marginals(model: PairwiseModel, unary: Doubles) -> Doubles:
    pairwise = model.pairwise
    if isinstance(pairwise, Potts):
        strengths = np.ascontiguousarray(pairwise.strengths, np.float64)
        return _core.forest_max_marginals_potts(unary, model.edges, strengths)
    flat, offsets, columns = edge_tables(model)
    return _core.forest_max_marginals_tables(unary, model.label_counts, model.edges, flat, offsets, columns)


def _is_forest(model: Model) -> bool:
    if not isinstance(model, PairwiseModel):
        return False
    edges = model.edges
    return len(edges) < model.n_variables and _core.is_forest(model.n_variables, edges)


def _argmax(model: PairwiseModel, unary: Doubles) -> tuple[Any, float]:
    pairwise = model.pairwise
    if isinstance(pairwise, Potts):
        return _core.forest_argmax_potts(unary, model.edges, np.ascontiguousarray(pairwise.strengths, np.float64))
    flat, offsets, columns = edge_tables(model)
    return _core.forest_argmax_tables(unary, model.label_counts, model.edges, flat, offsets, columns)
