"""What can be labelled: one file a structure. Models know nothing of diversity or of solvers."""

from hedgehop.models.base import Model
from hedgehop.models.chain import Chain
from hedgehop.models.factor_graph import Clique, FactorGraph
from hedgehop.models.grid import Contrast, Grid, contrast, directions
from hedgehop.models.pairwise import EdgeTables, PairwiseModel, PairwiseScores, Potts, SharedTable

__all__ = [
    "Chain",
    "Clique",
    "Contrast",
    "EdgeTables",
    "FactorGraph",
    "Grid",
    "Model",
    "PairwiseModel",
    "PairwiseScores",
    "Potts",
    "SharedTable",
    "contrast",
    "directions",
]
