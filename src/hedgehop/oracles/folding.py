# SPDX-License-Identifier: BSD-3-Clause
"""Potentials folded into a model's scores, and what many oracles ask first about a model and its potentials."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hedgehop._arrays import Doubles, Labels, linear_scores
from hedgehop.models import Model, PairwiseModel, UnaryModel
from hedgehop.potentials import Constant, Linear, Potential


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


def nonlinear(potentials: Iterable[Potential]) -> list[Potential]:
    """Potentials that are more than a change of the unaries and a constant; what `fold` calls the rest, unfolded."""
    return [p for p in potentials if not isinstance(p, (Linear, Constant))]


def changed_unary(model: UnaryModel, theta: Doubles | None) -> Doubles:
    """Return the unaries of a model with a change, as C-ordered doubles."""
    unary = np.ascontiguousarray(model.unary, np.float64)
    return unary if theta is None else unary + theta


def values_of(model: UnaryModel, theta: Doubles | None, flat: Labels) -> Doubles:
    """Return the scores of (m, n) labelings with a change of the unaries."""
    values = np.atleast_1d(np.asarray(model.score(flat), np.float64))  # one row of a one-row grid is a labeling
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
