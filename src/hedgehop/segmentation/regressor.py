# SPDX-License-Identifier: BSD-3-Clause
"""Class scores without a network: one linear regressor per class on second-order pooled features."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, integers, number, positive_count
from hedgehop._errors import need
from hedgehop.io.file_access import atomic_write
from hedgehop.segmentation.features import pooled
from hedgehop.segmentation.images import ImageLike
from hedgehop.segmentation.scene import Scene
from hedgehop.segmentation.superpixels import Superpixels

_FOLDS = 4
LinearScores = tuple[Doubles, Doubles]  # weights (features, labels), and what is added


class PooledRegressor:
    """Ridge regression of the share of each class in a superpixel: weak scores, as before deep networks.

    Parameters
    ----------
    n_labels : int
        Number of classes.
    n_segments : int
        Approximate number of superpixels per image.
    alpha : float
        Strength of the regularisation.
    balance : float
        0 weights all pixels equally, 1 all classes.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> images = [np.full((30, 40, 3), 0.1), np.full((30, 40, 3), 0.9)]
    >>> images[0][:, 20:], images[1][:, :20] = 0.9, 0.1
    >>> truths = [(image[..., 0] > 0.5).astype(int) for image in images]  # class 1 is bright
    >>> regressor = hh.segmentation.PooledRegressor(2, n_segments=20, alpha=1.0).fit(images, truths)
    >>> scene = hh.segmentation.from_scores(regressor.scores(images[0]), images[0], n_segments=20)
    >>> found = scene.suggest(m=1)
    >>> float(found.pixel_accuracy(truths[0])[0]) > 0.9
    True
    """

    def __init__(self, n_labels: int, n_segments: int = 500, alpha: float = 3000.0, balance: float = 0.4) -> None:
        self.n_labels = positive_count(n_labels, "n_labels")
        self.n_segments = positive_count(n_segments, "n_segments")
        self.alpha = number(alpha, "alpha", low=0.0, strict=True)
        self.balance = number(balance, "balance", low=0.0)
        self._model: LinearScores | None = None
        self._sharpness = 1.0

    def fit(self, images: Iterable[ImageLike], truths: Iterable[ArrayLike], ignore: int = 255) -> PooledRegressor:
        """Learn from images and their label maps, (H, W) each; pixels whose truth is `ignore` do not count."""
        examples = []
        for k, (image, truth) in enumerate(zip(images, truths, strict=True)):
            segments, described = self._describe(image)
            counts = count_labels(segments, integers(truth, "truth"), self.n_labels, ignore)
            areas = counts.sum(axis=1)
            known = areas > 0
            shares = counts[known] / areas[known, None]
            examples.append((described[known], shares, areas[known], np.full(int(known.sum()), k)))
        if not examples:
            raise ValueError("images must contain at least one image with its true label map; got none.")
        self._learn(*map(np.concatenate, zip(*examples, strict=True)))
        return self

    def scores(self, image: ImageLike) -> Doubles:
        """Return scores of an image, (H, W, L), equal within each superpixel; in logits."""
        learned = self._learned()
        segments, described = self._describe(image)
        return np.asarray((self._sharpness * self._predict(learned, described))[segments])

    def save(self, path: str | PathLike[str]) -> None:
        """Write what was learned to a ``.npz`` file."""
        factors, added = self._learned()
        settings = np.array([self.n_labels, self.n_segments, self.alpha, self.balance, self._sharpness])
        with atomic_write(path) as file:
            np.savez_compressed(file, settings=settings, factors=factors, added=added)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> PooledRegressor:
        """Read what `save` wrote."""
        with np.load(path, allow_pickle=False) as held:
            n_labels, n_segments, alpha, balance, sharpness = held["settings"].tolist()
            regressor = cls(int(n_labels), int(n_segments), alpha, balance)
            regressor._model, regressor._sharpness = (held["factors"], held["added"]), sharpness
        return regressor

    def _learned(self) -> LinearScores:
        if self._model is None:
            raise ValueError("the regressor is not fitted. Call fit(images, truths) first.")
        return self._model

    def _describe(self, image: ImageLike) -> tuple[NDArray[np.int32], Doubles]:
        scene = Scene(image, self.n_segments)
        return scene.superpixels.segments, pooled(scene.lab, scene.superpixels)

    def _learn(self, features: Doubles, shares: Doubles, areas: Doubles, image_of: NDArray[np.int64]) -> None:
        frequency = np.maximum(areas @ shares / areas.sum(), 1e-6)
        weights = areas / areas.mean() * (shares @ frequency**-self.balance)
        left_out = np.zeros_like(shares)
        folds = min(_FOLDS, int(image_of.max()) + 1)
        for fold in range(folds if folds > 1 else 0):
            out = image_of % folds == fold
            left_out[out] = self._predict(self._regress(features[~out], shares[~out], weights[~out]), features[out])
        self._sharpness = _sharpness(left_out, shares, areas) if folds > 1 else 1.0
        self._model = self._regress(features, shares, weights)

    def _regress(self, features: Doubles, shares: Doubles, weights: Doubles) -> LinearScores:
        from numpy.linalg import norm

        linear = need("sklearn.linear_model", "segmentation", "PooledRegressor")
        mean = features.mean(axis=0)
        scale = np.maximum(features.std(axis=0), 1e-6 * max(1.0, float(norm(mean))))
        ridge = linear.Ridge(alpha=self.alpha).fit((features - mean) / scale, shares, sample_weight=weights)
        factors = ridge.coef_.reshape(-1, mean.size).T / scale[:, None]
        return factors, ridge.intercept_ - mean @ factors

    @staticmethod
    def _predict(model: LinearScores, features: Doubles) -> Doubles:
        return np.asarray(features @ model[0] + model[1])


def count_labels(segments: NDArray[np.int32], truth: NDArray[np.int64], n_labels: int, ignore: int = 255) -> Doubles:
    """How many pixels of each superpixel truly have each label, (n, L)."""
    if segments.shape != truth.shape:
        raise ValueError(f"truth must have the image's shape {segments.shape}; got {truth.shape}.")
    known = truth != ignore
    labels = truth[known]
    if labels.size and not 0 <= labels.min() <= labels.max() < n_labels:
        raise ValueError(f"truth must hold labels 0..{n_labels - 1}, or {ignore}; got {labels.min()}..{labels.max()}.")
    return Superpixels(segments).counts(np.where(known, truth, -1), n_labels).astype(np.float64)


def _sharpness(predicted: Doubles, shares: Doubles, areas: Doubles) -> float:
    """The factor that makes predictions for images left out the best logits: least cross-entropy."""
    from scipy.optimize import minimize_scalar
    from scipy.special import log_softmax

    def loss(power: float) -> float:
        return -float(areas @ (shares * log_softmax(np.exp(power) * predicted, axis=1)).sum(axis=1))

    return float(np.exp(minimize_scalar(loss, bounds=(-3.0, 6.0), method="bounded").x))
