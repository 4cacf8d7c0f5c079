# SPDX-License-Identifier: BSD-3-Clause
"""Learning which labeling of a list to take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from hedgehop._arrays import Doubles, finite, is_one_of, number, several
from hedgehop.learning.list_features import FEATURE_NAMES, list_features
from hedgehop.learning.portable import LinearPredictor, Predictor, portable, restored
from hedgehop.lists.result import DiverseList
from hedgehop.metrics import accuracy, mean_iou

_MARGIN_FOLDS = 5
_MARGINS = (0.0, 0.005, 0.01, 0.02, 0.04, np.inf)  # of the loss by which another must be better than the first
_FORMAT = 1
Judge = Callable[[NDArray[np.int32], ArrayLike], ArrayLike]


class Reranker(BaseEstimator):  # type: ignore[misc]
    """Learns from lists and true labelings which one to take (Yadollahpour, Batra, Shakhnarovich, CVPR 2013).

    Parameters
    ----------
    kind : "regression" or "pairwise"
        What is learned: the loss of each labeling, or which one of two is better.
    loss : "iou", "accuracy" or function
        What a labeling loses against the truth: 1 - mean intersection over union, the share of wrong variables, or
        ``loss(labelings, truth)`` of (m, *shape) labelings, which returns (m,) numbers.
    estimator : estimator of scikit-learn, optional
        A regressor, or for "pairwise" a linear classifier; by default extremely randomised trees, and logistic
        regression. Only linear ones and forests can be saved.
    features : function, optional
        Further features of each labeling: ``features(found)`` returns an (m, k) array.
    margin : float or "auto"
        By how much another labeling must be expected to be better than the first one to be taken. "auto" is found by
        cross-validation within the training lists, and may be infinite: then the first one is always taken.

    Attributes
    ----------
    margin_ : float
        The margin that is used.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> from hedgehop.learning import Reranker
    >>> random = np.random.default_rng(0)
    >>> truths = [random.integers(0, 2, 6) for _ in range(40)]
    >>> models = [hh.Chain(np.eye(2)[y] + random.normal(size=(6, 2)), np.zeros((2, 2))) for y in truths]
    >>> lists = [hh.diverse(model, m=3) for model in models]
    >>> machine = Reranker(loss="accuracy", margin=0.0).fit(lists[:30], truths[:30])
    >>> machine.predict(lists[30:]).shape
    (10,)
    """

    def __init__(
        self,
        kind: str = "regression",
        loss: str | Judge = "iou",
        estimator: Any = None,
        features: Callable[[DiverseList], ArrayLike] | None = None,
        margin: float | str = "auto",
    ) -> None:
        self.kind = kind
        self.loss = loss
        self.estimator = estimator
        self.features = features
        self.margin = margin

    def fit(
        self, X: Sequence[DiverseList], y: Sequence[ArrayLike] | None = None, losses: Sequence[ArrayLike] | None = None
    ) -> Reranker:
        """Learn from lists X and their true labelings y; or from the loss of each labeling, (m,) per list."""
        self._check_settings()
        tables, costs = self._tables(X), self._losses(X, y, losses)
        self.n_features_in_ = tables[0].shape[1]
        self.margin_ = self._margin(tables, costs)
        self.predictor_ = self._learned(tables, costs)
        return self

    def predict(self, X: Sequence[DiverseList]) -> NDArray[np.int64]:
        """Return the index of the labeling to take in each list."""
        return np.array([_taken(values, self.margin_) for values in self._predicted(X)], np.int64)

    def rank(self, found: DiverseList) -> NDArray[np.int64]:
        """Return the indices of a list's labelings, the most promising first; the one to take is the first of them."""
        values, taken = self.decision_function([found])[0], int(self.predict([found])[0])
        order = np.argsort(values, kind="stable")
        return np.array([taken, *(k for k in order.tolist() if k != taken)], np.int64)

    def decision_function(self, X: Sequence[DiverseList]) -> list[Doubles]:
        """Return the expected loss of each labeling, up to a constant per list: (m,) per list, lower is better."""
        return self._predicted(X)

    def score(
        self, X: Sequence[DiverseList], y: Sequence[ArrayLike] | None = None, losses: Sequence[ArrayLike] | None = None
    ) -> float:
        """Return 1 - the mean loss of the labelings that are taken."""
        costs = self._losses(X, y, losses)
        return 1.0 - float(np.mean([cost[k] for cost, k in zip(costs, self.predict(X), strict=True)]))

    def save(self, path: str | PathLike[str]) -> None:
        """Write what was learned to an .npz file of plain arrays; `load` reads it."""
        from hedgehop.io.archives import write_archive

        check_is_fitted(self, "predictor_")
        arrays = getattr(self.predictor_, "arrays", None)
        if arrays is None:
            text = f"only linear estimators and forests can be saved; got {type(self.predictor_).__name__}"
            raise ValueError(f"{text}. Use another estimator, or save it in another way.")
        if self.features is not None or callable(self.loss):
            raise ValueError("functions cannot be saved: features must be None, and loss 'iou' or 'accuracy'.")
        margin = self.margin_ if np.isfinite(self.margin_) else None
        header = {
            "format": _FORMAT,
            "kind": self.kind,
            "loss": self.loss,
            "margin": margin,
            "names": list(FEATURE_NAMES),
        }
        write_archive(path, header, arrays)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Reranker:
        """Read what `save` wrote."""
        from hedgehop.io.archives import read_archive
        from hedgehop.io.file_access import damage_as

        with damage_as(f"{path} is not a re-ranker saved by hedgehop"):
            header, arrays = read_archive(path)
            if header["format"] != _FORMAT or tuple(header["names"]) != FEATURE_NAMES:
                raise ValueError("it was written by another version")
            margin = np.inf if header["margin"] is None else float(header["margin"])
            machine = cls(kind=header["kind"], loss=header["loss"], margin=margin)
            machine._check_settings()
            machine.margin_, machine.n_features_in_ = margin, len(FEATURE_NAMES)
            machine.predictor_ = restored(arrays)
            machine.predictor_.predict(np.zeros((1, len(FEATURE_NAMES))))
        return machine

    def _check_settings(self) -> None:
        if not is_one_of(self.kind, ("regression", "pairwise")):
            raise ValueError(f"kind must be 'regression' or 'pairwise'; got {self.kind!r}.")
        if not (callable(self.loss) or is_one_of(self.loss, ("iou", "accuracy"))):
            raise ValueError(f"loss must be 'iou', 'accuracy' or a function; got {self.loss!r}.")
        if self.margin != "auto" and not (isinstance(self.margin, float) and self.margin == np.inf):
            number(self.margin, "margin", low=0.0)

    def _tables(self, lists: Sequence[DiverseList]) -> list[Doubles]:
        found = several(lists, "X", "lists")
        wrong = next((item for item in found if not isinstance(item, DiverseList)), None)
        if wrong is not None or not found:
            raise TypeError(f"X must hold at least one list, each a DiverseList; got {type(wrong).__name__}.")
        return [self._features(item) for item in found]

    def _features(self, found: DiverseList) -> Doubles:
        own = list_features(found)
        if self.features is None:
            return own
        more = finite(self.features(found), "features")
        if more.ndim != 2 or len(more) != len(found):
            raise ValueError(f"features must return {len(found)} rows, one per labeling; got shape {more.shape}.")
        return np.hstack([own, more])

    def _losses(self, lists: Sequence[DiverseList], truths: Any, losses: Any) -> list[Doubles]:
        if (truths is None) == (losses is None):
            raise ValueError("give either the true labelings, y, or the losses.")
        many = several(truths if losses is None else losses, "y" if losses is None else "losses", "arrays")
        if len(many) != len(lists):
            raise ValueError(f"there must be one entry per list ({len(lists)}); got {len(many)}.")
        if losses is not None:
            pairs = zip(lists, many, strict=True)
            return [finite(cost, "losses", shape=(len(found),)) for found, cost in pairs]
        return [self._loss_of(found, truth) for found, truth in zip(lists, many, strict=True)]

    def _loss_of(self, found: DiverseList, truth: ArrayLike) -> Doubles:
        if callable(self.loss):
            return finite(self.loss(found.labelings, truth), "loss", shape=(len(found),))
        measure = mean_iou if self.loss == "iou" else accuracy
        return finite(1.0 - np.asarray(measure(found.labelings, truth)), "loss", shape=(len(found),))

    def _margin(self, tables: list[Doubles], costs: list[Doubles]) -> float:
        """Choose the margin on lists that were left out of learning; ties go to the largest."""
        if self.margin != "auto":
            return float(self.margin)
        folds = min(_MARGIN_FOLDS, len(tables))
        if folds < 2:
            return 0.0
        reached = np.zeros(len(_MARGINS))
        for fold in range(folds):
            kept = [k for k in range(len(tables)) if k % folds != fold]
            predictor = self._learned([tables[k] for k in kept], [costs[k] for k in kept])
            for k in range(fold, len(tables), folds):
                values = _relative(predictor, tables[k])
                reached += [costs[k][_taken(values, margin)] for margin in _MARGINS]
        best = reached.min() + 1e-12 * max(1.0, abs(float(reached.min())))
        return float(_MARGINS[max(np.flatnonzero(reached <= best).tolist())])

    def _learned(self, tables: list[Doubles], costs: list[Doubles]) -> Predictor:
        if self.kind == "pairwise":
            return self._pairwise(tables, costs)
        estimator = clone(self.estimator) if self.estimator is not None else _trees()
        estimator.fit(np.concatenate(tables), np.concatenate([cost - cost.mean() for cost in costs]))
        return portable(estimator) or estimator

    def _pairwise(self, tables: list[Doubles], costs: list[Doubles]) -> Predictor:
        """Learn a linear function of features that is lower for the better one of two, weighted by how much better."""
        differences, better, weights = [], [], []
        for table, cost in zip(tables, costs, strict=True):
            i, j = np.nonzero(cost[:, None] < cost[None])
            differences += [table[j] - table[i], table[i] - table[j]]
            better += [np.ones(i.size), np.zeros(i.size)]
            weights += [cost[j] - cost[i]] * 2
        signs = np.concatenate(better)
        if not signs.size:
            raise ValueError("lists must have labelings of different loss; got only equal ones.")
        spread = np.maximum(np.concatenate(differences).std(axis=0), 1e-12)
        estimator = clone(self.estimator) if self.estimator is not None else _logistic()
        estimator.fit(np.concatenate(differences) / spread, signs, sample_weight=np.concatenate(weights))
        if not hasattr(estimator, "coef_"):
            raise TypeError(f"pairwise needs a linear classifier, with coef_; got {type(estimator).__name__}.")
        return LinearPredictor(np.ravel(estimator.coef_) / spread, np.zeros(1))

    def _predicted(self, lists: Sequence[DiverseList]) -> list[Doubles]:
        check_is_fitted(self, "predictor_")
        return [_relative(self.predictor_, table) for table in self._tables(lists)]


def _relative(predictor: Predictor, table: Doubles) -> Doubles:
    """Return expected losses of a list's labelings against that of the first."""
    values = np.asarray(predictor.predict(table), np.float64)
    return np.asarray(values - values[0])


def _taken(values: Doubles, margin: float) -> int:
    best = int(values.argmin())
    return best if values[best] < values[0] - margin else 0


def _trees() -> Any:
    from sklearn.ensemble import ExtraTreesRegressor

    return ExtraTreesRegressor(100, min_samples_leaf=8, max_features=0.5, random_state=0)


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=0.1, max_iter=1000)
