# SPDX-License-Identifier: BSD-3-Clause
"""How one step is solved: one file per oracle, and the choice among them."""

from hedgehop.oracles.base import Oracle as Oracle
from hedgehop.oracles.base import Solver as Solver
from hedgehop.oracles.base import Step as Step
from hedgehop.oracles.exact.arborescence import Edmonds as Edmonds
from hedgehop.oracles.exact.chain import ChainCounts as ChainCounts
from hedgehop.oracles.exact.elimination import Elimination as Elimination
from hedgehop.oracles.exact.exhaustive import Exhaustive as Exhaustive
from hedgehop.oracles.exact.graph_matching import Blossoms as Blossoms
from hedgehop.oracles.exact.matching import Assignment as Assignment
from hedgehop.oracles.exact.own import OwnSolver as OwnSolver
from hedgehop.oracles.exact.path import ShortestPath as ShortestPath
from hedgehop.oracles.exact.spanning_tree import Kruskal as Kruskal
from hedgehop.oracles.exact.toulbar2 import Toulbar2 as Toulbar2
from hedgehop.oracles.exact.tree import Tree as Tree
from hedgehop.oracles.exact.viterbi import Viterbi as Viterbi
from hedgehop.oracles.pairwise.expansion import Expansion as Expansion
from hedgehop.oracles.pairwise.graphcut import GraphCut as GraphCut
from hedgehop.oracles.pairwise.qpbo import Qpbo as Qpbo
from hedgehop.oracles.pairwise.swap import Swap as Swap
from hedgehop.oracles.pairwise.trws import Trws as Trws
from hedgehop.oracles.program.ilp import Ilp as Ilp
from hedgehop.oracles.program.milp import Milp as Milp
from hedgehop.oracles.registry import available as available
from hedgehop.oracles.registry import get as get
from hedgehop.oracles.relaxation.lagrangian import Lagrangian as Lagrangian
from hedgehop.oracles.relaxation.messages import Messages as Messages
from hedgehop.oracles.routing import Auto as Auto
from hedgehop.oracles.routing import explain as explain
from hedgehop.oracles.search.cycles import Cycles as Cycles
from hedgehop.oracles.search.mplp import Mplp as Mplp
