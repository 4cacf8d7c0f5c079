# SPDX-License-Identifier: BSD-3-Clause
"""Models with scores of ordinary size and the same best labelings (docs/theory.md 12)."""

from __future__ import annotations

from collections.abc import Callable
from math import frexp, ldexp
from typing import Any

import numpy as np

from hedgehop._arrays import Doubles, Floats, extent, own
from hedgehop.models.base import Model
from hedgehop.models.chain import Chain
from hedgehop.models.factor_graph import Clique, FactorGraph
from hedgehop.models.grid import Grid
from hedgehop.models.pairwise import EdgeTables, PairwiseModel, PairwiseScores, Potts, SharedTable
from hedgehop.models.structures.arborescence import Arborescence
from hedgehop.models.structures.graph_matching import GraphMatching
from hedgehop.models.structures.matching import Matching
from hedgehop.models.structures.path import Path
from hedgehop.models.structures.spanning_tree import SpanningTree
from hedgehop.models.unary import UnaryModel

Changed = Callable[[Floats, Any], Doubles]
_KNOWN = (Arborescence, Chain, FactorGraph, GraphMatching, Grid, Matching, Path, SpanningTree)
_ORDINARY = 20  # a typical score is within 2^-20 .. 2^20, and no score is 2^20 times as large
_LARGEST_SCALED = 400  # the largest exponent of any score after scaling
_LARGEST_SHIFT = 1000  # 2^1024 is beyond all numbers, and scores so small have lost their digits


def can_condition(model: Model) -> bool:
    """Whether the scores of a model are known to be all there is to it: subclasses may hold more."""
    return type(model) in _KNOWN


def is_ordinary(model: Model) -> bool:
    """Whether double precision and small constants are safe with a model's scores as they are."""
    if not can_condition(model):
        return True
    assert isinstance(model, UnaryModel)
    return largest_score(model) == 0.0 or (is_even(model) and 2.0**-_ORDINARY <= typical_score(model) <= 2.0**_ORDINARY)


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
    unary = max(abs(low), abs(high)) if low > -np.inf else _largest(model.unary)
    if isinstance(model, Grid) or (isinstance(model, FactorGraph) and isinstance(model.pairwise, Potts)):
        joint = [model._stakes.largest_span, *(_largest(c.table) for c in model.cliques)]  # spans are strengths
    else:
        joint = [_largest(array) for array in _arrays_of(model)[1:]]
    return max([unary, *joint])


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

    return _rewritten(model, changed(unary, unary.max(axis=1, keepdims=True)), changed)


def rescaled(model: UnaryModel, exponent: int) -> UnaryModel:
    """Return the model with all scores multiplied by ``2^exponent``: every digit is kept."""

    def changed(scores: Floats, best: Any) -> Doubles:
        return own(np.ldexp(np.asarray(scores, np.float64), exponent))

    return _rewritten(model, changed(model.unary, 0.0), changed)


def _rewritten(model: UnaryModel, unary: Doubles, changed: Changed) -> UnaryModel:
    """Return the model with other unary scores, and joint ones changed by a function of scores and their best one."""
    other: Any = object.__new__(type(model))
    other._set(**model.__getstate__())
    other._set(unary=unary)
    if isinstance(model, Grid):
        other._set(strengths=tuple(own(-changed(-s, 0.0)) for s in model.strengths))
    elif isinstance(model, Chain):
        steps = model.__dict__["transitions"]
        after = changed(steps, steps.max(axis=(-2, -1), keepdims=True))
        other._set(transitions=_still_agreeing(steps, after) if model.n_labels == 2 else after)
    elif isinstance(model, FactorGraph):
        other._set(_pairwise=_changed_pairs(model.pairwise, changed))
        cliques = (Clique(c.variables, changed(c.table, c.table.max())) for c in model.cliques)
        other._set(cliques=tuple(cliques))
    return other  # type: ignore[no-any-return]


def exponent_for(size: float, bits: int) -> int:
    """Return the power of two that brings a size to just below 2^bits; 0 for nothing."""
    return bits - frexp(size)[1] if size > 0 else 0


def typical_exponent(model: UnaryModel) -> int:
    """Return the power of two that makes a typical score about 1, and no score beyond all numbers."""
    typical, largest = typical_score(model), largest_score(model)
    return min(exponent_for(typical or largest, 1), _LARGEST_SCALED + exponent_for(largest, 0), _LARGEST_SHIFT)


def _changed_pairs(pairs: PairwiseScores, changed: Changed) -> PairwiseScores:
    if isinstance(pairs, Potts):
        return Potts(own(-changed(-pairs.strengths, 0.0)))
    if isinstance(pairs, SharedTable):
        after = changed(pairs.values, pairs.values.max())
        return SharedTable(_still_agreeing(pairs.values, after) if after.shape == (2, 2) else after)
    assert isinstance(pairs, EdgeTables)
    other = EdgeTables([])
    best = np.maximum.reduceat(pairs.flat, pairs.offsets) if pairs.flat.size else pairs.flat
    sizes = np.diff(np.append(pairs.offsets, pairs.flat.size))
    flat = changed(pairs.flat, np.repeat(best, sizes))
    if (sizes == 4).all() and (pairs.columns == 2).all():
        flat = _still_agreeing(pairs.flat.reshape(-1, 2, 2), flat.reshape(-1, 2, 2)).reshape(-1)
    other._set(flat=flat, offsets=pairs.offsets, columns=pairs.columns)
    return other


def _still_agreeing(before: Floats, after: Doubles) -> Doubles:
    """Lower again what was raised of (..., 2, 2) tables, so that those that preferred to agree still do.

    With the best at 0 only one of the two mixed entries need be lowered, and it ends above where it was.
    """
    with np.errstate(invalid="ignore"):
        same, mixed = after[..., 0, 0] + after[..., 1, 1], after[..., 0, 1] + after[..., 1, 0]
        agreed = before[..., 0, 0] + before[..., 1, 1] >= before[..., 0, 1] + before[..., 1, 0].astype(np.float64)
        lacks = np.where(agreed & (same < mixed), (mixed - same) * (1 + 2.0**-40), 0.0)
    lower = after[..., 0, 1] <= after[..., 1, 0]  # what was raised is the lower one
    result = after.copy()
    result[..., 0, 1] -= np.where(lower, lacks, 0.0)
    result[..., 1, 0] -= np.where(lower, 0.0, lacks)
    return own(result)


def _arrays_of(model: UnaryModel) -> list[Floats]:
    """All scores of a model."""
    if not isinstance(model, PairwiseModel):
        return [model.unary]
    cliques = [c.table for c in model.cliques]
    if isinstance(model, Grid):
        return [model.unary, *model.strengths]
    pairs = model.pairwise
    joint = pairs.strengths if isinstance(pairs, Potts) else getattr(pairs, "values", getattr(pairs, "flat", None))
    return [model.unary, np.asarray(joint), *cliques]


def _largest(scores: Floats) -> float:
    if scores.size == 0:
        return 0.0
    low, high = extent(scores)
    if low == -np.inf:
        finite = scores[np.isfinite(scores)]
        high, low = (float(finite.max()), float(finite.min())) if finite.size else (0.0, 0.0)
    return max(abs(high), abs(low))
