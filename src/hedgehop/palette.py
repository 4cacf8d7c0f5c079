# SPDX-License-Identifier: BSD-3-Clause
"""The classes and colours of PASCAL VOC, which most label maps are painted in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import own

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
