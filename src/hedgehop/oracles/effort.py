# SPDX-License-Identifier: BSD-3-Clause
"""How exactly steps are solved: to a share of what is at stake, or as far as their time goes.

Solvers ask for it before they go on (``effort()``); their callers set it (``with limited(...)``). Nothing
looks at the clock unless a time limit is given.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

from hedgehop._arrays import number
from hedgehop.models.base import Model
from hedgehop.oracles.exactness import stake
from hedgehop.potentials import Potential

Stopped = Literal["", "tolerance", "time"]


@dataclass(frozen=True)
class Effort:
    """How good a step has to be, and how long it may take.

    Attributes
    ----------
    tolerance : float or None
        A step is good enough when bound and value are within this share of what is at stake; None leaves it to oracles.
    deadline : float
        When it has to end, by ``now``.
    needs_bounds : bool
        Whether bounds are read. If not, solvers may skip bounds that cost more than the labeling.
    """

    tolerance: float | None = None
    deadline: float = inf
    needs_bounds: bool = True

    @staticmethod
    def now() -> float:
        """Return the monotonic clock, in seconds."""
        return time.monotonic()

    @property
    def is_limited(self) -> bool:
        """Whether steps may end before they are as good as they can be."""
        return bool(self.tolerance) or self.deadline < inf

    @property
    def seconds(self) -> float:
        """How long a step may still take."""
        return inf if self.deadline == inf else max(0.0, self.deadline - self.now())

    def gap(self, model: Model, potentials: Sequence[Potential], value: float) -> float:
        """Return how far a bound may be above a value that is good enough."""
        if not self.tolerance:
            return 0.0
        at_stake = stake(model, potentials)
        return self.tolerance * (abs(value) if at_stake is None else at_stake)

    def suffices(self, model: Model, potentials: Sequence[Potential], value: float, bound: float) -> bool:
        """Whether a step may stop: it is good enough, or its time is up."""
        return self.is_limited and (
            bound - value <= self.gap(model, potentials, value) or (self.deadline < inf and self.seconds == 0.0)
        )

    def stopped(self, model: Model, potentials: Sequence[Potential], value: float, bound: float) -> Stopped:
        """Return which limit a step that is not proven may have met."""
        if not self.suffices(model, potentials, value, bound):
            return ""
        return "tolerance" if bound - value <= self.gap(model, potentials, value) else "time"


_EFFORT: ContextVar[Effort] = ContextVar("effort", default=Effort())  # noqa: B039  # frozen


def effort() -> Effort:
    """What is asked of the steps that are being solved."""
    return _EFFORT.get()


@contextmanager
def _asked(wanted: Effort) -> Iterator[Effort]:
    token = _EFFORT.set(wanted)
    try:
        yield wanted
    finally:
        _EFFORT.reset(token)


def limited(tolerance: float | None, seconds: float | None = None) -> AbstractContextManager[Effort]:
    """Ask no more than this of the steps within: they never get more time than those around them."""
    around, deadline = effort(), inf if seconds is None else Effort.now() + seconds
    if tolerance == around.tolerance and seconds is None:
        return nullcontext(around)
    return _asked(replace(around, tolerance=tolerance, deadline=min(deadline, around.deadline)))


def without_bounds() -> AbstractContextManager[Effort]:
    """Ask the steps within for labelings only."""
    return _asked(replace(effort(), needs_bounds=False))


def checked_limits(tolerance: float | None, time_limit: float | None) -> tuple[float | None, float | None]:
    """Check the arguments of these names."""
    share = None if tolerance is None else number(tolerance, "tolerance", low=0.0)
    return share, None if time_limit is None else number(time_limit, "time_limit", low=0.0, strict=True)
