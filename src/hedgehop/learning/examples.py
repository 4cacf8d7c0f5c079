# SPDX-License-Identifier: BSD-3-Clause
"""What a structured machine learns from: features of nodes, edges, and features of edges, whatever the structure."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hedgehop._arrays import Doubles, Labels, as_labelings, finite, integers
from hedgehop.models.pairwise import Edges

_MOST_LABELS = 2**16  # that weights are learned for, unless their number is given


FeatureRows = Any  # rows of doubles: an array, or a scipy.sparse matrix in rows


@dataclass(frozen=True, eq=False)
class Example:
    """One input, checked."""

    node_features: FeatureRows  # (n, d)
    edges: Edges  # (E, 2)
    edge_features: Doubles  # (E, k)
    shape: tuple[int, ...]  # of one labeling
    scores: Doubles | None = None  # (n, L), of labels: not learned but added as they are
    kinds: Doubles | None = None  # (n, L, j), several kinds of such scores: a weight is learned for each

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return int(self.node_features.shape[0])

    @property
    def n_kinds(self) -> int:
        """Number of kinds of scores."""
        return 0 if self.kinds is None else int(self.kinds.shape[2])

    @property
    def n_labels(self) -> int:
        """Number of labels that scores were given for, 0 without any."""
        given = self.scores if self.kinds is None else self.kinds
        return 0 if given is None else int(given.shape[1])

    def added(self, labeling: Labels) -> float:
        """Return what the scores that are not learned give a labeling."""
        return 0.0 if self.scores is None else float(self.scores[np.arange(labeling.size), labeling].sum())


def feature_rows(values: Any, name: str) -> FeatureRows:
    """Check features, dense or sparse; sparse ones stay so."""
    if not (hasattr(values, "tocsr") and hasattr(values, "nnz")):
        return finite(values, name)
    rows = values.tocsr().astype(np.float64)
    if not np.isfinite(rows.data).all():
        raise ValueError(f"{name} must be finite; got nan or infinite values.")
    return rows


def node_features(values: Any, ndim: tuple[int, ...], wanted: str) -> FeatureRows:
    """Check features of nodes, the last axis being the features."""
    nodes = feature_rows(values, "node features")
    if nodes.ndim not in ndim or 0 in nodes.shape[:-1]:
        raise ValueError(f"node features must have shape {wanted} with at least one variable; got {nodes.shape}.")
    return nodes


def edge_features(values: ArrayLike | None, n_edges: int) -> Doubles:
    """Check features of edges; without any, each edge has the one feature 1."""
    if values is None:
        return np.ones((n_edges, 1))
    features = finite(values, "edge features")
    if features.ndim != 2 or len(features) != n_edges or features.shape[1] == 0:
        raise ValueError(f"edge features must have shape (E, k) with E = {n_edges}; got {features.shape}.")
    return features


def with_scores(example: Example, values: ArrayLike | None) -> Example:
    """Check scores of labels, (n, L) to be added or (n, L, k) to be weighted, and put them into the example."""
    if values is None:
        return example
    scores, shape = finite(values, "scores"), example.shape
    rest = scores.shape[len(shape) :]
    if scores.shape[: len(shape)] != shape or len(rest) not in (1, 2) or 0 in rest:
        raise ValueError(f"scores must have shape {(*shape, 'L')} or {(*shape, 'L', 'k')}; got {scores.shape}.")
    flat = scores.reshape(-1, *rest)
    return replace(example, scores=flat) if len(rest) == 1 else replace(example, kinds=flat)


def parts_of(x: Any, names: tuple[str, ...]) -> list[Any]:
    """Split one input, node features or a tuple that begins with them, into its parts; None where left out."""
    parts = list(x) if isinstance(x, tuple) else [x]
    if not 1 <= len(parts) <= len(names):
        raise ValueError(f"an input must be a tuple of {', '.join(names)}; got {len(parts)} parts.")
    return parts + [None] * (len(names) - len(parts))


def as_many(**parts: Sized) -> None:
    """Refuse parts of different lengths, and empty ones."""
    sizes = [len(part) for part in parts.values()]
    if len(set(sizes)) > 1 or 0 in sizes:
        names, got = " and ".join(parts), " and ".join(map(str, sizes))
        raise ValueError(f"{names} must have the same length, at least 1; got {got}.")


def truth_of(example: Example, y: ArrayLike, n_labels: int | None = None) -> Labels:
    """Check the right labeling of an example, flat."""
    highest = np.iinfo(np.int32).max if n_labels is None else n_labels
    counts = np.full(example.n_variables, highest, np.int64)
    least = int(integers(y, "y").min(initial=0))
    if least < 0:
        raise ValueError(f"y must hold labels 0, 1, 2, ...; got {least}. Leave out variables whose label is unknown.")
    flat, single = as_labelings(y, example.shape, counts)
    if n_labels is None and int(flat.max(initial=0)) >= _MOST_LABELS:
        text = f"y must hold labels below {_MOST_LABELS}; got {int(flat.max())}"
        raise ValueError(f"{text}. Number them 0, 1, 2, ..., or pass n_labels if there are so many.")
    if not single:
        raise ValueError(f"y must hold one labeling of shape {example.shape} per input; got {np.shape(y)}.")
    return np.asarray(flat[0])
