"""The factor of the diversity in F: a number, or a rule that gives one for each model."""

from __future__ import annotations

from dataclasses import dataclass

from hedgehop._arrays import number
from hedgehop.models.base import Model


@dataclass(frozen=True)
class PerVariable:
    """``share * n_variables``: one setting for all sizes."""

    share: float


TradeoffLike = float | PerVariable


def per_variable(share: float) -> PerVariable:
    """Tradeoff in units per variable, so that one setting serves all sizes.

    >>> import hedgehop as hh
    >>> hh.diverse(hh.FactorGraph([[0.0, 0.0]] * 5), hh.HammingBall(gamma=1.0), tradeoff=hh.per_variable(0.4)).tradeoff
    2.0
    """
    return PerVariable(number(share, "per_variable", low=0.0))


def resolve(tradeoff: TradeoffLike, model: Model) -> float:
    """Return the tradeoff as a number >= 0."""
    if isinstance(tradeoff, PerVariable):
        return tradeoff.share * model.n_variables
    return number(tradeoff, "tradeoff", low=0.0)
