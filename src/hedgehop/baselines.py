# SPDX-License-Identifier: BSD-3-Clause
"""What diverse lists are compared with: the best labelings in order, answers to perturbed models, random labelings."""

from __future__ import annotations

import warnings
from itertools import islice

import numpy as np

from hedgehop._arrays import Doubles, Labels, own, positive_count
from hedgehop.models.base import Model
from hedgehop.oracles.base import Step
from hedgehop.oracles.lawler import in_order
from hedgehop.oracles.pairwise.label_bounds import LabelBounds
from hedgehop.oracles.registry import OracleLike, get
from hedgehop.potentials import Linear
from hedgehop.sampling import samples

__all__ = ["m_best", "perturb_and_map", "random_labelings"]


def m_best(model: Model, m: int = 5, oracle: OracleLike = "auto") -> Labels:
    """Return the m best labelings in order, (m, *shape), by Lawler's partition; fewer if there are fewer.

    Works wherever a step can be solved with some labels forbidden. They are the m best ones if steps are solved
    exactly, as on trees, structures and grids of two labels; otherwise a warning says that better ones may be missing,
    and the labelings are sorted by score. If the oracle has max-marginals (trees) or messages bound them (pairwise
    models), a labeling costs few solves (Yanover, Weiss 2003); otherwise it costs one solve per variable.

    Examples
    --------
    >>> import hedgehop as hh
    >>> hh.baselines.m_best(hh.Chain([[3.0, 0.0], [0.5, 0.0], [2.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]), m=3).tolist()
    [[0, 0, 0], [0, 1, 0], [0, 0, 1]]
    """
    solver = get(oracle).on(model)
    bounds = LabelBounds(model, solver.oracle)

    proven = [True]

    def inside(mask: Linear | None) -> Step:
        step = solver.step(() if mask is None else (mask,))
        proven[0] &= step.exact
        return step

    def marginals(mask: Linear | None) -> Doubles | None:
        return bounds(() if mask is None else (mask,))

    steps = list(islice(in_order(model, inside, marginals), positive_count(m, "m")))
    if not proven[0]:
        warnings.warn("better labelings may be missing: some steps were not solved exactly.", stacklevel=2)
        steps.sort(key=lambda step: -step.value)
    return own(np.array([step.labeling for step in steps], np.int32))


def perturb_and_map(model: Model, m: int = 5, scale: float = 1.0, seed: int = 0, oracle: OracleLike = "auto") -> Labels:
    """Return m labelings, (m, *shape), each best under independent Gumbel noise on all labels of all variables.

    This is perturb-and-MAP (Papandreou, Yuille 2011).

    Examples
    --------
    >>> import hedgehop as hh
    >>> hh.baselines.perturb_and_map(hh.FactorGraph([[0.0, 1.0, 2.0]] * 4), m=2).shape
    (2, 4)
    """
    return samples(model, m, variable=scale, label=0.0, region=0.0, seed=seed, oracle=oracle)


def random_labelings(model: Model, m: int = 5, seed: int = 0) -> Labels:
    """Return m labelings with every label equally likely at every variable, (m, *shape); scores are ignored.

    Examples
    --------
    >>> import hedgehop as hh
    >>> hh.baselines.random_labelings(hh.FactorGraph([[0.0, 1.0, 2.0]] * 4), m=2).shape
    (2, 4)
    """
    shares = np.random.default_rng(seed).random((positive_count(m, "m"), model.n_variables))
    labels = np.floor(shares * np.asarray(model.label_counts)).astype(np.int32)
    return own(labels.reshape(-1, *model.shape))
