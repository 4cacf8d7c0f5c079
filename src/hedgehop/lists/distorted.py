# SPDX-License-Identifier: BSD-3-Clause
"""Distorted greedy: coverage counts less in early steps (Harshaw et al. 2019; docs/theory.md 5)."""

from __future__ import annotations

from dataclasses import replace

from hedgehop.lists.greedy import Choose, Greedy
from hedgehop.lists.state import ListState
from hedgehop.oracles.base import Step


def distorted(greedy: Greedy, m: int) -> Choose:
    """Return how to choose a labeling with coverage weighted by ``(1 - 1/m)^(m - t - 1)`` in step t = 0..m-1.

    Parsimony belongs to each labeling alone and keeps its full weight:
    ``weight * (coverage + parsimony) + (1 - weight) * parsimony``. The bound stays that of the undistorted gain.
    """

    def choose(state: ListState, best: Step) -> Step:
        weight = (1.0 - 1.0 / m) ** (m - len(state) - 1)
        potentials = [p.scaled(weight) for p in greedy.objective.potentials(state.rows)]
        potentials += [p.scaled(1.0 - weight) for p in greedy.objective.parsimony()]
        step = greedy.solver.step(potentials)
        if greedy.separation.too_close(step.labeling, state.rows):
            step = greedy.apart(potentials, state, step)
        return replace(greedy.beside(step, state, best), seconds=step.seconds + best.seconds)

    return choose
