# SPDX-License-Identifier: BSD-3-Clause
"""How one step is solved: one file an oracle, and the choice among them."""

from hedgehop.oracles.agreement import Agreement
from hedgehop.oracles.arborescence import Edmonds
from hedgehop.oracles.base import Oracle, Step
from hedgehop.oracles.biases import Biases
from hedgehop.oracles.chain import ChainCounts
from hedgehop.oracles.exhaustive import Exhaustive
from hedgehop.oracles.expansion import Expansion
from hedgehop.oracles.graph_matching import Blossoms
from hedgehop.oracles.graphcut import GraphCut
from hedgehop.oracles.ilp import Ilp
from hedgehop.oracles.matching import Assignment
from hedgehop.oracles.messages import Messages
from hedgehop.oracles.qpbo import Qpbo
from hedgehop.oracles.registry import Auto, available, get
from hedgehop.oracles.slopes import Slopes
from hedgehop.oracles.spanning_tree import Kruskal
from hedgehop.oracles.swap import Swap
from hedgehop.oracles.tree import Tree
from hedgehop.oracles.trws import Trws

__all__ = [
    "Agreement",
    "Assignment",
    "Auto",
    "Biases",
    "Blossoms",
    "ChainCounts",
    "Edmonds",
    "Exhaustive",
    "Expansion",
    "GraphCut",
    "Ilp",
    "Kruskal",
    "Messages",
    "Oracle",
    "Qpbo",
    "Slopes",
    "Step",
    "Swap",
    "Tree",
    "Trws",
    "available",
    "get",
]
