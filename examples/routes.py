# SPDX-License-Identifier: BSD-3-Clause
"""
Routes
======

Five routes through a town. The five shortest routes are nearly the same. The routes of the list share little of their
length and are only a little longer. Navigation systems use the penalty method and plateaus; neither says how good its
list is.
"""

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from scipy.spatial import Delaunay

import hedgehop as hh

random = np.random.default_rng(4)
crossings = random.random((900, 2)) * [3.0, 2.0]
crossings = crossings[~(abs(crossings[:, 1] - 1 - 0.2 * np.sin(3 * crossings[:, 0])) < 0.04)]  # a river
corners = Delaunay(crossings).simplices
streets = np.unique(
    np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]]), axis=1), axis=0
)
metres = np.linalg.norm(crossings[streets[:, 0]] - crossings[streets[:, 1]], axis=1)
kept = (metres < 0.15) & (random.random(len(streets)) < 0.75)
streets, metres = streets[kept], metres[kept]
speed = np.where(random.random(len(streets)) < 0.15, 2.0, 1.0)
source, target = (int(np.argmin(np.linalg.norm(crossings - p, axis=1))) for p in ([0.2, 0.3], [2.8, 1.7]))

roads = hh.Path(streets, metres / speed, source, target, directed=False, n_nodes=len(crossings))
found = hh.diverse(roads, hh.UseCoverage(roads.lengths), m=5, tradeoff=1.0)
lists = {
    "hedgehop": found.labelings,
    "the five shortest (Yen)": hh.baselines.m_best(roads, m=5),
    "penalty method": hh.baselines.penalised_routes(roads, m=5),
    "plateaus": hh.baselines.plateau_routes(roads, m=5),
}
print(found.report())

figure = Figure(figsize=(9, 6.4), layout="constrained")
colors = ["#1c1c1c", "#d55e00", "#0072b2", "#009e73", "#cc79a7"]
for axis, (name, routes) in zip(figure.subplots(2, 2).flat, lists.items(), strict=True):
    axis.add_collection(LineCollection(crossings[streets], colors="#dddddd", linewidths=0.7))
    for k, route in enumerate(routes):
        nodes = crossings[roads.nodes(route)]
        axis.plot(*(nodes + 0.006 * (k - 2)).T, color=colors[k], lw=2.0, solid_capstyle="round")
    axis.scatter(*crossings[[source, target]].T, s=50, color="#1c1c1c", zorder=3)
    shared = hh.metrics.shared_length(roads, routes)[np.triu_indices(len(routes), 1)].mean()
    longer = hh.metrics.stretch(roads, routes).mean() - 1
    axis.set_title(f"{name}: {shared:.0%} shared, {longer:.1%} longer", fontsize=11)
    axis.axis("off")
    axis.set_aspect("equal")
figure.savefig("routes.png", dpi=110)
figure  # a notebook shows it
