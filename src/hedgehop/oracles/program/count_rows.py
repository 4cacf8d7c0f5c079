# SPDX-License-Identifier: BSD-3-Clause
"""Functions of counts as rows of a linear program (docs/theory.md 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from hedgehop._arrays import Doubles
from hedgehop._errors import InfeasibleError
from hedgehop.oracles.program.program import ColumnIndices
from hedgehop.potentials.count_functions import SmoothFunction, Table, Threshold, concave_envelope, is_concave
from hedgehop.potentials.counts import CountFunction, LabelClasses

if TYPE_CHECKING:
    from hedgehop.oracles.program.model_rows import Encoded


def add_count(ilp: Encoded, count: CountFunction) -> None:
    """Add a function of a count to the objective."""
    if isinstance(count.function, Table):
        _add_table(ilp, count, count.function)
    elif count.function.weight > 0:
        _add_reward(ilp, count, count.function)
    elif count.function.weight < 0:
        _add_cost(ilp, count, count.function)


def _carriers(ilp: Encoded, count: CountFunction) -> list[ColumnIndices]:
    """Columns of which one is on if a member carries the code, for each member."""
    codes = count.codes
    if isinstance(codes, LabelClasses):
        carriers = np.broadcast_to(codes.carriers(count.code), ilp.x.shape)
        return [ilp.x[i][carriers[i]] for i in count.members]
    if not count.members.size:
        return []
    assert ilp.pairs is not None  # see `_counts_edges`
    first, *second = (ilp.pairs[:, a, b] for a, b in codes.pairs(count.code))
    return list(np.stack([first, *second], axis=1)[count.members])


def _bind_members(ilp: Encoded, held: ColumnIndices, count: CountFunction, **limit: float) -> None:
    """Limit ``held - carriers`` for each member: one block of rows if all have as many carriers."""
    carriers = _carriers(ilp, count)
    alike = len({c.size for c in carriers}) == 1
    for columns in [np.stack(carriers)] if alike else [c[None] for c in carriers]:
        rows = np.column_stack([np.repeat(held, len(columns)), columns])
        ilp.program.rows(rows, [1.0, *[-1.0] * columns.shape[1]], **limit)


def _summed(ilp: Encoded, count: CountFunction) -> tuple[ColumnIndices, Doubles]:
    """Columns and factors that add up to the count."""
    carriers = _carriers(ilp, count)
    weights = np.ones(len(carriers)) if count.weights is None else count.weights
    factors = [np.full(c.size, w) for c, w in zip(carriers, weights, strict=True)]
    none = np.zeros(0)
    return np.concatenate([none, *carriers]).astype(np.int64), np.concatenate([none, *factors])


def _add_reward(ilp: Encoded, count: CountFunction, rises: Threshold) -> None:
    """``held <= clip((k - start) / width, 0, 1)``, which is maximised."""
    program, total = ilp.program, count.total
    alone = rises.width == 1 and count.weights is None and rises.start == int(rises.start)  # whole counts
    held = program.columns(1, rises.weight, integer=alone and rises.start > 0 and rises.start != total - 1)
    if alone and rises.start == total - 1:  # each member holds it back
        _bind_members(ilp, held, count, high=0.0)
        return
    columns, factors = _summed(ilp, count)
    if alone:
        program.rows([[*held, *columns]], [[-(rises.start + 1.0), *factors]], low=0.0)
    elif rises.start == 0:
        program.rows([[*held, *columns]], [[1.0, *-factors / rises.width]], high=0.0)
    else:  # convex before it is concave: a switch
        lift, switch = rises.start / rises.width, program.columns(1, integer=True)
        program.rows([[*held, *switch]], [[1.0, -1.0]], high=0.0)
        program.rows([[*held, *columns, *switch]], [[1.0, *-factors / rises.width, lift]], high=0.0)


def _add_cost(ilp: Encoded, count: CountFunction, rises: Threshold) -> None:
    """``held >= clip((k - start) / width, 0, 1)``, which is minimised."""
    program, total = ilp.program, count.total
    alone = rises.width == 1 and count.weights is None and rises.start == int(rises.start)  # whole counts
    held = program.columns(1, rises.weight, integer=alone and 0 < rises.start < total - 1)
    if alone and rises.start == 0:  # each member asks for it
        _bind_members(ilp, held, count, low=0.0)
        return
    columns, factors = _summed(ilp, count)
    if alone:
        program.rows([[*held, *columns]], [[total - rises.start, *-factors]], low=-rises.start)
    else:
        share, before = factors / rises.width, rises.start / rises.width
        switch = program.columns(1, integer=True, high=float(total > rises.start + rises.width))  # paid in full
        program.rows(
            [[*held, *columns, *switch]], [[1.0, *-share, max(0.0, total / rises.width - before)]], low=-before
        )
        program.rows([[*held, *switch]], [[1.0, -1.0]], low=0.0)


def _add_table(ilp: Encoded, count: CountFunction, table: Table) -> None:
    """Concave tables by their secants, other tables by one column per count; -inf limits the count."""
    if table.smooth is not None:
        smooth = int(ilp.program.columns(1, 1.0, low=-np.inf, high=np.inf)[0])
        _below_tangents(ilp, smooth, count_column(ilp, count), count.total, table.smooth)
        return
    finite = np.flatnonzero(np.isfinite(table.values))
    if finite.size == 0:
        raise InfeasibleError("a potential forbids every count: no labeling is allowed.")
    first, last = int(finite[0]), int(finite[-1])
    column, inner = count_column(ilp, count, low=first, high=last), table.values[first : last + 1]
    whole = finite.size == inner.size
    if whole and not inner.any():
        return  # nothing but limits
    value = int(ilp.program.columns(1, 1.0, low=-np.inf, high=np.inf)[0])
    if whole and is_concave(inner):
        below_secants(ilp, value, column, inner, first)
    else:
        allowed = np.isfinite(table.values)
        cells = _one_hot(ilp, column, table.values.size, allowed)
        ilp.program.rows([[value, *cells]], [[1.0, *-np.where(allowed, table.values, 0.0)]], high=0.0)


def count_column(ilp: Encoded, count: CountFunction, low: float = 0.0, high: float = np.inf) -> int:
    """Add a column that equals a count."""
    column = int(ilp.program.columns(1, low=low, high=min(high, count.total))[0])
    fewer = _fewer(count)
    columns, factors = _summed(ilp, fewer)
    factors, total = (-factors, 0.0) if fewer is count else (factors, count.total)
    ilp.program.rows([[column, *columns]], [[1.0, *factors]], low=total, high=total)
    return column


def _fewer(count: CountFunction) -> CountFunction:
    """The count itself or, where most labels carry one of two codes, that of the other: fewer columns."""
    codes = count.codes
    if not isinstance(codes, LabelClasses) or codes.n_codes != 2 or codes.width != 2:
        return count
    if codes.carriers(count.code).mean() > 0.5:
        return CountFunction(codes, 1 - count.code, count.members, count.function, count.weights)
    return count


def value_of_count(ilp: Encoded, count: int, table: Doubles) -> int:
    """Return a column of at most ``table[count]``, tight when it is maximised."""
    value = int(ilp.program.columns(1, low=float(table.min()), high=float(table.max()))[0])
    if is_concave(table):
        below_secants(ilp, value, count, table, 0)
    else:
        cells = _one_hot(ilp, count, table.size)
        ilp.program.rows([[value, *cells]], [[1.0, *-table]], high=0.0)
    return value


def below_secants(ilp: Encoded, column: int, count: int, table: Doubles, first: int) -> None:
    """``column <= t(k) + (t(k+1) - t(k)) (count - k)`` for every k: exact for a concave table."""
    if table.size == 1:
        ilp.program.rows([[column]], 1.0, high=float(table[0]))
        return
    slopes = np.diff(table)
    k = first + np.arange(slopes.size)
    kept = np.append(True, np.abs(np.diff(slopes)) > 0)  # equal slopes: the same line
    rows = np.tile([column, count], (int(kept.sum()), 1))
    factors = np.stack([np.ones(slopes.size), -slopes], axis=1)[kept]
    ilp.program.rows(rows, factors, high=(table[:-1] - slopes * k)[kept])


def _below_tangents(
    ilp: Encoded, column: int, count: int, total: float, smooth: SmoothFunction, lift: float = 0.0
) -> None:
    """Tangents of a concave function at a geometric grid of points: an upper bound, close everywhere."""
    points = np.concatenate([[0.0], np.geomspace(1e-3, max(total, 2e-3), 60)])
    slopes = smooth.slope(points)
    rows = np.tile([column, count], (points.size, 1))
    factors = np.stack([np.ones(points.size), -slopes], axis=1)
    ilp.program.rows(rows, factors, high=smooth.at(points) - slopes * points + lift)


def below_function(ilp: Encoded, column: int, count: CountFunction, lift: float) -> None:
    """``column <= lift + function(count)``, or the least concave function above it."""
    table, place = count.function, count_column(ilp, count)
    assert isinstance(table, Table)
    if table.smooth is not None:
        _below_tangents(ilp, column, place, count.total, table.smooth, lift)
    else:
        concave = table.values if is_concave(table.values) else concave_envelope(table.values)
        below_secants(ilp, column, place, concave + lift, 0)


def _one_hot(ilp: Encoded, count: int, size: int, allowed: ArrayLike = 1.0) -> ColumnIndices:
    """Return one switch per value 0..size-1 of a count, exactly one of them on."""
    cells = ilp.program.columns(size, high=np.asarray(allowed, float), integer=True)
    ilp.program.rows(cells[None], 1.0, low=1.0, high=1.0)
    ilp.program.rows([[*cells, count]], [np.append(np.arange(size), -1.0)], low=0.0, high=0.0)
    return cells
