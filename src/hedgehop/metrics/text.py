# SPDX-License-Identifier: BSD-3-Clause
"""Measures of text: F1 of chunks or entities, and attachment scores of dependency parses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, integers
from hedgehop.metrics.labels import accuracy

Chunk = tuple[int, int, str]  # first word, one past the last, kind
_PLACES = ("B", "I", "E", "S", "O")


def chunks(labeling: ArrayLike, tags: Sequence[str]) -> list[Chunk]:
    """Return the chunks of a tagging as (first word, one past the last, kind).

    Parameters
    ----------
    labeling : (n,) labels
        One tagging.
    tags : sequence of str
        The tag of each label: "O", or a place and a kind as in "B-NP". The places are those of BIO (B begins, I is
        inside) and of IOBES (E ends, S is single). As in conlleval, a chunk also begins at an I or E that
        continues nothing, and ends before any tag that does not continue it.

    Examples
    --------
    >>> chunks([0, 1, 2, 1], ["O", "B-NP", "I-NP"])
    [(1, 3, 'NP'), (3, 4, 'NP')]
    """
    labels = integers(labeling, "labeling")
    if labels.ndim != 1:
        raise ValueError(f"labeling must be one tagging, (n,); got shape {labels.shape}.")
    parts = [_place_and_kind(tag) for tag in tags]
    if labels.size and not 0 <= labels.min() <= labels.max() < len(parts):
        wrong = int(labels.min() if labels.min() < 0 else labels.max())
        raise ValueError(f"tags must have one entry per label; got {len(parts)} tags and the label {wrong}.")
    found: list[Chunk] = []
    start, open_kind = 0, ""  # an empty kind: no chunk is open
    for i, (place, kind) in enumerate([*(parts[k] for k in labels.tolist()), ("O", "")]):
        continues = place in ("I", "E") and kind == open_kind
        if open_kind and not continues:
            found.append((start, i, open_kind))
            open_kind = ""
        if place != "O" and not open_kind:
            start, open_kind = i, kind
        if place in ("E", "S"):
            found.append((start, i + 1, kind))
            open_kind = ""
    return found


def chunk_counts(labelings: ArrayLike, truth: ArrayLike, tags: Sequence[str]) -> NDArray[np.int64]:
    """Count chunks that are right, found and true, (3,) or (m, 3); sums over sentences go to :func:`f1_of`.

    >>> chunk_counts([[1, 0, 1], [1, 2, 0]], [1, 2, 0], ["O", "B-NP", "I-NP"]).tolist()
    [[0, 2, 1], [1, 1, 1]]
    """
    rows, target = integers(labelings, "labelings"), integers(truth, "truth")
    if rows.shape[-1:] != target.shape or rows.ndim not in (1, 2):
        raise ValueError(f"labelings must have the truth's shape {target.shape}, or (m, ...); got {rows.shape}.")
    right = set(chunks(target, tags))
    listed = [set(chunks(row, tags)) for row in np.atleast_2d(rows)]
    counts = np.array([[len(right & found), len(found), len(right)] for found in listed], np.int64).reshape(-1, 3)
    return counts[0] if rows.ndim == 1 else counts


def chunk_f1(labelings: ArrayLike, truth: ArrayLike, tags: Sequence[str]) -> Any:
    """F1 of the chunks (or entities) of each tagging: a chunk is right if its words and kind are; nan without any.

    Parameters
    ----------
    labelings : (n,) or (m, n) labels
        Taggings of one sentence.
    truth : (n,) labels
        The true tagging.
    tags : sequence of str
        The tag of each label, in BIO or IOBES: see :func:`chunks`.

    Examples
    --------
    >>> tags = ["O", "B-NP", "I-NP", "B-VP"]
    >>> chunk_f1([[1, 2, 3], [1, 3, 3]], [1, 2, 3], tags).tolist()
    [1.0, 0.4]
    """
    return f1_of(chunk_counts(labelings, truth, tags))


def f1_of(counts: ArrayLike) -> Any:
    """F1 from counts (..., 3) of right, found and true chunks: of sentences, or summed over many; nan without any.

    >>> float(f1_of([2, 3, 5]))
    0.5
    """
    table = np.asarray(counts, np.float64)
    if table.shape[-1:] != (3,):
        raise ValueError(f"counts must have shape (..., 3); got {table.shape}.")
    whole = table[..., 1] + table[..., 2]
    share: Doubles = np.divide(2.0 * table[..., 0], whole, out=np.full(whole.shape, np.nan), where=whole > 0)
    return share[()]


def uas(heads: ArrayLike, truth: ArrayLike, count: ArrayLike | None = None) -> Any:
    """Unlabelled attachment score of each parse: the share of words with the right head; nan if no word counts.

    Parameters
    ----------
    heads : (n,) or (m, n) ints
        Heads of the words; of a parse with relations, ``model.split(labelings)[0]``.
    truth : (n,) ints
        The true heads.
    count : (n,) array of bools, optional
        Which words count, such as those that are not punctuation; by default all do.

    Examples
    --------
    >>> uas([[2, 0, 2], [0, 1, 2]], [2, 0, 2]).round(2).tolist()
    [1.0, 0.33]
    """
    return las(heads, np.zeros_like(heads), truth, np.zeros_like(truth), count)


def las(
    heads: ArrayLike,
    relations: ArrayLike,
    true_heads: ArrayLike,
    true_relations: ArrayLike,
    count: ArrayLike | None = None,
) -> Any:
    """Labelled attachment score of each parse: the share of words with the right head and the right relation.

    The arguments are those of :func:`uas`, with the relation of each word to its head.

    >>> las([[2, 0, 2]], [[1, 0, 3]], [2, 0, 2], [1, 0, 1]).round(2).tolist()
    [0.67]
    """
    rows, target = integers(heads, "heads"), integers(true_heads, "truth")
    if np.shape(relations) != rows.shape or np.shape(true_relations) != target.shape:
        raise ValueError(
            f"relations must have the shapes of heads, {rows.shape} and {target.shape}; "
            f"got {np.shape(relations)} and {np.shape(true_relations)}."
        )
    if rows.shape[-1:] != target.shape or rows.ndim not in (1, 2):
        raise ValueError(f"heads must have the truth's shape {target.shape}, or (m, ...); got {rows.shape}.")
    right = (rows == target) & (integers(relations, "relations") == integers(true_relations, "true_relations"))
    known = np.ones(target.shape, bool) if count is None else np.asarray(count, bool)
    if known.shape != target.shape:
        raise ValueError(f"count must have one entry per word, {target.shape}; got {known.shape}.")
    return accuracy(right.astype(np.int64), np.where(known, 1, -1), ignore=-1)


def _place_and_kind(tag: str) -> tuple[str, str]:
    place, _, kind = tag.partition("-")
    if place not in _PLACES or (place == "O") != (tag == "O"):
        raise ValueError(f'tags must be "O", or begin with B-, I-, E- or S-; got {tag!r}.')
    return place, kind or "chunk"
