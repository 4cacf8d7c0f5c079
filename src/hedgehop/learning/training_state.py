# SPDX-License-Identifier: BSD-3-Clause
"""What a solver returns, and how near the optimum it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from hedgehop._arrays import Doubles
from hedgehop._progress import draw_bar
from hedgehop.learning.training import Plane, Training

Report = Callable[["TrainingState"], None]


@dataclass
class TrainingState:
    """The best weights so far; ``dual <= optimum <= primal``, and ``ceiling`` where the oracle is not exact."""

    weights: Doubles  # (size,), attractive ones never negative
    primal: float = np.inf  # 1/2 |w|^2 + C sum_n xi_n with the labelings the oracle found
    ceiling: float = np.inf  # the same with the oracle's upper bounds: proven
    dual: float = 0.0  # no weights reach less
    iterations: int = 0  # passes over the examples, or rounds of cutting planes
    history: list[float] = field(default_factory=list)  # the gap after each

    @property
    def gap(self) -> float:
        """How far the primal value can be above the optimum, as a share of it."""
        if self.primal == np.inf:  # not measured yet
            return 1.0
        distance = max(0.0, self.primal - self.dual)
        return distance / self.primal if self.primal > 0 else distance

    def judge(self, training: Training, weights: Doubles, C: float) -> list[Plane]:
        """Ask the oracle about every example at some weights, keep them if they are better, return its planes."""
        planes = [training.worst(n, weights) for n in range(len(training))]
        regular = 0.5 * float(weights @ weights)
        primal = regular + C * sum(plane.value(weights) for plane in planes)
        if primal < self.primal:
            self.primal, self.weights = primal, weights.copy()
            self.ceiling = max(primal, regular + C * sum(plane.bound for plane in planes))
        return planes

    def improve(self, dual: float) -> None:
        """Note a value of the dual."""
        self.dual = max(self.dual, dual)


def watch(tol: float, show: bool) -> Report:
    """Return a function that notes the gap after every iteration and, if asked, shows a bar, full when it is closed."""

    def report(state: TrainingState) -> None:
        state.history.append(state.gap)
        if show:
            closed = np.log(max(state.gap, 1e-300)) / np.log(tol) if state.gap > tol else 1.0
            text = f"iteration {state.iterations}, primal {state.primal:.6g}, gap {state.gap:.2%}"
            draw_bar(max(0.0, closed), text)

    return report
