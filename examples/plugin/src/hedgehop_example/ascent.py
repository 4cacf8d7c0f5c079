# SPDX-License-Identifier: BSD-3-Clause
"""An oracle: coordinate ascent. It is rarely exact, but its bound is never wrong."""

import numpy as np

import hedgehop as hh
from hedgehop.models import PairwiseModel
from hedgehop.oracles.folding import fold, kinds
from hedgehop.potentials import total_value


class Ascent(hh.Oracle):
    """Coordinate ascent from the best label of each variable."""

    name = "ascent"
    summary = "coordinate ascent; not exact, with a simple bound, for linear potentials"

    def refusal(self, model, potentials):
        """Refuse what has more than unary and pairwise scores, and potentials that are not linear."""
        if not isinstance(model, PairwiseModel) or model.cliques:
            return f"{type(model).__name__} has more than unary and pairwise scores"
        _, _, rest = fold(model, potentials)
        return f"it handles linear potentials only, not {kinds(rest)}" if rest else None

    def maximize(self, model, potentials):
        """Change one variable at a time until nothing improves."""
        theta, constant, _ = fold(model, potentials)
        unary = model.unary if theta is None else model.unary + theta
        labeling, before = unary.argmax(axis=1).astype(np.int32), None
        while before is None or (labeling != before).any():
            before = labeling
            for i in range(model.n_variables):
                labeling = self._best_at(model, potentials, labeling, i)
        sizes = model.label_counts[model.edges]
        joint = sum(model.pairwise.table(e, a, b).max() for e, (a, b) in enumerate(sizes))
        return self.step(model, labeling, potentials, constant + unary.max(axis=1).sum() + joint)

    @staticmethod
    def _best_at(model, potentials, labeling, i):
        tries = np.repeat(labeling[None], model.label_counts[i], axis=0)
        tries[:, i] = np.arange(model.label_counts[i])
        return tries[np.argmax(model.score(tries) + total_value(model, potentials, tries))]
