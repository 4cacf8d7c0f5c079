# SPDX-License-Identifier: BSD-3-Clause
"""Steps that are made of others, whichever oracle solves those (docs/theory.md 4 and 6).

- ``max_y f(y) + max(0, g(y))`` is the larger one of ``max_y f(y) + g(y)`` and ``max_y f(y)``.
- A cost of single labelings leaves all others alone: the answer is the best of the others, or the best of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from hedgehop._arrays import Labels
from hedgehop._errors import InfeasibleError
from hedgehop.oracles.base import Solver, Step
from hedgehop.oracles.exactness import meets
from hedgehop.potentials import Clamped, MemberWeights, Potential, total_value

Solve = Callable[[Sequence[Potential]], Step]


def splits(potentials: Sequence[Potential]) -> bool:
    """Whether a step has to be split into others."""
    return any(isinstance(p, (Clamped, MemberWeights)) for p in potentials)


def without_splits(potentials: Sequence[Potential]) -> list[Potential]:
    """Return the potentials an oracle is asked to solve."""
    parts = [[*p.parts] if isinstance(p, Clamped) else [p] for p in potentials if not isinstance(p, MemberWeights)]
    return [potential for terms in parts for potential in terms]


def split_step(solver: Solver, potentials: Sequence[Potential]) -> Step:
    """Solve a step with clamped terms or weights of single labelings by steps without them."""
    if any(isinstance(p, Clamped) for p in potentials):
        return _with_and_without(solver, potentials, solver.step)
    members, rest = _members(potentials), [p for p in potentials if not isinstance(p, MemberWeights)]
    free = solver.step(rest)
    if _key(free.labeling) not in members:
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

    if any(isinstance(p, Clamped) for p in potentials):
        return _with_and_without(solver, potentials, solve)
    step = solve([p for p in potentials if not isinstance(p, MemberWeights)])
    if _key(step.labeling) not in _members(potentials):
        return step
    valued = solver.oracle.step(solver.model, step.labeling, potentials, step.upper_bound)
    return replace(valued, oracle=step.oracle)


def _with_and_without(solver: Solver, potentials: Sequence[Potential], solve: Solve) -> Step:
    """Solve with the first clamped term as it is, and without it."""
    k = next(k for k, p in enumerate(potentials) if isinstance(p, Clamped))
    term, rest = potentials[k], [*potentials[:k], *potentials[k + 1 :]]
    assert isinstance(term, Clamped)
    both = solve([*rest, *term.parts]), solve(rest)
    bound = max(step.upper_bound for step in both)
    valued = [solver.oracle.step(solver.model, step.labeling, potentials, bound) for step in both]
    best, by = max(zip(valued, both, strict=True), key=lambda pair: pair[0].value)
    return replace(best, oracle=by.oracle, exact=best.exact or all(step.exact for step in both))


def _best_member(solver: Solver, potentials: Sequence[Potential], rows: Labels) -> Step:
    """Return the best of given labelings; its bound holds for all of them."""
    model = solver.model
    relevance = np.asarray(model.score(rows), np.float64).reshape(-1)
    bound = relevance + np.sum([p.upper(model, rows) for p in potentials], axis=0)
    best = int(np.argmax(relevance + total_value(model, potentials, rows)))
    return solver.oracle.step(model, rows[best], potentials, float(bound.max()))


def _members(potentials: Sequence[Potential]) -> dict[bytes, None]:
    """Labelings that cost something, as bytes, in order."""
    terms = [p for p in potentials if isinstance(p, MemberWeights)]
    return {y.tobytes(): None for p in terms for y, w in zip(p.labelings, p.w, strict=True) if w < 0}


def _key(labeling: Labels) -> bytes:
    return np.ascontiguousarray(labeling, np.int32).tobytes()
