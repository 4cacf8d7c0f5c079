# SPDX-License-Identifier: BSD-3-Clause
"""The factor of the diversity in F: a number, or a rule that gives one for each model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from hedgehop._arrays import number
from hedgehop.diversity.base import Diversity
from hedgehop.models.base import Model

_LARGEST_TRADEOFF = 1e300
VISIBLE = 0.05  # the share of the variables in which labelings differ at least where nothing is said about it
SECOND = (
    0.1  # in which the second differs from the first: later ones, which find less that is new, then rarely go below
)


@dataclass(frozen=True)
class PerVariable:
    """``share * n_variables``: one setting for all sizes."""

    share: float


@dataclass(frozen=True)
class Target:
    """The tradeoff at which the second labeling differs from the first in this share of the variables.

    `quiet`: no warning if it goes much farther, because nobody has asked for a share.
    """

    distance: float
    quiet: bool = field(default=False, repr=False)


TradeoffLike = float | Literal["auto"] | PerVariable | Target


def per_variable(share: float) -> PerVariable:
    """Give the tradeoff per variable, so that one setting serves all sizes.

    For diversities whose value does not grow with the number of variables: balls, labels, transitions, regions.
    ``VariableCoverage`` and ``LinearHamming`` already sum over variables; give them a plain number.

    >>> import hedgehop as hh
    >>> hh.diverse(hh.FactorGraph([[0.0, 0.0]] * 5), hh.HammingBall(gamma=1.0), tradeoff=hh.per_variable(0.4)).tradeoff
    2.0
    """
    return PerVariable(number(share, "per_variable", low=0.0))


def target(distance: float) -> Target:
    """Find a tradeoff at which the second labeling differs from the first in at least this share of the variables.

    This is the smallest such tradeoff, to within a few per cent, so you need not guess a scale. Distances can jump
    where variables change together, as with label costs; a warning says what is reachable if that is much more than
    wanted.

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


def is_auto(tradeoff: Any) -> bool:
    """Whether a tradeoff is to be found; other words are refused."""
    if isinstance(tradeoff, str) and tradeoff != "auto":
        raise ValueError(
            f'tradeoff must be "auto", a number, hh.target(...) or hh.per_variable(...); got {tradeoff!r}.'
        )
    return isinstance(tradeoff, str)


def resolve(tradeoff: TradeoffLike, model: Model, diversity: Diversity) -> float:
    """Return the tradeoff as a number >= 0."""
    if isinstance(tradeoff, PerVariable):
        if diversity.sums_variables:
            text = f"hh.per_variable would count variables twice: {type(diversity).__name__} already sums over them"
            raise ValueError(f"{text}. Pass the number itself, tradeoff={tradeoff.share:g}, or tradeoff='auto'.")
        return tradeoff.share * model.n_variables
    if isinstance(tradeoff, Target) or is_auto(tradeoff):
        named = '"auto"' if is_auto(tradeoff) else "hh.target"
        raise TypeError(f"{named} finds its tradeoff by solving steps: use it with hh.diverse, stream or portfolio.")
    factor = number(tradeoff, "tradeoff", low=0.0)
    if factor > _LARGEST_TRADEOFF:
        raise ValueError(f"tradeoff must be at most {_LARGEST_TRADEOFF:g}, or F overflows; got {factor:g}.")
    return factor
