# SPDX-License-Identifier: BSD-3-Clause
"""The functions users call: the best labeling, a list of diverse ones, and a stream of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, get_args

import numpy as np

from hedgehop._arrays import flag, is_one_of, positive_count, several
from hedgehop._errors import Interrupted, UnsupportedError
from hedgehop._progress import tell
from hedgehop.diversity import Diversity, UseCoverage, VariableCoverage
from hedgehop.lists.continuation import continuation_of, fewer
from hedgehop.lists.methods.exchange import exchanged
from hedgehop.lists.methods.greedy import Greedy, GreedyRun, distorted
from hedgehop.lists.methods.joint import chosen_jointly, proves_lists
from hedgehop.lists.objective import Objective, check_arguments, require_model
from hedgehop.lists.pace import Pace
from hedgehop.lists.report import repeats
from hedgehop.lists.result import DiverseList
from hedgehop.lists.separation import Separation
from hedgehop.lists.state import ListState
from hedgehop.lists.tradeoff import TradeoffLike, is_auto
from hedgehop.lists.tradeoff_search import tradeoff_found
from hedgehop.models import Path
from hedgehop.models.base import Model
from hedgehop.oracles.base import Step
from hedgehop.oracles.effort import checked_limits, limited
from hedgehop.oracles.registry import OracleLike, get
from hedgehop.potentials import Potential

_SHARED_LENGTH = 1.0  # what a unit of length costs in shared use, in units of length
Method = Literal["greedy", "distorted", "joint", "auto"]
Certify = Literal["auto"] | bool | int
Callback = Callable[[Step], Any]


def best(
    model: Model,
    potentials: Potential | Sequence[Potential] = (),
    oracle: OracleLike = "auto",
    tolerance: float | None = None,
    time_limit: float | None = None,
) -> Step:
    """``max_y r(y) + sum of potentials(y)``: the single best labeling.

    Parameters
    ----------
    model : Model
        What to label.
    potentials : one of hh.potentials, or several
        What to add to the relevance: label costs, distances, ...
    oracle : str or Oracle
        Which oracle solves it; ``hh.oracles.available()`` lists the names.
    tolerance : float
        Stop when bound and value agree to this share of what is at stake: 1e-3 suffices for most images.
        By default, messages continue to 1e-6 of it or until the bound stalls; on models of more than 2^18 scores
        they also stop at 1e-4 of what is at stake, unless a proof is near. 0 goes as far as oracles can.
    time_limit : float
        Seconds after which the best labeling found so far, with the bound proven so far, is returned. Messages, integer
        programs and searches keep to it; a cut or a move that has begun is completed. ``Step.stopped`` says whether the
        limit ended the step.

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
    share, seconds = checked_limits(tolerance, time_limit)
    chosen = get(oracle)
    require_model(model)
    terms = (potentials,) if isinstance(potentials, Potential) else several(potentials, "potentials", "hh.potentials")
    wrong = [p for p in terms if not isinstance(p, Potential)]
    if wrong:
        raise TypeError(f"potentials must be hh.potentials records; got {wrong[0]!r}.")
    solver = chosen.on(model)
    reason = solver.refusal(terms)
    if reason is not None:
        raise UnsupportedError(reason)
    with limited(share, seconds):
        return solver.step(terms)


def diverse(
    model: Model,
    diversity: Diversity | None = None,
    m: int = 5,
    tradeoff: TradeoffLike = "auto",
    method: Method = "greedy",
    oracle: OracleLike = "auto",
    distinct: bool | Literal["auto"] = "auto",
    min_distance: int | float | None = None,
    refine: bool = False,
    certify: Certify = "auto",
    progress: bool = False,
    callback: Callback | None = None,
    tolerance: float | None = None,
    time_limit: float | None = None,
) -> DiverseList:
    """``max F(S) = sum_{y in S} r(y) + tradeoff * D(S)`` over lists S of m labelings, greedily.

    Each step adds the labeling with the largest gain, which is one MAP inference with the potentials of the
    diversity (Prasad, Jegelka, Batra 2014). The result comes with a proven bound on the best possible list.

    Parameters
    ----------
    model : Model
        What to label.
    diversity : Diversity, optional
        What makes labelings different; ``0.5 * a + b`` adds several. By default ``VariableCoverage()``: it suits every
        model, and its steps are as easy as finding the single best labeling. For routes the default is
        ``UseCoverage(lengths)``, the lengths they share, with a tradeoff of 1.
    m : int
        Number of labelings.
    tradeoff : "auto", float, hh.target(distance=...) or hh.per_variable(...)
        The paper's lambda >= 0, in units of the scores; or a rule that finds it. "auto" uses about the smallest
        tradeoff at which the second labeling differs from the first in 10 % of the variables, or half of it if the
        second would differ in more than 30 %; unless `distinct` or `min_distance` are given, it also keeps any two
        labelings 5 % apart. For trees and matchings of graphs, these are shares of the edges in which two labelings
        can differ.
    method : "greedy", "distorted", "joint" or "auto"
        "distorted" gives diversity less weight in early steps: ``F(S) >= l(T) + (1 - 1/e) tradeoff D(T)`` for every
        list T of m, whatever the sign of the relevance (Harshaw et al. 2019). "joint" finds the best list of all,
        for two labels that prefer to agree and VariableCoverage or LinearHamming. "auto" means "joint" where that is
        possible and labelings need not differ, "greedy" otherwise; only greedy lists can be extended by ``more``.
    oracle : str or Oracle
        Which oracle solves the steps.
    distinct : bool or "auto"
        Whether a labeling may be returned only once; "auto" means yes for chains, parses and routes, and for label
        and transition coverage.
    min_distance : int, or float below 1
        Number (or share) of variables in which any two labelings must differ.
    refine : bool
        Whether to re-solve each labeling given all others until F no longer grows.
    certify : "auto", False or int
        Number of further steps to solve for a better bound on all lists (docs/list_dual.md); "auto" means one per
        labeling, so that the bound costs about as much as the list. False means that no step is solved for the bound
        alone: it is that of the steps that found the labelings. ``found.certify`` continues from there.
    progress : bool
        Whether to report each step on stderr.
    callback : function of a Step
        Called after every step.
    tolerance : float
        As for :func:`best`, of every step.
    time_limit : float
        Seconds for the whole list: each step may take its share of what is left, and the search for a better bound
        the rest. If that is not enough, the list is shorter, with a warning; if not even the first step finds a
        labeling in half of the time, this is a TimeoutError.

    Returns
    -------
    DiverseList
        Fewer than m labelings, with a warning, if no further one is allowed.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> scores = np.random.default_rng(0).normal(size=(12, 18, 3))
    >>> hh.diverse(hh.Grid(scores, smoothness=0.5)).distinct
    5
    >>> chain = hh.Chain([[2.0, 1.5, 0.0]] * 4, [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]])
    >>> found = hh.diverse(chain, hh.HammingBall(gamma=0.5), m=2, tradeoff=5.0)
    >>> found.labelings.tolist()
    [[0, 0, 0, 0], [1, 1, 1, 1]]
    >>> found.objective <= found.upper_bound
    True
    """
    m, refine = positive_count(m, "m"), flag(refine, "refine")
    check_method(method)
    calls = further_calls(certify, m)
    free = isinstance(distinct, str) and distinct == "auto"
    if method == "joint" and free and min_distance is None:
        distinct = False  # its lists are the best of all, repeats included
    pace = Pace.of(tolerance, time_limit)
    try:
        with pace.step(m + 1):
            greedy = prepared(model, diversity, tradeoff, oracle, distinct, min_distance)
    except KeyboardInterrupt:  # while the tradeoff was sought
        raise Interrupted(None) from None
    if method == "auto":
        method = "joint" if proves_lists(greedy, m) else "greedy"
    state = greedy.start
    try:
        for state in _states(greedy, method, m, pace):
            if not state.ended:
                _report(state, m, progress, callback)
        if len(state) < m:
            warnings.warn(fewer(len(state), m, late=not state.ended), stacklevel=2)
        refine = refine and not pace.is_over
        if refine:
            with pace.step():
                state = exchanged(greedy, state)
        repeated = repeats(state.rows) if free and not greedy.separation.distance else ""
        if repeated:
            warnings.warn(repeated, stacklevel=2)
        run = GreedyRun(greedy, state, pace.tolerance)
        with pace.step():
            state = run.beginning(len(state), ahead=calls > 0 and not proves_lists(greedy, m))
    except KeyboardInterrupt:
        found = continuation_of(greedy, state, "interrupted", GreedyRun(greedy, state)).found if len(state) else None
        raise Interrupted(found) from None
    how = f"{method}, refined" if refine else method
    continuation = continuation_of(greedy, state, how, run if method == "greedy" else None)
    with pace.step():
        return continuation.certify(calls, progress) if calls else continuation.found


def stream(
    model: Model,
    diversity: Diversity | None = None,
    tradeoff: TradeoffLike = "auto",
    oracle: OracleLike = "auto",
    distinct: bool | Literal["auto"] = "auto",
    min_distance: int | float | None = None,
    tolerance: float | None = None,
    time_limit: float | None = None,
) -> Iterator[Step]:
    """Yield greedy steps one at a time: the first is available before the second is computed.

    The arguments are those of :func:`diverse`, except that each step gets the whole time limit.

    Examples
    --------
    >>> import hedgehop as hh
    >>> steps = hh.stream(hh.FactorGraph([[1.0, 0.0]] * 3), hh.VariableCoverage(), tradeoff=4.0)
    >>> next(steps).labeling.tolist()
    [0, 0, 0]
    >>> next(steps).labeling.tolist()
    [1, 1, 1]
    """
    share, seconds = checked_limits(tolerance, time_limit)
    with limited(share, seconds):
        greedy = prepared(model, diversity, tradeoff, oracle, distinct, min_distance)
    return GreedyRun(greedy, greedy.start, share, seconds)


def prepared(
    model: Model,
    diversity: Diversity | None,
    tradeoff: TradeoffLike,
    oracle: OracleLike,
    distinct: Any,
    min_distance: Any = None,
) -> Greedy:
    """Check the arguments of a list; return what solves its steps."""
    diversity, tradeoff = with_defaults(model, diversity, tradeoff)
    check_arguments(model, diversity)
    separation = Separation.of(model, diversity, tradeoff, distinct, min_distance)
    chosen = get(oracle)
    factor = tradeoff_found(tradeoff, model, diversity, chosen, separation)
    return Greedy(Objective(model, diversity, factor), separation, chosen.on(model))


def with_defaults(model: Model, diversity: Diversity | None, tradeoff: TradeoffLike) -> tuple[Diversity, TradeoffLike]:
    """What makes labelings different if nothing is said: their labels, or the lengths that routes share."""
    if diversity is not None:
        return diversity, tradeoff
    if not isinstance(model, Path):
        return VariableCoverage(), tradeoff
    lengths = UseCoverage(weights=np.where(np.isfinite(model.lengths), np.abs(model.lengths), 0.0))
    return lengths, _SHARED_LENGTH if is_auto(tradeoff) else tradeoff


def check_method(method: Any) -> None:
    """Refuse methods that do not exist."""
    if not is_one_of(method, get_args(Method)):
        raise ValueError(f'method must be "greedy", "distorted", "joint" or "auto"; got {method!r}.')


def _states(greedy: Greedy, method: Method, m: int, pace: Pace) -> Iterator[ListState]:
    """Yield the beginnings of a list of m labelings, each with one labeling more."""
    if method == "joint":  # all at once, so that a time limit cannot make it shorter
        with pace.step():
            whole = chosen_jointly(greedy, m)
        return (whole.first(t) for t in range(1, m + 1))
    return pace.grown(greedy.grow(greedy.start, m, distorted(greedy, m) if method == "distorted" else None), m)


def further_calls(certify: Certify, m: int) -> int:
    """Return how many steps a certificate may take."""
    if isinstance(certify, str) and certify == "auto":
        return m
    if certify is False:
        return 0
    if isinstance(certify, (bool, str)):
        raise ValueError(f'certify must be "auto", False or a number of steps; got {certify!r}.')
    return positive_count(certify, "certify")


def _report(state: ListState, m: int, progress: bool, callback: Callback | None) -> None:
    """Report the last step."""
    step, done = state.steps[-1], len(state)
    if progress:
        gain = f"gain {step.value:.6g}, bound {step.upper_bound:.6g}"
        tell(f"labeling {done}/{m}: {gain}, {step.seconds:.2f} s", done == m)
    if callback is not None:
        callback(step)
