# SPDX-License-Identifier: BSD-3-Clause
"""What was said before the present strokes: a segmentation to stay close to, and the scores of an earlier round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehop._arrays import Doubles, integers
from hedgehop.segmentation.strokes.frame import color_paths
from hedgehop.segmentation.strokes.scores import StrokeScores

CHOSEN_PULL = 3.0  # what agreeing with a segmentation gains, in units of the scores: strokes alone contradict it
# What a person saw and did not choose counts less than what they chose; it counts more with every round.
SHOWN_PULL = 0.15  # per round, in units of the scores
MEMORY = 0.5  # share of the scores of the round before
# How far a contradicting stroke reaches, in mean steps of colour between neighbours: late strokes correct details.
_FIRST_REACH, _REACH_KEPT, _LEAST_REACH = 4.0, 0.7, 0.5


@dataclass(frozen=True, eq=False)
class Prior:
    """What earlier rounds say about the present labels.

    Attributes
    ----------
    anchor : (n, L) array, optional
        What each label of each superpixel gains for agreeing with a segmentation, see :func:`anchoring`.
    pull : float
        How much that counts, in units of the scores.
    scores : (n, L) array, optional
        Those of the round before.
    memory : float
        Their share, 0..1.
    """

    anchor: Doubles | None = None
    pull: float = CHOSEN_PULL
    scores: Doubles | None = None
    memory: float = 0.0

    def blend(self, scores: Doubles) -> Doubles:
        """Return the new scores and the old ones, if they have the same labels."""
        if self.scores is None or self.scores.shape != scores.shape:
            return scores
        return self.memory * self.scores + (1.0 - self.memory) * scores


NO_PRIOR = Prior()


@dataclass(frozen=True, eq=False)
class PreviousRound:
    """The round before in a dialogue.

    Attributes
    ----------
    shown : (H, W) array, optional
        The segmentation that was on show; -1 where it is unknown.
    chosen : bool
        Whether a person chose it, or only saw it; the latter counts more with every round.
    rounds : int
        How many strokes were answered until then.
    scores : (n, L) array, optional
        Those behind it.
    """

    shown: ArrayLike | None
    chosen: bool = True
    rounds: int = 1
    scores: Doubles | None = None

    @property
    def pull(self) -> float:
        """How much agreeing with it counts, in units of the scores."""
        return CHOSEN_PULL if self.chosen else min(CHOSEN_PULL, SHOWN_PULL * self.rounds)

    @property
    def reach(self) -> float:
        """How far a stroke that contradicts it reaches, in mean steps of colour between neighbours."""
        return float(max(_LEAST_REACH, _FIRST_REACH * _REACH_KEPT ** (self.rounds - 1)))

    def prior(self, strokes: StrokeScores) -> Prior:
        """Return what counts of it for new strokes."""
        anchor = None if self.shown is None else anchoring(strokes, self.shown, self.reach)
        return Prior(anchor, self.pull, self.scores, 0.0 if self.scores is None else MEMORY)


def anchoring(strokes: StrokeScores, around: ArrayLike, reach: float) -> Doubles:
    """Return what each label of each superpixel gains for agreeing with a segmentation, (n, L), 0..1.

    A stroke that contradicts the segmentation frees what is near and looks alike: there the gain is
    ``1 - exp(-d / reach)``, d the length of the shortest path of colours to such a stroke.
    """
    scene, n_labels, seeds = strokes.scene, strokes.n_labels, strokes.seeds
    chosen = scene.majority(np.maximum(_checked_around(around, scene.shape, n_labels), -1), n_labels)
    gain = np.where(chosen >= 0, 1.0, 0.0)
    contradicted = (seeds >= 0) & (chosen >= 0) & (seeds != chosen)
    if contradicted.any():
        starts = np.where(contradicted, 0, -1)
        far = color_paths(scene.graph, starts, 1)[:, 0]
        gain *= 1.0 - np.exp(-far / reach)
    result = np.zeros((chosen.size, n_labels))
    result[np.arange(chosen.size), np.maximum(chosen, 0)] = gain
    return result


def _checked_around(around: ArrayLike, shape: tuple[int, int], n_labels: int) -> NDArray[np.int64]:
    labels = integers(around, "around")
    if labels.shape != shape:
        raise ValueError(f"around must have the image's shape {shape}; got {labels.shape}. Give one of the candidates.")
    if labels.size and labels.max() >= n_labels:
        raise ValueError(
            f"around must hold labels that have strokes, 0..{n_labels - 1}, or -1 for unknown; got {labels.max()}."
        )
    return labels
