"""Expansion moves: multi-label models with weights for used labels, of any sign (ALGORITHMS 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.base import Oracle, Step, fold, kinds, not_pairwise
from hedgehop.oracles.dual import dual_bound
from hedgehop.oracles.kernels import expandable, expanded, is_small, message_solver, move_solver, pass_messages
from hedgehop.potentials import LabelWeights, Potential, total_value


class Expansion(Oracle):
    """Expansion moves from several labelings, bounded by TRW-S with multipliers for the labels (C++).

    Parameters
    ----------
    rounds : int
        How often each label is tried at most.
    bound_rounds : int
        How often the multipliers of the bound are improved.
    """

    name = "expansion"
    summary = "expansion moves for pairwise models with label weights of any sign and linear potentials, with a bound"

    def __init__(self, rounds: int = 20, bound_rounds: int = 20) -> None:
        self.rounds = rounds
        self.bound_rounds = bound_rounds

    def start(self, model: Model) -> dict[str, Any]:
        """Room for the solvers, and for labelings met."""
        return {"labelings": []}

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse cliques, forbidden pairs, and potentials other than linear ones and label weights."""
        reason = not_pairwise(model)
        if reason is not None:
            return reason
        assert isinstance(model, PairwiseModel)
        _, _, rest = fold(model, potentials)
        other = [p for p in rest if not isinstance(p, LabelWeights)]
        if other:
            return f"it handles linear potentials and label weights, not {kinds(other)}"
        if any(p.least_count(model.n_variables) > 1 for p in rest if isinstance(p, LabelWeights)):
            return "it counts a label as used from one variable on, whatever min_share says"
        return None if expandable(model) else "some pair of labels is forbidden (-inf)"

    def preference(self, model: Model, potentials: Sequence[Potential]) -> float:
        """Before the integer program where that is slow."""
        return 2.0 if is_small(model) else 25.0

    def maximize(self, model: Model, potentials: Sequence[Potential], state: Any = None) -> Step:
        """Expand from the best labelings known, then bound what any labeling could reach."""
        assert isinstance(model, PairwiseModel)
        states: dict[str, Any] = state if state is not None else self.start(model)
        theta, constant, rest = fold(model, potentials)
        weights = np.sum([p.w for p in rest if isinstance(p, LabelWeights)], axis=0) if rest else None
        if "solver" not in states:
            states["solver"], states["moves"] = message_solver(model), move_solver(model)
        first, _, _ = pass_messages(states["solver"], theta, 10)
        starts = _starts(model, theta, [first, *states["labelings"]], potentials)
        ends = [expanded(states["moves"], theta, weights, y, rounds=self.rounds) for y in starts]
        values = np.asarray(model.score(np.array(ends))) + total_value(model, potentials, np.array(ends))
        best = ends[int(np.argmax(values))]
        states["labelings"].append(best)
        reached = float(values.max()) - constant
        bound = dual_bound(states["solver"], model, theta, rest, best, reached, self.bound_rounds)
        return self.step(model, best, potentials, bound + constant)


def _starts(
    model: PairwiseModel, theta: Doubles | None, known: list[Labels], potentials: Sequence[Potential], most: int = 3
) -> list[Labels]:
    """Return the best few of the known labelings, of the locally best one and of the constant ones."""
    unary = model.unary if theta is None else model.unary + theta
    constants = np.flatnonzero(np.isfinite(unary).all(axis=0))
    constant = [np.full(model.n_variables, k, np.int32) for k in constants]
    tries = np.array([*(y.reshape(-1) for y in known), np.argmax(unary, axis=1), *constant], np.int32)
    allowed = np.isfinite(unary[np.arange(model.n_variables), tries].sum(axis=1))
    tries = np.unique(tries[allowed], axis=0)
    values = np.asarray(model.score(tries)) + total_value(model, potentials, tries)
    return list(tries[np.argsort(-values, kind="stable")[:most]])
