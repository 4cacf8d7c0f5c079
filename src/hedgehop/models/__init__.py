# SPDX-License-Identifier: BSD-3-Clause
"""What can be labelled: one file per structure. Models do not depend on diversities or solvers."""

from hedgehop.models.base import Model as Model
from hedgehop.models.chain import Chain as Chain
from hedgehop.models.factor_graph import Clique as Clique
from hedgehop.models.factor_graph import FactorGraph as FactorGraph
from hedgehop.models.grid import Grid as Grid
from hedgehop.models.grid import contrast as contrast
from hedgehop.models.grid import directions as directions
from hedgehop.models.linear import LinearModel as LinearModel
from hedgehop.models.pairwise import EdgeTables as EdgeTables
from hedgehop.models.pairwise import PairwiseModel as PairwiseModel
from hedgehop.models.pairwise import PairwiseScores as PairwiseScores
from hedgehop.models.pairwise import Potts as Potts
from hedgehop.models.pairwise import SharedTable as SharedTable
from hedgehop.models.structures.arborescence import Arborescence as Arborescence
from hedgehop.models.structures.automaton import Automaton as Automaton
from hedgehop.models.structures.cfg import Cfg as Cfg
from hedgehop.models.structures.graph_matching import GraphMatching as GraphMatching
from hedgehop.models.structures.matching import Matching as Matching
from hedgehop.models.structures.own import Structure as Structure
from hedgehop.models.structures.path import Path as Path
from hedgehop.models.structures.program import Program as Program
from hedgehop.models.structures.spanning_tree import SpanningTree as SpanningTree
from hedgehop.models.unary import UnaryModel as UnaryModel
