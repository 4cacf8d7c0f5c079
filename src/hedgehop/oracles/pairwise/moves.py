# SPDX-License-Identifier: BSD-3-Clause
"""What expansion and swap share: weights for the kernel, where to start, and the bound (docs/theory.md 11)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property, partial

import numpy as np

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Labels
from hedgehop._errors import InfeasibleError
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.base import Oracle, Solver, Step
from hedgehop.oracles.branching import CostBranches, can_branch
from hedgehop.oracles.effort import effort
from hedgehop.oracles.folding import changed_unary, fold, kinds, nonlinear, not_pairwise
from hedgehop.oracles.pairwise.kernels import CLOSE_GAP, ROUNDING_GAP, PairwiseSolver, expanded, pass_messages
from hedgehop.oracles.pairwise.label_sets import LabelSets
from hedgehop.oracles.pairwise.move_weights import MoveWeights, understood
from hedgehop.oracles.pairwise.part_bounds import PartBounds
from hedgehop.oracles.pairwise.trws import repaired
from hedgehop.oracles.penalties import on_finite_pairs
from hedgehop.oracles.pool import Pool
from hedgehop.oracles.relaxation.multipliers import break_even_losses
from hedgehop.oracles.relaxation.subgradient import bound_by_messages, has_tables, without_codes
from hedgehop.potentials import Potential
from hedgehop.potentials.counts import CountFunction, LabelClasses, PairClasses, threshold

_STARTS_BY_SIZE = ((10_000, 3), (200_000, 2))  # labelings to improve, up to so many scores; beyond, one
_FEWER_LABELS_FROM = 20_000  # scores from which label costs are left to messages with fewer labels
_FEWER_ROUNDS_FROM = 200_000  # scores from which bounds by parts are given less time
_BRANCHES_BY_SIZE = ((500, 2_000), (2_000, 200), (20_000, 40), (200_000, 12))  # of costs, up to so many scores
_FEWEST_BRANCHES = 4  # beyond
_ROUNDS = 20  # of the multipliers of a bound: with fewer of them, branches are fewer, too
_BRANCHES_FOR_LABELINGS = 6  # if they are too few for a bound
_MOST_STARTS = 10  # labelings of earlier steps to start from
_BIASES_PER_LABEL = 6  # tried on one label
_LEAST_BIAS = 1e-3  # of the weight


class MoveOracle(Oracle):
    """Moves from several labelings until none helps, bounded by TRW-S with multipliers (C++).

    Parameters
    ----------
    rounds : int
        How often each label, or pair of labels, is tried at most.
    bound_rounds : int
        How often the multipliers of the bound are improved; branches on what costs are fewer if this is below 20.
    """

    handles: str
    pairs = False  # whether pairs of labels on edges may have weights

    def __init__(self, rounds: int = 20, bound_rounds: int = _ROUNDS) -> None:
        self.rounds = _arrays.count(rounds, "rounds")
        self.bound_rounds = _arrays.count(bound_rounds, "bound_rounds")

    @abstractmethod
    def improved(self, moves: _core.moves.Moves, labeling: Labels) -> Labels:
        """Return the labeling after moves; its score never falls."""

    def on(self, model: Model) -> Solver:
        """Return a solver that keeps its kernels, and the labelings found so far."""
        return on_finite_pairs(self, model, partial(MoveSolver, self))

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse cliques, and potentials of other kinds."""
        reason = not_pairwise(model)
        if reason is not None:
            return reason
        assert isinstance(model, PairwiseModel)
        rest = nonlinear(potentials)
        other = [p for p in rest if not understood(model, p, self.pairs)]
        if other:
            return f"it handles weights of {self.handles} and linear potentials, not {kinds(other)}"
        codes = (c.codes for p in rest for c in p.counts(model) or ())
        if len({c.ordered for c in codes if isinstance(c, PairClasses)}) > 1:
            return "it handles ordered transitions or unordered ones, not both at once"
        return None


class MoveSolver(PairwiseSolver):
    """Keeps the kernels of moves and messages, and the best labelings of earlier steps."""

    oracle: MoveOracle

    @cached_property
    def parts(self) -> PartBounds:
        """Bounds by parts of labels, and their prices."""
        return PartBounds(self.model)

    def for_bounds(self) -> MoveSolver:
        """Return a solver that begins with the same labelings and prices."""
        other = type(self)(self.oracle, self.model)
        other.kept, other.__dict__["parts"] = list(self.kept), self.parts.copy()
        return other

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Move from the best labelings known, then bound what any labeling could reach."""
        model, moves = self.model, self._moves
        theta, constant, rest = fold(model, potentials)
        weights = MoveWeights(model, rest)
        first, _, _ = pass_messages(self._messages, model, theta, 10)
        pool = Pool(model, potentials, ())
        pool.add([first.reshape(-1), *self.kept, *_simple(model, theta)])
        if not pool.labelings:
            raise InfeasibleError("no allowed labeling was found to start from. Use oracle='ilp'.")
        if (weights.label_costs > 0).any():
            pool.add([self._fewer_labels(theta, rest, weights, first)])
        settled = weights.is_settled_by_labels and model.unary.size > _FEWER_LABELS_FROM
        if not settled:
            self._move(pool, theta, weights)
        if not effort().needs_bounds:
            self.keep(pool.top(1)[0], _MOST_STARTS)
            return self.oracle.step(model, self.kept[0], potentials, np.inf)
        known, bound = len(pool.labelings), self._bound_by_branches(pool, theta, constant, weights)
        best, reached = pool.top(1)[0], pool.value - constant
        if bound > reached + CLOSE_GAP * model.spread:
            other, found = bound_by_messages(
                self._all_messages, model, theta, weights.counts, best, reached, self.oracle.bound_rounds
            )
            bound = min(bound, other)
            pool.add(np.array(found).reshape(-1, best.size))
        fresh = range(known, len(pool.labelings))
        is_in_time = effort().seconds > 0.0
        if (
            is_in_time and fresh and not settled and bound + constant > pool.value
        ):  # multipliers lead to other labelings
            weights.tell(moves, theta)
            pool.add([self.oracle.improved(moves, pool.labelings[max(fresh, key=pool.values.__getitem__)])])
        self.keep(pool.top(1)[0], _MOST_STARTS)
        if is_in_time and bound + constant > pool.value:
            bound = min(bound, self._bound_by_parts(theta, weights, pool.value - constant))
        return self.oracle.step(model, self.kept[0], potentials, bound + constant)

    def _move(self, pool: Pool, theta: Doubles | None, weights: MoveWeights) -> None:
        """Improve the best labelings found so far, and search from what is reached."""
        model, moves = self.model, self._moves
        weights.tell(moves, theta)
        starts = pool.top(next((count for size, count in _STARTS_BY_SIZE if model.unary.size <= size), 1))
        if model.unary.size <= _FEWER_ROUNDS_FROM:
            starts += _resized(moves, changed_unary(model, theta), theta, weights, starts[0])
        pool.add([self.oracle.improved(moves, y) for y in starts])
        self.search(pool, theta, weights)

    def _fewer_labels(
        self, theta: Doubles | None, rest: Sequence[Potential], weights: MoveWeights, labeling: Labels
    ) -> Labels:
        """Return a labeling with fewer labels if they cost, polished by moves that know no weights."""
        sets = LabelSets(self._messages, self.model, theta, rest, labeling)
        sets.shrink(weights.label_costs)
        sets.settle(50)
        MoveWeights(self.model, ()).tell(self._moves, None)
        found = repaired(self._messages, self._moves, self.model, sets.theta, sets.labeling, 0.0)
        self.release()  # of what was left out, which bounds are not about
        return found

    def _bound_by_branches(self, pool: Pool, theta: Doubles | None, constant: float, weights: MoveWeights) -> float:
        """If labels and transitions cost, branch on which of them are paid for; inf if that is of no help."""
        model, pairs = self.model, bool(weights.pairs)
        if not can_branch(weights.counts) or (pairs and not has_tables(model)):
            return np.inf
        most = next((count for size, count in _BRANCHES_BY_SIZE if model.unary.size <= size), _FEWEST_BRANCHES)
        most = max(_FEWEST_BRANCHES, most * min(self.oracle.bound_rounds, _ROUNDS) // _ROUNDS)
        if model.unary.size > _FEWER_LABELS_FROM and len(weights.counts) > most:  # multipliers bound it better
            return np.inf
        if len(weights.counts) > most:  # as above, but branches find labelings
            most = min(most, _BRANCHES_FOR_LABELINGS)
        without = without_codes(self._all_messages, model, theta, pairs)

        def relaxed(avoided: Sequence[CountFunction]) -> tuple[Labels, float]:
            labeling, bound = without(avoided)
            pool.add([labeling])
            return labeling, bound

        enough = (ROUNDING_GAP if model.is_forest else CLOSE_GAP) * model.spread
        return CostBranches(weights.counts, relaxed).run(lambda: pool.value - constant, enough, most)

    def _bound_by_parts(self, theta: Doubles | None, weights: MoveWeights, reached: float) -> float:
        """Spend about as long as on the step itself."""
        rounds, large = self.oracle.bound_rounds, self.model.unary.size > _FEWER_ROUNDS_FROM
        return self.parts(theta, weights, reached, rounds // 2 if large else rounds)

    def search(self, pool: Pool, theta: Doubles | None, weights: MoveWeights) -> None:
        """Add labelings that moves from the first starts do not reach; the kernel knows all terms."""


def _simple(model: PairwiseModel, theta: Doubles | None) -> list[Labels]:
    """The locally best labeling, and the constant ones."""
    unary = model.unary if theta is None else changed_unary(model, theta)
    constants = np.flatnonzero(np.isfinite(unary).all(axis=0))
    constant = [np.full(model.n_variables, k, np.int32) for k in constants]
    return [np.argmax(unary, axis=1).astype(np.int32), *constant]


def _resized(
    moves: _core.moves.Moves, unary: Doubles, theta: Doubles | None, weights: MoveWeights, start: Labels
) -> list[Labels]:
    """Return labelings in which one label reaches the size its reward asks for, or falls below that of its cost.

    No single variable earns such a reward, or saves such a cost, so that moves would not find them by themselves.
    """
    if not weights.sized:
        return []
    codes = weights.sized[0].codes
    assert isinstance(codes, LabelClasses)  # those of the labels themselves
    losses = codes.losses(unary, start)
    wanted: dict[tuple[int, int], tuple[int, float]] = {}  # size and bias by label and sign, the farthest size of each
    for count in sorted(weights.sized, key=lambda c: np.sign(threshold(c).weight) * threshold(c).start):
        rises, needs = threshold(count), break_even_losses(count, start, losses)
        if needs.size:
            bias = max(float(needs[-1]), _LEAST_BIAS * abs(rises.weight))
            wanted[count.code, int(np.sign(rises.weight))] = int(rises.start) + 1, bias
    MoveWeights(weights.model, ()).tell(moves, None)
    base = np.zeros(unary.shape) if theta is None else theta
    found = [_biased(moves, base, label, sign, size, bias, start) for (label, sign), (size, bias) in wanted.items()]
    weights.tell(moves, theta)
    return [y for y in found if y is not None]


def _biased(
    moves: _core.moves.Moves, theta: Doubles, label: int, sign: int, size: int, bias: float, start: Labels
) -> Labels | None:
    """Return a labeling after moves under the smallest tried bias on a label that carries it over a size, or below."""
    only = np.full(theta.shape, sign < 0, np.uint8)
    only[:, label] = sign > 0
    for _ in range(_BIASES_PER_LABEL if np.isfinite(bias) else 0):
        changed = theta.copy()
        changed[:, label] += sign * bias
        labeling = expanded(moves, changed, start, only)
        if ((labeling == label).sum() >= size) == (sign > 0):
            return labeling
        bias *= 1.5
    return None
