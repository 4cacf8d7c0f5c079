# SPDX-License-Identifier: BSD-3-Clause
"""How different the labelings of a list are: one file per diversity."""

from hedgehop.diversity.base import Diversity as Diversity
from hedgehop.diversity.combine import WeightedSum as WeightedSum
from hedgehop.diversity.concave import Concave as Concave
from hedgehop.diversity.coverage import Coverage as Coverage
from hedgehop.diversity.coverage import GroupCoverage as GroupCoverage
from hedgehop.diversity.coverage import VariableCoverage as VariableCoverage
from hedgehop.diversity.expected import ExpectedBest as ExpectedBest
from hedgehop.diversity.hamming import HammingBall as HammingBall
from hedgehop.diversity.hamming import LinearHamming as LinearHamming
from hedgehop.diversity.kinds import KindCoverage as KindCoverage
from hedgehop.diversity.labels import LabelCoverage as LabelCoverage
from hedgehop.diversity.labels import TransitionCoverage as TransitionCoverage
from hedgehop.diversity.regions import RegionCoverage as RegionCoverage
from hedgehop.diversity.unique import UniqueItems as UniqueItems
from hedgehop.diversity.uses import NodeCoverage as NodeCoverage
from hedgehop.diversity.uses import UseCoverage as UseCoverage
