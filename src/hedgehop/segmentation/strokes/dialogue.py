# SPDX-License-Identifier: BSD-3-Clause
"""A dialogue: strokes one after another; what was shown or chosen before also counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Labels, count, integers, positive_count
from hedgehop.segmentation.scene import Scene
from hedgehop.segmentation.strokes.marks import Box, scribbles_of
from hedgehop.segmentation.strokes.model import StrokeModel, StrokeSettings
from hedgehop.segmentation.strokes.prior import NO_PRIOR, PreviousRound
from hedgehop.segmentation.strokes.scores import StrokeScores
from hedgehop.segmentation.suggestions import Suggestions


class Dialogue:
    """Segmentations from strokes that come one after the other; :meth:`hedgehop.Segmenter.dialogue` starts one.

    Each answer stays close to the previous one: to the chosen candidate or, if none was chosen, to the first one shown.
    A correct stroke should not change what was already right.

    Attributes
    ----------
    scribbles : (H, W) array of ints
        All strokes so far: 0 unknown, 1 background, 2 the object, ...
    found : Suggestions or None
        The candidates shown last.
    rounds : int
        How many strokes were answered.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> image = np.zeros((40, 60, 3))
    >>> image[10:30, 20:40] = 1.0
    >>> session = hh.Segmenter(image, n_segments=150).dialogue(m=3)
    >>> first = session.stroke(points=[(20, 30)])
    >>> chosen = session.choose(0)
    >>> better = session.stroke(points=[(5, 5, 1)])
    >>> session.rounds, int(better.masks[0].sum())
    (2, 400)
    """

    def __init__(self, scene: Scene, settings: StrokeSettings, m: int = 6) -> None:
        self._scene, self._settings, self._m = scene, settings, positive_count(m, "m")
        self.scribbles = np.zeros(scene.shape, np.int64)
        self.found: Suggestions | None = None
        self.rounds = 0
        self._earlier: PreviousRound | None = None

    def stroke(
        self, scribbles: ArrayLike | None = None, *, points: ArrayLike | None = None, box: Box | None = None
    ) -> Suggestions:
        """Add strokes, clicks or a box, and return new candidates, the best answer of the model first.

        Parameters
        ----------
        scribbles : (H, W) array of ints, optional
            New strokes, 0 elsewhere; they win over earlier ones.
        points, box : optional
            As in :meth:`hedgehop.Segmenter.suggest`: strokes win over a box, earlier ones too.
        """
        drawn = scribbles_of(self._scene.shape, self._with_earlier(scribbles, points, box), points, box)
        strokes = StrokeScores(self._scene, drawn)
        prior = NO_PRIOR if self._earlier is None else self._earlier.prior(strokes)
        model = StrokeModel(strokes, self._settings, prior)
        found = model.candidates(self._m)
        self.scribbles, self.found = drawn, found
        self.rounds += 1
        self._earlier = PreviousRound(found.labelings[0], False, self.rounds, model.scores)
        return found

    def _with_earlier(
        self, scribbles: ArrayLike | None, points: ArrayLike | None, box: Box | None
    ) -> NDArray[np.int64] | None:
        """Return new strokes on top of earlier ones; None if nothing was marked."""
        if scribbles is None:
            return None if points is None and box is None else self.scribbles
        new = integers(scribbles, "scribbles")
        return np.where(new != 0, new, self.scribbles) if new.shape == self.scribbles.shape else new

    def choose(self, k: int) -> Labels:
        """Choose candidate k of the last list, 0 the first: what follows stays close to it. Return it, (H, W)."""
        if self.found is None or self._earlier is None:
            raise ValueError("choose must come after a stroke; there are no candidates yet. Call stroke first.")
        if count(k, "k") >= len(self.found):
            raise ValueError(f"k must be a candidate, 0..{len(self.found) - 1}; got {k}.")
        chosen: Labels = self.found.labelings[k]
        self._earlier = PreviousRound(chosen, True, self.rounds, self._earlier.scores)
        return chosen

    def __repr__(self) -> str:
        return f"Dialogue({self.rounds} rounds, {self._scene.shape[0]} x {self._scene.shape[1]} pixels)"
