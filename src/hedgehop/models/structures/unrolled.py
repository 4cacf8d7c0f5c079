# SPDX-License-Identifier: BSD-3-Clause
"""Automata made from others and from chains: states that remember more."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Floats, Labels

if TYPE_CHECKING:
    from hedgehop.models.structures.automaton import Automaton

Parts = tuple[Labels, Doubles, list[int]]  # arcs, their scores, final states
Arcs = list[tuple[int, int, int]]


def with_histories(model: Automaton, n: int) -> tuple[Arcs, list[float], dict[int, float], list[str]]:
    """Arcs, scores, finals and names of the automaton whose states remember the last n - 1 symbols."""
    leaving: dict[int, list[int]] = {}
    for e in np.flatnonzero(np.isfinite(model.scores)).tolist():
        leaving.setdefault(int(model.arcs[e, 0]), []).append(e)
    first = (model.start, ())
    number: dict[tuple[int, tuple[int, ...]], int] = {first: 0}
    grams: dict[tuple[int, ...], int] = {}
    arcs, scores, open_states = [], [], [first]
    for state, history in open_states:  # grows
        for e in leaving.get(state, ()):
            _, to, symbol = model.arcs[e].tolist()
            read = (*history, symbol) if symbol >= 0 else history
            after = (to, read[len(read) - (n - 1) :] if len(read) >= n else read)
            if after not in number:
                number[after] = len(number)
                open_states.append(after)
            gram = grams.setdefault(read, len(grams)) if symbol >= 0 else -1
            arcs.append((number[state, history], number[after], gram))
            scores.append(float(model.scores[e]))
    finals = {k: float(model.finals[s]) for (s, _), k in number.items() if np.isfinite(model.finals[s])}
    return arcs, scores, finals, _names(model, list(grams), n)


def _names(model: Automaton, grams: list[tuple[int, ...]], n: int) -> list[str]:
    space = "" if all(len(name) == 1 for name in model.symbols) else " "
    return [("^" if len(gram) < n else "") + space.join(model.symbols[k] for k in gram) for gram in grams]


def higher_order(emissions: ArrayLike, transitions: ArrayLike) -> Parts:
    """States are positions with the last k labels, or all of them if they are fewer."""
    own_scores = np.asarray(_arrays.scores(emissions, "emissions", ndim=2), np.float64)
    steps = np.asarray(_arrays.scores(transitions, "transitions"), np.float64)
    length, labels = own_scores.shape
    if 0 in own_scores.shape or steps.ndim < 2 or set(steps.shape) != {labels}:
        wanted = f"transitions must have two axes or more of {labels} labels each, as many as emissions has"
        raise ValueError(f"{wanted}; got shapes {own_scores.shape} and {steps.shape}.")
    order = steps.ndim - 1
    arcs, scores, first = [], [], 0
    for t in range(length):
        known = min(t, order)
        histories = labels**known
        after = first + histories
        kept = labels ** min(t + 1, order)
        state, label = (a.ravel() for a in np.meshgrid(np.arange(histories), np.arange(labels), indexing="ij"))
        arcs.append(np.stack([first + state, after + (state * labels + label) % kept, label], axis=1))
        scores.append(own_scores[t, label] + (steps.ravel() if known == order else 0.0))
        first = after
    finals = list(range(first, first + labels ** min(length, order)))
    return np.concatenate(arcs).astype(np.int32), np.concatenate(scores), finals


def semi_markov(scores: ArrayLike, transitions: ArrayLike | None) -> tuple[Arcs, list[float], list[int], int]:
    """Boundaries after each kind, and segments that have begun; segments end on arcs that read nothing."""
    table = np.asarray(_arrays.scores(scores, "scores", ndim=3), np.float64)
    length, widths, kinds = (int(size) for size in table.shape)
    if 0 in table.shape:
        raise ValueError(f"scores must have at least one position, width and kind; got shape {table.shape}.")
    steps = _steps(transitions, kinds)
    begun = 1 + length * kinds  # state 0, then (position, kind before), then (start, width so far, kind)

    def boundary(t: int, kind: int) -> int:
        return 1 + (t - 1) * kinds + kind

    def inside(t: int, width: int, kind: int) -> int:
        return begun + (t * widths + width - 1) * kinds + kind

    arcs, worth = [], []
    for t, kind in product(range(length), range(kinds)):
        before = [(0, 0.0)] if t == 0 else [(boundary(t, a), float(steps[a, kind])) for a in range(kinds)]
        for state, score in before:
            arcs.append((state, inside(t, 1, kind), kind))
            worth.append(score)
        for width in range(1, min(widths, length - t) + 1):
            arcs.append((inside(t, width, kind), boundary(t + width, kind), -1))
            worth.append(float(table[t, width - 1, kind]))
            if width < min(widths, length - t):
                arcs.append((inside(t, width, kind), inside(t, width + 1, kind), kinds + kind))
                worth.append(0.0)
    return arcs, worth, [boundary(length, kind) for kind in range(kinds)], kinds


def _steps(transitions: ArrayLike | None, kinds: int) -> Floats:
    if transitions is None:
        return np.zeros((kinds, kinds))
    steps = _arrays.scores(transitions, "transitions", ndim=2)
    if steps.shape != (kinds, kinds):
        raise ValueError(f"transitions must have shape ({kinds}, {kinds}); got {steps.shape}.")
    return steps
