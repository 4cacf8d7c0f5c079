# SPDX-License-Identifier: BSD-3-Clause
"""Perturb-and-MAP: the best labelings of models with Gumbel noise on every score (Papandreou, Yuille 2011)."""

from __future__ import annotations

from hedgehop._arrays import Labels
from hedgehop.models.base import Model
from hedgehop.oracles.registry import OracleLike
from hedgehop.sampling import samples


def perturb_and_map(model: Model, m: int = 5, scale: float = 1.0, seed: int = 0, oracle: OracleLike = "auto") -> Labels:
    """Return m labelings, (m, *shape), each best under independent Gumbel noise on all labels of all variables.

    Examples
    --------
    >>> import hedgehop as hh
    >>> hh.baselines.perturb_and_map(hh.FactorGraph([[0.0, 1.0, 2.0]] * 4), m=2).shape
    (2, 4)
    """
    return samples(model, m, variable=scale, label=0.0, region=0.0, seed=seed, oracle=oracle)
