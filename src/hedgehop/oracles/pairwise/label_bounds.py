# SPDX-License-Identifier: BSD-3-Clause
"""How good a labeling with a given label at a given variable can be: what spares Lawler's partition most cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models import Model, PairwiseModel, Path
from hedgehop.oracles.base import Oracle
from hedgehop.oracles.exact.path import detours
from hedgehop.oracles.folding import changed_unary, fold, not_linear, not_pairwise
from hedgehop.oracles.pairwise.kernels import bounds_by_label, message_solver, pass_messages
from hedgehop.potentials import Potential

_PASSES_PER_BOUND = 200  # they end by themselves if nothing changes; few leave a gap that every bound inherits
_CLOSER = 1e-9  # of what is at stake: a gap that is small for all of a large grid is large for each of its variables


class LabelBounds:
    """Upper bounds on the values of all labelings with label l at variable i, (n, L).

    They are the oracle's max-marginals if it has them, else read off the messages of TRW-S, which are kept from one
    question to the next: the lower one of ``bound - max B_i + B_i(l)``, by the beliefs at the visit of a variable (see
    cpp/trws/solver.hpp), and of ``bound - max U_i + U_i(l) + reach_i``, by its own scores, whatever its edges do.
    """

    def __init__(self, model: Model, oracle: Oracle) -> None:
        self._model = model
        self._oracle = oracle
        self._solver: _core.trws.Trws | None = None

    def __call__(self, potentials: Sequence[Potential], best: Labels | None = None) -> Doubles | None:
        """Return the bounds on a step; None if there are none.

        For routes they are those of ``detours`` from the best one, which the order of a partition makes tighter.
        """
        if isinstance(self._model, Path):
            return None if best is None else detours(self._model, potentials, best)
        exact = self._oracle.max_marginals(self._model, potentials)
        if exact is not None or not_pairwise(self._model) or not_linear(self._model, potentials):
            return exact
        assert isinstance(self._model, PairwiseModel)
        theta, constant, _ = fold(self._model, potentials)
        return self._by_messages(self._model, theta) + constant

    def _by_messages(self, model: PairwiseModel, theta: Doubles | None) -> Doubles:
        if self._solver is None:
            self._solver = message_solver(model)
        bound = pass_messages(self._solver, model, theta, _PASSES_PER_BOUND, _CLOSER)[2]
        bounds = bounds_by_label(self._solver)
        scores = changed_unary(model, theta)
        allowed = scores > -np.inf
        losses = np.where(allowed, scores, 0.0) - scores.max(axis=1, keepdims=True)
        bounds = np.minimum(bounds, bound + losses + model.reaches[:, None])
        return np.where(allowed, bounds, -np.inf)
