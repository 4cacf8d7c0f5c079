# SPDX-License-Identifier: BSD-3-Clause
"""How good lists of labelings are: accuracy and intersection over union, of each labeling and of the best in a list.

Labelings are arrays of ints, one of the truth's shape or many stacked along a first axis; one gives a number, many an
array. Positions whose true label is `ignore`, often 255 in label maps, do not count; by default all of them do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, integers, positive_count
from hedgehop._arrays import weights as checked_weights

_MOST_CELLS = 2**28  # of tables of counts: 2 GB


def accuracy(labelings: ArrayLike, truth: ArrayLike, ignore: int | None = None) -> Any:
    """Share of correct labels of each labeling; nan if no true label is known.

    >>> accuracy([[0, 1, 1], [1, 1, 1]], [0, 1, 255], ignore=255).tolist()
    [1.0, 0.5]
    """
    rows, target, single = _known(labelings, truth, ignore)
    shares = _ratio((rows == target).sum(axis=1), np.full(len(rows), target.size))
    return shares[0] if single else shares


def refuse_masks(truth: ArrayLike, ignore: int | None) -> None:
    """Refuse true labels that are all background: most likely masks of 0 and 255, in which 255 is the object."""
    labels = set(np.unique(np.asarray(truth)).tolist())
    if ignore in labels and labels <= {0, ignore}:
        raise ValueError(
            f"truth must have labels of objects; got only 0 and {ignore}, which stands for unknown. "
            f"For a mask of 0 and {ignore}, pass truth > 0."
        )


def best_accuracy(labelings: ArrayLike, truth: ArrayLike, ignore: int | None = None) -> float:
    """Accuracy of the best labeling of a list: the result if a person, or a later stage, always chose it.

    >>> best_accuracy([[0, 0, 1], [1, 1, 1]], [0, 1, 1])
    0.6666666666666666
    """
    return float(np.max(accuracy(labelings, truth, ignore)))


def best_so_far(values: ArrayLike) -> Doubles:
    """For values (..., m) of the labelings of lists, those of the best of the first 1, 2, ..., m.

    >>> best_so_far(accuracy([[0, 0], [1, 1], [0, 1]], [0, 1])).tolist()
    [0.5, 0.5, 1.0]
    """
    return np.maximum.accumulate(np.asarray(values, np.float64), axis=-1)


def confusion(
    labelings: ArrayLike, truth: ArrayLike, n_labels: int | None = None, ignore: int | None = None
) -> NDArray[np.int64]:
    """Count positions by truth (rows) and label (columns), (L, L) or (m, L, L).

    >>> confusion([0, 1, 1], [0, 0, 1]).tolist()
    [[1, 1], [0, 1]]
    """
    rows, target, single = _known(labelings, truth, ignore)
    size = _size(rows, target, n_labels)
    cells = np.arange(len(rows))[:, None] * size * size + target * size + rows
    counts = np.bincount(cells.ravel(), minlength=len(rows) * size * size).reshape(-1, size, size)
    return counts[0] if single else counts


def iou(labelings: ArrayLike, truth: ArrayLike, n_labels: int | None = None, ignore: int | None = None) -> Doubles:
    """Intersection over union of each label, (L,) or (m, L); nan for labels in neither.

    >>> iou([0, 1, 1], [0, 0, 1]).tolist()
    [0.5, 0.5]
    """
    return iou_of(confusion(labelings, truth, n_labels, ignore))


def iou_of(counts: ArrayLike) -> Doubles:
    """Intersection over union of each label from confusion counts (..., L, L): of images, or summed over many.

    >>> iou_of([[3, 1], [0, 2]]).round(2).tolist()
    [0.75, 0.67]
    """
    table = np.asarray(counts)
    if table.ndim < 2 or table.shape[-2] != table.shape[-1]:
        raise ValueError(f"counts must have shape (..., L, L); got {table.shape}.")
    both = np.diagonal(table, axis1=-2, axis2=-1)
    return _ratio(both, table.sum(axis=-1) + table.sum(axis=-2) - both)


def mean_iou(labelings: ArrayLike, truth: ArrayLike, n_labels: int | None = None, ignore: int | None = None) -> Any:
    """Mean over labels of the intersection over union, of each labeling; labels in neither do not count.

    >>> round(float(mean_iou([0, 0, 1], [0, 1, 1])), 3)
    0.5
    """
    each = iou(labelings, truth, n_labels, ignore)
    there = ~np.isnan(each)
    return _ratio(np.where(there, each, 0.0).sum(axis=-1), there.sum(axis=-1))[()]


def best_iou(labelings: ArrayLike, truth: ArrayLike, n_labels: int | None = None, ignore: int | None = None) -> float:
    """Mean intersection over union of the best labeling of a list.

    >>> best_iou([[0, 0, 0], [0, 1, 1]], [0, 1, 1])
    1.0
    """
    return float(np.max(mean_iou(labelings, truth, n_labels, ignore)))


oracle_accuracy, oracle_iou = best_accuracy, best_iou  # as the field calls them; an oracle solves steps here


def corpus_iou(
    lists: Iterable[ArrayLike],
    truths: Iterable[ArrayLike],
    n_labels: int,
    by: Literal["iou", "accuracy"] = "iou",
    ignore: int | None = None,
) -> Doubles:
    """Intersection over union of each label over many images, PASCAL style, with the best labeling of each list, (L,).

    Parameters
    ----------
    lists : iterable of (m, *shape) labels
        One list per image; lengths can differ.
    truths : iterable of arrays
        The true label map of each image.
    n_labels : int
        Number of labels.
    by : "iou" or "accuracy"
        The measure by which the best labeling of an image is chosen.

    Examples
    --------
    >>> corpus_iou([[[0, 0], [0, 1]], [[1, 1]]], [[0, 1], [1, 0]], n_labels=2).round(2).tolist()
    [0.5, 0.67]
    """
    if by not in ("iou", "accuracy"):
        raise ValueError(f'by must be "iou" or "accuracy"; got {by!r}.')
    total = np.zeros((n_labels, n_labels), np.int64)
    for labelings, truth in zip(lists, truths, strict=True):
        rows = np.asarray(labelings)
        each = mean_iou(rows, truth, ignore=ignore) if by == "iou" else accuracy(rows, truth, ignore)
        best = int(np.argmax(each))
        total += confusion(rows[best], truth, n_labels, ignore)
    return iou_of(total)


def coverage(labelings: ArrayLike, truth: ArrayLike, ignore: int | None = None) -> float:
    """Share of positions that at least one labeling of the list gets right.

    >>> coverage([[0, 0, 0], [1, 1, 0]], [0, 1, 1])
    0.6666666666666666
    """
    rows, target, _ = _known(labelings, truth, ignore)
    return float(_ratio((rows == target).any(axis=0).sum(), target.size))


def distances(labelings: ArrayLike, weights: ArrayLike | None = None) -> Doubles:
    """Weighted share of variables in which each two labelings differ, (m, m).

    >>> distances([[0, 0], [0, 1]]).tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """
    stack = integers(labelings, "labelings")
    if stack.ndim < 2:
        raise ValueError(f"labelings must be stacked along a first axis; got shape {stack.shape}.")
    if stack.size == 0:
        raise ValueError(f"labelings must hold at least one labeling of one variable; got shape {stack.shape}.")
    rows = stack.reshape(len(stack), -1)
    each = np.ones(rows.shape[1]) if weights is None else checked_weights(weights, "weights", rows.shape[1])
    if not 0 < each.sum() < np.inf:
        raise ValueError(f"weights must have a positive, finite sum; got {each.sum():g}.")
    shares = np.array([[float(each[a != b].sum()) for b in rows] for a in rows]) / each.sum()
    return np.asarray(shares)


def near_borders(truth: ArrayLike, width: int, ignore: int = 255) -> NDArray[np.int64]:
    """Return the truth with everything farther than `width` pixels from a border between labels set to `ignore`.

    Accuracy against it is the trimap accuracy: how accurate the borders are. Unknown places have borders, too: label
    maps often mark borders as unknown.

    >>> near_borders([[0, 0, 0, 1, 1, 1]], width=1).tolist()
    [[255, 255, 0, 1, 255, 255]]
    """
    from scipy.ndimage import distance_transform_cdt, maximum_filter, minimum_filter

    labels = integers(truth, "truth")
    width = positive_count(width, "width")
    border = minimum_filter(labels, 3, mode="nearest") != maximum_filter(labels, 3, mode="nearest")
    if not border.any():
        return np.full(labels.shape, ignore, np.int64)
    far = distance_transform_cdt(~border, metric="chessboard") >= width
    return np.where(far, ignore, labels)


def _known(
    labelings: ArrayLike, truth: ArrayLike, ignore: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
    """Labelings (m, k) and truth (k,) where the truth is known, and whether there was a single labeling."""
    rows, target = integers(labelings, "labelings"), integers(truth, "truth")
    single = rows.shape == target.shape
    if not single and rows.shape[1:] != target.shape:
        raise ValueError(f"labelings must have the truth's shape {target.shape}, or (m, ...); got {rows.shape}.")
    if not single and len(rows) == 0:
        raise ValueError("labelings must hold at least one labeling; got none.")
    if target.size == 0:
        raise ValueError(f"truth must hold at least one variable; got shape {target.shape}.")
    if ignore is not None and not isinstance(ignore, (int, np.integer)):
        raise TypeError(f"ignore must be a label, or None to ignore nothing; got {ignore!r}.")
    known = np.ones(target.size, bool) if ignore is None else target.ravel() != ignore
    return rows.reshape(-1, target.size)[:, known], target.ravel()[known], single


def _size(rows: NDArray[np.int64], target: NDArray[np.int64], n_labels: int | None) -> int:
    most = int(max(rows.max(initial=0), target.max(initial=0)))
    least = int(min(rows.min(initial=0), target.min(initial=0)))
    size = most + 1 if n_labels is None else positive_count(n_labels, "n_labels")
    if n_labels is not None and len(rows) * size**2 > _MOST_CELLS:
        raise ValueError(f"n_labels must be small enough for a table of all pairs; got {size}.")
    if len(rows) * size**2 > _MOST_CELLS:
        text = f"labels must be few enough for a table of all pairs; got label {most}"
        raise ValueError(f"{text}. Number them 0, 1, 2, ..., or pass ignore={most} if it means unknown.")
    if least < 0 or most >= size:
        wrong = least if least < 0 else most
        raise ValueError(f"labels must be 0..{size - 1}, or ignored in the truth; got {wrong}.")
    return size


def _ratio(part: ArrayLike, whole: ArrayLike) -> Doubles:
    part, whole = np.asarray(part, np.float64), np.asarray(whole, np.float64)
    return np.asarray(np.divide(part, whole, out=np.full(whole.shape, np.nan), where=whole > 0))
