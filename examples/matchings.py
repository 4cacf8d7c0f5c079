# SPDX-License-Identifier: BSD-3-Clause
"""
Matchings
=========

Stars before and after a noisy night. The matches of two stars that are close to each other can be exchanged. The second
matching gets more stars right than the best-scoring one.
"""

import numpy as np
from matplotlib.figure import Figure

import hedgehop as hh

rng = np.random.default_rng(5)
before = rng.random((16, 2))
after = before + 0.07 * rng.standard_normal(before.shape)  # rows and columns are in the true order
cost = ((before[:, None] - after[None]) ** 2).sum(axis=-1) / (2 * 0.07**2)

found = hh.diverse(hh.Matching(-cost), hh.VariableCoverage(), m=4, tradeoff=3.0, distinct=True)
right = hh.metrics.accuracy(found.labelings, np.arange(len(before)))
print(found.report())
print("share of stars matched rightly:", right.round(3))

figure = Figure(figsize=(11, 3.4), layout="constrained")
for k, (axis, matching) in enumerate(zip(figure.subplots(1, 4), found.labelings, strict=True)):
    for star, place in enumerate(matching):
        color = "#1c1c1c" if place == found.labelings[0][star] else "#d55e00"
        axis.plot(*np.stack([before[star], after[place]]).T, color=color, lw=1.6)
    axis.scatter(*before.T, s=26, color="#0072b2", zorder=3, label="before")
    axis.scatter(*after.T, s=26, color="white", edgecolor="#0072b2", zorder=3, label="after")
    axis.set_title(f"{k + 1}: relevance {found.relevance[k]:.1f}, {right[k]:.0%} right", fontsize=10)
    axis.axis("off")
    axis.set_aspect("equal")
figure.legend(*axis.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=9)
figure.savefig("matchings.png", dpi=110)
figure  # a notebook shows it
