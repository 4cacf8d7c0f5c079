# SPDX-License-Identifier: BSD-3-Clause
"""How good alternative routes are: what they share, how much longer they are, and whether they make sense locally."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hedgehop._arrays import Doubles, Labels, as_labelings
from hedgehop.models import Path


def shared_length(model: Path, labelings: ArrayLike) -> Doubles:
    """Share of the length of each route, in the rows, that it has in common with each other one, (m, m).

    Examples
    --------
    >>> import hedgehop as hh
    >>> roads = hh.Path([[0, 1], [1, 2], [1, 2]], lengths=[3.0, 1.0, 3.0], source=0, target=2)
    >>> hh.metrics.shared_length(roads, [[1, 1, 0], [1, 0, 1]])
    array([[1.  , 0.75],
           [0.5 , 1.  ]])
    """
    rows = _routes(model, labelings) == 1
    lengths = np.where(rows, model.lengths, 0.0)
    common = lengths @ rows.T.astype(np.float64)
    return np.asarray(common / lengths.sum(axis=1, keepdims=True))


def stretch(model: Path, labelings: ArrayLike) -> Doubles:
    """Length of each route divided by that of the shortest one, (m,).

    Examples
    --------
    >>> import hedgehop as hh
    >>> roads = hh.Path([[0, 1], [1, 2], [1, 2]], lengths=[3.0, 1.0, 3.0], source=0, target=2)
    >>> hh.metrics.stretch(roads, [[1, 1, 0], [1, 0, 1]])
    array([1. , 1.5])
    """
    flat = _routes(model, labelings)
    return np.asarray(-np.atleast_1d(model.score(flat)) / model.lengths[model.shortest].sum())


def local_optimality(model: Path, labelings: ArrayLike) -> Doubles:
    """Length of the shortest part of each route that is a detour, as a share of the length of the shortest route, (m,).

    A part is a detour if there is a shorter way between its ends. Routes without a detour have the value inf. Values
    below about 0.25 look unreasonable to drivers (Abraham et al. 2013, who call it T).

    Examples
    --------
    >>> import hedgehop as hh
    >>> roads = hh.Path([[0, 1], [1, 2], [1, 2]], lengths=[3.0, 1.0, 3.0], source=0, target=2)
    >>> hh.metrics.local_optimality(roads, [[1, 1, 0], [1, 0, 1]])
    array([ inf, 0.75])
    """
    flat = _routes(model, labelings)
    detours = np.array([_shortest_detour(model, y) for y in flat], np.float64)
    return np.asarray(detours / model.lengths[model.shortest].sum())


def _routes(model: Path, labelings: ArrayLike) -> Labels:
    """Check the arguments of a measure."""
    if not isinstance(model, Path):
        raise TypeError(f"model must be an hh.Path; got {type(model).__name__}.")
    return as_labelings(labelings, model.shape, model.label_counts)[0]


def _shortest_detour(model: Path, labeling: ArrayLike) -> float:
    """Move two ends along the route: a part that holds a detour is one."""
    nodes, edges = model.nodes(labeling), model.route(labeling)
    at = np.concatenate([[0.0], np.cumsum(model.lengths[edges])])
    first, shortest = 0, np.inf
    for last in range(1, len(nodes)):
        while _is_detour(model, int(nodes[first]), int(nodes[last]), at[last] - at[first]):
            shortest = min(shortest, float(at[last] - at[first]))
            first += 1
    return shortest


def _is_detour(model: Path, source: int, target: int, length: float) -> bool:
    if source == target:
        return False
    nothing = np.zeros(0, np.int32)
    return bool(model.graph.best(source, target, model.lengths, nothing, None)[1] < length * (1 - 1e-9))
