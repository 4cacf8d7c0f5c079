# SPDX-License-Identifier: BSD-3-Clause
"""When a value and a bound meet: the one notion behind every ``exact`` (docs/theory.md 12)."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from hedgehop.models.base import Model
from hedgehop.models.unary import UnaryModel
from hedgehop.potentials import Potential

_SOLVER_SHARE = 1e-8  # of what is at stake: what sums in another order, and solvers of programs, may leave
_KERNEL_SHARE = 1e-6  # the same where a kernel works with integers and says how much that may cost
_SUM_SHARE = 1e-12  # of what is at stake: what sums in another order may leave
_LAST_DIGITS = 1e-14  # of the value itself: the last digits of long sums


def stake(model: Model, potentials: Iterable[Potential] = ()) -> float | None:
    """How much labelings may differ by, a few huge scores cut down; None for models that do not say."""
    if not isinstance(model, UnaryModel):
        return None
    spans = [p.span() for p in potentials]
    return model.spread + sum(s for s in spans if isfinite(s))


def meets(model: Model, value: float, bound: float, potentials: Iterable[Potential] = (), error: float = 0.0) -> bool:
    """Whether no labeling is better than a value, up to rounding: the definition of ``exact``.

    The gap is measured against what is at stake in the step, that is differences between labelings, not against the
    largest number in the model. `error` is what a kernel's integers are proven to change at most.

    A constant added to all scores changes the answer only by what it costs in digits: sums of numbers so large are off
    by some units in the last place, 45 to 90 of which are allowed. Beside a shift of 2^40 that is a tenth. A gap of a
    millionth, which tells that a step is not exact, can then no longer be seen: value and bound are the same number.
    """
    if bound <= value or not isfinite(value):  # what is forbidden meets nothing but a proof that all is
        return bound <= value
    return bound - value <= meeting_gap(model, value, potentials, error)


def meeting_gap(model: Model, value: float, potentials: Iterable[Potential] = (), error: float = 0.0) -> float:
    """How far a bound may be from a value that meets it."""
    at_stake = stake(model, potentials)
    if at_stake is None:  # of someone else's model, whose scores are summed nowhere else
        return _SUM_SHARE * abs(value)
    kernel = min(2.0 * error, _KERNEL_SHARE * at_stake)
    return _SOLVER_SHARE * at_stake + _LAST_DIGITS * abs(value) + kernel


def ties(model: Model, value: float, potentials: Iterable[Potential] = ()) -> float:
    """How much values of equal labelings may differ, as sums in another order do; 0 for what is forbidden."""
    if not isfinite(value):
        return 0.0
    at_stake = stake(model, potentials)
    return _LAST_DIGITS * abs(value) + _SUM_SHARE * (abs(value) if at_stake is None else at_stake)


def rounding(model: Model, value: float, potentials: Iterable[Potential] = ()) -> float:
    """How much equal values may differ if all are summed in one order: the last digits of what is added."""
    return _LAST_DIGITS * (abs(value) + (stake(model, potentials) or 0.0)) if isfinite(value) else 0.0


def falls_short(model: Model, value: float, known: float) -> bool:
    """Whether a value is below one that is known to be reached, by more than sums in another order differ by."""
    return known - value > ties(model, known)
