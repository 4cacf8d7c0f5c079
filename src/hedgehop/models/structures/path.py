# SPDX-License-Identifier: BSD-3-Clause
"""Routes: simple paths from one node of a graph to another."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _arrays, _core
from hedgehop._arrays import Doubles, Ints, Labels, own
from hedgehop._errors import InfeasibleError
from hedgehop.models.structures.edge_subset import EdgeSubset

_ANY_NODES, _NODES_PER_EDGE = 2**20, 64  # so many nodes cost little memory


class Path(EdgeSubset):
    """``r(y) = - sum of the lengths of the edges on the route``, to be maximised over routes from source to target.

    A labeling has one variable per edge: 1 for the edges of the route, 0 for the others. A route visits no node twice.

    Parameters
    ----------
    edges : (E, 2) array of ints
        Pairs of nodes, from and to. Parallel edges are allowed, each with its own variable; self-loops are refused.
    lengths : (E,) array
        Length, time or cost of each edge, at least 0; ``inf`` closes it. If the graph is directed and has no cycle,
        lengths can have any sign.
    source, target : int
        Where routes begin and end: two different nodes.
    directed : bool
        Whether an edge leads only from its first node to its second one.
    n_nodes : int, optional
        Number of nodes; by default one more than the largest in `edges`.

    Examples
    --------
    >>> import hedgehop as hh
    >>> edges = [[0, 1], [1, 3], [0, 2], [2, 3], [1, 2]]
    >>> roads = hh.Path(edges, lengths=[1, 1, 2, 2, 1], source=0, target=3)
    >>> roads
    Path(4 nodes, 5 edges, from 0 to 3)
    >>> hh.best(roads).labeling.tolist(), roads.nodes(hh.best(roads).labeling).tolist()
    ([1, 1, 0, 0, 0], [0, 1, 3])
    >>> found = hh.diverse(roads, hh.UseCoverage(weights=roads.lengths), m=2, tradeoff=4.0)
    >>> [roads.nodes(y).tolist() for y in found.labelings]
    [[0, 1, 3], [0, 2, 3]]
    """

    source: int
    target: int
    directed: bool

    _only_scores = True

    def __init__(
        self,
        edges: ArrayLike,
        lengths: ArrayLike,
        source: int,
        target: int,
        directed: bool = True,
        n_nodes: int | None = None,
    ) -> None:
        self._set_edges(edges, _negated(lengths), n_nodes, "route", "lengths")
        ends = (_arrays.count(source, "source"), _arrays.count(target, "target"))
        if max(ends) >= self.n_nodes or ends[0] == ends[1]:
            wanted = f"source and target must be two different nodes in 0..{self.n_nodes - 1}"
            raise ValueError(f"{wanted}; got {ends[0]} and {ends[1]}.")
        self._set(source=ends[0], target=ends[1], directed=_arrays.flag(directed, "directed"))
        self._refuse_sparse()
        self._refuse_negative()
        if not self.shortest.size:
            raise InfeasibleError(
                f"no route leads from node {source} to node {target}. Add edges, open closed ones (inf), or use "
                "directed=False."
            )

    @classmethod
    def from_networkx(cls, graph: Any, source: Hashable, target: Hashable, length: str = "length") -> Path:
        """Make a model from a graph of networkx or osmnx; edges are in the order of ``graph.edges``.

        Parameters
        ----------
        graph : Graph, DiGraph, MultiGraph or MultiDiGraph
            Nodes can have any names; self-loops are left out.
        source, target : node
            Names of two of its nodes.
        length : str
            The attribute of edges that holds their lengths; an edge without it raises an error.

        Examples
        --------
        >>> import networkx as nx, hedgehop as hh
        >>> streets = nx.Graph()
        >>> streets.add_weighted_edges_from([("a", "b", 1.0), ("b", "c", 2.0), ("a", "c", 4.0)], weight="length")
        >>> hh.Path.from_networkx(streets, "a", "c")
        Path(3 nodes, 3 edges, from 0 to 2, undirected)
        """
        if not (hasattr(graph, "nodes") and hasattr(graph, "edges")):
            raise TypeError(f"graph must be a graph of networkx; got {type(graph).__name__}. Use hh.Path(edges, ...).")
        places = {node: k for k, node in enumerate(graph.nodes)}
        for name, node in (("source", source), ("target", target)):
            if node not in places:
                raise ValueError(f"{name} must be a node of the graph; got {node!r}.")
        ends, lengths = [], []
        for u, v, value in graph.edges(data=length):
            if value is None:
                raise ValueError(f"every edge needs a {length!r}; edge ({u!r}, {v!r}) has none. Name another length=.")
            if u != v:
                ends.append((places[u], places[v]))
                lengths.append(_length(value, f"the {length!r} of edge ({u!r}, {v!r})"))
        directed = bool(graph.is_directed())
        return cls(ends, lengths, places[source], places[target], directed, len(places))

    @cached_property
    def lengths(self) -> Doubles:
        """Length of each edge, (E,); inf for closed ones, -inf for those that steps require."""
        return own(np.asarray(self.unary[:, 0] - self.unary[:, 1], np.float64))

    @cached_property
    def graph(self) -> _core.graphs.PathGraph:
        """The graph as kernels keep it."""
        return _core.graphs.PathGraph(self.n_nodes, self.edges, self.directed)

    @cached_property
    def ahead(self) -> Doubles:
        """Distance of each node to the target, (n_nodes,), lengths below 0 counted as 0."""
        return own(self.graph.tree(self.target, False, np.maximum(self.lengths, 0.0))[0])

    @cached_property
    def shortest(self) -> Labels:
        """Edges of a shortest route, in order; none if there is no route."""
        ahead = None if self.graph.is_acyclic else self.ahead
        lengths = _finite_below(self.lengths) if self.graph.is_acyclic else np.maximum(self.lengths, 0.0)
        return own(self.graph.best(self.source, self.target, lengths, np.zeros(0, np.int32), ahead)[0])

    def route(self, labeling: ArrayLike) -> Labels:
        """Edges of a labeling in the order in which they are travelled, (k,)."""
        [flat], _ = _arrays.as_labelings(labeling, self.shape, self.label_counts)
        if not self._allows(flat[None])[0]:
            raise ValueError(f"labeling must be a route from node {self.source} to node {self.target}.")
        taken = np.where(flat == 1, 0.0, np.inf)
        return self.graph.best(self.source, self.target, taken, np.zeros(0, np.int32), None)[0]

    def nodes(self, labeling: ArrayLike) -> Ints:
        """Nodes that a labeling visits, from source to target, (k + 1,)."""
        visited = [self.source]
        for first, second in self.edges[self.route(labeling)].tolist():
            visited.append(second if first == visited[-1] else first)
        return np.array(visited)

    @property
    def n_differing(self) -> int:
        """Twice the number of edges of a shortest route: as many differ if another one of that size shares none."""
        return 2 * int(self.shortest.size)

    def _allows(self, flat: Labels) -> NDArray[np.bool_]:
        rows = np.ascontiguousarray(flat, np.int32)
        return self.graph.are_paths(self.source, self.target, rows).astype(bool)

    def _branching_order(self, flat: Labels) -> Ints:
        """The edges of the route: another route leaves it somewhere (Yen 1971)."""
        return self.route(flat)

    def _undecided(self, ranges: Doubles) -> Doubles:
        """Lengths of a shortest route: others are compared with it. Edges that are required decide nothing."""
        lengths = self.lengths[self.shortest]
        return np.abs(lengths[np.isfinite(lengths)])

    def _refuse_sparse(self) -> None:
        """Refuse numbers of nodes that memory would follow, though hardly any has an edge."""
        if self.n_nodes > max(_ANY_NODES, _NODES_PER_EDGE * len(self.edges)):
            raise ValueError(
                f"nodes must be numbered 0, 1, 2, ...; got {self.n_nodes} nodes for {len(self.edges)} edges. Use "
                "np.unique(edges, return_inverse=True) or Path.from_networkx."
            )

    def _refuse_negative(self) -> None:
        if self.lengths.min() < 0 and not self.graph.is_acyclic:
            wanted = "lengths must be at least 0, unless the graph is directed and has no cycle"
            raise ValueError(f"{wanted}; got {self.lengths.min():g}.")

    def __repr__(self) -> str:
        ends = f"from {self.source} to {self.target}"
        direction = "" if self.directed else ", undirected"
        return f"Path({self.n_nodes} nodes, {self.n_variables} edges, {ends}{direction})"


def _length(value: Any, name: str) -> float:
    """One length of a graph whose attributes can be anything; inf closes the edge."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number; got {value!r}. Name another length=.") from None


def _finite_below(lengths: Doubles) -> Doubles:
    """Replace -inf by a length so low that no route is shorter because it leaves such an edge out."""
    lowest = -1.0 - 2.0 * np.abs(lengths[np.isfinite(lengths)]).sum()
    return np.where(np.isneginf(lengths), lowest, lengths)


def _negated(lengths: ArrayLike) -> Doubles:
    """Lengths as weights to be maximised."""
    given = np.asarray(_arrays.rectangular(lengths, "lengths"))
    if given.dtype.kind not in "biuf":
        raise TypeError(f"lengths must be an array of numbers; got {given.dtype}.")
    if given.ndim != 1:
        raise ValueError(f"lengths must have one entry per edge; got shape {given.shape}.")
    _arrays.refuse_nan(given.astype(np.float64), "lengths")
    if np.isneginf(given.astype(np.float64)).any():
        raise ValueError("lengths must not contain -inf; got one. Use inf to close an edge.")
    return -given.astype(np.float64)
