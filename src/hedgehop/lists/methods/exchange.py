# SPDX-License-Identifier: BSD-3-Clause
"""Exchange: solve each labeling of a list again, given all the others, until F no longer grows."""

from __future__ import annotations

from dataclasses import replace

from hedgehop._errors import InfeasibleError
from hedgehop.lists.certificate import step_bounds
from hedgehop.lists.methods.greedy import Greedy
from hedgehop.lists.proofs.bounds import Bound, Proof
from hedgehop.lists.state import ListState
from hedgehop.oracles.exactness import meets

_MOST_PASSES = 20


def exchanged(greedy: Greedy, state: ListState) -> ListState:
    """Return a list whose F is at least the same, with the bounds on F of any list that were found on the way."""
    state, _ = greedy.foreseen(state)
    bounds = [*state.bounds, *step_bounds(greedy.objective, state)]
    settled, m = 0, len(state)  # how many labelings in a row are the best ones, given the others
    for k in range(_MOST_PASSES * m):
        better, bound = improved(greedy, state, k % m)
        bounds.append(bound)
        settled = settled + 1 if better is state else 1
        state = better
        if settled >= m:
            break
    return replace(greedy.retraced(state), bounds=tuple(bounds))


def improved(greedy: Greedy, state: ListState, t: int) -> tuple[ListState, Bound]:
    """Replace labeling t by the best one given the others, if F grows; and bound F of any list (B1)."""
    objective, labeling = greedy.objective, state.rows[t]
    others, best = greedy.foreseen(state.without(t))
    proof = Proof("steps", {"rows": others.rows})
    bound = Bound(objective.list_bound(others.rows, best.upper_bound, len(state)), proof)
    try:
        step = greedy.allowed(others, best)
    except InfeasibleError:  # an oracle that is not exact may miss even the present labeling
        return state, bound
    relevance = float(objective.model.score(labeling))
    before = float(objective.gain(labeling, relevance, others.rows))
    better = not meets(objective.model, before, step.value)
    return state.replace(t, step.labeling) if better else state, bound
