# SPDX-License-Identifier: BSD-3-Clause
"""What a superpixel looks like: colour, texture, place."""

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


def to_lab(rgb: Doubles) -> Doubles:
    """Return an image in Lab."""
    return np.asarray(need("skimage.color", "segmentation", "hh.Segmenter").rgb2lab(rgb))


def describe(lab: Doubles, parts: Superpixels) -> Features:
    """Return the features of all superpixels of an image."""
    mean = parts.mean(lab)
    spread = np.sqrt(np.maximum(0.0, parts.mean(lab**2) - mean**2))
    words = _color_words(lab)
    return Features(
        lab=mean,
        color=np.hstack([mean / _MEAN_SCALE, spread / _SPREAD_SCALE]),
        texture=_textures(lab[..., 0], parts),
        place=_places(parts),
        words=2.0 * np.sqrt(parts.histogram(words, _WORDS**3)),
    )


def _textures(light: Doubles, parts: Superpixels) -> Doubles:
    """Shares of patterns around each superpixel: smoothed, since few pixels make a poor histogram."""
    from scipy.ndimage import uniform_filter

    patterns = need("skimage.feature", "segmentation", "hh.Segmenter").local_binary_pattern
    grey = np.clip(light * 2.55, 0, 255).astype(np.uint8)
    found = patterns(grey, P=8, R=1, method="uniform").astype(np.int64)
    shares = np.stack([uniform_filter((found == k).astype(np.float64), 9) for k in range(_PATTERNS)], axis=-1)
    return np.asarray(2.0 * np.sqrt(np.maximum(0.0, parts.mean(shares))))


def _places(parts: Superpixels) -> Doubles:
    return np.asarray(parts.centres * (_PLACE_SCALE / max(parts.segments.shape)))


def _color_words(lab: Doubles) -> NDArray[np.int64]:
    """Bin of the colour of each pixel, (H, W): each channel cut at its quartiles."""
    bins = np.zeros(lab.shape[:2], np.int64)
    for c in range(3):
        cuts = np.quantile(lab[..., c], np.arange(1, _WORDS) / _WORDS)
        bins = bins * _WORDS + np.searchsorted(cuts, lab[..., c], side="right")
    return bins
