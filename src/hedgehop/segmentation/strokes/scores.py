# SPDX-License-Identifier: BSD-3-Clause
"""Scores of labels learned from strokes: several classifiers, since each errs in different places."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop import _core
from hedgehop._arrays import Doubles
from hedgehop._errors import need
from hedgehop.segmentation.scene import Scene
from hedgehop.segmentation.scribbles import check_scribbles, lay_on
from hedgehop.segmentation.superpixels import Seeds, path_lengths, walk_probabilities

_TREES = 100
_FEWER_TREES = 40  # are as good where the place is known, or where a score is one of many
_MOST_EXAMPLES = 2000  # per label; more strokes than that tell nothing new
_MIXTURE_WIDTH = 5.0  # in Lab
_WORST_SCORE = -1e100  # finite, so that mixtures are


class SeedScores:
    """Some superpixels whose labels are known, and the scores learned from them; each classifier is trained once.

    Attributes
    ----------
    scene : Scene
    taught : (n,) array
        The label of each superpixel to learn from, -1 for the others.
    n_labels : int
        Number of labels.
    examples, labels : (k,) arrays
        Superpixels to learn from, evenly thinned to at most about ``_MOST_EXAMPLES`` per label, and their labels.
    """

    def __init__(self, scene: Scene, taught: Seeds, n_labels: int) -> None:
        self.scene, self.taught, self.n_labels = scene, taught, n_labels
        each = [np.flatnonzero(taught == k) for k in range(n_labels)]
        self.examples = np.concatenate([c[:: max(1, c.size // _MOST_EXAMPLES)] for c in each])
        self.labels = taught[self.examples]
        self._raw: dict[str, Doubles] = {}
        self._known: dict[str, Doubles] = {}

    def raw(self, name: str) -> Doubles:
        """Return a score by name, (n, L), in the units of its classifier."""
        if name not in self._raw:
            check_name(name)
            _core.check_stop()
            self._raw[name] = CLASSIFIERS[name](self)
        return self._raw[name]

    def score(self, name: str) -> Doubles:
        """Return a score by name, (n, L), such that the median superpixel prefers its best label by 1."""
        if name not in self._known:
            self._known[name] = in_units(self.raw(name))
        return self._known[name]

    def mix(self, weights: Mapping[str, float]) -> Doubles:
        """Return the mean of several scores, (n, L), in the same units."""
        return in_units(sum((w * self.score(name) for name, w in weights.items()), np.zeros(())))


class StrokeScores(SeedScores):
    """Strokes on a scene and the scores of labels learned from them.

    Without a stroke of the background, the frame of the image is taught for it.

    Attributes
    ----------
    drawn, solved : (H, W), (h, w) arrays
        Label of each pixel with a stroke, -1 elsewhere, at the size of the image and at the size that is solved.
    seeds : (n,) array
        The same of each superpixel.
    """

    def __init__(self, scene: Scene, scribbles: ArrayLike) -> None:
        self.drawn = check_scribbles(scribbles, scene.shape)
        n_labels = int(self.drawn.max()) + 1
        self.solved = scene.shrink_strokes(self.drawn)
        self.seeds = lay_on(scene.superpixels, self.solved, n_labels)
        super().__init__(scene, _with_background(self.seeds, scene.superpixels.frame, n_labels), n_labels)


def _with_background(seeds: Seeds, frame: NDArray[np.bool_], n_labels: int) -> Seeds:
    """Return the seeds and, if none is background, the frame of the image for that."""
    missing = sorted(set(range(1, n_labels)) - set(seeds.tolist()))
    if missing:
        raise ValueError(
            f"scribbles must use every number from 2 to {n_labels}; got no stroke of {missing[0] + 1}. Renumber them."
        )
    if (seeds == 0).any():
        return seeds
    taught = np.where(frame & (seeds < 0), 0, seeds)
    if not (taught == 0).any():
        raise ValueError("scribbles must mark some background (1): the strokes of objects cover the whole frame.")
    return taught


def in_units(scores: Doubles) -> Doubles:
    """Scores such that the median lead of the best label over the second is 1, and the best label scores 0."""
    two = np.sort(scores, axis=1)[:, -2:]
    lead = two[:, 1] - two[:, 0]
    unit = float(np.median(lead)) or float(lead.mean()) or 1.0
    with np.errstate(over="ignore"):  # the median lead may be next to nothing
        return np.maximum((scores - two[:, 1:]) / unit, _WORST_SCORE)


def _forest(count: int, *names: str) -> Callable[[SeedScores], Doubles]:
    """Log probabilities of extremely randomised trees on some of the features."""

    def score(given: SeedScores) -> Doubles:
        examples, labels = given.examples.astype(np.int32), given.labels.astype(np.int32)
        chances = _core.learning.extra_trees(_rows(given, names), examples, labels, given.n_labels, count, 0)
        return np.log(np.clip(chances, 0.02, 0.98))

    return score


def _svm(*names: str) -> Callable[[SeedScores], Doubles]:
    """Distances to the margins of a support vector machine with a Gaussian kernel."""

    def score(given: SeedScores) -> Doubles:
        machine = need("sklearn.svm", "segmentation", "hh.Segmenter").SVC(gamma=0.5, C=1.0, class_weight="balanced")
        rows = _rows(given, names)
        machine.fit(rows[given.examples], given.labels)
        return _per_label(machine.decision_function(rows))

    return score


def _transductive(given: SeedScores) -> Doubles:
    """Distances to the margins of a support vector machine that also learns from superpixels without a stroke."""
    from hedgehop.learning import TransductiveSVM

    rows = _rows(given, ("color", "texture", "place"))
    labels = np.full(len(rows), -1)
    labels[given.examples] = given.labels
    return _per_label(TransductiveSVM(gamma=0.5).fit(rows, labels).decision_function(rows))


def _mixture(given: SeedScores) -> Doubles:
    """Log likelihoods of a mixture of Gaussian colours for each label, one around each of its examples."""
    from scipy.spatial.distance import cdist
    from scipy.special import logsumexp

    colors = given.scene.features.lab / _MIXTURE_WIDTH
    closeness = -0.5 * cdist(colors, colors[given.examples], "sqeuclidean")
    own = [closeness[:, given.labels == k] for k in range(given.n_labels)]
    scores = np.stack([logsumexp(c, axis=1) - np.log(c.shape[1]) for c in own], axis=1)
    return np.asarray(np.maximum(scores - scores.max(axis=1, keepdims=True), -8.0))


def _walker(given: SeedScores) -> Doubles:
    """Log probabilities of a random walk."""
    return np.asarray(np.log(np.clip(walk_probabilities(given.scene.graph, given.taught, given.n_labels), 0.01, 0.99)))


def _geodesic(given: SeedScores) -> Doubles:
    """Minus the length of paths to the strokes, long where the probabilities of the trees change."""
    graph = given.scene.graph
    i, j = graph.edges.T
    probability = np.exp(given.score("trees"))
    probability /= probability.sum(axis=1, keepdims=True)
    change = np.abs(probability[i] - probability[j]).sum(axis=1) / 2.0
    return -path_lengths(graph, change + 0.02 * graph.steps, given.taught, given.n_labels)


CLASSIFIERS: dict[str, Callable[[SeedScores], Doubles]] = {
    "trees": _forest(_TREES, "color"),
    "svm": _svm("color", "texture", "place"),
    "walker": _walker,
    "trees+place": _forest(_FEWER_TREES, "color", "place"),
    "trees+texture": _forest(_FEWER_TREES, "color", "texture"),
    "words": _svm("words", "texture"),
    "mixture": _mixture,
    "geodesic": _geodesic,
    "transductive": _transductive,
}


def check_name(name: str) -> None:
    """Refuse scores that do not exist."""
    if name not in CLASSIFIERS:
        raise ValueError(f"scores must be among {', '.join(CLASSIFIERS)}; got {name!r}.")


def _rows(given: SeedScores, names: tuple[str, ...]) -> Doubles:
    return np.hstack([getattr(given.scene.features, name) for name in names])


def _per_label(decision: Doubles) -> Doubles:
    """Decisions between two labels, (n,), as one column per label."""
    return np.stack([-decision, decision], axis=1) / 2.0 if decision.ndim == 1 else decision
