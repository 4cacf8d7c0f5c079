# SPDX-License-Identifier: BSD-3-Clause
"""How one step is solved: one file an oracle, and the choice among them."""

from hedgehop.oracles.base import Oracle, Solver, Step
from hedgehop.oracles.exact.arborescence import Edmonds
from hedgehop.oracles.exact.chain import ChainCounts
from hedgehop.oracles.exact.exhaustive import Exhaustive
from hedgehop.oracles.exact.graph_matching import Blossoms
from hedgehop.oracles.exact.matching import Assignment
from hedgehop.oracles.exact.spanning_tree import Kruskal
from hedgehop.oracles.exact.tree import Tree
from hedgehop.oracles.pairwise.expansion import Expansion
from hedgehop.oracles.pairwise.graphcut import GraphCut
from hedgehop.oracles.pairwise.qpbo import Qpbo
from hedgehop.oracles.pairwise.swap import Swap
from hedgehop.oracles.pairwise.trws import Trws
from hedgehop.oracles.program.ilp import Ilp
from hedgehop.oracles.registry import available, get
from hedgehop.oracles.relaxation.lagrangian import Lagrangian
from hedgehop.oracles.relaxation.messages import Messages
from hedgehop.oracles.routing import Auto, explain

__all__ = [
    "Assignment",
    "Auto",
    "Blossoms",
    "ChainCounts",
    "Edmonds",
    "Exhaustive",
    "Expansion",
    "GraphCut",
    "Ilp",
    "Kruskal",
    "Lagrangian",
    "Messages",
    "Oracle",
    "Qpbo",
    "Solver",
    "Step",
    "Swap",
    "Tree",
    "Trws",
    "available",
    "explain",
    "get",
]
