# SPDX-License-Identifier: BSD-3-Clause
"""Fitted estimators of scikit-learn as plain arrays: what files can hold without pickled objects."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles

Arrays = dict[str, NDArray[Any]]


class Predictor(Protocol):
    """From (k, features) to (k,) numbers."""

    def predict(self, features: Doubles) -> Doubles:
        """Return one number per row."""


class LinearPredictor:
    """A linear function."""

    def __init__(self, factors: Doubles, added: Doubles) -> None:
        self.arrays: Arrays = {"factors": factors, "added": added}

    def predict(self, features: Doubles) -> Doubles:
        """Return one number per row."""
        return np.asarray(features @ self.arrays["factors"] + self.arrays["added"][0])


class ForestPredictor:
    """The mean of decision trees, their nodes end to end; leaves point to themselves."""

    def __init__(self, **arrays: NDArray[Any]) -> None:
        self.arrays: Arrays = arrays

    def predict(self, features: Doubles) -> Doubles:
        """Return one number per row."""
        a, single = self.arrays, features.astype(np.float32)  # as scikit-learn compares
        at = np.repeat(a["roots"][None], len(features), axis=0)
        rows = np.arange(len(features))[:, None]
        for _ in range(int(a["depth"][0])):
            left = single[rows, a["feature"][at]] <= a["threshold"][at]
            at = np.where(left, a["left"][at], a["right"][at])
        return np.asarray(a["value"][at].mean(axis=1))


def portable(estimator: Any) -> LinearPredictor | ForestPredictor | None:
    """Return a fitted estimator as arrays: linear ones, perhaps behind a scaler, and forests of trees; else None."""
    scale, shift, last = None, None, estimator
    if hasattr(estimator, "steps"):
        scalers, last = [step for _, step in estimator.steps[:-1]], estimator.steps[-1][1]
        if len(scalers) != 1 or type(scalers[0]).__name__ != "StandardScaler":
            return None
        shift, scale = scalers[0].mean_, scalers[0].scale_
    if hasattr(last, "coef_") and np.size(last.intercept_) == 1:
        factors = np.ravel(last.coef_).astype(np.float64)
        if scale is not None:
            factors = factors / scale
        added = float(np.ravel(last.intercept_)[0]) - (float(factors @ shift) if shift is not None else 0.0)
        return LinearPredictor(factors, np.array([added]))
    names = ("ExtraTreesRegressor", "RandomForestRegressor")
    return _trees(last) if scale is None and type(last).__name__ in names else None


def _trees(forest: Any) -> ForestPredictor:
    trees = [estimator.tree_ for estimator in forest.estimators_]
    roots = np.cumsum([0, *(tree.node_count for tree in trees)])[:-1]
    parts: dict[str, list[Any]] = {"feature": [], "threshold": [], "left": [], "right": [], "value": []}
    for root, tree in zip(roots, trees, strict=True):
        leaf, own = tree.children_left < 0, np.arange(tree.node_count)
        parts["feature"].append(np.maximum(tree.feature, 0))
        parts["threshold"].append(tree.threshold)
        parts["left"].append(root + np.where(leaf, own, tree.children_left))
        parts["right"].append(root + np.where(leaf, own, tree.children_right))
        parts["value"].append(tree.value[:, 0, 0])
    depth = np.array([max(tree.max_depth for tree in trees)])
    return ForestPredictor(roots=roots, depth=depth, **{name: np.concatenate(part) for name, part in parts.items()})


def restored(arrays: Arrays) -> LinearPredictor | ForestPredictor:
    """Return what was kept; refuse arrays that do not fit together."""
    if "factors" in arrays:
        return LinearPredictor(arrays["factors"], arrays["added"])
    names = ("roots", "depth", "feature", "threshold", "left", "right", "value")
    trees, count = ForestPredictor(**{name: arrays[name] for name in names}), len(arrays["value"])
    places = [arrays[name] for name in ("roots", "left", "right")]
    inside = all(place.size and 0 <= place.min() <= place.max() < count for place in places)
    if not inside or any(len(arrays[name]) != count for name in ("feature", "threshold", "left", "right")):
        raise ValueError("its trees do not fit together")
    return trees
