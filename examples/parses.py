# SPDX-License-Identifier: BSD-3-Clause
"""
Dependency parses
=================

Where is the telescope: with the observer, with the man, or on the hill? Orange arcs differ from the first parse. Every
step is one call of Chu-Liu-Edmonds.
"""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

import hedgehop as hh

WORDS = ["I", "saw", "the", "man", "on", "the", "hill", "with", "the", "telescope"]
arcs = np.full((len(WORDS), len(WORDS) + 1), -2.0)  # arcs[i, h]: head h for word i + 1, 0 is the root
likely = {  # word: heads and their scores
    1: {2: 4}, 2: {0: 4}, 3: {4: 4}, 4: {2: 4}, 5: {4: 2.0, 2: 1.7}, 6: {7: 4}, 7: {5: 4},
    8: {2: 2.0, 4: 1.8, 7: 1.6}, 9: {10: 4}, 10: {8: 4},
}  # fmt: skip
for word, heads in likely.items():
    for head, score in heads.items():
        arcs[word - 1, head] = score

found = hh.diverse(hh.Arborescence(arcs, single_root=True), hh.VariableCoverage(), m=4, tradeoff=1.0)
print(found.report())

figure = Figure(figsize=(10, 4), layout="constrained")
for k, (axis, parse) in enumerate(zip(figure.subplots(2, 2).ravel(), found.labelings, strict=True)):
    for word, head in enumerate(parse, start=1):
        if head > 0:
            bend = -0.45 if head < word else 0.45
            color = "#d55e00" if parse[word - 1] != found.labelings[0][word - 1] else "#5a5a5a"
            style = {"connectionstyle": f"arc3,rad={bend}", "arrowstyle": "->", "mutation_scale": 10}
            axis.add_patch(FancyArrowPatch((head, 0.15), (word, 0.15), color=color, **style))
        axis.text(word, 0, WORDS[word - 1], ha="center", va="top", fontsize=9)
    axis.set(xlim=(0.4, len(WORDS) + 0.6), ylim=(-0.4, 1.6), title=f"{k + 1}: relevance {found.relevance[k]:.1f}")
    axis.axis("off")
figure.savefig("parses.png", dpi=110)
figure  # a notebook shows it
