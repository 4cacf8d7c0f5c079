# SPDX-License-Identifier: BSD-3-Clause
"""Label maps as runs: what the page decodes in a few lines, and what is kept of lists."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


def to_runs(labels: NDArray[np.integer[Any]]) -> list[int]:
    """Return label, length, label, length, ... row by row.

    >>> to_runs(np.array([[0, 0, 1], [1, 1, 0]]))
    [0, 2, 1, 3, 0, 1]
    """
    flat = labels.ravel()
    starts = np.concatenate([[0], np.flatnonzero(np.diff(flat)) + 1])
    lengths = np.diff(np.concatenate([starts, [flat.size]]))
    return [int(x) for x in np.stack([flat[starts], lengths], axis=1).ravel()]


def from_runs(runs: list[int], shape: tuple[int, int], n_labels: int) -> NDArray[np.uint8]:
    """Return the (h, w) label map, or raise ValueError."""
    if len(runs) % 2:
        raise ValueError("runs must be pairs of a label and a length")
    pairs = np.asarray(runs, np.int64).reshape(-1, 2)
    labels, lengths = pairs[:, 0], pairs[:, 1]
    size = shape[0] * shape[1]
    if (lengths < 1).any() or (lengths > size).any() or int(lengths.sum()) != size:
        raise ValueError(f"runs must cover {size} pixels")
    if (labels < 0).any() or (labels >= n_labels).any():
        raise ValueError(f"runs must hold labels 0..{n_labels - 1}")
    return np.repeat(labels.astype(np.uint8), lengths).reshape(shape)


@dataclass(frozen=True)
class PackedLabels:
    """A label map, compressed: lists are kept for undo and export."""

    data: bytes
    shape: tuple[int, int]

    @staticmethod
    def of(labels: NDArray[np.integer[Any]]) -> PackedLabels:
        """Pack an (h, w) map of labels below 256."""
        return PackedLabels(zlib.compress(labels.astype(np.uint8).tobytes(), 1), (labels.shape[0], labels.shape[1]))

    def labels(self) -> NDArray[np.uint8]:
        """Unpack."""
        return np.frombuffer(zlib.decompress(self.data), np.uint8).reshape(self.shape)
