# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark problems. numpy and scipy only; every problem is a dict:

n, L, ei, ej (E,) int32 edge ends, w (E,) int32 Potts strengths, U (n, L) int32 *costs*, grid, and H, W for grids.
Costs are integers (1000 = one unit), so that every solver can be held to the same exact energy.
"""

import numpy as np
from scipy import ndimage
from scipy.spatial import Delaunay, cKDTree

SCALE = 1000


def grid_edges(height, width):
    index = np.arange(height * width, dtype=np.int32).reshape(height, width)
    return (
        np.concatenate([index[:, :-1].ravel(), index[:-1].ravel()]),
        np.concatenate([index[:, 1:].ravel(), index[1:].ravel()]),
    )


def contrast(image, ei, ej, strength, floor):
    d = (image.ravel()[ei] - image.ravel()[ej]) ** 2
    beta = 1 / (2 * d.mean() + 1e-12)
    return np.maximum(1, np.rint(SCALE * (strength * np.exp(-beta * d) + floor))).astype(np.int32)


def binary_grid(size, kind="noisy", seed=1):
    """ "noisy": two-class Gaussian colour model per pixel; "scribble": weak colour model plus hard seeds."""
    rng = np.random.default_rng(seed)
    field = ndimage.gaussian_filter(rng.standard_normal((size, size)), size / 24, mode="wrap")
    truth = field > 0
    image = np.where(truth, 0.65, 0.35) + 0.25 * rng.standard_normal((size, size))
    cost = np.stack([(image - 0.35) ** 2, (image - 0.65) ** 2], -1) / (2 * 0.25**2)
    strength = 1.0
    if kind == "scribble":
        image = ndimage.gaussian_filter(image, 1.0)
        cost = cost * 0.03
        core = ndimage.gaussian_filter(np.abs(field), 3)
        seeds = core > np.quantile(core, 0.985)
        cost[..., 0] += 50.0 * (seeds & truth)
        cost[..., 1] += 50.0 * (seeds & ~truth)
        strength = 2.0
    ei, ej = grid_edges(size, size)
    return {
        "name": f"{kind}{size}",
        "H": size,
        "W": size,
        "n": size * size,
        "L": 2,
        "ei": ei,
        "ej": ej,
        "w": contrast(image, ei, ej, strength, 0.1),
        "U": np.rint(SCALE * cost).astype(np.int32).reshape(-1, 2),
        "grid": True,
    }


def multilabel_grid(size, L=21, seed=1, hard=False, uniform=False):
    """Voronoi regions with noisy class scores; hard: weak, spatially white scores; uniform: equal edge strengths."""
    rng = np.random.default_rng(seed)
    points, region = rng.random((3 * L, 2)) * size, rng.integers(0, L, 3 * L)
    region[:L] = np.arange(L)
    yy, xx = np.mgrid[:size, :size]
    truth = region[cKDTree(points).query(np.c_[yy.ravel(), xx.ravel()])[1]]
    colour = rng.random(L)
    image = (colour[truth] + 0.08 * rng.standard_normal(size * size)).reshape(size, size)
    logit = 1.5 * rng.standard_normal((size * size, L))
    logit[np.arange(size * size), truth] += 2.0
    logp = ndimage.gaussian_filter(logit.reshape(size, size, L), (1, 1, 0)).reshape(-1, L) * 1.5
    if hard:
        logp = 0.45 * (logit - 1.2 * (np.arange(L) == truth[:, None]))
    logp -= np.log(np.exp(logp).sum(1, keepdims=True))
    ei, ej = grid_edges(size, size)
    w = np.full(len(ei), int(0.6 * SCALE), np.int32) if uniform else contrast(image, ei, ej, 1.0, 0.1)
    return {
        "name": f"grid{size}L{L}" + "u" * uniform + "h" * hard,
        "H": size,
        "W": size,
        "n": size * size,
        "L": L,
        "ei": ei,
        "ej": ej,
        "w": w,
        "U": np.rint(-SCALE * logp).astype(np.int32),
        "grid": True,
    }


def superpixels(n=2000, L=21, seed=1):
    """A planar (Delaunay) graph like the adjacency of superpixels."""
    rng = np.random.default_rng(seed)
    p = rng.random((n, 2))
    tri = Delaunay(p).simplices
    edges = np.unique(np.sort(np.concatenate([tri[:, [0, 1]], tri[:, [1, 2]], tri[:, [0, 2]]]), 1), axis=0).astype(
        np.int32
    )
    centres, region = rng.random((2 * L, 2)), rng.integers(0, L, 2 * L)
    region[:L] = np.arange(L)
    truth = region[cKDTree(centres).query(p)[1]]
    colour = rng.random(L)
    image = colour[truth] + 0.08 * rng.standard_normal(n)
    logit = 1.2 * rng.standard_normal((n, L))
    logit[np.arange(n), truth] += 1.5
    logp = logit - np.log(np.exp(logit).sum(1, keepdims=True))
    ei, ej = np.ascontiguousarray(edges[:, 0]), np.ascontiguousarray(edges[:, 1])
    return {
        "name": f"sp{n}L{L}",
        "n": n,
        "L": L,
        "ei": ei,
        "ej": ej,
        "w": contrast(image, ei, ej, 1.0, 0.1),
        "U": np.rint(-SCALE * logp).astype(np.int32),
        "grid": False,
    }


def energy(problem, labeling, label_cost=0):
    """The exact integer energy that every solver is held to (label_cost: paid once for each label used)."""
    x = np.asarray(labeling).ravel().astype(np.int64)
    total = int(problem["U"].astype(np.int64)[np.arange(problem["n"]), x].sum())
    total += int(problem["w"].astype(np.int64)[x[problem["ei"]] != x[problem["ej"]]].sum())
    return total + label_cost * len(np.unique(x))
