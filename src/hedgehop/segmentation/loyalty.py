# SPDX-License-Identifier: BSD-3-Clause
"""Staying close to a segmentation somebody has chosen, except where new strokes contradict it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, integers
from hedgehop.segmentation.canvas import Canvas
from hedgehop.segmentation.graph import path_lengths
from hedgehop.segmentation.images import nearest

_REACH = 4.0  # of a contradicting stroke, in mean steps of colour between neighbours
_HOP = 0.2  # what a step costs at least, so that a stroke does not reach through all of a plain wall


def loyalty(canvas: Canvas, around: ArrayLike, seeds: NDArray[np.int64], n_labels: int) -> Doubles:
    """Return what each label of each superpixel gains for agreeing with a segmentation, (n, L), 0..1.

    A stroke that contradicts the segmentation frees what is near and looks alike: there the gain is
    ``1 - exp(-d / reach)``, d the length of the shortest path of colours to such a stroke.
    """
    chosen = _on_superpixels(canvas, around, n_labels)
    gain = np.where(chosen >= 0, 1.0, 0.0)
    contradicted = (seeds >= 0) & (chosen >= 0) & (seeds != chosen)
    if contradicted.any():
        starts = np.where(contradicted, 0, -1)
        far = path_lengths(canvas.graph, canvas.graph.steps + _HOP, starts, 1)[:, 0]
        gain *= 1.0 - np.exp(-far / _REACH)
    result = np.zeros((chosen.size, n_labels))
    result[np.arange(chosen.size), np.maximum(chosen, 0)] = gain
    return result


def _on_superpixels(canvas: Canvas, around: ArrayLike, n_labels: int) -> NDArray[np.int64]:
    """Return the commonest label of each superpixel, (n,); -1 where nothing is known."""
    labels = integers(around, "around")
    if labels.shape != canvas.shape:
        raise ValueError(
            f"around must have the image's shape {canvas.shape}; got {labels.shape}. Give one of the candidates."
        )
    if labels.size and labels.max() >= n_labels:
        raise ValueError(
            f"around must hold labels that have strokes, 0..{n_labels - 1}, or -1 for unknown; got {labels.max()}."
        )
    cells = canvas.parts.segments.ravel().astype(np.int64) * (n_labels + 1)
    cells += np.maximum(nearest(labels, canvas.small).ravel(), -1) + 1
    votes = np.bincount(cells, minlength=canvas.parts.count * (n_labels + 1))
    return np.asarray(votes.reshape(-1, n_labels + 1).argmax(axis=1) - 1)
