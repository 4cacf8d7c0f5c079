# SPDX-License-Identifier: BSD-3-Clause
"""Every potential, of every sign, as columns and rows of a linear program."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hedgehop._arrays import Doubles
from hedgehop._errors import InfeasibleError
from hedgehop.oracles.program.model_rows import Encoded
from hedgehop.oracles.program.program import Columns
from hedgehop.oracles.relaxation.curves import concave_envelope, counted, is_concave
from hedgehop.potentials import (
    AgreementGains,
    BallCoverage,
    BallUnion,
    Cardinality,
    Envelope,
    KindWeights,
    LabelWeights,
    Potential,
    RegionWeights,
    TransitionWeights,
)
from hedgehop.potentials.labels import transition_pairs

_MOST_BALLS = 4  # unions written by inclusion-exclusion: 2^4 - 1 terms


def encode_labels(ilp: Encoded, potential: LabelWeights) -> None:
    """``used[l]``: a cost forces it up with the first variables, a reward asks for enough of them."""
    least = potential.least_count(ilp.model.n_variables)
    for label in np.flatnonzero(potential.w):
        _encode_use(ilp, float(potential.w[label]), least, ilp.x[:, label])


def encode_kinds(ilp: Encoded, potential: KindWeights) -> None:
    """The same for all labels of a kind."""
    least = potential.least_count(ilp.model.n_variables)
    kinds = np.broadcast_to(potential.kinds, ilp.x.shape)
    for kind in np.flatnonzero(potential.w):
        _encode_use(ilp, float(potential.w[kind]), least, ilp.x[kinds == kind])


def _encode_use(ilp: Encoded, w: float, least: int, takers: Columns) -> None:
    """Weight w once at least so many takers are on."""
    n = takers.size
    used = ilp.program.columns(1, w, integer=least > 1)
    if w > 0:
        ilp.program.rows([[*used, *takers]], [[-float(least), *[1.0] * n]], low=0.0)
    elif least == 1 and n:
        ilp.program.rows(np.stack([np.repeat(used, n), takers], axis=1), [1.0, -1.0], low=0.0)
    elif n >= least:
        ilp.program.rows([[*used, *takers]], [[n - least + 1.0, *[-1.0] * n]], low=1.0 - least)


def encode_transitions(ilp: Encoded, potential: TransitionWeights) -> None:
    """``used[a, b]``: above every edge that carries the pair (cost), or below their sum (reward)."""
    if ilp.pairs is None:  # no edges: no transition is ever used
        return
    for a, b in zip(*transition_pairs(len(potential.w), potential.ordered), strict=True):
        w = float(potential.w[a, b])
        if w == 0:
            continue
        used = ilp.program.columns(1, w)
        carriers = ilp.pairs[:, a, b][:, None]
        if not potential.ordered:
            carriers = np.concatenate([carriers, ilp.pairs[:, b, a][:, None]], axis=1)
        if w < 0:
            rows = np.concatenate([np.repeat(used[None], len(carriers), axis=0), carriers], axis=1)
            ilp.program.rows(rows, [1.0] + [-1.0] * carriers.shape[1], low=0.0)
        else:
            ilp.program.rows([[*used, *carriers.ravel()]], [[-1.0, *[1.0] * carriers.size]], low=0.0)


def encode_regions(ilp: Encoded, potential: RegionWeights) -> None:
    """``held = max(0, 1 - misses/Q)``: a cost pushes it up by itself, a reward needs a switch if Q > 1."""
    for c, members in enumerate(potential.regions):
        slack, size = potential.slack(c), members.size
        for label in np.flatnonzero(potential.mu[c]):
            mu = float(potential.mu[c, label])
            held = ilp.program.columns(1, mu)
            takers = ilp.x[members, label]
            full = 1.0 - size / slack  # held <= full + takers/Q, with 0 <= held <= 1
            share = [-1.0 / slack] * size
            if mu < 0:
                ilp.program.rows([[*held, *takers]], [[1.0, *share]], low=full)
            elif slack == 1:
                ilp.program.rows(np.stack([np.repeat(held, size), takers], axis=1), [1.0, -1.0], high=0.0)
            else:
                switch = ilp.program.columns(1, integer=True)
                ilp.program.rows([[*held, *switch]], [[1.0, -1.0]], high=0.0)
                lift = size / slack
                ilp.program.rows([[*held, *takers, *switch]], [[1.0, *share, lift]], high=full + lift)


def encode_cardinality(ilp: Encoded, potential: Cardinality) -> None:
    """Concave tables by their secants, other tables by one column per count; -inf limits the count."""
    weights, table = counted(potential)
    if table is None:
        column = ilp.distance(potential.reference, weights)
        value = ilp.program.columns(1, 1.0, low=-np.inf, high=np.inf)
        _below_tangents(ilp, int(value[0]), column, potential)
        return
    finite = np.flatnonzero(np.isfinite(table))
    if finite.size == 0:
        raise InfeasibleError("a cardinality potential forbids every count: no labeling is allowed.")
    first, last = int(finite[0]), int(finite[-1])
    column = ilp.distance(potential.reference, weights, low=first, high=last)
    inner = table[first : last + 1]
    if not inner.any() and finite.size == last - first + 1:
        return  # nothing but limits
    if finite.size == last - first + 1 and is_concave(inner):
        value = ilp.program.columns(1, 1.0, low=-np.inf, high=np.inf)
        below_secants(ilp, int(value[0]), column, inner, first)
    else:
        cells = _one_hot(ilp, column, table.size, allowed=np.isfinite(table))
        value = ilp.program.columns(1, 1.0, low=-np.inf, high=np.inf)
        ilp.program.rows([[*value, *cells]], [[1.0, *-np.where(np.isfinite(table), table, 0.0)]], high=0.0)


def encode_envelope(ilp: Encoded, potential: Envelope) -> None:
    """One switch per function; the value lies below the function that is switched on."""
    finite = np.isfinite(potential.w)
    w = np.where(finite, potential.w, 0.0)
    highest = potential.mu + np.where(finite, potential.w, -np.inf).max(axis=2).clip(min=-1e300).sum(axis=1)
    lowest = potential.mu + np.where(finite, potential.w, np.inf).min(axis=2).clip(max=1e300).sum(axis=1)
    useful = np.flatnonzero(highest > -1e299)
    if useful.size == 0:
        raise InfeasibleError("an envelope is -inf everywhere: no labeling is allowed.")
    top = float(highest[useful].max())
    value = ilp.program.columns(1, 1.0, low=-np.inf, high=np.inf)
    switches = ilp.program.columns(useful.size, integer=True)
    ilp.program.rows(switches[None], 1.0, low=1.0, high=1.0)
    for q, switch in zip(useful, switches, strict=True):
        lift = top - float(lowest[q])
        where = [*value, *ilp.x.ravel(), switch]
        ilp.program.rows([where], [[1.0, *(-w[q]).ravel(), lift]], high=float(potential.mu[q]) + lift)
        for i, label in np.argwhere(~finite[q]):
            ilp.program.rows([[switch, ilp.x[i, label]]], 1.0, high=1.0)


def encode_agreement(ilp: Encoded, potential: AgreementGains) -> None:
    """``excess <= max(0, agreement - best)``, one switch per sample."""
    share = potential.weights / potential.weights.sum()
    variables = np.arange(share.size)
    for z, best in zip(potential.samples, potential.best, strict=True):
        excess = ilp.program.columns(1, potential.scale / len(potential.samples))
        switch = ilp.program.columns(1, integer=True)
        ilp.program.rows([[*excess, *switch]], [[1.0, float(best) - 1.0]], high=0.0)
        agree = ilp.x[variables, z]
        ilp.program.rows([[*excess, *agree, *switch]], [[1.0, *-share, float(best)]], high=0.0)


def encode_ball(ilp: Encoded, potential: BallCoverage | BallUnion) -> int | None:
    """Write the gain exactly where that is affordable, else below every ``1 - overlap_j``.

    In the second case return its column, to be tightened by cuts at the labelings met.
    """
    gain = int(ilp.program.columns(1, 1.0, low=0.0, high=max(potential.scale, 0.0))[0])
    for pair in potential.pairs():
        below_pair(ilp, gain, pair, 0.0)
    if isinstance(potential, BallCoverage) and len(potential.chosen) <= _MOST_BALLS and _uniform(potential.decay):
        _include_exclude(ilp, potential, gain)
        return None
    return gain


def _include_exclude(ilp: Encoded, potential: BallCoverage, gain: int) -> None:
    """``gain = sum over subsets A of the chosen of (-1)^|A| exp(-decay * |union of D_j, j in A|)``.

    D_j are the variables where y differs from labeling j. Outside of the union lie those where all of A agree
    and y with them: each term is a function of one count.
    """
    decay, n = float(potential.decay[0]), potential.decay.size
    terms = [gain]
    for size in range(1, len(potential.chosen) + 1):
        for subset in combinations(potential.chosen, size):
            agree = np.all([y == subset[0] for y in subset], axis=0)
            outside = n - int(agree.sum())
            table = (-1.0) ** size * potential.scale * np.exp(-decay * (outside + np.arange(n - outside + 1)))
            terms.append(_value_of_count(ilp, ilp.distance(subset[0], agree.astype(float)), table))
    ilp.program.rows([terms], [[1.0, *[-1.0] * (len(terms) - 1)]], high=potential.scale)


def _value_of_count(ilp: Encoded, count: int, table: Doubles) -> int:
    """Return a column of at most ``table[count]``, tight when it is maximised."""
    value = int(ilp.program.columns(1, low=float(table.min()), high=float(table.max()))[0])
    if is_concave(table):
        below_secants(ilp, value, count, table, 0)
    else:
        cells = _one_hot(ilp, count, table.size)
        ilp.program.rows([[value, *cells]], [[1.0, *-table]], high=0.0)
    return value


def below_pair(ilp: Encoded, column: int, pair: Cardinality, lift: float) -> None:
    """``column <= lift + pair(distance)`` for a concave function of the distance to pair's reference."""
    weights, table = counted(pair)
    distance = ilp.distance(pair.reference, weights)
    if table is None:
        _below_tangents(ilp, column, distance, pair, lift)
    elif is_concave(table):
        below_secants(ilp, column, distance, table + lift, 0)
    else:
        below_secants(ilp, column, distance, concave_envelope(table) + lift, 0)


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


def _below_tangents(ilp: Encoded, column: int, count: int, potential: Cardinality, lift: float = 0.0) -> None:
    """Tangents of a concave function at a geometric grid of points: an upper bound, close everywhere."""
    slope: Callable[[Doubles], Doubles] = getattr(potential.table, "slope")  # noqa: B009  (see `refusal`)
    points = np.concatenate([[0.0], np.geomspace(1e-3, max(potential.total, 2e-3), 60)])
    slopes = potential.factor * np.asarray(slope(points))
    rows = np.tile([column, count], (points.size, 1))
    factors = np.stack([np.ones(points.size), -slopes], axis=1)
    ilp.program.rows(rows, factors, high=potential.at(points) - slopes * points + lift)


def _one_hot(ilp: Encoded, count: int, size: int, allowed: ArrayLike = 1.0) -> Columns:
    """Return one switch per value 0..size-1 of a count, exactly one of them on."""
    cells = ilp.program.columns(size, high=np.asarray(allowed, float), integer=True)
    ilp.program.rows(cells[None], 1.0, low=1.0, high=1.0)
    ilp.program.rows([[*cells, count]], [np.append(np.arange(size), -1.0)], low=0.0, high=0.0)
    return cells


def _uniform(values: Doubles) -> bool:
    return bool((values == values[:1]).all())


ENCODERS: dict[type[Potential], Callable[[Encoded, Any], Any]] = {
    KindWeights: encode_kinds,
    LabelWeights: encode_labels,
    TransitionWeights: encode_transitions,
    RegionWeights: encode_regions,
    Cardinality: encode_cardinality,
    Envelope: encode_envelope,
    AgreementGains: encode_agreement,
    BallCoverage: encode_ball,
    BallUnion: encode_ball,
}
