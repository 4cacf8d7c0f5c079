# SPDX-License-Identifier: BSD-3-Clause
"""Train the nets: a few passes of gradient steps over rows, each net on images drawn with replacement."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments.strokes.examples import Rows
from hedgehop.segmentation.strokes.combiner import Combiner, standardised

NETS = 6
HIDDEN = 16
PASSES = 8
PEOPLE = 3.0  # strokes of people are rare here, and what counts
_BATCH = 512
_RATE = 2e-3
_DECAY = 1e-5


def train(rows: list[Rows], seed: int = 0) -> Combiner:
    """Return nets that have learned from these rows."""
    cues = np.concatenate([r.cues for r in rows])
    target = np.concatenate([r.object for r in rows]) > 0.5
    weight = np.concatenate([_weights(r) for r in rows]).astype(np.float32)
    names = sorted({r.name for r in rows})
    image = np.concatenate([np.full(len(r.object), names.index(r.name)) for r in rows])
    mean, scale = np.nanmean(cues, axis=0), np.nanstd(cues, axis=0) + 1e-6
    inputs = standardised(cues, mean, scale)
    nets = []
    for k in range(NETS):
        random = np.random.default_rng(1000 * seed + k)
        times = np.bincount(random.integers(len(names), size=len(names)), minlength=len(names)).astype(np.float32)
        nets.append(_fit(inputs, target.astype(np.float32), weight * times[image], random))
    inner, inner_bias, outer, outer_bias = (np.stack([net[j] for net in nets], axis=-1) for j in range(4))
    arrays = {"inner": inner.swapaxes(1, 2), "inner_bias": inner_bias.T, "outer": outer.T, "outer_bias": outer_bias[0]}
    halves = {name: array.astype(np.float16) for name, array in arrays.items()}
    return Combiner({"mean": mean.astype(np.float32), "scale": scale.astype(np.float32), **halves})


def save(combiner: Combiner, path: Path) -> None:
    """Write the arrays: weights in half precision, the units of the cues in single."""
    kept = {k: v if k in ("mean", "scale") else v.astype(np.float16) for k, v in combiner.arrays.items()}
    with path.open("wb") as file:
        np.savez_compressed(file, **kept)


def log_loss(combiner: Combiner, rows: list[Rows]) -> float:
    """Mean over rows of -log(probability of the truth), by weight."""
    total = weight = 0.0
    for r in rows:
        odds, w = combiner.log_odds(r.cues), _weights(r)
        total += float((w * np.logaddexp(0.0, np.where(r.object > 0.5, -odds, odds))).sum())
        weight += float(w.sum())
    return total / weight


def _weights(rows: Rows) -> np.ndarray:
    """By area; each set of strokes counts the same."""
    heavy = PEOPLE if str(rows.kind).startswith("people") else 1.0
    return heavy * rows.area / rows.area.sum() * 100.0


def _fit(x: np.ndarray, y: np.ndarray, w: np.ndarray, random: np.random.Generator) -> list[np.ndarray]:
    """Adam on the weighted log-loss of one net: weights and biases of its two layers."""
    used = np.flatnonzero(w > 0)
    width = np.sqrt(2.0 / (x.shape[1] + HIDDEN))
    shapes = [(x.shape[1], HIDDEN), (HIDDEN,), (HIDDEN,), (1,)]
    net = [width * random.standard_normal(s, np.float32) if len(s) == 2 else np.zeros(s, np.float32) for s in shapes]
    net[2] = (0.3 * random.standard_normal(HIDDEN)).astype(np.float32)
    first, second, steps = [np.zeros_like(a) for a in net], [np.zeros_like(a) for a in net], 0
    for done in range(PASSES):
        order = random.permutation(used)
        for start in range(0, order.size, _BATCH):
            batch = order[start : start + _BATCH]
            steps += 1
            rate = _RATE * (1.0 - (done + start / order.size) / PASSES)
            for a, g, m, v in zip(net, _slopes(net, x[batch], y[batch], w[batch]), first, second, strict=True):
                m += 0.1 * (g - m)
                v += 0.001 * (g * g - v)
                a -= rate * (m / (1 - 0.9**steps) / (np.sqrt(v / (1 - 0.999**steps)) + 1e-8) + _DECAY * a / _RATE)
    return net


def _slopes(net: list[np.ndarray], x: np.ndarray, y: np.ndarray, w: np.ndarray) -> list[np.ndarray]:
    inner, inner_bias, outer, outer_bias = net
    hidden = np.tanh(x @ inner + inner_bias)
    error = w * (1.0 / (1.0 + np.exp(-(hidden @ outer + outer_bias))) - y) / w.mean() / len(x)
    back = error[:, None] * outer * (1.0 - hidden * hidden)
    return [x.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(keepdims=True)]
