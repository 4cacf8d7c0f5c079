# SPDX-License-Identifier: BSD-3-Clause
"""Potentials folded into a model's scores, and what many oracles ask first about a model and its potentials."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels, linear_scores
from hedgehop.models import Model, PairwiseModel, UnaryModel
from hedgehop.potentials import Constant, Linear, Potential
from hedgehop.potentials.cells import CellLinear

Theta = Doubles | _core.scores.CellScores  # of the unaries: a table, or by cell


def fold(model: Model, potentials: Iterable[Potential]) -> tuple[Doubles | None, float, list[Potential]]:
    """Split potentials into one change of the unaries (None if there is none), a constant, and the rest."""
    theta: Doubles | None = None
    constant = 0.0
    rest: list[Potential] = []
    for potential in potentials:
        potential.check(model)
        if isinstance(potential, Linear):
            theta = potential.theta if theta is None else theta + potential.theta
        elif isinstance(potential, Constant):
            constant += potential.amount
        else:
            rest.append(potential)
    return theta, constant, rest


def fold_change(model: Model, potentials: Sequence[Potential]) -> tuple[Theta | None, float]:
    """Return the change of the unaries by linear potentials, by cell if it is known so, and a constant."""
    linear = [p for p in potentials if isinstance(p, Linear)]
    if len(linear) == 1 and isinstance(linear[0], CellLinear):
        linear[0].check(model)
        return linear[0].scores, fold(model, [p for p in potentials if p is not linear[0]])[1]
    theta, constant, _ = fold(model, potentials)
    return as_change(theta), constant


def as_change(theta: Theta | None) -> Theta | None:
    """Return a change as kernels take it."""
    return np.ascontiguousarray(theta, np.float64) if isinstance(theta, np.ndarray) else theta


def table_of(theta: Theta | None) -> Doubles | None:
    """Return a change of the unaries as a table, (n, L)."""
    return theta.rows(np.arange(theta.shape[0])) if isinstance(theta, _core.scores.CellScores) else theta


def nonlinear(potentials: Iterable[Potential]) -> list[Potential]:
    """Potentials that are more than a change of the unaries and a constant; what `fold` calls the rest, unfolded."""
    return [p for p in potentials if not isinstance(p, (Linear, Constant))]


def changed_unary(model: UnaryModel, theta: Doubles | None) -> Doubles:
    """Return the unaries of a model with a change, as C-ordered doubles."""
    unary = np.ascontiguousarray(model.unary, np.float64)
    return unary if theta is None else unary + theta


def values_of(model: UnaryModel, theta: Theta | None, flat: Labels) -> Doubles:
    """Return the scores of (m, n) labelings with a change of the unaries."""
    values = np.atleast_1d(np.asarray(model.score(flat), np.float64))  # one row of a one-row grid is a labeling
    if isinstance(theta, _core.scores.CellScores):
        return values + theta.values(np.ascontiguousarray(flat, np.int32))
    return values if theta is None else values + linear_scores(theta, flat)


def kinds(potentials: Iterable[Potential]) -> str:
    """Names of the kinds of potentials, for messages."""
    return ", ".join(sorted({type(p).__name__ for p in potentials}))


def not_pairwise(model: Model) -> str | None:
    """Return why a model is not one of unary and pairwise scores alone; None if it is."""
    if not isinstance(model, PairwiseModel):
        return f"{type(model).__name__} has no unary and pairwise scores"
    return "the model has cliques of three or more variables" if model.cliques else None


def not_finite_pairs(model: Model) -> str | None:
    """Return why a model is not one of unary and finite pairwise scores alone; None if it is."""
    forbids = isinstance(model, PairwiseModel) and model.forbids_pairs
    return not_pairwise(model) or ("some pair of labels is forbidden (-inf)" if forbids else None)


def not_linear(model: Model, potentials: Sequence[Potential]) -> str | None:
    """Return why potentials are more than a change of the unaries; None if they are not."""
    rest = nonlinear(potentials)
    return f"it handles linear potentials only, not {kinds(rest)}" if rest else None
