# SPDX-License-Identifier: BSD-3-Clause
"""Label maps in files: pictures with a palette, as PASCAL VOC has them, or grey, .npy, COCO run lengths, .MAP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import integers
from hedgehop._errors import need, said
from hedgehop.io.arrays import array_of
from hedgehop.io.pictures import opened_picture
from hedgehop.io.runs import decode_runs, encode_runs
from hedgehop.io.streams import MAX_BYTES, FilePath, blocks, complete
from hedgehop.io.uai import SOLUTIONS, read_labeling, write_labeling
from hedgehop.palette import voc_palette

UNKNOWN = 255  # VOC's label of pixels without one


def read_labels(path: FilePath, max_bytes: int = MAX_BYTES) -> NDArray[np.int64]:
    """Read a label map; the suffix says the format.

    Parameters
    ----------
    path : str or path
        A picture with a palette (the numbers count, not the colours), grey (the levels are the labels) or in the
        colours of PASCAL VOC; ``.npy``; ``.json`` (COCO run lengths: one mask, or masks with a ``category_id``; what
        none covers is 255); ``.MAP`` (a UAI solution).
    max_bytes : int
        Refuse files that hold more.

    Examples
    --------
    >>> import tempfile, pathlib, hedgehop as hh
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "labels.json"
    >>> hh.io.write_labels([[0, 2], [2, 255]], file)
    >>> hh.io.read_labels(file).tolist()
    [[0, 2], [2, 255]]
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".npy":
        return integers(array_of(path, max_bytes), "labels")
    if suffix == ".json":
        return _from_runs(path, max_bytes)
    if suffix in SOLUTIONS:
        return read_labeling(path, max_bytes).astype(np.int64)
    with opened_picture(path) as picture:
        pixels = np.asarray(picture.convert("RGB") if picture.mode in ("RGBA", "CMYK", "YCbCr") else picture)
    return pixels.astype(np.int64) if pixels.ndim == 2 else _from_colors(pixels, path)


def write_labels(labels: ArrayLike, path: FilePath) -> None:
    """Write a label map (H, W); the suffix says the format, see :func:`read_labels`.

    A ``.png`` has VOC's palette for labels up to 255, and 16-bit grey levels for more; in ``.json`` files 255 is no
    label: such pixels are in no mask.
    """
    values, suffix = integers(labels, "labels"), Path(path).suffix.lower()
    if suffix in SOLUTIONS:
        write_labeling(values, path)
        return
    writers = {".npy": _write_array, ".json": _write_runs, ".png": _write_picture}
    if suffix not in writers:
        raise ValueError(f"labels are written as {', '.join(writers)} or .MAP; got {Path(path).name!r}.")
    if suffix != ".npy" and (values.ndim != 2 or values.size == 0):
        raise ValueError(f"labels must have shape (H, W); got {values.shape}. Use an .npy file for others.")
    if values.size and values.min() < 0:
        raise ValueError(f"labels must be >= 0; got {values.min()}.")
    writers[suffix](values, path)


def _write_array(labels: NDArray[np.int64], path: FilePath) -> None:
    with complete(path) as file:
        np.save(file, labels.astype(np.int32))


def _write_picture(labels: NDArray[np.int64], path: FilePath) -> None:
    image = need("PIL.Image", "io", "writing images")
    if labels.max() > 65535:
        raise ValueError(f"a .png file holds labels up to 65535; got {labels.max()}. Use an .npy file.")
    picture = image.fromarray(labels.astype(np.uint8 if labels.max() < 256 else np.uint16))
    if labels.max() < 256:
        picture = picture.convert("P")
        picture.putpalette(voc_palette().ravel().tolist())
    with complete(path) as file:
        picture.save(file, format="png")


def _write_runs(labels: NDArray[np.int64], path: FilePath) -> None:
    there = [label for label in np.unique(labels).tolist() if label != UNKNOWN]
    masks: list[dict[str, Any]] = [
        {"category_id": label, "segmentation": encode_runs(labels == label)} for label in there
    ]
    empty = encode_runs(np.zeros(labels.shape, bool))  # says the size where there is no label at all
    with complete(path) as file:
        file.write(json.dumps(masks or [{"category_id": 0, "segmentation": empty}]).encode())


def _from_runs(path: FilePath, max_bytes: int) -> NDArray[np.int64]:
    try:
        found = json.loads(b"".join(blocks(path, max_bytes)))
        if isinstance(found, dict) and "counts" in found:
            return decode_runs(found).astype(np.int64)
        records = found["annotations"] if isinstance(found, dict) else found
        masks = [(int(record["category_id"]), decode_runs(record["segmentation"])) for record in records]
        labels = np.full(masks[0][1].shape, UNKNOWN, np.int64)
        for label, mask in masks:
            labels[mask] = label
    except (KeyError, TypeError, ValueError, IndexError, OverflowError, RecursionError) as error:
        raise ValueError(f"{path} must hold COCO run lengths of masks of one image: {said(error)}.") from error
    return labels


def _from_colors(pixels: NDArray[Any], path: FilePath) -> NDArray[np.int64]:
    """Labels of pixels in VOC's colours."""
    if pixels.ndim != 3 or pixels.shape[2] != 3:
        raise ValueError(f"{path} must hold one number a pixel, or RGB; got shape {pixels.shape}.")
    codes = pixels.astype(np.int64) @ (65536, 256, 1)
    known = voc_palette().astype(np.int64) @ (65536, 256, 1)
    order = np.argsort(known)
    place = np.minimum(np.searchsorted(known[order], codes), known.size - 1)
    labels = order[place]
    strange = known[labels] != codes
    if strange.any():
        color = tuple(pixels[strange][0].tolist())
        raise ValueError(f"{path} has the colour {color}, which is no label of PASCAL VOC. Save it with a palette.")
    return labels
