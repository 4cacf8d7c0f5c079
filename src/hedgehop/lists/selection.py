# SPDX-License-Identifier: BSD-3-Clause
"""The functions users call: the best labeling, a list of diverse ones, and a stream of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from hedgehop._arrays import positive_count
from hedgehop._errors import Interrupted, UnsupportedError
from hedgehop._progress import tell
from hedgehop.diversity import Diversity, VariableCoverage
from hedgehop.lists.calibration import calibrated
from hedgehop.lists.certificate import certified
from hedgehop.lists.exchange import exchanged
from hedgehop.lists.greedy import Greedy, GreedyRun, distorted
from hedgehop.lists.joint import chosen_jointly
from hedgehop.lists.objective import Objective, check_arguments, check_model
from hedgehop.lists.proofs.search import Search
from hedgehop.lists.report import repeats
from hedgehop.lists.result import DiverseList, as_list
from hedgehop.lists.separation import Separation
from hedgehop.lists.state import ListState
from hedgehop.lists.tradeoff import TradeoffLike
from hedgehop.models.base import Model
from hedgehop.oracles.base import Step
from hedgehop.oracles.registry import OracleLike, get
from hedgehop.potentials import Potential

Method = Literal["greedy", "distorted", "joint"]
Certify = Literal["auto"] | bool | int
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
        Which oracle solves it; ``hh.oracles.available()`` lists the names.

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
    check_model(model)
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
        model, and its steps are as easy as finding the single best labeling.
    m : int
        Number of labelings.
    tradeoff : "auto", float, hh.target(distance=...) or hh.per_variable(...)
        The paper's lambda >= 0, in units of the scores; or a rule that finds it. "auto" uses about the smallest at
        which the second labeling differs from the first in 10 % of the variables; unless `distinct` or
        `min_distance` are given, it also keeps any two labelings 5 % apart.
    method : "greedy", "distorted" or "joint"
        "distorted" gives diversity less weight in early steps: ``F(S) >= l(T) + (1 - 1/e) tradeoff D(T)`` for every
        list T of m, whatever the sign of the relevance (Harshaw et al. 2019). "joint" finds the best list of all,
        for two labels that prefer to agree and VariableCoverage or LinearHamming.
    oracle : str or Oracle
        Which oracle solves the steps.
    distinct : bool or "auto"
        Whether a labeling may be returned only once; "auto" means yes for chains and parses, and for label and
        transition coverage.
    min_distance : int, or float below 1
        Number (or share) of variables in which any two labelings must differ.
    refine : bool
        Whether to re-solve each labeling given all others until F no longer grows.
    certify : "auto", False or int
        Number of further steps to solve for a better bound on all lists (docs/list_dual.md); "auto" means one per
        labeling, so that the bound costs about as much as the list. ``found.certify`` continues from there.
    progress : bool
        Whether to report each step on stderr.
    callback : function of a Step
        Called after every step.

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
    m = positive_count(m, "m")
    check_method(method)
    calls = further_calls(certify, m)
    if method == "joint" and isinstance(distinct, str) and min_distance is None:
        distinct = False  # its lists are the best of all, repeats included
    try:
        greedy = prepared(model, diversity, tradeoff, oracle, distinct, min_distance)
    except KeyboardInterrupt:  # while the tradeoff was sought
        raise Interrupted(None) from None
    state = greedy.start
    try:
        for state in _states(greedy, method, m):
            if not state.ended:
                _report(state, m, progress, callback)
        if len(state) < m:
            warnings.warn(_fewer(len(state), m), stacklevel=2)
        if refine:
            state = exchanged(greedy, state)
        if isinstance(distinct, str) and repeats(state.rows):
            warnings.warn(repeats(state.rows), stacklevel=2)
        run = GreedyRun(greedy, state)
        state = run.beginning(len(state))
    except KeyboardInterrupt:
        found = _session(greedy, state, "interrupted", GreedyRun(greedy, state)).found if len(state) else None
        raise Interrupted(found) from None
    how = f"{method}, refined" if refine else method
    session = _session(greedy, state, how, run if method == "greedy" else None)
    return session.certify(calls, progress) if calls else session.found


def stream(
    model: Model,
    diversity: Diversity | None = None,
    tradeoff: TradeoffLike = "auto",
    oracle: OracleLike = "auto",
    distinct: bool | Literal["auto"] = "auto",
    min_distance: int | float | None = None,
) -> Iterator[Step]:
    """Yield greedy steps one at a time: the first is available before the second is computed.

    The arguments are those of :func:`diverse`.

    Examples
    --------
    >>> import hedgehop as hh
    >>> steps = hh.stream(hh.FactorGraph([[1.0, 0.0]] * 3), hh.VariableCoverage(), tradeoff=4.0)
    >>> next(steps).labeling.tolist()
    [0, 0, 0]
    >>> next(steps).labeling.tolist()
    [1, 1, 1]
    """
    greedy = prepared(model, diversity, tradeoff, oracle, distinct, min_distance)
    return GreedyRun(greedy, greedy.start)


def prepared(
    model: Model,
    diversity: Diversity | None,
    tradeoff: TradeoffLike,
    oracle: OracleLike,
    distinct: Any,
    apart: Any = None,
) -> Greedy:
    """Check the arguments of a list; return what solves its steps."""
    diversity = VariableCoverage() if diversity is None else diversity
    check_arguments(model, diversity)
    separation = Separation.of(model, diversity, tradeoff, distinct, apart)
    chosen = get(oracle)
    factor = calibrated(tradeoff, model, diversity, chosen, separation)
    return Greedy(Objective(model, diversity, factor), separation, chosen.on(model))


def check_method(method: Any) -> None:
    """Refuse methods that do not exist."""
    if method not in ("greedy", "distorted", "joint"):
        raise ValueError(f'method must be "greedy", "distorted" or "joint"; got {method!r}.')


def _states(greedy: Greedy, method: Method, m: int) -> Iterator[ListState]:
    """Yield the beginnings of a list of m labelings, each with one labeling more."""
    if method == "joint":
        whole = chosen_jointly(greedy, m)
        return (whole.first(t) for t in range(1, m + 1))
    return greedy.grow(greedy.start, m, distorted(greedy, m) if method == "distorted" else None)


def further_calls(certify: Certify, m: int) -> int:
    """Return how many steps a certificate may take."""
    if isinstance(certify, str) and certify == "auto":
        return m
    if certify is False:
        return 0
    if isinstance(certify, (bool, str)):
        raise ValueError(f'certify must be "auto", False or a number of steps; got {certify!r}.')
    return positive_count(certify, "certify")


def _session(greedy: Greedy, state: ListState, method: str, run: GreedyRun | None = None) -> _Session:
    """Return a list and how it goes on; with a run, to longer ones."""
    return _Session(greedy, Search(greedy, state.rows), state, method, run)


@dataclass(frozen=True)
class _Session:
    """A list, and how it goes on."""

    greedy: Greedy
    search: Search
    state: ListState
    method: str
    run: GreedyRun | None

    @property
    def found(self) -> DiverseList:
        """The list with all that is known now."""
        state, objective = self.search.certified(self.state), self.greedy.objective
        more = self.more if self.run is not None else None
        proven = certified(objective, state, self.greedy.separation.distance)
        return as_list(objective, state, proven, self.method, _more=more, _further=self)

    def certify(self, calls: int, progress: bool) -> DiverseList:
        """Return the same list with a better bound."""
        try:
            self.search.certify(self.state, calls, tell if progress else None)
        except KeyboardInterrupt:
            raise Interrupted(self.found) from None
        return self.found

    def improve(self, calls: int, progress: bool) -> DiverseList:
        """Return a list with a larger F, or the same one."""
        try:
            better = self.search.improve(self.state, calls, tell if progress else None)
        except KeyboardInterrupt:
            raise Interrupted(self.found) from None
        if better is self.state:
            return self.found
        method = self.method if self.method.endswith("improved") else f"{self.method}, improved"
        return replace(self, state=better, method=method, run=None).found

    def more(self, k: int) -> DiverseList:
        """Go on from the labelings of a run."""
        assert self.run is not None
        m = len(self.state)
        state = self.run.beginning(m + k)
        if len(state) < m + k:
            warnings.warn(_fewer(len(state) - m, k), stacklevel=3)
        longer = _session(self.greedy, state, "greedy", self.run)
        return longer.certify(len(state), False) if self.search.asked else longer.found


def _fewer(taken: int, m: int) -> str:
    return f"only {taken} of {m} labelings: no other one is allowed. Lower m or min_distance, or pass distinct=False."


def _report(state: ListState, m: int, progress: bool, callback: Callback | None) -> None:
    """Report the last step."""
    step, done = state.steps[-1], len(state)
    if progress:
        gain = f"gain {step.value:.6g}, bound {step.upper_bound:.6g}"
        tell(f"labeling {done}/{m}: {gain}, {step.seconds:.2f} s", done == m)
    if callback is not None:
        callback(step)
