# SPDX-License-Identifier: BSD-3-Clause
"""The m best labelings, near-duplicates and all."""

from __future__ import annotations

from itertools import islice

import numpy as np

from hedgehop._arrays import Doubles, Labels, own, positive_count
from hedgehop.models.base import Model
from hedgehop.oracles.base import Step
from hedgehop.oracles.lawler import in_order
from hedgehop.oracles.pairwise.label_bounds import LabelBounds
from hedgehop.oracles.registry import OracleLike, get
from hedgehop.potentials import Linear


def m_best(model: Model, m: int = 5, oracle: OracleLike = "auto") -> Labels:
    """Return the m best labelings in order, (m, *shape), by Lawler's partition; fewer if there are fewer.

    Works wherever a step can be solved with some labels forbidden; in the right order if it is solved exactly.
    Where the oracle has max-marginals (trees) or messages bound them (pairwise models), a labeling costs few solves
    (Yanover, Weiss 2003), elsewhere one for each variable.

    Examples
    --------
    >>> import hedgehop as hh
    >>> hh.baselines.m_best(hh.Chain([[3.0, 0.0], [0.5, 0.0], [2.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]), m=3).tolist()
    [[0, 0, 0], [0, 1, 0], [0, 0, 1]]
    """
    solver = get(oracle).on(model)
    bounds = LabelBounds(model, solver.oracle)

    def inside(mask: Linear | None) -> Step:
        return solver.step(() if mask is None else (mask,))

    def marginals(mask: Linear | None) -> Doubles | None:
        return bounds(() if mask is None else (mask,))

    steps = islice(in_order(model, inside, marginals), positive_count(m, "m"))
    return own(np.array([step.labeling for step in steps], np.int32))
