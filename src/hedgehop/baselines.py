# SPDX-License-Identifier: BSD-3-Clause
"""What diverse lists are compared with: the best labelings in order, perturbed and random ones, penalised routes."""

from __future__ import annotations

import warnings
from itertools import islice

import numpy as np

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels, own, positive_count
from hedgehop.lists.objective import require_model
from hedgehop.models import Path
from hedgehop.models.base import Model
from hedgehop.oracles.base import Step
from hedgehop.oracles.lawler import in_order
from hedgehop.oracles.pairwise.label_bounds import LabelBounds
from hedgehop.oracles.registry import OracleLike, get
from hedgehop.potentials import Linear
from hedgehop.probabilities.samples import samples

__all__ = ["m_best", "penalised_routes", "perturb_and_map", "plateau_routes", "random_labelings"]


def m_best(model: Model, m: int = 5, oracle: OracleLike = "auto") -> Labels:
    """Return the m best labelings in order, (m, *shape), by Lawler's partition; fewer if there are fewer.

    Works on every model whose steps can be solved with some labels forbidden. The labelings are the m best ones if
    steps are solved exactly, as on trees, structures and grids of two labels; on routes, this is Yen's algorithm.
    Otherwise a warning says that better ones may be missing, and the labelings are sorted by score. If the oracle has
    max-marginals (trees) or messages bound them (pairwise models), a labeling costs few solves (Yanover, Weiss 2003);
    otherwise it costs one solve per variable, or per edge of a route.

    Examples
    --------
    >>> import hedgehop as hh
    >>> hh.baselines.m_best(hh.Chain([[3.0, 0.0], [0.5, 0.0], [2.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]), m=3).tolist()
    [[0, 0, 0], [0, 1, 0], [0, 0, 1]]
    """
    require_model(model)
    solver = get(oracle).on(model)
    bounds = LabelBounds(model, solver.oracle)

    proven = [True]

    def inside(mask: Linear | None) -> Step:
        step = solver.step(() if mask is None else (mask,))
        proven[0] &= step.exact
        return step

    def marginals(mask: Linear | None) -> Doubles | None:
        return bounds(() if mask is None else (mask,))

    steps = list(islice(in_order(model, inside, marginals), positive_count(m, "m")))
    if not proven[0]:
        warnings.warn("better labelings may be missing: some steps were not solved exactly.", stacklevel=2)
        steps.sort(key=lambda step: -step.value)
    return own(np.array([step.labeling for step in steps], np.int32))


def perturb_and_map(model: Model, m: int = 5, scale: float = 1.0, seed: int = 0, oracle: OracleLike = "auto") -> Labels:
    """Return m labelings, (m, *shape), each best under independent Gumbel noise on all labels of all variables.

    This is perturb-and-MAP (Papandreou, Yuille 2011).

    Examples
    --------
    >>> import hedgehop as hh
    >>> hh.baselines.perturb_and_map(hh.FactorGraph([[0.0, 1.0, 2.0]] * 4), m=2).shape
    (2, 4)
    """
    return samples(model, m, variable=scale, label=0.0, region=0.0, seed=seed, oracle=oracle)


def random_labelings(model: Model, m: int = 5, seed: int = 0) -> Labels:
    """Return m labelings with every label equally likely at every variable, (m, *shape); scores are ignored.

    Examples
    --------
    >>> import hedgehop as hh
    >>> hh.baselines.random_labelings(hh.FactorGraph([[0.0, 1.0, 2.0]] * 4), m=2).shape
    (2, 4)
    """
    require_model(model)
    random = np.random.default_rng(_arrays.count(seed, "seed"))
    shares = random.random((positive_count(m, "m"), model.n_variables))
    labels = np.floor(shares * np.asarray(model.label_counts)).astype(np.int32)
    return own(labels.reshape(-1, *model.shape))


def penalised_routes(model: Path, m: int = 5, factor: float = 1.4) -> Labels:
    """Return m routes, (m, E): each is the shortest after the edges of the last one have become `factor` times as long.

    The penalty method of navigation; routes can repeat.

    Examples
    --------
    >>> import hedgehop as hh
    >>> roads = hh.Path([[0, 1], [0, 1], [0, 1]], lengths=[1.0, 1.2, 3.0], source=0, target=1)
    >>> hh.baselines.penalised_routes(roads, m=3).tolist()
    [[1, 0, 0], [0, 1, 0], [1, 0, 0]]
    """
    _require_lengths(model)
    lengths, times = np.array(model.lengths), _arrays.number(factor, "factor", low=1.0)
    routes = np.zeros((positive_count(m, "m"), model.n_variables), np.int32)
    for row in routes:
        edges = model.graph.best(model.source, model.target, lengths, np.zeros(0, np.int32), model.ahead)[0]
        row[edges] = 1
        lengths[edges] *= times
    return own(routes)


def plateau_routes(model: Path, m: int = 5) -> Labels:
    """Return at most m routes, (k, E), along the longest plateaus (Abraham et al. 2013).

    A plateau is a path that belongs to the tree of shortest routes from the source and also to the tree of shortest
    routes to the target. A route along a plateau consists of two shortest routes. The routes come first that are the
    least longer than their plateau.

    Examples
    --------
    >>> import hedgehop as hh
    >>> roads = hh.Path([[0, 1], [1, 3], [0, 2], [2, 3]], lengths=[1.0, 1.0, 1.0, 2.0], source=0, target=3)
    >>> hh.baselines.plateau_routes(roads, m=2).tolist()
    [[1, 1, 0, 0], [0, 0, 1, 1]]
    """
    _require_lengths(model)
    there, there_edge = model.graph.tree(model.source, True, model.lengths)
    back, back_edge = model.graph.tree(model.target, False, model.lengths)
    starts = _plateau_starts(model, there, there_edge, back_edge)
    nodes = np.unique(starts[np.isfinite(there + back)])
    last: dict[int, int] = {}
    for node in np.argsort(there, kind="stable").tolist():
        last[int(starts[node])] = node
    order = sorted(nodes.tolist(), key=lambda v: there[v] + back[v] - (there[last[v]] - there[v]))
    routes: dict[bytes, Labels] = {}
    for node in order:
        row = np.zeros(model.n_variables, np.int32)
        row[_to_root(model, node, there_edge)] = 1
        row[_to_root(model, node, back_edge)] = 1
        if model._allows(row[None])[0]:
            routes.setdefault(row.tobytes(), row)
        if len(routes) == m:
            break
    return own(np.array(list(routes.values()), np.int32))


def _require_lengths(model: Path) -> None:
    if not isinstance(model, Path):
        raise TypeError(f"model must be an hh.Path; got {type(model).__name__}.")
    if model.lengths.min() < 0:
        raise ValueError(f"lengths must be at least 0; got {model.lengths.min():g}.")


def _plateau_starts(model: Path, there: Doubles, there_edge: Labels, back_edge: Labels) -> Labels:
    """The first node of the plateau of each node, (n_nodes,)."""
    starts = np.arange(model.n_nodes, dtype=np.int32)
    for node in np.argsort(there, kind="stable").tolist():
        edge = int(there_edge[node])
        if edge >= 0:
            before = int(model.edges[edge].sum()) - node
            if back_edge[before] == edge:
                starts[node] = starts[before]
    return starts


def _to_root(model: Path, node: int, edges: Labels) -> list[int]:
    """Edges from a node to the root of a tree."""
    way = []
    while edges[node] >= 0:
        way.append(int(edges[node]))
        node = int(model.edges[way[-1]].sum()) - node
    return way
