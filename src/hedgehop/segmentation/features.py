# SPDX-License-Identifier: BSD-3-Clause
"""What superpixels look like: colour, texture and place; and second-order pooling.

Second-order pooling: Carreira, Caseiro, Batista, Sminchisescu, "Semantic segmentation with second-order pooling"
(2012), the features of the paper's own category scores, here with colours and gradients as the local descriptors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles
from hedgehop._errors import need
from hedgehop.segmentation.superpixels import Superpixels

# Units in which a difference of 1 is clearly seen, for each channel of Lab.
_MEAN_SCALE = np.array([30.0, 20.0, 20.0])
_SPREAD_SCALE = np.array([20.0, 10.0, 10.0])
_PLACE_SCALE = 4.0
_PATTERNS = 10  # of uniform local binary patterns with 8 neighbours
_WORDS = 4  # bins of each colour channel
_GRADIENT_SCALES = (1.0, 3.0)  # in pixels
_WALK_STEPS = (4, 16)  # between superpixels: the nearer and the wider surroundings
_LEAST_VARIANCE = 1e-3  # added to covariances, so that logarithms exist


@dataclass(frozen=True, eq=False)
class Features:
    """Descriptions of n superpixels, one row each, in comparable units.

    Attributes
    ----------
    lab : (n, 3)
        Mean colour, in Lab.
    color : (n, 6)
        Mean and spread of the colour.
    texture : (n, 10)
        Twice the roots of the shares of local binary patterns.
    place : (n, 2)
        Centre, in quarters of the longer side.
    words : (n, 64)
        Twice the roots of the shares of colours, in bins that are equally full over the image.
    """

    lab: Doubles
    color: Doubles
    texture: Doubles
    place: Doubles
    words: Doubles


def describe(lab: Doubles, superpixels: Superpixels) -> Features:
    """Return the features of all superpixels of an image."""
    mean = superpixels.mean(lab)
    spread = np.sqrt(np.maximum(0.0, superpixels.mean(lab**2) - mean**2))
    return Features(
        lab=mean,
        color=np.hstack([mean / _MEAN_SCALE, spread / _SPREAD_SCALE]),
        texture=_textures(lab[..., 0], superpixels),
        place=np.asarray(superpixels.centres * (_PLACE_SCALE / max(superpixels.segments.shape))),
        words=2.0 * np.sqrt(superpixels.counts(_color_words(lab), _WORDS**3) / superpixels.area[:, None]),
    )


def _textures(light: Doubles, superpixels: Superpixels) -> Doubles:
    """Shares of patterns around each superpixel: smoothed, since few pixels make a poor histogram."""
    from scipy.ndimage import uniform_filter

    patterns = need("skimage.feature", "segmentation", "hh.Segmenter").local_binary_pattern
    grey = np.clip(light * 2.55, 0, 255).astype(np.uint8)
    found = patterns(grey, P=8, R=1, method="uniform").astype(np.int64)
    shares = np.stack([uniform_filter((found == k).astype(np.float64), 9) for k in range(_PATTERNS)], axis=-1)
    return np.asarray(2.0 * np.sqrt(np.maximum(0.0, superpixels.mean(shares))))


def _color_words(lab: Doubles) -> NDArray[np.int64]:
    """Bin of the colour of each pixel, (H, W): each channel cut at its quartiles."""
    bins = np.zeros(lab.shape[:2], np.int64)
    for c in range(3):
        cuts = np.quantile(lab[..., c], np.arange(1, _WORDS) / _WORDS)
        bins = bins * _WORDS + np.searchsorted(cuts, lab[..., c], side="right")
    return bins


def pooled(lab: Doubles, superpixels: Superpixels) -> Doubles:
    """Return second-order features of superpixels, (n, F): of each, its surroundings and the image; and its place."""
    channels = _local_descriptors(lab)
    moments = _moments(channels, superpixels)
    average = _neighbour_average(superpixels)
    views = [moments]
    for steps in _WALK_STEPS:
        near = moments
        for _ in range(steps):
            near = average @ near
        views.append(near)
    views.append(np.broadcast_to(superpixels.area @ moments / superpixels.area.sum(), moments.shape))
    size = channels.shape[-1]
    return np.hstack([*(_log_euclidean(view, size) for view in views), _position_polynomials(superpixels)])


def _local_descriptors(lab: Doubles) -> Doubles:
    """Descriptors of pixels, (H, W, C): colour, gradients and curvature at several scales, a constant."""
    from scipy.ndimage import gaussian_filter, gaussian_laplace

    light, maps = lab[..., 0], [lab[..., 0] / 30.0 - 1.5, lab[..., 1] / 20.0, lab[..., 2] / 20.0]
    for scale in _GRADIENT_SCALES:
        maps += [scale * np.abs(gaussian_filter(light, scale, order)) / 10.0 for order in ((0, 1), (1, 0))]
        maps.append(scale * scale * np.abs(gaussian_laplace(light, scale)) / 10.0)
    return np.stack([*maps, np.ones_like(light)], axis=-1)


def _moments(channels: Doubles, superpixels: Superpixels) -> Doubles:
    """Mean outer products of the descriptors in each superpixel, the upper half of each: (n, C (C + 1) / 2)."""
    rows, columns = np.triu_indices(channels.shape[-1])
    return superpixels.mean(channels[..., rows] * channels[..., columns])


def _neighbour_average(superpixels: Superpixels) -> Doubles:
    """Return the matrix that averages over a superpixel and its neighbours, by area: (n, n), sparse."""
    from scipy.sparse import csr_array, diags_array, eye_array

    i, j = superpixels.edges.T
    half = csr_array((np.ones(i.size), (i, j)), shape=(superpixels.count, superpixels.count))
    by_area = (half + half.T + eye_array(superpixels.count)) @ diags_array(superpixels.area)
    matrix: Doubles = diags_array(1.0 / by_area.sum(axis=1)) @ by_area
    return matrix


def _log_euclidean(moments: Doubles, size: int) -> Doubles:
    """Matrix logarithms of moments, which turn the curved space of covariances into a flat one, (n, F)."""
    rows, columns = np.triu_indices(size)
    matrices = np.zeros((len(moments), size, size))
    matrices[:, rows, columns] = matrices[:, columns, rows] = moments
    values, vectors = np.linalg.eigh(matrices + _LEAST_VARIANCE * np.eye(size))
    logarithms = (vectors * np.log(values)[:, None, :]) @ vectors.swapaxes(1, 2)
    return np.asarray(logarithms[:, rows, columns] * np.where(rows == columns, 1.0, np.sqrt(2.0)))


def _position_polynomials(superpixels: Superpixels) -> Doubles:
    """Polynomials of the centres, and whether the superpixel touches the frame, (n, 7)."""
    height, width = superpixels.segments.shape
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing="ij"), axis=-1)
    y, x = superpixels.mean(grid).T
    return np.stack([y, x, y * y, x * x, x * y, y**3, superpixels.frame.astype(np.float64)], axis=1)
