# SPDX-License-Identifier: BSD-3-Clause
"""Draw docs/pictures/connected.png: one coin among many, with and without connected=True.

Run it from the root of the repository: ``python docs/pictures/connected.py``.
"""

import tempfile
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from shrinking import shrink
from skimage import data

import hedgehop as hh

image = data.coins()
strokes = np.zeros(image.shape, int)
strokes[48:54, 143:168] = 2
strokes[5:9, 10:370] = strokes[100:104, 40:360] = strokes[10:100, 124:128] = 1
segmenter = hh.Segmenter(image)
titles = {"suggest(strokes)": {}, "suggest(strokes, connected=True)": {"connected": True}}
figure, panels = plt.subplots(1, 2, figsize=(9, 3.8))
for panel, (title, demands) in zip(panels, titles.items(), strict=True):
    mask = segmenter.suggest(strokes, m=1, **demands).masks[0]
    shown = np.repeat(image[..., None], 3, axis=2) / 255.0
    shown[~mask] *= 0.35
    shown[strokes == 1], shown[strokes == 2] = (0.15, 0.4, 1.0), (1.0, 0.15, 0.15)
    panel.imshow(shown)
    panel.set_title(title, fontsize=10, family="monospace")
    panel.axis("off")
figure.tight_layout()
with tempfile.TemporaryDirectory() as folder:
    figure.savefig(f"{folder}/connected.png", dpi=90)
    shrink(f"{folder}/connected.png", Path(__file__).with_suffix(".png"), 800)
