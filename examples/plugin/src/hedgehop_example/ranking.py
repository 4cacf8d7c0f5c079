# SPDX-License-Identifier: BSD-3-Clause
"""A model: rankings, in which no two items share a place."""

import numpy as np


class Ranking:
    """``r(y) = sum of prefer[i, j] over all pairs where item i comes before item j``."""

    def __init__(self, prefer):
        self.prefer = np.array(prefer, float)
        self.n_variables = len(self.prefer)
        self.label_counts = np.full(self.n_variables, self.n_variables, np.int32)
        self.shape = (self.n_variables,)

    def score(self, labelings):
        """Score one labeling or many; -inf if two items share a place."""
        places = np.asarray(labelings)
        ahead = places[..., :, None] < places[..., None, :]
        total = (ahead * self.prefer).sum(axis=(-2, -1))
        once = (np.sort(places, axis=-1) == np.arange(self.n_variables)).all(axis=-1)
        return np.where(once, total, -np.inf)[()]
