# SPDX-License-Identifier: BSD-3-Clause
"""What is left to solve once the labels of some variables are known: often little, and narrow enough to be exact.

Labels are known by the scores alone (``sure_labels``), or because every labeling with another one is proven to be no
better than a labeling that was found (``worse_labels``). Edges to known labels become scores of the other end, so that
the rest is a model of its own. What its labelings differ by, those of the whole model differ by.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models.base import Model
from hedgehop.models.factor_graph import FactorGraph
from hedgehop.models.grid import Grid
from hedgehop.models.pairwise import EdgeTables, PairwiseModel, PairwiseScores, Potts
from hedgehop.oracles.base import Step
from hedgehop.oracles.exactness import ties
from hedgehop.oracles.folding import Theta, as_change, changed_unary, fold, nonlinear, not_pairwise
from hedgehop.oracles.pairwise.kernels import bounds_by_label, message_solver, pair_tables, pass_messages
from hedgehop.potentials import Constant, Linear, Potential
from hedgehop.potentials.ball_unions import BallGain

BestWithLabels = Callable[[Sequence[Potential]], "Doubles | None"]  # the best value with each label, (n, L), if known
UNKNOWN = -1
_PASSES_FOR_PROGRAMS = 50  # of messages, before labels are left out of a program
_MOST_UNKNOWN = 0.5  # of the variables: if more are left, the whole model may as well be solved


def sure_labels(model: PairwiseModel, theta: Theta | None) -> Labels | None:
    """Return labels that every best labeling of unary + theta has, UNKNOWN where that is open; None if few are known.

    A label that leads by more than the edges around its variable can make up for is right; its edges are then scores
    of the neighbours, and so on.
    """
    unary, change = np.ascontiguousarray(model.unary), as_change(theta)
    if isinstance(model, Grid):  # no list of edges
        grid = model.shape, model.connectivity, model.strengths
        labels = _core.scores.grid_sure_labels(unary, change, model.reaches, *grid)
    elif isinstance(model.pairwise, Potts):
        strengths = np.ascontiguousarray(model.pairwise.strengths, np.float64)
        labels = _core.scores.sure_labels(unary, change, model.reaches, model.edges, strengths)
    else:
        return None
    return labels if _are_enough(labels) else None


def worse_labels(
    model: PairwiseModel, theta: Doubles | None, messages: _core.trws.Trws, labeling: Labels, least: float
) -> NDArray[np.bool_]:
    """Return which labels (n, L) belong only to labelings below `least`, by the messages as they are.

    `labeling` is a known one, whose labels are kept.
    """
    return _kept((bounds_by_label(messages) < least) | np.isneginf(changed_unary(model, theta)), labeling)


def without_worse_labels(
    model: Model, potentials: Sequence[Potential], known: Step, marginals: BestWithLabels | None = None
) -> list[Potential]:
    """Return the potentials and one that forbids labels of no better labeling, if any are known (docs/theory.md 11).

    No function of counts adds more than its largest value; messages, or the algorithm of a structure, bound what all
    labelings with label l at variable i score. `marginals`: how to ask for these where there are no messages.
    """
    rest = nonlinear(potentials)
    most = sum(_most(model, p) for p in rest)
    bounds = _bounds(model, potentials, marginals) if rest and most < np.inf else None
    if bounds is None:
        return list(potentials)
    worse = _kept(bounds < known.value - ties(model, known.value, rest) - most, known.labeling)
    return [*potentials, Linear(own(np.where(worse, -np.inf, 0.0)))] if worse.any() else list(potentials)


def _bounds(model: Model, potentials: Sequence[Potential], marginals: BestWithLabels | None) -> Doubles | None:
    """Return what all labelings with a label score at most by linear potentials, (n, L); None if that is not known."""
    if not isinstance(model, PairwiseModel):
        return None if marginals is None else marginals([p for p in potentials if isinstance(p, (Linear, Constant))])
    if not_pairwise(model):
        return None
    theta, constant, _ = fold(model, potentials)
    solver = message_solver(model)
    pass_messages(solver, model, theta, _PASSES_FOR_PROGRAMS)
    return np.asarray(bounds_by_label(solver) + constant)


def _kept(worse: NDArray[np.bool_], labeling: Labels) -> NDArray[np.bool_]:
    """Leave out no label of a known labeling."""
    worse[np.arange(len(worse)), labeling.reshape(-1)] = False
    return worse


def _most(model: Model, potential: Potential) -> float:
    """More than which a potential never adds; inf if that is not known."""
    if isinstance(potential, BallGain):  # between nothing and a whole ball
        return potential.span()
    counts = potential.counts(model)
    return np.inf if counts is None else sum(count.function.most for count in counts)


def known_labels(worse: NDArray[np.bool_], labeling: Labels) -> Labels | None:
    """Return the labels of a labeling where all others are worse, UNKNOWN elsewhere; None if they are few."""
    only = worse.sum(axis=1) == worse.shape[1] - 1
    labels = np.where(only, labeling.reshape(-1), UNKNOWN).astype(np.int32)
    return labels if _are_enough(labels) else None


def _are_enough(labels: Labels) -> bool:
    return bool(np.count_nonzero(labels == UNKNOWN) <= _MOST_UNKNOWN * labels.size)


@dataclass(frozen=True)
class Rest:
    """The variables whose labels are not known, as a model.

    Attributes
    ----------
    known : (n,) labels
        Of all variables, UNKNOWN where the rest decides.
    open : (k,) ints
        Those variables.
    model : FactorGraph or None
        Their scores; a constant is left out. None if there are none.
    labels : (k, K) labels or None
        What the labels of the rest are in the whole model; None if they are the same.
    """

    known: Labels
    open: NDArray[np.intp]
    model: FactorGraph | None = None
    labels: Labels | None = None

    @staticmethod
    def of(
        model: PairwiseModel,
        theta: Theta | None,
        known: Labels,
        at_stake: float,
        worse: NDArray[np.bool_] | None = None,
    ) -> Rest:
        """Return the rest of unary + theta, without labels that are worse.

        Rounding in it is measured against what is at stake in the whole.
        """
        variables = np.flatnonzero(known == UNKNOWN)
        if not variables.size:
            return Rest(known, variables)
        unary = model.unary[variables].astype(np.float64)
        if theta is not None:
            unary += theta[variables] if isinstance(theta, np.ndarray) else theta.rows(variables)
        edges, inner = _left(model, known, variables, unary)
        labels = None if worse is None else _fewer(worse[variables], unary)
        if labels is not None:
            unary = np.take_along_axis(unary, labels, axis=1)
        left = object.__new__(FactorGraph)
        counts = model.label_counts[variables] if labels is None else np.full(variables.size, labels.shape[1], np.int32)
        left._set(unary=own(unary), label_counts=own(counts), shape=(variables.size,), _edges=own(edges))
        left._set(_pairwise=_scores(model, edges, inner, labels), _stakes=model._stakes._replace(spread=at_stake))
        return Rest(known, variables, left, labels)

    def completed(self, labeling: Labels | None) -> Labels:
        """Return the labeling of all variables that a labeling of the rest makes."""
        whole: Labels = self.known.copy()
        if labeling is not None:
            flat = labeling.reshape(-1)
            whole[self.open] = flat if self.labels is None else self.labels[np.arange(flat.size), flat]
        return whole


def _fewer(worse: NDArray[np.bool_], unary: Doubles) -> Labels:
    """Return the labels of each variable that are not worse, (k, K), filled up with worse ones, which are forbidden."""
    unary[worse] = -np.inf
    most = int((~worse).sum(axis=1).max())
    return np.asarray(np.argsort(worse, axis=1, kind="stable")[:, :most], np.int32)


def _left(
    model: PairwiseModel, known: Labels, variables: NDArray[np.intp], unary: Doubles
) -> tuple[Labels, NDArray[np.intp]]:
    """Return edges between unknown labels, and which of the model's these are; others are added to the unaries."""
    place = np.full(model.n_variables, UNKNOWN, np.int32)
    place[variables] = np.arange(variables.size)
    numbers, pairs = _edges_at(model, place != UNKNOWN)
    ends = place[pairs]
    is_open = ends != UNKNOWN
    for here, there in ((0, 1), (1, 0)):
        some = np.flatnonzero(is_open[:, here] & ~is_open[:, there])
        _add_scores(model, numbers[some], here, ends[some, here], known[pairs[some, there]], unary)
    inner = np.flatnonzero(is_open[:, 0] & is_open[:, 1])
    return np.ascontiguousarray(ends[inner]), numbers[inner]


def _edges_at(model: PairwiseModel, chosen: NDArray[np.bool_]) -> tuple[NDArray[np.intp], Labels]:
    """Return which edges have a chosen end, and both ends of these; few where few are chosen."""
    if isinstance(model, Grid):  # no list of edges
        return model.edges_at(chosen)
    some = np.flatnonzero(chosen[model.edges[:, 0]] | chosen[model.edges[:, 1]])
    return some, model.edges[some]


def _add_scores(
    model: PairwiseModel, some: NDArray[np.intp], here: int, rows: Labels, labels: Labels, unary: Doubles
) -> None:
    """Add what some edges give to each label of one end, `here`, if the other end has a known label."""
    if isinstance(model.pairwise, Potts):
        np.add.at(unary, (rows, labels), model.pairwise.strengths[some])
        return
    tables, each = pair_tables(model, some), np.arange(some.size)
    np.add.at(unary, rows, tables[each, :, labels] if here == 0 else tables[each, labels, :])


def _scores(model: PairwiseModel, edges: Labels, inner: NDArray[np.intp], labels: Labels | None) -> PairwiseScores:
    """Return the scores of the edges that are left."""
    if labels is None and isinstance(model.pairwise, Potts):
        return Potts(own(model.pairwise.strengths[inner].astype(np.float64)))
    if labels is None:
        return EdgeTables(pair_tables(model, inner))
    first, second = labels[edges[:, 0]][:, :, None], labels[edges[:, 1]][:, None, :]
    if isinstance(model.pairwise, Potts):
        strengths = model.pairwise.strengths[inner].astype(np.float64)
        return EdgeTables(-strengths[:, None, None] * (first != second))
    return EdgeTables(pair_tables(model, inner)[np.arange(inner.size)[:, None, None], first, second])
