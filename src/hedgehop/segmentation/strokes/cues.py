# SPDX-License-Identifier: BSD-3-Clause
"""What is known of each superpixel once an object was marked: opinions of classifiers, distances, how much was drawn.

With the first stroke of the background, classifiers no longer learn that the frame of the image is background; then
far regions unlike both strokes become object. So some opinions come twice: from the strokes, and from the strokes and
the frame.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles
from hedgehop.models.edges import components
from hedgehop.segmentation.strokes.frame import bottlenecks, color_paths, diagonal, nearest_of
from hedgehop.segmentation.strokes.scores import SeedScores
from hedgehop.segmentation.superpixels import Graph, Seeds

OPINIONS = ("trees", "svm", "walker", "mixture", "geodesic", "words", "trees+place", "trees+texture")
FRAMED = ("trees", "svm", "walker", "mixture")
PLAIN_MEAN = {"trees": 1.0, "svm": 1.0, "walker": 0.5}
NAMES = (
    *OPINIONS, *(f"framed {name}" for name in FRAMED), "trees around", "framed trees around", "mean",
    "path to object", "path to background", "path to frame",
    "bottleneck to object", "bottleneck to background", "bottleneck to frame",
    "color of object", "color of background", "color of frame", "color of any",
    "place of object", "place of background", "place of frame", "place by extent", "place by centre",
    "area", "at frame",
    "object drawn", "background drawn", "no background", "object strokes", "background strokes",
    "share of mean", "share of framed trees",
)  # fmt: skip

_LARGEST_OPINION = 8.0
_USUAL_COUNT = 1500.0  # superpixels, so that amounts do not depend on their number
_SMOOTHINGS = 2


class Cues:
    """The cues of one object against everything else.

    Parameters
    ----------
    seeds : (n,) array
        1 for superpixels with a stroke of the object, 0 with another stroke, -1 without.
    plain, framed : SeedScores
        What strokes teach, and what they teach with the frame as background.
    """

    def __init__(self, seeds: Seeds, plain: SeedScores, framed: SeedScores) -> None:
        self._seeds, self._plain, self._framed = seeds, plain, framed
        self._scene = plain.scene
        self._drawn = [np.flatnonzero(seeds == label) for label in (0, 1)]

    def table(self) -> NDArray[np.float32]:
        """Return one row per superpixel and one column per name in ``NAMES``; unknown distances are not numbers."""
        opinions, framed, mean = self._opinions()
        around = [smoothed(self._scene.graph, odds) for odds in (opinions[0], framed[0])]
        columns = [*opinions, *framed, *around, mean, *self._paths(), *self._colors(), *self._places()]
        count = self._scene.superpixels.count
        columns += [np.full(count, value) for value in [*self._amounts(), self._share(mean), self._share(framed[0])]]
        return np.stack(columns, axis=1).astype(np.float32)

    def _opinions(self) -> tuple[list[Doubles], list[Doubles], Doubles]:
        opinions = [odds_of(self._plain.raw(name)) for name in OPINIONS]
        framed = [odds_of(self._framed.raw(name)) for name in FRAMED]
        return opinions, framed, odds_of(self._plain.mix(PLAIN_MEAN))

    def _paths(self) -> list[Doubles]:
        graph, frame = self._scene.graph, self._scene.from_frame
        paths, necks = color_paths(graph, self._seeds, 2), bottlenecks(graph, self._seeds, 2)
        if not self._drawn[0].size:
            paths[:, 0] = necks[:, 0] = np.nan
        longs = [np.log1p(paths[:, 1]), np.log1p(paths[:, 0]), np.log1p(frame.path)]
        return [*longs, necks[:, 1], necks[:, 0], frame.bottleneck]

    def _colors(self) -> list[Doubles]:
        colors = self._scene.features.lab
        other, own = (nearest_of(colors, colors[drawn]) for drawn in self._drawn)
        return [own, other, self._scene.from_frame.color, np.fmin(own, other)]

    def _places(self) -> list[Doubles]:
        superpixels = self._scene.superpixels
        centres = superpixels.centres / diagonal(superpixels)
        other, own = (nearest_of(centres, centres[drawn]) for drawn in self._drawn)
        marked = centres[self._drawn[1]]
        extent = float(np.sqrt(np.prod(np.ptp(marked, axis=0) + 0.03)))
        inward = np.linalg.norm(centres - marked.mean(axis=0), axis=1)
        areas = np.log(superpixels.area / superpixels.area.mean())
        ratio = np.log((own + 0.01) / extent)
        return [own, other, self._scene.from_frame.place, ratio, inward, areas, superpixels.frame.astype(np.float64)]

    def _amounts(self) -> list[float]:
        (other, own), count = self._drawn, self._scene.superpixels.count
        drawn = [float(np.log1p(_USUAL_COUNT * part.size / count)) for part in (own, other)]
        strokes = [float(self._strokes(label)) for label in (1, 0)]
        return [*drawn, float(other.size == 0), *np.minimum(strokes, 8.0).tolist()]

    def _strokes(self, label: int) -> int:
        """Count the connected groups of superpixels with a stroke of a label."""
        edges = self._scene.graph.edges
        parts = components(edges[(self._seeds[edges] == label).all(axis=1)], self._seeds.size)
        return len(np.unique(parts[self._drawn[label]]))

    def _share(self, odds: Doubles) -> float:
        """Return the share of the image that an opinion takes for the object."""
        area = self._scene.superpixels.area
        return float(area[odds > 0].sum() / area.sum())


def odds_of(scores: Doubles) -> Doubles:
    """Log-odds of the object, (n,), of scores of two labels, (n, 2)."""
    return np.clip(scores[:, 1] - scores[:, 0], -_LARGEST_OPINION, _LARGEST_OPINION)


def smoothed(graph: Graph, values: Doubles) -> Doubles:
    """Means over neighbours, and over theirs."""
    i, j = graph.edges.T
    n = values.size
    count = np.bincount(i, minlength=n) + np.bincount(j, minlength=n) + 1.0
    for _ in range(_SMOOTHINGS):
        values = (values + np.bincount(i, values[j], n) + np.bincount(j, values[i], n)) / count
    return values
