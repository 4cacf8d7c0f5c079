# SPDX-License-Identifier: BSD-3-Clause
"""The heart: greedy selection of diverse labelings, one MAP inference a step."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Literal

import numpy as np

from hedgehop._arrays import number, positive_count
from hedgehop._errors import InfeasibleError, Interrupted, UnsupportedError
from hedgehop.diversity.base import Diversity
from hedgehop.lists.calibration import calibrated
from hedgehop.lists.exchange import refine_list
from hedgehop.lists.joint import choose_jointly
from hedgehop.lists.listing import finish
from hedgehop.lists.result import DiverseList
from hedgehop.lists.search import Search, check_arguments
from hedgehop.lists.tradeoff import TradeoffLike
from hedgehop.models.base import Model
from hedgehop.oracles.base import Step
from hedgehop.oracles.registry import OracleLike, get
from hedgehop.potentials import Potential

Method = Literal["greedy", "distorted", "joint"]
Callback = Callable[[Step], Any]


def best(model: Model, potentials: Potential | Sequence[Potential] = (), oracle: OracleLike = "auto") -> Step:
    """``max_y r(y) + sum of potentials(y)``: the single best labeling.

    Parameters
    ----------
    model : Model
        What to label.
    potentials : one of hh.potentials, or several
        What to add to the relevance: label costs, distances, ...
    oracle : str or Oracle
        Who solves it; ``hh.oracles.available()`` lists the names.

    Examples
    --------
    >>> import hedgehop as hh
    >>> model = hh.FactorGraph([[0.0, 1.0], [3.0, 0.0]], edges=[[0, 1]], pairwise=0.5)
    >>> step = hh.best(model)
    >>> step.labeling.tolist(), step.value, step.exact
    ([1, 0], 3.5, True)
    >>> hh.best(model, [hh.potentials.LabelWeights([0.0, -2.0])]).labeling.tolist()
    [0, 0]
    """
    chosen = get(oracle)
    if not isinstance(model, Model):
        raise TypeError(f"model must be a model such as hh.Grid(scores); got {type(model).__name__}.")
    terms: tuple[Any, ...] = (potentials,) if isinstance(potentials, Potential) else tuple(potentials)
    wrong = [p for p in terms if not isinstance(p, Potential)]
    if wrong:
        raise TypeError(f"potentials must be hh.potentials records; got {wrong[0]!r}.")
    solver = chosen.on(model)
    reason = solver.refusal(terms)
    if reason is not None:
        raise UnsupportedError(reason)
    return solver.step(terms)


def diverse(
    model: Model,
    diversity: Diversity,
    m: int = 5,
    tradeoff: TradeoffLike = 1.0,
    method: Method = "greedy",
    oracle: OracleLike = "auto",
    distinct: bool | Literal["auto"] = "auto",
    min_distance: int | float | None = None,
    refine: bool = False,
    progress: bool = False,
    callback: Callback | None = None,
) -> DiverseList:
    """``max F(S) = sum_{y in S} r(y) + tradeoff * D(S)`` over lists S of m labelings, greedily.

    Each step adds the labeling with the largest gain, which is one MAP inference with the potentials of the
    diversity (Prasad, Jegelka, Batra 2014). The answer carries a proven bound on the best possible list.

    Parameters
    ----------
    model : Model
        What to label.
    diversity : Diversity
        What makes labelings different; ``0.5 * a + b`` adds several.
    m : int
        How many labelings.
    tradeoff : float, hh.per_variable(...) or hh.target(distance=...)
        The paper's lambda >= 0, in units of the scores; or a rule that finds it.
    method : "greedy", "distorted" or "joint"
        "distorted" weighs diversity less in early steps: ``F(S) >= l(T) + (1 - 1/e) tradeoff D(T)`` for every
        list T of m, whatever the sign of the relevance (Harshaw et al. 2019). "joint" finds the best list of all,
        for two labels that prefer to agree and VariableCoverage or LinearHamming.
    oracle : str or Oracle
        Who solves the steps.
    distinct : bool or "auto"
        Whether a labeling may be returned only once; "auto" means yes for label and transition coverage.
    min_distance : int, or float below 1
        Number (or share) of variables in which any two labelings must differ.
    refine : bool
        Whether to re-solve each labeling given all others until F no longer grows.
    progress : bool
        Whether to report each step on stderr.
    callback : function of a Step
        Called after every step.

    Returns
    -------
    DiverseList
        Fewer than m labelings, with a warning, where no further one is allowed.

    Examples
    --------
    >>> import hedgehop as hh
    >>> chain = hh.Chain([[2.0, 1.5, 0.0]] * 4, [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]])
    >>> found = hh.diverse(chain, hh.HammingBall(gamma=0.5), m=2, tradeoff=5.0)
    >>> found.labelings.tolist()
    [[0, 0, 0, 0], [1, 1, 1, 1]]
    >>> found.objective <= found.upper_bound
    True
    """
    m = positive_count(m, "m")
    check_method(method)
    search = _search(model, diversity, tradeoff, oracle, distinct, min_distance)
    report = _reporter(progress, callback, m)
    further: list[float] = []
    try:
        if method == "joint":
            further = _chosen_jointly(search, m, report)
        else:
            _take(_distorted_steps(search, m) if method == "distorted" else _steps(search), m, report)
        if refine:
            better = search.copy()  # interrupted, the list stays as it was
            further = further + refine_list(better)
            search = better
        return finish(search, method + (", refined" if refine else ""), further, _more if method == "greedy" else None)
    except KeyboardInterrupt:
        raise Interrupted(finish(search, "interrupted", go_on=_more) if search.chosen else None) from None


def stream(
    model: Model,
    diversity: Diversity,
    tradeoff: TradeoffLike = 1.0,
    oracle: OracleLike = "auto",
    distinct: bool | Literal["auto"] = "auto",
    min_distance: int | float | None = None,
) -> Iterator[Step]:
    """Yield greedy steps one at a time: the first is there before the second is computed.

    Examples
    --------
    >>> import hedgehop as hh
    >>> steps = hh.stream(hh.FactorGraph([[1.0, 0.0]] * 3), hh.VariableCoverage(), tradeoff=4.0)
    >>> next(steps).labeling.tolist()
    [0, 0, 0]
    >>> next(steps).labeling.tolist()
    [1, 1, 1]
    """
    search = _search(model, diversity, tradeoff, oracle, distinct, min_distance)
    return _steps(search)


def check_method(method: Any) -> None:
    """Refuse methods that do not exist."""
    if method not in ("greedy", "distorted", "joint"):
        raise ValueError(f'method must be "greedy", "distorted" or "joint"; got {method!r}.')


def _steps(search: Search) -> Iterator[Step]:
    """Advance until no further labeling is allowed."""
    while True:
        try:
            step = search.advance()
        except InfeasibleError:
            if not search.chosen:
                raise
            return
        yield step


def _distorted_steps(search: Search, m: int) -> Iterator[Step]:
    """Weigh coverage by ``(1 - 1/m)^(m - t - 1)`` in step t = 0..m-1."""
    for t in range(m):
        try:
            step = search.advance_distorted((1.0 - 1.0 / m) ** (m - t - 1))
        except InfeasibleError:
            if not search.chosen:
                raise
            return
        yield step


def _chosen_jointly(search: Search, m: int, report: Callback) -> list[float]:
    """Solve for all labelings at once."""
    if search.min_distance > 0:
        raise ValueError('method="joint" cannot keep labelings apart: use method="greedy", or distinct=False.')
    bounds = choose_jointly(search, m)
    for step in search.steps:
        report(step)
    return bounds


def _take(steps: Iterator[Step], m: int, report: Callback) -> None:
    """Run m steps, and say so if there are fewer."""
    taken = 0
    for step in islice(steps, m):
        taken += 1
        report(step)
    if taken < m:
        text = f"only {taken} of {m} labelings: no other one is allowed."
        warnings.warn(f"{text} Lower m or min_distance, or pass distinct=False.", stacklevel=3)


def _more(search: Search, k: int) -> DiverseList:
    """Go on from a finished search, leaving it as it is."""
    longer = search.copy()
    _take(_steps(longer), k, lambda _: None)
    return finish(longer, "greedy", go_on=_more)


def _search(
    model: Model, diversity: Diversity, tradeoff: Any, oracle: OracleLike, distinct: Any, min_distance: Any
) -> Search:
    check_arguments(model, diversity)
    if not isinstance(distinct, (bool, np.bool_)) and not (isinstance(distinct, str) and distinct == "auto"):
        raise ValueError(f'distinct must be True, False or "auto"; got {distinct!r}.')
    apart = _distance(min_distance, model.n_variables)
    if diversity.distinct if isinstance(distinct, str) else distinct:
        apart = max(apart, 1)
    solver = get(oracle)
    return Search(model, diversity, calibrated(tradeoff, model, diversity, solver, apart), solver, apart)


def _distance(value: Any, n: int) -> int:
    if value is None:
        return 0
    if isinstance(value, (bool, np.bool_)):
        text = f"min_distance must be a number of variables, or a share below 1; got {value}."
        raise ValueError(f"{text} Use distinct=True.")
    least = number(value, "min_distance", low=0.0)
    if least < 1 and least > 0:
        least = float(np.ceil(least * n - 1e-9))
    if least != int(least) or least > n:
        raise ValueError(f"min_distance must be a number of variables (at most {n}) or a share below 1; got {value!r}.")
    return int(least)


def _reporter(progress: bool, callback: Callback | None, m: int) -> Callback:
    done = 0

    def report(step: Step) -> None:
        nonlocal done
        done += 1
        if progress:
            end = "\n" if done == m or not sys.stderr.isatty() else "\r"
            text = f"labeling {done}/{m}: gain {step.value:.6g}, bound {step.upper_bound:.6g}, {step.seconds:.2f} s"
            print(f"{text:<78}", end=end, file=sys.stderr, flush=True)
        if callback is not None:
            callback(step)

    return report
