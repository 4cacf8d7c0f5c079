# SPDX-License-Identifier: BSD-3-Clause
"""A support vector machine that also looks at the examples without labels (Joachims 1999).

Minimised over w, b and the labels of the unlabelled::

    1/2 |w|^2 + C sum_labelled loss(y f(x)) + C* sum_unlabelled loss(y* f(x)),   loss(t) = max(0, 1 - t)^2

with a fixed share of the unlabelled on the positive side. C* grows from nearly nothing to its value. A positive and a
negative example are switched whenever that lowers the loss, so every round ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y

from hedgehop._arrays import Doubles

Train = Callable[[Doubles, Doubles], Doubles]  # labels and weights of all examples -> values of f at all examples


class TransductiveSVM(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Transductive support vector machine: the margin also avoids the examples without a label (-1).

    With several classes, one machine per class against the rest. Deterministic.

    Parameters
    ----------
    kernel : "rbf" or "linear"
        "rbf" approximates a Gaussian kernel by `n_components` Nystroem features.
    gamma : float
        Sharpness of the Gaussian kernel ``exp(-gamma |x - x'|^2)``.
    C : float
        Weight of the labelled examples.
    unlabelled_weight : float
        Weight of all unlabelled examples together, against that of all labelled ones.
    balance : float or None
        Share of the unlabelled that belongs to the second class (two classes only); None uses the share that a
        machine without unlabelled examples finds. Without it, all might fall on one side.
    n_components : int
        Features of the approximated kernel.
    max_rounds : int
        Maximum number of rounds of label switching for each weight.

    Attributes
    ----------
    classes_ : (k,) array
        The labels in the training data.
    transduction_ : (n,) array
        The label of each example of `fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgehop.learning import TransductiveSVM
    >>> x = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]])
    >>> machine = TransductiveSVM(kernel="linear", C=10.0).fit(x, [0, -1, -1, -1, -1, 1])
    >>> machine.predict(x).tolist()
    [0, 0, 0, 1, 1, 1]
    """

    def __init__(
        self,
        kernel: str = "rbf",
        gamma: float = 0.5,
        C: float = 1.0,
        unlabelled_weight: float = 0.5,
        balance: float | None = None,
        n_components: int = 100,
        max_rounds: int = 5,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.C = C
        self.unlabelled_weight = unlabelled_weight
        self.balance = balance
        self.n_components = n_components
        self.max_rounds = max_rounds

    def fit(self, X: ArrayLike, y: ArrayLike) -> TransductiveSVM:
        """Learn from rows X with labels y, -1 where there is none."""
        rows, labels = check_X_y(X, y)
        self.n_features_in_ = rows.shape[1]
        self.classes_ = np.unique(labels[labels != -1])
        self._refuse()
        features = self._fit_features(rows)
        pairs = self.classes_[1:] if self.classes_.size == 2 else self.classes_
        self.machines_ = [self._fit_one(features, _signs(labels, positive)) for positive in pairs]
        known = labels != -1
        self.transduction_ = np.where(known, labels, self.predict(rows))
        return self

    def decision_function(self, X: ArrayLike) -> Doubles:
        """Signed distances to the margins: (n,) for two classes, otherwise (n, k)."""
        check_is_fitted(self)
        features = self._features(check_array(X))
        values = np.stack([m.decision_function(features) for m in self.machines_], axis=1)
        return values[:, 0] if self.classes_.size == 2 else values

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The label of each row."""
        values = self.decision_function(X)
        places = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        return np.asarray(self.classes_[places])

    def _refuse(self) -> None:
        if self.kernel not in ("rbf", "linear"):
            raise ValueError(f'kernel must be "rbf" or "linear"; got {self.kernel!r}.')
        if self.classes_.size < 2:
            raise ValueError(f"y must have at least two classes besides -1 (no label); got {self.classes_.tolist()}.")
        if self.balance is not None and (self.classes_.size > 2 or not 0 < self.balance < 1):
            raise ValueError(f"balance must be a share between 0 and 1, for two classes; got {self.balance!r}.")

    def _fit_features(self, rows: Doubles) -> Doubles:
        if self.kernel == "linear":
            self.map_ = None
            return rows
        from sklearn.kernel_approximation import Nystroem

        count = min(self.n_components, len(rows))
        self.map_ = Nystroem(gamma=self.gamma, n_components=count, random_state=0).fit(rows)
        return self._features(rows)

    def _features(self, rows: Doubles) -> Doubles:
        return rows if self.map_ is None else np.asarray(self.map_.transform(rows))

    def _fit_one(self, features: Doubles, signs: Doubles) -> Any:
        from sklearn.svm import LinearSVC

        machine = LinearSVC(C=self.C, dual=False)

        def train(labels: Doubles, weights: Doubles) -> Doubles:
            used = weights > 0
            machine.fit(features[used], labels[used], sample_weight=(weights * balanced)[used])
            return np.asarray(machine.decision_function(features))

        balanced = _balance(signs)
        free = signs == 0
        if not free.any():
            train(signs, np.ones(signs.size))
            return machine
        share = self.balance
        if share is None:
            share = float((train(signs, (~free).astype(np.float64))[free] > 0).mean())
        weight = self.unlabelled_weight * float((~free).sum()) / float(free.sum())
        _switch_labels(signs, share, weight, train, self.max_rounds)
        return machine


def _signs(labels: NDArray[Any], positive: Any) -> Doubles:
    return np.where(labels == -1, 0.0, np.where(labels == positive, 1.0, -1.0))


def _balance(signs: Doubles) -> Doubles:
    """Weights that make the labelled of both signs count alike; 1 for the unlabelled."""
    weights = np.ones(signs.size)
    known = (signs != 0).sum()
    for sign in (1.0, -1.0):
        own = signs == sign
        weights[own] = known / (2.0 * own.sum())
    return weights


def _switch_labels(labels: Doubles, share: float, unlabelled_weight: float, train: Train, rounds: int) -> Doubles:
    """Return labels +1 and -1 of all examples, of which `labels` knows some; 0 is unlabelled.

    A `share` of those goes to the positive side; their weight C* / C grows to `unlabelled_weight`, with at most
    `rounds` fits for each.
    """
    free = np.asarray(labels == 0)
    values = train(labels, (~free).astype(np.float64))
    guess: Doubles = labels.copy()
    guess[free] = _split(values[free], share)
    weight = min(unlabelled_weight, 1e-3)
    while True:
        for _ in range(rounds):
            values = train(guess, np.where(free, weight, 1.0))
            pairs = _worth_switching(guess[free], values[free])
            if not pairs.size:
                break
            where = np.flatnonzero(free)[pairs.ravel()]
            guess[where] = -guess[where]
        if weight >= unlabelled_weight:
            return guess
        weight = min(unlabelled_weight, 4.0 * weight)


def _split(values: Doubles, share: float) -> Doubles:
    """+1 for the given share with the largest values (at least one on each side, if there are two)."""
    count = round(share * values.size)
    count = min(max(count, 1), values.size - 1) if values.size > 1 else count
    signs = -np.ones(values.size)
    signs[np.argsort(-values, kind="stable")[:count]] = 1.0
    return signs


def _worth_switching(signs: Doubles, values: Doubles) -> NDArray[np.intp]:
    """Pairs (positive, negative) of examples whose loss falls when they exchange labels, worst first, (k, 2)."""
    regret = np.maximum(0.0, 1.0 - signs * values) ** 2 - np.maximum(0.0, 1.0 + signs * values) ** 2
    up = np.flatnonzero(signs > 0)
    down = np.flatnonzero(signs < 0)
    up = up[np.argsort(-regret[up], kind="stable")]
    down = down[np.argsort(-regret[down], kind="stable")]
    k = min(up.size, down.size)
    pairs = np.stack([up[:k], down[:k]], axis=1)
    return np.asarray(pairs[regret[pairs].sum(axis=1) > 1e-6])
