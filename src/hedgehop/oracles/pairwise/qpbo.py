# SPDX-License-Identifier: BSD-3-Clause
"""Roof duality: two labels, pairs of any kind (Hammer, Hansen, Simeone 1984; Boros, Hammer 2002)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels, count, flag
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.base import Oracle, Solver, Step
from hedgehop.oracles.effort import effort
from hedgehop.oracles.folding import fold, not_linear, not_pairwise, values_of
from hedgehop.oracles.pairwise.cuts import KeptFlow, Terminals, straightened
from hedgehop.oracles.pairwise.kernels import PairwiseSolver, pair_tables, pass_messages
from hedgehop.oracles.penalties import on_finite_pairs
from hedgehop.oracles.search.annealing import annealed
from hedgehop.potentials import Potential

_EARLIER_ANSWERS = 5  # labelings of earlier steps to begin with


class Qpbo(Oracle):
    """One minimum cut over variables and their mirrors: a bound, and labels that some optimum has (C++ flow).

    Labels that the cut leaves open are taken from message passing and annealing, and improved by further cuts in which
    a part of the variables is fixed; these never make a labeling worse.

    Parameters
    ----------
    rounds : int
        How many improving cuts there are at most.
    anneal : bool
        Whether the first step that needs a guess anneals.

    Examples
    --------
    >>> import hedgehop as hh
    >>> apart = hh.FactorGraph([[0.0, 0.1], [0.0, 0.2]], [[0, 1]], [[[0.0, 1.0], [1.0, 0.0]]])
    >>> hh.best(apart, oracle=hh.oracles.Qpbo(rounds=5)).labeling
    array([0, 1], dtype=int32)
    """

    name = "qpbo"
    summary = "roof duality for two labels and pairs of any kind; linear potentials, with a bound, exact if it is tight"

    def __init__(self, rounds: int = 30, anneal: bool = True) -> None:
        self.rounds = count(rounds, "rounds")
        self.anneal = flag(anneal, "anneal")

    def on(self, model: Model) -> Solver:
        """Return a solver that keeps the doubled graph, and the labelings found so far."""
        return on_finite_pairs(self, model, partial(RoofSolver, self))

    def for_bounds(self) -> Qpbo:
        """Return one that does not anneal: that finds labelings, and no bound."""
        return Qpbo(self.rounds, anneal=False)

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse more than two labels, cliques, and potentials that are not linear."""
        reason = not_pairwise(model) or not_linear(model, potentials)
        if reason is not None or (isinstance(model, PairwiseModel) and model.n_labels == 2):
            return reason
        return f"it needs two labels; the model has {int(model.label_counts.max())}"


class RoofSolver(PairwiseSolver):
    """Keeps the doubled graph, the messages of first guesses, and the labelings of the last steps."""

    oracle: Qpbo

    @cached_property
    def _roof(self) -> _Roof:
        return _Roof(self.model)

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Solve the doubled cut, then complete and improve its labeling."""
        theta, constant, _ = fold(self.model, potentials)
        self._roof.set(theta)
        labels, bound = self._roof.solve()
        if (labels < 0).any():
            labels = self._completed(theta, labels, bound)
        self.keep(labels, _EARLIER_ANSWERS)
        return self.oracle.step(self.model, labels, potentials, bound + constant, self._roof.error)

    def _completed(self, theta: Doubles | None, partial_labels: Labels, bound: float) -> Labels:
        """Complete a partial labeling by the best guess, and improve it while that helps."""
        model, roof = self.model, self._roof
        first = pass_messages(self._messages, model, theta, 20)[0].reshape(-1)
        if self.oracle.anneal and not self.kept:  # later steps begin with what this one finds
            first = annealed(model, theta, first)
        guesses = np.array([first, *self.kept], np.int32)
        guesses = np.where(partial_labels >= 0, partial_labels, guesses)  # persistency: never worse
        values = values_of(model, theta, guesses)
        best: Labels = guesses[int(np.argmax(values))]
        value = float(values.max())
        random = np.random.default_rng(0)  # a fixed design, the same for every call
        failed = 0
        for k in range(self.oracle.rounds):
            if failed == 6 or bound - value <= 2 * roof.error or effort().suffices(model, (), value, bound):
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
        bend = model.pairwise.bends(len(model.edges))
        i, j = model.edges.astype(np.int64).T
        # -bend [x_i = 0, x_j = 1] with bend < 0 is |bend| [x_i = 0] - |bend| [x_i = 0, x_j = 0].
        apart = np.maximum(0.0, -bend)
        np.add.at(self.base[:, 0], i, apart)
        heads = np.where(bend >= 0, j, n + j)
        mirrored = np.where(bend >= 0, n + j, j)
        edges = np.concatenate([np.stack([i, heads], 1), np.stack([mirrored, n + i], 1)]).astype(np.int32)
        capacities = np.abs(np.concatenate([bend, bend])) / 2
        self.flow = KeptFlow(partial(_core.flow.Flow, 2 * n, edges, capacities, np.zeros_like(capacities)))
        self.of_scores = Terminals(model, _core.scores.reaches(n, model.edges, np.abs(bend)), 0, self.base)
        self.n = n
        self.error = 0.0  # what rounding may have changed in the last cut

    def set(self, theta: Doubles | None) -> None:
        """Take other unaries."""
        self.terminals, self.zeros, _ = self.of_scores.of(theta)

    def solve(self, labels: Labels | None = None, held: NDArray[np.bool_] | None = None) -> tuple[Labels, float]:
        """Return labels, -1 where open, and an upper bound; with some variables held at given labels."""
        costs = self.terminals
        if labels is not None and held is not None:
            far = np.abs(costs) + self.of_scores.decisive
            costs = np.where(held, np.where(labels == 1, -far, far), costs)
        flow = self.flow.solved(np.concatenate([costs, -costs]) / 2, float(np.abs(costs).sum()))
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
