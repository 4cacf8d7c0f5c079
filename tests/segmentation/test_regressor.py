# SPDX-License-Identifier: BSD-3-Clause
"""Second-order pooled features and the regressors on them."""

from __future__ import annotations

import numpy as np
import pytest

import hedgehop as hh

pytest.importorskip("skimage")
pytest.importorskip("sklearn")
from hedgehop.segmentation.features import _log_euclidean, pooled
from hedgehop.segmentation.regressor import count_labels
from hedgehop.segmentation.superpixels import Superpixels


def scene(seed):
    """Stripes on the left (class 1), noise of the same mean colour on the right (class 2), grey around (class 0)."""
    random = np.random.default_rng(seed)
    image, truth = np.full((60, 80, 3), 0.5), np.zeros((60, 80), int)
    shift = int(random.integers(0, 8))
    image[10:50, 5 + shift : 35] += 0.3 * np.sign(np.sin(np.arange(30 - shift)))[None, :, None]
    image[10:50, 45:75] += random.normal(0, 0.15, (40, 30, 1))
    truth[10:50, 5 + shift : 35], truth[10:50, 45:75] = 1, 2
    return np.clip(image, 0, 1), truth


def test_regressors_tell_textures_of_new_images_apart(tmp_path):
    images, truths = zip(*map(scene, range(6)), strict=True)
    regressor = hh.segmentation.PooledRegressor(3, n_segments=80, alpha=10.0).fit(images, truths)
    image, truth = scene(9)
    scores = regressor.scores(image)
    assert scores.shape == (60, 80, 3)
    assert np.isfinite(scores).all()
    assert hh.metrics.accuracy(scores.argmax(axis=-1), truth) > 0.8
    assert (scores == regressor.scores(image)).all()
    regressor.save(tmp_path / "learned.npz")
    assert (hh.segmentation.PooledRegressor.load(tmp_path / "learned.npz").scores(image) == scores).all()
    best = hh.segmentation.from_scores(scores, image, n_segments=80).suggest(m=1)
    assert best.pixel_accuracy(truth)[0] > 0.8


def test_logarithms_of_covariances_are_those_of_the_matrices():
    random = np.random.default_rng(0)
    roots = random.normal(size=(4, 3, 3))
    matrices = roots @ roots.swapaxes(1, 2)
    rows, columns = np.triu_indices(3)
    flat = _log_euclidean(matrices[:, rows, columns], 3)
    for matrix, found in zip(matrices, flat, strict=True):
        values, vectors = np.linalg.eigh(matrix + 1e-3 * np.eye(3))
        logarithm = vectors @ np.diag(np.log(values)) @ vectors.T
        assert np.linalg.norm(found) == pytest.approx(np.linalg.norm(logarithm))


def test_one_superpixel_has_features():
    superpixels = Superpixels(np.zeros((4, 5), np.int32))
    features = pooled(np.zeros((4, 5, 3)), superpixels)
    assert len(features) == 1
    assert np.isfinite(features).all()


def test_pixels_are_counted_by_superpixel_and_truth():
    segments = np.array([[0, 0, 1]], np.int32)
    assert count_labels(segments, np.array([[1, 1, 255]]), 2).tolist() == [[0.0, 2.0], [0.0, 0.0]]


def test_wrong_use_is_told():
    fresh = hh.segmentation.PooledRegressor(2)
    with pytest.raises(ValueError, match="is not fitted"):
        fresh.scores(np.zeros((8, 8)))
    with pytest.raises(ValueError, match="at least one image"):
        fresh.fit([], [])
    with pytest.raises(ValueError, match="truth must have the image's shape"):
        fresh.fit([np.zeros((8, 8))], [np.zeros((4, 4), int)])
    with pytest.raises(ValueError, match="truth must hold labels"):
        fresh.fit([np.zeros((8, 8))], [np.full((8, 8), 2)])
