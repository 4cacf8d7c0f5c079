# SPDX-License-Identifier: BSD-3-Clause
"""
Your own diversity
==================

How many coins are there? The groups are counts of objects, which no oracle can optimise. So ``hh.select`` chooses the
list from candidates, which are ``hh.samples`` of the model. Each labeling shows a different number.
"""

import numpy as np
from scipy.ndimage import gaussian_filter, label
from skimage import data

import hedgehop as hh


class CountCoverage(hh.Diversity):
    """One group per number of separate objects of at least 30 pixels: a list covers the counts it shows."""

    h = "count"

    def groups(self, labeling):
        """Name the groups that a labeling is in."""
        objects, _ = label(labeling)
        sizes = np.bincount(objects.ravel())[1:]
        return [int((sizes >= 30).sum())]


hh.testing.check_diversity(CountCoverage(), hh.Grid(np.zeros((2, 3, 2))))  # monotone, submodular, gains right

image = data.coins()[::3, ::3] / 255  # Brooklyn Museum, no known restrictions
bright = 12 * (image - gaussian_filter(image, 15) - 0.03)
model = hh.Grid(np.stack([-bright, bright], axis=-1), smoothness=hh.contrast(image, strength=2.5))
pool = hh.samples(model, 60, label=3.0, region=3.0)  # no fast oracle can count objects, so
pool = np.unique(np.concatenate([hh.best(model).labeling[None], pool]), axis=0)  # choose among candidates
found = hh.select(pool, model, CountCoverage(), m=5, tradeoff=4000.0)
print(found.report())

counts = [CountCoverage().groups(y)[0] for y in found.labelings]
title = "objects counted: " + ", ".join(map(str, counts))
figure = found.plot(image, names=["table", "coin"], title=title, columns=3)
figure.savefig("own_diversity.png")
figure  # a notebook shows it
