# SPDX-License-Identifier: BSD-3-Clause
"""Models with scores of ordinary size and the same best labelings (docs/theory.md 12)."""

from __future__ import annotations

from math import frexp, ldexp
from typing import Any

import numpy as np

from hedgehop._arrays import Doubles, Floats, own
from hedgehop.models.base import Model
from hedgehop.models.unary import UnaryModel, largest_size

_ORDINARY = 20  # a typical score is within 2^-20 .. 2^20, and no score is 2^20 times as large
_LARGEST_SCALED = 400  # the largest exponent of any score after scaling
_LARGEST_SHIFT = 1000  # 2^1024 is beyond all numbers, and scores so small have lost their digits


def can_condition(model: Model) -> bool:
    """Whether the scores of a model are known to be all there is to it: subclasses may hold more."""
    return bool(vars(type(model)).get("_only_scores"))


def is_ordinary(model: Model) -> bool:
    """Whether double precision and small constants are safe with a model's scores as they are."""
    if not can_condition(model):
        return True
    assert isinstance(model, UnaryModel)
    largest, typical = largest_score(model), typical_score(model)
    return largest == 0.0 or (largest <= 2.0**_ORDINARY * typical and 2.0**-_ORDINARY <= typical <= 2.0**_ORDINARY)


def is_even(model: UnaryModel) -> bool:
    """Whether no score is much larger than a typical one, so that nothing but the units may be unusual."""
    return largest_score(model) <= 2.0**_ORDINARY * typical_score(model)


def unit_of(model: Model) -> float:
    """Return 1 for ordinary scores, otherwise a power of two near a typical difference of scores."""
    if is_ordinary(model):
        return 1.0
    assert isinstance(model, UnaryModel)
    return ldexp(1.0, -typical_exponent(conditioned(model, None, -np.inf, 0)))


def typical_score(model: UnaryModel) -> float:
    """What a variable or a pair that is not indifferent decides about on average; 0 if all are."""
    return model.spread / max(1, model.n_differing + model._stakes.deciding)


def largest_score(model: UnaryModel) -> float:
    """The largest size of a score that forbids nothing."""
    low, high = model._extent
    unary = max(abs(low), abs(high)) if low > -np.inf else largest_size(model.unary)
    return max(unary, model._largest_joint())


def conditioned(model: UnaryModel, theta: Doubles | None, least: float, exponent: int) -> UnaryModel:
    """Return the model with changed scores: none of the changes loses a digit that distinguishes labelings.

    What all labelings have in common is taken away: the best score of each variable, pair and clique becomes 0, and
    weights of which a fixed number is chosen are centred. `theta` is added to the unaries before; what is below
    `least` is raised to it, unless it is forbidden; all is multiplied by ``2^exponent``.
    """
    unary = np.asarray(model.unary if theta is None else model.unary + theta, np.float64)
    unary = model._without_constant(unary)

    def changed(scores: Floats, best: Any) -> Doubles:
        with np.errstate(invalid="ignore", under="ignore"):
            below = np.asarray(scores, np.float64) - best
            raised = below if least == -np.inf else np.where(np.isneginf(below), -np.inf, np.maximum(below, least))
            return own(np.ldexp(np.where(np.isnan(raised), -np.inf, raised), exponent))

    return model._with_scores(changed(unary, unary.max(axis=1, keepdims=True)), changed)


def rescaled(model: UnaryModel, exponent: int) -> UnaryModel:
    """Return the model with all scores multiplied by ``2^exponent``: every digit is kept."""

    def changed(scores: Floats, best: Any) -> Doubles:
        return own(np.ldexp(np.asarray(scores, np.float64), exponent))

    return model._with_scores(changed(model.unary, 0.0), changed)


def exponent_for(size: float, bits: int) -> int:
    """Return the power of two that brings a size to just below 2^bits; 0 for nothing."""
    return bits - frexp(size)[1] if size > 0 else 0


def typical_exponent(model: UnaryModel) -> int:
    """Return the power of two that makes a typical score about 1, and no score beyond all numbers."""
    typical, largest = typical_score(model), largest_score(model)
    return min(exponent_for(typical or largest, 1), _LARGEST_SCALED + exponent_for(largest, 0), _LARGEST_SHIFT)
