# SPDX-License-Identifier: BSD-3-Clause
"""What a run proves about its list (docs/theory.md 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import inf, isfinite, isnan, nan

from hedgehop._errors import BoundError
from hedgehop.lists.objective import Objective
from hedgehop.lists.proofs.bounds import Bound, Proof
from hedgehop.lists.proofs.paper_bounds import PaperBounds, by_factors, factor, least_known, paper_bounds
from hedgehop.lists.state import ListState
from hedgehop.models.base import Model
from hedgehop.models.unary import UnaryModel
from hedgehop.oracles.base import Step
from hedgehop.oracles.exactness import falls_short, meets

_FLOW_ROUNDING = 1e-7  # of what is at stake: more than capacities of flows are rounded by
_LARGEST_ROUNDING = 1e-3  # of what a list is ahead: beyond, a gap is no rounding, even if a few scores are huge
_ADDITION_ERROR = 2.0**-49  # of the numbers that are added: eight times the last one


@dataclass(frozen=True)
class Certificate:
    """Bounds on the best possible list, from upper bounds U_t on the best gain after t labelings.

    Attributes
    ----------
    objective : float
        F(S), re-evaluated from the labelings.
    upper_bound : float
        No list of m labelings has a larger F: the smallest bound known. With limits, no list that keeps them.
    online : tuple of floats
        ``B1_t = tradeoff * offset_t + m * U_t``, for any sign of the relevance.
    baseline : float
        F0, what relevance alone reaches: F of the most relevant labeling found, repeated m times. If labelings must
        differ and the list is no better than that: F of the most relevant allowed labelings found, chosen one by one.
        nan if a run was interrupted before it was known.
    baseline_gap : float
        How much more relevance than the baseline a labeling that was not found may have if it is repeated m times: 0 if
        the most relevant labeling found is proven to be the best one. nan if that is not known.
    monotone : float or None
        ``min_t F(S^t) + m * U_t``, if F never falls as labelings are added; None if that is not known.
    product : float or None
        ``F(S) / (1 - prod_t (1 - alpha_t / m))``, alpha_t = gain_t / U_t: the paper's Lemma 2, same condition.
    condition : str
        Which condition of the last two holds, or failed.
    proof : Proof or None
        Where `upper_bound` comes from, and what ``hh.verify`` needs to find it again.
    least : float
        Smallest F of the known lists; the smallest F of all lists, the paper's F_min, is not above it. nan: not known.
    paper : PaperBounds or None
        Lemma 2 of the paper for steps with errors, for scores of any sign; None for lists saved without it.
    rounding : float
        How far F, baseline and bounds may be off because numbers are rounded: the last digits of the sums that were
        added, and what steps that are solved to rounding leave between value and bound.
    apart : int
        In how many variables any two labelings had to differ: the limits. `upper_bound` is about lists that keep them;
        all other bounds also hold for lists that repeat labelings.
    allowed : bool
        Whether `baseline` is F of labelings that keep the limits.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> chain = hh.Chain(emissions=np.eye(4, 3), transitions=np.zeros((3, 3)))
    >>> proven = hh.diverse(chain, hh.VariableCoverage(), m=3, tradeoff=2.0).certificate
    >>> proven.baseline <= proven.upper_bound
    True
    """

    objective: float
    upper_bound: float
    online: tuple[float, ...]
    baseline: float
    monotone: float | None
    product: float | None
    condition: str
    proof: Proof | None = field(default=None, compare=False, repr=False)
    least: float = nan
    paper: PaperBounds | None = None
    rounding: float = 0.0
    apart: int = 0
    allowed: bool = False
    baseline_gap: float = nan

    @property
    def optimal(self) -> bool:
        """Whether F meets the bound, to rounding: 1e-5 of what it is ahead, as cuts in whole numbers need."""
        ahead = self.objective - self.baseline if isfinite(self.baseline) else 0.0
        return self.upper_bound - self.objective <= max(1e-5 * ahead, self.rounding)

    @property
    def guarantee(self) -> float:
        """``(F - F0) / (upper_bound - F0)``: proven share of the best possible improvement over F0, `baseline`.

        It changes neither with the scale of scores and tradeoff nor with a constant added to the scores, as long as
        the search for a bound finds the same labelings. It is 1 if the list is within rounding of its bound, and 0 if
        nothing is proven, if the list is ahead of F0 by no more than rounding, or if ``falls_behind`` says that it is
        worse.
        """
        room, ahead = self.upper_bound - self.baseline, self.objective - self.baseline
        if not isfinite(room):  # unknown bound or baseline: nothing is proven
            return 0.0
        if room - ahead <= self.rounding:
            return 1.0
        return ahead / room if ahead > self.rounding else 0.0

    @property
    def falls_behind(self) -> bool:
        """Whether F is below F0, what relevance alone reaches, by more than rounding.

        This can happen if steps are not exact, or if the early labelings of a list leave no good others.
        """
        return self.baseline - self.objective > self.rounding

    @property
    def relative(self) -> float:
        """``(F - F_min) / (F* - F_min)``, the paper's relative measure, is at least this; nan if `least` is not known.

        It is proven with `least` for F_min and the upper bound for F*: both make the fraction smaller.
        """
        ahead, room = self.objective - self.least, self.upper_bound - self.least
        if isnan(ahead) or ahead <= 0:
            return nan if isnan(ahead) else float(room <= 0)
        return ahead / room if isfinite(room) else 0.0

    @property
    def ratio(self) -> float:
        """``F / upper_bound`` if F >= 0, otherwise nan."""
        if self.objective < 0 or not isfinite(self.upper_bound):
            return nan if self.objective < 0 else 0.0
        return 1.0 if self.upper_bound == self.objective else self.objective / self.upper_bound


def certified(objective: Objective, state: ListState, apart: int = 0) -> Certificate:
    """Certify a list by what is known about it; nothing is solved."""
    plain = baseline(objective, state, apart)
    unknown = objective.why_not_known(state.rows)
    failed = objective.why_not_monotone() or unknown
    values = objective.values(state.rows)
    online, size = step_bounds(objective, state), objective.size(state.rows, values[-1])
    proven = certify(values, online, state.best_gains, plain, failed, state.bounds, size)
    rounding = proven.rounding + len(state) * _slack(objective.model, _step_of_least_bound(state, online), apart)
    if _ends_searches(objective.model, proven):
        rounding = max(rounding, proven.upper_bound - proven.objective)
    least, paper = least_known(objective, state.rows, plain), paper_bounds(objective, state, values, unknown)
    proven = replace(proven, least=least, paper=paper, rounding=rounding)
    return replace(proven, apart=apart, allowed=_is_allowed(state, apart), baseline_gap=baseline_gap(state))


def _ends_searches(model: Model, proven: Certificate) -> bool:
    """Whether the bound meets F as closely as solvers can tell, and a list that is ahead is so by much more."""
    gap = proven.upper_bound - proven.objective
    if not meets(model, proven.objective, proven.upper_bound):
        return False
    if isinstance(model, UnaryModel) and not meets(model, 0.0, gap - proven.rounding):  # of F, a shift may be the most
        return False
    if not isfinite(proven.baseline):
        return True
    if falls_short(model, proven.objective, proven.baseline):
        return False
    ahead = proven.objective - proven.baseline
    return gap <= _LARGEST_ROUNDING * ahead or ahead <= proven.rounding


def baseline(objective: Objective, state: ListState, apart: int) -> float:
    """F of what relevance alone would choose: the best labeling repeated, or several if they must differ."""
    if state.baseline is None:
        return nan
    rows, m = state.baseline.rows, len(state)
    return objective.value(rows[:m]) if _is_allowed(state, apart) else objective.repeated(rows[0], m)


def baseline_gap(state: ListState) -> float:
    """How much more relevance than what a list is compared with as many labelings may have."""
    return nan if state.baseline is None else len(state) * state.baseline.gap


def _is_allowed(state: ListState, apart: int) -> bool:
    return bool(apart) and state.baseline is not None and 1 < len(state) <= len(state.baseline.rows)


def _step_of_least_bound(state: ListState, online: Sequence[float]) -> Step | None:
    known = [*state.steps, *([state.next] if state.next else [])]
    return min(zip(online, known, strict=False), key=lambda pair: pair[0], default=(inf, None))[1]


def _slack(model: Model, step: Step | None, apart: int) -> float:
    """What a step left between its value and its bound, if that is rounding."""
    if step is None or apart or not step.exact:  # with limits, exact among what is allowed
        return 0.0
    gap = step.upper_bound - step.value
    return gap if isinstance(model, UnaryModel) and gap <= _FLOW_ROUNDING * model.spread else 0.0


def step_bounds(objective: Objective, state: ListState) -> list[Bound]:
    """B1 of the beginnings of a list, each with its proof."""
    bounds = objective.list_bounds(state.rows, state.best_gains)
    return [Bound(value, Proof("steps", {"rows": state.rows[:t]})) for t, value in enumerate(bounds)]


def certify(
    objectives: Sequence[float],
    online: Sequence[float],
    best_gains: Sequence[float],
    baseline: float,
    failed: str | None,
    further: Sequence[float] = (),
    size: float | None = None,
) -> Certificate:
    """Certify a list by F of its beginnings, B1_t and U_t as far as they are known, and further bounds on any list.

    `failed` says which condition of the monotone bounds does not hold, if one does not; `size` how large the numbers
    are whose sum F is.
    """
    m, objective = len(objectives) - 1, objectives[-1]
    size = abs(objective) if size is None else size
    least = min((*online, *further), default=inf)
    return Certificate(
        objective=objective,
        upper_bound=_not_below(float(least), objective, size),
        online=tuple(map(float, online)),
        baseline=baseline,
        monotone=None if failed else min(f + m * u for f, u in zip(objectives, best_gains, strict=False)),
        product=None if failed else _product(m, objectives, best_gains),
        condition=failed or "relevance plus parsimony is nowhere negative, so F is monotone",
        proof=least.proof if isinstance(least, Bound) and isfinite(least) else None,
        rounding=_ADDITION_ERROR * size,
    )


def _product(m: int, objectives: Sequence[float], best_gains: Sequence[float]) -> float:
    gains = [b - a for a, b in pairwise(objectives)]
    return by_factors(m, objectives[-1], [factor(g, u) for g, u in zip(gains, best_gains, strict=False)])


def _not_below(bound: float, objective: float, size: float) -> float:
    """Return the bound, lifted over rounding errors; a bound that is really too low is a bug, and said so."""
    if objective - bound > 1e-6 * size:
        text = f"the list scores {objective!r}, above its upper bound {bound!r}: an oracle or a diversity gave a wrong"
        raise BoundError(f"{text} bound. Check yours with hh.testing; if all are built in, please report this model.")
    return max(bound, objective)
