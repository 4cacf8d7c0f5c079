# SPDX-License-Identifier: BSD-3-Clause
"""Several diversities side by side: the paper's circled times."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, islice, takewhile
from threading import Event
from typing import Any, Literal

import numpy as np

from hedgehop._arrays import positive_count, several
from hedgehop._errors import UnsupportedError
from hedgehop.diversity.base import Diversity
from hedgehop.diversity.combine import WeightedSum
from hedgehop.lists.certificate import certified
from hedgehop.lists.methods.greedy import Greedy, GreedyRun
from hedgehop.lists.objective import Objective
from hedgehop.lists.result import DiverseList, as_list
from hedgehop.lists.selection import prepared
from hedgehop.lists.separation import Separation
from hedgehop.lists.state import ListState
from hedgehop.lists.tradeoff import TradeoffLike
from hedgehop.models.base import Model
from hedgehop.oracles.base import Step
from hedgehop.oracles.registry import OracleLike, get


def portfolio(
    model: Model,
    diversities: Sequence[Diversity],
    m: int = 15,
    tradeoff: TradeoffLike | Sequence[TradeoffLike] = 1.0,
    oracle: OracleLike = "auto",
    distinct: bool | Literal["auto"] = True,
    replace_repeats: bool = True,
) -> DiverseList:
    """m/k greedy labelings from each of k diversities, one list after the other.

    The lists are computed in parallel. A labeling that an earlier list already contains is replaced by the
    next one of the same diversity (up to m labelings further), unless ``replace_repeats=False``. F, gains and
    certificate of the whole are those of the sum of all diversities, each times its tradeoff.

    Parameters
    ----------
    model : Model
        What to label.
    diversities : sequence of Diversity
        What makes the labelings of each list different.
    m : int
        Total number of labelings; the first diversities give one more if m/k is not a whole number.
    tradeoff : number, rule, or one of these per diversity
        The factors of the diversities.
    oracle
        As in :func:`hedgehop.diverse`.
    distinct : bool or "auto"
        Whether a list may contain a labeling only once; otherwise a list that repeats itself ends early.
    replace_repeats : bool
        Whether to replace labelings that occur in an earlier list. False concatenates the lists as they are, as the
        paper does; the same labeling can then occur in several of them.

    Examples
    --------
    >>> import hedgehop as hh
    >>> model = hh.FactorGraph([[1.0, 0.5, 0.0]] * 3)
    >>> found = hh.portfolio(model, [hh.VariableCoverage(), hh.HammingBall(gamma=1.0)], m=4, tradeoff=2.0)
    >>> len(found), found.distinct
    (4, 4)
    """
    m = positive_count(m, "m")
    if isinstance(diversities, Diversity):
        raise TypeError("diversities must be a list of diversities; got one. Use hh.diverse for a single one.")
    diversities = several(diversities, "diversities", "diversities")
    if not diversities:
        raise ValueError("diversities must name at least one diversity; got none.")
    tradeoffs = _one_each(tradeoff, len(diversities))
    greedies = [prepared(model, d, t, oracle, distinct) for d, t in zip(diversities, tradeoffs, strict=True)]
    taken = _taken(greedies, m) if replace_repeats else _concatenated(greedies, m)
    if len(taken) < m:
        warnings.warn(f"only {len(taken)} of {m} labelings: the lists contain no others. Lower m.", stacklevel=2)
    total = WeightedSum([(greedy.objective.tradeoff, greedy.objective.diversity) for greedy in greedies])
    return _together(Greedy(Objective(model, total, 1.0), Separation(), get(oracle).on(model)), taken)


def _taken(greedies: Sequence[Greedy], m: int) -> list[tuple[Step, str]]:
    """Return m different labelings, about as many by each diversity, with the diversities they come from."""
    quotas, runs = _quotas(len(greedies), m), [GreedyRun(greedy, greedy.start) for greedy in greedies]
    taken: dict[bytes, tuple[Step, str]] = {}
    for greedy, run, begun, quota in zip(greedies, runs, _side_by_side(runs, quotas), quotas, strict=True):
        wanted = len(taken) + quota
        for step in chain(begun, islice(run, m if quota else 0)):
            taken.setdefault(step.labeling.tobytes(), (step, repr(greedy.objective.diversity)))
            if len(taken) == wanted:
                break
    return list(taken.values())


def _concatenated(greedies: Sequence[Greedy], m: int) -> list[tuple[Step, str]]:
    """Return about as many labelings by each diversity, whether or not other lists have them too."""
    lists = _side_by_side([GreedyRun(greedy, greedy.start) for greedy in greedies], _quotas(len(greedies), m))
    names = [repr(greedy.objective.diversity) for greedy in greedies]
    return [(step, name) for name, steps in zip(names, lists, strict=True) for step in steps]


def _quotas(count: int, m: int) -> list[int]:
    """How many labelings each diversity gives."""
    return [m // count + (k < m % count) for k in range(count)]


def _one_each(tradeoff: TradeoffLike | Sequence[TradeoffLike], count: int) -> Sequence[Any]:
    given: Sequence[Any] = tradeoff if isinstance(tradeoff, (list, tuple)) else [tradeoff] * count
    if len(given) != count:
        raise ValueError(f"tradeoff must be one, or one per diversity ({count}); got {len(given)}.")
    return given


def _side_by_side(runs: Sequence[GreedyRun], quotas: Sequence[int]) -> list[list[Step]]:
    """Take the first steps of all runs in threads; kernels release the GIL."""
    stopped = Event()

    def take(run: GreedyRun, quota: int) -> list[Step]:
        return list(takewhile(lambda _: not stopped.is_set(), islice(run, quota)))

    with ThreadPoolExecutor(max_workers=min(len(runs), os.cpu_count() or 1)) as threads:
        try:
            return list(threads.map(take, runs, quotas))
        except BaseException:  # the others end after the step they are in
            stopped.set()
            raise


def _together(greedy: Greedy, taken: list[tuple[Step, str]]) -> DiverseList:
    """Value the concatenated list by the sum of all diversities."""
    objective = greedy.objective
    state, bound = _best_gain(greedy, greedy.start)
    for step, _ in taken:
        state = state.append(greedy.as_gain(replace(step, exact=False), state, bound))
        if not objective.diversity.submodular:  # only diminishing gains stay below the first bound
            bound = np.inf
    state = greedy.measured(_best_gain(greedy, state)[0])
    sources = tuple(name for _, name in taken)
    return as_list(objective, state, certified(objective, state), "portfolio", sources=sources)


def _best_gain(greedy: Greedy, state: ListState) -> tuple[ListState, float]:
    """Bound the gain in all diversities together, by inf if no oracle takes them all."""
    try:
        state, best = greedy.foreseen(state)
    except UnsupportedError:
        return state, np.inf
    return state, best.upper_bound
