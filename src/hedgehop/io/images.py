# SPDX-License-Identifier: BSD-3-Clause
"""Images in files, and what comes with them: strokes of a user, scores of a network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Floats, integers
from hedgehop._arrays import scores as checked_scores
from hedgehop._errors import need
from hedgehop.io.archives import read_array, read_arrays
from hedgehop.io.file_access import MAX_BYTES, FilePath, damage_as

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff")  # of what folders are searched for
_STROKE_MODES = ("P", "L", "I", "I;16", "RGB", "RGBA")  # of pictures whose numbers or colours are taken as they are
_MOST_STROKE_NUMBERS = 64


@contextmanager
def open_image(path: FilePath) -> Iterator[Any]:
    """Open an image with Pillow; damaged and giant ones are refused with an error message."""
    image = need("PIL.Image", "io", "reading images")
    with damage_as(f"{path} is not an image that can be read"), image.open(path) as picture:
        yield picture


def read_image(path: FilePath) -> NDArray[Any]:
    """Return the pixels of an image file, colours as RGB, or the array of an .npy file."""
    if Path(path).suffix.lower() == ".npy":
        return read_array(path)
    with open_image(path) as picture:
        return np.asarray(picture.convert("RGB") if picture.mode in ("P", "CMYK", "YCbCr", "1") else picture)


def read_strokes(path: FilePath, swap: bool = False) -> NDArray[np.int64]:
    """Return strokes as numbers, (H, W): those of an indexed or grey picture or an array, or by colour.

    Parameters
    ----------
    path : str or path
        0 is unknown, 1 background, 2 the object; or blue is background and red the object.
    swap : bool
        Whether 1 is the object and 2 the background instead.
    """
    from hedgehop.segmentation.stroke_colors import from_colors  # half a second that reading a model need not wait for

    if Path(path).suffix.lower() == ".npy":
        strokes = integers(read_array(path), "strokes")
    else:
        with open_image(path) as picture:
            pixels = np.asarray(picture if picture.mode in _STROKE_MODES else picture.convert("RGB"))
        strokes = from_colors(pixels) if pixels.ndim == 3 else pixels.astype(np.int64)
    if (count := len(np.unique(strokes))) > _MOST_STROKE_NUMBERS:
        raise ValueError(
            f"{path} must contain only a few kinds of strokes; got {count} different numbers, as in a photograph."
        )
    return np.where(strokes == 1, 2, np.where(strokes == 2, 1, strokes)) if swap else strokes


def read_scores(path: FilePath, max_bytes: int = MAX_BYTES) -> Floats:
    """Read scores, labels last, from an .npy file, or from the array ``scores`` (or the only one) of an .npz file.

    Examples
    --------
    >>> import tempfile, pathlib, numpy as np, hedgehop as hh
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "scores.npy"
    >>> np.save(file, np.zeros((4, 5, 2)))
    >>> hh.Grid(hh.io.read_scores(file))
    Grid(4 x 5, 2 labels, connectivity 4)
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".npy":
        return checked_scores(read_array(path, max_bytes), "scores")
    if suffix != ".npz":
        raise ValueError(f"scores must be in an .npy or .npz file; got {Path(path).name!r}.")
    arrays = read_arrays(path, max_bytes)
    if "scores" not in arrays and len(arrays) != 1:
        raise ValueError(f"{path} must hold an array 'scores', or one only; it holds {', '.join(sorted(arrays))}.")
    return checked_scores(arrays["scores"] if "scores" in arrays else next(iter(arrays.values())), "scores")
