# SPDX-License-Identifier: BSD-3-Clause
"""Candidates from random models: other mixtures of scores, biases, smoothness.

The design fills the space of models evenly and is always the same, so no randomness is hidden here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels

POOL_SCORES = ("trees", "svm", "walker", "trees+place", "trees+texture", "words", "mixture", "geodesic")
_BIAS = 0.35
_SMOOTHNESS = 0.8
_FRAME = 1.2


@dataclass(frozen=True)
class RandomModel:
    """Weights of the scores, what each label gains, a factor of the smoothness, a bonus of the frame."""

    weights: dict[str, float]
    bias: Doubles
    smoothness: float
    frame: float


def random_models(count: int, n_labels: int) -> list[RandomModel]:
    """Return the design: Dirichlet weights, normal biases, log-normal smoothness, uniform frame."""
    from scipy.special import ndtri
    from scipy.stats import qmc

    width = len(POOL_SCORES)
    bits = int(np.ceil(np.log2(max(2, count))))
    points = qmc.Sobol(width + n_labels + 1, seed=0).random_base2(bits)[:count]
    points = np.clip(points, 1e-9, 1.0 - 1e-9)
    shares = -np.log(points[:, :width])
    shares /= shares.sum(axis=1, keepdims=True)
    bias = np.zeros((count, n_labels))
    bias[:, 1:] = _BIAS * ndtri(points[:, width : width + n_labels - 1])
    stretch = np.exp(_SMOOTHNESS * ndtri(points[:, -2]))
    return [
        RandomModel(dict(zip(POOL_SCORES, s.tolist(), strict=True)), b, float(x), float(_FRAME * f))
        for s, b, x, f in zip(shares, bias, stretch, points[:, -1], strict=True)
    ]


def without_strangers(labeling: Labels, edges: Labels, seeds: NDArray[np.int64]) -> Labels:
    """Give parts of an object that hold none of its strokes to the background."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    i, j = edges[labeling[edges[:, 0]] == labeling[edges[:, 1]]].T
    graph = coo_array((np.ones(i.size), (i, j)), shape=(labeling.size, labeling.size))
    count, part = connected_components(graph, directed=False)
    known = np.zeros(count, bool)
    known[part[seeds == labeling]] = True
    return np.where(known[part], labeling, 0).astype(np.int32)
