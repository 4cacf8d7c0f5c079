# SPDX-License-Identifier: BSD-3-Clause
"""
Denoising with a dirty spot
===========================

A silhouette under noise, and a spot where nothing is known. The list fills the spot in several ways, one of them a leg,
and varies the thin parts.
"""

import numpy as np
from skimage import data
from skimage.transform import resize

import hedgehop as hh

truth = resize(~data.horse(), (82, 100), order=0).astype(int)  # by Andreas Preuss, public domain
rng = np.random.default_rng(1)
seen = truth + 0.6 * rng.standard_normal(truth.shape)
seen[30:80, 55:70] = 0.5  # here the camera was dirty
model = hh.Grid(np.stack([0.5 - seen, seen - 0.5], axis=-1), smoothness=1.2)

found = hh.diverse(model, hh.VariableCoverage(), m=5, tradeoff=0.5)
right = hh.metrics.accuracy(found.labelings, truth)
print(found.report())
print("share of pixels that are right:", right.round(4))
figure = found.plot(np.clip(seen, 0, 1), names=["paper", "horse"], columns=3)
figure.savefig("denoising.png")
figure  # a notebook shows it
