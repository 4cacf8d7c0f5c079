# SPDX-License-Identifier: BSD-3-Clause
"""What can be labelled: one file a structure. Models know nothing of diversity or of solvers."""

from hedgehop.models.arborescence import Arborescence
from hedgehop.models.base import Model
from hedgehop.models.chain import Chain
from hedgehop.models.factor_graph import Clique, FactorGraph
from hedgehop.models.graph_matching import GraphMatching
from hedgehop.models.grid import Grid, contrast, directions
from hedgehop.models.linear import LinearModel
from hedgehop.models.matching import Matching
from hedgehop.models.pairwise import EdgeTables, PairwiseModel, PairwiseScores, Potts, SharedTable
from hedgehop.models.spanning_tree import SpanningTree
from hedgehop.models.unary import UnaryModel

__all__ = [
    "Arborescence",
    "Chain",
    "Clique",
    "EdgeTables",
    "FactorGraph",
    "GraphMatching",
    "Grid",
    "LinearModel",
    "Matching",
    "Model",
    "PairwiseModel",
    "PairwiseScores",
    "Potts",
    "SharedTable",
    "SpanningTree",
    "UnaryModel",
    "contrast",
    "directions",
]
