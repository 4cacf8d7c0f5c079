# SPDX-License-Identifier: BSD-3-Clause
"""All labelings of a list at once: exact for two labels that prefer to agree (Kirillov et al. 2015).

If D(S) is a sum over variables i of a concave function of ``a_i = number of labelings with y_i = 1``, the best list
can be sorted: ``y^1 >= y^2 >= ... >= y^m`` at every variable, because sorting two labelings that prefer to agree never
lowers their relevance. The k-th labeling then gets the k-th slope of that function, and each is one minimum cut.
"""

from __future__ import annotations

import numpy as np

from hedgehop._arrays import Labels, own
from hedgehop._errors import UnsupportedError
from hedgehop.lists.search import Search
from hedgehop.oracles.pairwise.graphcut import GraphCut
from hedgehop.potentials import Linear


def choose_jointly(search: Search, m: int) -> list[float]:
    """Fill a search with the best list of m labelings; return the bound that proves it."""
    cut = GraphCut()
    reason = cut.refusal(search.model, ())
    if reason is not None:
        raise UnsupportedError(f'method="joint" solves minimum cuts, and {reason}. Use method="greedy".')
    slopes = search.diversity.joint_slopes(search.model, m)
    if slopes is None:
        raise UnsupportedError(
            f'method="joint" needs a diversity of single variables, VariableCoverage or LinearHamming; '
            f'got {search.diversity!r}. Use method="greedy".'
        )
    solver = cut.on(search.model)
    bound = search.tradeoff * search.diversity.value(search.model, _zeros(search, m))
    labelings = []
    for slope in slopes:
        theta = np.zeros((search.model.n_variables, 2))
        theta[:, 1] = search.tradeoff * slope
        step = solver.maximize([Linear(own(theta))])
        bound += step.upper_bound
        labelings.append(step.labeling.reshape(-1))
    search.replay(_in_greedy_order(search, np.array(labelings, np.int32)), [cut.name] * m)
    return [bound]


def _zeros(search: Search, m: int) -> Labels:
    return np.zeros((m, search.model.n_variables), np.int32)


def _in_greedy_order(search: Search, rows: Labels) -> Labels:
    """Sort labelings by what each adds to those before it, the largest gain first."""
    relevance = np.asarray(search.model.score(rows))
    left, order = list(range(len(rows))), [int(np.argmax(relevance))]
    left.remove(order[0])
    while left:
        gains = np.asarray(search.diversity.gain(search.model, rows[left], rows[order]))
        order.append(left.pop(int(np.argmax(relevance[left] + search.tradeoff * gains))))
    return np.ascontiguousarray(rows[order])
