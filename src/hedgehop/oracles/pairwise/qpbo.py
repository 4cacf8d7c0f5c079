# SPDX-License-Identifier: BSD-3-Clause
"""Roof duality: two labels, pairs of any kind (Hammer, Hansen, Simeone 1984; Boros, Hammer 2002)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.base import Oracle, Step, fold, not_linear, not_pairwise, values_of
from hedgehop.oracles.pairwise.annealing import annealed
from hedgehop.oracles.pairwise.cuts import KeptFlow, bends, capacities_around, proven, straightened, terminals_of
from hedgehop.oracles.pairwise.kernels import expandable, is_small, message_solver, pair_tables, pass_messages
from hedgehop.potentials import Potential


class Qpbo(Oracle):
    """One minimum cut over variables and their mirrors: a bound, and labels that some optimum has (C++ flow).

    What the cut leaves open is taken from message passing and annealing, and improved by further cuts, in which a
    part of the variables is held as it is; a labeling never gets worse by that.

    Parameters
    ----------
    rounds : int
        How many improving cuts there are at most.

    Examples
    --------
    >>> import hedgehop as hh
    >>> apart = hh.FactorGraph([[0.0, 0.1], [0.0, 0.2]], [[0, 1]], [[[0.0, 1.0], [1.0, 0.0]]])
    >>> hh.best(apart, oracle=hh.oracles.Qpbo(rounds=5)).labeling
    array([0, 1], dtype=int32)
    """

    name = "qpbo"
    summary = (
        "roof duality for two labels and pairs of any kind; linear potentials, with a bound, exact where it closes"
    )

    def __init__(self, rounds: int = 30) -> None:
        self.rounds = rounds

    def start(self, model: Model) -> dict[str, Any]:
        """Room for the doubled graph, the solver of the first guess, and labelings met."""
        return {"labelings": []}

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse more than two labels, cliques, forbidden pairs, and potentials that are not linear."""
        reason = not_pairwise(model) or not_linear(model, potentials)
        if reason is not None:
            return reason
        assert isinstance(model, PairwiseModel)
        if model.n_labels != 2:
            return f"it needs two labels; the model has {model.n_labels}"
        return None if expandable(model) else "some pair of labels is forbidden (-inf)"

    def preference(self, model: Model, potentials: Sequence[Potential]) -> float:
        """Its bound is that of the linear program, which message passing may miss."""
        return 4.0 if is_small(model) else 40.0

    def maximize(self, model: Model, potentials: Sequence[Potential], state: Any = None) -> Step:
        """Solve the doubled cut, then complete and improve its labeling."""
        assert isinstance(model, PairwiseModel)
        states: dict[str, Any] = state if state is not None else self.start(model)
        if "roof" not in states:
            states["roof"] = _Roof(model)
        theta, constant, _ = fold(model, potentials)
        roof: _Roof = states["roof"]
        roof.set(model, theta)
        labels, bound = roof.solve()
        if (labels < 0).any():
            labels = self._completed(model, theta, states, labels, bound)
        states["labelings"] = [labels, *states["labelings"]][:5]
        return proven(model, self.step(model, labels, potentials, bound + constant), roof.error)

    def _completed(
        self, model: PairwiseModel, theta: Doubles | None, states: dict[str, Any], partial_labels: Labels, bound: float
    ) -> Labels:
        """Complete a partial labeling by the best guess, and improve it while that helps."""
        if "solver" not in states:
            states["solver"] = message_solver(model)
        first = pass_messages(states["solver"], theta, 20)[0].reshape(-1)
        if not states["labelings"]:  # later steps begin with what this one finds
            first = annealed(model, theta, first)
        guesses = np.array([first, *states["labelings"]], np.int32)
        guesses = np.where(partial_labels >= 0, partial_labels, guesses)  # persistency: never worse
        values = values_of(model, theta, guesses)
        best: Labels = guesses[int(np.argmax(values))]
        value = float(values.max())
        roof: _Roof = states["roof"]
        random = np.random.default_rng(0)  # a fixed design, the same for every call
        failed = 0
        for k in range(self.rounds):
            if failed == 6 or bound - value <= 2 * roof.error:
                break
            held = _held(model, random, partial_labels < 0, k)
            labels, _ = roof.solve(best, held)
            better = np.where(labels >= 0, labels, best)
            reached = float(values_of(model, theta, better[None])[0])
            failed = 0 if reached > value else failed + 1
            best, value = (better, reached) if reached > value else (best, value)
        return best


class _Roof:
    """The doubled graph: node i is x_i, node n + i is 1 - x_i; each term once for either, halved."""

    def __init__(self, model: PairwiseModel) -> None:
        n = model.n_variables
        tables = pair_tables(model)
        self.base, self.constant = straightened(model, tables)
        bend = bends(tables)
        i, j = model.edges.astype(np.int64).T
        # -bend [x_i = 0, x_j = 1] with bend < 0 is |bend| [x_i = 0] - |bend| [x_i = 0, x_j = 0].
        apart = np.maximum(0.0, -bend)
        np.add.at(self.base[:, 0], i, apart)
        heads = np.where(bend >= 0, j, n + j)
        mirrored = np.where(bend >= 0, n + j, j)
        edges = np.concatenate([np.stack([i, heads], 1), np.stack([mirrored, n + i], 1)]).astype(np.int32)
        capacities = np.abs(np.concatenate([bend, bend])) / 2
        self.flow = KeptFlow(partial(_core.Flow, 2 * n, edges, capacities, np.zeros_like(capacities)))
        self.around = capacities_around(model, np.abs(bend))
        self.n = n
        self.error = 0.0  # what rounding may have changed in the last cut

    def set(self, model: PairwiseModel, theta: Doubles | None) -> None:
        """Take other unaries."""
        unary = model.unary + self.base
        self.terminals, self.zeros = terminals_of(unary if theta is None else unary + theta, self.around)

    def solve(self, labels: Labels | None = None, held: NDArray[np.bool_] | None = None) -> tuple[Labels, float]:
        """Return labels, -1 where open, and an upper bound; with some variables held at given labels."""
        costs = self.terminals
        if labels is not None and held is not None:
            far = np.abs(costs) + self.around
            costs = np.where(held, np.where(labels == 1, -far, far), costs)
        flow = self.flow.solved(np.concatenate([costs, -costs]) / 2)
        side = flow.labels()
        x, mirror = side[: self.n], side[self.n :]
        self.error = float(flow.error)
        least = float(flow.minimum) + float(costs.sum()) / 2
        return np.where(x != mirror, x, -1).astype(np.int32), self.constant + self.zeros - least + self.error


def _held(model: PairwiseModel, random: np.random.Generator, is_open: NDArray[np.bool_], k: int) -> NDArray[np.bool_]:
    """Choose which variables to hold: open ones outside a neighbourhood, or a random share of them."""
    if k % 2 or not len(model.edges):
        return np.asarray(is_open & (random.random(is_open.size) < (0.2, 0.5, 0.8)[k // 2 % 3]))
    near = np.zeros(is_open.size, bool)
    near[random.choice(np.flatnonzero(is_open))] = True
    i, j = model.edges.T
    while near.sum() < max(4, is_open.sum() // 4):  # grow until a quarter is free
        grown = near.copy()
        grown[i[near[j]]] = True
        grown[j[near[i]]] = True
        if (grown == near).all():
            break
        near = grown
    return np.asarray(is_open & ~near)
