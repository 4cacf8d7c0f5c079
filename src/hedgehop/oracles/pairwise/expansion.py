# SPDX-License-Identifier: BSD-3-Clause
"""Expansion moves: multi-label models with weights for used labels and whole regions (docs/theory.md 11)."""

from __future__ import annotations

from hedgehop import _core
from hedgehop._arrays import Labels
from hedgehop.oracles.pairwise.moves import MoveOracle


class Expansion(MoveOracle):
    """Expansion moves: any set of variables may change to one label, the best set by a minimum cut.

    Parameters
    ----------
    rounds : int
        How often each label is tried at most.
    bound_rounds : int
        How often the multipliers of the bound are improved.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> image = hh.Grid(np.random.default_rng(0).normal(size=(8, 8, 3)), smoothness=0.3)
    >>> costs = hh.potentials.LabelWeights([-50.0, 0.0, -50.0])
    >>> np.unique(hh.best(image, costs, oracle=hh.oracles.Expansion()).labeling)
    array([1], dtype=int32)
    """

    name = "expansion"
    summary = "expansion moves for pairwise models with weights of labels and regions, of any sign; with a bound"
    handles = "labels and regions"

    def improved(self, moves: _core.moves.Moves, labeling: Labels) -> Labels:
        """Expand every label in turn until none helps."""
        return moves.expand(labeling, None, self.rounds)[0]
