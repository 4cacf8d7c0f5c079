# SPDX-License-Identifier: BSD-3-Clause
"""A potential: about half of the variables should take label 1."""

import numpy as np

from hedgehop.potentials import CountFunction, LabelClasses, Potential, Table


class Balance(Potential):
    """``-strength * |k - n / 2|``, k = number of variables with label 1."""

    relaxed_as = "counts"  # how the relaxation treats it
    scaled_fields = ("strength",)  # what a factor multiplies

    def __init__(self, strength):
        self._set(strength=float(strength))

    def worth(self, n):
        """Value by the number of variables with label 1."""
        return -self.strength * np.abs(np.arange(n + 1) - n / 2)

    def values(self, model, flat):
        """Value of each labeling."""
        return self.worth(flat.shape[1])[(flat == 1).sum(axis=1)]

    def counts(self, model):
        """Say of which count it is a function: solvers need no more."""
        labels = np.arange(model.label_counts.max(), dtype=np.int32)
        everyone = np.arange(model.n_variables)
        return [CountFunction(LabelClasses(labels, labels.size), 1, everyone, Table(1.0, self.worth(everyone.size)))]
