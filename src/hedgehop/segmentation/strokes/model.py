# SPDX-License-Identifier: BSD-3-Clause
"""The model of a scene with strokes on it and, perhaps, a segmentation to stay close to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hedgehop._arrays import Doubles, Labels
from hedgehop.lists.result import DiverseList
from hedgehop.lists.tradeoff import TradeoffLike
from hedgehop.models import FactorGraph, Grid
from hedgehop.segmentation.default_list import RandomModel, best_under, drop_components_without_stroke, stroke_list
from hedgehop.segmentation.scene import Variables
from hedgehop.segmentation.strokes.combiner import Combiner
from hedgehop.segmentation.strokes.connection import Stars, kept_whole, roots_of, stars, step_lengths
from hedgehop.segmentation.strokes.learned import learned_scores
from hedgehop.segmentation.strokes.prior import NO_PRIOR, Prior
from hedgehop.segmentation.strokes.scores import StrokeScores
from hedgehop.segmentation.suggestions import SceneModel

_FRAME_BONUS = 0.6  # bonus for background at the frame, in units of the scores
_LOOSE_ANCHOR = 1.0  # what agreeing with a given segmentation gains in random models, whose answers are to differ


@dataclass(frozen=True)
class StrokeSettings:
    """How strokes become a model; see :class:`hedgehop.Segmenter`.

    Either nets combine the scores, or they are averaged with fixed weights.
    """

    scores: Mapping[str, float] | Combiner
    smoothness: float
    frame: float | None
    pixelwise: bool
    fine_borders: bool
    connected: bool = False
    holes: bool = True


class StrokeModel(SceneModel):
    """Scores learned from strokes, a bonus for background at the frame, smoothness; strokes are held.

    Parameters
    ----------
    prior : Prior
        What was said before these strokes.
    scores : (n, L) array, optional
        Those of the first answer, if they are known.

    Attributes
    ----------
    scores : (n, L) array
        Of the first answer, on superpixels.
    """

    def __init__(
        self, strokes: StrokeScores, settings: StrokeSettings, prior: Prior = NO_PRIOR, scores: Doubles | None = None
    ) -> None:
        super().__init__(strokes.scene, Variables(strokes.scene, settings.pixelwise))
        self._strokes, self._settings, self._prior = strokes, settings, prior
        self._free_frame = self.scene.superpixels.frame & (strokes.seeds < 0)
        self._seeds = self.variables.seeds(strokes.solved, self.n_labels)
        self.scores = prior.blend(self._new_scores()) if scores is None else scores
        self.model = self._model(self._unary(self.scores, self._frame, prior.pull))

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self._strokes.n_labels

    @property
    def oracle(self) -> str:
        """Which oracle solves candidates: exact for two labels; for more, quick beats exact, since there are many."""
        return "graphcut" if self.n_labels == 2 else "expansion"

    @property
    def coarse(self) -> StrokeModel:
        """The same on superpixels."""
        if not self.variables.pixelwise:
            return self
        return self._with(replace(self._settings, pixelwise=False))

    def draw(self, rows: Labels) -> Labels:
        """Labelings of the model, (m, n), at the size of the image, with borders that follow the pixels if wanted."""
        if self._settings.pixelwise or not self._settings.fine_borders:
            return super().draw(rows)
        redrawn, strokes = self.scene.borders.redrawn, self._strokes
        maps = np.array([redrawn(row, strokes.solved, self.n_labels, self.oracle) for row in rows], np.int32)
        final = np.where(strokes.drawn >= 0, strokes.drawn, self.scene.enlarge(maps)).astype(np.int32)
        if self._stars is None:
            return final
        connected, holes = self._settings.connected, self._settings.holes
        return np.array([kept_whole(labels, strokes.drawn, connected, holes) for labels in final], np.int32)

    def default_list(self, m: int, tradeoff: TradeoffLike | None) -> DiverseList:
        """Return the best labeling and answers of random models of which one is probably right."""
        return stroke_list(self, m, tradeoff)

    @property
    def tidied(self) -> list[Labels]:
        """The best labelings whose object hangs together with its strokes, and has no holes; of one object only."""
        if self._stars is not None or self.n_labels > 2:
            return []
        demands = (replace(self._settings, connected=True, holes=holes) for holes in (True, False))
        return [self._with(settings).best for settings in demands]

    def _with(self, settings: StrokeSettings) -> StrokeModel:
        """The same with other settings and the same scores."""
        return StrokeModel(self._strokes, settings, self._prior, self.scores)

    def answers(self, models: Sequence[RandomModel]) -> Labels:
        """Return the best labelings of random models, (k, n), without components that no stroke reaches."""
        blank = self._model(self.variables.unary(np.zeros((self.scene.superpixels.count, self.n_labels))))
        found = best_under(blank, (self._unary_of(other) for other in models), self.oracle)
        return drop_components_without_stroke(found, blank.edges, self._seeds)

    @property
    def learned(self) -> bool:
        """Whether nets combine the scores."""
        return isinstance(self._settings.scores, Combiner)

    @property
    def _frame(self) -> float:
        """Return the bonus of the frame; nets know of the frame by themselves."""
        given = self._settings.frame
        return given if given is not None else 0.0 if self.learned else _FRAME_BONUS

    def _new_scores(self) -> Doubles:
        how = self._settings.scores
        return learned_scores(self._strokes, how) if isinstance(how, Combiner) else self._strokes.mix(how)

    def _unary_of(self, other: RandomModel) -> Doubles:
        """Scores of a random model; divided by its smoothness, so that all share one graph."""
        share = other.learned if self.learned else 0.0
        mixed = (1.0 - share) * self._strokes.mix(other.weights) + share * self.scores
        return self._unary(mixed + other.bias, (1.0 - share) * other.frame, _LOOSE_ANCHOR) / other.smoothness

    def _unary(self, scores: Doubles, frame: float, pull: float) -> Doubles:
        total: Doubles = scores.copy()
        total[self._free_frame, 0] += frame
        anchor = self._prior.anchor
        return self.variables.unary(total if anchor is None else total + pull * anchor)

    def _model(self, unary: Doubles) -> FactorGraph | Grid:
        strength = self.variables.strength(self._settings.smoothness)
        if self._stars is None:
            return self.variables.model(unary, self._seeds, strength)
        return self.variables.model(self._stars.demanded(unary), self._seeds, strength).forbid(self._stars.pairs)

    @cached_property
    def _stars(self) -> Stars | None:
        """What makes objects hang together and keeps holes out; None if neither is asked for."""
        connected, holes, variables = self._settings.connected, self._settings.holes, self.variables
        if holes and not connected:
            return None
        lengths = step_lengths(variables.edges, variables.colors, variables.spread(self.scores))
        roots = roots_of(self._seeds, variables.frame, self.n_labels, connected, holes)
        return stars(variables.edges, lengths, self._seeds, roots)
