# SPDX-License-Identifier: BSD-3-Clause
"""Masks as COCO run lengths: counts of 0, of 1, of 0, ... down the columns, as numbers or packed into a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop.io.file_access import damage_as

_MOST_PIXELS = 2**28
_MOST_LETTERS = 13  # of five bits, which hold 64


def encode_runs(mask: ArrayLike) -> dict[str, Any]:
    """Return a mask (H, W) as COCO's ``{"size": [H, W], "counts": text}``.

    Examples
    --------
    >>> import hedgehop as hh
    >>> packed = hh.io.encode_runs([[0, 1, 1], [0, 1, 0]])
    >>> packed
    {'size': [2, 3], 'counts': '231'}
    >>> hh.io.decode_runs(packed).astype(int).tolist()
    [[0, 1, 1], [0, 1, 0]]
    """
    pixels = np.asarray(mask).astype(bool)
    if pixels.ndim != 2:
        raise ValueError(f"mask must have shape (H, W); got {pixels.shape}.")
    flat = pixels.ravel(order="F")
    changes = np.flatnonzero(np.diff(flat)) + 1
    starts = np.concatenate([[0] if flat[:1].any() else [], [0], changes, [flat.size]]).astype(np.int64)
    return {"size": [int(size) for size in pixels.shape], "counts": _packed(np.diff(starts))}


def decode_runs(runs: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Return the mask (H, W) of COCO's run lengths, packed or as a list of counts."""
    with damage_as("run lengths must have a size [H, W] and counts, text or numbers"):
        height, width = (int(size) for size in runs["size"])
        counts = runs["counts"]
        lengths = _unpacked(counts) if isinstance(counts, (str, bytes)) else np.asarray(counts, np.int64)
    if height < 0 or width < 0 or height * width > _MOST_PIXELS:
        raise ValueError(f"run lengths must have at most {_MOST_PIXELS} pixels; got {height} x {width}.")
    if lengths.ndim != 1 or (lengths < 0).any() or lengths.astype(float).sum() != height * width:
        raise ValueError(f"run lengths must add up to {height} x {width} pixels; they do not.")
    values = np.arange(lengths.size) % 2 == 1
    return np.repeat(values, lengths).reshape((height, width), order="F")


def _packed(counts: NDArray[np.int64]) -> str:
    """Differences to the last but one count, each in letters of five bits, the last without the sixth bit."""
    values = counts.copy()
    values[3:] -= counts[1:-2]
    letters, wanted = np.zeros((values.size, _MOST_LETTERS), np.uint8), np.zeros((values.size, _MOST_LETTERS), bool)
    unfinished = np.ones(values.size, bool)
    for k in range(_MOST_LETTERS):
        bits = values & 31
        values >>= 5
        further = np.where(bits & 16, values != -1, values != 0)
        letters[:, k] = bits + 32 * further + 48
        wanted[:, k] = unfinished
        unfinished &= further
    return letters[wanted].tobytes().decode("ascii")


def _unpacked(text: str | bytes) -> NDArray[np.int64]:
    data = text.encode("ascii") if isinstance(text, str) else text
    codes = np.frombuffer(data, np.uint8).astype(np.int64) - 48
    if codes.size == 0:
        return codes
    last = np.flatnonzero((codes & 32) == 0)
    if ((codes < 0) | (codes > 63)).any() or last.size == 0 or last[-1] != codes.size - 1:
        raise ValueError("the text of the counts is damaged")
    starts = np.concatenate([[0], last[:-1] + 1])
    sizes = last - starts + 1
    if sizes.max() >= _MOST_LETTERS:
        raise ValueError("a count is too large")
    shifts = 5 * (np.arange(codes.size) - np.repeat(starts, sizes))
    values = np.add.reduceat((codes & 31) << shifts, starts)
    values -= np.where(codes[last] & 16, np.int64(1) << (5 * sizes), 0)
    values[1::2] = np.cumsum(values[1::2])
    values[2::2] = np.cumsum(values[2::2])
    return values
