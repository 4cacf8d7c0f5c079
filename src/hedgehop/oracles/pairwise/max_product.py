# SPDX-License-Identifier: BSD-3-Clause
"""Loopy max-product with messages for distances: the labelings it decodes to on its way (docs/theory.md 6)."""

from __future__ import annotations

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel, Potts
from hedgehop.oracles.folding import not_pairwise
from hedgehop.oracles.pairwise.kernels import edge_tables


def no_messages(model: Model) -> str | None:
    """Return why messages cannot be passed on a model; None if they can."""
    reason = not_pairwise(model)
    if reason is not None:
        return reason
    assert isinstance(model, PairwiseModel)
    return "it cannot forbid pairs of labels" if model.forbids_pairs else None


def decodes(
    model: PairwiseModel, unary: Doubles, references: Labels, tables: Doubles, sweeps: int, damping: float = 0.5
) -> Labels:
    """Labelings after 0, 1, ... sweeps, one a row; ``tables[j]`` is a function of the distance to ``references[j]``."""
    edges = model.edges
    if isinstance(model.pairwise, Potts):
        strengths = np.ascontiguousarray(model.pairwise.strengths, np.float64)
        return _core.max_product_potts(unary, edges, strengths, references, tables, sweeps, damping)
    flat, offsets, columns = edge_tables(model)
    return _core.max_product_tables(
        unary, model.label_counts, edges, flat, offsets, columns, references, tables, sweeps, damping
    )
