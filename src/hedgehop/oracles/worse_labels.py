# SPDX-License-Identifier: BSD-3-Clause
"""Labels that no better labeling has: what a program need not consider (docs/theory.md 11).

No function of counts adds more than its largest value, and messages, or the algorithm of a structure, bound what
all labelings with label l at variable i score. Where both together are below what a labeling is known to reach, no
better one has that label.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hedgehop._arrays import Doubles, own
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.base import Step
from hedgehop.oracles.exactness import ties
from hedgehop.oracles.folding import fold, nonlinear, not_pairwise
from hedgehop.oracles.pairwise.kernels import label_limits, message_solver, pass_messages
from hedgehop.potentials import Linear, Potential, Table, Threshold
from hedgehop.potentials.ball_unions import BallGain

_PASSES_PER_ELIMINATION = 50


BestWithLabels = Callable[[Sequence[Potential]], "Doubles | None"]  # the best value with each label, (n, L), if known


def without_worse_labels(
    model: Model, potentials: Sequence[Potential], known: Step, marginals: BestWithLabels | None = None
) -> list[Potential]:
    """Return the potentials and, if this is proven of some labels, one more that forbids what is no better.

    `marginals`: how to ask for the best values of linear steps with each label, for structures that have no messages.
    """
    rest = nonlinear(potentials)
    most = sum(_most(model, p) for p in rest)
    linear = [p for p in potentials if p not in rest]
    limits = _limits(model, linear, marginals) if rest and most < np.inf else None
    if limits is None:
        return list(potentials)
    worse = limits + most < known.value - ties(model, known.value, rest)
    worse[np.arange(model.n_variables), known.labeling.reshape(-1)] = False
    return [*potentials, Linear(own(np.where(worse, -np.inf, 0.0)))] if worse.any() else list(potentials)


def _limits(model: Model, linear: Sequence[Potential], marginals: BestWithLabels | None) -> Doubles | None:
    """Bounds on what all labelings with a label score, (n, L)."""
    if not isinstance(model, PairwiseModel):
        return None if marginals is None else marginals(linear)
    if not_pairwise(model):
        return None
    theta, constant, _ = fold(model, linear)
    solver = message_solver(model)
    pass_messages(solver, model, theta, _PASSES_PER_ELIMINATION)
    return np.asarray(label_limits(solver) + constant)


def _most(model: Model, potential: Potential) -> float:
    """More than which a potential never adds; inf if that is not known."""
    if isinstance(potential, BallGain):  # between nothing and a whole ball
        return potential.span()
    counts = potential.counts(model)
    if potential.relaxed_as not in ("counts", "distances") or counts is None:
        return np.inf
    return sum(_most_of(count.function) for count in counts)


def _most_of(function: Threshold | Table) -> float:
    if isinstance(function, Threshold):
        return max(0.0, function.weight)
    return float(function.values.max()) if function.smooth is None else np.inf
