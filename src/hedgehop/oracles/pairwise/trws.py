# SPDX-License-Identifier: BSD-3-Clause
"""TRW-S: message passing with a bound, then expansion moves if it left a gap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Labels, flag, positive_count
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel, Potts
from hedgehop.oracles.base import Oracle, Step
from hedgehop.oracles.effort import effort
from hedgehop.oracles.exact.elimination import Elimination
from hedgehop.oracles.exactness import stake, ties
from hedgehop.oracles.folding import Theta, as_change, fold_change, not_linear, not_pairwise, table_of, values_of
from hedgehop.oracles.pairwise.kernels import CLOSE_GAP, MOST_WITH_BOUNDS, ROUNDING_GAP, PairwiseSolver, pass_messages
from hedgehop.oracles.pairwise.rest import Rest, known_labels, sure_labels, worse_labels
from hedgehop.oracles.search.annealing import annealed
from hedgehop.potentials import Potential

_FEW_PASSES = 5  # between two looks at the gap
_FEWER_PASSES = 3  # the same at first, if a tolerance says when to stop
_STALLED = 0.05  # of the gap: what the bound gains in that time if it still falls
_LARGE_MODEL_SCORES = 2**18  # scores of labels from which a proof may take longer than it is worth
_LARGE_MODEL_GAP = 1e-4  # of what is at stake: good enough for a large model
_PROVEN_GAP = 1e-8  # the same, where a step is proven
_NARROW_SHARE = 0.05  # of what is at stake per variable: a gap by which few labels are as good as the best
_ELIMINATED_VARIABLES = 300  # for which an order of elimination is found at once
_WIDE_GAP_SHARE = 0.01  # gap, against what is at stake, from which scores contradict each other


class Trws(Oracle):
    """Sequential tree-reweighted message passing, messages kept from step to step (C++).

    Parameters
    ----------
    iterations : int
        Maximum number of passes forward and back; fewer when the bound stops falling or is met.
    warm : int
        The same for steps that start from the messages of an earlier one.
    repair : bool
        Whether expansion moves improve the labeling if a gap is left, restricted to labels that the messages find
        nearly as good as the best.
    anneal : bool
        Whether the first step that leaves a wide gap uses annealing, for seconds on large models; never if all pairs
        prefer to agree, since expansion moves are then as good in a fraction of the time.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> image = hh.Grid(np.random.default_rng(0).normal(size=(8, 8, 3)), smoothness=0.3)
    >>> step = hh.best(image, oracle=hh.oracles.Trws(iterations=200))
    >>> step.value <= step.upper_bound
    True
    """

    name = "trws"
    summary = "message passing (TRW-S) and restricted expansion; any pairwise model, linear potentials, with a bound"

    def __init__(self, iterations: int = 50, repair: bool = True, warm: int = 20, anneal: bool = True) -> None:
        self.iterations = positive_count(iterations, "iterations")
        self.warm = positive_count(warm, "warm")
        self.repair = flag(repair, "repair")
        self.anneal = flag(anneal, "anneal")

    def on(self, model: Model) -> TrwsSolver:
        """Return a solver that keeps its messages."""
        return TrwsSolver(self, model)

    def for_bounds(self) -> Trws:
        """Return one that does not anneal: that finds labelings, and no bound."""
        return Trws(self.iterations, self.repair, self.warm, anneal=False)

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse cliques and potentials that are not linear."""
        return not_pairwise(model) or not_linear(model, potentials)


class TrwsSolver(PairwiseSolver):
    """Keeps messages, moves, and what annealing found in the first step that needed it."""

    oracle: Trws
    _warm = False

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Solve what scores alone do not decide: pass messages from where the last step left them, then repair."""
        try:
            return self._solved(potentials)
        finally:
            self.release()

    def pause(self) -> None:
        """Let go of the kernels of a large model: messages begin afresh."""
        super().pause()
        self._warm = self._warm and "_all_messages" in self.__dict__

    def _solved(self, potentials: Sequence[Potential]) -> Step:
        theta, constant = fold_change(self.model, potentials)
        sure = sure_labels(self.model, theta)
        if sure is not None:
            labeling, gap = self._rest(potentials, theta, sure)
            value = float(values_of(self.model, theta, labeling.reshape(1, -1))[0])
            return self.oracle.step(self.model, labeling, potentials, value + gap + constant)
        passes = self.oracle.warm if self._warm else self.oracle.iterations
        self._warm = True
        labeling, value, bound = self._passed(theta, passes, potentials)
        if self._suffices(potentials, value, bound):
            return self.oracle.step(self.model, labeling, potentials, bound + constant)
        labeling, bound = self._narrowed(potentials, theta, labeling, value, bound, passes)
        return self.oracle.step(self.model, labeling, potentials, bound + constant)

    def _narrowed(
        self,
        potentials: Sequence[Potential],
        theta: Theta | None,
        labeling: Labels,
        value: float,
        bound: float,
        passes: int,
    ) -> tuple[Labels, float]:
        """Leave out labels that are proven to be worse; if many are left, pass more messages, and repair."""
        better = self._without_worse(potentials, theta, labeling, value, bound)
        if better is not None:
            return better
        if CLOSE_GAP * self.model.spread < bound - value <= self._narrow_gap and not effort().is_limited:
            labeling, value, bound, _ = self._messages.run(passes, gap=CLOSE_GAP * self.model.spread)
        labeling = self._repaired(theta, labeling, bound - value)
        value = float(values_of(self.model, theta, labeling.reshape(1, -1))[0])
        better = self._without_worse(potentials, theta, labeling, value, bound)
        return (labeling, bound) if better is None else better

    def _without_worse(
        self, potentials: Sequence[Potential], theta: Theta | None, labeling: Labels, value: float, bound: float
    ) -> tuple[Labels, float] | None:
        """Return a labeling and a bound from the labels that are not proven to be worse; None if these are many."""
        model = self.model
        if not ROUNDING_GAP * model.spread < bound - value <= self._narrow_gap:
            return None
        worse = worse_labels(model, table_of(theta), self._messages, labeling, value - ties(model, value))
        known = known_labels(worse, labeling)
        if known is None:
            return None
        other, gap = self._rest(potentials, theta, known, worse)
        reached = float(values_of(model, theta, other.reshape(1, -1))[0])
        best = other if reached >= value else labeling
        return best, max(value, min(bound, reached + gap))

    def _rest(
        self,
        potentials: Sequence[Potential],
        theta: Theta | None,
        known: Labels,
        worse: NDArray[np.bool_] | None = None,
    ) -> tuple[Labels, float]:
        """Return the labeling whose unknown labels are solved for, and by how much it may be improved."""
        at_stake = stake(self.model, potentials)
        rest = Rest.of(self.model, theta, known, self.model.spread if at_stake is None else at_stake, worse)
        if rest.model is None:
            return rest.completed(None), 0.0
        if rest.open.size <= _ELIMINATED_VARIABLES and rest.model.elimination_order is not None:
            step = Elimination().maximize(rest.model, ())
        else:
            step = TrwsSolver(self.oracle, rest.model).maximize(())
        return rest.completed(step.labeling), step.upper_bound - step.value

    @property
    def _narrow_gap(self) -> float:
        """A gap so small that most labels are expected to be worse by more; 0 for models that take too long to ask."""
        if self.model.unary.size > MOST_WITH_BOUNDS:
            return 0.0
        return max(CLOSE_GAP, _NARROW_SHARE / self.model.n_variables) * self.model.spread

    def _repaired(self, theta: Theta | None, labeling: Labels, gap: float) -> Labels:
        """Improve a labeling by moves and, if scores contradict each other, by annealing, as far as the gap asks."""
        if self.oracle.repair and gap > CLOSE_GAP * self.model.spread:
            moved = repaired(self._messages, self._moves, self.model, theta, labeling, gap)
            labeling = self._better(theta, moved, labeling) if self.model.forbids_pairs else moved
        if self._contradicts and gap > _WIDE_GAP_SHARE * self.model.spread:
            labeling = self._better_of_annealed(theta, labeling)
        return labeling

    def _passed(self, theta: Theta | None, passes: int, potentials: Sequence[Potential]) -> tuple[Labels, float, float]:
        """Pass messages; a few at a time if they may be good enough before they are done."""
        if not (effort().is_limited or self._is_large):
            share = max(CLOSE_GAP, self._narrow_gap / self.model.spread) if self.model.spread > 0 else CLOSE_GAP
            return pass_messages(self._messages, self.model, theta, passes, share)
        done = _FEW_PASSES if self._is_large else _FEWER_PASSES
        labeling, value, bound = pass_messages(self._messages, self.model, theta, min(done, passes))
        gaps = [bound - value]
        while done < passes:
            if gaps[-1] <= CLOSE_GAP * self.model.spread or effort().suffices(self.model, potentials, value, bound):
                break
            if self._suffices(potentials, value, bound) and not self._proof_is_near(gaps, passes - done):
                break
            before, few = bound, _FEW_PASSES - done % _FEW_PASSES
            labeling, value, bound, _ = self._messages.run(few, few)
            done += few
            gaps.append(bound - value)
            if before - bound < _STALLED * gaps[-1]:
                break
        return labeling, value, bound

    @property
    def _contradicts(self) -> bool:
        """Whether pairs may contradict each other, so that annealing finds what moves miss."""
        wanted = self.oracle.repair and self.oracle.anneal
        return wanted and not self.model.is_potts

    @property
    def _is_large(self) -> bool:
        return effort().tolerance is None and self.model.unary.size > _LARGE_MODEL_SCORES

    def _suffices(self, potentials: Sequence[Potential], value: float, bound: float) -> bool:
        """Whether a step is good enough: as is asked, or for a large model of which nothing is asked."""
        large = self._is_large and bound - value <= _LARGE_MODEL_GAP * self.model.spread
        return large or effort().suffices(self.model, potentials, value, bound)

    def _proof_is_near(self, gaps: Sequence[float], passes: int) -> bool:
        """Whether half of the passes that are left promise a proof, if the gap goes on to fall as it did last."""
        if len(gaps) < 2 or gaps[-1] >= gaps[-2]:
            return len(gaps) < 2
        rate: float = gaps[-1] / gaps[-2]
        return bool(gaps[-1] * rate ** (passes / 2 / _FEW_PASSES) <= _PROVEN_GAP * self.model.spread)

    def _better_of_annealed(self, theta: Theta | None, labeling: Labels) -> Labels:
        """Anneal in the first step; later ones compare with what that found."""
        if not self.kept:
            self.keep(annealed(self.model, table_of(theta), labeling), 1)
        return self._better(theta, labeling, *self.kept)

    def _better(self, theta: Theta | None, *labelings: Labels) -> Labels:
        """The best one of some labelings, the first of equals."""
        rows = np.stack([labeling.reshape(-1) for labeling in labelings])
        return np.asarray(rows[int(np.argmax(values_of(self.model, theta, rows)))])


def repaired(
    messages: _core.trws.Trws,
    moves: _core.moves.Moves,
    model: PairwiseModel,
    theta: Theta | None,
    labeling: Labels,
    gap: float,
) -> Labels:
    """Mix in the labelings of the last sweeps, then expand labels whose beliefs are close to the best."""
    moves.set_linear(as_change(theta))
    labeling = np.ascontiguousarray(labeling.reshape(-1), np.int32)
    for other in messages.sweep_labelings():
        labeling = moves.fuse(labeling, np.ascontiguousarray(other))[0]
    return moves.expand(labeling, messages.close_labels(_reach(model, gap)), 1)[0]


def _reach(model: PairwiseModel, gap: float) -> float:
    """How far below the best a belief may be: a part of a typical strength, or of the gap if there is none."""
    pairwise = model.pairwise
    if isinstance(pairwise, Potts) and pairwise.strengths.size:
        return 0.15 * float(pairwise.strengths.mean())
    return gap
