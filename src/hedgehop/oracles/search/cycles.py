# SPDX-License-Identifier: BSD-3-Clause
"""Messages of short cycles: nearly tight bounds where pairs contradict each other around a cycle.

The bounds of TRW-S and of roof duality look at pairs, and pairs that cannot all be satisfied around a cycle leave a gap
of up to a third, as in spin glasses. A cycle knows its best labeling; what the pairs lose by it goes to the bound
(Sontag et al., UAI 2008). Cycles are added where they lower the bound most.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import fsum, inf

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels, flag
from hedgehop._errors import InfeasibleError
from hedgehop.models.base import Model
from hedgehop.models.elimination import scopes
from hedgehop.models.pairwise import PairwiseModel, Potts
from hedgehop.oracles.base import Oracle, Solver, Step
from hedgehop.oracles.effort import effort
from hedgehop.oracles.exact.toulbar2 import not_tables
from hedgehop.oracles.folding import changed_unary, fold, values_of
from hedgehop.oracles.pairwise.kernels import ROUNDING_GAP, pair_tables
from hedgehop.oracles.search.annealing import VISITED_SCORES, annealed
from hedgehop.oracles.search.mplp import finite_tables
from hedgehop.potentials import Potential

_FIRST_SWEEPS, _SWEEPS = 50, 30  # before cycles are added for the first time, and between two times
_WIDE_GAP = 0.01  # of what is at stake: scores contradict each other, and other oracles have annealed for a second
_WIDE_CELLS, _NARROW_CELLS = 200_000_000, 100_000_000  # that messages visit: half a second, and less
_LATER_SHARE = 0.25  # of these in later steps, which begin with the messages of the last one
_WORTH_ADDING = 1e-3  # of the gap per edge: what a cycle must gain at first
_STILL_FALLING = 0.01  # of the gap: what the bound gains between two times if it still falls
_FEWEST_ROUNDS = 4  # of adding cycles
_DECODING_PASSES = 20
_ANNEALED_ROUNDS = 2  # of moves over blocks, from the labeling that messages decode to
_OPEN_GAP = 1e-4  # of what is at stake: what bound and labeling leave open if annealing may find a better one
_NARROW_VISITS = VISITED_SCORES // 20  # of annealing, where the gap is narrower


class Cycles(Oracle):
    """Max-product messages of factors and of short cycles of pairs, which lower a bound, then annealing.

    Parameters
    ----------
    anneal : bool
        Whether annealing improves the labeling of the first step.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> differ = np.array([[0.0, 1.0], [1.0, 0.0]])  # three variables of two labels: one pair agrees
    >>> triangle = hh.FactorGraph(np.zeros((3, 2)), [[0, 1], [1, 2], [0, 2]], differ)
    >>> [round(hh.best(triangle, oracle=name).upper_bound, 9) for name in ("qpbo", "cycles")]
    [3.0, 2.0]
    """

    name = "cycles"
    summary = "messages of short cycles and annealing; any pairwise model, linear potentials, with a bound"

    def __init__(self, anneal: bool = True) -> None:
        self.anneal = flag(anneal, "anneal")

    def on(self, model: Model) -> CyclesSolver:
        """Return a solver that keeps its messages and cycles."""
        return CyclesSolver(self, model)

    def for_bounds(self) -> Cycles:
        """Return one that does not anneal: that finds labelings, and no bound."""
        return Cycles(anneal=False)

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse other models, large tables, and potentials that are not linear."""
        return not_tables(model, potentials)


class CyclesSolver(Solver):
    """Keeps messages and cycles from step to step."""

    oracle: Cycles
    model: PairwiseModel
    _warm = False

    def maximize(self, potentials: Sequence[Potential]) -> Step:
        """Solve a step without knowing any labeling."""
        theta, constant, _ = fold(self.model, potentials)
        allowed = changed_unary(self.model, theta).argmax(axis=1).astype(np.int32)
        return self._solved(potentials, theta, constant, allowed, inf)

    def tightened(self, potentials: Sequence[Potential], known: Step) -> Step:
        """Lower the bound of a step that another oracle has solved; improve its labeling, too."""
        theta, constant, _ = fold(self.model, potentials)
        labeling = np.ascontiguousarray(known.labeling.reshape(-1), np.int32)
        return self._solved(potentials, theta, constant, labeling, known.upper_bound - constant)

    def _solved(
        self,
        potentials: Sequence[Potential],
        theta: Doubles | None,
        constant: float,
        labeling: Labels,
        known_bound: float,
    ) -> Step:
        unary = changed_unary(self.model, theta)
        if np.isneginf(unary.max(axis=1)).any():
            raise InfeasibleError("no labeling is allowed: all labels of a variable are forbidden.")
        counts = np.arange(self.model.n_labels) < self.model.label_counts[:, None]
        self._messages.set_unary(np.maximum(unary, self._least)[counts])
        value = float(values_of(self.model, theta, labeling[None])[0])
        is_wide = known_bound - value > _WIDE_GAP * self.model.spread
        bound = self._bound(value, (_WIDE_CELLS if is_wide else _NARROW_CELLS) * (_LATER_SHARE if self._warm else 1.0))
        if bound - value > ROUNDING_GAP * self.model.spread:
            labeling = self._better(theta, unary, labeling, bound, is_wide)
        self._warm = True
        return self.oracle.step(self.model, labeling, potentials, bound + constant, self._messages.error())

    def _bound(self, value: float, left: float) -> float:
        """Pass messages, and add cycles where they gain most, until the bound meets a value or stalls.

        `left`: how many cells messages may visit.
        """
        messages, edges = self._messages, self.model.edges
        left -= self._run(_SWEEPS if self._warm else _FIRST_SWEEPS, left)
        bound, rounds = self._sum(), 0
        while len(edges) and effort().seconds > 0.0:
            gap = bound - value
            if gap <= ROUNDING_GAP * self.model.spread or left < messages.work():
                break
            added = messages.tighten(edges, _WORTH_ADDING * gap / len(edges), left / _SWEEPS)
            left -= self._run(_SWEEPS, left)
            before, bound, rounds = bound, self._sum(), rounds + 1
            if before - bound < _STILL_FALLING * gap and (rounds >= _FEWEST_ROUNDS or not added):
                break
        return bound

    def _run(self, sweeps: int, left: float) -> float:
        """Update all messages at least once; return how many cells that has visited."""
        sweeps = max(1, min(sweeps, int(left / self._messages.work())))
        self._messages.run(sweeps)
        return sweeps * self._messages.work()

    def _sum(self) -> float:
        return fsum(self._messages.terms()) + self._messages.error()

    def _better(self, theta: Doubles | None, unary: Doubles, labeling: Labels, bound: float, is_wide: bool) -> Labels:
        """The best of a labeling, the one that messages decode to, and, if a first step is open, of one near that."""
        decoded = self._decoded(unary)
        labeling, value = self._best_of(theta, [labeling, decoded])
        is_open = bound - value > _OPEN_GAP * self.model.spread and effort().seconds > 0.0
        if self._warm or not self.oracle.anneal or not is_open:
            return labeling
        visits = VISITED_SCORES if is_wide else _NARROW_VISITS
        return self._best_of(theta, [labeling, annealed(self.model, theta, decoded, _ANNEALED_ROUNDS, visits)])[0]

    def _best_of(self, theta: Doubles | None, found: list[Labels]) -> tuple[Labels, float]:
        values = values_of(self.model, theta, np.stack(found))
        return found[int(np.argmax(values))], float(values.max())

    def _decoded(self, unary: Doubles) -> Labels:
        """Decode by TRW-S the scores to which the cycles have tilted the pairs: contradictions are gone from these."""
        model = self.model
        sizes = model.label_counts[model.edges].astype(np.int64)
        offsets = np.cumsum(sizes.prod(axis=1)) - sizes.prod(axis=1)
        pairs = _core.Pairs.tables(
            unary.shape, model.edges, self._messages.tilted(), offsets, sizes[:, 1].astype(np.int32), model.label_counts
        )
        solver = _core.trws.Trws(np.ascontiguousarray(unary, np.float64), pairs)
        return np.ascontiguousarray(solver.run(_DECODING_PASSES, _DECODING_PASSES)[0].reshape(-1), np.int32)

    @cached_property
    def contradicts(self) -> bool:
        """Whether some pair does not prefer its variables to agree; otherwise cycles gain next to nothing."""
        if isinstance(self.model.pairwise, Potts):
            return False
        tables = pair_tables(self.model)
        equal = np.diagonal(tables, axis1=1, axis2=2)
        return not (equal[:, :, None] + equal[:, None, :] >= tables + tables.transpose(0, 2, 1)).all()

    @cached_property
    def _messages(self) -> _core.graphs.FactorMessages:
        tables, _ = finite_tables(self.model, None)
        return _core.graphs.FactorMessages(self.model.label_counts, *scopes(self.model), tables)

    @cached_property
    def _least(self) -> float:
        """What a forbidden label scores: any finite score keeps the bound valid."""
        finite = self.model.unary[np.isfinite(self.model.unary)]
        return -2.0 * float(np.abs(finite).sum() + self.model.spread) - 1.0
