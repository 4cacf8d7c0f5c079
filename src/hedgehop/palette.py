# SPDX-License-Identifier: BSD-3-Clause
"""Colours of labels: our own, and those of PASCAL VOC, which most label maps are painted in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import own

# A grey for label 0, often the background; the colours of Okabe and Ito; four dark ones. The order keeps short
# beginnings far apart, for colour-blind readers too (tests/plotting/test_plotting.py measures it).
PALETTE = (
    *("#b8b8b8", "#0072b2", "#d55e00", "#f0e442", "#56b4e9", "#009e73"),
    *("#e69f00", "#cc79a7", "#33097d", "#920506", "#5c5c63", "#420b1a"),
)
VOC_NAMES = (
    *("background", "aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow"),
    *("dining table", "dog", "horse", "motorbike", "person", "potted plant", "sheep", "sofa", "train", "tv monitor"),
)


def voc_palette(count: int = 256) -> NDArray[np.uint8]:
    """Colours of the labels 0, 1, ... in PASCAL VOC, (count, 3): the bits of a label, dealt to red, green and blue.

    >>> voc_palette(3).tolist()
    [[0, 0, 0], [128, 0, 0], [0, 128, 0]]
    """
    labels = np.arange(count)
    colors = np.zeros((count, 3), np.uint8)
    for place in range(8):
        for channel in range(3):
            bit = labels >> (3 * place + channel) & 1
            colors[:, channel] |= (bit << (7 - place)).astype(np.uint8)
    return own(colors)
