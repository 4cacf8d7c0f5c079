# SPDX-License-Identifier: BSD-3-Clause
"""
A factor graph from a file
==========================

Side chains along a spiral, with different numbers of positions, must not collide, as in protein design (the energies
are generated). The model is written to a UAI file and read back.
"""

import tempfile
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import hedgehop as hh

rng = np.random.default_rng(2)
turn = np.linspace(0, 4.2 * np.pi, 22)
backbone = np.stack([(1 + 0.28 * turn) * np.cos(turn), (1 + 0.28 * turn) * np.sin(turn)], axis=1)  # a spiral
angles = [rng.uniform(0, 2 * np.pi) + np.arange(k) * 2 * np.pi / k for k in rng.integers(3, 7, 22)]  # rotamers
tips = [b + 0.9 * np.stack([np.cos(a), np.sin(a)], axis=1) for b, a in zip(backbone, angles, strict=True)]

near = [(i, j) for i in range(22) for j in range(i + 1, 22) if np.linalg.norm(backbone[i] - backbone[j]) < 3.0]
tables = [-3.0 * np.exp(-3 * ((tips[i][:, None] - tips[j][None]) ** 2).sum(axis=-1)) for i, j in near]
alone = [0.6 * rng.standard_normal(len(a)) for a in angles]

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "chain.uai"
    hh.write(hh.FactorGraph(alone, near, tables), path)
    model = hh.read(path)  # like any other file: .uai, .wcsp, .cfn, .npz, ...
found = hh.diverse(model, hh.HammingBall(gamma=0.2), m=4, tradeoff=3.0)
print(found.report())

figure = Figure(figsize=(11, 3.1), layout="constrained")
for k, (axis, rotamers) in enumerate(zip(figure.subplots(1, 4), found.labelings, strict=True)):
    axis.plot(*backbone.T, color="#b8b8b8", lw=3, zorder=1)
    for i, rotamer in enumerate(rotamers):
        color = "#0072b2" if rotamer == found.labelings[0][i] else "#d55e00"
        axis.plot(*np.stack([backbone[i], tips[i][rotamer]]).T, color=color, lw=2)
        axis.scatter(*tips[i][rotamer], s=30, color=color, zorder=2)
    axis.set_title(f"{k + 1}: relevance {found.relevance[k]:.2f}", fontsize=10)
    axis.axis("off")
    axis.set(xlim=(-5.5, 5.5), ylim=(-5, 5), aspect="equal")
figure.savefig("proteins.png", dpi=110)
figure  # a notebook shows it
