# SPDX-License-Identifier: BSD-3-Clause
"""Labels that no better labeling has: what a program need not consider (docs/theory.md 11).

No function of counts adds more than its largest value, and messages bound what all labelings with label l at variable i
score. Where both together are below what a labeling is known to reach, no better one has that label.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgehop._arrays import own
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.base import Step
from hedgehop.oracles.exactness import ties
from hedgehop.oracles.folding import fold, not_pairwise
from hedgehop.oracles.pairwise.kernels import message_solver, pass_messages
from hedgehop.oracles.pairwise.rest import worse_labels
from hedgehop.potentials import Linear, Potential

_PASSES_PER_ELIMINATION = 50


def without_worse_labels(model: Model, potentials: Sequence[Potential], known: Step) -> list[Potential]:
    """Return the potentials and, if this is proven of some labels, one more that forbids what is no better."""
    theta, constant, rest = fold(model, potentials)
    most = sum(_most(model, p) for p in rest)
    if not rest or not isinstance(model, PairwiseModel) or not_pairwise(model) or most == np.inf:
        return list(potentials)
    solver = message_solver(model)
    pass_messages(solver, model, theta, _PASSES_PER_ELIMINATION)
    least = known.value - ties(model, known.value, rest) - constant - most
    worse = worse_labels(model, theta, solver, known.labeling, least)
    return [*potentials, Linear(own(np.where(worse, -np.inf, 0.0)))]


def _most(model: Model, potential: Potential) -> float:
    """More than which a potential never adds; inf if that is not known."""
    counts = potential.counts(model)
    return np.inf if counts is None else sum(count.function.most for count in counts)
