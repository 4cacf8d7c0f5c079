# SPDX-License-Identifier: BSD-3-Clause
"""Steps that are made of others, whichever oracle solves those (docs/theory.md 4 and 6).

- ``max_y f(y) + max(g(y), h(y))`` is the larger one of ``max_y f(y) + g(y)`` and ``max_y f(y) + h(y)``.
- A cost of single labelings leaves all others alone: the answer is the best of the others, or the best of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from hedgehop._arrays import Labels, key_of
from hedgehop._errors import InfeasibleError
from hedgehop.oracles.base import Solver, Step
from hedgehop.oracles.exactness import meets
from hedgehop.potentials import Potential, total_value

SolvePotentials = Callable[[Sequence[Potential]], Step]


def splits(potentials: Sequence[Potential]) -> bool:
    """Whether a step has to be split into others."""
    return any(p.choices() or p.penalised() is not None for p in potentials)


def without_splits(potentials: Sequence[Potential]) -> list[Potential]:
    """Return the potentials an oracle is asked to solve."""
    parts = [terms for p in potentials for terms in p.choices() or ([p] if p.penalised() is None else [],)]
    return [potential for terms in parts for potential in terms]


def split_step(solver: Solver, potentials: Sequence[Potential]) -> Step:
    """Solve a step with maxima of potentials or costs of single labelings by steps without them."""
    if any(p.choices() for p in potentials):
        return _best_choice(solver, potentials, solver.step)
    members, rest = _members(potentials), [p for p in potentials if p.penalised() is None]
    free = solver.step(rest)
    if key_of(free.labeling) not in members:
        return free  # the others only lose by their weights
    rows = np.array([np.frombuffer(key, np.int32) for key in members])
    best = _best_member(solver, potentials, rows)
    try:
        other = solver.step_apart(rest, list(rows), 1, free)
    except InfeasibleError:  # there are no others
        return replace(best, exact=meets(solver.model, best.value, best.upper_bound))
    bound = min(free.upper_bound, max(other.upper_bound, best.upper_bound))
    chosen = other if other.value > best.value else best
    proven = other.exact or meets(solver.model, chosen.value, bound)
    return replace(chosen, upper_bound=max(bound, chosen.value), exact=proven, oracle=other.oracle)


def split_step_apart(solver: Solver, potentials: Sequence[Potential], earlier: Sequence[Labels], distance: int) -> Step:
    """Do the same at a distance from earlier labelings, which most often are the ones that have weights."""

    def solve(terms: Sequence[Potential]) -> Step:
        return solver.step_apart(terms, earlier, distance)

    if any(p.choices() for p in potentials):
        return _best_choice(solver, potentials, solve)
    step = solve([p for p in potentials if p.penalised() is None])
    if key_of(step.labeling) not in _members(potentials):
        return step
    valued = solver.oracle.step(solver.model, step.labeling, potentials, step.upper_bound)
    return replace(valued, oracle=step.oracle)


def _best_choice(solver: Solver, potentials: Sequence[Potential], solve: SolvePotentials) -> Step:
    """Solve once with each of the sums whose maximum the first such potential is."""
    k, choices = next((k, p.choices()) for k, p in enumerate(potentials) if p.choices())
    steps = [solve([*potentials[:k], *potentials[k + 1 :], *terms]) for terms in choices]
    bound = max(step.upper_bound for step in steps)
    valued = [solver.oracle.step(solver.model, step.labeling, potentials, bound) for step in steps]
    best, by = max(zip(valued, steps, strict=True), key=lambda pair: pair[0].value)
    return replace(best, oracle=by.oracle, exact=best.exact or all(step.exact for step in steps))


def _best_member(solver: Solver, potentials: Sequence[Potential], rows: Labels) -> Step:
    """Return the best of given labelings; its bound holds for all of them."""
    model = solver.model
    relevance = np.asarray(model.score(rows), np.float64).reshape(-1)
    bound = relevance + np.sum([p.upper(model, rows) for p in potentials], axis=0)
    best = int(np.argmax(relevance + total_value(model, potentials, rows)))
    return solver.oracle.step(model, rows[best], potentials, float(bound.max()))


def _members(potentials: Sequence[Potential]) -> dict[bytes, None]:
    """Labelings that cost something, as bytes, in order."""
    rows = [p.penalised() for p in potentials]
    return {key_of(y): None for labelings in rows if labelings is not None for y in labelings}
