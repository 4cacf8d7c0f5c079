# SPDX-License-Identifier: BSD-3-Clause
"""MPLP: messages of all factors, cliques included, for a bound in a fraction of a second; labelings by annealing."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

import numpy as np
from numpy.typing import NDArray

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Labels
from hedgehop._errors import InfeasibleError
from hedgehop.models.base import Model
from hedgehop.models.elimination import scopes
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.base import Oracle, Solver, Step
from hedgehop.oracles.effort import effort
from hedgehop.oracles.exact.elimination import factor_tables
from hedgehop.oracles.exact.toulbar2 import not_tables
from hedgehop.oracles.folding import changed_unary, fold, values_of
from hedgehop.oracles.search.annealing import MOST_ROUNDS, annealed
from hedgehop.potentials import Potential

_VISITED_CELLS = 100_000_000  # by messages in all: about a second
_LATER_SWEEPS, _LATER_ROUNDS = 200, 2  # of steps after the first: a list has dozens


class Mplp(Oracle):
    """Max-product messages that lower a bound (Globerson and Jaakkola 2007), then annealing and moves over blocks.

    Parameters
    ----------
    sweeps : int
        How many passes over all factors; fewer on large models.
    starts : int
        How many labelings annealing begins with: the one that messages decode to, then random ones, the same in each
        call. 0 leaves annealing out.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> triple = ((0, 1, 2), np.eye(2)[:, :, None] * np.eye(2))
    >>> model = hh.FactorGraph(np.zeros((3, 2)), cliques=[triple])
    >>> step = hh.best(model, oracle=hh.oracles.Mplp())
    >>> step.value, round(step.upper_bound, 9)
    (1.0, 1.0)
    """

    name = "mplp"
    summary = "messages of all factors (MPLP) and annealing; cliques included, linear potentials, with a bound"

    def __init__(self, sweeps: int = 2000, starts: int = 3) -> None:
        self.sweeps = _arrays.positive_count(sweeps, "sweeps")
        self.starts = _arrays.count(starts, "starts")

    def for_bounds(self) -> Mplp:
        """Return one that does not anneal: that finds labelings, and no bound."""
        return Mplp(self.sweeps, starts=0)

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse other models, large tables, and potentials that are not linear."""
        return not_tables(model, potentials)

    def on(self, model: Model) -> MplpSolver:
        """Return a solver whose later steps begin with what the first one found."""
        return MplpSolver(self, model)

    def solved(self, model: Model, potentials: Sequence[Potential], kept: Labels | None = None) -> Step:
        """Pass messages, anneal from the labeling they decode to, and from others."""
        assert isinstance(model, PairwiseModel)
        theta, constant, _ = fold(model, potentials)
        labeling, bound, error = self._passed(model, theta)
        found = [labeling]
        if kept is not None:
            found.append(kept.reshape(-1))
            labeling = found[int(values_of(model, theta, np.stack(found)).argmax())]
        random = np.random.default_rng(0)  # the same for every call
        for _ in range(self.starts):
            if effort().seconds == 0.0:
                break
            found.append(annealed(model, theta, labeling, MOST_ROUNDS if kept is None else _LATER_ROUNDS))
            labeling = random.integers(0, model.label_counts).astype(np.int32)
        best = found[int(values_of(model, theta, np.stack(found)).argmax())]
        return self.step(model, best, potentials, bound + error + constant, error)

    def _passed(self, model: PairwiseModel, theta: Doubles | None) -> tuple[Labels, float, float]:
        """Return the labeling of the largest beliefs, a bound, and what rounding may have changed in it."""
        tables, _ = finite_tables(model, theta)
        sweeps = 0 if effort().seconds == 0.0 else min(self.sweeps, max(1, _VISITED_CELLS // max(1, tables.size)))
        variables, starts = scopes(model)
        messages = _core.graphs.FactorMessages(model.label_counts, variables, starts, tables)
        messages.run(sweeps)
        terms, error, flat = messages.terms(), messages.error(), messages.beliefs()
        beliefs = np.full(model.unary.shape, -np.inf)
        beliefs[np.arange(model.n_labels) < model.label_counts[:, None]] = flat
        return beliefs.argmax(axis=1).astype(np.int32), fsum(terms), error


class MplpSolver(Solver):
    """Keeps the labeling of the first step; later ones take a fraction of its time."""

    oracle: Mplp
    _first: Labels | None = None

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Solve the first step with care, others from its labeling."""
        if self._first is not None:
            quick = Mplp(min(_LATER_SWEEPS, self.oracle.sweeps), min(1, self.oracle.starts))
            return quick.solved(self.model, potentials, self._first)
        step = self.oracle.solved(self.model, potentials)
        self._first = step.labeling
        return step


def finite_tables(model: PairwiseModel, theta: Doubles | None) -> tuple[Doubles, NDArray[np.int64]]:
    """Return the scores of all factors; what is forbidden loses more than all others may bring, so bounds hold."""
    tables, cells = factor_tables(model, changed_unary(model, theta))
    if np.isneginf(np.maximum.reduceat(tables, cells[:-1])).any():
        raise InfeasibleError("no labeling is allowed: all labels of a variable, pair or clique are forbidden.")
    least = -2.0 * float(np.abs(tables[np.isfinite(tables)]).sum()) or -1.0
    return np.asarray(np.maximum(tables, least)), cells
