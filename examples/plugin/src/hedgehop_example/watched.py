# SPDX-License-Identifier: BSD-3-Clause
"""A diversity: different labels at a few watched variables."""

import numpy as np

import hedgehop as hh
from hedgehop.diversity import Coverage


class WatchedCoverage(Coverage):
    """One group per watched variable and label: the labelings that give it this label."""

    def __init__(self, watched, h="log"):
        super().__init__(h, parsimony=0.0)
        self._set(watched=np.atleast_1d(np.array(watched)))

    def incidence(self, model, flat):
        """Say which groups each labeling belongs to."""
        labels = np.arange(model.label_counts.max())
        return (flat[:, self.watched, None] == labels).reshape(len(flat), len(self.watched) * labels.size)

    def group_weights(self, model):
        """One for each group."""
        return np.ones(len(self.watched) * model.label_counts.max())

    def as_potentials(self, model, w):
        """The weights of groups as scores of labels."""
        theta = np.zeros((model.n_variables, model.label_counts.max()))
        theta[self.watched] = w.reshape(len(self.watched), -1)
        return [hh.potentials.Linear(theta)]
