# SPDX-License-Identifier: BSD-3-Clause
"""
One image, seven diversities
============================

The scores are colour distances, so wood, coffee and glaze are easily confused. Each row is a list of three.
Diversities of pixels, balls and distances change many places at once, diversities of used labels drop a whole class,
regions change squares, and samples lead to plausible answers.
"""

import numpy as np
from skimage import data
from skimage.transform import downscale_local_mean

import hedgehop as hh
from hedgehop.plotting import plot_lists

image = downscale_local_mean(data.coffee()[1:-7, 1:-4], (7, 7, 1)) / 255  # by Rachel Michetti, CC0
colors = {  # what each class looks like; the scores are distances of colours, weak on purpose
    "wood": (0.55, 0.33, 0.18), "china": (0.82, 0.75, 0.68), "glaze": (0.58, 0.13, 0.05), "coffee": (0.80, 0.50, 0.20),
    "shadow": (0.15, 0.08, 0.05),
}  # fmt: skip
scores = np.stack([-20 * ((image - c) ** 2).sum(axis=-1) for c in colors.values()], axis=-1)
model = hh.Grid(scores, smoothness=hh.contrast(image, strength=1.5))
n, blocks = model.n_variables, np.indices(model.shape) // 8
regions = blocks[0] * (blocks[1].max() + 1) + blocks[1]

wants = {  # diversity and tradeoff
    "VariableCoverage: other labels at each pixel": (hh.VariableCoverage(), 1.5),
    "LinearHamming: far from all earlier ones (DivMBest)": (hh.LinearHamming(), 0.3),
    "HammingBall: outside the balls around earlier ones": (hh.HammingBall(gamma=1 / (0.1 * n)), 0.2 * n),
    "LabelCoverage: other labels in use": (hh.LabelCoverage(ignore=()), 1.0 * n),
    "LabelCoverage, by size: other labels large": (hh.LabelCoverage(ignore=(), min_share=(0.05, 0.2, 0.4)), 0.5 * n),
    "RegionCoverage: other labels on whole squares": (hh.RegionCoverage(regions), 40.0),
    "ExpectedBest: near samples of what may be true": (hh.ExpectedBest(hh.samples(model, 20, label=1.0)), 5.0 * n),
}
lists = {want: hh.diverse(model, d, m=3, tradeoff=t) for want, (d, t) in wants.items()}
for want, found in lists.items():
    second, third = found.distances[0, 1:] / n
    print(f"{want:51} {second:4.0%} and {third:4.0%} differ, guarantee {found.guarantee:4.0%}, by {found.oracles[-1]}")
figure = plot_lists(lists, image, names=list(colors))
figure.savefig("diversities.png", dpi=80)
figure  # a notebook shows it
