# SPDX-License-Identifier: BSD-3-Clause
"""How different the labelings of a list are: one file a diversity."""

from hedgehop.diversity.base import Diversity
from hedgehop.diversity.combine import WeightedSum
from hedgehop.diversity.concave import Concave
from hedgehop.diversity.coverage import Coverage, GroupCoverage, VariableCoverage
from hedgehop.diversity.expected import ExpectedBest
from hedgehop.diversity.hamming import HammingBall, LinearHamming
from hedgehop.diversity.kinds import KindCoverage
from hedgehop.diversity.labels import LabelCoverage, TransitionCoverage
from hedgehop.diversity.regions import RegionCoverage

__all__ = [
    "Concave",
    "Coverage",
    "Diversity",
    "ExpectedBest",
    "GroupCoverage",
    "HammingBall",
    "KindCoverage",
    "LabelCoverage",
    "LinearHamming",
    "RegionCoverage",
    "TransitionCoverage",
    "VariableCoverage",
    "WeightedSum",
]
