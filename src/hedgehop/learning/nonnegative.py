# SPDX-License-Identifier: BSD-3-Clause
"""Relevance that is never negative, which the paper's guarantee for greedy lists asks for.

A bias b, the weight of one more feature that is always 1, cancels in every margin constraint. So the optimum of
training is the same without it (P1), with it (P2), and with the constraints ``r(y) + b >= 0`` for all labelings of all
training inputs (P3): any weights of P1 and a bias large enough solve all three. The bias is therefore found after
training, by the cutting planes of the appendix: the worst labeling is a MAP inference on -r.
"""

from __future__ import annotations

from collections.abc import Iterable

from hedgehop.models import FactorGraph
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.base import Oracle
from hedgehop.oracles.pairwise.kernels import pair_tables


def learned_bias(models: Iterable[PairwiseModel], oracle: Oracle) -> float:
    """Return the least bias known to make all labelings of all models nonnegative.

    An input whose least scores add up to more than -b violates nothing and costs no inference. MAP inference on -r is
    the hard direction where the model is attractive: the sum of the least scores serves where it is higher.
    """
    bias = 0.0
    for model in models:
        if model.floor() + bias < 0.0:
            negated = FactorGraph(-model.unary, model.edges, -pair_tables(model))
            bound = oracle.on(negated).step([]).upper_bound
            bias = max(bias, min(-model.floor(), bound))
    return bias
