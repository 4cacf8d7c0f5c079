# SPDX-License-Identifier: BSD-3-Clause
"""How far to go in the dual along one direction: exact, with the box inside.

The dual ``D(g) = (l + g dl) - 1/2 |[v + g dv]_+|^2`` is concave in g; its slope ``dl - <[v + g dv]_+, dv>`` falls
piecewise linearly, with a kink where an attractive coordinate changes sign.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles


def best_step(v: Doubles, dv: Doubles, dl: float, attractive: NDArray[np.intp], most: float) -> float:
    """Return the g in [0, most] with the largest dual."""
    inside, along = v[attractive], dv[attractive]
    free = float(v @ dv) - float(inside @ along), float(dv @ dv) - float(along @ along)
    knots = _knots(inside, along, most)
    boxed = np.maximum(0.0, inside + knots[:, None] * along) @ along
    slopes = dl - free[0] - knots * free[1] - boxed
    if slopes[0] <= 0.0:
        return 0.0
    after = int(np.argmax(slopes <= 0.0))  # the slope changes sign between the knots after - 1 and after
    if slopes[after] > 0.0:
        return most
    falls = slopes[after - 1] / (slopes[after - 1] - slopes[after])
    return float(knots[after - 1] + falls * (knots[after] - knots[after - 1]))


def _knots(inside: Doubles, along: Doubles, most: float) -> Doubles:
    """0, the places where a coordinate passes zero, and the end."""
    moving = along != 0.0
    zeros = -inside[moving] / along[moving]
    return np.concatenate([[0.0], np.sort(zeros[(zeros > 0.0) & (zeros < most)]), [most]])
