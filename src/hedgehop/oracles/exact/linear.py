# SPDX-License-Identifier: BSD-3-Clause
"""What the oracles of structures share: one solver call with changed scores, exact for linear potentials."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop._errors import InfeasibleError
from hedgehop.models import LinearModel, Model
from hedgehop.oracles.base import Oracle, Step
from hedgehop.oracles.folding import changed_unary, fold, not_linear
from hedgehop.potentials import Potential

M = TypeVar("M", bound=LinearModel)


class LinearOracle(Oracle, Generic[M]):
    """Maximises sums of scores over one structure; linear potentials change the scores (docs/theory.md 10)."""

    structure: ClassVar[type[LinearModel]]

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse other structures and potentials that are not linear."""
        return self._other(model) or not_linear(model, potentials)

    def maximize(self, model: Model, potentials: Sequence[Potential]) -> Step:
        """One call of the structure's own algorithm."""
        assert isinstance(model, self.structure)
        theta, constant, _ = fold(model, potentials)
        labeling, value = self._argmax(model, changed_unary(model, theta))  # type: ignore[arg-type]
        refuse_infeasible(value)
        return self.step(model, labeling, potentials, value + constant)

    @abstractmethod
    def _argmax(self, model: M, scores: Doubles) -> tuple[Labels, float]:
        """Best labeling for (n, L) scores and its value; -inf if none is allowed."""

    def _other(self, model: Model) -> str | None:
        if isinstance(model, self.structure):
            return None
        return f"it solves {self.structure.__name__} models, not {type(model).__name__}"


def refuse_infeasible(value: float) -> None:
    """Raise InfeasibleError if the best value is that of no labeling at all."""
    if value == -np.inf:
        raise InfeasibleError("no labeling is allowed: every one has a score of -inf.")
