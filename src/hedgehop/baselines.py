# SPDX-License-Identifier: BSD-3-Clause
"""What diverse lists are compared with: the best labelings in order, perturbed and random ones, penalised routes."""

from __future__ import annotations

import warnings
from itertools import islice

import numpy as np

from hedgehop import _arrays
from hedgehop._arrays import Doubles, Labels, own, positive_count
from hedgehop.lists.methods.nearby import best_nearby, can_search_nearby
from hedgehop.lists.objective import require_model
from hedgehop.models import Automaton, Path
from hedgehop.models.base import Model
from hedgehop.oracles.base import Step
from hedgehop.oracles.lawler import in_order
from hedgehop.oracles.pairwise.label_bounds import LabelBounds
from hedgehop.oracles.registry import OracleLike, get
from hedgehop.potentials import Linear
from hedgehop.probabilities.samples import samples

_FEWEST_CELLS = 24  # of Lawler's partition per labeling, where better labelings may be missing anyway
_SCORES_IN_CELLS = 2**22  # of all cells that are solved there, if that is more: about two seconds

__all__ = ["diverse_beams", "m_best", "penalised_routes", "perturb_and_map", "plateau_routes", "random_labelings"]


def m_best(model: Model, m: int = 5, oracle: OracleLike = "auto") -> Labels:
    """Return the m best labelings in order, (m, *shape), by Lawler's partition; fewer if there are fewer.

    Works on every model whose steps can be solved with some labels forbidden. The labelings are the m best ones if
    steps are solved exactly, as on trees, structures and grids of two labels; on routes, this is Yen's algorithm.
    Otherwise a warning says that better ones may be missing, and the labelings are sorted by score: on pairwise models,
    the best ones that a limited number of solves, mixtures of what these find, and single changes lead to. If the
    oracle has max-marginals (trees), messages bound them (pairwise models) or distances bound detours (routes), a
    labeling costs few solves (Yanover, Weiss 2003); otherwise it costs one solve per variable.

    Examples
    --------
    >>> import hedgehop as hh
    >>> hh.baselines.m_best(hh.Chain([[3.0, 0.0], [0.5, 0.0], [2.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]), m=3).tolist()
    [[0, 0, 0], [0, 1, 0], [0, 0, 1]]
    """
    require_model(model)
    m, cells = positive_count(m, "m"), _Cells(model, oracle)
    steps = list(islice(in_order(model, cells.best, cells.marginals, cells.budget(m)), m))
    if cells.proven:
        return own(np.array([step.labeling for step in steps], np.int32))
    warnings.warn("better labelings may be missing: some steps were not solved exactly.", stacklevel=2)
    if can_search_nearby(model):
        return own(best_nearby(model, np.array(cells.met), m).reshape(-1, *model.shape))
    return own(np.array([step.labeling for step in sorted(steps, key=lambda step: -step.value)], np.int32))


class _Cells:
    """Solves cells of Lawler's partition, and remembers what it met and whether all of it is proven."""

    def __init__(self, model: Model, oracle: OracleLike) -> None:
        self.model, self.solver = model, get(oracle).on(model)
        self.bounds = LabelBounds(model, self.solver.oracle)
        self.proven = True
        self.met: list[Labels] = []

    def best(self, mask: Linear | None) -> Step:
        """Return the best labeling of a cell."""
        step = self.solver.step(() if mask is None else (mask,))
        self.proven &= step.exact
        self.met.append(step.labeling.reshape(-1))
        return step

    def marginals(self, mask: Linear | None, best: Labels) -> Doubles | None:
        """Return bounds on the labels of a cell."""
        return self.bounds(() if mask is None else (mask,), best)

    def budget(self, m: int) -> float:
        """Return how many cells are worth solving where nothing is proven."""
        if not can_search_nearby(self.model):
            return np.inf
        return max(_FEWEST_CELLS * m, _SCORES_IN_CELLS // self.model.unary.size)


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


def diverse_beams(model: Automaton, m: int = 5, penalty: float = 1.0, width: int = 1) -> Labels:
    """Return m strings, (m, T), by diverse beam search (Vijayakumar et al. 2018), one group of beams per string.

    From position to position, a group keeps the `width` best beginnings. A symbol loses `penalty` for each earlier
    group whose string has it at the same position. Strings can repeat, and nothing is proven.

    Examples
    --------
    >>> import hedgehop as hh
    >>> word = hh.Automaton.from_slots([{"a": 0.0, "b": -0.5}, {"c": 0.0, "d": -2.0}])
    >>> [word.text(y) for y in hh.baselines.diverse_beams(word, m=2)]
    ['ac', 'bc']
    """
    if not isinstance(model, Automaton):
        raise TypeError(f"model must be an hh.Automaton; got {type(model).__name__}.")
    loss, kept = _arrays.number(penalty, "penalty", low=0.0), positive_count(width, "width")
    found: list[Labels] = []
    theta = np.zeros(model.unary.shape)
    for _ in range(positive_count(m, "m")):
        found.append(_best_beam(model, theta, kept))
        theta[np.arange(model.n_variables), found[-1]] -= loss
    return own(np.array(found))


def _best_beam(model: Automaton, theta: Doubles, width: int) -> Labels:
    """Extend the best beginnings symbol by symbol; a string that ends is complete, with the label "end" behind it."""
    arcs, scores, _, finals = model.chart.unrolled()
    leaving: dict[int, list[int]] = {}
    for e, node in enumerate(arcs[:, 0].tolist()):
        leaving.setdefault(node, []).append(e)
    beam: list[tuple[float, tuple[int, ...], int]] = [(0.0, (), 0)]
    complete: list[tuple[float, tuple[int, ...]]] = []
    for t in range(model.n_variables + 1):
        longer = []
        for score, string, node in beam:  # grows by arcs that read nothing
            if np.isfinite(finals[node]):
                complete.append((score + float(finals[node] + theta[t:, -1].sum()), string))
            for e in leaving.get(node, ()):
                to, symbol = int(arcs[e, 1]), int(arcs[e, 3])
                if symbol < 0:
                    beam.append((score + float(scores[e]), string, to))
                else:
                    longer.append((score + float(scores[e] + theta[t, symbol]), (*string, symbol), to))
        beam = sorted(longer, key=lambda item: (-item[0], item[1:]))[:width]
    _, best = max(complete, key=lambda item: item[0])
    ended = [model.n_labels - 1] * (model.n_variables - len(best))
    return np.array([*best, *ended], np.int32)


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
