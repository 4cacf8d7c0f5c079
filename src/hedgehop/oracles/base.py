# SPDX-License-Identifier: BSD-3-Clause
"""What an oracle is: it maximises relevance plus potentials, and says how sure it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgehop._arrays import Doubles, Labels, linear_scores, own
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.models.unary import UnaryModel
from hedgehop.potentials import Constant, Linear, Potential, total_value


@dataclass(frozen=True, eq=False)
class Step:
    """One labeling and what is known about it.

    Attributes
    ----------
    labeling : array of ints of the model's shape
        The best labeling found.
    value : float
        What it reaches: relevance plus potentials, re-evaluated in double precision; in a list, its gain.
    upper_bound : float
        No labeling reaches more.
    exact : bool
        Whether the labeling is proven optimal (to rounding).
    oracle : str
        Who solved it, and for ``auto`` why.
    seconds : float
        How long it took.
    relevance : float
        r(y) alone.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> step = hh.best(hh.Chain(emissions=[[0.0, 1.0], [2.0, 0.0]], transitions=np.zeros((2, 2))))
    >>> step.labeling, step.value, step.exact
    (array([1, 0], dtype=int32), 3.0, True)
    """

    labeling: Labels
    value: float
    upper_bound: float
    exact: bool
    oracle: str
    seconds: float = 0.0
    relevance: float = float("nan")


class Oracle(ABC):
    """Maximises ``r(y) + sum of potentials`` over the labelings of a model.

    Subclass it, give it a ``name`` and a ``summary``, and register it under the entry-point group
    ``hedgehop.oracles`` (or pass an instance as ``oracle=``).

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> oracle = hh.oracles.GraphCut()
    >>> oracle.refusal(hh.Grid(np.zeros((2, 2, 3))), [])
    'it needs two labels and no cliques; the model has 3 labels'
    """

    name: str
    summary: str

    @abstractmethod
    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Return why this cannot be solved here, as a sentence; None if it can."""

    @abstractmethod
    def maximize(self, model: Model, potentials: Sequence[Potential], state: Any = None) -> Step:
        """Solve one step. Called only where ``refusal`` gives None, with the state of ``start``."""

    def preference(self, model: Model, potentials: Sequence[Potential]) -> float:
        """How gladly ``auto`` should choose this oracle among those that can: higher first."""
        return 0.0

    def max_marginals(self, model: Model, potentials: Sequence[Potential]) -> Doubles | None:
        """Return, for each variable and label, the best value with that label, (n, L); None if not at hand."""
        return None

    def start(self, model: Model) -> Any:
        """Return a warm state that survives the steps on one model; None if there is nothing to keep."""
        return None

    def step(self, model: Model, labeling: Labels, potentials: Sequence[Potential], upper_bound: float) -> Step:
        """Return a Step for a labeling found, its value re-evaluated from scratch.

        The step counts as exact when bound and value agree to rounding; the bound is never below the value.
        """
        flat = np.ascontiguousarray(labeling.reshape(1, -1), np.int32)
        relevance = float(np.asarray(model.score(flat)).reshape(()))
        value = relevance + float(total_value(model, potentials, flat)[0])
        gap = upper_bound - value
        return Step(
            labeling=own(flat[0].reshape(model.shape)),
            value=value,
            upper_bound=max(upper_bound, value),
            exact=bool(gap <= rounding(model, value)),
            oracle=self.name,
            relevance=relevance,
        )


def rounding(model: Model, value: float) -> float:
    """How large a gap sums of rounded scores may leave: 1e-9 of what is at stake, and the digits of the value."""
    at_stake = model.spread if isinstance(model, UnaryModel) else abs(value)
    return 1e-9 * at_stake + 1e-14 * abs(value)


def fold(model: Model, potentials: Iterable[Potential]) -> tuple[Doubles | None, float, list[Potential]]:
    """Split potentials into one change of the unaries (None if there is none), a constant, and the rest."""
    theta: Doubles | None = None
    constant = 0.0
    rest: list[Potential] = []
    for potential in potentials:
        potential.check(model)
        if isinstance(potential, Linear):
            theta = potential.theta if theta is None else theta + potential.theta
        elif isinstance(potential, Constant):
            constant += potential.amount
        else:
            rest.append(potential)
    return theta, constant, rest


def changed_unary(model: UnaryModel, theta: Doubles | None) -> Doubles:
    """Return the unaries of a model with a change, as C-ordered doubles."""
    unary = np.ascontiguousarray(model.unary, np.float64)
    return unary if theta is None else unary + theta


def values_of(model: UnaryModel, theta: Doubles | None, flat: Labels) -> Doubles:
    """Return the scores of (m, n) labelings with a change of the unaries."""
    values = np.asarray(model.score(flat), np.float64)
    return values if theta is None else values + linear_scores(theta, flat)


def kinds(potentials: Iterable[Potential]) -> str:
    """Names of the kinds of potentials, for messages."""
    return ", ".join(sorted({type(p).__name__ for p in potentials}))


def not_pairwise(model: Model) -> str | None:
    """Return why a model is not one of unary and pairwise scores alone; None if it is."""
    if not isinstance(model, PairwiseModel):
        return f"{type(model).__name__} has no unary and pairwise scores"
    return "the model has cliques of three or more variables" if model.cliques else None


def not_linear(model: Model, potentials: Sequence[Potential]) -> str | None:
    """Return why potentials are more than a change of the unaries; None if they are not."""
    _, _, rest = fold(model, potentials)
    return f"it handles linear potentials only, not {kinds(rest)}" if rest else None
