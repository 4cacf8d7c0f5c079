# SPDX-License-Identifier: BSD-3-Clause
"""Loopy max-product with messages for distances: the labelings it decodes to on its way (docs/theory.md 6)."""

from __future__ import annotations

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.base import Model
from hedgehop.models.pairwise import PairwiseModel
from hedgehop.oracles.folding import not_pairwise


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
    return _core.local.max_product(unary, model.pairs, references, tables, sweeps, damping)
