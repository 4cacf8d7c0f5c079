# SPDX-License-Identifier: BSD-3-Clause
"""Bounds of steps in which labels or pairs of labels cost, by branching on what is paid for (docs/theory.md 11).

``-c min(1, k)`` is the larger of ``-c`` (paid, then free everywhere) and "nowhere". With some costs paid, some codes
forbidden and all others free, a linear step bounds the rest; where its labeling carries free codes, one of these is
paid for in one branch and forbidden in the other. A multiplier would spread the cost over all members instead, and
fractions of labels evade it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop._errors import InfeasibleError
from hedgehop.models.unary import UnaryModel
from hedgehop.oracles.effort import effort
from hedgehop.potentials.count_functions import Threshold
from hedgehop.potentials.counts import CountFunction, threshold

Relaxed = Callable[[Sequence[CountFunction]], tuple[Labels, float]]  # labeling and bound without some codes


def can_branch(counts: Sequence[CountFunction]) -> bool:
    """Whether all there is are costs of the first member that carries a code."""
    return bool(counts) and all(_is_cost(count) for count in counts)


def _is_cost(count: CountFunction) -> bool:
    rises = count.function
    return isinstance(rises, Threshold) and rises.weight <= 0 and rises.start == 0 and rises.width <= 1 and (
        count.weights is None
    )  # fmt: skip


def without_labels(model: UnaryModel, avoided: Sequence[CountFunction]) -> Doubles:
    """Scores of labels that forbid some codes, (n, L)."""
    mask = np.zeros(model.unary.shape)
    for count in avoided:
        mask[count.counted(mask.shape)] = -np.inf
    return mask


@dataclass(order=True, frozen=True)
class _Branch:
    """Labelings that carry none of the codes of `avoided`, and pay for those of `paid`."""

    negative: float  # bound: the largest comes first
    order: int
    paid: frozenset[int] = field(compare=False)
    avoided: frozenset[int] = field(compare=False)
    labeling: Labels = field(compare=False)


class CostBranches:
    """The search of one step: the best branch first."""

    def __init__(self, counts: Sequence[CountFunction], relaxed: Relaxed) -> None:
        self._counts, self._relaxed = counts, relaxed
        self._costs = np.array([-threshold(c).weight for c in counts])
        self._kinds = {id(c.codes): c.codes for c in counts}  # counts of one kind share their codes
        self._open: list[_Branch] = []
        self._solved, self._made = 0, 0  # linear steps, and branches
        self._branch(frozenset(), frozenset(), np.inf)

    @property
    def bound(self) -> float:
        """No labeling is worth more; -inf if none is possible."""
        return -float(self._open[0].negative) if self._open else -np.inf

    def run(self, reached: Callable[[], float], enough: float, most: int) -> float:
        """Branch until the bound is `enough` above what is reached, `most` linear steps were solved or time is over."""
        while self._open and self._solved < most and self.bound > reached() + enough and effort().seconds > 0.0:
            best = self._open[0]
            code = self._first_free(best)
            if code is None:  # nothing is left to decide: the linear step itself leaves the gap
                break
            heappop(self._open)
            paid = _Branch(best.negative + self._costs[code], self._next(), best.paid | {code}, best.avoided,
                           best.labeling)  # fmt: skip
            heappush(self._open, paid)
            self._branch(best.paid, best.avoided | {code}, -best.negative)
        return self.bound

    def _branch(self, paid: frozenset[int], avoided: frozenset[int], most: float) -> None:
        try:
            labeling, bound = self._relaxed([self._counts[k] for k in sorted(avoided)])
        except InfeasibleError:
            return
        self._solved += 1
        bound = min(most, bound - float(self._costs[sorted(paid)].sum()))
        heappush(self._open, _Branch(-bound, self._next(), paid, avoided, labeling))

    def _first_free(self, branch: _Branch) -> int | None:
        """The dearest of the codes that the labeling carries and that are neither paid for nor avoided."""
        codes = {name: kind.of(branch.labeling) for name, kind in self._kinds.items()}
        free = [
            k
            for k, count in enumerate(self._counts)
            if self._costs[k] > 0
            and k not in branch.paid
            and k not in branch.avoided
            and count.carries(codes[id(count.codes)]).any()
        ]
        return max(free, key=self._costs.__getitem__, default=None)

    def _next(self) -> int:
        self._made += 1
        return self._made
