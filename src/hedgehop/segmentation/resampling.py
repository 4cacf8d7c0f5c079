# SPDX-License-Identifier: BSD-3-Clause
"""Class scores at the size of the image, whatever the network's resolution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles

Scores = NDArray[np.floating]


def resample(scores: Scores, shape: tuple[int, int]) -> Doubles:
    """Return (h, w, L) scores at another size (H, W, L): linear between the nearest four, corners on corners.

    This is "align corners" of other libraries. A label is forbidden (-inf) where the nearby scores that forbid it
    weigh more than half; elsewhere the others alone count.

    >>> import numpy as np
    >>> resample(np.array([[[0.0], [2.0]]]), (1, 5))[0, :, 0].tolist()
    [0.0, 0.5, 1.0, 1.5, 2.0]
    """
    if scores.shape[:2] == shape:
        return scores.astype(np.float64)
    forbidden = np.isneginf(scores)
    if not forbidden.any():
        return _at_size(scores, shape)
    return mean_of_allowed(_at_size(np.where(forbidden, 0.0, scores), shape), _at_size(~forbidden, shape))


def mean_of_allowed(total: Doubles, allowed: Doubles) -> Doubles:
    """Means from sums in which forbidden scores are zero, and the weight of the allowed ones; -inf below one half."""
    enough = allowed >= 0.5 - 1e-9
    return np.where(enough, total / np.where(enough, allowed, 1.0), -np.inf)


def _at_size(values: NDArray[np.generic], shape: tuple[int, int]) -> Doubles:
    rows = _blend(values.astype(np.float64), shape[0])
    return np.ascontiguousarray(_blend(rows.swapaxes(0, 1), shape[1]).swapaxes(0, 1))


def _blend(values: Doubles, size: int) -> Doubles:
    """Interpolate along the first axis."""
    last = len(values) - 1
    places = np.linspace(0.0, last, size) if size > 1 else np.array([last / 2.0])
    below = np.minimum(places.astype(np.intp), max(0, last - 1))
    share = (places - below).reshape(-1, 1, 1)
    above = np.minimum(below + 1, last)
    return np.asarray((1.0 - share) * values[below] + share * values[above])
