# SPDX-License-Identifier: BSD-3-Clause
"""What expansion and swap share: weights for the kernel, where to start, and the bound (docs/theory.md 11)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop._errors import InfeasibleError
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.base import Oracle, Solver, Step
from hedgehop.oracles.folding import fold, kinds, not_finite_pairs
from hedgehop.oracles.pairwise.kernels import message_solver, pass_messages
from hedgehop.oracles.relaxation.pool import Pool
from hedgehop.oracles.relaxation.subgradient import bound_by_messages
from hedgehop.potentials import LabelWeights, Potential, RegionWeights, TransitionWeights

_STARTS = 3  # labelings to improve
_LARGE = 200_000  # scores from which one start has to do
_MOST_STARTS = 10  # labelings of earlier steps to start from


class MoveOracle(Oracle):
    """Moves from several labelings until none helps, bounded by TRW-S with multipliers (C++).

    Parameters
    ----------
    rounds : int
        How often each label, or pair of labels, is tried at most.
    bound_rounds : int
        How often the multipliers of the bound are improved.
    """

    handles: tuple[type[Potential], ...]

    def __init__(self, rounds: int = 20, bound_rounds: int = 20) -> None:
        self.rounds = rounds
        self.bound_rounds = bound_rounds

    @abstractmethod
    def improved(self, moves: _core.moves.Moves, labeling: Labels) -> Labels:
        """Return the labeling after moves; its score never falls."""

    def on(self, model: Model) -> MoveSolver:
        """Return a solver that keeps its kernels, and labelings met."""
        return MoveSolver(self, model)

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse cliques, forbidden pairs, and potentials of other kinds."""
        _, _, rest = fold(model, potentials)
        other = [p for p in rest if not isinstance(p, self.handles)]
        reason = not_finite_pairs(model)
        if reason is not None:
            return reason
        if other:
            return f"it handles {', '.join(k.__name__ for k in self.handles)} and linear potentials, not {kinds(other)}"
        if len({p.ordered for p in rest if isinstance(p, TransitionWeights)}) > 1:
            return "it handles ordered transitions or unordered ones, not both at once"
        return None


class MoveSolver(Solver):
    """Keeps the kernels of moves and messages, and the best labelings of earlier steps."""

    oracle: MoveOracle
    model: PairwiseModel

    def __init__(self, oracle: MoveOracle, model: Model) -> None:
        super().__init__(oracle, model)
        self._labelings: list[Labels] = []

    @cached_property
    def _messages(self) -> _core.trws.Trws:
        return message_solver(self.model)

    @cached_property
    def _moves(self) -> _core.moves.Moves:
        return _core.moves.Moves(self.model.unary, self.model.pairs)

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Move from the best labelings known, then bound what any labeling could reach."""
        model, moves = self.model, self._moves
        theta, constant, rest = fold(model, potentials)
        first, _, _ = pass_messages(self._messages, theta, 10)
        pool = Pool(model, potentials, ())
        pool.add([first.reshape(-1), *self._labelings, *_simple(model, theta)])
        if not pool.labelings:
            raise InfeasibleError("no start of moves is allowed; use oracle='ilp'.")
        weigh(moves, model, theta, rest)
        starts = pool.top(_STARTS)
        starts += _resized(moves, model, theta, rest, starts[0])
        pool.add([self.oracle.improved(moves, y) for y in (starts if model.unary.size <= _LARGE else starts[:1])])
        best, reached = pool.top(1)[0], pool.value - constant
        bound, met = bound_by_messages(self._messages, model, theta, rest, best, reached, self.oracle.bound_rounds)
        fresh = range(len(pool.labelings), len(pool.labelings) + len(pool.add(np.array(met).reshape(-1, best.size))))
        if fresh:  # multipliers lead to other labelings
            weigh(moves, model, theta, rest)
            pool.add([self.oracle.improved(moves, pool.labelings[max(fresh, key=pool.values.__getitem__)])])
        self._labelings = [pool.top(1)[0], *self._labelings][:_MOST_STARTS]
        return self.oracle.step(model, self._labelings[0], potentials, bound + constant)


def weigh(
    moves: _core.moves.Moves, model: PairwiseModel, theta: Doubles | None, potentials: Sequence[Potential]
) -> None:
    """Tell the kernel all terms beside the model's own."""
    moves.set_linear(None if theta is None else np.ascontiguousarray(theta, np.float64))
    labels = [p for p in potentials if isinstance(p, LabelWeights)]
    least = np.array([p.least_count(model.n_variables) for p in labels], np.int64)
    moves.set_label_weights(np.array([p.w for p in labels], np.float64) if labels else None, least if labels else None)
    pairs = [p for p in potentials if isinstance(p, TransitionWeights)]
    total = np.ascontiguousarray(np.sum([p.w for p in pairs], axis=0), np.float64) if pairs else None
    moves.set_transition_weights(total, bool(pairs and pairs[0].ordered))
    regions = [p for p in potentials if isinstance(p, RegionWeights)]
    if not regions:
        moves.set_regions(None)
        return
    members = [r for p in regions for r in p.regions]
    offsets = np.concatenate([[0], np.cumsum([r.size for r in members])]).astype(np.int64)
    slack = np.array([p.slack(c) for p in regions for c in range(len(p.regions))], np.int64)
    mu = np.ascontiguousarray(np.concatenate([p.mu for p in regions]), np.float64)
    moves.set_regions(np.concatenate(members).astype(np.int32), offsets, mu, slack)


def _simple(model: PairwiseModel, theta: Doubles | None) -> list[Labels]:
    """The locally best labeling, and the constant ones."""
    unary = model.unary if theta is None else model.unary + theta
    constants = np.flatnonzero(np.isfinite(unary).all(axis=0))
    constant = [np.full(model.n_variables, k, np.int32) for k in constants]
    return [np.argmax(unary, axis=1).astype(np.int32), *constant]


def _resized(
    moves: _core.moves.Moves,
    model: PairwiseModel,
    theta: Doubles | None,
    potentials: Sequence[Potential],
    start: Labels,
) -> list[Labels]:
    """Return labelings in which one label reaches the size its reward asks for, or falls below that of its cost.

    No single variable earns such a reward, or saves such a cost, so that moves would not find them by themselves.
    """
    wanted: dict[tuple[int, int], int] = {}
    for p in potentials:
        if isinstance(p, LabelWeights) and (size := p.least_count(start.size)) > 1:
            counts = np.bincount(start, minlength=p.w.size)
            for label in np.flatnonzero((p.w > 0) & (counts < size)).tolist():
                wanted[label, 1] = max(size, wanted.get((label, 1), 0))
            for label in np.flatnonzero((p.w < 0) & (counts >= size)).tolist():
                wanted[label, -1] = min(size, wanted.get((label, -1), size))
    found = [_biased(moves, model, theta, label, sign, size, start) for (label, sign), size in wanted.items()]
    if wanted:
        weigh(moves, model, theta, potentials)
    return [y for y in found if y is not None]


def _biased(
    moves: _core.moves.Moves,
    model: PairwiseModel,
    theta: Doubles | None,
    label: int,
    sign: int,
    size: int,
    start: Labels,
) -> Labels | None:
    """Return a labeling after moves under the smallest tried bias on a label that carries it over a size, or below."""
    unary = np.asarray(model.unary if theta is None else model.unary + theta, np.float64)
    asked = _asked(unary, label, sign, size, start)
    if not np.isfinite(asked):
        return None
    weigh(moves, model, None, ())
    only = np.full(unary.shape, sign < 0, np.uint8)
    only[:, label] = sign > 0
    bias = max(1e-3, asked)
    for _ in range(6):
        changed = np.zeros(unary.shape) if theta is None else theta.copy()
        changed[:, label] += sign * bias
        moves.set_linear(changed)
        labeling = moves.expand(start, only, 1)[0]
        if ((labeling == label).sum() >= size) == (sign > 0):
            return labeling
        bias *= 1.5
    return None


def _asked(unary: Doubles, label: int, sign: int, size: int, start: Labels) -> float:
    """What the last variable needed asks for, at first sight, to take a label or to leave it."""
    now = unary[np.arange(start.size), start]
    if sign > 0:
        return float(np.sort(now - unary[:, label])[size - 1])
    users = start == label
    lost = now[users] - np.delete(unary[users], label, axis=1).max(axis=1, initial=-np.inf)
    return float(np.sort(lost)[int(users.sum()) - size])
