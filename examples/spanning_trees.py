# SPDX-License-Identifier: BSD-3-Clause
"""
Spanning trees
==============

Networks that connect 30 towns, each only a little longer than the shortest one, and with few links in common: if a link
fails, another network may still work. Orange links are not in the first network.
"""

import numpy as np
from matplotlib.figure import Figure
from scipy.spatial import Delaunay

import hedgehop as hh

towns = np.random.default_rng(3).random((30, 2))
corners = Delaunay(towns).simplices
edges = np.unique(np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]]), axis=1), axis=0)
lengths = np.linalg.norm(towns[edges[:, 0]] - towns[edges[:, 1]], axis=1)

found = hh.diverse(hh.SpanningTree(edges, -lengths), hh.LinearHamming(), m=4, tradeoff=0.02)
print(found.report())

figure = Figure(figsize=(11, 3.2), layout="constrained")
for k, (axis, tree) in enumerate(zip(figure.subplots(1, 4), found.labelings, strict=True)):
    for (a, b), used, at_first in zip(edges, tree, found.labelings[0], strict=True):
        color = ("#d55e00" if not at_first else "#1c1c1c") if used else "#e4e4e4"
        axis.plot(*towns[[a, b]].T, color=color, lw=2 if used else 0.8, zorder=1 + used)
    axis.scatter(*towns.T, s=18, color="#0072b2", zorder=3)
    axis.set_title(f"{k + 1}: length {-found.relevance[k]:.2f}", fontsize=10)
    axis.axis("off")
    axis.set_aspect("equal")
figure.savefig("spanning_trees.png", dpi=110)
figure  # a notebook shows it
