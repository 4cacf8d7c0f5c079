# SPDX-License-Identifier: BSD-3-Clause
"""
Readings of a lattice
=====================

A network read a line of handwriting and gives, for each frame, a score to every letter and to "no letter" (CTC). Frames
with the same letter are one letter. All ways to read the line form an automaton; its strings are the readings. The five
best readings differ in a letter here and there. The diverse ones differ in words, and lose little.
"""

import numpy as np
from matplotlib.figure import Figure

import hedgehop as hh

WRITTEN = "run more lines"
LETTERS = "abcdefghijklmnopqrstuvwxyz "
ALIKE = {"r": "vn", "u": "an", "n": "um", "m": "nw", "o": "ae", "e": "oc", "l": "tf", "i": "lj", "s": "rz"}
random = np.random.default_rng(7)

blank, frames = len(LETTERS), []  # a frame per letter, and one without any
for letter in WRITTEN:
    seen = random.normal(-1.5, 0.5, len(LETTERS) + 1)
    seen[LETTERS.index(letter)] += 5.0
    for other in ALIKE.get(letter, ""):
        seen[LETTERS.index(other)] += random.uniform(3.0, 5.2)
    gap = random.normal(-1.5, 0.5, len(LETTERS) + 1)
    gap[blank] += 6.0
    frames += [seen, gap]
scores = np.array(frames)
scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))  # log-probabilities

# %%
# A state is a frame and the letter that was read last in it; reading the same letter again adds no symbol. Unlikely
# letters are left out. A letter too many would shift all others and count as many differences;
# `ngrams` sees through that.
arcs, worth = [], []
states = len(LETTERS) + 1
for t, row in enumerate(scores):
    likely = np.flatnonzero(row > row.max() - 3.2)
    for before in range(states) if t else [blank]:
        for now in likely:
            symbol = -1 if now in (blank, before) else int(now)
            arcs.append((t * states + before, (t + 1) * states + int(now), symbol))
            worth.append(float(row[now]))
last = range(len(scores) * states, (len(scores) + 1) * states)
lattice = hh.Automaton(arcs, worth, last, start=blank, symbols=list(LETTERS), max_length=len(WRITTEN))

# %%
# A diversity that covers letters at positions, and for comparison the five best readings and diverse beam search.
found = hh.diverse(lattice, hh.VariableCoverage(), m=5, tradeoff=2.0)
print(found.report())
lists = {
    "the five best": hh.baselines.m_best(lattice, m=5),
    "diverse beam search": hh.baselines.diverse_beams(lattice, m=5, penalty=0.7, width=10),
    "hedgehop": found.labelings,
}

figure = Figure(figsize=(9.5, 4.6), layout="constrained")
top, *below = figure.subplot_mosaic("aaa;bcd", height_ratios=[1.1, 1.0]).values()
shown = np.flatnonzero(np.exp(scores[:, :-1]).max(axis=0) > 0.1)
top.imshow(np.exp(scores[:, shown].T), aspect="auto", cmap="Greys", interpolation="nearest")
top.set_yticks(range(len(shown)), [LETTERS[k].replace(" ", "␣") for k in shown], fontsize=7)
top.set_xticks(np.arange(len(WRITTEN)) * 2, WRITTEN)
top.set_title("what the network says about each frame (darker: more likely); below, what was written", fontsize=10)
colors = ["#1c1c1c", "#d55e00", "#0072b2", "#009e73", "#cc79a7"]
for axis, (name, readings) in zip(below, lists.items(), strict=True):
    texts = [lattice.text(y) for y in readings]
    apart = np.mean([(a != b).sum() for i, a in enumerate(readings) for b in readings[:i]])
    for k, text in enumerate(texts):
        for t, letter in enumerate(text):
            seen = [other[t : t + 1] for other in texts[:k]]
            new = letter not in seen and k > 0
            axis.text(
                t, -k, letter, color=colors[1] if new else colors[0], family="monospace", fontsize=13, ha="center"
            )
    axis.set_xlim(-1, len(WRITTEN))
    axis.set_ylim(-4.7, 0.7)
    axis.axis("off")
    loss = float(found.relevance[0] - np.mean(lattice.score(readings)))
    axis.set_title(f"{name}\n{apart:.1f} letters apart, {loss:.1f} nats lost", fontsize=10)
figure.savefig("readings.png", dpi=110)
figure  # a notebook shows it
