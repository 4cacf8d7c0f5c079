# SPDX-License-Identifier: BSD-3-Clause
"""Shortest routes: A* and Dijkstra's search, dynamic programming on acyclic graphs, bounds elsewhere (C++)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Labels
from hedgehop.models import Model, Path
from hedgehop.oracles.exact.linear import LinearOracle
from hedgehop.oracles.folding import changed_unary, fold
from hedgehop.potentials import Potential

FoundRoute = tuple[Labels, float, float]  # edges in order, their cost, a cost that no route is below


class ShortestPath(LinearOracle[Path]):
    """Shortest routes with changed lengths (docs/theory.md 10).

    Exact on acyclic graphs, and if no changed length is below 0, as when a diversity only makes used edges longer.
    Otherwise routes that visit no node twice are hard to find: the answer is a good route with a bound, and it is exact
    if both agree.

    Examples
    --------
    >>> import hedgehop as hh
    >>> roads = hh.Path([[0, 1], [1, 2], [0, 2]], [1.0, 1.0, 3.0], source=0, target=2)
    >>> hh.best(roads, oracle=hh.oracles.ShortestPath()).labeling
    array([1, 1, 0], dtype=int32)
    """

    name = "path"
    summary = "A* on routes; exact, with linear potentials, unless these give a cycle a negative length"
    structure = Path

    def refusal(self, model: Model, potentials: Sequence[Potential]) -> str | None:
        """Refuse other structures, potentials that are not linear, and edges to be used somewhere on the way."""
        reason = super().refusal(model, potentials)
        if reason is not None or not isinstance(model, Path) or model.graph.is_acyclic:
            return reason
        theta, _, _ = fold(model, potentials)
        needed = np.isneginf(model.unary[:, 0] if theta is None else model.unary[:, 0] + theta[:, 0])
        if needed.any() and _beginning(model, needed) is None:
            return "edges that must be used have to be the first ones of the route, unless the graph is acyclic"
        return None

    def _argmax(self, model: Path, scores: Doubles, rest: Sequence[Potential]) -> tuple[Labels, float]:
        edges, cost, bound = _searched(model, scores)
        labeling = np.zeros(model.n_variables, np.int32)
        labeling[edges] = 1
        needed = np.isneginf(scores[:, 0])
        base = float(np.where(needed, 0.0, scores[:, 0]).sum())  # what counts if no edge is used
        return labeling, -np.inf if cost == np.inf else base - bound


def _searched(model: Path, scores: Doubles) -> FoundRoute:
    """The shortest route where using an edge costs ``scores[e, 0] - scores[e, 1]``."""
    needed = np.isneginf(scores[:, 0])
    if not needed.any():
        costs = scores[:, 0] - scores[:, 1]
        return model.graph.best(model.source, model.target, costs, np.zeros(0, np.int32), _ahead(model, costs))
    costs = np.where(needed, 0.0, scores[:, 0]) - scores[:, 1]
    if model.graph.is_acyclic:
        return model.graph.best_through(model.source, model.target, costs, needed.view(np.uint8))
    first = _beginning(model, needed)
    assert first is not None  # see `refusal`
    return model.graph.best(model.source, model.target, costs, first, _ahead(model, costs))


def _ahead(model: Path, costs: Doubles) -> Doubles | None:
    """Distances to the target that lead the search: the model's own, as far as all costs are at least their share."""
    return None if model.graph.is_acyclic else remaining(model, costs)


def remaining(model: Path, costs: Doubles) -> Doubles | None:
    """Costs that no way from a node to the target is below; None if nothing is known of them."""
    if costs.min() < 0:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):  # edges without length, and closed ones, have no share
        share = min(1.0, float(np.fmin.reduce(costs / model.lengths)))
    return share * model.ahead if share > 0 else None


def _beginning(model: Path, needed: NDArray[np.bool_]) -> Labels | None:
    """Edges that must be used in the order of a route that begins with them; None if none does."""
    chosen = np.flatnonzero(needed).tolist()
    ways: dict[int, dict[int, int]] = {}  # from each node, by edges to other nodes
    for e, (first, second) in zip(chosen, model.edges[chosen].tolist(), strict=True):
        ways.setdefault(first, {})[e] = second
        if not model.directed:
            ways.setdefault(second, {})[e] = first
    at = model.source
    order: list[int] = []
    while len(order) < len(chosen):
        open_ways = ways.get(at, {})
        if len(open_ways) != 1:
            return None
        [(e, to)] = open_ways.items()
        ways[at] = {}
        ways.get(to, {}).pop(e, None)
        order.append(e)
        at = to
    return np.array(order, np.int32)


def detours(model: Path, potentials: Sequence[Potential], labeling: Labels) -> Doubles | None:
    """Bound the routes that use the edges of a route up to one, and not that one: column 0 of a (E, 2) table.

    Such a route leaves the other one at a node. It is no shorter than the way there, the edge by which it leaves, and
    the distance from the end of that edge to the target (Hershberger, Maxel, Suri 2007). This spares Yen's algorithm
    most searches. Edges that are not on the route have no bound (inf). None if potentials are not linear or costs
    below 0.
    """
    theta, constant, rest = fold(model, potentials)
    if rest:
        return None
    scores = changed_unary(model, theta)
    unused = np.where(np.isneginf(scores[:, 0]), 0.0, scores[:, 0])
    costs = unused - scores[:, 1]
    ahead = remaining(model, costs)
    if ahead is None:
        return None
    route = model.route(labeling)
    before = np.cumsum(costs[route]) - costs[route]
    bounds = np.full((model.n_variables, 2), np.inf)
    bounds[route, 0] = unused.sum() + constant - before - _ways_out(model, labeling, route, costs, ahead)
    return bounds


def _ways_out(model: Path, labeling: Labels, route: Labels, costs: Doubles, ahead: Doubles) -> Doubles:
    """Least cost from each node of a route, by an edge that the route does not take there, never back along it."""
    place = np.full(model.n_nodes, route.size + 1)
    place[model.nodes(labeling)] = np.arange(route.size + 1)
    least = np.full(route.size, np.inf)
    for start, end in ((0, 1), (1, 0))[: 1 if model.directed else 2]:
        edges = np.flatnonzero(place[model.edges[:, start]] < route.size)
        here, to = place[model.edges[edges, start]], model.edges[edges, end]
        out = (place[to] > here) & (route[here] != edges)
        np.minimum.at(least, here[out], costs[edges[out]] + ahead[to[out]])
    return least
