# SPDX-License-Identifier: BSD-3-Clause
"""Solvers of the training problem by name, and what the estimators that they train have in common."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from hedgehop._arrays import Labels, number, positive_count
from hedgehop.diversity.base import Diversity
from hedgehop.learning.cutting_planes import n_slack, one_slack
from hedgehop.learning.frank_wolfe import frank_wolfe
from hedgehop.learning.training import Training
from hedgehop.learning.training_state import TrainingState, watch
from hedgehop.lists.result import DiverseList
from hedgehop.lists.selection import best, diverse
from hedgehop.lists.tradeoff import TradeoffLike
from hedgehop.models import UnaryModel
from hedgehop.oracles.base import Oracle
from hedgehop.oracles.registry import OracleLike, get

_SOLVERS = {"bcfw": frank_wolfe, "one-slack": one_slack, "n-slack": n_slack}


def check_settings(solver: str, C: float, tol: float, max_iter: int) -> None:
    """Refuse settings that no solver can take."""
    if solver not in _SOLVERS:
        raise ValueError(f"solver must be one of {', '.join(map(repr, _SOLVERS))}; got {solver!r}.")
    number(C, "C", low=0.0, strict=True)
    number(tol, "tol", low=0.0, strict=True)
    positive_count(max_iter, "max_iter")


def trained(training: Training, solver: str, C: float, tol: float, max_iter: int, progress: bool) -> TrainingState:
    """Return the best weights; warn users of ``fit`` if the gap is not closed."""
    found = _SOLVERS[solver](training, float(C), tol, max_iter, watch(tol, progress))
    if found.gap > tol:
        warnings.warn(
            f"the gap is {found.gap:.2%} after {found.iterations} iterations, above tol={tol:g}. Use a larger "
            "max_iter or tol, a smaller C, or features of similar size.",
            ConvergenceWarning,
            stacklevel=4,
        )
    return found


class StructuredEstimator(BaseEstimator, ABC):  # type: ignore[misc]
    """Makes a model of each input, and answers with its labelings."""

    oracle: OracleLike
    _method = "greedy"  # of lists

    @abstractmethod
    def models(self, X: Sequence[Any]) -> Sequence[UnaryModel]:
        """Return the model of each input."""

    def predict(self, X: Sequence[Any]) -> list[Labels]:
        """Return the best labeling of each input: of sentences, the heads of the words."""
        return [best(model, oracle=self._oracle()).labeling for model in self.models(X)]

    def predict_diverse(
        self,
        X: Sequence[Any],
        m: int = 5,
        diversity: Diversity | None = None,
        tradeoff: TradeoffLike = "auto",
        **options: Any,
    ) -> list[DiverseList]:
        """Return a diverse list of m labelings of each input; options go to :func:`hedgehop.diverse`."""
        options = {"oracle": self.oracle, "method": self._method} | options
        return [diverse(model, diversity, m, tradeoff, **options) for model in self.models(X)]

    def _oracle(self) -> Oracle:
        return get(self.oracle)
