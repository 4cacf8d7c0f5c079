# SPDX-License-Identifier: BSD-3-Clause
"""From models to kernels: the arrays each solver takes, made in one place."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop._errors import InfeasibleError
from hedgehop.models.base import Model
from hedgehop.models.grid import Grid
from hedgehop.models.pairwise import PairwiseModel, Potts, edge_tables
from hedgehop.oracles.base import Oracle, Solver
from hedgehop.oracles.folding import Theta, as_change, changed_unary
from hedgehop.oracles.penalties import decided_by, penalised

CLOSE_GAP = 1e-6  # of what is at stake: a gap that is not worth further messages
ROUNDING_GAP = 1e-9  # the same: a gap that is rounding by all means
_KEPT_SCORES = 2**20  # of labels: the kernels of larger models do not survive a pause
MOST_WITH_BOUNDS = 200_000  # scores of labels, so many of which hardly ever prefer one labeling alone
_TOWARDS_ZERO = 1.0 - 2.0**-22  # by more than single precision rounds


def pair_tables(model: PairwiseModel, some: NDArray[np.intp] | None = None) -> Doubles:
    """Scores of all edges, or of some, as (E, L, L) tables, 0 where a variable has fewer labels."""
    labels, edges = np.arange(model.n_labels), np.arange(len(model.edges)) if some is None else some
    if (model.label_counts == labels.size).all():  # no loop over edges
        if isinstance(model.pairwise, Potts):
            strengths = model.pairwise.strengths[edges].astype(np.float64)
            return np.asarray(strengths[:, None, None] * (np.eye(labels.size) - 1.0))
        flat, offsets, columns = edge_tables(model)
        begins, widths = offsets[edges, None, None], columns[edges, None, None]
        return np.asarray(flat[begins + labels[:, None] * widths + labels])
    tables = np.zeros((len(edges), model.n_labels, model.n_labels))
    counts = model.label_counts[model.edges[edges]]
    for k, (e, (rows, columns)) in enumerate(zip(edges.tolist(), counts.tolist(), strict=True)):
        tables[k, :rows, :columns] = model.pairwise.table(e, rows, columns)
    return tables


def table_pairs(model: PairwiseModel, tables: Doubles) -> _core.Pairs:
    """Other scores on the edges of a model: (E, L, L) tables."""
    offsets = np.arange(len(tables), dtype=np.int64) * model.n_labels**2
    columns = np.full(len(tables), model.n_labels, np.int32)
    return _core.Pairs.tables(
        model.unary.shape, model.edges, np.ascontiguousarray(tables).reshape(-1), offsets, columns, model.label_counts
    )


def message_solver(model: PairwiseModel) -> _core.trws.Trws:
    """Build the solver of a model; it keeps references to the model's arrays."""
    if isinstance(model, Grid):  # no list of edges
        scores = model.unary.reshape(*model.shape, -1)
        return _core.trws.Trws.grid(scores, model.connectivity, model.strengths)
    return _core.trws.Trws(model.unary, model.pairs)


def pass_messages(
    solver: _core.trws.Trws, model: PairwiseModel, theta: Theta | None, iterations: int, close: float = CLOSE_GAP
) -> tuple[Labels, float, float]:
    """Return labeling, value and bound of unary + theta; fewer iterations do if these are close."""
    try:
        solver.add_linear(as_change(theta))
    except ValueError as error:  # sizes are checked before: a variable has no label left
        raise InfeasibleError(f"{error}.") from None
    labeling, value, bound, _ = solver.run(iterations, gap=close * model.spread)
    return labeling, value, bound


def bounds_by_label(solver: _core.trws.Trws) -> Doubles:
    """Return what labelings with label l at variable i score at most, by the messages as they are, (n, L)."""
    top, drops = solver.label_bounds()
    known = np.where(np.isfinite(drops), drops.astype(np.float64), 0.0)  # beyond single precision: nothing is known
    return np.asarray(top + _TOWARDS_ZERO * known)


def closed(
    solver: _core.trws.Trws, model: PairwiseModel, theta: Doubles | None, labeling: Labels, value: float, bound: float
) -> float:
    """Return the value for a bound that is above it by the rounding of messages, if all other labels do worse.

    Messages are integers of 32 bits, so that about 1e-8 of what is at stake is left where they have converged.
    """
    gap = bound - value
    if not ROUNDING_GAP * model.spread < gap <= CLOSE_GAP * model.spread or model.unary.size > MOST_WITH_BOUNDS:
        return bound
    others = np.where(np.isneginf(changed_unary(model, theta)), -np.inf, bounds_by_label(solver))
    others[np.arange(model.n_variables), labeling.reshape(-1)] = -np.inf
    return value if others.max() < value else bound


class MessageSolvers:
    """The messages of a model as it is, and of the same model with other tables on its edges, both kept."""

    def __init__(self, model: PairwiseModel) -> None:
        self._model = model
        self._tables: _core.trws.Trws | None = None

    @cached_property
    def plain(self) -> _core.trws.Trws:
        """The solver of the model as it is."""
        return message_solver(self._model)

    @property
    def has_tables(self) -> bool:
        """Whether there are messages of tables."""
        return self._tables is not None

    def of(self, tables: Doubles) -> _core.trws.Trws:
        """The solver with these scores on the edges, (E, L, L)."""
        if self._tables is None:
            self._tables = _core.trws.Trws(self._model.unary, table_pairs(self._model, tables))
        else:
            self._tables.set_tables(np.ascontiguousarray(tables).reshape(len(tables), -1))
        return self._tables


class PairwiseSolver(Solver):
    """Keeps the kernels of messages and moves, and labelings of earlier steps, the last one first."""

    model: PairwiseModel

    def __init__(self, oracle: Oracle, model: Model) -> None:
        super().__init__(oracle, model)
        self.kept: list[Labels] = []

    @cached_property
    def _all_messages(self) -> MessageSolvers:
        return MessageSolvers(self.model)

    @property
    def _messages(self) -> _core.trws.Trws:
        return self._all_messages.plain

    @cached_property
    def _moves(self) -> _core.moves.Moves:
        """Moves on the model; forbidden pairs lose what nothing can make up for."""
        model = self.model
        if model.forbids_pairs:
            model = penalised(model, 2.0 * (1.0 + decided_by(model)))
        return _core.moves.Moves(model.unary, model.pairs)

    def release(self) -> None:
        """Let go of the change of the unaries of a step, which takes up to twice the memory of the scores."""
        if "plain" in self._all_messages.__dict__:
            self._messages.release_linear()
        if "_moves" in self.__dict__:
            self._moves.set_linear(None)

    def pause(self) -> None:
        """Let go of the kernels of a large model, which take several times the memory of the scores."""
        if self.model.unary.size > _KEPT_SCORES:
            for kernel in ("_all_messages", "_moves"):
                self.__dict__.pop(kernel, None)
            _core.trim_memory()

    def keep(self, labeling: Labels, most: int) -> None:
        """Keep a labeling for later steps, and of the earlier ones so many that there are no more than `most`."""
        self.kept = [labeling, *self.kept][:most]


def expanded(
    solver: _core.moves.Moves,
    theta: Theta | None,
    labeling: Labels,
    candidates: NDArray[np.uint8] | None,
) -> Labels:
    """Improve a labeling of unary + theta by one round of expansion moves; its score never falls."""
    solver.set_linear(as_change(theta))
    return solver.expand(np.ascontiguousarray(labeling.reshape(-1), np.int32), candidates, 1)[0]
