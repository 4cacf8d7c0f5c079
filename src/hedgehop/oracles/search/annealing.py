# SPDX-License-Identifier: BSD-3-Clause
"""Annealing, and moves over blocks of variables: for scores that contradict each other, where cuts round badly.

Annealing changes one label at a time, so it freezes where scores hold variables together, such as equalities. Blocks of
variables change together, each to its best labels by dynamic programming; what several rounds find is fused.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.effort import effort
from hedgehop.oracles.folding import changed_unary, values_of
from hedgehop.oracles.pairwise.kernels import pair_tables, table_pairs
from hedgehop.oracles.search.merging import Merged

_MOST_SWEEPS, _FEWEST_SWEEPS = 1000, 300  # of a run on all but small models; of one that is worth it on large ones
VISITED_SCORES = 100_000_000  # scores visited in all: about a second
_MOST_TABLE_ENTRIES = 5_000_000  # of all tables
MOST_ROUNDS, _FRUITLESS_ROUNDS = 18, 8  # of moves over blocks; how many in a row may bring nothing
_ROUND_CELLS = 50_000_000  # that blocks visit in a round: less than a tenth of a second
_HEATS = (0.3, 1.0, 3.0, 0.0)  # of rounds, two by two: times the temperature at which annealing begins
_BLOCK_CELLS = (64, 512, 4096)  # of the largest table of a block, in turns: narrow blocks leave out less
_MOVES_OF_A_ROUND = 4  # at least
_ROUND_SWEEPS = 1000  # of the annealing in a round

Scores = tuple[Doubles, _core.Pairs, NDArray[np.int32], NDArray[np.int64], Doubles]  # as the kernels take them


def annealed(
    model: PairwiseModel,
    theta: Doubles | None,
    labeling: Labels,
    rounds: int = MOST_ROUNDS,
    visits: int = VISITED_SCORES,
) -> Labels:
    """Return a labeling of unary + theta that is no worse, and deterministic; the given one of a large model.

    `rounds`: how many rounds of moves over blocks follow at most; `visits`: how many scores annealing looks at.
    """
    flat = np.ascontiguousarray(labeling.reshape(-1), np.int32)
    merged = Merged.of(model, theta) if _table_cells(model) <= _MOST_TABLE_ENTRIES else None
    if merged is None:
        return _searched(model, theta, flat, rounds, visits)
    found = merged.back(annealed(merged.model, None, merged.front(flat), rounds, visits))
    return found if _value(model, theta, found) > _value(model, theta, flat) else flat


def _searched(model: PairwiseModel, theta: Doubles | None, flat: Labels, rounds: int, visits: int) -> Labels:
    members = [c.variables for c in model.cliques]
    starts = np.cumsum([0, *(v.size for v in members)]).astype(np.int64)
    cells = _table_cells(model)
    size = model.n_variables + len(model.edges) + int(starts[-1])
    sweeps = min(_MOST_SWEEPS, 20 * model.n_variables, visits // size)
    if _FEWEST_SWEEPS * size > visits or not 0 < cells <= _MOST_TABLE_ENTRIES:
        return flat
    tables = pair_tables(model)
    parts = [c.table.astype(np.float64).ravel() for c in model.cliques]
    whole = changed_unary(model, theta)
    unary, pairs, joint = _finite([whole, tables, np.concatenate([np.zeros(0), *parts])])
    scores = (
        unary, table_pairs(model, pairs), np.concatenate([np.zeros(0), *members]).astype(np.int32), starts, joint,
    )  # fmt: skip
    hot = _temperature([*tables, *parts]) or _temperature([*whole]) or 1.0
    found = _core.local.anneal(*scores, flat, visits // (sweeps * size), sweeps, hot)
    return _by_blocks(model, theta, scores, found, min(sweeps, _ROUND_SWEEPS), hot, rounds)


def _by_blocks(
    model: PairwiseModel, theta: Doubles | None, scores: Scores, labeling: Labels, sweeps: int, hot: float, rounds: int
) -> Labels:
    """Improve a labeling by rounds of moves over blocks, until many have brought nothing or the time is up."""
    fewest = model.n_labels**2  # two variables that are held together
    most = _ROUND_CELLS // (_MOVES_OF_A_ROUND * model.n_variables)
    work = min(_ROUND_CELLS, 20 * model.n_variables**2 * fewest)
    value = _value(model, theta, labeling)
    idle = 0
    for r in range(rounds if fewest <= most else 0):
        if idle == _FRUITLESS_ROUNDS or effort().seconds == 0.0:
            break
        cells = min(most, max(fewest, _BLOCK_CELLS[r % len(_BLOCK_CELLS)]))
        heat = _HEATS[r // 2 % len(_HEATS)]
        other = _core.local.search_blocks(*scores, labeling, sweeps, work, hot, heat * hot, cells, r % 2 == 1, r + 1)
        reached = _value(model, theta, other)
        idle = 0 if reached > value else idle + 1
        labeling, value = (other, reached) if reached > value else (labeling, value)
    return labeling


def _table_cells(model: PairwiseModel) -> int:
    return sum(c.table.size for c in model.cliques) + len(model.edges) * model.n_labels**2


def _value(model: PairwiseModel, theta: Doubles | None, labeling: Labels) -> float:
    return float(values_of(model, theta, labeling[None])[0])


def _finite(scores: list[Doubles]) -> list[Doubles]:
    """Return scores in which what is forbidden costs more than all that is allowed may bring."""
    allowed = [np.abs(s[np.isfinite(s)]).sum() for s in scores]
    least = -2.0 * float(sum(allowed)) - 1.0
    return [np.maximum(s, least) for s in scores]


def _temperature(tables: Sequence[Doubles]) -> float:
    """Return most of a mean range of the scores, what is forbidden aside; 0 if there is none."""
    spans = [np.ptp(t[np.isfinite(t)]) for t in tables if np.isfinite(t).any()]
    return 0.8 * float(np.mean(spans)) if spans else 0.0
