# SPDX-License-Identifier: BSD-3-Clause
"""The dual of the training problem over the planes met so far, as a quadratic program.

::

    max_a sum_p a_p loss_p - 1/2 |w|^2,   w = [sum_p a_p change_p]_+,   a >= 0,   sum_{p of block b} a_p <= C

[.]_+ clips attractive weights at zero. It is written with multipliers m >= 0 of the box:
``1/2 |[v]_+|^2 = min_m 1/2 |v + m|^2``. Any allowed a bounds the optimum from below.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from hedgehop._arrays import Doubles
from hedgehop._errors import need


def best_mixture(
    changes: scipy.sparse.csr_matrix, losses: Doubles, blocks: NDArray[np.intp], C: float, attractive: NDArray[np.intp]
) -> Doubles:
    """Return how much of each plane, (m,), for changes (m, size), losses (m,), and blocks (m,) that share budgets C.

    The columns `attractive` have the box.
    """
    clarabel = need("clarabel", "learning", "this solver of StructuredSVM")
    m, k = len(losses), attractive.size
    box = scipy.sparse.identity(changes.shape[1], format="csr")[attractive]
    rows = scipy.sparse.vstack([changes, box], format="csr")
    unit = float(max(1e-300, np.abs(changes.data).max(initial=0.0) ** 2 * C))  # keeps the numbers near one
    products = scipy.sparse.triu(rows @ rows.T * (C / unit), format="csc")
    budget = scipy.sparse.csr_matrix((np.ones(m), (blocks, np.arange(m))), shape=(int(blocks.max()) + 1, m + k))
    limits = scipy.sparse.vstack([budget, -scipy.sparse.identity(m + k)], format="csc")
    sides = np.concatenate([np.ones(budget.shape[0]), np.zeros(m + k)])
    goal = np.concatenate([-losses / unit, np.zeros(k)])
    solver = clarabel.DefaultSolver(
        products, goal, limits, sides, [clarabel.NonnegativeConeT(len(sides))], _settings(clarabel)
    )
    share = np.maximum(0.0, np.array(solver.solve().x[:m]))
    spent = np.bincount(blocks, share)
    return np.asarray(C * share / np.maximum(1.0, spent)[blocks])


def _settings(clarabel: Any) -> Any:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-9
    return settings
