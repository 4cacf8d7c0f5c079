# SPDX-License-Identifier: BSD-3-Clause
"""A model as rows of a linear program: the local polytope of pairwise scores, or a structure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles
from hedgehop._errors import InfeasibleError
from hedgehop.models import PairwiseModel, Potts, UnaryModel
from hedgehop.oracles.folding import changed_unary
from hedgehop.oracles.pairwise.kernels import pair_tables
from hedgehop.oracles.program.ball_rows import add_ball, add_envelope
from hedgehop.oracles.program.count_rows import add_count
from hedgehop.oracles.program.program import ColumnIndices, LinearProgram
from hedgehop.oracles.program.structure_rows import encoder
from hedgehop.potentials import CountFunction, Envelope
from hedgehop.potentials.ball_unions import BallGain


class Encoded:
    """A program with a model in it: ``x[i, l]`` says whether variable i takes label l.

    ``pairs[e, a, b]`` says whether edge e carries the labels (a, b); created only if pairs are needed
    (tables, transitions), because Potts edges need only one column per label.
    """

    def __init__(self, model: UnaryModel, theta: Doubles | None, pairs: bool, reach: float) -> None:
        self.model = model
        self.program = LinearProgram()
        self.balls: list[tuple[BallGain, int]] = []  # whose columns are upper bounds, to be tightened by cuts
        unary = changed_unary(model, theta)
        best = unary.max(axis=1)
        if np.isneginf(best).any():
            raise InfeasibleError(f"variable {int(np.argmin(best))} has no allowed label left.")
        self.constant = float(best.sum())  # what every labeling scores beside the program
        allowed = np.isfinite(unary) & ~_hopeless(model, unary - best[:, None], reach)
        gain = np.where(allowed, unary - best[:, None], 0.0)
        count = unary.size
        self.x: ColumnIndices = self.program.columns(count, gain.ravel(), high=allowed.ravel(), integer=True).reshape(
            unary.shape
        )
        self.program.rows(self.x, 1.0, low=1.0, high=1.0)
        self.pairs: NDArray[np.int64] | None = None
        self.program.zero_one = self.program.n_columns
        if isinstance(model, PairwiseModel):
            self._add_joint_scores(model, pairs)
            self.program.zero_one = self.program.n_columns  # products of those before: so are pairs and cliques
        else:
            write = encoder(model)
            assert write is not None  # see `Ilp.refusal`
            write(self.program, self.x, model)

    def label(self, chosen: Doubles) -> NDArray[np.int32]:
        """Read a labeling off a solution."""
        return np.asarray(np.argmax(chosen[self.x], axis=1), np.int32)

    def add_count(self, count: CountFunction) -> None:
        """Add a function of a count to the objective."""
        add_count(self, count)

    def add_ball(self, potential: BallGain) -> None:
        """Add the gain of a ball over a union of balls to the objective."""
        add_ball(self, potential)

    def add_envelope(self, potential: Envelope) -> None:
        """Add an upper envelope of linear functions to the objective."""
        add_envelope(self, potential)

    def _add_joint_scores(self, model: PairwiseModel, pairs: bool) -> None:
        if len(model.edges):
            if pairs or not isinstance(model.pairwise, Potts):
                self._add_pairs(model)
            else:
                self._add_potts(model, model.pairwise.strengths.astype(np.float64))
        shapes = {clique.table.shape: None for clique in model.cliques}
        for shape in shapes:  # those of one shape together: one by one, rows took longer than their solution
            alike = [clique for clique in model.cliques if clique.table.shape == shape]
            tables = np.array([clique.table for clique in alike], np.float64)
            self._add_cliques(np.array([clique.variables for clique in alike]), tables)

    def _add_potts(self, model: PairwiseModel, strengths: Doubles) -> None:
        """Score ``-s + s * sum_l both[l]`` with ``both[l] <= x_i[l], x_j[l]``: as tight as the full table."""
        i, j = model.edges.T
        n_labels = model.n_labels
        both = self.program.columns(len(i) * n_labels, np.repeat(strengths, n_labels))
        self.constant -= float(strengths.sum())
        for end in (i, j):
            self.program.rows(np.stack([both, self.x[end].ravel()], axis=1), [1.0, -1.0], high=0.0)

    def _add_pairs(self, model: PairwiseModel) -> None:
        program, n_labels = self.program, model.n_labels
        tables = pair_tables(model)
        allowed = np.isfinite(tables)
        gain = np.where(allowed, tables, 0.0)
        self.pairs = program.columns(tables.size, gain.ravel(), high=allowed.ravel()).reshape(tables.shape)
        i, j = model.edges.T
        for table, end in ((self.pairs, i), (self.pairs.transpose(0, 2, 1), j)):
            sums = table.reshape(-1, n_labels)  # sum over the other end's labels equals x
            ends = self.x[end].reshape(-1, 1)
            program.rows(np.concatenate([sums, ends], axis=1), [1.0] * n_labels + [-1.0], low=0.0, high=0.0)

    def _add_cliques(self, variables: NDArray[np.int64], tables: Doubles) -> None:
        allowed = np.isfinite(tables)
        gain = np.where(allowed, tables, 0.0)
        cells = self.program.columns(tables.size, gain.ravel(), high=allowed.ravel()).reshape(tables.shape)
        for axis in range(variables.shape[1]):
            for label in range(tables.shape[axis + 1]):
                members = np.take(cells, label, axis=axis + 1).reshape(len(tables), -1)
                ends = self.x[variables[:, axis], label][:, None]
                factors = [1.0] * members.shape[1] + [-1.0]
                self.program.rows(np.concatenate([members, ends], axis=1), factors, low=0.0, high=0.0)


def _hopeless(model: UnaryModel, below: Doubles, reach: float) -> NDArray[np.bool_]:
    """Labels so far below the best that nothing else could make up for it: they are in no best labeling.

    Large finite scores ("-1e9 forbids") would otherwise drown everything else in the solver's tolerances.
    `reach` is the most that potentials can differ; edges differ by their largest minus their least score.
    """
    if not isinstance(model, PairwiseModel) or model.cliques or not np.isfinite(reach):
        return np.zeros(below.shape, bool)
    return np.asarray(below < -(reach + model.reaches)[:, None] * (1 + 1e-9))
