# SPDX-License-Identifier: BSD-3-Clause
"""Draw the figures of docs/theory.md, each computed by the classes it is about: ``python docs/pictures/theory.py``."""

from itertools import pairwise
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("svg")
from matplotlib import pyplot as plt

import hedgehop as hh
from hedgehop.diversity.concave import concave
from hedgehop.potentials.ball_sizes import overlap_shares

HERE = Path(__file__).parent
DARK, BLUE, RED, GREEN = "#16202a", "#2b6cb0", "#c05621", "#2f855a"
mpl.rcParams.update({
    "svg.hashsalt": "hedgehop", "font.family": "DejaVu Sans", "font.size": 9, "axes.spines.top": False,
    "axes.spines.right": False, "axes.edgecolor": DARK, "legend.frameon": False, "figure.constrained_layout.use": True,
    "svg.fonttype": "none",
})  # fmt: skip


def weights(left, right):
    """Coverage of one group, and what a labeling more in it adds."""
    counts = np.arange(7)
    for name, color in (("count", GREEN), ("sqrt", RED), ("log", BLUE)):
        h = concave(name)
        values = np.array([float(h(c)) for c in counts])
        left.plot(counts, values, "o-", ms=3, color=color, label=name)
        right.plot(counts[:-1], np.diff(values) - values[1], "o-", ms=3, color=color, label=f'{name}, "auto"')
    right.plot(counts[:-1], np.diff(np.log1p(counts)) - 1.0, "o--", ms=3, color=BLUE, label="log, the paper's −1")
    right.axhline(0.0, lw=0.8, color=DARK)
    left.set(xlabel="labelings of the list in the group, c", title="coverage h(c)")
    right.set(xlabel="c", title="net weight h(c+1) − h(c) + p")
    left.legend()
    right.legend()


def balls(left, right):
    """The gain of a third labeling and its bounds; overlaps of exact balls."""
    n, gamma = 60, 0.08
    chosen = np.array([(np.arange(n) // 4 == k) for k in range(5)], int)  # 8 apart from each other
    ys = np.array([(np.arange(n) >= n - k) for k in range(36)], int)  # away from all alike
    gain = hh.HammingBall(gamma=gamma).gain(hh.FactorGraph(np.zeros((n, 2))), ys, chosen)
    shared = np.exp(-gamma * (ys[:, None] != chosen).sum(axis=-1))
    away = np.arange(len(ys))
    left.plot(away, 1 - shared.max(axis=1), color=BLUE, lw=1, label="1 − max I")
    left.plot(away, gain, color=DARK, lw=2, label="the gain")
    left.plot(away, np.prod(1 - shared, axis=1), "--", color=BLUE, lw=1, label="Π (1 − I)")
    left.plot(away, 1 - shared.sum(axis=1), color=RED, lw=1, label="1 − Σ I (the paper)")
    left.set(xlabel="variables changed, away from five labelings", title="smooth balls", ylim=(-1, 1.05))
    left.legend(loc="lower right")
    for radius, color in ((2, GREEN), (6, RED), (12, BLUE)):
        right.plot(overlap_shares(30, 2, radius), "o-", ms=2.5, lw=1, color=color, label=f"radius {radius}")
    right.set(xlabel="distance d of the centres, 30 binary variables", title="exact balls: shared part I(d) / |ball|")
    right.legend()


def certificate(left, right):
    """Bounds after each step, and how they bound a list."""
    random = np.random.default_rng(4)
    model = hh.Chain(random.normal(size=(14, 3)), 0.6 * np.eye(3))
    found = hh.diverse(model, hh.HammingBall(gamma=0.25), m=8, tradeoff=6.0)
    steps = np.arange(1, 9)
    left.bar(steps, found.relevance, color=BLUE, alpha=0.8, label="relevance")
    left.bar(steps, found.gains - found.relevance, bottom=found.relevance, color=RED, alpha=0.8, label="λ · coverage")
    left.plot(steps, found.bounds, "_", ms=14, color=DARK, label="bound of the step")
    left.set(xlabel="step", title="what each step adds", ylim=(0, 31))
    left.legend(loc="upper right", ncols=2)
    parts = [hh.diverse(model, hh.HammingBall(gamma=0.25), m=m, tradeoff=6.0) for m in steps]
    bounds, values, repeated = np.array([(p.upper_bound, p.objective, p.certificate.baseline) for p in parts]).T
    right.plot(steps, bounds - repeated, "v-", ms=4, color=DARK, label="no list has more")
    right.plot(steps, values - repeated, "o-", ms=4, color=RED, label="F of the list")
    right.axhline(0.0, lw=0.8, color=DARK)
    right.set(xlabel="m", title="above the single best labeling, repeated")
    right.legend()


def trees(left, right):
    """The best tree that shares k edges with another; a minorant and a chord of expected best."""
    random = np.random.default_rng(2)
    edges = np.array([(i, j) for i in range(9) for j in range(i + 1, 9)])
    weights_ = random.normal(size=len(edges))
    tree = hh.SpanningTree(edges, weights_)
    reference = hh.best(hh.SpanningTree(edges, random.normal(size=len(edges)))).labeling
    reached = {}
    for slope in np.linspace(-8, 8, 400):
        y = hh.best(tree, hh.potentials.Linear(np.stack([np.zeros(len(edges)), slope * reference], axis=1))).labeling
        reached[int(y @ reference)] = float(tree.score(y))
    ks = sorted(reached)
    assert all(b - a == 1 for a, b in pairwise(ks))
    left.plot(ks, [reached[k] for k in ks], "o-", ms=4, color=BLUE)
    left.set(xlabel="edges k shared with a given tree", title="best spanning tree with k of them")
    a = np.linspace(0, 1, 101)
    b = 0.55
    right.plot(a, np.maximum(0, a - b), color=DARK, lw=2, label="max(0, a − b)")
    right.plot(a, (1 - b) * a, color=RED, lw=1, label="chord: bounds the gain")
    right.plot(a, a - b, "--", color=BLUE, lw=1, label="where a served sample stays served")
    right.set(xlabel="agreement a of y with a sample, b = 0.55", title="expected best", ylim=(-0.3, 0.75))
    right.legend(loc="upper left")


if __name__ == "__main__":
    for draw in (weights, balls, certificate, trees):
        figure, axes = plt.subplots(1, 2, figsize=(8.6, 2.9))
        draw(*axes)
        figure.savefig(HERE / f"theory_{draw.__name__}.svg", metadata={"Date": None}, transparent=False)
