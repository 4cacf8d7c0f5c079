# SPDX-License-Identifier: BSD-3-Clause
"""The factor of the diversity in F: a number, or a rule that gives one for each model."""

from __future__ import annotations

from dataclasses import dataclass

from hedgehop._arrays import number
from hedgehop.models.base import Model

_MOST = 1e300
APART = 0.05  # the share of the variables in which labelings from files differ where no tradeoff is given


@dataclass(frozen=True)
class PerVariable:
    """``share * n_variables``: one setting for all sizes."""

    share: float


@dataclass(frozen=True)
class Target:
    """The tradeoff at which the second labeling differs from the first in this share of the variables."""

    distance: float


TradeoffLike = float | PerVariable | Target


def per_variable(share: float) -> PerVariable:
    """Tradeoff in units per variable, so that one setting serves all sizes.

    >>> import hedgehop as hh
    >>> hh.diverse(hh.FactorGraph([[0.0, 0.0]] * 5), hh.HammingBall(gamma=1.0), tradeoff=hh.per_variable(0.4)).tradeoff
    2.0
    """
    return PerVariable(number(share, "per_variable", low=0.0))


def target(distance: float) -> Target:
    """Tradeoff found such that the second labeling differs from the first in at least this share of the variables.

    The smallest such tradeoff, to a few per cent, so that no scale has to be guessed.

    >>> import hedgehop as hh
    >>> model = hh.FactorGraph([[3.0, 0.0], [2.0, 0.0], [1.0, 0.0], [4.0, 0.0]])
    >>> found = hh.diverse(model, hh.LinearHamming(), m=2, tradeoff=hh.target(distance=0.5))
    >>> found.labelings.tolist(), 2.0 <= found.tradeoff <= 2.2
    ([[0, 0, 0, 0], [0, 1, 1, 0]], True)
    """
    share = number(distance, "distance", low=0.0, strict=True)
    if share > 1:
        raise ValueError(f"distance must be a share of the variables, at most 1; got {distance!r}.")
    return Target(share)


def resolve(tradeoff: TradeoffLike, model: Model) -> float:
    """Return the tradeoff as a number >= 0."""
    if isinstance(tradeoff, PerVariable):
        return tradeoff.share * model.n_variables
    if isinstance(tradeoff, Target):
        raise TypeError("hh.target finds its tradeoff by solving steps: use it with hh.diverse, stream or portfolio.")
    factor = number(tradeoff, "tradeoff", low=0.0)
    if factor > _MOST:
        raise ValueError(f"tradeoff must be at most {_MOST:g}, or F is beyond all numbers; got {factor:g}.")
    return factor
