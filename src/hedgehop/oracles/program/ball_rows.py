# SPDX-License-Identifier: BSD-3-Clause
"""Unions of balls and upper envelopes as rows of a linear program (docs/theory.md 10)."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop._errors import InfeasibleError
from hedgehop.oracles.program.count_rows import below_function, count_column, value_of_count
from hedgehop.potentials import Cardinality, Envelope, Table
from hedgehop.potentials.ball_unions import BallGain
from hedgehop.potentials.distances import differing

if TYPE_CHECKING:
    from hedgehop.oracles.program.model_rows import Encoded

_OVERRATED = 1e-9  # of a ball's weight: from here on a cut pays
_MOST_BALLS = 4  # unions written by inclusion-exclusion: 2^4 - 1 terms


def add_envelope(ilp: Encoded, potential: Envelope) -> None:
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


def add_ball(ilp: Encoded, potential: BallGain) -> None:
    """Write the gain exactly if that is affordable, otherwise below every ``1 - overlap_j``, for now."""
    gain = int(ilp.program.columns(1, 1.0, low=0.0, high=max(potential.scale, 0.0))[0])
    for pair in potential.pairs():
        _below_pair(ilp, gain, pair, 0.0)
    decay = potential.common_decay if potential.n_balls <= _MOST_BALLS else None
    if decay is not None:
        _include_exclude(ilp, potential, decay, gain)
    else:
        ilp.balls.append((potential, gain))


def cut_balls(ilp: Encoded, labeling: Labels, x: Doubles) -> bool:
    """Add, where a ball's gain is overrated at this labeling y*, the valid cut that mends it; whether there was one.

    ``gain(y) <= gain(y*) + (1 - overlap(y, y*))``: what y covers and y* does not lies outside y*'s own ball.
    """
    cut = False
    for potential, column in ilp.balls:
        true = float(potential.upper(ilp.model, labeling[None])[0])
        if x[column] > true + _OVERRATED * abs(potential.scale):
            _below_pair(ilp, column, potential.pair(labeling), true)
            cut = True
    return cut


def _below_pair(ilp: Encoded, column: int, pair: Cardinality, lift: float) -> None:
    """``column <= lift + pair(distance)``."""
    for count in pair.counts(ilp.model) or ():
        below_function(ilp, column, count, lift)


def _include_exclude(ilp: Encoded, potential: BallGain, decay: float, gain: int) -> None:
    """``gain = sum over subsets A of the chosen of (-1)^|A| exp(-decay * |union of D_j, j in A|)``.

    D_j are the variables where y differs from labeling j. Outside of the union lie those where all of A agree
    and y with them: each term is a function of one count.
    """
    terms, n = [gain], ilp.model.n_variables
    for size in range(1, potential.n_balls + 1):
        for subset in combinations(potential.chosen, size):
            agree = np.all([y == subset[0] for y in subset], axis=0)
            outside = n - int(agree.sum())
            table = (-1.0) ** size * potential.scale * np.exp(-decay * (outside + np.arange(n - outside + 1)))
            away = differing(ilp.model, subset[0], Table(1.0, table), agree.astype(float))
            terms.append(value_of_count(ilp, count_column(ilp, away), table))
    ilp.program.rows([terms], [[1.0, *[-1.0] * (len(terms) - 1)]], high=potential.scale)
