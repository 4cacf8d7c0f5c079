# SPDX-License-Identifier: BSD-3-Clause
"""Any image as float RGB or Lab; images, labels and class scores at other sizes."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, Floats, levels_of
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
    levels = levels_of(pixels)
    channels = levels.shape[2]
    if channels in (2, 4):
        alpha = levels[..., -1:]
        levels = alpha * levels[..., :-1] + 1.0 - alpha
    return np.ascontiguousarray(np.broadcast_to(levels, (*levels.shape[:2], 3)))


def to_lab(rgb: Doubles) -> Doubles:
    """Return an image in Lab."""
    return np.asarray(need("skimage.color", "segmentation", "hh.Segmenter").rgb2lab(rgb))


def shrunk_shape(shape: tuple[int, int], most_pixels: int) -> tuple[int, int]:
    """Return the shape with the same proportions and at most about that many pixels.

    >>> shrunk_shape((3000, 4000), 480_000), shrunk_shape((10_000_000, 1), 500_000)
    ((600, 800), (500000, 1))
    """
    factor = min(1.0, float(np.sqrt(most_pixels / (shape[0] * shape[1]))))
    short = max(1, round(min(shape) * factor))
    long = max(1, min(round(max(shape) * factor), most_pixels // short if factor < 1.0 else max(shape)))
    return (long, short) if shape[0] >= shape[1] else (short, long)


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


def resample(scores: Floats, shape: tuple[int, int]) -> Doubles:
    """Return (h, w, L) scores at another size (H, W, L): linear between the nearest four, corners on corners.

    This is "align corners" of other libraries. Forbidden labels are treated as in :func:`average_allowed`.

    >>> import numpy as np
    >>> resample(np.array([[[0.0], [2.0]]]), (1, 5))[0, :, 0].tolist()
    [0.0, 0.5, 1.0, 1.5, 2.0]
    """
    if scores.shape[:2] == shape:
        return scores.astype(np.float64)

    def at_size(values: Doubles) -> Doubles:
        rows = _blend(values.astype(np.float64), shape[0])
        return np.ascontiguousarray(_blend(rows.swapaxes(0, 1), shape[1]).swapaxes(0, 1))

    return average_allowed(scores, at_size)


def average_allowed(scores: Floats, average: Callable[[Any], Doubles]) -> Doubles:
    """Average scores in any linear way; a label is forbidden (-inf) if scores that forbid it weigh more than half.

    Elsewhere only the scores that allow it count.
    """
    forbidden = np.isneginf(scores)
    if not forbidden.any():
        return average(scores)
    allowed = average((~forbidden).astype(np.float64))
    enough = allowed >= 0.5 - 1e-9
    return np.where(enough, average(np.where(forbidden, 0.0, scores)) / np.where(enough, allowed, 1.0), -np.inf)


def _blend(values: Doubles, size: int) -> Doubles:
    """Interpolate along the first axis."""
    last = len(values) - 1
    places = np.linspace(0.0, last, size) if size > 1 else np.array([last / 2.0])
    below = np.minimum(places.astype(np.intp), max(0, last - 1))
    share = (places - below).reshape(-1, 1, 1)
    above = np.minimum(below + 1, last)
    return np.asarray((1.0 - share) * values[below] + share * values[above])


def _loaded(image: ImageLike) -> NDArray[Any]:
    if isinstance(image, (str, PathLike)):
        if Path(image).is_dir():
            raise ValueError(f"image must be a file; {image} is a folder.")
        return np.asarray(need("imageio.v3", "segmentation", "reading an image").imread(image))
    return np.asarray(image)


def _hint(pixels: NDArray[Any]) -> str:
    channels_first = pixels.ndim == 3 and pixels.shape[0] in (1, 3, 4)
    return " If channels come first, use np.moveaxis(image, 0, -1)." if channels_first else ""
