# SPDX-License-Identifier: BSD-3-Clause
"""
Stereo with a repeated texture
==============================

The wall looks the same at two depths, and the box hides a strip that only one camera sees. One labeling puts the wall
near, another far away; nothing in the images says which is right.
"""

import numpy as np
from matplotlib.figure import Figure

import hedgehop as hh

H, W, DEPTHS, PERIOD = 60, 90, 10, 4
rng = np.random.default_rng(0)
truth = np.full((H, W), 1)
truth[12:40, 10:40] = 6  # a wall, whose texture repeats every PERIOD pixels: 2 and 6 look the same
truth[25:55, 52:78] = 8  # a box, in front of everything
texture = rng.random((H, W + DEPTHS))
texture[12:40, :50] = np.tile(rng.random((28, PERIOD)), 13)[:, :50]
left = texture[:, :W]
right = rng.random((H, W))
for depth in range(DEPTHS):  # near things are farther to the left and hide the rest
    rows, columns = np.nonzero(truth == depth)
    seen = columns - depth >= 0
    right[rows[seen], columns[seen] - depth] = left[rows[seen], columns[seen]]
left, right = (picture + 0.05 * rng.standard_normal((H, W)) for picture in (left, right))

shifted = np.stack([np.roll(right, depth, axis=1) for depth in range(DEPTHS)], axis=-1)
scores = -np.minimum(4 * np.abs(left[..., None] - shifted), 1.5)
model = hh.Grid(scores, smoothness=0.9)
found = hh.diverse(model, hh.VariableCoverage(h="count"), m=4, tradeoff=0.12)
print(found.report())

figure = Figure(figsize=(10, 4.4), layout="constrained")
axes = figure.subplots(2, 4)
shown = {"left": left, "right": right, "true depth": truth, None: None}
shown |= {f"{k + 1}: relevance {found.relevance[k]:.0f}": found.labelings[k] for k in range(len(found))}
for axis, (title, picture) in zip(axes.ravel(), shown.items(), strict=True):
    axis.axis("off")
    if picture is not None:
        depth = picture.dtype.kind == "i"
        axis.imshow(picture, cmap="viridis" if depth else "gray", vmin=0, vmax=DEPTHS - 1 if depth else 1)
        axis.set_title(title, fontsize=10)
figure.savefig("stereo.png", dpi=110)
figure  # a notebook shows it
