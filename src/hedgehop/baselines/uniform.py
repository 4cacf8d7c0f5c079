# SPDX-License-Identifier: BSD-3-Clause
"""Labelings drawn blindly: what the paper's Lemma 1 shows to be hopeless."""

from __future__ import annotations

import numpy as np

from hedgehop._arrays import Labels, own, positive_count
from hedgehop.models.base import Model


def random_labelings(model: Model, m: int = 5, seed: int = 0) -> Labels:
    """Return m labelings with every label equally likely at every variable, (m, *shape); scores play no part.

    Examples
    --------
    >>> import hedgehop as hh
    >>> hh.baselines.random_labelings(hh.FactorGraph([[0.0, 1.0, 2.0]] * 4), m=2).shape
    (2, 4)
    """
    random = np.random.default_rng(seed)
    shares = random.random((positive_count(m, "m"), model.n_variables))
    labels = np.floor(shares * np.asarray(model.label_counts)).astype(np.int32)
    return own(labels.reshape(-1, *model.shape))
