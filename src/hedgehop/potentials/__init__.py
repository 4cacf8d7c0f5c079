# SPDX-License-Identifier: BSD-3-Clause
"""What may be added to the relevance: small frozen records, each a function of the whole labeling.

A diversity turns its marginal gain into these; label costs and the rest also serve people who want no list
at all (``hh.best(model, [LabelWeights(w)])``). Scores are maximised, so a negative weight is a cost.
"""

from hedgehop.potentials.ball_unions import BallCoverage, BallUnion
from hedgehop.potentials.base import Constant, Function, Linear, Potential, total_value
from hedgehop.potentials.count_functions import Table, Threshold
from hedgehop.potentials.counts import CountFunction, LabelClasses, PairClasses
from hedgehop.potentials.distances import Cardinality, Distances
from hedgehop.potentials.labels import KindWeights, LabelWeights
from hedgehop.potentials.regions import Envelope, RegionWeights
from hedgehop.potentials.samples import AgreementGains
from hedgehop.potentials.transitions import TransitionWeights

__all__ = [
    "AgreementGains",
    "BallCoverage",
    "BallUnion",
    "Cardinality",
    "Constant",
    "CountFunction",
    "Distances",
    "Envelope",
    "Function",
    "KindWeights",
    "LabelClasses",
    "LabelWeights",
    "Linear",
    "PairClasses",
    "Potential",
    "RegionWeights",
    "Table",
    "Threshold",
    "TransitionWeights",
    "total_value",
]
