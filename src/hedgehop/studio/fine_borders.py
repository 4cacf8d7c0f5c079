# SPDX-License-Identifier: BSD-3-Clause
"""Label maps at the size of the image: borders follow its pixels instead of the stairs of the size that is solved.

A guided filter (He, Sun, Tang 2010) writes each label near its border as a linear function of the local colours, at
the size that is solved. The coefficients are smooth, so they can be enlarged, and are applied to the pixels of the
image (He, Sun 2015). Away from borders nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import binary_dilation, uniform_filter

from hedgehop.studio.pictures import Picture

Alpha = NDArray[np.float32]

_COLOUR_REACH = 2  # pixels around a pixel whose colours count, at the size that is solved
_BAND = 3  # pixels on both sides of a border that may change
_RIDGE = 1e-3  # of the colours' variance, which are 0..1
_ROWS = 512  # of the image that are computed at once


def at_full_size(labels: NDArray[np.uint8], picture: Picture) -> NDArray[np.uint8]:
    """Return a label map at the size of the image; a map of that size stays as it is."""
    there = np.unique(labels).tolist()
    if picture.size == picture.solved_size:
        return labels
    found = _nearest(labels, picture.size)
    if len(there) < 2:
        return found
    colors = np.asarray(picture.pixels())
    surest = np.full(found.shape, 0.5 if len(there) == 2 else -1.0, np.float32)
    for label in there:
        if len(there) == 2 and label == there[0]:
            continue  # it is what the other one is not
        for where, alpha in _memberships(labels == label, picture, colors):
            if len(there) == 2:
                found[where][alpha <= 0.5] = there[0]
            better = alpha > surest[where]
            surest[where][better] = alpha[better]
            found[where][better] = label
    return found


def soft_edges(labels: NDArray[np.uint8], picture: Picture, pixels: Image.Image) -> NDArray[np.uint8]:
    """Return how much of each pixel of the image belongs to an object, 0..255."""
    large = picture.size != picture.solved_size
    full = _nearest((labels > 0).astype(np.uint8), picture.size) > 0
    opacity: NDArray[np.uint8] = np.where(full, 255, 0).astype(np.uint8)
    for where, alpha in _memberships(labels > 0, picture, np.asarray(pixels)):
        inside = alpha > 0.5 if large else full[where]  # on the side where the map has it
        limited = np.where(inside, np.maximum(alpha, 0.51), np.minimum(alpha, 0.49))
        near = ~np.isnan(alpha)
        opacity[where][near] = np.round(255 * limited[near]).astype(np.uint8)
    return opacity


def _memberships(
    mask: NDArray[np.bool_], picture: Picture, colors: NDArray[np.uint8]
) -> Iterator[tuple[tuple[slice, slice], Alpha]]:
    """Yield parts of the image, and how much of each pixel belongs to a mask (h, w) there; NaN away from borders."""
    edge = np.zeros(mask.shape, bool)
    edge[1:] |= mask[1:] != mask[:-1]
    edge[:, 1:] |= mask[:, 1:] != mask[:, :-1]
    if not edge.any():
        return
    band = binary_dilation(edge, iterations=_BAND)
    weights = _coefficients(mask, picture.small, band)
    (width, height), (columns, rows) = picture.size, picture.solved_size
    x_of, y_of = width / columns, height / rows
    across = np.flatnonzero(band.any(axis=0))
    left, right = max(0, int(across[0]) - 1), min(columns, int(across[-1]) + 2)
    step = max(1, round(_ROWS / y_of))
    for top in range(0, rows, step):
        bottom = min(rows, top + step)
        if not band[top:bottom].any():
            continue
        part = (slice(round(top * y_of), round(bottom * y_of)), slice(round(left * x_of), round(right * x_of)))
        box = (part[1].start / x_of, part[0].start / y_of, part[1].stop / x_of, part[0].stop / y_of)
        size = (part[1].stop - part[1].start, part[0].stop - part[0].start)
        large = [np.asarray(Image.fromarray(plane).resize(size, Image.Resampling.BILINEAR, box)) for plane in weights]
        near = Image.fromarray(band).resize(size, Image.Resampling.NEAREST, box)
        alpha = large[3].copy()
        for channel in range(3):
            alpha += large[channel] * (colors[part][..., channel] * np.float32(1 / 255))
        yield part, np.where(np.asarray(near), np.clip(1.5 * alpha - 0.25, 0.0, 1.0), np.float32(np.nan))


def _coefficients(mask: NDArray[np.bool_], small: NDArray[np.uint8], band: NDArray[np.bool_]) -> list[Alpha]:
    """Return three factors of the colours and a constant, each (h, w), such that the mask is about their sum."""
    side = 2 * _COLOUR_REACH + 1
    image = small.astype(np.float32) * np.float32(1 / 255)
    target = mask.astype(np.float32)

    def mean(values: Alpha) -> Alpha:
        return np.asarray(uniform_filter(values, (side, side, *([0] * (values.ndim - 2)))))

    wide = binary_dilation(band, iterations=_COLOUR_REACH)
    colors, level = mean(image), mean(target)
    together = mean(image * target[..., None])[wide] - colors[wide] * level[wide][:, None]
    spread = np.empty((int(wide.sum()), 3, 3), np.float32)
    for i in range(3):
        for j in range(i, 3):
            spread[:, i, j] = spread[:, j, i] = (
                mean(image[..., i] * image[..., j])[wide] - colors[wide, i] * colors[wide, j]
            )
    factors = np.zeros((*mask.shape, 3), np.float32)
    factors[wide] = np.linalg.solve(spread + _RIDGE * np.eye(3, dtype=np.float32), together[..., None])[..., 0]
    constant = level - (factors * colors).sum(axis=-1)
    smooth = [mean(factors[..., k]) for k in range(3)]
    return [*smooth, mean(constant)]


def _nearest(labels: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.uint8]:
    return np.array(Image.fromarray(labels).resize(size, Image.Resampling.NEAREST))
