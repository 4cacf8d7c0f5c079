# SPDX-License-Identifier: BSD-3-Clause
"""Strokes on an image: checked, laid on superpixels, read from painted pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import integers
from hedgehop.segmentation.superpixels import Superpixels


def check_scribbles(scribbles: ArrayLike, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return strokes as labels, (H, W): label k-1 where k was painted, -1 elsewhere."""
    strokes = integers(scribbles, "scribbles")
    if strokes.shape != shape:
        raise ValueError(
            f"scribbles must have the image's shape {shape}; got {strokes.shape}. Paint on the image itself, or turn "
            "a coloured picture into labels with hh.segmentation.from_colors."
        )
    if not (strokes > 0).any():
        raise ValueError(
            "scribbles must mark something: 0 is unknown, 1 background, 2 the object, k label k-1; got no stroke."
        )
    if strokes.max() > 255:
        raise ValueError(f"scribbles must name labels 1..255; got {strokes.max()}.")
    if strokes.max() == 1:
        raise ValueError("scribbles must mark an object (2, 3, ...); got strokes of the background (1) only.")
    return np.where(strokes > 0, strokes - 1, -1)


def lay_on(parts: Superpixels, strokes: NDArray[np.int64], n_labels: int) -> NDArray[np.int64]:
    """Return the label of each scribbled superpixel, (n,), -1 for the others.

    Where strokes disagree the majority wins; a label that loses everywhere gets the superpixel where it is strongest.
    """
    touched = strokes >= 0
    cells = parts.segments[touched].astype(np.int64) * n_labels + strokes[touched]
    votes = np.bincount(cells, minlength=parts.count * n_labels).reshape(parts.count, n_labels)
    seeds = np.where(votes.any(axis=1), votes.argmax(axis=1), -1)
    for label in np.flatnonzero(votes.any(axis=0)):
        if not (seeds == label).any():
            _give_a_place(seeds, votes, int(label))
    return seeds


def _give_a_place(seeds: NDArray[np.int64], votes: NDArray[np.int64], label: int) -> None:
    own = int(votes[:, label].argmax())
    rival = int(seeds[own])
    if (seeds == rival).sum() == 1:
        raise ValueError(
            f"scribbles {rival + 1} and {label + 1} must not share one superpixel; they do. Draw longer strokes, or "
            "use more segments."
        )
    seeds[own] = label


def from_colors(
    picture: ArrayLike, colors: Mapping[int, Sequence[int]] | None = None, tolerance: int = 60
) -> NDArray[np.int64]:
    """Read strokes from a painted picture: by default blue is background (1) and red the object (2).

    Parameters
    ----------
    picture : (H, W, 3) or (H, W, 4) array of 8 bit numbers
        Strokes in plain colours.
    colors : mapping of int to RGB, optional
        The colour of each stroke.
    tolerance : int
        How far every channel may be off, as in compressed files.

    Examples
    --------
    >>> import numpy as np
    >>> from_colors(np.array([[[255, 0, 0], [255, 255, 255], [0, 0, 255]]], np.uint8)).tolist()
    [[2, 0, 1]]
    """
    pixels = integers(picture, "picture")
    if pixels.ndim != 3 or pixels.shape[2] not in (3, 4):
        raise ValueError(f"picture must have shape (H, W, 3) or (H, W, 4); got {pixels.shape}.")
    strokes, plain = np.zeros(pixels.shape[:2], np.int64), 0
    for label, color in (colors or {1: (0, 0, 255), 2: (255, 0, 0)}).items():
        off = np.abs(pixels[..., :3] - np.asarray(color)).max(axis=-1)
        strokes[off <= tolerance] = label
        plain += int((off <= tolerance // 3).sum())
    if plain < 0.5 * (strokes > 0).sum():  # reds and blues of a photograph are of all shades
        raise ValueError(
            "picture must show strokes in plain colours; got shades of them, as photographs have. Give the picture "
            "with the strokes, not the image."
        )
    return strokes
