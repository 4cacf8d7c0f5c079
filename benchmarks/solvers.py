# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark problems as models, and solved by us and by peers."""

from __future__ import annotations

import numpy as np
import table

import hedgehop as hh
from hedgehop import _core


def directions(problem):
    """Strengths to the right and down, as a grid takes them."""
    height, width = problem["H"], problem["W"]
    right, down = np.split(problem["w"], [height * (width - 1)])
    return right.reshape(height, width - 1), down.reshape(height - 1, width)


def edges(problem):
    return np.stack([problem["ei"], problem["ej"]], axis=1).astype(np.int32)


def arrays(problem):
    """Return what a user has: scores = - costs and strengths in float64, edges of a graph."""
    scores, strengths = -problem["U"].astype(np.float64), problem["w"].astype(np.float64)
    if not problem["grid"]:
        return scores, np.stack([problem["ei"], problem["ej"]], axis=1).astype(np.int64), strengths
    shape = problem["H"], problem["W"]
    return scores.reshape(*shape, -1), [d.astype(np.float64) for d in directions(problem)]


def built(given):
    """Build the model of a user's arrays."""
    return hh.Grid(*given) if len(given) == 2 else hh.FactorGraph(*given)


def model(problem):
    return built(arrays(problem))


def messages(problem, instruction_set=""):
    """Build the kernel of TRW-S."""
    scores = -problem["U"].astype(np.float32)
    strengths = problem["w"].astype(np.float64)
    if not problem["grid"]:
        pairs = _core.Pairs.potts(scores.shape, edges(problem), strengths)
        return _core.trws.Trws(scores, pairs, instruction_set=instruction_set)
    right, down = np.split(strengths, [problem["H"] * (problem["W"] - 1)])
    return _core.trws.Trws.grid(scores.reshape(problem["H"], problem["W"], -1), 4, [right, down], instruction_set)


def flow(problem):
    """Build the kernel of minimum cuts."""
    terminals = problem["U"][:, 1] - problem["U"][:, 0]
    if problem["grid"]:
        strengths = [d.ravel() for d in directions(problem)]
        return _core.flow.GridFlow((problem["H"], problem["W"]), 4, strengths, None, terminals)
    return _core.flow.Flow(problem["n"], edges(problem), problem["w"], None, terminals)


def peer_flow(problem):
    """PyMaxflow's graph and its nodes."""
    graph = table.peer("maxflow").GraphInt(problem["n"], len(problem["ei"]))
    nodes = graph.add_nodes(problem["n"])
    graph.add_edges(problem["ei"], problem["ej"], problem["w"], problem["w"])
    graph.add_grid_tedges(nodes, problem["U"][:, 1], problem["U"][:, 0])
    return graph, nodes


def peer_expansion(problem, costs):
    """gco-wrapper's expansion moves."""
    gco, potts = table.peer("gco"), 1.0 - np.eye(problem["L"])
    if not problem["grid"]:  # as floats: it scales integers down until they are useless
        return gco.cut_general_graph(edges(problem), problem["w"].astype(float), costs.astype(float), potts)
    right, down = directions(problem)
    shaped = costs.reshape(problem["H"], problem["W"], problem["L"])
    return gco.cut_grid_graph(shaped, potts.astype(np.int32), down, right)
