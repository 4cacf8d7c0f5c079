# SPDX-License-Identifier: BSD-3-Clause
"""Label maps in files: pictures with a palette, as PASCAL VOC has them, or grey, .npy, COCO run lengths, .MAP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import integers
from hedgehop._errors import need
from hedgehop.io.archives import read_array
from hedgehop.io.file_access import MAX_BYTES, FilePath, atomic_write, damage_as, read_blocks, write_text
from hedgehop.io.formats.uai import SOLUTION_SUFFIXES, read_labeling, write_labeling
from hedgehop.io.images import open_image
from hedgehop.io.run_lengths import decode_runs, encode_runs
from hedgehop.palette import voc_palette

_UNLABELLED = 255  # VOC's label of pixels without one


def read_labels(path: FilePath, max_bytes: int = MAX_BYTES) -> NDArray[np.int64]:
    """Read a label map; the suffix determines the format.

    Parameters
    ----------
    path : str or path
        A picture with a palette (the numbers count, not the colours), grey (the levels are the labels) or in the
        colours of PASCAL VOC; ``.npy``; ``.json`` (COCO run lengths: one mask, or masks with a ``category_id``; pixels
        outside all masks are 255); ``.MAP`` (a UAI solution).
    max_bytes : int
        Refuse larger files.

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
        return integers(read_array(path, max_bytes), "labels")
    if suffix == ".json":
        return _from_runs(path, max_bytes)
    if suffix in SOLUTION_SUFFIXES:
        return read_labeling(path, max_bytes).astype(np.int64)
    with open_image(path) as picture:
        pixels = np.asarray(picture.convert("RGB") if picture.mode in ("RGBA", "CMYK", "YCbCr") else picture)
    return pixels.astype(np.int64) if pixels.ndim == 2 else _from_colors(pixels, path)


def write_labels(labels: ArrayLike, path: FilePath) -> None:
    """Write a label map (H, W); the suffix determines the format, see :func:`read_labels`.

    A ``.png`` has VOC's palette for labels up to 255, and 16-bit grey levels for more; in ``.json`` files 255 is not a
    label: such pixels are in no mask.
    """
    values, suffix = integers(labels, "labels"), Path(path).suffix.lower()
    if suffix in SOLUTION_SUFFIXES:
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
    with atomic_write(path) as file:
        np.save(file, labels.astype(np.int32))


def _write_picture(labels: NDArray[np.int64], path: FilePath) -> None:
    image = need("PIL.Image", "io", "writing images")
    if labels.max() > 65535:
        raise ValueError(f"a .png file holds labels up to 65535; got {labels.max()}. Use an .npy file.")
    picture = image.fromarray(labels.astype(np.uint8 if labels.max() < 256 else np.uint16))
    if labels.max() < 256:
        picture = picture.convert("P")
        picture.putpalette(voc_palette().ravel().tolist())
    with atomic_write(path) as file:
        picture.save(file, format="png")


def _write_runs(labels: NDArray[np.int64], path: FilePath) -> None:
    there = [label for label in np.unique(labels).tolist() if label != _UNLABELLED]
    masks: list[dict[str, Any]] = [
        {"category_id": label, "segmentation": encode_runs(labels == label)} for label in there
    ]
    empty = encode_runs(np.zeros(labels.shape, bool))  # says the size if there is no label at all
    write_text(path, json.dumps(masks or [{"category_id": 0, "segmentation": empty}]))


def _from_runs(path: FilePath, max_bytes: int) -> NDArray[np.int64]:
    text = b"".join(read_blocks(path, max_bytes))
    with damage_as(f"{path} must hold COCO run lengths of masks of one image"):
        found = json.loads(text)
        if isinstance(found, dict) and "counts" in found:
            return decode_runs(found).astype(np.int64)
        records = found["annotations"] if isinstance(found, dict) else found
        masks = [(int(record["category_id"]), decode_runs(record["segmentation"])) for record in records]
        labels = np.full(masks[0][1].shape, _UNLABELLED, np.int64)
        for label, mask in masks:
            labels[mask] = label
        return labels


def _from_colors(pixels: NDArray[Any], path: FilePath) -> NDArray[np.int64]:
    """Labels of pixels in VOC's colours."""
    if pixels.ndim != 3 or pixels.shape[2] != 3:
        raise ValueError(f"{path} must hold one number per pixel, or RGB; got shape {pixels.shape}.")
    codes = pixels.astype(np.int64) @ (65536, 256, 1)
    known = voc_palette().astype(np.int64) @ (65536, 256, 1)
    order = np.argsort(known)
    place = np.minimum(np.searchsorted(known[order], codes), known.size - 1)
    labels = order[place]
    strange = known[labels] != codes
    if strange.any():
        color = tuple(pixels[strange][0].tolist())
        raise ValueError(f"{path} has the colour {color}, which is not a PASCAL VOC label. Save it with a palette.")
    return labels
