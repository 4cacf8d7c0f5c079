# SPDX-License-Identifier: BSD-3-Clause
"""What can be said about each labeling of a list without the truth: features for choosing one."""

from __future__ import annotations

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop.lists.result import DiverseList

FEATURE_NAMES = (
    "rank",  # in the list, from 0
    "gap",  # relevance below the best, per variable
    "probability",  # that it is the nearest one to the truth
    "expected overlap",  # intersection over union, as in found.choose
    "expected accuracy",
    "similarity",  # expected, to what the truth may be
    "worst label",  # expected overlap of its worst label
    "distance to first",
    "distance to rest",
    "labels more",  # than the first
    "labels added",
    "labels removed",
    "label 0 more",  # its share, against that of the first
    "largest share",  # of a label
    "sure of changes",  # mean probability of its labels where it differs from the first
    "sure of first",  # mean probability of the first one's labels there
)


def list_features(found: DiverseList) -> Doubles:
    """Return features of each labeling, (m, len(FEATURE_NAMES))."""
    uncertainty = found._live_uncertainty
    rows, possible = uncertainty.members, uncertainty.possible
    weights = possible.weights / possible.weights.sum()
    changed = rows != rows[0]
    shares = _shares(rows, weights, possible.n_labels)
    there = shares > 0
    changed_area = np.maximum(changed @ weights, np.finfo(float).tiny)
    chosen = possible.marginals[np.arange(rows.shape[1]), rows]
    distances = np.array([(rows != row) @ weights for row in rows])
    columns = (
        np.arange(len(rows)),
        (found.relevance.max() - found.relevance) / rows.shape[1],
        found.probabilities,
        1.0 - uncertainty.choose(found.labelings, "iou", "list").losses,
        chosen @ weights,
        possible.similarities(rows) @ possible.chances,
        _worst(rows, possible.marginals, weights),
        distances[0],
        distances.sum(axis=1) / max(1, len(rows) - 1),
        there.sum(axis=1) - there[0].sum(),
        (there & ~there[0]).sum(axis=1),
        (~there & there[0]).sum(axis=1),
        shares[:, 0] - shares[0, 0],
        shares.max(axis=1),
        np.where(changed.any(axis=1), (changed * chosen) @ weights / changed_area, 0.5),
        np.where(changed.any(axis=1), (changed * chosen[0]) @ weights / changed_area, 0.5),
    )
    return np.stack([np.asarray(column, np.float64) for column in columns], axis=1)


def _shares(rows: Labels, weights: Doubles, n_labels: int) -> Doubles:
    """Share of each label in each labeling, (m, L)."""
    return np.array([np.bincount(row, weights, n_labels) for row in rows])


def _worst(rows: Labels, marginals: Doubles, weights: Doubles) -> Doubles:
    """Expected overlap of the worst label that a labeling has, (m,)."""
    worst = np.ones(len(rows))
    expected = weights @ marginals
    for label in np.unique(rows).tolist():
        here = (rows == label).astype(np.float64)
        both, area = here @ (weights * marginals[:, label]), here @ weights
        union = np.maximum(area + expected[label] - both, np.finfo(float).tiny)
        worst = np.where(area > 0, np.minimum(worst, both / union), worst)
    return worst
