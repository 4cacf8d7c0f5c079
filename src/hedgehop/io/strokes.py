# SPDX-License-Identifier: BSD-3-Clause
"""Strokes in files: numbers, as label maps have them, or plain colours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import integers
from hedgehop.io.arrays import array_of
from hedgehop.io.pictures import opened_picture
from hedgehop.io.streams import FilePath

_AS_THEY_ARE = ("P", "L", "I", "I;16", "RGB", "RGBA")
_MOST_KINDS = 64


def read_strokes(path: FilePath, swap: bool = False) -> NDArray[np.int64]:
    """Return strokes as numbers, (H, W): those of an indexed or grey picture or an array, or by colour.

    Parameters
    ----------
    path : str or path
        0 is unknown, 1 background, 2 the object; or blue is background and red the object.
    swap : bool
        Whether 1 is the object and 2 the background instead.
    """
    from hedgehop.segmentation.scribbles import from_colors  # half a second that reading a model need not wait for

    if Path(path).suffix.lower() == ".npy":
        strokes = integers(array_of(path), "strokes")
    else:
        with opened_picture(path) as picture:
            pixels = np.asarray(picture if picture.mode in _AS_THEY_ARE else picture.convert("RGB"))
        strokes = from_colors(pixels) if pixels.ndim == 3 else pixels.astype(np.int64)
    if len(kinds := np.unique(strokes)) > _MOST_KINDS:
        raise ValueError(f"{path} must hold a few kinds of strokes; got {len(kinds)} numbers, as photographs have.")
    return np.where(strokes == 1, 2, np.where(strokes == 2, 1, strokes)) if swap else strokes
