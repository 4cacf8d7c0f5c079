# SPDX-License-Identifier: BSD-3-Clause
"""
How good can a list be?
=======================

The bounds of the steps prove little even about a list that is nearly the best. A few further steps, at slopes chosen by
the :doc:`list dual </list_dual>`, prove how good the greedy list is, and the labelings found on the way make a better
one.
"""

from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure
from scipy.ndimage import gaussian_filter

import hedgehop as hh

CALLS = (0, 1, 2, 4, 8, 12, 16, 24, 32)
rng = np.random.default_rng(0)
scores = gaussian_filter(rng.standard_normal((40, 40, 4)), (3, 3, 0)) * 10
model = hh.Grid(scores, smoothness=0.5)
wants = {
    "VariableCoverage, log": (hh.VariableCoverage(), 1.0),
    "VariableCoverage, sqrt": (hh.VariableCoverage("sqrt"), 1.0),
    "LinearHamming": (hh.LinearHamming(), 0.15),
}

figure = Figure(figsize=(10, 3.4), layout="constrained")
for (name, (diversity, tradeoff)), axes in zip(wants.items(), figure.subplots(1, 3, sharey=True), strict=True):
    found = hh.diverse(model, diversity, m=5, tradeoff=tradeoff, oracle="trws", certify=False)
    again = hh.diverse(model, diversity, m=5, tradeoff=tradeoff, oracle="trws", certify=False)
    proven, improved = [found], [again]
    for before, calls in pairwise(CALLS):
        proven.append(proven[-1].certify(calls - before))  # continues from what was found before
        improved.append(improved[-1].improve(calls - before))  # the same, and uses the labelings it finds
    axes.plot(CALLS, [f.guarantee for f in proven], marker="o", ms=4, label="the greedy list")
    axes.plot(CALLS, [f.guarantee for f in improved], marker="o", ms=4, label="improved")
    axes.set(title=name, xlabel="further steps", ylim=(0, 1.02))
    best = improved[-1]
    assert hh.verify(best, model, diversity, oracle="trws").upper_bound >= best.objective
    print(
        f"{name}: {found.guarantee:.3f} by steps, {proven[-1].guarantee:.3f} certified, {best.guarantee:.3f} improved"
    )
figure.axes[0].legend(loc="lower right", fontsize=8)
figure.axes[0].set_ylabel("guarantee")
figure.savefig("how_good.png", dpi=110)
figure  # a notebook shows it
