# SPDX-License-Identifier: BSD-3-Clause
"""Exact samples of ``p(y) ~ exp(scale * score(y))``, if they can be drawn.

Forests: the roots first, then every child given its parent. Spanning trees and parses: Wilson's algorithm. Graphs of
small width: elimination, backwards. Automata and routes without cycles: arc by arc. Parses by a grammar: from the whole
sentence down. Everything small: from the list of all labelings.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Labels, own
from hedgehop.models import Arborescence, Cfg, Model, PairwiseModel, SpanningTree
from hedgehop.oracles.exact.exhaustive import allowed_labels, labelings_of
from hedgehop.probabilities.elimination import Eliminated, falls_on
from hedgehop.probabilities.exact import (
    arc_scores,
    exact_method,
    log_weights,
    refuse_none,
    scaled,
    scaled_chart,
    tree_arcs,
)
from hedgehop.probabilities.pairs import scaled_pairs
from hedgehop.probabilities.ways import ways_of

Sampler = Callable[[int, int], Labels]  # number of samples and seed -> (k, n)
_MOST_NUMBERS = 2**22  # random ones that are held at a time


def exact_sampler(model: Model, scale: float) -> Sampler | None:
    """Return what draws exact samples; None if nothing does."""
    method = exact_method(model)
    if method is None:
        return None
    if isinstance(model, Arborescence):
        return lambda k, seed: own(_arborescence(model, scale, k, seed))
    if isinstance(model, SpanningTree):
        return lambda k, seed: own(_spanning_tree(model, scale, k, seed))
    draw = _SAMPLERS[method]
    return lambda k, seed: own(draw(model, scale, k, seed))


def _forest(model: PairwiseModel, scale: float, k: int, seed: int) -> Labels:
    unary, pairs = scaled(model.unary, scale), scaled_pairs(model, scale)
    drawn = _in_blocks(model, k, seed, lambda u: _core.probabilities.forest_samples(unary, pairs, u))
    refuse_none(float(np.max(model.score(drawn[:1]))))  # a sample is allowed, unless nothing is
    return drawn


def _small_width(model: PairwiseModel, scale: float, k: int, seed: int) -> Labels:
    eliminated = Eliminated.of(model, scale)
    refuse_none(eliminated.log_partition)
    return _in_blocks(model, k, seed, eliminated.sample)


def _in_blocks(model: Model, k: int, seed: int, draw: Callable[[Doubles], Labels]) -> Labels:
    """Draw some samples at a time: each needs one number per variable."""
    random, most = np.random.default_rng(seed), max(1, _MOST_NUMBERS // max(1, model.n_variables))
    sizes = [min(most, k - start) for start in range(0, k, most)]
    return np.concatenate([draw(random.random((size, model.n_variables))) for size in sizes])


def _arborescence(model: Arborescence, scale: float, k: int, seed: int) -> Labels:
    arcs, relations = arc_scores(model, scale)
    heads = _core.probabilities.arborescence_samples(arcs, model.single_root, k, seed)
    if model.n_relations == 1:
        return heads
    words = np.arange(model.n_variables)
    uniforms = np.random.default_rng(seed).random(heads.shape)
    chosen = [falls_on(relations[words, row], u) for row, u in zip(heads, uniforms, strict=True)]
    return (heads * model.n_relations + np.array(chosen)).astype(np.int32)


def _spanning_tree(model: SpanningTree, scale: float, k: int, seed: int) -> Labels:
    """Hang trees from node 0; of parallel edges one is drawn for each arc."""
    arcs, gains, _ = tree_arcs(model, scale)
    heads = _core.probabilities.arborescence_samples(arcs, False, k, seed)
    pairs = np.sort(model.edges, axis=1) @ [model.n_nodes, 1]
    order = np.lexsort((np.arange(pairs.size), pairs))
    random, found = np.random.default_rng(seed), np.zeros((k, model.n_variables), np.int32)
    nodes = np.arange(1, model.n_nodes)
    for tree, row in zip(found, heads, strict=True):
        wanted = np.sort(np.stack([nodes, row], axis=1), axis=1) @ [model.n_nodes, 1]
        first, last = (np.searchsorted(pairs[order], wanted, side) for side in ("left", "right"))
        for begin, end in zip(first, last, strict=True):
            parallel = order[begin:end].astype(np.intp)
            tree[parallel if end - begin == 1 else _one_of(parallel, gains, random)] = 1
    return found


def _one_of(parallel: NDArray[np.intp], gains: Doubles, random: np.random.Generator) -> int:
    weights = np.exp(gains[parallel] - gains[parallel].max())
    return int(parallel[falls_on(weights[None], random.random(1))[0]])


def _along_ways(model: Model, scale: float, k: int, seed: int) -> Labels:
    ways = ways_of(model, scale)
    assert ways is not None
    return ways.sample(k, seed)


def _parses(model: Cfg, scale: float, k: int, seed: int) -> Labels:
    return scaled_chart(model, scale).samples(scaled(model.unary, scale), k, seed)


def _every(model: Model, scale: float, k: int, seed: int) -> Labels:
    allowed = allowed_labels(model, ())
    weights = np.concatenate(list(log_weights(model, scale, allowed)))
    refuse_none(float(weights.max(initial=-np.inf)))
    reached = np.cumsum(np.exp(weights - weights.max()))
    random = np.random.default_rng(seed)
    wanted = np.searchsorted(reached, random.random(k) * reached[-1], "right")
    places, found, start = np.minimum(wanted, reached.size - 1), np.zeros((k, model.n_variables), np.int32), 0
    for chunk in labelings_of(allowed):
        here = (places >= start) & (places < start + len(chunk))
        found[here] = chunk[places[here] - start]
        start += len(chunk)
    return found


_SAMPLERS: dict[str, Callable[..., Labels]] = {
    "sum-product": _forest,
    "elimination": _small_width,
    "forward-backward": _along_ways,
    "inside-outside": _parses,
    "enumeration": _every,
}
