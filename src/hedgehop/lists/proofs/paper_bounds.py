# SPDX-License-Identifier: BSD-3-Clause
"""The paper's own statements about a list: Lemma 2 with both kinds of error, and the relative error (docs/theory.md 5).

Let ``l(y)`` be relevance plus parsimony and C a number with ``l(y) + C >= 0`` for the labelings *of the list*. Adding
them to another list T then never lowers ``F'(T) = F(T) + C |T|``, and that is all the proof of Lemma 2 asks for:

    F'(T) <= F'(S^t + T) <= F'(S^t) + m (U_t + C)    for every list T of m labelings, whatever the sign of l on T.

So scores may be log-probabilities, at the price of a statement about F' in place of F.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isfinite, prod
from typing import TYPE_CHECKING

import numpy as np

from hedgehop._arrays import Labels

if TYPE_CHECKING:
    from hedgehop.lists.objective import Objective
    from hedgehop.lists.state import ListState


@dataclass(frozen=True)
class PaperBounds:
    """What Lemma 2 of the paper says about a list whose steps have errors.

    Attributes
    ----------
    shift : float
        The least C >= 0 that makes ``l(y) + C >= 0`` on the list's own labelings; 0 if none is negative.
    factors : tuple of floats
        alpha_t, the proven share of the best possible gain that step t reached, in the shifted objective.
    errors : tuple of floats
        eps_t = U_t - gain_t, what step t may have missed.
    multiplicative : float or None
        Bound on F of any list by the factors: ``F'(S) / (1 - prod_t (1 - alpha_t / m)) - C m``.
    additive : float or None
        The same by the errors: ``(F'(S) + sum_t (1 - 1/m)^(m - 1 - t) eps_t) / (1 - (1 - 1/m)^m) - C m``.
    share : float or None
        Proven share of F': ``F(S) + C m >= share * (F(T) + C m)`` for every list T of m labelings.
    condition : str
        Which condition holds and what follows from it, or which one failed.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> chain = hh.Chain(emissions=np.log([[0.7, 0.3]] * 3), transitions=np.zeros((2, 2)))
    >>> lemma = hh.diverse(chain, hh.VariableCoverage("count"), m=2, tradeoff=1.0).certificate.paper
    >>> lemma.factors, lemma.share >= 1 - 1 / np.e
    ((1.0, 1.0), True)
    >>> lemma.condition.split(":")[0]
    'relevance plus parsimony plus 3.61192 is not negative on the labelings of the list'
    """

    shift: float
    factors: tuple[float, ...]
    errors: tuple[float, ...]
    multiplicative: float | None
    additive: float | None
    share: float | None
    condition: str


def paper_bounds(
    objective: Objective, state: ListState, values: Sequence[float], unknown: str | None = None
) -> PaperBounds:
    """Apply Lemma 2 to a list, given F of its beginnings; `unknown` says why these are too low, if they may be."""
    m, best_gains = len(state), state.best_gains
    if not objective.diversity.submodular:
        return _failed("the diversity is not submodular")
    if unknown is not None:
        return _failed(unknown)
    if m == 0 or len(best_gains) < m or not all(map(isfinite, best_gains[:m])):
        return _failed("the best gain is not bounded in every step")
    lowest = float(objective.modular(state.rows).min())
    shift = max(0.0, -lowest)
    gains = [b - a for a, b in pairwise(values)]
    factors = tuple(factor(g + shift, u + shift) for g, u in zip(gains, best_gains, strict=False))
    errors = tuple(max(0.0, u - g) for g, u in zip(gains, best_gains, strict=False))
    reached = max(0.0, values[-1] + shift * m)
    bounds = by_factors(m, reached, factors), _by_errors(m, reached, errors)
    best = min(bounds)
    share = (1.0 if best <= reached else reached / best) if isfinite(best) else 0.0
    unshifted = [max(bound - shift * m, values[-1]) for bound in bounds]
    return PaperBounds(shift, factors, errors, unshifted[0], unshifted[1], share, _condition(shift))


def least_known(objective: Objective, rows: Labels, baseline: float) -> float:
    """Return the smallest F of the known lists: the empty one, and labelings of the list repeated.

    The paper's F_min, the smallest F of all lists, is not above it.
    """
    worst = rows[int(np.argmin(objective.modular(rows)))] if len(rows) else None
    repeated = inf if worst is None else objective.repeated(worst, len(rows))
    return float(np.nanmin([0.0, repeated, baseline]))


def by_factors(m: int, reached: float, factors: Sequence[float]) -> float:
    """F'* - F'(S^(t+1)) <= (1 - alpha_t / m) (F'* - F'(S^t)), from F'(S^0) = 0."""
    lost = prod(1.0 - a / m for a in factors)
    return reached / (1.0 - lost) if lost < 1.0 else inf


def _by_errors(m: int, reached: float, errors: Sequence[float]) -> float:
    """F'* - F'(S^(t+1)) <= (1 - 1/m) (F'* - F'(S^t)) + eps_t, from F'(S^0) = 0."""
    kept = 1.0 - 1.0 / m
    missed = sum(kept ** (m - 1 - t) * error for t, error in enumerate(errors))
    return (reached + missed) / (1.0 - kept**m)


def factor(gain: float, bound: float) -> float:
    """Return the proven share of the best possible gain."""
    return min(1.0, max(0.0, gain / bound)) if bound > 0 else 1.0


def _failed(reason: str) -> PaperBounds:
    return PaperBounds(0.0, (), (), None, None, None, reason)


def _condition(shift: float) -> str:
    if shift == 0.0:
        return "relevance plus parsimony is not negative on the labelings of the list: the lemma holds for F itself"
    text = f"relevance plus parsimony plus {shift:.6g} is not negative on the labelings of the list"
    return f"{text}: the lemma holds for F plus {shift:.6g} per labeling, a weaker statement than one about F"
