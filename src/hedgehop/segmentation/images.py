# SPDX-License-Identifier: BSD-3-Clause
"""Any image people have, as float RGB; large ones made smaller, and labels back at full size."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, finite
from hedgehop._errors import need

ImageLike = ArrayLike | str | PathLike[str]


def as_rgb(image: ImageLike) -> Doubles:
    """Return an image as (H, W, 3) floats between 0 and 1.

    Parameters
    ----------
    image : array or path
        Grey (H, W), grey with alpha (H, W, 2), RGB or RGBA; of bools, 8 or 16 bit integers, or floats. Floats
        outside of 0..1 and other integers are stretched from their smallest to their largest value; what is
        transparent is laid over white.

    Examples
    --------
    >>> import numpy as np
    >>> as_rgb(np.array([[0, 255]], np.uint8))[0, :, 0].tolist()
    [0.0, 1.0]
    """
    pixels = _loaded(image)
    if pixels.ndim == 2:
        pixels = pixels[..., None]
    if pixels.ndim != 3 or pixels.shape[2] not in (1, 2, 3, 4) or 0 in pixels.shape:
        raise ValueError(f"image must have shape (H, W), (H, W, 3) or (H, W, 4); got {pixels.shape}.{_hint(pixels)}")
    levels = _between_0_and_1(pixels)
    channels = levels.shape[2]
    if channels in (2, 4):
        alpha = levels[..., -1:]
        levels = alpha * levels[..., :-1] + 1.0 - alpha
    return np.ascontiguousarray(np.broadcast_to(levels, (*levels.shape[:2], 3)))


def shrunk_rows(shape: tuple[int, int], most_pixels: int) -> tuple[int, int]:
    """Return the size with the same proportions and at most about so many pixels."""
    factor = min(1.0, float(np.sqrt(most_pixels / (shape[0] * shape[1]))))
    return max(1, round(shape[0] * factor)), max(1, round(shape[1] * factor))


def shrink(rgb: Doubles, shape: tuple[int, int]) -> Doubles:
    """Return the image at a smaller size, without aliasing."""
    if rgb.shape[:2] == shape:
        return rgb
    resize = need("skimage.transform", "segmentation", "hh.Segmenter").resize
    return np.asarray(np.clip(resize(rgb, shape, anti_aliasing=True), 0.0, 1.0))


def nearest(array: NDArray[Any], shape: tuple[int, int]) -> NDArray[Any]:
    """Return (..., H, W) labels at another size, each pixel from the nearest one."""
    height, width = array.shape[-2:]
    if (height, width) == shape:
        return array
    rows = ((np.arange(shape[0]) + 0.5) * height / shape[0]).astype(np.intp)
    columns = ((np.arange(shape[1]) + 0.5) * width / shape[1]).astype(np.intp)
    return np.ascontiguousarray(array[..., rows[:, None], columns])


def _loaded(image: ImageLike) -> NDArray[Any]:
    if isinstance(image, (str, PathLike)):
        if Path(image).is_dir():
            raise ValueError(f"image must be a file; {image} is a folder.")
        return np.asarray(need("imageio.v3", "segmentation", "reading an image").imread(image))
    return np.asarray(image)


def _hint(pixels: NDArray[Any]) -> str:
    channels_first = pixels.ndim == 3 and pixels.shape[0] in (1, 3, 4)
    return " If channels come first, use np.moveaxis(image, 0, -1)." if channels_first else ""


def _between_0_and_1(pixels: NDArray[Any]) -> Doubles:
    levels = finite(pixels, "image")
    if pixels.dtype in (np.uint8, np.uint16):
        return levels / np.iinfo(pixels.dtype).max
    low, high = float(levels.min()), float(levels.max())
    if low >= 0.0 and high <= 1.0:
        return levels
    return (levels - low) / (high - low) if high > low else np.zeros_like(levels)
