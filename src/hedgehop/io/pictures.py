# SPDX-License-Identifier: BSD-3-Clause
"""Pictures and arrays from files: pixels of an image, or the array of an .npy or .npz file."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Floats
from hedgehop._arrays import scores as checked_scores
from hedgehop._errors import need, said
from hedgehop.io.arrays import array_of, arrays_of
from hedgehop.io.streams import MAX_BYTES, FilePath

IMAGES = (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff")  # suffixes of what folders are searched for
# What Pillow raises for damaged files, beyond OSError.
_DAMAGE = (SyntaxError, ValueError, IndexError, KeyError, OverflowError, EOFError, struct.error, zlib.error)


def read_picture(path: FilePath) -> NDArray[Any]:
    """Return the pixels of an image file, colours as RGB, or the array of an .npy file."""
    if Path(path).suffix.lower() == ".npy":
        return array_of(path)
    with opened_picture(path) as picture:
        return np.asarray(picture.convert("RGB") if picture.mode in ("P", "CMYK", "YCbCr", "1") else picture)


@contextmanager
def opened_picture(path: FilePath) -> Iterator[Any]:
    """Open an image with Pillow; damaged and giant ones are refused with a sentence."""
    image = need("PIL.Image", "io", "reading images")
    try:
        with image.open(path) as picture:
            yield picture
    except (image.UnidentifiedImageError, *_DAMAGE) as error:
        raise ValueError(f"{path} is not an image that can be read: {said(error)}.") from error
    except image.DecompressionBombError as error:
        raise ValueError(f"{path}: {error}") from error
    except OSError as error:
        if error.errno is not None:  # the disk's own, which names the file
            raise
        raise ValueError(f"{path} is not an image that can be read: {said(error)}.") from error


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
        return checked_scores(array_of(path, max_bytes), "scores")
    if suffix != ".npz":
        raise ValueError(f"scores must be in an .npy or .npz file; got {Path(path).name!r}.")
    arrays = arrays_of(path, max_bytes)
    if "scores" not in arrays and len(arrays) != 1:
        raise ValueError(f"{path} must hold an array 'scores', or one only; it holds {', '.join(sorted(arrays))}.")
    return checked_scores(arrays["scores"] if "scores" in arrays else next(iter(arrays.values())), "scores")
