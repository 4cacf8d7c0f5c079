# SPDX-License-Identifier: BSD-3-Clause
"""The joint feature map psi(x, y), whose product with the weights is the relevance: r(y) = <w, psi(x, y)>.

::

    r(y) = sum_i <W[y_i], nodes_i> + sum_i <u, kinds_i[y_i]> + pairs(y)
    "potts":   pairs(y) = -sum_e <v, edges_e> [y_i != y_j],      edges >= 0 and v >= 0: neighbours prefer to agree
    "tables":  pairs(y) =  sum_e <T[:, y_i, y_j], edges_e>,      T of any sign

Scores that come with an input, (n, L), are added to r as they are; a machine then learns what to correct. Kinds of
scores, (n, L, j), meet weights u that all labels share: few numbers, which know no label by name.
Weights are laid out as W (L, d), then u (j,), then v (k,) or T (k, L, L).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop.learning.examples import Example, FeatureRows
from hedgehop.models.pairwise import PairwiseModel

PAIRWISE = ("potts", "tables")


@dataclass(frozen=True)
class JointFeatures(ABC):
    """Features of an input together with a labeling, and the model that weights make of an input."""

    n_labels: int  # L above
    n_node_features: int  # d
    n_kinds: int  # j
    n_edge_features: int  # k
    pairwise: str  # "potts" or "tables": how edge features meet labels
    connectivity: int  # number of neighbours of a pixel, for grids
    oracle: ClassVar[str] = "auto"  # who finds the best labeling of these models

    @staticmethod
    @abstractmethod
    def read(x: Any, connectivity: int) -> Example:
        """Check one input of this kind."""

    @abstractmethod
    def model(self, example: Example, weights: Doubles, shift: float = 0.0) -> PairwiseModel:
        """Return the model whose relevance is ``<weights, psi(x, y)> + shift``, and the scores the input brings."""

    @property
    def size(self) -> int:
        """Number of weights."""
        return self._before_pairs + self.n_edge_features * (1 if self.pairwise == "potts" else self.n_labels**2)

    @property
    def _before_pairs(self) -> int:
        return self.n_labels * self.n_node_features + self.n_kinds

    @property
    def attractive(self) -> NDArray[np.intp]:
        """Which weights must not be negative."""
        return np.arange(self._before_pairs, self.size if self.pairwise == "potts" else 0)

    def features(self, example: Example, labeling: Labels) -> Doubles:
        """Return psi(x, y), (size,)."""
        nodes = _sums(example.node_features, labeling, self.n_labels).ravel()
        if example.kinds is not None:
            nodes = np.append(nodes, example.kinds[np.arange(labeling.size), labeling].sum(axis=0))
        first, second = labeling[example.edges].T
        if self.pairwise == "potts":
            return np.concatenate([nodes, -example.edge_features[first != second].sum(axis=0)])
        pairs = _sums(example.edge_features, first * self.n_labels + second, self.n_labels**2)
        return np.concatenate([nodes, pairs.T.ravel()])

    def split(self, weights: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        """Return W (L, d), u (j,), and v (k, 1) or T (k, L * L)."""
        by_label, by_kind, pairs = np.split(weights, [self.n_labels * self.n_node_features, self._before_pairs])
        return by_label.reshape(self.n_labels, -1), by_kind, pairs.reshape(self.n_edge_features, -1)

    def node_scores(self, example: Example, weights: Doubles, shift: float) -> Doubles:
        """Scores of the labels of each variable, (n, L), which give every labeling `shift` more."""
        by_label, by_kind, _ = self.split(weights)
        learned = np.asarray(example.node_features @ by_label.T + shift / example.n_variables)
        if example.kinds is not None:
            learned += example.kinds @ by_kind
        return learned if example.scores is None else learned + example.scores

    def edge_scores(self, example: Example, weights: Doubles) -> Doubles:
        """Potts strengths (E,), or tables (E, L, L)."""
        scores = example.edge_features @ self.split(weights)[2]
        return scores[:, 0] if self.pairwise == "potts" else scores.reshape(-1, self.n_labels, self.n_labels)

    def checked(self, example: Example) -> Example:
        """Return an input that fits the weights, refuse others."""
        for what, got, wanted in (
            ("node features", example.node_features.shape[1], self.n_node_features),
            ("edge features", example.edge_features.shape[1], self.n_edge_features),
            ("kinds of scores", example.n_kinds, self.n_kinds),
        ):
            if got != wanted:
                raise ValueError(f"inputs must have {wanted} {what}, as in fit; got {got}.")
        if example.n_labels not in (0, self.n_labels):
            raise ValueError(f"scores must be of {self.n_labels} labels; got {example.n_labels}.")
        if self.pairwise == "potts" and (example.edge_features < 0).any():
            raise ValueError(
                f'edge features must be >= 0 for pairwise="potts"; got {example.edge_features.min():g}. '
                'Use pairwise="tables" for features of any sign.'
            )
        return example


def _sums(rows: FeatureRows, groups: Labels, n_groups: int) -> Doubles:
    """Sums of the rows of each group, (n_groups, columns)."""
    columns = rows.shape[1]
    if not isinstance(rows, np.ndarray):
        entries = rows.tocoo()
        places = groups[entries.row].astype(np.int64) * columns + entries.col
        return np.bincount(places, entries.data, n_groups * columns).astype(np.float64).reshape(n_groups, columns)
    places = groups[:, None].astype(np.int64) * columns + np.arange(columns)
    sums = np.bincount(places.ravel(), rows.ravel(), n_groups * columns).astype(np.float64)
    return sums.reshape(n_groups, columns)
