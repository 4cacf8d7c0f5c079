# SPDX-License-Identifier: BSD-3-Clause
"""What the oracles of structures share: one call of an algorithm, with scores that linear potentials change."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop._errors import InfeasibleError
from hedgehop.models import Model, UnaryModel
from hedgehop.oracles.base import Oracle, Step
from hedgehop.oracles.folding import changed_unary, fold, not_linear
from hedgehop.potentials import Potential

M = TypeVar("M", bound=UnaryModel)


class LinearOracle(Oracle, Generic[M]):
    """Maximises over one structure in one call; linear potentials change the scores (docs/theory.md 10)."""

    structure: ClassVar[type[UnaryModel]]

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse other structures and potentials that are not linear."""
        return self._other(model) or not_linear(model, potentials)

    def maximize(self, model: Model, potentials: Sequence[Potential]) -> Step:
        """One call of the structure's own algorithm."""
        assert isinstance(model, self.structure)
        theta, constant, rest = fold(model, potentials)
        labeling, bound = self._argmax(model, changed_unary(model, theta), rest)  # type: ignore[arg-type]
        refuse_infeasible(bound)
        return self.step(model, labeling, potentials, bound + constant)

    @abstractmethod
    def _argmax(self, model: M, scores: Doubles, rest: Sequence[Potential]) -> tuple[Labels, float]:
        """Best labeling of (n, L) scores and the other potentials, if `refusal` lets any pass, and a bound on it.

        The bound is the value if the algorithm is exact, and -inf if no labeling is allowed.
        """

    def _other(self, model: Model) -> str | None:
        if isinstance(model, self.structure):
            return None
        return f"it solves {self.structure.__name__} models, not {type(model).__name__}"


def refuse_infeasible(value: float) -> None:
    """Raise InfeasibleError if the best value is that of no labeling at all."""
    if value == -np.inf:
        raise InfeasibleError("no labeling is allowed: every one has a score of -inf.")
