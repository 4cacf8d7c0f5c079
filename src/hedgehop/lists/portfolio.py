# SPDX-License-Identifier: BSD-3-Clause
"""Several diversities side by side: the paper's circled times."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, islice, takewhile
from threading import Event
from typing import Any, Literal

import numpy as np

from hedgehop._arrays import positive_count
from hedgehop._errors import UnsupportedError
from hedgehop.diversity.base import Diversity
from hedgehop.diversity.combine import WeightedSum
from hedgehop.lists.calibration import calibrated
from hedgehop.lists.listing import finish
from hedgehop.lists.result import DiverseList
from hedgehop.lists.search import Search, reaches
from hedgehop.lists.selection import stream
from hedgehop.lists.tradeoff import TradeoffLike
from hedgehop.models.base import Model
from hedgehop.oracles.base import Oracle, Step
from hedgehop.oracles.registry import OracleLike, get


def portfolio(
    model: Model,
    diversities: Sequence[Diversity],
    m: int = 15,
    tradeoff: TradeoffLike | Sequence[TradeoffLike] = 1.0,
    oracle: OracleLike = "auto",
    distinct: bool | Literal["auto"] = True,
) -> DiverseList:
    """m/k greedy labelings from each of k diversities, one list after the other.

    The parts run side by side in threads. A labeling that an earlier diversity gave already is replaced by that
    diversity's next one (it may look m labelings further). F, gains and certificate of the whole are those of the
    sum of all diversities, each times its tradeoff.

    Parameters
    ----------
    model : Model
        What to label.
    diversities : sequence of Diversity
        The parts.
    m : int
        How many labelings in all; the first parts give one more if m/k is not whole.
    tradeoff : number, rule, or one of these a part
        The factors of the diversities.
    oracle
        As in :func:`hedgehop.diverse`.
    distinct : bool or "auto"
        Whether a part may give a labeling only once; without it a part that repeats itself ends early.

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
    if not diversities:
        raise ValueError("diversities must name at least one diversity; got none.")
    factors = _factors(tradeoff, diversities, model, get(oracle), distinct)
    quotas = [m // len(diversities) + (k < m % len(diversities)) for k in range(len(diversities))]
    streams = [stream(model, part, f, oracle, distinct) for part, f in zip(diversities, factors, strict=True)]
    taken: dict[bytes, tuple[Step, str]] = {}
    for part, steps, begun, quota in zip(diversities, streams, _side_by_side(streams, quotas), quotas, strict=True):
        wanted = len(taken) + quota
        for step in chain(begun, islice(steps, m if quota else 0)):
            taken.setdefault(step.labeling.tobytes(), (step, repr(part)))
            if len(taken) == wanted:
                break
    if len(taken) < m:
        warnings.warn(f"only {len(taken)} of {m} labelings: the parts found no other ones. Lower m.", stacklevel=2)
    return _together(model, WeightedSum(list(zip(factors, diversities, strict=True))), oracle, list(taken.values()))


def _side_by_side(streams: Sequence[Iterator[Step]], quotas: Sequence[int]) -> list[list[Step]]:
    """Run the first steps of all streams in threads; kernels let go of the interpreter."""
    stopped = Event()

    def run(steps: Iterator[Step], quota: int) -> list[Step]:
        return list(takewhile(lambda _: not stopped.is_set(), islice(steps, quota)))

    with ThreadPoolExecutor(max_workers=min(len(streams), os.cpu_count() or 1)) as threads:
        try:
            return list(threads.map(run, streams, quotas))
        except BaseException:  # the others end after the step they are in
            stopped.set()
            raise


def _factors(
    tradeoff: TradeoffLike | Sequence[TradeoffLike],
    parts: Sequence[Diversity],
    model: Model,
    oracle: Oracle,
    distinct: bool | Literal["auto"],
) -> list[float]:
    given: Sequence[Any] = tradeoff if isinstance(tradeoff, (list, tuple)) else [tradeoff] * len(parts)
    if len(given) != len(parts):
        raise ValueError(f"tradeoff must be one, or one per diversity ({len(parts)}); got {len(given)}.")
    apart = [int(part.distinct if isinstance(distinct, str) else distinct) for part in parts]
    return [calibrated(t, model, part, oracle, k) for t, part, k in zip(given, parts, apart, strict=True)]


def _together(model: Model, total: WeightedSum, oracle: OracleLike, parts: list[tuple[Step, str]]) -> DiverseList:
    """Value the concatenated list by the sum of all diversities."""
    search = Search(model, total, 1.0, get(oracle))
    bound = _best_gain(search)
    for step, _ in parts:
        gain = step.relevance + float(total.gain(model, step.labeling, search.rows()))
        search.accept(replace(step, value=gain, upper_bound=max(bound, gain), exact=reaches(model, gain, bound)))
        if not total.submodular:  # only diminishing gains stay below the first bound
            bound = np.inf
    found = finish(search, "portfolio", last=_best_gain(search) < np.inf)
    return replace(found, sources=tuple(name for _, name in parts))


def _best_gain(search: Search) -> float:
    """Return an upper bound on the gain in all diversities together; inf where no oracle takes them all."""
    try:
        return search.peek().upper_bound
    except UnsupportedError:
        return np.inf
