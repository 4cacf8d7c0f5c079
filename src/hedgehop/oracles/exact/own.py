# SPDX-License-Identifier: BSD-3-Clause
"""Steps solved by the function that a user gave (`hh.Structure`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgehop.models import Model, Structure
from hedgehop.oracles.base import Oracle, Step
from hedgehop.oracles.folding import fold, not_linear
from hedgehop.potentials import Potential, total_value


class OwnSolver(Oracle):
    """Calls the model's own solver with what linear potentials add; as exact, or as well bounded, as that solver.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> either = hh.Structure(lambda added: added.argmax(axis=1), lambda y: 0.0, label_counts=[2, 2])
    >>> hh.best(either, hh.potentials.Linear([[0.0, 1.0], [2.0, 0.0]]), oracle=hh.oracles.OwnSolver()).labeling
    array([1, 0], dtype=int32)
    """

    name = "own_solver"
    summary = "the solver of an hh.Structure, with linear potentials; as exact as that is"

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse other models, and potentials that are not linear."""
        if not isinstance(model, Structure):
            return f"it solves Structure models, not {type(model).__name__}"
        return not_linear(model, potentials)

    def maximize(self, model: Model, potentials: Sequence[Potential]) -> Step:
        """One call."""
        assert isinstance(model, Structure)
        theta, constant, _ = fold(model, potentials)
        labeling, bound = model.solved(np.zeros(model.unary.shape) if theta is None else np.asarray(theta, np.float64))
        if bound is None:
            reached = float(np.asarray(model.score(labeling))) + float(
                total_value(model, potentials, labeling[None])[0]
            )
            return self.step(model, labeling, potentials, reached if model.exact else np.inf)
        return self.step(model, labeling, potentials, bound + constant)
