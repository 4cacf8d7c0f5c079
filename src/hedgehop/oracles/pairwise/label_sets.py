# SPDX-License-Identifier: BSD-3-Clause
"""Which labels to do without if they cost something: message passing with fewer and fewer of them.

For a given set of labels their costs are a constant, and messages nearly solve what is left. So the search is one over
sets: each label, the rarest first, is left out for good where the others do better without it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels
from hedgehop.models.pairwise import PairwiseModel, Potts
from hedgehop.oracles.exactness import ties
from hedgehop.oracles.folding import changed_unary, values_of
from hedgehop.oracles.pairwise.kernels import pass_messages
from hedgehop.potentials import Potential, total_value
from hedgehop.potentials.labels import label_counts

_PASSES_PER_SET = 5  # messages are kept from set to set


class LabelSets:
    """The search on one step: relevance and linear scores `theta`, and potentials among which labels cost.

    Attributes
    ----------
    labeling, value
        The best labeling found with the set, and what it is worth with all potentials.
    kept : (L,) bools
        The set.
    theta : (n, L) array
        The linear scores, -inf for labels that were left out.
    """

    def __init__(
        self,
        messages: _core.trws.Trws,
        model: PairwiseModel,
        theta: Doubles | None,
        potentials: Sequence[Potential],
        labeling: Labels,
    ) -> None:
        self._messages, self._model, self._potentials = messages, model, potentials
        self.theta = np.zeros(model.unary.shape) if theta is None else theta.copy()
        self._unary = model.unary if theta is None else changed_unary(model, theta)
        self._allowed = model._extent[0] > -np.inf if theta is None else bool(np.isfinite(self._unary).all())
        self.labeling = labeling.reshape(-1)
        self.value = float(values_of(model, theta, self.labeling[None])[0]) + self._worth(self.labeling)
        self.kept = np.ones(model.n_labels, bool)

    def shrink(self, costs: Doubles) -> None:
        """Leave out labels that are not worth what they cost, (L,): those of the fewest variables per cost first."""
        costly = np.flatnonzero(costs > 0)
        sizes = label_counts(self.labeling[None], self.kept.size)[0]
        for label in costly[np.argsort(sizes[costly] / costs[costly], kind="stable")].tolist():
            if self._may_gain(label, costs[label]):
                self._leave_out(label)

    def settle(self, passes: int) -> None:
        """Pass messages with the labels that are left."""
        labeling, value = self._passed(passes)
        if value > self.value:
            self.labeling, self.value = labeling, value

    def _leave_out(self, label: int) -> None:
        scores = self.theta[:, label].copy()
        self.theta[:, label] = -np.inf
        labeling, value = self._passed(_PASSES_PER_SET)
        if value < self.value - ties(self._model, value):
            self.theta[:, label] = scores
            return
        self.kept[label] = False
        if value > self.value or (self.labeling == label).any():  # of equals the one without the label
            self.labeling, self.value = labeling, value

    def _passed(self, passes: int) -> tuple[Labels, float]:
        """Return what messages find, and its worth with all potentials."""
        found, value, _ = pass_messages(self._messages, self._model, self.theta, passes)
        labeling = found.reshape(-1)
        return labeling, value + self._worth(labeling)

    def _worth(self, labeling: Labels) -> float:
        return float(total_value(self._model, self._potentials, labeling[None])[0])

    def _may_gain(self, label: int, cost: float) -> bool:
        """Whether the variables of a label, at first sight, lose less by the best others than it costs."""
        rest = self.kept & (np.arange(self.kept.size) != label)
        if not rest.any() or not (self._allowed or np.isfinite(self._unary[:, rest]).any(axis=1).all()):
            return False
        users = self.labeling == label
        lost = self._unary[users, label].astype(np.float64) - self._unary[users][:, rest].max(axis=1)
        return float(lost.sum()) - self._border(label) < cost

    def _border(self, label: int) -> float:
        """What the edges around a label may gain by another one."""
        model = self._model
        first, second = (self.labeling == label)[model.edges].T
        touched = first != second if isinstance(model.pairwise, Potts) else first | second
        return float(model.pairwise.spans(len(model.edges))[touched].sum())
