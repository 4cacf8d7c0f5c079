# SPDX-License-Identifier: BSD-3-Clause
"""
Certificates of longer and longer lists
=======================================

What is proven about lists of two to ten labelings. Steps with ``VariableCoverage`` and ``LinearHamming`` are solved
exactly or nearly so; steps with ``HammingBall`` and ``LabelCoverage`` leave a gap (right). The guarantee (left) also
allows for every list that greedy did not try. A low guarantee means a loose bound, not a bad list. Only the bounds of
the steps are used here.
"""

import numpy as np
from matplotlib.figure import Figure
from scipy.ndimage import gaussian_filter

import hedgehop as hh

MOST = 10
rng = np.random.default_rng(0)
scores = gaussian_filter(rng.standard_normal((40, 40, 4)), (3, 3, 0)) * 10
model = hh.Grid(scores, smoothness=0.5)
n = model.n_variables
wants = {
    "VariableCoverage": (hh.VariableCoverage(), 1.0),
    "LinearHamming": (hh.LinearHamming(), 0.15),
    "HammingBall": (hh.HammingBall(gamma=10 / n), 0.3 * n),
    "LabelCoverage": (hh.LabelCoverage(ignore=(), parsimony=0.0, min_share=(0.1, 0.3, 0.5)), 0.05 * n),
}

figure = Figure(figsize=(10, 3.4), layout="constrained")
left, right = figure.subplots(1, 2)
for name, (diversity, tradeoff) in wants.items():
    found = hh.diverse(model, diversity, m=1, tradeoff=tradeoff, certify=False)  # by the bounds of the steps alone
    lists = [found := found.more(1) for _ in range(MOST - 1)]  # greedy lists only grow: each continues the last one
    sizes = range(2, MOST + 1)
    left.plot(sizes, [f.guarantee for f in lists], marker="o", ms=4, label=name)
    right.plot(sizes, [(f.bounds[-1] - f.gains[-1]) / n for f in lists], marker="o", ms=4)
    print(f"{name}: guarantee {lists[0].guarantee:.3f} for two labelings, {lists[-1].guarantee:.3f} for ten")
left.set(title="guarantee: proven share of the best improvement", xlabel="M", ylim=(0, 1.02))
right.set(title="bound minus gain of step M, per variable", xlabel="M")
left.legend(fontsize=8)
figure.savefig("certificates.png", dpi=110)
figure  # a notebook shows it
