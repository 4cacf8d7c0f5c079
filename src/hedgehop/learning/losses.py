# SPDX-License-Identifier: BSD-3-Clause
"""What a wrong labeling costs while learning: Hamming loss, weighted by class and by variable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels, finite

ClassWeight = str | Mapping[int, float] | ArrayLike | None


def class_costs(class_weight: ClassWeight, truths: Sequence[Labels], n_labels: int) -> Doubles:
    """What missing one variable of each label costs, (L,)."""
    if class_weight is None:
        return np.ones(n_labels)
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f'class_weight must be "balanced", numbers, or None; got {class_weight!r}.')
        counts = np.bincount(np.concatenate(truths), minlength=n_labels)
        return np.asarray(counts.sum() / (np.count_nonzero(counts) * np.maximum(counts, 1)))
    if isinstance(class_weight, Mapping):
        class_weight = [class_weight.get(label, 1.0) for label in range(n_labels)]
    costs = finite(class_weight, "class_weight", shape=(n_labels,))
    if (costs < 0).any():
        raise ValueError(f"class_weight must be >= 0; got {costs.min():g}.")
    return costs


def loss_scores(truth: Labels, costs: Doubles, weights: Any = None) -> Doubles:
    """``Delta(y) = sum_i scores[i, y_i]``: the cost of the right label where y has another one, (n, L)."""
    own = costs[truth] if weights is None else costs[truth] * _arrays.weights(weights, "weights", truth.size)
    scores = np.repeat(own[:, None], costs.size, axis=1)
    scores[np.arange(truth.size), truth] = 0.0
    return scores
