# SPDX-License-Identifier: BSD-3-Clause
"""Swap moves: also with weights for transitions, whose flips are further starts (docs/theory.md 11).

``c min(1, k) = min over h in {0, 1} of c h + c (1 - h) k``: a transition is paid for once and free on every edge, or
paid for on every edge (Kohli, Osokin and Jegelka 2013). For given h messages solve the model; from the transitions of
a labeling one is flipped after the other, which no single move does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop._errors import InfeasibleError
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.base import Solver, Step
from hedgehop.oracles.effort import effort
from hedgehop.oracles.exactness import meets
from hedgehop.oracles.folding import changed_unary, fold
from hedgehop.oracles.pairwise.cuts import capacities_around
from hedgehop.oracles.pairwise.kernels import pair_tables, pass_messages, table_pairs
from hedgehop.oracles.pairwise.move_weights import MoveWeights
from hedgehop.oracles.pairwise.moves import MoveOracle, MoveSolver
from hedgehop.oracles.penalties import on_finite_pairs
from hedgehop.oracles.pool import Pool
from hedgehop.potentials import Potential
from hedgehop.potentials.transitions import used_transitions

_LOST_DIGITS = 1e-12  # of what is at stake, that a change of the unaries may lose to huge ones
_FLIPS_PER_LABELING = 12  # transitions to flip from one labeling
_FLIPPED_LABELINGS = 4  # labelings to flip from
_MOST_FLIPPED_ENTRIES = 50_000  # entries of all pairs' tables up to which flips are worth their time
_PASSES_PER_FLIP = 25


class Swap(MoveOracle):
    """Swap moves: variables of two labels are redistributed between them, in the best way, by minimum cuts.

    Expansion moves come first, because they reach further. With two labels one swap is the whole problem, and it is
    exact if pairs prefer to agree, labels and transitions cost, and whole regions are rewarded.

    Parameters
    ----------
    rounds : int
        How often each pair of labels is tried at most.
    bound_rounds : int
        How often the multipliers of the bound are improved.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> image = hh.Grid(np.random.default_rng(0).normal(size=(4, 4, 2)), smoothness=0.3)
    >>> cost = hh.potentials.TransitionWeights(-99.0 * (1 - np.eye(2)))
    >>> hh.best(image, cost, oracle=hh.oracles.Swap()).exact
    True
    """

    name = "swap"
    summary = "swap moves: weights of labels, transitions, regions of any sign; bounded, exact for easy binary ones"
    handles, pairs = "labels, transitions and regions", True

    def improved(self, moves: _core.moves.Moves, labeling: Labels) -> Labels:
        """Expand and swap in turn until swapping no longer helps."""
        for k in range(self.rounds):
            labeling, gained = moves.expand(labeling, None, self.rounds)
            if k > 0 and gained <= 0:  # swaps have ended where they are
                break
            labeling, gained = moves.swap(labeling, self.rounds)
            if gained <= 0:
                break
        return labeling

    def on(self, model: Model) -> Solver:
        return on_finite_pairs(self, model, partial(SwapSolver, self))


class SwapSolver(MoveSolver):
    """Solves one cut if that is exact, otherwise moves from several labelings."""

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Solve one cut if that is exact."""
        model = self.model
        theta, _, rest = fold(model, potentials)
        if not is_one_cut(model, rest):
            return super().maximize(potentials)
        weights = MoveWeights(model, rest)
        leads = _leads(model, theta, rest)
        with np.errstate(invalid="ignore"):
            changes = np.where(np.isneginf(model.unary), 0.0, leads - model.unary)
        keeps_digits = np.allclose(model.unary + changes, leads, rtol=0.0, atol=_LOST_DIGITS * model.spread)
        moves = self._moves if keeps_digits else _core.moves.Moves(np.ascontiguousarray(leads), model.pairs)
        weights.tell(moves, changes if keeps_digits else None)
        labeling = moves.swap(np.argmax(leads, axis=1).astype(np.int32), 1)[0]
        error = _error(model, leads, rest, weights.size)
        step = self.oracle.step(model, labeling, potentials, -np.inf)
        bound = step.value + error
        return replace(step, upper_bound=bound, exact=meets(model, step.value, bound, potentials, error))

    def search(self, pool: Pool, theta: Doubles | None, weights: MoveWeights) -> None:
        """Flip transitions of the best labeling while one of the first flips helps."""
        if not _can_flip(self.model, weights):
            return
        for _ in range(_FLIPPED_LABELINGS):
            before = pool.value
            starts = islice(_flipped(self.model, theta, weights, pool.top(1)[0]), _FLIPS_PER_LABELING)
            for start in starts:
                pool.add([start, self.oracle.improved(self._moves, start)])
            if pool.value <= before or effort().seconds == 0.0:
                break


def _leads(model: PairwiseModel, theta: Doubles | None, potentials: Sequence[Potential]) -> Doubles:
    """Scores below the best of each variable, (n, 2), none lower than what all else could make good.

    Constants and a few huge scores would cost the others their digits in the kernel's fixed point.
    """
    unary = changed_unary(model, theta)
    best = unary.max(axis=1, keepdims=True)
    if np.isneginf(best).any():
        raise InfeasibleError("some variable has no allowed label left.")
    reach = capacities_around(model, model.pairwise.spans(len(model.edges))) + sum(p.span() for p in potentials)
    leads = unary - best
    return np.where(np.isneginf(leads), -np.inf, np.maximum(leads, -reach[:, None]))


def _error(model: PairwiseModel, leads: Doubles, potentials: Sequence[Potential], size: int) -> float:
    """How much the kernel's rounding may cost: its unit is at most 2^-47 of the sum of all scores."""
    pairs = model.pairwise.spans(len(model.edges))
    largest = np.where(np.isfinite(leads), -leads, 0.0).max(axis=1)
    total = float(largest.sum()) + float(pairs.sum()) + sum(p.span() for p in potentials)
    return (model.n_variables + pairs.size + size) * total * 2.0**-47


def is_one_cut(model: PairwiseModel, potentials: Sequence[Potential]) -> bool:
    """Whether one swap of the two labels there are is exact: no reward needs a search."""
    two = bool((model.label_counts == 2).all())
    return two and model.prefers_agreement and MoveWeights(model, potentials).needs_no_search


def _can_flip(model: PairwiseModel, weights: MoveWeights) -> bool:
    """Whether there are transitions that cost, on a model of more than two labels that is small enough."""
    size = len(model.edges) * model.n_labels**2
    costs = any((table < 0).any() for table in weights.pairs.values())
    return (
        costs
        and size <= _MOST_FLIPPED_ENTRIES
        and bool((model.label_counts == model.n_labels).all())
        and model.n_labels > 2
    )


def _flipped(model: PairwiseModel, theta: Doubles | None, weights: MoveWeights, labeling: Labels) -> Iterator[Labels]:
    """Yield labelings in which one transition that `labeling` pays for is avoided, or another one is free."""
    ordered, table = next(iter(weights.pairs.items()))
    costs = np.minimum(0.0, table) * (1.0 - np.eye(model.n_labels))
    paid = used_transitions(model, labeling.reshape(1, -1), model.n_labels, ordered)[0]
    rows, columns = np.nonzero(costs if ordered else np.triu(costs))
    tables = pair_tables(model)
    for k in np.argsort(~paid[rows, columns], kind="stable"):  # those that are paid for first
        a, b = rows[k], columns[k]
        free = paid.copy()
        free[a, b] = not free[a, b]
        if not ordered:
            free[b, a] = free[a, b]
        prices = np.where(free, 0.0, costs)
        messages = _core.trws.Trws(model.unary, table_pairs(model, tables + prices))
        yield pass_messages(messages, model, theta, _PASSES_PER_FLIP)[0].reshape(-1)
