# SPDX-License-Identifier: BSD-3-Clause
"""Coverage of what labelings use: edges of routes, trees and matchings, columns of programs, nodes of routes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Ints, Labels, own
from hedgehop.diversity.base import Parsimony, parsimony_rate
from hedgehop.diversity.concave import ConcaveLike
from hedgehop.diversity.coverage import Coverage, check_weights
from hedgehop.models import Path
from hedgehop.models.base import Model
from hedgehop.potentials import Linear, Potential


class UseCoverage(Coverage):
    """``D(S) = sum_i a_i (h(c_i) + parsimony * c_i)``, c_i = number of labelings that use variable i.

    A labeling uses a variable if it gives it a label other than 0: an edge of a route or a tree, a site of a plan. With
    ``parsimony="auto"``, the first use is free and further uses cost. So a step is a search with higher costs for what
    earlier labelings use, and it is exact if the search for the single best labeling is exact.

    Parameters
    ----------
    weights : (n,) array, optional
        a_i >= 0, such as the lengths of edges: sharing a long edge costs more.
    h : "log", "sqrt", "count" or a function
        Concave value of a variable, as a function of the number of labelings that use it.
    parsimony : "auto" or float
        What is added for every use; "auto" means ``-h(1)``.

    Examples
    --------
    >>> import hedgehop as hh
    >>> tree = hh.SpanningTree([[0, 1], [1, 2], [0, 2]], weights=[3.0, 2.0, 1.5])
    >>> hh.diverse(tree, hh.UseCoverage(h="count"), m=2, tradeoff=1.0).labelings.tolist()
    [[1, 1, 0], [1, 0, 1]]
    """

    sums_variables = True
    weights: Doubles | None

    def __init__(self, weights: ArrayLike | None = None, h: ConcaveLike = "log", parsimony: Parsimony = "auto") -> None:
        super().__init__(h, parsimony)
        self._set(weights=None if weights is None else _arrays.weights(weights, "weights"))

    def check(self, model: Model) -> None:
        check_weights(self.weights, model)

    def incidence(self, model: Model, flat: Labels) -> NDArray[np.bool_]:
        """Which variables each labeling uses."""
        return np.asarray(flat != 0)

    def group_weights(self, model: Model) -> Doubles:
        """One weight per variable."""
        return np.ones(model.n_variables) if self.weights is None else self.weights

    def counts(self, model: Model, labelings: ArrayLike) -> NDArray[np.int64]:
        """How many labelings use each variable, (n,)."""
        return np.bincount(_used(self._rows(model, labelings)), minlength=model.n_variables)

    def coverage(self, model: Model, labelings: ArrayLike) -> float:
        """D without parsimony, summed over what is used: routes use few of all edges."""
        self.check(model)
        used, counts = np.unique(_used(self._rows(model, labelings)), return_counts=True)
        return float(self._worth(used) @ self.h(counts))

    @property
    def _valued_by_groups(self) -> bool:
        return self._valued_as(UseCoverage)  # whose coverage and parsimony are those of the groups, found otherwise

    def parsimony_of(self, model: Model, labelings: ArrayLike) -> Doubles:
        rate, rows = parsimony_rate(self.parsimony, self.h), self._rows(model, labelings)
        return np.array([rate * self._worth(np.flatnonzero(y)).sum() for y in rows], np.float64)

    def _worth(self, variables: Ints) -> Doubles:
        return np.ones(variables.size) if self.weights is None else self.weights[variables]

    def as_potentials(self, model: Model, w: Doubles) -> list[Potential]:
        """One linear potential: the weight for all labels but 0."""
        theta = np.zeros((model.n_variables, int(model.label_counts.max())))
        theta[:, 1:] = w[:, None]
        return [Linear(own(theta))]

    def _gains(self, model: Model, flat: Labels, chosen: Labels) -> Doubles:
        self.check(model)
        weights = self.net_weights(model, chosen)
        return np.array([weights[np.flatnonzero(y)].sum() for y in flat], np.float64)

    def __repr__(self) -> str:
        given = "weights=..., " if self.weights is not None else ""
        return f"UseCoverage({given}h={self.h!r}, parsimony={self.parsimony!r})"


class NodeCoverage(Coverage):
    """Like :class:`UseCoverage`, of the nodes that routes visit between source and target.

    Routes that cross share a node but no edge. A route visits each node at most once, so the gain is again a change of
    the lengths of edges.

    Parameters
    ----------
    weights : (n_nodes,) array, optional
        a_v >= 0 of each node; the weights of source and target, which every route visits, do not count.
    h, parsimony
        As in :class:`UseCoverage`.

    Examples
    --------
    >>> import hedgehop as hh
    >>> edges = [[0, 1], [0, 1], [1, 3], [0, 2], [2, 3]]
    >>> roads = hh.Path(edges, lengths=[1.0, 1.1, 1.0, 2.0, 2.0], source=0, target=3)
    >>> found = hh.diverse(roads, hh.NodeCoverage(), m=2, tradeoff=9.0)
    >>> [roads.nodes(y).tolist() for y in found.labelings]
    [[0, 1, 3], [0, 2, 3]]
    """

    weights: Doubles | None

    def __init__(self, weights: ArrayLike | None = None, h: ConcaveLike = "log", parsimony: Parsimony = "auto") -> None:
        super().__init__(h, parsimony)
        self._set(weights=None if weights is None else _arrays.weights(weights, "weights"))

    def check(self, model: Model) -> None:
        """Refuse models other than routes, and weights that are not one per node."""
        if not isinstance(model, Path):
            raise TypeError(f"NodeCoverage needs an hh.Path; got {type(model).__name__}. Use hh.UseCoverage().")
        if self.weights is not None and self.weights.size != model.n_nodes:
            raise ValueError(f"weights must have one entry per node ({model.n_nodes}); got {self.weights.size}.")

    def incidence(self, model: Model, flat: Labels) -> NDArray[np.bool_]:
        """Which nodes each labeling visits."""
        self.check(model)
        assert isinstance(model, Path)
        visited = np.zeros((len(flat), model.n_nodes), bool)
        for row, labeling in zip(visited, flat, strict=True):
            row[model.edges[labeling == 1].reshape(-1)] = True
        return visited

    def group_weights(self, model: Model) -> Doubles:
        """One weight per node, 0 for source and target."""
        assert isinstance(model, Path)
        ones = np.ones(model.n_nodes) if self.weights is None else self.weights.copy()
        ones[[model.source, model.target]] = 0.0
        return own(ones)

    def as_potentials(self, model: Model, w: Doubles) -> list[Potential]:
        """One linear potential: a route has two edges at each of its nodes, and each counts half of it."""
        assert isinstance(model, Path)
        theta = np.zeros((model.n_variables, 2))
        theta[:, 1] = w[model.edges].sum(axis=1) / 2.0
        return [Linear(own(theta))]

    def __repr__(self) -> str:
        given = "weights=..., " if self.weights is not None else ""
        return f"NodeCoverage({given}h={self.h!r}, parsimony={self.parsimony!r})"


def _used(rows: Labels) -> Ints:
    """Variables that labelings use, those of all labelings in a row."""
    return np.concatenate([np.zeros(0, np.int64), *(np.flatnonzero(y) for y in rows)])
