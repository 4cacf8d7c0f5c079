# SPDX-License-Identifier: BSD-3-Clause
"""Labelings as small pictures inside a page: PNG files as text, without any image library."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Labels
from hedgehop.palette import PALETTE

_SIDE = 144  # pixels of the longer side, about
_OUTLINE = (255, 0, 144)


def thumbnail(labels: Labels, first: Labels | None = None) -> str:
    """Return an ``<img>`` of a labeling, of a volume its middle slice; what differs from the first is outlined."""
    inside = _sized(labels)
    pixels = _colors()[inside % len(PALETTE)]
    if first is not None:
        pixels[_border(inside != _sized(first))] = _OUTLINE
    height, width = inside.shape
    return f'<img src="data:image/png;base64,{_png(pixels)}" width="{width}" height="{height}" alt="labeling">'


def _colors() -> NDArray[np.uint8]:
    return np.array([[int(color[k : k + 2], 16) for k in (1, 3, 5)] for color in PALETTE], np.uint8)


def _sized(labels: Labels) -> Labels:
    """Every k-th pixel of a large labeling; every pixel of a small one k times."""
    image = labels[len(labels) // 2] if labels.ndim == 3 else labels
    longer = max(image.shape)
    image = image[:: -(-longer // _SIDE), :: -(-longer // _SIDE)]
    factor = max(1, _SIDE // longer)
    return image.repeat(factor, axis=0).repeat(factor, axis=1)


def _border(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Pixels of a mask with a neighbour outside of it."""
    wide = np.pad(mask, 1)
    deep = wide[:-2, 1:-1] & wide[2:, 1:-1] & wide[1:-1, :-2] & wide[1:-1, 2:]
    return np.asarray(mask & ~deep)


def _png(pixels: NDArray[np.uint8]) -> str:
    height, width, _ = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)  # no filter
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits of red, green and blue
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)).decode()


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
