# SPDX-License-Identifier: BSD-3-Clause
"""Which oracles exist, and the choice among them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any

import numpy as np

from hedgehop._arrays import Doubles
from hedgehop._errors import InfeasibleError, UnsupportedError
from hedgehop.models.base import Model
from hedgehop.oracles.base import Oracle, Step, kinds
from hedgehop.oracles.exact.arborescence import Edmonds
from hedgehop.oracles.exact.chain import ChainCounts
from hedgehop.oracles.exact.exhaustive import Exhaustive
from hedgehop.oracles.exact.graph_matching import Blossoms
from hedgehop.oracles.exact.matching import Assignment
from hedgehop.oracles.exact.spanning_tree import Kruskal
from hedgehop.oracles.exact.tree import Tree
from hedgehop.oracles.pairwise.expansion import Expansion
from hedgehop.oracles.pairwise.graphcut import GraphCut
from hedgehop.oracles.pairwise.messages import Messages
from hedgehop.oracles.pairwise.qpbo import Qpbo
from hedgehop.oracles.pairwise.swap import Swap
from hedgehop.oracles.pairwise.trws import Trws
from hedgehop.oracles.program.ilp import Ilp
from hedgehop.oracles.relaxation.agreement import Agreement
from hedgehop.oracles.relaxation.biases import Biases
from hedgehop.oracles.relaxation.slopes import Slopes
from hedgehop.potentials import Potential

_BUILT_IN: tuple[type[Oracle], ...] = (
    Tree, GraphCut, ChainCounts, Kruskal, Assignment, Blossoms, Edmonds, Qpbo, Exhaustive, Trws, Expansion, Swap,
    Slopes, Agreement, Biases, Messages, Ilp,
)  # fmt: skip
OracleLike = str | Oracle


@lru_cache(maxsize=1)
def _all() -> dict[str, Oracle]:
    """Built-in oracles, then those installed packages offer under the entry point ``hedgehop.oracles``."""
    oracles: dict[str, Oracle] = {kind.name: kind() for kind in _BUILT_IN}
    for entry in entry_points(group="hedgehop.oracles"):
        oracle = entry.load()()
        oracles.setdefault(oracle.name, oracle)
    return oracles


def available() -> dict[str, str]:
    """Names of the oracles there are, with what each does exactly.

    >>> import hedgehop as hh
    >>> hh.oracles.available()["tree"]
    'max-sum on forests (chains, trees, no edges); exact, with linear potentials and functions of one count'
    """
    return {name: oracle.summary for name, oracle in _all().items()}


def get(oracle: Any) -> Oracle:
    """Return an oracle by name ("auto" included), or the given one.

    Examples
    --------
    >>> import hedgehop as hh
    >>> hh.oracles.get("tree").summary.split(";")[0]
    'max-sum on forests (chains, trees, no edges)'
    """
    if isinstance(oracle, Oracle):
        return oracle
    if oracle == "auto":
        return Auto()
    if isinstance(oracle, type) and issubclass(oracle, Oracle):
        raise TypeError(f"oracle must be a name or an instance; got the class. Call it: {oracle.__name__}().")
    if not isinstance(oracle, str) or oracle not in _all():
        names = ", ".join(f'"{name}"' for name in ("auto", *_all()))
        raise ValueError(f"unknown oracle {oracle!r}; there are {names}.")
    return _all()[oracle]


class Auto(Oracle):
    """Chooses, step by step, the most suitable oracle that can handle the model and the potentials.

    Parameters
    ----------
    *instead : Oracle
        Oracles to use in place of those of the same name.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> quick = hh.oracles.Auto(hh.oracles.Ilp(time_limit=1.0))  # as "auto", but patient for a second only
    >>> hh.best(hh.Chain(np.zeros((3, 2)), np.eye(2)), oracle=quick).oracle
    'tree'
    """

    name = "auto"
    summary = "chooses among the others by model and potentials"

    def __init__(self, *instead: Oracle) -> None:
        self._oracles = {**_all(), **{o.name: o for o in instead}}

    def start(self, model: Model) -> dict[str, Any]:
        """Return the warm states of the oracles used so far, by name."""
        return {}

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse what every oracle refuses."""
        return None if self.able(model, potentials) else _why_not(model, potentials)

    def maximize(self, model: Model, potentials: Sequence[Potential], state: Any = None) -> Step:
        """Let the preferred oracle solve it."""
        chosen = self.choice(model, potentials)
        states = {} if state is None else state
        if chosen.name not in states:
            states[chosen.name] = chosen.start(model)
        return chosen.maximize(model, potentials, states[chosen.name])

    def max_marginals(self, model: Model, potentials: Sequence[Potential]) -> Doubles | None:
        """Ask the preferred oracle."""
        return self.choice(model, potentials).max_marginals(model, potentials)

    def choice(self, model: Model, potentials: Sequence[Potential]) -> Oracle:
        """Return the preferred oracle of those that can."""
        able = self.able(model, potentials)
        if not able:
            raise UnsupportedError(_sentence(self, _why_not(model, potentials), model, potentials))
        return max(able, key=lambda o: o.preference(model, potentials))

    def able(self, model: Model, potentials: Sequence[Potential]) -> list[Oracle]:
        """Return the oracles that can."""
        return [o for o in self._oracles.values() if o.refusal(model, potentials) is None]


def solve(oracle: Oracle, model: Model, potentials: Sequence[Potential], state: Any = None) -> Step:
    """Run one step, timed; refuse with a sentence what the oracle cannot do."""
    for potential in potentials:
        potential.check(model)
    reason = None if isinstance(oracle, Auto) else oracle.refusal(model, potentials)  # which chooses by refusals
    if reason is not None:
        raise UnsupportedError(_sentence(oracle, reason, model, potentials))
    start = time.perf_counter()
    step = oracle.maximize(model, potentials, state)
    if step.value == -np.inf:
        raise InfeasibleError(f'oracle "{step.oracle}" found no allowed labeling; if there is one, "ilp" finds it.')
    return replace(step, seconds=time.perf_counter() - start)


def _sentence(oracle: Oracle, reason: str, model: Model, potentials: Sequence[Potential]) -> str:
    if isinstance(oracle, Auto):
        return f"no oracle can solve this step ({kinds(potentials) or 'no potentials'}): {reason}."
    able = [f'"{o.name}"' for o in Auto().able(model, potentials)]
    instead = f"Use oracle={' or '.join(able)}." if able else f"Neither can the others: {_why_not(model, potentials)}."
    return f'oracle "{oracle.name}" cannot solve this step: {reason}. {instead}'


def _why_not(model: Model, potentials: Sequence[Potential]) -> str:
    return "; ".join(f"{o.name}: {o.refusal(model, potentials)}" for o in _all().values())
