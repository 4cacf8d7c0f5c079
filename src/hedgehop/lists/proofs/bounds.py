# SPDX-License-Identifier: BSD-3-Clause
"""A bound on every list with the reason for it, and what finds such bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop.lists.objective import Objective
from hedgehop.oracles.base import Solver

_GRID_BITS = 32

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Proof:
    """Why no list has a larger F: everything that is needed to find the same bound again.

    Attributes
    ----------
    source : str
        Which argument it is: "steps" (the bounds of steps), "slopes" (the list dual), "joint" (cuts), ...
    arrays : dict of arrays
        What the argument is about: a list of labelings, slopes, ...
    calls : int
        How many steps were solved to find it, beyond those of the list.
    seconds : float
        How long the search took until then; 0 if there was none.

    Examples
    --------
    >>> import hedgehop as hh
    >>> chain = hh.Chain([[2.0, 1.5, 0.0]] * 4, [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]])
    >>> hh.diverse(chain, hh.VariableCoverage(), m=3, tradeoff=2.0).certificate.proof.source
    'slopes'
    """

    source: str
    arrays: Arrays = field(default_factory=dict, repr=False)
    calls: int = 0
    seconds: float = 0.0


class Bound(float):
    """A number that F of no list of m labelings exceeds, with its proof."""

    proof: Proof

    def __new__(cls, value: float, proof: Proof) -> Bound:
        """Make a number with its proof."""
        bound = super().__new__(cls, value)
        bound.proof = proof
        return bound


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be bounded: F of all lists of as many labelings as `rows`, a good list, has.

    Any two labelings of these lists differ in at least `distance` variables; 0: they may be repeated.
    """

    objective: Objective
    solver: Solver
    rows: Labels
    distance: int = 0

    @property
    def m(self) -> int:
        """How many labelings a list has."""
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class FoundBound:
    """A bound, what it cost, and the labelings found on the way.

    Attributes
    ----------
    bound : float
        F of no list of m labelings that keep their distance is larger.
    arrays : dict of arrays
        With these the method's `check` finds the bound again.
    labelings : (k, n) labels
        Labelings found: what better lists may be made of.
    beginning : (t, n) labels
        The whole part of the best mixture of labelings found, t <= m: a list to start from.
    calls : int
        How many steps were solved.
    final : bool
        Whether no smaller bound exists, so that no other method need be asked.
    """

    bound: float
    arrays: Arrays
    labelings: Labels
    beginning: Labels
    calls: int = 1
    final: bool = False


@dataclass(frozen=True)
class BoundMethod:
    """One way to bound all lists: a further one is a further record in ``hedgehop.lists.proofs.search``.

    Attributes
    ----------
    source : str
        Its name in proofs.
    find : function of a Problem
        Yields FoundBounds, better and better, after each step or few; None if it does not apply. The search may stop
        asking at any time, and go on later.
    check : function of a Problem and arrays
        The bound that the arrays of a FoundBound prove, from scratch; the problem's rows matter by their number only.
    """

    source: str
    find: Callable[[Problem], Iterator[FoundBound] | None]
    check: Callable[[Problem, Arrays], float]


def on_grid(scores: Doubles, stake: float) -> Doubles:
    """Scores below the best one, in steps of a tiny share of what is at stake.

    Where a search meets ties, as it does near the best bound, last digits decide where it goes; these are not those of
    the scores but of constants in them.
    """
    unit = 2.0 ** float(np.frexp(stake)[1] - _GRID_BITS)
    below = scores - scores.max()
    if not (unit > 0 and stake > 0):
        return np.asarray(below)
    with np.errstate(over="ignore"):  # beyond all steps of the grid: as it is
        steps = np.round(below / unit) * unit
    return np.asarray(np.where(np.isfinite(steps), steps, below))
