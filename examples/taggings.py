# SPDX-License-Identifier: BSD-3-Clause
"""
Taggings of a sentence
======================

The scores are made up, the ambiguity is not: does time fly, are there time flies that like an arrow, or should flies be
timed? All steps on this short chain are exact.
"""

import numpy as np
from matplotlib.figure import Figure

import hedgehop as hh
from hedgehop.plotting import PALETTE

WORDS = ["time", "flies", "like", "an", "arrow"]
TAGS = ["noun", "verb", "preposition", "article"]
emissions = np.array([[2.0, 1.3, -3, -3], [1.6, 1.8, -3, -3], [-3, 1.5, 1.7, -3], [-3, -3, -3, 2.0], [2.0, -2, -3, -3]])
transitions = np.array([[0.3, 0.8, 0.6, -0.5], [0.7, -1.0, 0.5, 0.8], [0.2, -1.0, -2.0, 0.6], [1.0, -2.0, -2.0, -2.0]])
model = hh.Chain(emissions, transitions)

found = hh.diverse(model, hh.HammingBall(gamma=0.7), m=4, tradeoff=3.0)
print(found.report())

figure = Figure(figsize=(8, 2.6), layout="constrained")
axis = figure.subplots()
for row, labeling in enumerate(found.labelings):
    for column, tag in enumerate(labeling):
        box = {"fc": PALETTE[tag + 3], "ec": "none", "boxstyle": "round"}
        axis.text(column, -row, TAGS[tag], ha="center", va="center", bbox=box)
    axis.text(-1.1, -row, f"{row + 1}: relevance {found.relevance[row]:.1f}", ha="center", va="center", fontsize=9)
for column, word in enumerate(WORDS):
    axis.text(column, 0.9, word, ha="center", va="center", fontweight="bold")
axis.set(xlim=(-1.7, len(WORDS) - 0.5), ylim=(0.5 - len(found), 1.3))
axis.axis("off")
figure.savefig("taggings.png", dpi=110)
figure  # a notebook shows it
