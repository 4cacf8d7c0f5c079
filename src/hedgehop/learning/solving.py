# SPDX-License-Identifier: BSD-3-Clause
"""Solvers of the training problem by name, their settings checked, and a warning if they were not given enough."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning

from hedgehop._arrays import number, positive_count
from hedgehop.learning.cutting_planes import n_slack, one_slack
from hedgehop.learning.frank_wolfe import frank_wolfe
from hedgehop.learning.training import Training
from hedgehop.learning.training_state import TrainingState, watch

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
