# SPDX-License-Identifier: BSD-3-Clause
"""Second-order pooling: what a superpixel and its surroundings look like, as covariances of colours and gradients.

Carreira, Caseiro, Batista, Sminchisescu, "Semantic segmentation with second-order pooling" (2012), the features of the
paper's own category scores, here with colours and gradients as the local descriptors.
"""

from __future__ import annotations

import numpy as np

from hedgehop._arrays import Doubles
from hedgehop.segmentation.superpixels import Superpixels

_SCALES = (1.0, 3.0)  # of gradients, pixels
_STEPS = (4, 16)  # of a walk between superpixels: the nearer and the wider surroundings
_LEAST = 1e-3  # added to covariances, so that logarithms exist


def pooled(lab: Doubles, parts: Superpixels) -> Doubles:
    """Return features of superpixels, (n, F): of each, its nearer and wider surroundings, the image; and its place."""
    channels = _local(lab)
    moments = _moments(channels, parts)
    walk = _walk(parts)
    views = [moments]
    for steps in _STEPS:
        near = moments
        for _ in range(steps):
            near = walk @ near
        views.append(near)
    views.append(np.broadcast_to(parts.area @ moments / parts.area.sum(), moments.shape))
    size = channels.shape[-1]
    return np.hstack([*(_log_euclidean(view, size) for view in views), _places(parts)])


def _local(lab: Doubles) -> Doubles:
    """Descriptors of pixels, (H, W, C): colour, gradients and curvature at several scales, a constant."""
    from scipy.ndimage import gaussian_filter, gaussian_laplace

    light, maps = lab[..., 0], [lab[..., 0] / 30.0 - 1.5, lab[..., 1] / 20.0, lab[..., 2] / 20.0]
    for scale in _SCALES:
        maps += [scale * np.abs(gaussian_filter(light, scale, order)) / 10.0 for order in ((0, 1), (1, 0))]
        maps.append(scale * scale * np.abs(gaussian_laplace(light, scale)) / 10.0)
    return np.stack([*maps, np.ones_like(light)], axis=-1)


def _moments(channels: Doubles, parts: Superpixels) -> Doubles:
    """Mean outer products of the descriptors in each superpixel, the upper half of each: (n, C (C + 1) / 2)."""
    rows, columns = np.triu_indices(channels.shape[-1])
    return parts.mean(channels[..., rows] * channels[..., columns])


def _walk(parts: Superpixels) -> Doubles:
    """Return the matrix that averages over a superpixel and its neighbours, by area: (n, n), sparse."""
    from scipy.sparse import csr_array, diags_array, eye_array

    i, j = parts.edges.T
    half = csr_array((np.ones(i.size), (i, j)), shape=(parts.count, parts.count))
    by_area = (half + half.T + eye_array(parts.count)) @ diags_array(parts.area)
    matrix: Doubles = diags_array(1.0 / by_area.sum(axis=1)) @ by_area
    return matrix


def _log_euclidean(moments: Doubles, size: int) -> Doubles:
    """Matrix logarithms of moments, which turn the curved space of covariances into a flat one, (n, F)."""
    rows, columns = np.triu_indices(size)
    matrices = np.zeros((len(moments), size, size))
    matrices[:, rows, columns] = matrices[:, columns, rows] = moments
    values, vectors = np.linalg.eigh(matrices + _LEAST * np.eye(size))
    logarithms = (vectors * np.log(values)[:, None, :]) @ vectors.swapaxes(1, 2)
    return np.asarray(logarithms[:, rows, columns] * np.where(rows == columns, 1.0, np.sqrt(2.0)))


def _places(parts: Superpixels) -> Doubles:
    """Polynomials of the centres, and whether the frame is near, (n, 7)."""
    height, width = parts.segments.shape
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing="ij"), axis=-1)
    y, x = parts.mean(grid).T
    return np.stack([y, x, y * y, x * x, x * y, y**3, parts.frame.astype(np.float64)], axis=1)
