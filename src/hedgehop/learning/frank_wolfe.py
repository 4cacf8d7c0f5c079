# SPDX-License-Identifier: BSD-3-Clause
"""Block-coordinate Frank-Wolfe (Lacoste-Julien et al. 2013), in pairwise steps over kept planes.

The dual of the training problem gives every example a budget C to spread over its labelings::

    D(a) = sum_ny a_ny loss_ny - 1/2 |w|^2,    w = [v]_+,    v = sum_ny a_ny change_ny

The box of attractive weights is inside the dual: w is the projection of v at every moment, and the gap to the primal
value at w is exactly the Frank-Wolfe gap. One visit of an example asks the oracle for its worst labeling and moves
budget there from its best-satisfied one (pairwise steps: Osokin et al. 2016). Between two passes of the oracle, the
same steps are made among the planes already known, at nearly no cost (Shah, Kolmogorov, Lampert 2015).
"""

from __future__ import annotations

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Labels
from hedgehop.learning.training import Training
from hedgehop.learning.training_state import Report, TrainingState

_SHARE_LEFT_OPEN = 0.1  # of what a pass of the oracle found open, by the steps among known planes
_ENTRIES_PER_EXAMPLE = 1e6  # of planes, looked at by those steps: about what an inference costs
_PASSES_PER_CHECK = 10  # after which the gap is measured at the latest


def frank_wolfe(training: Training, C: float, tol: float, max_iter: int, report: Report) -> TrainingState:
    """Maximise the dual, one example at a time, until the duality gap is small."""
    joint, random = training.joint, np.random.default_rng(0)
    dual = _core.learning.MarginDual(joint.size, len(training), joint.size - joint.attractive.size, C)
    state = TrainingState(dual.weights())
    for state.iterations in range(1, max_iter + 1):
        order = random.permutation(len(training)).astype(np.int32)
        open_gap = _pass_of_the_oracle(dual, training, order)
        dual.passes(order, _SHARE_LEFT_OPEN * open_gap, _ENTRIES_PER_EXAMPLE * len(training))
        best = max(value for _, value in (dual.now(), dual.mean()))
        state.improve(best)
        due = state.iterations % _PASSES_PER_CHECK == 0 or state.iterations == max_iter
        if due or open_gap <= tol * (best + open_gap):
            # at the point with the larger dual: the mean early on, the last one later
            state.judge(training, max(dual.now(), dual.mean(), key=lambda point: point[1])[0], C)
        report(state)
        if state.gap <= tol:
            break
    return state


def _pass_of_the_oracle(dual: _core.learning.MarginDual, training: Training, order: Labels) -> float:
    """Visit all examples; return the sum of their gaps, each at its own moment."""
    total = 0.0
    for n in order.tolist():
        plane = training.worst(n, dual.weights())
        total += dual.visit(n, plane.change, plane.loss)
    return total
