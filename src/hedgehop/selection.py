"""The heart: greedy selection of diverse labelings, one MAP inference a step."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import numpy as np

from hedgehop._arrays import Labels, number, own, positive_count
from hedgehop._errors import InfeasibleError, Interrupted
from hedgehop.certificate import certify
from hedgehop.diversity.base import Diversity
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.base import Step
from hedgehop.oracles.registry import OracleLike, get, solve
from hedgehop.potentials import Potential
from hedgehop.result import DiverseList
from hedgehop.search import Search, is_constant
from hedgehop.tradeoff import TradeoffLike, resolve

Method = Literal["greedy", "distorted"]
Callback = Callable[[Step], Any]
_REFINE_ROUNDS = 20


def best(model: Model, potentials: Sequence[Potential] = (), oracle: OracleLike = "auto") -> Step:
    """``max_y r(y) + sum of potentials(y)``: the single best labeling.

    Parameters
    ----------
    model : Model
        What to label.
    potentials : sequence of hh.potentials
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
    return solve(chosen, model, tuple(potentials), chosen.start(model))


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
    tradeoff : float or hh.per_variable(...)
        The paper's lambda >= 0, in units of the scores.
    method : "greedy" or "distorted"
        "distorted" weighs diversity less in early steps: ``F(S) >= l(T) + (1 - 1/e) tradeoff D(T)`` for every
        list T of m, whatever the sign of the relevance (Harshaw et al. 2019).
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
    if method not in ("greedy", "distorted"):
        raise ValueError(f'method must be "greedy" or "distorted"; got {method!r}.')
    search = _search(model, diversity, tradeoff, oracle, distinct, min_distance)
    report = _reporter(progress, callback, m)
    try:
        if method == "distorted":
            for t in range(m):
                report(search.advance_distorted((1.0 - 1.0 / m) ** (m - t - 1)))
        else:
            _advance(search, m, report)
        further = _refine(search) if refine else []
        return finish(search, method + (", refined" if refine else ""), further)
    except KeyboardInterrupt:
        raise Interrupted(finish(search, "interrupted", last=False) if search.chosen else None) from None


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


def _steps(search: Search) -> Iterator[Step]:
    while True:
        try:
            step = search.advance()
        except InfeasibleError:
            if not search.chosen:
                raise
            return
        yield step


def _search(
    model: Model, diversity: Diversity, tradeoff: Any, oracle: OracleLike, distinct: Any, min_distance: Any
) -> Search:
    if not isinstance(diversity, Diversity):
        raise TypeError(f"diversity must be a Diversity such as hh.HammingBall(gamma=0.01); got {diversity!r}.")
    if distinct not in (True, False, "auto"):
        raise ValueError(f'distinct must be True, False or "auto"; got {distinct!r}.')
    apart = _distance(min_distance, model.n_variables)
    if distinct is True or (distinct == "auto" and diversity.distinct):
        apart = max(apart, 1)
    return Search(model, diversity, resolve(tradeoff, model), get(oracle), apart)


def _distance(value: Any, n: int) -> int:
    if value is None:
        return 0
    least = number(value, "min_distance", low=0.0)
    if least < 1 and least > 0:
        least = float(np.ceil(least * n - 1e-9))
    if least != int(least) or least > n:
        raise ValueError(f"min_distance must be a number of variables (at most {n}) or a share below 1; got {value!r}.")
    return int(least)


def _advance(search: Search, m: int, report: Callback) -> None:
    """Advance until the list has m labelings or no further one is allowed."""
    while len(search.chosen) < m:
        try:
            step = search.advance()
        except InfeasibleError:
            if not search.chosen:
                raise
            warnings.warn(
                f"only {len(search.chosen)} of {m} labelings: no other one is allowed. "
                "Lower m or min_distance, or pass distinct=False.",
                stacklevel=3,
            )
            return
        report(step)


def _refine(search: Search) -> list[float]:
    """Re-solve each labeling given the others until F no longer grows; return the list bounds met on the way."""
    further: list[float] = []
    m = len(search.chosen)
    value = search.objective(search.rows())
    for _ in range(_REFINE_ROUNDS):
        before = value
        for t in range(m):
            others = search.copy()
            others.chosen.pop(t)
            others._next = None
            step = others.best_apart()
            further.append(_list_bound(others, m))
            trial = others.rows()
            trial = np.insert(trial, t, step.labeling.reshape(-1), axis=0)
            reached = search.objective(trial)
            if reached > value + 1e-9 * max(1.0, abs(value)):
                value = reached
                search.chosen[t] = own(trial[t].copy())
        if value <= before:
            break
    _replay(search)
    return further


def _list_bound(search: Search, m: int) -> float:
    """B1 after the labelings chosen so far, for lists of m."""
    offset = search.diversity.offset(search.model, search.rows(), m) if search.tradeoff > 0 else 0.0
    return search.tradeoff * offset + m * search.peek().upper_bound


def _replay(search: Search) -> None:
    """Compute gains and bounds anew for the labelings as they are now."""
    rows, old = search.rows(), search.steps
    search.chosen, search.steps, search._next = [], [], None
    for labeling, step in zip(rows, old, strict=True):
        bound = search.peek()
        if np.array_equal(labeling, bound.labeling.reshape(-1)):
            search.accept(bound)
            continue
        shaped = own(labeling.reshape(search.model.shape).copy())
        relevance = float(np.asarray(search.model.score(shaped)))
        gain = relevance + search.tradeoff * float(search.diversity.gain(search.model, shaped, search.rows()))
        exact = step.exact and np.array_equal(labeling, step.labeling.reshape(-1))
        search.accept(Step(shaped, gain, max(bound.upper_bound, gain), exact, step.oracle, bound.seconds, relevance))


def finish(search: Search, method: str, further: Sequence[float] = (), last: bool = True) -> DiverseList:
    """Return the list so far with its certificate; `last`: with one more bound, after the last labeling."""
    rows = search.rows()
    m = len(rows)
    prefixes = [rows[:t] for t in range(m + 1)]
    best_gains = [s.upper_bound for s in search.steps]
    if last:
        best_gains.append(search.peek().upper_bound)
    offsets = [search.diversity.offset(search.model, p, m) for p in prefixes[: len(best_gains)]]
    objectives = [search.objective(p) for p in prefixes]
    certificate = certify(
        m, search.tradeoff, objectives, offsets, best_gains, _baseline(search), _not_monotone(search), further
    )
    return DiverseList(
        labelings=own(rows.reshape(m, *search.model.shape)),
        relevance=own(np.array([s.relevance for s in search.steps])),
        gains=own(np.diff(objectives)),
        bounds=own(np.array([s.upper_bound for s in search.steps])),
        exact=own(np.array([s.exact for s in search.steps])),
        seconds=own(np.array([s.seconds for s in search.steps])),
        oracles=tuple(s.oracle for s in search.steps),
        certificate=certificate,
        tradeoff=search.tradeoff,
        diversity=repr(search.diversity),
        method=method,
        model=repr(search.model),
        _more=None if method.startswith("distorted") else lambda k: _go_on(search, k, method),
    )


def _go_on(search: Search, k: int, method: str) -> DiverseList:
    longer = search.copy()
    _advance(longer, len(longer.chosen) + k, lambda _: None)
    return finish(longer, "greedy" if method == "interrupted" else method)


def _baseline(search: Search) -> float:
    """F of the single best labeling repeated; the first step is that labeling if nothing was added to it."""
    first = search.diversity.potentials(search.model, ())
    if search.tradeoff == 0 or is_constant(first):
        repeated: Labels = np.repeat(search.rows()[:1], len(search.chosen), axis=0)
        return search.objective(repeated)
    return search.baseline()


def _not_monotone(search: Search) -> str | None:
    """Which condition of the monotone bounds fails: r + tradeoff * parsimony >= 0 for every labeling."""
    if not search.diversity.submodular:
        return "the diversity is not submodular"
    if not isinstance(search.model, PairwiseModel):
        return f"no lower bound on the relevance of {type(search.model).__name__} is known"
    lowest = search.model.floor() + search.tradeoff * search.diversity.parsimony_floor(search.model)
    if lowest >= 0:
        return None
    return f"relevance plus parsimony may be negative (lower bound {lowest:.6g})"


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
