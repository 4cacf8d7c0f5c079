# SPDX-License-Identifier: BSD-3-Clause
"""What may be added to the relevance: small frozen records, each a function of the whole labeling.

A diversity expresses its marginal gain by these. They are also useful without lists, for example as label
costs: ``hh.best(model, [LabelWeights(w)])``. Scores are maximised, so a negative weight is a cost.
"""

from hedgehop.potentials.ball_unions import BallCoverage as BallCoverage
from hedgehop.potentials.ball_unions import BallUnion as BallUnion
from hedgehop.potentials.base import Constant as Constant
from hedgehop.potentials.base import Function as Function
from hedgehop.potentials.base import Linear as Linear
from hedgehop.potentials.base import Potential as Potential
from hedgehop.potentials.base import total_value as total_value
from hedgehop.potentials.composed import Clamped as Clamped
from hedgehop.potentials.composed import MemberWeights as MemberWeights
from hedgehop.potentials.count_functions import Table as Table
from hedgehop.potentials.count_functions import Threshold as Threshold
from hedgehop.potentials.counts import CountFunction as CountFunction
from hedgehop.potentials.counts import LabelClasses as LabelClasses
from hedgehop.potentials.counts import PairClasses as PairClasses
from hedgehop.potentials.distances import Cardinality as Cardinality
from hedgehop.potentials.distances import Distances as Distances
from hedgehop.potentials.labels import KindWeights as KindWeights
from hedgehop.potentials.labels import LabelWeights as LabelWeights
from hedgehop.potentials.lines import Lines as Lines
from hedgehop.potentials.regions import Envelope as Envelope
from hedgehop.potentials.regions import RegionWeights as RegionWeights
from hedgehop.potentials.samples import AgreementGains as AgreementGains
from hedgehop.potentials.transitions import TransitionWeights as TransitionWeights
