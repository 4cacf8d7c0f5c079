# SPDX-License-Identifier: BSD-3-Clause
"""TRW-S: message passing with a bound, then expansion moves where it left a gap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel, Potts
from hedgehop.oracles.base import Oracle, Step, fold, not_linear, not_pairwise, values_of
from hedgehop.oracles.pairwise.annealing import annealed
from hedgehop.oracles.pairwise.kernels import expandable, is_small, message_solver, move_solver, pass_messages
from hedgehop.potentials import Potential

_WIDE = 0.01  # gap, against what is at stake, from which scores contradict each other


class Trws(Oracle):
    """Sequential tree-reweighted message passing, messages kept from step to step (C++).

    Parameters
    ----------
    iterations : int
        Passes forth and back at most; fewer when the bound stops falling or is met.
    warm : int
        The same for steps that start from the messages of an earlier one.
    repair : bool
        Whether expansion moves polish the labeling where a gap is left, restricted to labels that the messages
        find nearly as good as the best.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> image = hh.Grid(np.random.default_rng(0).normal(size=(8, 8, 3)), smoothness=0.3)
    >>> step = hh.best(image, oracle=hh.oracles.Trws(iterations=200))
    >>> step.value <= step.upper_bound
    True
    """

    name = "trws"
    summary = "message passing (TRW-S) and restricted expansion; any pairwise model, linear potentials, with a bound"

    def __init__(self, iterations: int = 50, repair: bool = True, warm: int = 20) -> None:
        self.iterations = iterations
        self.warm = warm
        self.repair = repair

    def start(self, model: Model) -> dict[str, Any]:
        """Room for the solver of the first step."""
        return {}

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse cliques and potentials that are not linear."""
        return not_pairwise(model) or not_linear(model, potentials)

    def preference(self, model: Model, potentials: Sequence[Potential]) -> float:
        """After exact solvers where these are quick, before them elsewhere."""
        return 3.0 if is_small(model) else 30.0

    def maximize(self, model: Model, potentials: Sequence[Potential], state: Any = None) -> Step:
        """Pass messages from where the last step left them, then repair."""
        assert isinstance(model, PairwiseModel)
        states: dict[str, Any] = state if state is not None else {}
        passes = self.warm if "solver" in states else self.iterations
        if "solver" not in states:
            states["solver"] = message_solver(model)
        theta, constant, _ = fold(model, potentials)
        labeling, value, bound = pass_messages(states["solver"], theta, passes)
        gap = bound - value
        if self.repair and gap > 1e-6 * max(1.0, abs(value)):
            labeling = repaired(states, model, theta, labeling, gap)
        if self.repair and gap > _WIDE * model.spread:
            labeling = self._annealed(states, model, theta, labeling)
        return self.step(model, labeling, potentials, bound + constant)

    def _annealed(
        self, states: dict[str, Any], model: PairwiseModel, theta: Doubles | None, labeling: Labels
    ) -> Labels:
        """Anneal in the first step; later ones compare with what that found."""
        if "annealed" not in states:
            states["annealed"] = annealed(model, theta, labeling)
        pair = np.stack([labeling.reshape(-1), states["annealed"]])
        return np.asarray(pair[int(np.argmax(values_of(model, theta, pair)))])


def repaired(
    states: dict[str, Any], model: PairwiseModel, theta: Doubles | None, labeling: Labels, gap: float
) -> Labels:
    """Mix in the labelings of the last sweeps, then expand labels whose beliefs are close to the best."""
    if not expandable(model):
        return labeling
    if "moves" not in states:
        states["moves"] = move_solver(model)
    solver: _core.Trws = states["solver"]
    moves: _core.Moves = states["moves"]
    moves.set_linear(None if theta is None else np.ascontiguousarray(theta, np.float64))
    labeling = np.ascontiguousarray(labeling.reshape(-1), np.int32)
    for decode in solver.decodes():
        labeling = moves.fuse(labeling, np.ascontiguousarray(decode))[0]
    close = (solver.beliefs() >= -_reach(model, gap)).astype(np.uint8)
    return moves.expand(labeling, close, 1)[0]


def _reach(model: PairwiseModel, gap: float) -> float:
    """How far below the best a belief may be: a part of a typical strength, or of the gap where there is none."""
    pairwise = model.pairwise
    if isinstance(pairwise, Potts) and pairwise.strengths.size:
        return 0.15 * float(pairwise.strengths.mean())
    return gap
