# SPDX-License-Identifier: BSD-3-Clause
"""Exact log partitions and marginals, wherever the sum over all labelings can be computed.

Forests by sum-product, dependency parses and spanning trees by the matrix-tree theorem, graphs of small width by
elimination, automata and routes without cycles by forward and backward sums, parses by a grammar by inside sums,
everything small by enumeration.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles, Floats, number
from hedgehop._errors import InfeasibleError
from hedgehop.models import Arborescence, Cfg, Model, PairwiseModel, SpanningTree, UnaryModel
from hedgehop.oracles.conditioning import largest_score
from hedgehop.oracles.exact.exhaustive import allowed_labels, bits, labelings_of
from hedgehop.probabilities.elimination import Eliminated
from hedgehop.probabilities.pairs import scaled_pairs
from hedgehop.probabilities.ways import has_exact_ways, ways_of

Sums = tuple[float, Doubles]  # log partition, and (n, L) probabilities
_MOST_SIZE = 1e290  # of scores in all
_MOST_BITS = 18.0  # of the number of labelings that are enumerated


def exact_method(model: Model) -> str | None:
    """Return the name of the method that sums over all labelings; None if none does."""
    if isinstance(model, (Arborescence, SpanningTree)):
        return "matrix-tree"
    if isinstance(model, PairwiseModel):
        if model.is_forest and not model.cliques:
            return "sum-product"
        if model.elimination_order is not None:
            return "elimination"
    if isinstance(model, Cfg):
        return "inside-outside"
    if has_exact_ways(model):
        return "forward-backward"
    return "enumeration" if bits(model, ()) <= _MOST_BITS else None


def exact_sums(model: Model, scale: float) -> Sums:
    """Return the log partition and the marginals of a model that has an exact method, for the scores times a scale."""
    method = exact_method(model)
    if isinstance(model, Arborescence):
        sums = _arborescence(model, scale)
    elif isinstance(model, SpanningTree):
        sums = _spanning_tree(model, scale)
    elif isinstance(model, PairwiseModel) and method != "enumeration":
        sums = _forest(model, scale) if method == "sum-product" else _small_width(model, scale)
    elif isinstance(model, Cfg):
        sums = scaled_chart(model, scale).marginals(scaled(model.unary, scale))
    else:
        ways = ways_of(model, scale) if method == "forward-backward" else None
        sums = _every(model, scale) if ways is None else ways.sums()
    refuse_none(sums[0])
    return sums


def scaled_chart(model: Cfg, scale: float) -> _core.grammars.Chart:
    """Return a grammar's rules with their scores times a scale."""
    return _core.grammars.Chart(model.n_words, len(model.symbols), model.rules, scaled(model.scores, scale))


def refuse_none(log_partition: float) -> None:
    """Refuse a model without any allowed labeling."""
    if not log_partition > -np.inf:
        raise InfeasibleError("no labeling is allowed: every one has a score of -inf.")


def scale_of(model: Model, temperature: float) -> float:
    """Return the factor of the scores at a temperature, which must leave them finite."""
    hot = number(temperature, "temperature", low=0.0, strict=True)
    if _largest(model) * model.n_variables > _MOST_SIZE * min(hot, 1.0):
        text = f"scores divided by the temperature must be below {_MOST_SIZE:g} in all; got a score of size"
        raise ValueError(f"{text} {_largest(model):g} and temperature {hot:g}. Use a larger temperature.")
    return 1.0 / hot


def _largest(model: Model) -> float:
    """Size of the largest finite score; 1 if there is none."""
    return (largest_score(model) if isinstance(model, UnaryModel) else 0.0) or 1.0


def scaled(scores: Floats, scale: float) -> Doubles:
    """Scores times a scale, as the kernels take them; the scores themselves if nothing changes."""
    if scale == 1.0:
        return np.ascontiguousarray(scores, np.float64)
    return np.ascontiguousarray(np.multiply(scores, scale, dtype=np.float64))


def _forest(model: PairwiseModel, scale: float) -> Sums:
    return _core.probabilities.forest_marginals(scaled(model.unary, scale), scaled_pairs(model, scale))


def arc_scores(model: Arborescence, scale: float) -> tuple[Doubles, Doubles]:
    """Scores of arcs summed over their relations, (n, n + 1), and the chance of each relation, (n, n + 1, R)."""
    scores = scaled(model.unary, scale).reshape(model.n_variables, -1, model.n_relations)
    top = scores.max(axis=2, keepdims=True)
    weights = np.exp(scores - np.where(np.isneginf(top), 0.0, top))
    total = weights.sum(axis=2, keepdims=True)
    with np.errstate(divide="ignore"):
        arcs = (top + np.log(total))[:, :, 0]
    return np.ascontiguousarray(arcs), weights / np.where(total > 0, total, 1.0)


def _arborescence(model: Arborescence, scale: float) -> Sums:
    arcs, relations = arc_scores(model, scale)
    total, chances = _core.probabilities.arborescence_marginals(arcs, model.single_root)
    return total, (chances[:, :, None] * relations).reshape(model.n_variables, -1)


def tree_arcs(model: SpanningTree, scale: float) -> tuple[Doubles, Doubles, float]:
    """A spanning tree as an arborescence that hangs from node 0.

    Returns the scores of arcs, (n - 1, n), parallel edges summed; the gain of each edge; and the score of no edge.
    """
    unary = scaled(model.unary, scale)
    gains = unary[:, 1] - unary[:, 0]
    arcs = np.full((model.n_nodes, model.n_nodes), -np.inf)
    for a, b in (model.edges.T, model.edges.T[::-1]):
        np.logaddexp.at(arcs, (a, b), gains)
    return np.ascontiguousarray(arcs[1:]), gains, float(unary[:, 0].sum())


def _spanning_tree(model: SpanningTree, scale: float) -> Sums:
    if model.n_nodes == 1:
        return 0.0, np.zeros((0, 2))
    arcs, gains, base = tree_arcs(model, scale)
    total, chances = _core.probabilities.arborescence_marginals(arcs, False)
    a, b = np.sort(model.edges, axis=1).T  # b > 0: its row is that of node b
    either = chances[b - 1, a] + np.where(a > 0, chances[a - 1, b], 0.0)
    some = ~np.isneginf(gains)
    taken = np.zeros(len(gains))
    taken[some] = either[some] * np.exp(gains[some] - arcs[b[some] - 1, a[some]])  # its share of parallel edges
    return base + total, np.stack([1.0 - taken, taken], axis=1)


def _small_width(model: PairwiseModel, scale: float) -> Sums:
    eliminated = Eliminated.of(model, scale)
    return eliminated.log_partition, eliminated.marginals()


def log_weights(model: Model, scale: float, allowed: NDArray[np.bool_]) -> Iterator[Doubles]:
    """Log weights of all labelings of allowed labels, (n, L), some thousands at a time."""
    for chunk in labelings_of(allowed):
        yield scale * np.atleast_1d(np.asarray(model.score(chunk), np.float64))


def _every(model: Model, scale: float) -> Sums:
    """Enumerate: twice, so that nothing is kept but sums."""
    allowed = allowed_labels(model, ())
    width = int(model.label_counts.max())
    top = max((float(weights.max()) for weights in log_weights(model, scale, allowed)), default=-np.inf)
    refuse_none(top)
    total, counts = 0.0, np.zeros(model.n_variables * width)
    places = np.arange(model.n_variables) * width
    for chunk, logs in zip(labelings_of(allowed), log_weights(model, scale, allowed), strict=True):
        weights = np.exp(logs - top)
        total += float(weights.sum())
        counts += np.bincount((places + chunk).ravel(), np.repeat(weights, model.n_variables), counts.size)
    return top + float(np.log(total)), (counts / total).reshape(-1, width)
