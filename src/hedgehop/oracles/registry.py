# SPDX-License-Identifier: BSD-3-Clause
"""Which oracles exist, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from hedgehop._plugins import plugins
from hedgehop.models.base import Model
from hedgehop.oracles.base import Oracle
from hedgehop.oracles.exact.arborescence import Edmonds
from hedgehop.oracles.exact.chain import ChainCounts
from hedgehop.oracles.exact.elimination import Elimination
from hedgehop.oracles.exact.exhaustive import Exhaustive
from hedgehop.oracles.exact.graph_matching import Blossoms
from hedgehop.oracles.exact.matching import Assignment
from hedgehop.oracles.exact.own import OwnSolver
from hedgehop.oracles.exact.path import ShortestPath
from hedgehop.oracles.exact.spanning_tree import Kruskal
from hedgehop.oracles.exact.toulbar2 import Toulbar2
from hedgehop.oracles.exact.tree import Tree
from hedgehop.oracles.exact.viterbi import Viterbi
from hedgehop.oracles.pairwise.expansion import Expansion
from hedgehop.oracles.pairwise.graphcut import GraphCut
from hedgehop.oracles.pairwise.qpbo import Qpbo
from hedgehop.oracles.pairwise.swap import Swap
from hedgehop.oracles.pairwise.trws import Trws
from hedgehop.oracles.program.ilp import Ilp
from hedgehop.oracles.program.milp import Milp
from hedgehop.oracles.relaxation.lagrangian import Lagrangian
from hedgehop.oracles.relaxation.messages import Messages
from hedgehop.oracles.search.cycles import Cycles
from hedgehop.oracles.search.mplp import Mplp
from hedgehop.potentials import Potential

_BUILT_IN_ORACLES: tuple[type[Oracle], ...] = (
    Tree, GraphCut, ChainCounts, Kruskal, Assignment, Blossoms, Edmonds, ShortestPath, Viterbi, OwnSolver, Elimination,
    Qpbo, Exhaustive, Trws, Expansion, Swap, Lagrangian, Messages, Toulbar2, Mplp, Cycles,
    Ilp, Milp,
)  # fmt: skip
OracleLike = str | Oracle
_OLD_NAMES = {"slopes": "lagrangian", "biases": "lagrangian", "agreement": "lagrangian"}


@lru_cache(maxsize=1)
def built_in_and_installed() -> dict[str, Oracle]:
    """Built-in oracles, then those installed packages offer under the entry point ``hedgehop.oracles``."""
    oracles: dict[str, Oracle] = {kind.name: kind() for kind in _BUILT_IN_ORACLES}
    for make in plugins("oracles").values():
        oracle = make()
        oracles.setdefault(oracle.name, oracle)
    return oracles


def available() -> dict[str, str]:
    """Names of all oracles, with a summary of each.

    >>> import hedgehop as hh
    >>> hh.oracles.available()["tree"]
    'max-sum on forests (chains, trees, no edges); exact, with linear potentials and functions of one count'
    """
    return {name: oracle.summary for name, oracle in built_in_and_installed().items()}


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
    if isinstance(oracle, str) and oracle == "auto":
        from hedgehop.oracles.routing import Auto

        return Auto()
    if isinstance(oracle, type) and issubclass(oracle, Oracle):
        raise TypeError(f"oracle must be a name or an instance; got the class. Call it: {oracle.__name__}().")
    oracles = built_in_and_installed()
    if isinstance(oracle, str) and oracle not in oracles:
        oracle = _OLD_NAMES.get(oracle, oracle)
    if not isinstance(oracle, str) or oracle not in oracles:
        names = ", ".join(f'"{name}"' for name in ("auto", *oracles))
        raise ValueError(f"unknown oracle {oracle!r}; known ones are {names}.")
    return oracles[oracle]


def why_not(oracles: Mapping[str, Oracle], model: Model, potentials: Sequence[Potential]) -> str:
    """What each of the oracles says against solving a step."""
    return "; ".join(f"{name}: {o.refusal(model, potentials)}" for name, o in oracles.items())


def explained_refusal(oracle: Oracle, reason: str, model: Model, potentials: Sequence[Potential]) -> str:
    """Say why an oracle cannot solve a step, and which others can."""
    oracles = built_in_and_installed()
    able = [f'"{name}"' for name, o in oracles.items() if o.refusal(model, potentials) is None]
    if able:
        return f'oracle "{oracle.name}" cannot solve this step: {reason}. Use oracle={" or ".join(able)}.'
    reasons = why_not(oracles, model, potentials)
    return f'oracle "{oracle.name}" cannot solve this step: {reason}. Neither can the others: {reasons}.'
