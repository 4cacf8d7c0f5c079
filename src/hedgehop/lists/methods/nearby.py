# SPDX-License-Identifier: BSD-3-Clause
"""The best labelings near known ones: where nothing is proven, mixtures and single changes find more than solves do."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Labels
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.folding import not_finite_pairs
from hedgehop.oracles.pool import Pool
from hedgehop.probabilities.pairs import expected_pairs


def can_search_nearby(model: Model) -> TypeGuard[PairwiseModel]:
    """Whether all single changes of a labeling can be scored at once, and labelings can be mixed."""
    return isinstance(model, PairwiseModel) and not model.cliques and not_finite_pairs(model) is None


def best_nearby(model: PairwiseModel, rows: Labels, m: int) -> Labels:
    """Return the m best, (m, n), of some labelings, their mixture, and what single changes make of the best ones."""
    pool = Pool(model, (), ())
    pool.add(rows)
    pool.add(_mixed(model, pool.top(len(rows)))[None])
    changed: set[int] = set()
    while left := [k for k in pool.order(m) if k not in changed]:
        changed.add(left[0])
        pool.add(_changed_once(model, pool.labelings[left[0]], m))
    return np.array(pool.top(m), np.int32)


def _mixed(model: PairwiseModel, labelings: list[Labels]) -> Labels:
    """Return what fusion moves make of labelings: no worse than any of them."""
    moves = _core.moves.Moves(model.unary, model.pairs)
    best = labelings[0]
    for other in labelings[1:]:
        best = moves.fuse(best, other)[0]
    return best


def _changed_once(model: PairwiseModel, labeling: Labels, count: int) -> Labels:
    """Return the best labelings that differ from one in a single variable."""
    variables = np.arange(labeling.size)
    chances = np.zeros(model.unary.shape)
    chances[variables, labeling] = 1.0
    gains = np.asarray(model.unary, np.float64) + expected_pairs(model, chances)[0]
    gains -= gains[variables, labeling][:, None]
    gains[variables, labeling] = -np.inf
    some = np.argsort(-gains, axis=None, kind="stable")[:count]
    where, label = np.unravel_index(some, gains.shape)
    rows = np.repeat(labeling[None], len(some), axis=0)
    rows[np.arange(len(some)), where] = label
    return np.asarray(rows[np.isfinite(gains.flat[some])])
